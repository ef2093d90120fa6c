//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// session starts a session of the client and returns an agent's shell in it: a text runs
// behind what the session put before each command, as the client does it.
func (r *repo) session() func(shell, text string) (string, error) {
	r.t.Helper()
	return r.sessionOf(shared.program("asterweave-hook"))
}

func (r *repo) sessionOf(program string) func(shell, text string) (string, error) {
	r.t.Helper()
	file := filepath.Join(r.base, "session.sh")
	for range 3 { // the client starts a session several times
		a := r.ok(r.exec(r.payload("session-start", map[string]any{"source": "startup"}), r.environ("CLAUDE_ENV_FILE="+file), program, "session-start"))
		if a.stderr != "" {
			r.t.Fatalf("session start: %s", a)
		}
	}
	return func(shell, text string) (string, error) {
		r.t.Helper()
		before, err := os.ReadFile(file)
		if err != nil {
			r.t.Fatal(err)
		}
		c := exec.Command(shell, "-c", "true && "+strings.TrimSpace(string(before))+"\n: && eval '"+strings.ReplaceAll(text, "'", `'\''`)+"'")
		c.Dir, c.Env = r.dir, r.environ("PATH="+shared.path)
		out, err := c.CombinedOutput()
		return string(out), err
	}
}

// sh runs a text in a shell of nobody's, outside of any session.
func (r *repo) sh(text string) string {
	r.t.Helper()
	c := exec.Command("sh", "-ec", text)
	c.Dir, c.Env = r.dir, r.environ()
	out, err := c.CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", text, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) remote() string {
	return r.sh("git -C ../remote.git for-each-ref --format='%(refname) %(objectname)'")
}

// ahead moves the delivery's branch at the remote to a commit that is not here.
func (r *repo) ahead() {
	r.t.Helper()
	r.sh(`git clone -q ../remote.git ../other && cd ../other && git checkout -qb fix && echo other > other.txt && git add . && git commit -qm other && git push -q origin fix && git push -q origin main:feat`)
}

// TestGitJudgesPushes lets scripts that the guard of the shell does not see push.
func TestGitJudgesPushes(t *testing.T) {
	r := at(t, "confirmed")
	r.ahead()
	run := r.session()
	before := r.remote()
	for _, c := range []struct{ name, text, says string }{
		{"force", "git push --force origin fix", "not known here"},
		{"-f", "git push -f origin fix", "not known here"},
		{"a plus sign", "git push origin +fix", "not known here"},
		{"a lease", "git fetch -q && git push --force-with-lease origin fix", "does not build on"},
		{"a refspec of the configuration", "git config remote.origin.push +refs/heads/*:refs/heads/*; git push; git config --unset remote.origin.push", "refused"},
		{"push.default", "git checkout -q main; git -c push.default=matching push -f origin; git checkout -q fix", "refused"},
		{"mirror", "git push --mirror origin", "refused"},
		{"prune", "git push --prune origin 'refs/heads/*:refs/heads/*'", "refused"},
		{"an empty source", "git push origin :feat", "would be deleted"},
		{"delete", "git push origin --delete feat", "would be deleted"},
		{"the base", "git push origin fix:main", "only a merged pull request changes"},
		{"another branch", "git push origin fix:other", "not the delivery's branch"},
		{"a tag", "git tag v1; git push origin v1; git tag -d v1", "not the delivery's branch"},
		{"several, atomic", "git push --atomic origin fix main:else", "refused"},
		{"another remote's name", "git remote add again ../remote.git; git push again fix:new; git remote remove again", "refused"},
		{"a path", "git push ../remote.git fix:new", "refused"},
		{"a URL", `git push "file://$PWD/../remote.git" fix:new`, "refused"},
		{"a library", `python3 -c 'import subprocess; subprocess.call(["git", "push", "-f", "origin", "fix"])'`, "refused"},
		{"a copy by another name", `cp "$(command -v git)" ../g; ../g push -f origin fix`, "refused"},
		{"another work tree", `mkdir -p ../empty; cd ../empty; GIT_DIR="$OLDPWD/.git" GIT_WORK_TREE=. git push -f origin fix`, "refused"},
		{"no programs on PATH", `g=$(command -v git); PATH=/nonexistent "$g" push -f origin fix`, "refused"},
		{"forged parents", `git fetch -q; git replace --graft fix origin/fix; git push origin fix; git replace -d fix`, "does not build on"},
	} {
		script := filepath.Join(r.base, "hidden.sh")
		r.write(script, c.text+"\n")
		out, _ := run("bash", "sh "+script)
		if after := r.remote(); after != before {
			t.Fatalf("%s went through: %s\n%s", c.name, out, after)
		}
		if !strings.Contains(out, "asterweave: error: the push is refused") || !strings.Contains(out, c.says) {
			t.Errorf("%s: %s", c.name, out)
		}
	}
}

