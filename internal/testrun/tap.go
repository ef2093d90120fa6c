package testrun

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
)

// FromTAP counts a report in the Test Anything Protocol (version 12 to 14). The
// unit is the test: points that have no subtests. Points that were skipped or are
// to do count as skipped; planned points that are missing count as failed, and so
// does a bail-out. It is an error when the report has no plan, since then nobody
// can tell whether it is complete.
func FromTAP(data []byte) (evidence.Tests, error) {
	t := newTAP()
	for line := range bytes.Lines(data) {
		t.line(strings.TrimRight(StripANSI(string(line)), "\r\n"))
	}
	out := evidence.Tests{Runner: "tap", Unit: UnitTest}
	if !t.planned {
		return out, errors.New("tap report has no plan")
	}
	c := t.result(0)
	out.Passed, out.Failed, out.Skipped, out.Known = c.passed-t.files, c.failed, c.skipped, true
	out.Failing = names(t.failures())
	return out, nil
}

// tapReader reads TAP, with subtests that are indented before their parent (node,
// TAP 14) or in braces after it (vitest).
type tapReader struct {
	n       counts
	planned bool
	want    int // points that the outermost plan announced
	points  int // outermost points
	bailed  string
	files   int // passing points that are nothing but a script's path

	depth  int         // indentation of the latest point
	path   []string    // names announced by "# Subtest: "
	latest *Failure    // failing point that may still get a message
	block  string      // indentation of a YAML block, "" outside
	inYAML bool        // inside a YAML block
	fold   bool        // the next YAML lines are the error's text
	open   []tapParent // parents in braces
	found  []Failure
}

// tapParent is a point followed by "{".
type tapParent struct {
	name   string
	failed bool
	inner  int // failures before it
}

func newTAP() *tapReader { return &tapReader{} }

func (t *tapReader) line(s string) {
	body := strings.TrimLeft(s, " \t")
	indent := len(s) - len(body)
	switch {
	case t.inYAML:
		t.yaml(s, body)
	case body == "---" && indent >= 2:
		t.inYAML, t.block, t.fold = true, s[:indent], false
	case strings.HasPrefix(body, "# Subtest: "):
		t.path = append(t.path[:min(len(t.path), indent/4)], strings.TrimPrefix(body, "# Subtest: "))
	case body == "}" && len(t.open) > 0:
		t.close(indent)
	case strings.HasPrefix(body, "Bail out!"):
		t.bailed = strings.TrimSpace(strings.TrimPrefix(body, "Bail out!"))
		if t.bailed == "" {
			t.bailed = "bail out"
		}
	case strings.HasPrefix(body, "1.."):
		t.plan(body, indent)
	default:
		t.point(body, indent)
	}
}

// plan reads "1..4"; only the outermost says what the report has to hold.
func (t *tapReader) plan(body string, indent int) {
	num, _, _ := strings.Cut(strings.TrimPrefix(body, "1.."), " ")
	if n, ok := number(num); ok && indent == 0 && len(t.open) == 0 {
		t.planned, t.want = true, n
	}
}

// point reads "ok 1 - name # SKIP why" and "not ok 2 - name".
func (t *tapReader) point(body string, indent int) {
	failed := false
	rest, ok := strings.CutPrefix(body, "ok")
	if !ok {
		if rest, ok = strings.CutPrefix(body, "not ok"); !ok {
			return
		}
		failed = true
	}
	if rest != "" && rest[0] != ' ' {
		return
	}
	if indent == 0 && len(t.open) == 0 {
		t.points++
	}
	rest, brace := strings.CutSuffix(strings.TrimSpace(rest), "{")
	name, directive := tapName(rest)
	if brace {
		t.open = append(t.open, tapParent{name: name, failed: failed, inner: len(t.found)})
		return
	}
	parent := indent < t.depth
	t.depth = indent
	t.count(name, directive, failed, parent, indent)
	t.path = t.path[:min(len(t.path), indent/4)] // announced ones that have ended
}

