package testrun

import (
	"slices"
	"strings"
)

// goFlags are the flags of "go test" with their last value; "-test.run" is "run".
type goFlags struct {
	set      map[string]string
	packages int      // arguments that are no flags
	passed   []string // arguments handed to the test binary as they are
}

// goValueFlags are the flags whose value is the next argument.
func goValueFlags() []string {
	return []string{
		"C", "asmflags", "bench", "benchtime", "blockprofile", "blockprofilerate", "buildmode", "compiler",
		"count", "covermode", "coverpkg", "coverprofile", "cpu", "cpuprofile", "exec", "fuzz", "fuzzminimizetime",
		"fuzztime", "gccgoflags", "gcflags", "installsuffix", "ldflags", "list", "memprofile", "memprofilerate",
		"mod", "modfile", "mutexprofile", "mutexprofilefraction", "o", "outputdir", "overlay", "p", "parallel",
		"pgo", "pkgdir", "run", "shuffle", "skip", "tags", "timeout", "toolexec", "trace", "vet",
	}
}

func parseGoFlags(args []string) goFlags {
	f := goFlags{set: map[string]string{}}
	valued := goValueFlags()
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "-args" || a == "--args" {
			f.passed = args[i+1:]
			break
		}
		if !strings.HasPrefix(a, "-") || a == "-" {
			f.packages++
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		name = strings.TrimPrefix(name, "test.")
		if !hasValue {
			value = "true"
			if slices.Contains(valued, name) && i+1 < len(args) {
				i++
				value = args[i]
			}
		}
		f.set[name] = value
	}
	return f
}

// on reports whether a boolean flag is set.
func (f goFlags) on(name string) bool {
	v, ok := f.set[name]
	return ok && v != "false" && v != "0" && v != "f" && v != "F" && v != "FALSE" && v != "False"
}

// has reports whether a flag has a value that is not empty.
func (f goFlags) has(name string) bool { return f.set[name] != "" }

// matchGo matches "go test" and "go -C dir test".
func matchGo(argv []string) ([]string, bool) {
	if program(argv[0]) != "go" {
		return nil, false
	}
	rest := argv[1:]
	if len(rest) > 1 && rest[0] == "-C" {
		rest = rest[2:]
	} else if len(rest) > 0 && strings.HasPrefix(rest[0], "-C=") {
		rest = rest[1:]
	}
	if len(rest) == 0 || rest[0] != "test" {
		return nil, false
	}
	return rest[1:], true
}

func studyGo(args []string, r *Runner) {
	f := parseGoFlags(args)
	if !f.on("v") && !f.on("json") {
		r.Unit = UnitPackage
	}
	switch run := f.set["run"]; {
	case f.on("c"):
		r.None = "-c compiles the tests and does not run them"
	case f.on("n"):
		r.None = "-n prints commands and runs none"
	case f.has("list"):
		r.None = "-list lists tests and runs none"
	case f.on("h"), f.on("help"):
		r.None = "-help prints help and runs no test"
	case f.set["count"] == "0":
		r.None = "-count=0 runs no test"
	case run == "^$", run == "$^", run == "^\\b$":
		r.None = "-run " + run + " matches no test"
	}
	switch {
	case f.has("exec"):
		r.Opaque = "-exec runs another program in place of the tests"
	case f.has("toolexec"):
		r.Opaque = "-toolexec puts another program in front of the compiler"
	case f.has("vettool"):
		r.Opaque = "-vettool runs another program"
	case r.Unit == UnitPackage && (f.has("bench") || f.has("fuzz")):
		r.Opaque = "with -bench or -fuzz a package without tests prints ok; use -v or -json"
	}
	for _, a := range f.passed {
		if name, bad := goPassed(a); bad {
			r.Opaque = "-args " + name + " is for the test binary and changes what it runs"
		}
	}
}

// goPassed reports arguments of the test binary that make it do something other
// than running its tests. The go command does not look at them, and prints ok.
func goPassed(arg string) (string, bool) {
	if !strings.HasPrefix(arg, "-") {
		return "", false
	}
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	if name == "h" || name == "help" {
		return arg, true
	}
	short, isTest := strings.CutPrefix(name, "test.")
	if !isTest {
		return "", false
	}
	harmless := []string{"short", "timeout", "cpu", "parallel", "shuffle", "failfast", "benchmem", "fullpath"}
	return arg, !slices.Contains(harmless, short)
}

func readGo(args []string, r Runner) reader {
	f := parseGoFlags(args)
	switch {
	case f.on("json"):
		return newGoJSON()
	case r.Unit == UnitTest:
		return newGoVerbose()
	}
	return newGoPlain(f.packages == 0)
}