// TestGitLetsTheConfirmedPushThrough is the honest twin of all refusals.
func TestGitLetsTheConfirmedPushThrough(t *testing.T) {
	r := at(t, "confirmed")
	run := r.session()
	r.sh("git notes --ref asterweave add -m note fix")
	for _, text := range []string{"git push -q origin fix", "git push -q origin refs/notes/asterweave", "git push -q origin fix"} {
		if out, err := run("sh", text); err != nil || out != "" && !strings.Contains(out, "up-to-date") {
			t.Errorf("%s: %v %s", text, err, out)
		}
	}
	for _, want := range []string{"refs/heads/fix " + r.git("rev-parse", "fix"), "refs/notes/asterweave"} {
		if !strings.Contains(r.remote(), want) {
			t.Errorf("no %s at the remote:\n%s", want, r.remote())
		}
	}
	before := r.remote()
	r.sh("echo more >> sum.go && git commit -qam more")
	if out, err := run("sh", "git push origin fix"); err == nil || !strings.Contains(out, "not the one that a person confirmed") || r.remote() != before {
		t.Errorf("another head: %v %s", err, out)
	}
}

// TestGitsHookBeforeTheConfirmation: nothing goes, to nowhere.
func TestGitsHookBeforeTheConfirmation(t *testing.T) {
	r := at(t, "intended")
	run := r.session()
	before := r.remote()
	for _, text := range []string{"git push origin fix", "git push origin HEAD:refs/notes/asterweave"} {
		if out, err := run("bash", text); err == nil || !strings.Contains(out, "no push is confirmed") || r.remote() != before {
			t.Errorf("%s: %v %s", text, err, out)
		}
	}
}

// TestGitsHookElsewhere pushes from other repositories in a session of the delivery.
func TestGitsHookElsewhere(t *testing.T) {
	r := at(t, "confirmed")
	run := r.session()
	before, here := r.remote(), r.git("for-each-ref")
	for _, c := range []struct{ name, text string }{
		{"a clone inside", `git clone -q ../remote.git inside && cd inside && git push origin main:feat`},
		{"a clone elsewhere", `git clone -q ../remote.git ../clone && cd ../clone && git push -f origin HEAD~0:refs/heads/feat`},
		{"a worktree of the repository", `git worktree add -q ../tree main && cd ../tree && git push origin HEAD:feat`},
		{"a clone of this one into it", `git clone -q . ../mine && cd ../mine && git push origin HEAD:feat`},
		{"a clone's push by URL", `git clone -q ../remote.git ../by-url && cd ../by-url && git push "file://$PWD/../remote.git/" main:feat`},
		{"a Git folder of one's own", `git init -q ../own && cd ../own && git commit -q --allow-empty -m x && git push ../remote.git HEAD:feat`},
	} {
		out, err := run("bash", c.text)
		if err == nil || !strings.Contains(out, "not from the delivery's worktree") || r.remote() != before || !strings.Contains(here, r.git("for-each-ref", "refs/heads")) {
			t.Errorf("%s: %v %s", c.name, err, out)
		}
		r.sh("rm -rf inside")
	}
	for _, text := range []string{
		`git init -q --bare ../unrelated.git && git init -q ../theirs && cd ../theirs && git commit -q --allow-empty -m x && git push -q ../unrelated.git HEAD:main`,
		`cd ../theirs && git commit -q --amend --allow-empty -m y && git push -qf ../unrelated.git HEAD:main && git push -q ../unrelated.git HEAD:gone && git push -q ../unrelated.git :gone`,
	} {
		if out, err := run("bash", text); err != nil {
			t.Errorf("a push that is nobody's business: %v %s", err, out)
		}
	}
}

// TestTheRepositorysOwnHooksRun with our folder in the environment.
func TestTheRepositorysOwnHooksRun(t *testing.T) {
	hook := func(name string) string {
		return fmt.Sprintf("#!/bin/sh\n{ echo \"%s $# $1 $FROM_OUTSIDE $PWD $0\"; cat; } >> \"$LOG\"\nexit ${STATUS:-0}\n", name)
	}
	for _, layout := range []struct{ name, folder, set string }{
		{"Git's own folder", ".git/hooks", ""},
		{"husky", ".husky/_", "git config core.hooksPath .husky/_"},
		{"a folder elsewhere", "../their hooks", `git config core.hooksPath "$PWD/../their hooks"`},
	} {
		t.Run(layout.name, func(t *testing.T) {
			r := at(t, "confirmed")
			if layout.set != "" {
				r.sh(layout.set)
			}
			for _, name := range []string{"pre-commit", "commit-msg", "post-commit", "pre-push", "reference-transaction", "post-index-change"} {
				r.write(filepath.Join(layout.folder, name), hook(name))
				r.sh(fmt.Sprintf("chmod +x '%s/%s'", layout.folder, name))
			}
			r.write(filepath.Join(layout.folder, "pre-rebase"), hook("pre-rebase")) // may not be run
			run := r.session()
			log := func(text string, fails bool) string {
				t.Helper()
				r.write("../log", "")
				out, err := run("bash", `export LOG="`+r.base+`/log" FROM_OUTSIDE=1; `+text)
				if (err != nil) != fails {
					t.Errorf("%s: %v %s", text, err, out)
				}
				return r.read("../log")
			}
			head := r.git("rev-parse", "fix")
			for text, want := range map[string]string{
				"git push origin fix:fix -q":                          "pre-push 2 origin 1 " + r.dir,
				"git push -q origin refs/heads/fix:refs/heads/fix -f": "pre-push 2 origin 1",
			} {
				if got := log(text, false); !strings.Contains(got, want) {
					t.Errorf("%s: no %q in %q", text, want, got)
				}
			}
			r.sh("git push -q origin :fix")
			if got := log("git push -q origin fix", false); !strings.Contains(got, "refs/heads/fix "+head+" refs/heads/fix "+strings.Repeat("0", len(head))) {
				t.Errorf("the hook's standard input: %q", got)
			}
			got := log("git commit -q --allow-empty -m x", false)
			for _, want := range []string{"pre-commit 0", "commit-msg 1 ", "post-commit 0", "reference-transaction 1 prepared", "HEAD"} {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in %q", want, got)
				}
			}
			if got := log("STATUS=7 git commit -q --allow-empty -m y", true); strings.Contains(got, "post-commit") {
				t.Errorf("a failing pre-commit did not stop it: %q", got)
			}
			r.sh("git reset -q --soft HEAD~1")
			if got := log("STATUS=1 git push origin fix", true); !strings.Contains(got, "pre-push 2 origin") {
				t.Errorf("a failing pre-push: %q", got)
			}
			if out, err := run("bash", "git rebase -q main"); err != nil {
				t.Errorf("a hook that may not be run: %v %s", err, out)
			}
		})
	}
}

