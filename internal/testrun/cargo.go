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
	var before []string
	for len(rest) > 0 && slices.Contains([]string{"-q", "--quiet", "-v", "-vv", "--verbose", "--locked", "--offline", "--frozen"}, rest[0]) {
		before, rest = append(before, rest[0]), rest[1:]
	}
	if len(rest) == 0 || (rest[0] != "test" && rest[0] != "t") {
		return nil, false
	}
	return append(before, rest[1:]...), true
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
	if values := flagValues(harness, "--format"); len(values) > 0 && !holds(values, "pretty", "terse") {
		r.Opaque = "-- --format replaces the lines that are read"
	}
}

// cargo reads what libtest prints for every test binary and for doc tests:
//
//	     Running unittests src/lib.rs (target/debug/deps/…)
//	running 2 tests
//	test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; …
//
// A result closes a "running" line above it whose number is its sum. Below a "Running"
// header there is one real pair, and tests may print others: the one with the fewest
// executed tests counts, and the real result is the last: a pair that stays open, or a
// result behind the last pair, make the counts of a run with status 0 unknown. Doc
// tests, and any run with -q, have several pairs in a row, never one inside another. A
// target with a harness of its own prints no "running" line, and counts for nothing.
type cargo struct {
	quiet   bool // -q: no headers
	section cargoSection
	n       counts
	odd     bool

	target  string
	listing bool
	test    string // whose output is shown
	said    map[string]string
	waiting bool
	found   []Failure
}

// cargoSection is what was read below a header.
type cargoSection struct {
	kind      string      // "", "binary" or "doc"
	announced map[int]int // binary: how many open pairs have so many tests
	open      int         // doc tests: tests of the open pair, -1 when none is
	fewest    counts
}

func readCargo(args []string, _ Runner) reader {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	_, quiet := hasFlag(args, "-q", "--quiet")
	return &cargo{quiet: quiet, section: cargoSection{open: -1}, said: map[string]string{}}
}

func (c *cargo) line(s string) {
	switch {
	case strings.HasPrefix(s, "     Running "):
		c.begin("binary", strings.TrimPrefix(s, "     Running "))
	case strings.HasPrefix(s, "   Doc-tests "):
		c.begin("doc", strings.TrimPrefix(s, "   Doc-tests "))
	case strings.HasPrefix(s, "running "):
		c.announce(s)
	case strings.HasPrefix(s, "test result: "):
		c.conclude(strings.TrimPrefix(s, "test result: "))
	default:
		c.failing(s)
	}
}

func (c *cargo) begin(kind, target string) {
	c.endSection()
	c.section = cargoSection{kind: kind, announced: map[int]int{}, open: -1}
	target, _, _ = strings.Cut(target, " (")
	c.target = strings.TrimPrefix(target, "unittests ")
	c.listing, c.test, c.waiting = false, "", false
}

// endSection adds up what the section held. One that announced tests and did not
// report them ended early, or its lines were printed by somebody else.
func (c *cargo) endSection() {
	s := c.section
	c.odd = c.odd || s.open >= 0 || len(s.announced) > 0
	if s.kind == "binary" && s.fewest.known {
		c.add(s.fewest)
	}
}

func (c *cargo) add(n counts) {
	c.n.known = true
	c.n.passed += n.passed
	c.n.failed += n.failed
	c.n.skipped += n.skipped
}

// announce reads "running 2 tests".
func (c *cargo) announce(line string) {
	num, word, _ := strings.Cut(strings.TrimPrefix(line, "running "), " ")
	n, ok := number(num)
	s := &c.section
	switch {
	case !ok || (word != "tests" && word != "test"):
	case s.kind == "binary":
		if len(s.announced) < maxCollect {
			s.announced[n]++
		}
	case s.kind == "doc", c.quiet:
		c.odd = c.odd || s.open >= 0
		s.open = n
	}
}

// conclude reads "ok. 1 passed; 0 failed; 1 ignored; 0 measured; …".
func (c *cargo) conclude(text string) {
	_, list, _ := strings.Cut(text, ". ")
	list, _, _ = strings.Cut(list, "; finished in")
	words, ok := tally(list, ";")
	if !ok {
		return
	}
	c.listing = false
	sum := words["passed"] + words["failed"] + words["ignored"] + words["measured"]
	n := counts{passed: words["passed"], failed: words["failed"], skipped: words["ignored"], known: true}
	s := &c.section
	switch {
	case s.kind == "binary":
		if s.announced[sum] == 0 {
			c.odd = c.odd || (s.fewest.known && len(s.announced) == 0)
			return
		}
		if s.announced[sum]--; s.announced[sum] == 0 {
			delete(s.announced, sum)
		}
		if !s.fewest.known || n.executed() < s.fewest.executed() {
			s.fewest = n
		}
	case s.kind == "doc", c.quiet:
		if s.open != sum {
			c.odd = true
			return
		}
		s.open = -1
		c.add(n)
	}
}

func (c *cargo) result(exit int) counts {
	c.endSection()
	c.section = cargoSection{open: -1}
	n := c.n
	if exit == 0 && c.odd {
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