// goPackageLine reads the line with which the go command ends a package:
//
//	ok  <tab>pkg<tab>0.01s        ok  <tab>pkg<tab>(cached)
//	?   <tab>pkg<tab>[no test files]
//	FAIL<tab>pkg<tab>0.01s        FAIL<tab>pkg [build failed]
//	<tab>pkg<tab><tab>coverage: 0.0% of statements
//
// status is "pass", "fail" or "none"; detail is what stands in brackets.
func goPackageLine(s string) (status, pkg, detail string, ok bool) {
	head, rest, isTab := strings.Cut(s, "\t")
	if !isTab {
		return "", "", "", false
	}
	switch head {
	case "ok  ":
		status = "pass"
	case "FAIL":
		status = "fail"
	case "?   ":
		status = "none"
	case "":
		if !strings.Contains(rest, "\tcoverage: 0.0% of statements") {
			return "", "", "", false
		}
		status = "none"
	default:
		return "", "", "", false
	}
	end := strings.IndexAny(rest, "\t ")
	if end <= 0 {
		return "", "", "", false
	}
	pkg, rest = rest[:end], rest[end:]
	if i := strings.LastIndexByte(rest, '['); i >= 0 && strings.HasSuffix(rest, "]") {
		detail = rest[i:]
	}
	if status == "pass" && (detail == "[no tests to run]" || detail == "[no test files]") {
		status = "none"
	}
	return status, pkg, detail, true
}

// goPlain reads "go test" without -v and -json. The unit is the package.
//
// With packages named, the go command swallows what passing packages print, so
// every line of a run with status 0 is its own. Without (the current folder's
// package), tests print straight through: then there is one package, and its line
// is the last. A package whose TestMain exits before it runs anything prints ok
// like any other; only -v and -json show that.
type goPlain struct {
	local    bool
	packages map[string]string // status by package, the worst that was printed
	fails    *goFailures
}

func newGoPlain(local bool) *goPlain {
	return &goPlain{local: local, packages: map[string]string{}, fails: newGoFailures()}
}

func (g *goPlain) line(s string) {
	g.fails.line(s)
	status, pkg, _, ok := goPackageLine(s)
	if !ok {
		return
	}
	if g.local {
		clear(g.packages)
	}
	rank := map[string]int{"": 0, "pass": 1, "none": 2, "fail": 3}
	if rank[status] > rank[g.packages[pkg]] && (len(g.packages) < maxNames || g.packages[pkg] != "") {
		g.packages[pkg] = status
	}
}

func (g *goPlain) result(int) counts {
	c := counts{known: len(g.packages) > 0 && len(g.packages) < maxNames}
	for _, status := range g.packages {
		switch status {
		case "pass":
			c.passed++
		case "fail":
			c.failed++
		}
	}
	return c
}

func (g *goPlain) failures() []Failure { return g.fails.list() }

// goVerbose reads "go test -v". The unit is the test, subtests included.
//
// Here tests print straight through, and a line that they end without a line end
// is joined with the next one of the framework. A result counts when the test was
// started and has not ended; lines that belong to a log, which are indented, do
// not start one. Whoever prints both lines on purpose could as well have added an
// empty test.
type goVerbose struct {
	open     map[string]int
	n        counts
	overflow bool
	fails    *goFailures
}

func newGoVerbose() *goVerbose {
	return &goVerbose{open: map[string]int{}, fails: newGoFailures()}
}

// maxNames bounds how many test or package names are remembered; a run with more
// has unknown counts.
const maxNames = 500_000

func (g *goVerbose) line(s string) {
	s = strings.TrimPrefix(s, "\x16") // marker that -v=test2json puts in front
	g.fails.line(s)
	if _, _, _, ok := goPackageLine(s); ok {
		g.n.known = true
		return
	}
	if name, ok := strings.CutPrefix(s, "=== RUN   "); ok {
		g.start(name)
		return
	}
	if s != "" && s[0] != ' ' {
		if _, name, ok := strings.Cut(s, "=== RUN   "); ok {
			g.start(name)
			return
		}
	}
	status, name, ok := goTestLine(s)
	if !ok || g.open[name] == 0 {
		return
	}
	if g.open[name]--; g.open[name] == 0 {
		delete(g.open, name)
	}
	switch status {
	case "PASS":
		g.n.passed++
	case "FAIL":
		g.n.failed++
	case "SKIP":
		g.n.skipped++
	}
}

func (g *goVerbose) start(name string) {
	if len(g.open) >= maxNames {
		g.overflow = true
		return
	}
	g.open[name]++
}

func (g *goVerbose) result(int) counts {
	c := g.n
	c.known = c.known && !g.overflow
	return c
}

func (g *goVerbose) failures() []Failure { return g.fails.list() }

// goTestLine reads "--- FAIL: TestX/sub (0.00s)", indented by depth or joined to
// text that the test printed without a line end.
func goTestLine(s string) (status, name string, ok bool) {
	body := strings.TrimLeft(s, " ")
	if !strings.HasPrefix(body, "--- ") {
		if body != s {
			return "", "", false
		}
		i := strings.LastIndex(s, "--- ")
		if i < 0 {
			return "", "", false
		}
		body = s[i:]
	}
	for _, status := range []string{"PASS", "FAIL", "SKIP"} {
		rest, is := strings.CutPrefix(body, "--- "+status+": ")
		if !is {
			continue
		}
		name, took, found := strings.Cut(rest, " (")
		if !found || !strings.HasSuffix(took, "s)") {
			return "", "", false
		}
		return status, name, true
	}
	return "", "", false
}
