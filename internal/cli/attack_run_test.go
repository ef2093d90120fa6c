//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
)

const printed = `printf '=== RUN   TestAdd\n--- PASS: TestAdd (0.00s)\nPASS\nok  \texample.com/sum\t0.01s\n'`

// runAttacks run something else than the gate.
func runAttacks() []attack {
	unit := []string{"unit-test unit"}
	return append(onOneCopy(
		attack{name: "true as a run", stage: "test", exit: 0, shut: unit, twin: "gates", do: call("run", "--", "true")},
		attack{name: "printed output as a run", stage: "test", exit: 0, shut: unit, twin: "gates", do: call("run", "--", "sh", "-c", printed)},
		attack{name: "the gate's own command as a note", stage: "test", exit: 0, shut: unit, twin: "gates", do: call("run", "--", "go", "test", "-v", "./...")},
		attack{name: "a hidden exit status as a note", stage: "test", exit: 0, shut: unit, twin: "gates", do: call("run", "--", "sh", "-c", "go test -v ./nowhere | cat || true")},
		attack{name: "a pass at the base", stage: "test", exit: 0, shut: []string{"static format"}, twin: "gates", do: call("run", "--gate", "format", "--at", "base")},
		attack{name: "a baseline after analyze", stage: "test", exit: 3, code: "gate-shut", shut: unit, twin: "baseline", do: call("run", "--kind", "baseline")},
		attack{name: "a gate before the approval", stage: "approve", exit: 3, code: "gate-shut", twin: "gates", do: call("run", "--gate", "unit")},
		attack{name: "a gate that the plan does not have", stage: "test", exit: 64, code: "usage", shut: unit, twin: "gates", do: call("run", "--gate", "smoke")},
	), attack{name: "a run that changes the code", stage: "odd", exit: 3, shut: []string{"unit-test edits"}, twin: "gates", do: call("run", "--gate", "edits")})
}

// oddGate is a gate of a plan that a human approved without looking: its test
// fails, and the run must not pass, whatever it prints and however it ends.
type oddGate struct {
	id   string
	gate obj
	exit int
}

func oddGates() []oddGate {
	return []oddGate{
		{"nothing", argv("true"), 3},
		{"echo", argv("echo", "ok", "example.com/sum", "0.01s"), 3},
		{"printed", argv("sh", "-c", printed), 3},
		{"no-test", argv("go", "test", "-v", "-run", "^$", "./..."), 3},
		{"lists", argv("go", "test", "-v", "-list", ".", "./..."), 3},
		{"compiles", argv("go", "test", "-c", "-o", "/dev/null", "."), 3},
		{"another-program", argv("go", "test", "-v", "-exec", "/bin/true", "./..."), 3},
		{"vets", argv("go", "vet", "./..."), 3},
		{"helps", argv("go", "test", "-h"), failing},
		{"input", argv("cat"), 3},
		{"old-report", obj{"argv": []any{"true"}, "report": obj{"format": "tap", "path": "cover.out"}}, 3},
		{"pipe", obj{"shell": "go test -v ./... | cat"}, 1},
		{"hidden", obj{"shell": "go test -v ./... || true"}, 3},
		{"background", obj{"shell": "go test -v ./... >/dev/null & true"}, 3},
		{"then", obj{"shell": "go test -v ./... ; true"}, 3},
		{"swaps", obj{"shell": "cp -p sum_test.go ../kept; printf 'package sum\\nimport \"testing\"\\nfunc TestAdd(t *testing.T) {}\\n' > sum_test.go; go test -v ./...; s=$?; cp -p ../kept sum_test.go; exit $s"}, 3},
		{"negated", obj{"shell": "! go test -v ./..."}, 3},
	}
}

// oddGateAttacks run each of them.
func oddGateAttacks() []attack {
	var out []attack
	for _, g := range oddGates() {
		out = append(out, attack{
			name: "a test gate that is none: " + g.id, stage: "odd", exit: g.exit, shut: []string{"unit-test " + g.id}, twin: "gates", do: call("run", "--gate", g.id),
		})
	}
	return onOneCopy(out...)
}

