//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestGuardExplain(t *testing.T) {
	r := at(t, "changed")
	for _, c := range []struct {
		args           []string
		stdin          string
		decision, rule string
		rewrite        string
	}{
		{args: []string{"--", "git push -f origin fix"}, decision: "deny", rule: "force"},
		{args: []string{"--", "git", "push", "-f", "origin", "fix"}, decision: "deny", rule: "force"},
		{args: []string{"--", "git", "commit", "-m", "git push --force is refused"}, decision: "pass"},
		{args: []string{"--", "asterweave-state", "approve", "12345678"}, decision: "deny", rule: "human"},
		{args: []string{"--", "$X"}, decision: "ask", rule: "unresolved"},
		{args: []string{"--", "go test -v ./..."}, decision: "allow", rule: "gate", rewrite: "asterweave-state run --gate unit"},
		{args: []string{"--tool", "Write", "--input", "-"}, stdin: `{"file_path":"` + r.file("other.go") + `"}`, decision: "deny", rule: "scope"},
		{args: []string{"--tool", "Write", "--input", "-"}, stdin: `{"file_path":"` + r.file("sum.go") + `"}`, decision: "allow", rule: "scope"},
	} {
		a := r.ok(r.awIn(c.stdin, append([]string{"guard", "explain"}, c.args...)...))
		if a.text("decision") != c.decision || a.text("rule") != c.rule || a.text("rewrite") != c.rewrite || (c.decision == "deny") != (a.text("reason") != "" && a.text("hint") != "" && c.decision != "ask") {
			t.Errorf("%q: %s", c.args, a)
		}
	}
	for _, args := range [][]string{{}, {"--tool", "Write"}, {"--input", "-"}, {"--tool", "Write", "--", "x"}, {"--tool", "Bash", "--input", "-", "--", "x"}} {
		if a := r.aw(append([]string{"guard", "explain"}, args...)...); a.status != 64 {
			t.Errorf("%q: %s", args, a)
		}
	}
	if a := r.ok(r.look("guard", "explain", "--", "git push -f origin fix")); !strings.Contains(a.stdout, "deny, by the rule force: ") || !strings.Contains(a.stdout, "hint: ") {
		t.Errorf("%s", a)
	}
}

func TestGuardExplainWithoutADelivery(t *testing.T) {
	r := at0(t)
	a := r.ok(r.aw("guard", "explain", "--", "git push -f origin fix"))
	if a.text("decision") != "pass" || a.text("would", "rule") != "force" || a.json["open"] != false {
		t.Errorf("%s", a)
	}
}

