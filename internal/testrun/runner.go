// Package testrun reads what a test runner reported: how many tests passed,
// failed and were skipped, and which ones failed.
//
// A runner is recognised from argv alone, never from its output, so that a
// program which merely prints like a runner counts for nothing. There is one
// table with one entry a runner. What a run can print to look better than it is,
// and what each reader does about it, is said at the reader.
//
// No reader can protect against the code under test itself: whoever may add test
// code can add an empty test. What the readers guarantee is weaker and enough to
// notice accidents and cheap tricks: text that tests print adds no passes, a run
// of nothing is not a pass, and where the counts cannot be told they are unknown.
//
// The package is pure: it reads bytes and decides, and runs nothing.
package testrun

import "strings"

// Units in which runners count. They are never compared with each other.
const (
	UnitTest    = "test"
	UnitPackage = "package"
)

// Runner is a test runner that was recognised from a command.
type Runner struct {
	Name string // "go test", "pytest", "jest", "vitest", "node:test", "cargo test"
	Unit string // UnitTest or UnitPackage

	// None says why the command, as written, runs no test ("-list only lists
	// tests"); empty when it runs some.
	None string
	// Opaque says why counts printed by the command cannot be believed ("-exec
	// runs another program in place of the tests"); empty when they can.
	Opaque string
}

// entry is one row of the table of runners.
type entry struct {
	name string
	// match returns the runner's own arguments when argv starts the runner.
	match func(argv []string) (args []string, ok bool)
	// study fills in what the arguments say about unit, None and Opaque.
	study func(args []string, r *Runner)
	// reader returns a reader for output that such arguments produce.
	reader func(args []string, r Runner) reader
}

// reader consumes the lines of a run, without colours and line ends.
type reader interface {
	line(s string)
	// result is asked once, after the last line.
	result(exit int) counts
	failures() []Failure
}

// counts is what a reader made out; known is false when nothing could be read.
type counts struct {
	passed, failed, skipped int
	known                   bool
}

func (c counts) executed() int { return c.passed + c.failed }

// table lists the runners.
func table() []entry {
	return []entry{
		{"go test", matchGo, studyGo, readGo},
		{"pytest", matchName("pytest", "py.test"), studyPytest, readPytest},
		{"jest", matchName("jest"), studyJest, readJest},
		{"vitest", matchName("vitest"), studyVitest, readVitest},
		{"node:test", matchNode, studyNode, readNode},
		{"cargo test", matchCargo, studyCargo, readCargo},
	}
}

// Recognise names the runner that argv starts, through wrappers that change
// nothing about what is run (env with harmless variables, npx, python -m). It
// reports false for everything else: shell text, make, npm scripts, and programs
// that only share a runner's name by a path relative to the work tree.
func Recognise(argv []string) (Runner, bool) {
	_, _, r, ok := find(argv)
	return r, ok
}

// find returns the table row for argv, with the runner's own arguments.
func find(argv []string) (entry, []string, Runner, bool) {
	inner, ok := unwrap(argv)
	if !ok {
		return entry{}, nil, Runner{}, false
	}
	for _, e := range table() {
		args, ok := e.match(inner)
		if !ok {
			continue
		}
		r := Runner{Name: e.name, Unit: UnitTest}
		e.study(args, &r)
		return e, args, r, true
	}
	return entry{}, nil, Runner{}, false
}

// matchName matches a program by its name.
func matchName(names ...string) func([]string) ([]string, bool) {
	return func(argv []string) ([]string, bool) {
		base := program(argv[0])
		for _, n := range names {
			if base == n {
				return argv[1:], true
			}
		}
		return nil, false
	}
}

// hasFlag reports whether args hold one of the flags, alone or with "=value".
// Arguments after "--" belong to somebody else.
func hasFlag(args []string, flags ...string) (string, bool) {
	for _, a := range args {
		if a == "--" {
			return "", false
		}
		name, _, _ := strings.Cut(a, "=")
		for _, f := range flags {
			if name == f {
				return f, true
			}
		}
	}
	return "", false
}

// flagValues returns the values of a flag, written "flag value" or "flag=value".
func flagValues(args []string, flag string) []string {
	var out []string
	for i, a := range args {
		if a == flag && i+1 < len(args) {
			out = append(out, args[i+1])
		} else if v, ok := strings.CutPrefix(a, flag+"="); ok {
			out = append(out, v)
		}
	}
	return out
}