// TestWithoutADeliveryGitIsAsItWas: nothing is written, asked or refused.
func TestWithoutADeliveryGitIsAsItWas(t *testing.T) {
	r := at(t, "fresh")
	run := r.session()
	out, err := run("bash", "env | grep GIT_CONFIG_COUNT; git push -q origin main:feat && git push -qf origin main:feat && git push -q origin :feat")
	if err != nil || out != "" {
		t.Errorf("%v %s", err, out)
	}
	for _, name := range []string{".git/asterweave", ".claude"} {
		if _, err := os.Lstat(r.file(name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	// The same session, with a delivery that was opened later.
	r.ok(r.aw("start", "--goal", "SUM-1: Add adds"))
	if out, err := run("bash", "git push -q origin main:feat"); err == nil || !strings.Contains(out, "the push is refused") {
		t.Errorf("the delivery is open: %v %s", err, out)
	}
	// And after its end.
	r.ok(r.human("", "abort", "--reason", "enough"))
	if out, err := run("bash", "git push -q origin main:feat && git push -q origin :feat"); err != nil {
		t.Errorf("the delivery is over: %v %s", err, out)
	}
}

// TestTheJudgeIsGone: a push is refused while a delivery is open, and only then.
func TestTheJudgeIsGone(t *testing.T) {
	r := at(t, "confirmed")
	bin := filepath.Join(r.base, "it's a bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"asterweave-state", "asterweave-hook"} {
		if out, err := exec.Command("cp", shared.program(name), bin).CombinedOutput(); err != nil {
			t.Fatal(string(out))
		}
	}
	run := r.sessionOf(filepath.Join(bin, "asterweave-hook"))
	if out, err := run("sh", "git push -q --dry-run origin fix"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	for _, program := range []string{"", "#!/bin/sh\ncat > /dev/null; exit 2\n"} {
		if err := os.Remove(filepath.Join(bin, "asterweave-state")); err != nil && program == "" {
			t.Fatal(err)
		}
		if program != "" {
			r.write(filepath.Join(bin, "asterweave-state"), program)
			r.sh("chmod +x \"" + bin + "/asterweave-state\"")
		}
		for _, from := range []string{".", "../clone"} {
			r.sh("test -d ../clone || git clone -q ../remote.git ../clone")
			if out, err := run("sh", "cd "+from+" && git push -q --dry-run origin HEAD:fix"); err == nil || !strings.Contains(out, "a delivery is open") {
				t.Errorf("%s: %v %s", from, err, out)
			}
		}
	}
	r.ok(r.human("", "abort", "--reason", "enough"))
	if out, err := run("sh", "git push -q --dry-run origin fix"); err != nil {
		t.Errorf("the delivery is over: %v %s", err, out)
	}
}

// TestAGateCountsInBothShells: our folder in the environment is no other environment, and
// anything else in these variables is.
func TestAGateCountsInBothShells(t *testing.T) {
	r := at(t, "test")
	folder := filepath.Join(r.dir, ".git", "asterweave", "hooks")
	ours := []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=" + folder}
	if a := r.ok(r.with(ours...).aw("run", "--gate", "unit")); a.text("evidence", "result") != "pass" {
		t.Errorf("with our folder: %s", a)
	}
	if _, digest := r.status().ask("decision"); digest != "" {
		t.Error("it asks")
	}
	others := []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=" + r.base}
	if a := r.with(others...).aw("run", "--gate", "unit"); a.text("evidence", "result") == "pass" {
		t.Errorf("with another folder: %s", a)
	}
}