func TestGuardAllow(t *testing.T) {
	r := at(t, "confirmed")
	r.ahead()
	run := r.session()
	const push = "git push -f origin fix"
	rule := func(command string) string {
		t.Helper()
		return r.ok(r.aw("guard", "explain", "--", command)).text("rule")
	}
	for _, args := range [][]string{{"force"}, {"force", "--reason", "x"}} {
		if a := r.aw(append([]string{"guard", "allow"}, args...)...); a.code() != "human-only" {
			t.Errorf("by the agent: %s", a)
		}
	}
	for _, args := range [][]string{
		{"force"},
		{"--reason", "x"},
		{"force", "force", "--reason", "x"},
		{"speed", "--reason", "x"},
		{"human", "--reason", "x"},
		{"marker", "--reason", "x"},
		{"state", "--reason", "x"},
		{"terminal", "--reason", "x"},
		{"agents", "--reason", "x"},
		{"git-folder", "--reason", "x"},
		{"force", "--reason", "x", "--for", "25h"},
		{"force", "--reason", "x", "--for", "0s"},
		{"--reason", "x", "--", "git", "status"},
	} {
		if a := r.human("", append([]string{"guard", "allow"}, args...)...); a.status != 64 {
			t.Errorf("%q: %s", args, a)
		}
	}
	if rule(push) != "force" {
		t.Fatal("the push is not refused")
	}

	// For one command, whose rule is found. Git's hook goes by the rule.
	a := r.ok(r.human("", "guard", "allow", "--reason", "the base was rewritten", "--for", "30m", "--", "git", "push", "-f", "origin", "fix"))
	if !strings.Contains(a.stdout, `"rule":"force"`) {
		t.Errorf("%s", a)
	}
	for command, want := range map[string]string{push: "", " " + push + "\n": "", push + " -v": "force", "git push -f origin main": "force", push + "; git push -f origin main": "force"} {
		if got := rule(command); got != want {
			t.Errorf("%q: %q", command, got)
		}
	}
	if out, err := run("sh", push); err != nil {
		t.Errorf("%v %s", err, out)
	}
	before := r.remote()
	for _, text := range []string{"git push origin +fix:main", "git push -f origin fix~1:fix", "git push origin :feat"} {
		if out, err := run("sh", text); err == nil || r.remote() != before {
			t.Errorf("%s went through: %v %s", text, err, out)
		}
	}

	// For one command that goes to another branch: Git's hook lets it through for that alone.
	r.ok(r.human("", "guard", "allow", "branch", "--reason", "a copy to look at", "--for", "30m", "--", "git", "push", "origin", "fix:copy"))
	if out, err := run("sh", "git push -q origin fix:else"); err == nil || strings.Contains(r.remote(), "refs/heads/else") {
		t.Errorf("another branch went through: %v %s", err, out)
	}
	if out, err := run("sh", "git push -q origin fix:copy"); err != nil || !strings.Contains(r.remote(), "refs/heads/copy") {
		t.Errorf("%v %s", err, out)
	}

	// For anything.
	r.ok(r.human("", "guard", "allow", "delete", "branch", "--reason", "old branches", "--for", "1m"))
	if got := rule("git push origin :feat"); got != "" {
		t.Errorf("still %q", got)
	}
	if out, err := run("sh", "git push -q origin :feat"); err != nil || strings.Contains(r.remote(), "feat") {
		t.Errorf("%v %s", err, out)
	}
	if got := rule("git push origin :main"); got != "base" {
		t.Errorf("the base: %q", got)
	}

	// It is seen.
	if a := r.ok(r.look("status")); !strings.Contains(a.stdout, "bypass") || !strings.Contains(a.stdout, "B1 the guard's rule force, for git push -f origin fix") || !strings.Contains(a.stdout, "the base was rewritten") {
		t.Errorf("%s", a)
	}
	if a := r.ok(r.look("report")); !strings.Contains(a.stdout, "BYPASS: the guard's rule delete, for anything") {
		t.Errorf("%s", a)
	}
	if a := r.ok(r.look("verify")); !strings.Contains(a.stdout, "warning: bypass: B3") {
		t.Errorf("%s", a)
	}
	if a := r.ok(r.look("log")); !strings.Contains(a.stdout, "BYPASS B4") {
		t.Errorf("%s", a)
	}
	if a := r.ok(r.look("guard", "allow", "--list")); strings.Count(a.stdout, "in force until") != 4 {
		t.Errorf("%s", a)
	}

	// And it ends.
	r.ok(r.human("", "guard", "allow", "base", "--reason", "a moment", "--for", "1s"))
	r.waitUntil(func() bool {
		return strings.Contains(r.look("guard", "allow", "--list").stdout, "B5 base, for anything, expired")
	})
	if got := rule("git push origin fix:main"); got != "base" {
		t.Errorf("after its end: %q", got)
	}
}

