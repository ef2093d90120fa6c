// Package signature names failures so that the same failure has the same name.
//
// A signature is "kind/check/error", such as "unit-test/TestRefund/expected-403":
// the evidence kind, the failing tests or what stands for them, and the error
// without everything that changes from run to run. Where the check does not say
// which package, file or target it belongs to and the run had several, a fourth
// part does. Signatures are made of letters, digits, dots, hyphens, plus signs and
// underscores between their slashes, and are at most MaxLen bytes long.
//
// The package is pure.
package signature

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/testrun"
)

// MaxLen is the most bytes of a signature.
const MaxLen = 160

// Most bytes of the parts: with three slashes they add up to less than MaxLen.
const (
	maxKind      = 24
	maxCheck     = 64
	maxError     = 40
	maxComponent = 28
)

// Exit statuses of a command that could not be started. A negative status and no
// output stand for the same.
const (
	notExecutable = 126
	notFound      = 127
)

// Compute names the failure of a run: kind is its evidence kind, gate the id of its
// gate ("" for none), output what it wrote, capped or not. It does not depend on
// the order in which tests that run side by side fail, nor on times, durations,
// addresses, ports, process and run ids, temporary and absolute folders, or line
// numbers. A timeout is named for its gate; a command that could not start, for
// its program; a run with exit status 0 that was no pass, for that.
func Compute(kind, gate string, argv []string, exit int, timedOut bool, output []byte) string {
	sc := newScrubber()
	kind = slug(cmp.Or(kind, "run"), maxKind)
	check := gate
	if check == "" {
		check = programOf(argv)
	}
	switch {
	case timedOut:
		return join(kind, slug(check, maxCheck), "timeout")
	case exit == notExecutable, exit == notFound, exit < 0 && len(output) == 0:
		return join(kind, slug(check, maxCheck), "could-not-start", slug(programOf(argv), maxComponent))
	}
	if fs := sc.failures(argv, output); len(fs) > 0 {
		return sc.tests(kind, argv, fs, output)
	}
	if exit == 0 {
		return join(kind, slug(check, maxCheck), refused(argv, output))
	}
	at, text := sc.firstError(output)
	return join(kind, slug(check, maxCheck), cmp.Or(sc.errorPart(text), ended(exit)), slug(at, maxComponent))
}

// refused says why a run that ended with status 0 was no pass.
func refused(argv []string, output []byte) string {
	switch t := testrun.Count(argv, 0, output); {
	case !t.Known:
		return "unknown-counts"
	case t.Executed() == 0:
		return "no-test-ran"
	}
	return "fewer-tests-or-more-skipped"
}

// ended says how a run ended that wrote nothing of use.
func ended(exit int) string {
	switch {
	case exit < 0:
		return "killed"
	case exit > 128 && exit < 128+65:
		return fmt.Sprintf("signal-%d", exit-128)
	}
	return fmt.Sprintf("exit-%d", exit)
}

// failures reads the failing tests, with names that do not depend on the run.
func (sc scrubber) failures(argv []string, output []byte) []testrun.Failure {
	fs := testrun.Failures(argv, output)
	for i, f := range fs {
		fs[i].Test = cmp.Or(sc.steady(f.Test), "unnamed")
		fs[i].Component = sc.component(f.Component)
	}
	slices.SortStableFunc(fs, func(a, b testrun.Failure) int {
		return cmp.Or(strings.Compare(a.Test, b.Test), strings.Compare(a.Component, b.Component))
	})
	return fs
}

// tests names a run by its failing tests: all of them by name where they fit, else
// the first with a digest of all. The error is that of the first.
func (sc scrubber) tests(kind string, argv []string, fs []testrun.Failure, output []byte) string {
	var all, short []string
	for _, f := range fs {
		all = append(all, f.Component+"\x00"+f.Test)
		short = append(short, slug(checkName(f), maxCheck))
	}
	short = slices.Compact(short)
	check := strings.Join(short, "+")
	if len(check) > maxCheck || len(short) > 4 {
		tail := fmt.Sprintf("+%d-more-%s", len(fs)-1, digest(strings.Join(all, "\x01"), 8))
		check = slug(checkName(fs[0]), maxCheck-len(tail)) + tail
	}
	text := fs[0].Message
	if text == "" {
		_, text = sc.firstError(output)
	}
	return join(kind, check, cmp.Or(sc.errorPart(text), "failed"), componentPart(argv, fs, output))
}

// componentPart is the component where the check alone would not tell it: when all
// failures share one and the run had more than that.
func componentPart(argv []string, fs []testrun.Failure, output []byte) string {
	first := fs[0].Component
	if first == "" || strings.Contains(checkName(fs[0]), path.Base(first)) {
		return ""
	}
	r, _ := testrun.Recognise(argv)
	if r.Name == "go test" && goPackages(output) < 2 {
		return ""
	}
	for _, f := range fs {
		if f.Component != first {
			return ""
		}
	}
	return slug(path.Base(first), maxComponent)
}

// goPackages counts the packages that the go command reported on, up to two.
func goPackages(output []byte) int {
	seen := map[string]bool{}
	for line := range strings.Lines(string(output)) {
		f := strings.Fields(line)
		if len(f) > 1 && (f[0] == "ok" || f[0] == "FAIL" || f[0] == "?") {
			seen[f[1]] = true
		} else if _, rest, ok := strings.Cut(line, `"Package":"`); ok && strings.HasPrefix(line, "{") {
			name, _, _ := strings.Cut(rest, `"`)
			seen[name] = true
		}
		if len(seen) > 1 {
			return 2
		}
	}
	return len(seen)
}

// checkName is a failing test's name without the folders of its file: a package
// that could not be built has its last element, a pytest id its own part.
func checkName(f testrun.Failure) string {
	name := f.Test
	switch {
	case f.Component != "" && name != f.Component && strings.HasPrefix(name, f.Component+"::"):
		return name[len(f.Component)+2:]
	case f.Component != "" && strings.HasPrefix(name, f.Component):
		return path.Base(f.Component) + name[len(f.Component):]
	}
	return name
}

func programOf(argv []string) string {
	if len(argv) == 0 {
		return "command"
	}
	if len(argv) == 5 && argv[0] == "bash" && argv[3] == "-c" {
		return "shell"
	}
	return path.Base(strings.ReplaceAll(argv[0], `\`, "/"))
}

// join puts the parts that are not empty together.
func join(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return strings.Join(parts, "/")
}
