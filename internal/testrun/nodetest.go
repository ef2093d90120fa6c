package testrun

import (
	"path"
	"slices"
	"strings"
)

// nodeValueFlags are node's options whose value is the next argument.
func nodeValueFlags() []string {
	return []string{
		"-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file", "-C", "--conditions",
		"--test-reporter", "--test-reporter-destination", "--test-name-pattern", "--test-skip-pattern",
		"--test-concurrency", "--test-timeout", "--test-shard", "--test-coverage-include", "--test-coverage-exclude",
		"--test-isolation", "--title", "--inspect-port",
	}
}

// matchNode matches node with --test among its own options. After the first
// argument that is no option everything belongs to the script or is a file.
func matchNode(argv []string) ([]string, bool) {
	if program(argv[0]) != "node" {
		return nil, false
	}
	valued := nodeValueFlags()
	for i := 1; i < len(argv); i++ {
		switch a := argv[i]; {
		case a == "--test":
			return argv[1:], true
		case a == "--" || !strings.HasPrefix(a, "-"):
			return nil, false
		case slices.Contains(valued, a):
			i++
		}
	}
	return nil, false
}

func studyNode(args []string, r *Runner) {
	if f, ok := hasFlag(args, "--version", "-v", "--help", "-h", "--check", "-c", "--v8-options", "--completion-bash"); ok {
		r.None = f + " runs no test"
	}
	if f, ok := hasFlag(args, "-e", "--eval", "-p", "--print", "-pe", "-i", "--interactive"); ok {
		r.Opaque = f + " runs a script in place of the tests"
	}
	for _, v := range flagValues(args, "--test-reporter") {
		if v != "tap" && v != "spec" {
			r.Opaque = "--test-reporter " + v + " prints no summary; let it write a report file"
		}
	}
}

// nodeTest reads the summary of node's own runner, eight lines that follow each
// other, with "# " in front in TAP and "ℹ " in the spec reporter:
//
//	# tests 5
//	# suites 1
//	# pass 3
//	# fail 1
//	# cancelled 0
//	# skipped 1
//	# todo 0
//	# duration_ms 290.1
//
// A line that a test prints becomes a "# " line too; see summaries. A file without
// any test is reported as one passing test with the file's name: it is taken off.
type nodeTest struct {
	sums  summaries
	block map[string]int
	step  int
	files int // passing files without a test

	tap  *tapReader
	spec specFailures
}

// nodeSummary is the order of a summary's lines.
func nodeSummary() []string {
	return []string{"tests", "suites", "pass", "fail", "cancelled", "skipped", "todo", "duration_ms"}
}

func readNode([]string, Runner) reader { return &nodeTest{tap: newTAP()} }

func (n *nodeTest) line(s string) {
	if n.summary(s) {
		return
	}
	n.tap.line(s)
	n.spec.line(s)
	if name, ok := strings.CutPrefix(s, "✔ "); ok {
		if name, _, ok = cutLast(name, " ("); ok && isScript(name) {
			n.files++
		}
	}
}

// summary reads one line of a summary; it reports whether the line belongs to one.
func (n *nodeTest) summary(s string) bool {
	body, ok := strings.CutPrefix(s, "# ")
	if !ok {
		body, ok = strings.CutPrefix(s, "ℹ ")
	}
	word, value, isPair := strings.Cut(body, " ")
	order := nodeSummary()
	if ok && isPair && word == order[0] {
		n.step, n.block = 0, map[string]int{}
	}
	if !ok || !isPair || n.step >= len(order) || n.block == nil || word != order[n.step] {
		n.block = nil
		return false
	}
	num, isNum := number(value)
	if !isNum && word != "duration_ms" {
		n.block = nil
		return false
	}
	n.block[word] = num
	if n.step++; n.step < len(order) {
		return true
	}
	n.sums.add(counts{
		passed: n.block["pass"], failed: n.block["fail"] + n.block["cancelled"],
		skipped: n.block["skipped"] + n.block["todo"],
	})
	n.block = nil
	return true
}

func (n *nodeTest) result(exit int) counts {
	c := n.sums.result(exit)
	c.passed = max(0, c.passed-n.files-n.tap.files)
	return c
}

func (n *nodeTest) failures() []Failure {
	if fs := n.tap.failures(); len(fs) > 0 {
		return fs
	}
	return n.spec.found
}

// isScript reports whether a test's name is the path of a script.
func isScript(name string) bool {
	switch path.Ext(name) {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts":
		return strings.ContainsAny(name, `/\`) && !strings.Contains(name, " > ")
	}
	return false
}

// specFailures reads the list with which the spec reporter ends:
//
//	✖ failing tests:
//
//	test at test/refund.test.js:6:3
//	✖ of somebody else's order (2.2ms)
//	  AssertionError [ERR_ASSERTION]: …
type specFailures struct {
	listing   bool
	component string
	waiting   bool
	found     []Failure
}

func (f *specFailures) line(s string) {
	if s == "✖ failing tests:" {
		f.listing = true
		return
	}
	if !f.listing {
		return
	}
	if at, ok := strings.CutPrefix(s, "test at "); ok {
		f.component, _, _ = strings.Cut(at, ":")
		return
	}
	if name, ok := strings.CutPrefix(s, "✖ "); ok {
		if len(f.found) < maxCollect {
			name, _, _ = cutLast(name, " (")
			f.found = append(f.found, Failure{Test: name, Component: f.component})
			f.waiting = true
		}
		return
	}
	if t := strings.TrimSpace(s); f.waiting && t != "" {
		last := &f.found[len(f.found)-1]
		if last.Message == "" && strings.HasSuffix(t, ":") {
			last.Message = t // a heading: what it announces follows
			return
		}
		last.Message = clip(strings.TrimSpace(last.Message + " " + t))
		f.waiting = false
	}
}