func TestGuardInstall(t *testing.T) {
	r := at(t, "confirmed")
	hook := ".git/hooks/pre-push"
	theirs := "#!/bin/sh\ncat > \"$LOG\"\nexit ${STATUS:-0}\n"
	r.write(hook, theirs)
	r.sh("chmod 754 " + hook)
	r.ahead()
	before := r.remote()
	for range 2 {
		r.ok(r.aw("guard", "install"))
	}
	env := []string{"LOG=" + filepath.Join(r.base, "log")}
	push := func(more ...string) answer {
		return r.exec("", r.environ(append(env, more...)...), "git", "push", "-q", "-f", "origin", "fix")
	}
	if a := push(); a.status == 0 || !strings.Contains(a.stderr, "the push is refused") || r.remote() != before {
		t.Errorf("%s", a)
	}
	r.sh("cd ../other && git push -q origin :fix") // a clone has none of it
	if a := push("STATUS=1"); a.status == 0 {
		t.Errorf("the hook from before does not stop it: %s", a)
	}
	if a := push(); a.status != 0 || !strings.Contains(r.read("../log"), "refs/heads/fix") {
		t.Errorf("%s", a)
	}
	if a := r.aw("guard", "uninstall"); a.code() != "human-only" {
		t.Errorf("by the agent: %s", a)
	}
	r.ok(r.human("", "guard", "uninstall"))
	if log := r.ok(r.aw("log")).stdout; strings.Count(log, `"unhooked":{"folder":`) != 1 {
		t.Errorf("the record does not say once that the hook went:\n%s", log)
	}
	info, err := os.Stat(r.file(hook))
	if err != nil || info.Mode().Perm() != 0o754 || r.read(hook) != theirs || strings.Contains(r.sh("ls .git/hooks"), "asterweave") {
		t.Errorf("%v %v %q", err, info.Mode(), r.read(hook))
	}
	if a := r.human("", "guard", "uninstall"); a.code() != "conflict" {
		t.Errorf("%s", a)
	}
	// With none before.
	r.sh("rm " + hook)
	r.ok(r.aw("guard", "install"))
	r.sh("cp " + hook + " ../installed")
	r.ok(r.human("", "guard", "uninstall"))
	if _, err := os.Lstat(r.file(hook)); err == nil {
		t.Error("it is still there")
	}
	// Another manager of hooks took the place of ours.
	r.write(hook, theirs)
	r.ok(r.aw("guard", "install"))
	r.write(hook, "#!/bin/sh\n# another\n")
	for _, a := range []answer{r.aw("guard", "install"), r.human("", "guard", "uninstall")} {
		if a.code() != "conflict" || r.read(hook) != "#!/bin/sh\n# another\n" || r.read(hook+".asterweave-chained") != theirs {
			t.Errorf("%s", a)
		}
	}
}

// TestGuardInstallStaysInTheRepository: no tracked and no shared folder is written to.
func TestGuardInstallStaysInTheRepository(t *testing.T) {
	for name, set := range map[string]string{
		"tracked": "mkdir .husky && git config core.hooksPath .husky",
		"shared":  `mkdir ../shared && git config core.hooksPath "$PWD/../shared"`,
		"a link":  `mkdir ../shared && rm -rf .git/hooks && ln -s "$PWD/../shared" .git/hooks`,
	} {
		r := copyOf(t, shared.stage(t, "fresh"))
		r.sh(set)
		if a := r.aw("guard", "install"); a.code() != "conflict" || a.text("error", "hint") == "" {
			t.Errorf("%s: %s", name, a)
		}
		if got := r.sh("find .husky ../shared -type f 2>/dev/null || true"); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
	r := copyOf(t, shared.stage(t, "fresh"))
	r.sh("git worktree add -q ../tree")
	if a := r.ok(r.exec("", r.environ(), shared.program("asterweave-state"), "--json", "--root", "../tree", "guard", "install")); !strings.HasPrefix(a.text("hook"), r.file(".git/hooks")) {
		t.Errorf("%s", a)
	}
}

// waitUntil waits for what a clock brings.
func (r *repo) waitUntil(done func() bool) {
	r.t.Helper()
	for range 200 {
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	r.t.Fatal("it did not come")
}
