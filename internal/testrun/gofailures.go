package testrun

import "strings"

// goFailures collects failing tests and compile errors from the text that "go
// test" prints, plain or verbose.
type goFailures struct {
	pending []Failure         // of the package that has not ended yet
	done    []Failure         // with their package
	current string            // verbose: the test that prints at the moment
	said    map[string]string // verbose: first message of a test that has not ended
	build   map[string]string // first compile error by package
	header  string            // package whose compile errors follow
	waiting string            // test whose message starts on the next line
	running bool              // below "running tests:" of a timeout
	panics  string
}

func newGoFailures() *goFailures {
	return &goFailures{said: map[string]string{}, build: map[string]string{}}
}

func (g *goFailures) line(s string) {
	if _, pkg, detail, ok := goPackageLine(s); ok {
		g.endPackage(s, pkg, detail)
		return
	}
	for _, mark := range []string{"=== RUN   ", "=== NAME  ", "=== CONT  "} {
		if name, ok := strings.CutPrefix(s, mark); ok {
			g.current, g.waiting = name, ""
			return
		}
	}
	switch status, name, ok := goTestLine(s); {
	case ok && status == "FAIL":
		g.add(Failure{Test: name, Message: g.said[name]})
		g.current, g.waiting = name, ""
		delete(g.said, name)
		return
	case ok:
		delete(g.said, name)
		return
	}
	g.text(s)
}

// text reads a line that is no event.
func (g *goFailures) text(s string) {
	if g.running {
		name, _, ok := strings.Cut(strings.TrimPrefix(s, "\t\t"), " (")
		if ok && strings.HasPrefix(s, "\t\t") {
			g.add(Failure{Test: name, Message: "timeout"})
			return
		}
		g.running = false
	}
	switch {
	case strings.HasPrefix(s, "# "):
		g.header, _, _ = strings.Cut(s[2:], " ")
		g.header = strings.Trim(g.header, "[]") // vet repeats the package in brackets
		return
	case strings.HasPrefix(s, "panic: "):
		g.panicked(s)
		return
	case s == "\trunning tests:":
		g.running = true
		return
	}
	message, ok := goLocation(s)
	switch {
	case ok && s[0] != ' ' && g.header != "":
		if g.build[g.header] == "" && len(g.build) < maxCollect {
			g.build[g.header] = clip(message)
		}
	case ok && s[0] == ' ':
		g.message(message)
	case g.waiting != "":
		g.continued(s)
	}
}

// message notes what a log line says about the test that printed it. The first
// line that speaks of an expectation wins over earlier ones.
func (g *goFailures) message(text string) {
	if g.current == "" {
		return
	}
	old, ok := g.told()
	if strings.TrimSpace(text) == "" {
		g.waiting = g.current
		return
	}
	if !ok || (!speaksOfError(old) && speaksOfError(text)) {
		g.tell(text)
	}
}

// continued looks for the message below a log line that starts with a line end,
// as assertion libraries write it.
func (g *goFailures) continued(s string) {
	t := strings.TrimSpace(s)
	if t == "" || strings.HasPrefix(t, "Error Trace:") || strings.HasSuffix(t, ".go") {
		return
	}
	if after, ok := strings.CutPrefix(t, "Error:"); ok {
		t = strings.TrimSpace(after)
	} else if strings.Contains(t, ".go:") {
		return
	}
	if old, ok := g.told(); t != "" && (!ok || !speaksOfError(old)) {
		g.tell(t)
	}
	g.waiting = ""
}

// told returns the message of the current test.
func (g *goFailures) told() (string, bool) {
	if i := g.find(); i >= 0 {
		return g.pending[i].Message, g.pending[i].Message != ""
	}
	m, ok := g.said[g.current]
	return m, ok
}

func (g *goFailures) tell(text string) {
	if i := g.find(); i >= 0 {
		g.pending[i].Message = clip(text)
	} else if len(g.said) < maxCollect {
		g.said[g.current] = clip(text)
	}
}

// find returns the index of the newest failure if the current test is it, or -1.
func (g *goFailures) find() int {
	if n := len(g.pending) - 1; n >= 0 && g.pending[n].Test == g.current {
		return n
	}
	return -1
}

func (g *goFailures) panicked(s string) {
	text, _, _ := strings.Cut(s, " [recovered")
	if strings.HasPrefix(text, "panic: test timed out") {
		text = "timeout"
	}
	g.panics = text
	if i := g.find(); i >= 0 && g.pending[i].Message == "" {
		g.pending[i].Message = clip(text)
	}
}

func (g *goFailures) add(f Failure) {
	if len(g.pending)+len(g.done) < maxCollect {
		g.pending = append(g.pending, f)
	}
}

// endPackage gives the pending failures their package. A package that failed and
// named no test stands for itself.
func (g *goFailures) endPackage(line, pkg, detail string) {
	failed := strings.HasPrefix(line, "FAIL")
	if failed && len(g.pending) == 0 {
		f := Failure{Test: strings.TrimSpace(pkg + " " + detail), Component: pkg, Message: g.build[pkg]}
		if f.Message == "" {
			f.Message = g.panics
		}
		g.add(f)
	}
	if failed {
		for _, f := range leaves(g.pending) {
			f.Component = pkg
			g.done = append(g.done, f)
		}
	}
	g.pending, g.current, g.waiting, g.panics, g.running = nil, "", "", "", false
	clear(g.said)
}

// list returns the failures seen so far, those of an unfinished package included.
func (g *goFailures) list() []Failure {
	return append(append([]Failure(nil), g.done...), leaves(g.pending)...)
}

// leaves drops tests that failed only because a subtest of theirs is listed too.
func leaves(fs []Failure) []Failure {
	parents := map[string]bool{}
	for _, f := range fs {
		for i, r := range f.Test {
			if r == '/' {
				parents[f.Test[:i]] = true
			}
		}
	}
	var out []Failure
	for _, f := range fs {
		if !parents[f.Test] {
			out = append(out, f)
		}
	}
	return out
}

// goLocation returns the text of "    file_test.go:12: text" and "dir/file.go:12:3: text".
func goLocation(s string) (message string, ok bool) {
	t := strings.TrimLeft(s, " ")
	i := strings.Index(t, ".go:")
	if i <= 0 || strings.ContainsAny(t[:i], " \t") {
		return "", false
	}
	rest := t[i+4:]
	for range 2 {
		num, after, found := strings.Cut(rest, ":")
		if _, isNum := number(num); !found || !isNum {
			break
		}
		rest, ok = after, true
	}
	return strings.TrimSpace(rest), ok
}

// speaksOfError reports whether a line of a log reads like a failed expectation.
func speaksOfError(s string) bool {
	s = strings.ToLower(s)
	for _, w := range []string{
		"expect", "want", "got", "error", "fail", "panic", "mismatch", "not equal", "unexpected", "should", "must", "diff",
	} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
