package testrun

import (
	"slices"
	"strings"
)

func studyJest(args []string, r *Runner) {
	if f, ok := hasFlag(args, "--listTests", "--showConfig", "--version", "-v", "--help", "-h", "--init", "--clearCache"); ok {
		r.None = f + " runs no test"
	}
	if f, ok := hasFlag(args, "--testRunner", "--runner"); ok {
		r.Opaque = f + " puts another program in place of jest's own"
	}
	if values := flagValues(args, "--reporters"); len(values) > 0 && !holds(values, "default", "summary") {
		r.Opaque = "--reporters replaces the reporter whose summary is read"
	}
}

// holds reports whether one of the wanted values is there.
func holds(values []string, wanted ...string) bool {
	return slices.ContainsFunc(values, func(v string) bool { return slices.Contains(wanted, v) })
}

// jest reads jest's summary, which is three lines that follow each other:
//
//	Test Suites: 1 failed, 1 passed, 2 total
//	Tests:       1 failed, 1 skipped, 1 todo, 3 passed, 6 total
//	Snapshots:   0 total
//
// What console.log prints is indented; process.stdout.write prints as it likes.
// See summaries for what becomes of printed summaries.
type jest struct {
	sums    summaries
	step    int // lines of a summary seen so far
	pending counts

	file    string // of the latest PASS or FAIL line
	name    string // of the failing test whose message is awaited
	matcher string
	found   []Failure
}

func readJest([]string, Runner) reader { return &jest{} }

func (j *jest) line(s string) {
	switch {
	case strings.HasPrefix(s, "Test Suites: "):
		j.step = 1
		return
	case j.step == 1 && strings.HasPrefix(s, "Tests: "):
		n, ok := jestCounts(strings.TrimPrefix(s, "Tests: "))
		if j.step = 0; ok {
			j.pending, j.step = n, 2
		}
		return
	case j.step == 2 && strings.HasPrefix(s, "Snapshots: "):
		j.sums.add(j.pending)
	case strings.HasPrefix(s, "No tests found, exiting with code 0"):
		j.sums.add(counts{})
	}
	j.step = 0
	j.failing(s)
}

// jestCounts reads "1 failed, 3 passed, 4 total".
func jestCounts(s string) (counts, bool) {
	words, ok := tally(s, ",")
	if !ok {
		return counts{}, false
	}
	return counts{
		passed: words["passed"], failed: words["failed"],
		skipped: words["skipped"] + words["todo"] + words["pending"],
	}, true
}

func (j *jest) failing(s string) {
	trimmed := strings.TrimSpace(s)
	if verdict, file, ok := strings.Cut(trimmed, " "); ok && (verdict == "FAIL" || verdict == "PASS") {
		j.file, _, _ = strings.Cut(strings.TrimSpace(file), " (")
		j.name = ""
		return
	}
	if title, ok := strings.CutPrefix(s, "  ● "); ok {
		j.begin(strings.TrimSpace(title))
		return
	}
	if j.name == "" || trimmed == "" || len(j.found) == 0 {
		return
	}
	last := &j.found[len(j.found)-1]
	switch {
	case last.Message == "":
		last.Message = clip(trimmed)
		j.matcher, _ = jestMatcher(trimmed)
	case j.matcher != "" && strings.HasPrefix(trimmed, "Expected"):
		last.Message = clip(j.matcher + " " + trimmed)
		j.name = ""
	case strings.HasPrefix(trimmed, "SyntaxError:") && strings.HasPrefix(last.Message, "Jest encountered"):
		last.Message = clip(trimmed)
		j.name = ""
	}
}

// begin starts a failing test, or leaves it at a title that is none.
func (j *jest) begin(title string) {
	j.name, j.matcher = "", ""
	switch {
	case title == "Console", strings.HasPrefix(title, "Cannot log after tests are done"):
		return
	case title == "Test suite failed to run":
		title = j.file + ": test suite failed to run"
	}
	if len(j.found) < maxCollect {
		j.name = title
		j.found = append(j.found, Failure{Test: title, Component: j.file})
	}
}

// jestMatcher finds "toBe" in "expect(received).toBe(expected) // Object.is equality".
func jestMatcher(s string) (string, bool) {
	if !strings.HasPrefix(s, "expect(") {
		return "", false
	}
	_, rest, ok := strings.Cut(s, ").")
	name, _, call := strings.Cut(rest, "(")
	return name, ok && call
}

func (j *jest) result(exit int) counts { return j.sums.result(exit) }

func (j *jest) failures() []Failure { return j.found }
