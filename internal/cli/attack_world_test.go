//go:build unix

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// through makes steps of the honest way on r, in its own environment.
func (r *repo) through(from, to string) {
	r.t.Helper()
	on := false
	for _, s := range steps() {
		on = on || s.name == from
		if !on {
			continue
		}
		s.do(r)
		if s.name == to {
			return
		}
	}
	r.t.Fatalf("there is no way from %s to %s", from, to)
}

// script puts a script into dir.
func (r *repo) script(dir, name, script string) {
	r.t.Helper()
	r.write(filepath.Join(dir, name), "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
		r.t.Fatal(err)
	}
}

// located finds the program that a name means here.
func located(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// tooled is r with a folder of programs first on PATH, from before the baseline.
func (r *repo) tooled() (on *repo, tools string) {
	r.t.Helper()
	tools = filepath.Join(r.base, "tools")
	if err := os.MkdirAll(tools, 0o755); err != nil {
		r.t.Fatal(err)
	}
	return r.with("PATH=" + tools + ":" + shared.path), tools
}

// programAttacks put another program where a gate's was. The gate fails without it.
func programAttacks() []attack {
	unit := []string{"unit-test unit"}
	swap := func(name string, before, after func(r *repo, tools string)) attack {
		return attack{name: name, stage: "baseline", node: "test", exit: 3, shut: unit, twin: "an accepted program", do: func(r *repo) answer {
			on, tools := r.tooled()
			before(on, tools)
			on.through("challenge", "test")
			on.write("sum_test.go", testsBad)
			after(on, tools)
			return on.aw("run", "--gate", "unit")
		}}
	}
	return []attack{
		swap("another go put into a folder on PATH", func(*repo, string) {}, func(r *repo, tools string) { r.fakeGo(tools) }),
		swap("another interpreter behind a program", func(r *repo, tools string) {
			r.script(tools, "go", "exec "+located(r.t, "go")+` "$@"`)
			r.write(filepath.Join(tools, "go"), "#!/usr/bin/env asterweave-sh\nexec "+located(r.t, "go")+` "$@"`+"\n")
			r.script(tools, "asterweave-sh", `exec /bin/sh "$@"`)
		}, func(r *repo, tools string) { r.script(tools, "asterweave-sh", printed) }),
		swap("another go in the place of the one of the baseline", func(r *repo, tools string) {
			r.script(tools, "go", "exec "+located(r.t, "go")+` "$@"`)
		}, func(r *repo, tools string) { r.fakeGo(tools) }),
	}
}

// acceptProgram lets a human accept a program that differs from the baseline's.
func acceptProgram(r *repo) {
	r.t.Helper()
	on, tools := r.tooled()
	on.through("challenge", "test")
	on.script(tools, "go", "exec "+located(r.t, "go")+` "$@"`)
	if a := on.aw("run", "--gate", "unit"); a.status != 3 || !strings.Contains(a.String(), filepath.Join(tools, "go")) {
		r.t.Fatalf("a run of another program was taken: %s", a)
	}
	id, _ := on.status().ask("decision")
	r.ok(on.human("", "reply", id, "accept"))
	r.ok(on.aw("run", "--gate", "unit"))
}

// transportAttacks change how the remote is reached behind a confirmation.
func transportAttacks() []attack {
	read := func(name, stage string, exit int, do func(r *repo)) attack {
		return attack{name: name, stage: stage, exit: exit, shut: []string{"pull-request"}, twin: "pull request", do: func(r *repo) answer { do(r); return r.aw("read", "pr") }}
	}
	evil := func(r *repo) string {
		r.git("init", "-q", "--bare", "../evil.git")
		r.git("push", "-q", "../evil.git", "fix")
		return filepath.Join(r.base, "evil.git")
	}
	return []attack{
		read("an uploadpack that answers from elsewhere", "confirmed", 3, func(r *repo) {
			r.script(r.base, "pack", "exec git-upload-pack "+evil(r))
			r.git("config", "remote.origin.uploadpack", filepath.Join(r.base, "pack"))
		}),
		read("an ssh command that answers from elsewhere", "confirmed", 4, func(r *repo) {
			r.script(r.base, "ssh", "exec git-upload-pack "+evil(r))
			r.git("config", "core.sshCommand", filepath.Join(r.base, "ssh"))
			r.git("config", "url.ssh://host/.insteadOf", "../remote.git")
		}),
		read("a URL that is another place since", "confirmed", 4, func(r *repo) {
			r.git("config", "url."+evil(r)+".insteadOf", "../remote.git")
		}),
		read("another remote for the branch", "confirmed", 3, func(r *repo) {
			r.git("remote", "add", "evil", evil(r))
			r.git("config", "branch.fix.remote", "evil")
		}),
		read("a push to another place only", "confirmed", 3, func(r *repo) {
			r.git("config", "remote.origin.pushurl", evil(r))
			r.git("push", "-q", "origin", "fix")
		}),
	}
}

// narrowAttacks are about gates that look at less than what the delivery changes.
func narrowAttacks() []attack {
	return []attack{
		{name: "an edit that no test gate's inputs name", stage: "plan", node: "test", exit: 3, code: "gate-shut", shut: []string{"unit-test unit"}, twin: "narrow inputs", still: true, do: func(r *repo) answer {
			r.planned(func(p obj) { p["gates"].([]any)[0].(obj)["inputs"] = []any{"docs/**"} })
			r.ok(r.aw("run", "--gate", "unit"))
			r.write("sum.go", worse)
			r.implemented()
			r.ok(r.aw("run", "--gate", "format"))
			return r.aw("complete", "test", "pass")
		}},
		{name: "a symbolic link to what Git ignores", stage: "changed", exit: 3, code: "gate-shut", shut: []string{"change"}, twin: "change", do: func(r *repo) answer {
			r.write(".git/info/attributes", "")
			r.write("build/.gitignore", "*\n")
			r.write("build/sum.src", fixed)
			r.remove("sum.go")
			if err := os.Symlink("build/sum.src", r.file("sum.go")); err != nil {
				r.t.Fatal(err)
			}
			return r.awIn(js(obj{"outcome": "pass", "records": []any{record("change", "a link")}}), "submit", "implement", "-")
		}},
		{name: "a symbolic link out of the tree", stage: "changed", exit: 3, code: "gate-shut", shut: []string{"change"}, twin: "change", do: func(r *repo) answer {
			r.write(filepath.Join(r.base, "outside.go"), fixed)
			r.remove("sum.go")
			if err := os.Symlink(filepath.Join(r.base, "outside.go"), r.file("sum.go")); err != nil {
				r.t.Fatal(err)
			}
			return r.awIn(js(obj{"outcome": "pass", "records": []any{record("change", "a link")}}), "submit", "implement", "-")
		}},
	}
}

// narrowInputs is a test gate that names what it looks at, and is not run again for
// what another one names.
func narrowInputs(r *repo) {
	r.t.Helper()
	r.planned(func(p obj) {
		gates := p["gates"].([]any)
		gates[0].(obj)["inputs"] = []any{"*.go"}
		p["scope"] = obj{"write": []any{"sum.go", "docs/*.md"}, "tests": []any{"*_test.go"}}
		p["gates"] = append(gates, obj{"id": "docs", "kind": "integration-test", "counts": "exit", "argv": []any{"git", "diff", "--check"}, "inputs": []any{"docs/**"}})
		delete(p, "notApplicable")
	})
	r.implemented()
	r.ok(r.aw("run", "--gate", "unit"))
	r.write("docs/sum.md", "Sums.\n")
}

// What an agent may choose at start, and what nobody may.
func TestStartOnAnotherBase(t *testing.T) {
	r := at(t, "fresh")
	r.git("branch", "topic")
	if a := r.aw("start", "--goal", "x", "--base", "topic"); a.status != 3 || a.code() != "human-only" {
		t.Errorf("an agent chose the base: %s", a)
	}
	for _, base := range []string{"HEAD", "refs/heads/main", "@", "nowhere", "-x", "topic~1"} {
		if a := r.human("", "start", "--goal", "x", "--base", base); a.status != 64 {
			t.Errorf("the base %s was taken: %s", base, a)
		}
	}
	if a := r.aw("start", "--goal", "x", "--base", "main"); a.status != 0 { // as the repository has it
		t.Errorf("%s", a)
	}
	s := copyOf(t, shared.stage(t, "fresh"))
	s.git("branch", "topic")
	s.ok(s.human("", "start", "--goal", "x", "--base", "topic"))
	if !strings.Contains(s.ledger(), `"base":"topic"`) {
		t.Error("the base is not the one that a human chose")
	}
}

// Another git on PATH than at start has no say, and is in nobody's way.
func TestAnotherGitOnPath(t *testing.T) {
	r := at(t, "changed")
	on, tools := r.tooled()
	on.script(tools, "git", "echo lies; exit 0")
	if a := on.awIn(js(obj{"outcome": "pass", "records": []any{record("change", "one operator")}}), "submit", "implement", "-"); a.status != 0 {
		t.Errorf("%s", a)
	}
}

// A git that is put in the place of the one of the start is not believed, until a human
// says so.
func TestAnotherGitInItsPlace(t *testing.T) {
	r := at(t, "fresh")
	on, tools := r.tooled()
	wrap := "exec " + located(t, "git") + ` "$@"`
	on.script(tools, "git", wrap)
	on.through("intake", "changed")
	on.script(tools, "git", "# lies\n"+wrap)
	implement := js(obj{"outcome": "pass", "records": []any{record("change", "one operator")}})
	if a := on.awIn(implement, "submit", "implement", "-"); a.status != 3 || a.code() != "gate-shut" || !strings.Contains(a.String(), "is not the one of the start") {
		t.Fatalf("it was believed: %s", a)
	}
	if a := on.aw("run", "--gate", "unit"); a.status != 3 {
		t.Fatalf("a run with it counts: %s", a)
	}
	id, _ := on.status().ask("decision")
	on.ok(on.human("", "reply", id, "accept"))
	on.ok(on.awIn(implement, "submit", "implement", "-"))
}
