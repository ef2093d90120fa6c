package testrun

import (
	"slices"
	"strings"
)

// matchCargo matches "cargo test" and "cargo +toolchain test".
func matchCargo(argv []string) ([]string, bool) {
	if program(argv[0]) != "cargo" {
		return nil, false
	}
	rest := argv[1:]
	if len(rest) > 0 && strings.HasPrefix(rest[0], "+") {
		rest = rest[1:]
	}
	for len(rest) > 0 && slices.Contains([]string{"-q", "--quiet", "-v", "-vv", "--verbose", "--locked", "--offline", "--frozen"}, rest[0]) {
		rest = rest[1:]
	}
	if len(rest) == 0 || (rest[0] != "test" && rest[0] != "t") {
		return nil, false
	}
	return rest[1:], true
}

func studyCargo(args []string, r *Runner) {
	own, harness := args, []string(nil)
	if i := slices.Index(args, "--"); i >= 0 {
		own, harness = args[:i], args[i+1:]
	}
	if f, ok := hasFlag(own, "--no-run", "--help", "-h", "--version", "-V", "--unit-graph", "--build-plan"); ok {
		r.None = f + " runs no test"
	}
	if f, ok := hasFlag(harness, "--list", "--help", "-h"); ok {
		r.None = "-- " + f + " runs no test"
	}
	if f, ok := hasFlag(own, "--config"); ok {
		r.Opaque = f + " can put another program in place of the tests"
	}
	if values := flagValues(harness, "--format"); len(values) > 0 && !has(values, "pretty", "terse") {
		r.Opaque = "-- --format replaces the lines that are read"
	}
}

// cargo reads what libtest prints for every test binary and for doc tests:
//
//	     Running unittests src/lib.rs (target/debug/deps/…)
//	running 2 tests
//	test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; …
//
// A result counts when it closes a "running" line and its sum is that line's
// number. Below a "Running" header there is one such pair; what follows it is
// printed by tests. A result that closes nothing, and a pair that is not closed,
// make the counts of a run with status 0 unknown. A target with a harness of its
// own prints no "running" line, and counts for nothing.
type cargo struct {
	n      counts
	header bool // below a header that allows one pair
	target string
	open   int // announced tests of the open pair, -1 when none is open
	pairs  int // closed since the header
	odd    bool

	listing bool
	test    string // whose output is shown
	said    map[string]string
	waiting bool
	found   []Failure
}

func readCargo([]string, Runner) reader { return &cargo{open: -1, said: map[string]string{}} }

func (c *cargo) line(s string) {
	switch {
	case strings.HasPrefix(s, "     Running "), strings.HasPrefix(s, "   Doc-tests "):
		c.endSection()
		c.target, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(s)[len("Running"):], "ts"), " (")
		c.target = strings.TrimPrefix(strings.TrimSpace(c.target), "unittests ")
		c.header = strings.HasPrefix(s, "     Running ")
		c.pairs = 0
	case strings.HasPrefix(s, "running "):
		c.announce(s)
	case strings.HasPrefix(s, "test result: "):
		c.conclude(strings.TrimPrefix(s, "test result: "))
	default:
		c.failing(s)
	}
}

// announce reads "running 2 tests".
func (c *cargo) announce(s string) {
	num, word, _ := strings.Cut(strings.TrimPrefix(s, "running "), " ")
	n, ok := number(num)
	if !ok || (word != "tests" && word != "test") || c.open >= 0 || (c.header && c.pairs > 0) {
		return
	}
	c.open = n
}

// conclude reads "ok. 1 passed; 0 failed; 1 ignored; 0 measured; …".
func (c *cargo) conclude(s string) {
	_, list, _ := strings.Cut(s, ". ")
	list, _, _ = strings.Cut(list, "; finished in")
	words, ok := tally(list, ";")
	if !ok {
		return
	}
	sum := words["passed"] + words["failed"] + words["ignored"] + words["measured"]
	if c.open != sum {
		c.odd = c.odd || (c.open < 0 && !c.header)
		return
	}
	c.n.known = true
	c.n.passed += words["passed"]
	c.n.failed += words["failed"]
	c.n.skipped += words["ignored"]
	c.open = -1
	c.pairs++
	c.listing = false
}

func (c *cargo) endSection() {
	c.odd = c.odd || c.open >= 0
	c.open = -1
	c.listing, c.test, c.waiting = false, "", false
}

func (c *cargo) result(exit int) counts {
	n := c.n
	if exit == 0 && (c.odd || c.open >= 0) {
		n.known = false
	}
	return n
}

// failing reads the sections "---- name stdout ----" and the list "failures:".
func (c *cargo) failing(s string) {
	if name, ok := strings.CutPrefix(s, "---- "); ok {
		name, _, ok = strings.Cut(name, " stdout ----")
		if ok && len(c.said) < maxCollect {
			c.test, c.waiting = name, false
		}
		return
	}
	if s == "failures:" {
		c.listing, c.test = true, ""
		return
	}
	if name, ok := strings.CutPrefix(s, "    "); ok && c.listing && c.test == "" {
		if len(c.found) < maxCollect {
			c.found = append(c.found, Failure{Test: name, Component: c.target, Message: c.said[name]})
		}
		return
	}
	c.message(s)
}

// message reads "thread 'x' panicked at src/lib.rs:22:9:" and the line below it, or
// the older form with the message in quotes.
func (c *cargo) message(s string) {
	if c.test == "" || c.said[c.test] != "" {
		return
	}
	if c.waiting {
		c.said[c.test] = clip(s)
		c.waiting = false
		return
	}
	_, at, ok := strings.Cut(s, "' panicked at ")
	if !ok {
		_, at, ok = strings.Cut(s, " panicked at ")
	}
	switch {
	case ok && strings.HasPrefix(at, "'"):
		text, _, _ := cutLast(at[1:], "', ")
		c.said[c.test] = clip(text)
	case ok && strings.HasSuffix(at, ":"):
		c.waiting = true
	case strings.HasPrefix(s, "error"):
		c.said[c.test] = clip(s)
	}
}

func (c *cargo) failures() []Failure { return c.found }