// count adds a point. Parents of subtests are no tests of their own, but one that
// fails while none of its subtests did is listed.
func (t *tapReader) count(name, directive string, failed, parent bool, indent int) {
	skipped := strings.HasPrefix(directive, "SKIP")
	todo := strings.HasPrefix(directive, "TODO")
	level := indent / 4
	full := name
	if level > 0 && level <= len(t.path) {
		full = strings.Join(append(append([]string(nil), t.path[:level]...), name), " > ")
	} else if len(t.open) > 0 {
		var parts []string
		for _, p := range t.open {
			parts = append(parts, p.name)
		}
		full = strings.Join(append(parts, name), " > ")
	}
	t.latest = nil
	switch {
	case parent:
		if failed && !skipped && !todo && !t.failedBelow(full) {
			t.fail(full)
		}
	case skipped || todo:
		t.n.skipped++
	case failed:
		t.n.failed++
		t.fail(full)
	default:
		t.n.passed++
		if isScript(name) {
			t.files++
		}
	}
}

func (t *tapReader) failedBelow(parent string) bool {
	for i := len(t.found) - 1; i >= 0; i-- {
		if strings.HasPrefix(t.found[i].Test, parent+" > ") {
			return true
		}
	}
	return false
}

func (t *tapReader) fail(name string) {
	if len(t.found) < maxCollect {
		t.found = append(t.found, Failure{Test: name})
		t.latest = &t.found[len(t.found)-1]
	}
}

// close ends a parent in braces.
func (t *tapReader) close(indent int) {
	t.depth = indent
	last := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	if last.failed && len(t.found) == last.inner {
		t.fail(last.name)
	}
}

// yaml reads the block below a point, of which the error and the location matter.
func (t *tapReader) yaml(s, body string) {
	if body == "..." && strings.HasPrefix(s, t.block) && len(s)-len(body) == len(t.block) {
		t.inYAML, t.fold = false, false
		return
	}
	if t.latest == nil {
		return
	}
	if t.fold {
		if text := strings.TrimSpace(body); text != "" {
			if t.latest.Message != "" {
				text = t.latest.Message + " " + text
			}
			t.latest.Message = clip(text)
			t.fold = strings.HasSuffix(text, ":")
		}
		return
	}
	key, value, ok := strings.Cut(body, ": ")
	if !ok {
		return
	}
	value = strings.Trim(strings.TrimSpace(value), `'"`)
	switch key {
	case "location", "file", "at":
		if t.latest.Component == "" {
			t.latest.Component = tapFile(value)
		}
	case "error", "message":
		if strings.HasPrefix(value, "|") || strings.HasPrefix(value, ">") {
			t.fold = true
		} else if t.latest.Message == "" {
			t.latest.Message = clip(value)
		}
	}
}

// tapFile takes line and column off "/path/file.js:6:3".
func tapFile(s string) string {
	for range 2 {
		before, after, ok := cutLast(s, ":")
		if _, isNum := number(after); !ok || !isNum {
			break
		}
		s = before
	}
	return s
}

// tapName splits " 3 - name # SKIP why" into name and directive. A number sign
// that is escaped belongs to the name.
func tapName(s string) (name, directive string) {
	s = strings.TrimSpace(s)
	if num, rest, _ := strings.Cut(s, " "); num != "" {
		if _, isNum := number(num); isNum {
			s = strings.TrimSpace(rest)
		}
	}
	s = strings.TrimSpace(strings.TrimPrefix(s, "- "))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '#' && (i == 0 || s[i-1] == ' '):
			return strings.TrimSpace(s[:i]), strings.ToUpper(strings.TrimSpace(s[i+1:]))
		}
	}
	return s, ""
}

func (t *tapReader) result(int) counts {
	c := t.n
	c.known = t.planned
	if t.want > t.points {
		c.failed += t.want - t.points
	}
	if t.bailed != "" {
		c.failed++
	}
	return c
}

func (t *tapReader) failures() []Failure {
	out := append([]Failure(nil), t.found...)
	if t.planned && t.want != t.points {
		out = append(out, Failure{Test: fmt.Sprintf("plan: %d points announced, %d seen", t.want, t.points)})
	}
	if t.bailed != "" {
		out = append(out, Failure{Test: "bail out: " + clip(t.bailed)})
	}
	return out
}
