package testrun

import "strings"

func studyPytest(args []string, r *Runner) {
	if f, ok := hasFlag(args, "--collect-only", "--collectonly", "--co", "--setup-plan", "--setupplan",
		"--setup-only", "--setuponly", "--fixtures", "--funcargs", "--fixtures-per-test", "--markers",
		"--help", "-h", "--version", "-V", "--cache-show"); ok {
		r.None = f + " runs no test"
	}
}

// pytest reads pytest's last line:
//
//	===== 1 failed, 3 passed, 1 skipped, 1 xfailed in 0.02s =====
//	3 passed in 0.01s                    (with -q)
//	===== no tests ran in 0.00s =====
//
// Expected failures count as skipped, since marking a failing test so must not
// hide it; unexpected passes as passed; errors in fixtures and in collection as
// failed. With -qq there is no such line, and the counts are unknown.
//
// What tests print is swallowed, except with -s and from exit handlers; see
// summaries for what becomes of printed summary lines.
type pytest struct {
	sums     summaries
	short    []Failure         // FAILED and ERROR lines
	messages map[string]string // first "E" line by the heading of its section
	heading  string
	inErrors bool
}

func readPytest([]string, Runner) reader { return &pytest{messages: map[string]string{}} }

func (p *pytest) line(s string) {
	if n, ok := pytestSummary(s); ok {
		p.sums.add(n)
		return
	}
	switch {
	case strings.HasPrefix(s, "FAILED "), strings.HasPrefix(s, "ERROR "):
		if id, message, ok := pytestShort(s[strings.IndexByte(s, ' ')+1:]); ok && len(p.short) < maxCollect {
			p.short = append(p.short, Failure{Test: id, Message: message})
		}
	case strings.HasPrefix(s, "===") && strings.HasSuffix(s, "==="):
		title := strings.Trim(s, "= ")
		p.inErrors, p.heading = title == "FAILURES" || title == "ERRORS", ""
	case p.inErrors && strings.HasPrefix(s, "_") && strings.HasSuffix(s, "_"):
		p.heading = strings.Trim(s, "_ ")
	case p.inErrors && p.heading != "" && strings.HasPrefix(s, "E  "):
		if p.messages[p.heading] == "" && len(p.messages) < maxCollect {
			p.messages[p.heading] = clip(s[1:])
		}
	}
}

func (p *pytest) result(exit int) counts { return p.sums.result(exit) }

// failures names tests as the short summary does, "tests/test_a.py::test_b[c]".
// Where it is switched off, the headings of the sections have to do.
func (p *pytest) failures() []Failure {
	var out []Failure
	for _, f := range p.short {
		f.Component, _, _ = strings.Cut(f.Test, "::")
		for _, h := range pytestHeadings(f.Test) {
			if m := p.messages[h]; m != "" {
				f.Message = m
			}
		}
		out = append(out, f)
	}
	if len(out) > 0 {
		return out
	}
	for h, m := range p.messages {
		out = append(out, Failure{Test: h, Message: m})
	}
	return out
}

// pytestHeadings returns the headings that sections of a test id may have.
func pytestHeadings(id string) []string {
	file, rest, isTest := strings.Cut(id, "::")
	if !isTest {
		return []string{"ERROR collecting " + file}
	}
	name := strings.ReplaceAll(rest, "::", ".")
	return []string{name, "ERROR at setup of " + name, "ERROR at teardown of " + name}
}

// pytestShort splits "tests/test_a.py::test_b[x - y] - message". A bracket that is
// open holds the separator back.
func pytestShort(s string) (id, message string, ok bool) {
	id = s
	for at := 0; ; {
		i := strings.Index(s[at:], " - ")
		if i < 0 {
			break
		}
		at += i
		if strings.Count(s[:at], "[") <= strings.Count(s[:at], "]") {
			id, message = s[:at], s[at+3:]
			break
		}
		at += 3
	}
	file, _, _ := strings.Cut(id, "::")
	return strings.TrimSpace(id), clip(message), strings.Contains(file, ".") || strings.Contains(id, "::")
}

// pytestSummary reads a summary line.
func pytestSummary(s string) (counts, bool) {
	body := strings.Trim(s, "= ")
	list, took, ok := cutLast(body, " in ")
	if !ok || !pytestDuration(took) {
		return counts{}, false
	}
	if list == "no tests ran" || strings.HasPrefix(list, "no tests collected") {
		return counts{}, true
	}
	words, ok := tally(list, ",")
	if !ok {
		return counts{}, false
	}
	var c counts
	for word, n := range words {
		switch word {
		case "passed", "xpassed":
			c.passed += n
		case "failed", "error", "errors":
			c.failed += n
		case "skipped", "xfailed":
			c.skipped += n
		case "deselected", "warning", "warnings", "rerun", "subtests passed", "subtests skipped",
			"test collected", "tests collected":
		case "subtests failed":
			c.failed += n
		default:
			return counts{}, false
		}
	}
	return c, true
}

// pytestDuration reads "0.02s" and "75.30s (0:01:15)".
func pytestDuration(s string) bool {
	s, clock, long := strings.Cut(s, " (")
	if long && !strings.HasSuffix(clock, ")") {
		return false
	}
	digits, ok := strings.CutSuffix(s, "s")
	return ok && digits != "" && strings.Trim(digits, "0123456789.") == ""
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