// environmentAttacks steer the runner behind the gate's back, where what runs has
// to fail.
func environmentAttacks() []attack {
	steer := func(name string, prepare func(r *repo) []string) attack {
		return attack{name: name, stage: "broken", exit: failing, shut: []string{"unit-test unit"}, twin: "another environment", do: func(r *repo) answer {
			return r.with(prepare(r)...).aw("run", "--gate", "unit")
		}}
	}
	set := func(name string, settings ...string) attack {
		return steer(name, func(*repo) []string { return settings })
	}
	before := func(name string, prepare func(r *repo) []string) attack {
		return attack{name: name + " from the start", stage: "baseline", exit: 3, shut: []string{"baseline"}, twin: "baseline", do: func(r *repo) answer {
			return r.with(prepare(r)...).aw("run", "--kind", "baseline")
		}}
	}
	goEnv := func(r *repo) []string {
		return []string{r.ownHome(map[string]string{".config/go/env": "GOFLAGS=-exec=/bin/true\n"})}
	}
	return append(onOneCopy(
		steer("another go first on PATH, after a typed baseline", func(r *repo) []string {
			r.ok(r.aw("record", "--kind", "baseline", "--result", "info", "--because", "none", "--summary", "none"))
			return []string{"PATH=" + r.fakeGo(filepath.Join(r.base, "typed")) + ":" + shared.path}
		}),
		steer("another go first on PATH", func(r *repo) []string {
			return []string{"PATH=" + r.fakeGo(filepath.Join(r.base, "fake")) + ":" + shared.path}
		}),
		steer("another go inside the tree", func(r *repo) []string {
			return []string{"PATH=" + r.fakeGo(r.file(".claude/asterweave/fake")) + ":" + shared.path}
		}),
		set("GOFLAGS that run another program", "GOFLAGS=-exec=/bin/true"),
		set("GOFLAGS that run no test", "GOFLAGS=-run=^$"),
		set("GOFLAGS that skip tests", "GOFLAGS=-skip=."),
		set("GOFLAGS that only list", "GOFLAGS=-list=."),
		steer("GOFLAGS with an overlay", func(r *repo) []string {
			r.write(filepath.Join(r.base, "good_test.go"), testsNew)
			overlay := filepath.Join(r.base, "overlay.json")
			r.write(overlay, js(obj{"Replace": obj{r.file("sum_test.go"): filepath.Join(r.base, "good_test.go")}}))
			return []string{"GOFLAGS=-overlay=" + overlay}
		}),
		steer("GOENV with a file", func(r *repo) []string {
			r.write(filepath.Join(r.base, "goenv"), "GOFLAGS=-exec=/bin/true\n")
			return []string{"GOENV=" + filepath.Join(r.base, "goenv")}
		}),
		set("a variable that a makefile may read", "GO=true"),
		set("another home", "HOME=/nonexistent"),
		set("another temporary folder", "TMPDIR=/nonexistent"),
		steer("a workspace above the repository", func(r *repo) []string {
			r.write(filepath.Join(r.base, "go.work"), "go 1.26\n\nuse ./repo\n")
			return nil
		}),
		set("LD_PRELOAD", "LD_PRELOAD=/nonexistent/evil.so"),
		set("BASH_ENV", "BASH_ENV=/nonexistent/evil.sh"),
		set("another toolchain", "GOROOT=/nonexistent", "GOFLAGS=-exec=/bin/true"),
		set("a workspace that replaces the module", "GOWORK=/nonexistent/go.work", "GOFLAGS=-exec=/bin/true"),
	),
		steer("go env -w", goEnv),
		before("go env -w", goEnv),
		before("GOFLAGS that run another program", func(*repo) []string { return []string{"GOFLAGS=-exec=/bin/true"} }),
		before("another go inside the tree", func(r *repo) []string { return []string{"PATH=" + r.fakeGo(r.file(".git/fake")) + ":" + shared.path} }),
	)
}

// fakeGo puts a program named go into dir that prints what the real one would.
func (r *repo) fakeGo(dir string) string {
	r.t.Helper()
	r.write(filepath.Join(dir, "go"), "#!/bin/sh\n"+printed+"\n")
	if err := os.Chmod(filepath.Join(dir, "go"), 0o755); err != nil {
		r.t.Fatal(err)
	}
	return dir
}

// countAttacks run fewer tests, or none.
func countAttacks() []attack {
	tests := func(name, content string) attack {
		return attack{name: name, stage: "tested", exit: 3, shut: []string{"unit-test unit", "integration-test"}, twin: "more tests", do: func(r *repo) answer {
			if content == "" {
				r.remove("sum_test.go")
			} else {
				r.write("sum_test.go", content)
			}
			return r.aw("run", "--gate", "unit")
		}}
	}
	return []attack{
		tests("no test file", ""),
		tests("a test file without a test", "package sum\n"),
		tests("fewer tests than before", testsOld),
		tests("more skipped tests than before", strings.Replace(testsAlso, "if Add(0, 0)", "t.Skip(\"later\")\n\tif Add(0, 0)", 1)),
		tests("tests behind a build tag", "//go:build never\n\n"+testsNew),
		tests("tests that only begin", strings.ReplaceAll(testsNew, "func Test", "func test")),
		tests("a main that runs nothing", "package sum\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n\nfunc TestAdd(t *testing.T) {}\n\nfunc TestZero(t *testing.T) {}\n"),
		tests("every test skipped", strings.ReplaceAll(strings.ReplaceAll(testsNew, "if Add(0, 0)", "t.Skip()\n\tif Add(0, 0)"), "if got", "t.Skip()\n\tif got")),
	}
}
