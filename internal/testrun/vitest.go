package testrun

import "strings"

func studyVitest(args []string, r *Runner) {
	if f, ok := hasFlag(args, "--help", "-h", "--version", "-v", "--mergeReports", "--merge-reports", "--clearCache"); ok {
		r.None = f + " runs no test"
	}
	if len(args) > 0 {
		switch args[0] {
		case "list", "init":
			r.None = args[0] + " runs no test"
		case "bench":
			r.Opaque = "bench runs benchmarks"
		}
	}
	for _, v := range flagValues(args, "--reporter") {
		switch v {
		case "default", "verbose", "dot", "basic", "tree", "hanging-process", "github-actions":
		default:
			r.Opaque = "--reporter " + v + " replaces the summary that is read; let it write a report file"
		}
	}
	if _, ok := hasFlag(args, "--runner"); ok {
		r.Opaque = "--runner puts another program in place of vitest's own"
	}
}

// vitest reads vitest's summary, whose lines follow each other:
//
//	Test Files  1 failed | 1 passed (2)
//	     Tests  1 failed | 3 passed | 1 skipped | 1 todo (6)
//
// Output of tests goes through vitest, which prints it as it is; see summaries for
// what becomes of printed summaries.
type vitest struct {
	sums   summaries
	header bool

	waiting bool // the next line may be the message of the last failures
	group   int  // index of the first failure that waits
	found   []Failure
}

func readVitest([]string, Runner) reader { return &vitest{} }

func (v *vitest) line(s string) {
	t := strings.TrimSpace(s)
	switch {
	case strings.HasPrefix(t, "Test Files  "):
		v.header = true
		return
	case v.header && strings.HasPrefix(t, "Tests  "):
		if n, ok := vitestCounts(strings.TrimSpace(t[len("Tests"):])); ok {
			v.sums.add(n)
		}
	case v.header && strings.HasPrefix(t, "Snapshots  "):
		return
	case strings.HasPrefix(t, "No test files found, exiting with code 0"):
		v.sums.add(counts{})
	}
	v.header = false
	v.failing(s, t)
}

// vitestCounts reads "1 failed | 3 passed | 1 skipped | 1 todo (6)" and "no tests".
func vitestCounts(s string) (counts, bool) {
	if s == "no tests" {
		return counts{}, true
	}
	list, total, ok := cutLast(s, " (")
	if _, isNum := number(strings.TrimSuffix(total, ")")); !ok || !isNum {
		return counts{}, false
	}
	words, ok := tally(list, "|")
	if !ok {
		return counts{}, false
	}
	return counts{
		passed: words["passed"], failed: words["failed"],
		skipped: words["skipped"] + words["todo"] + words["expected fail"],
	}, true
}

func (v *vitest) failing(s, t string) {
	if title, ok := strings.CutPrefix(s, " FAIL  "); ok {
		if !v.waiting {
			v.group = len(v.found)
		}
		if len(v.found) < maxCollect {
			v.found = append(v.found, vitestFailure(title))
			v.waiting = true
		}
		return
	}
	if !v.waiting || t == "" {
		return
	}
	message, _, _ := strings.Cut(t, " // ")
	for i := v.group; i < len(v.found); i++ {
		v.found[i].Message = clip(message)
	}
	v.waiting = false
}

// vitestFailure reads "|project| src/a.test.js > suite > test" and
// "src/a.test.js [ src/a.test.js ]", a file that could not be loaded.
func vitestFailure(title string) Failure {
	if rest, ok := strings.CutPrefix(title, "|"); ok {
		_, title, _ = strings.Cut(rest, "| ")
	}
	title = strings.TrimSpace(title)
	if file, _, ok := strings.Cut(title, " [ "); ok && strings.HasSuffix(title, " ]") {
		return Failure{Test: file + ": test suite failed to run", Component: file}
	}
	file, name, ok := strings.Cut(title, " > ")
	if !ok {
		return Failure{Test: title, Component: file}
	}
	return Failure{Test: name, Component: file}
}

func (v *vitest) result(exit int) counts { return v.sums.result(exit) }

func (v *vitest) failures() []Failure { return v.found }
