package testrun

import (
	"bytes"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
)

const (
	maxFailing = 200       // failing tests named in a record
	maxCollect = 5000      // failures remembered while reading
	maxLine    = 256 << 10 // bytes of a line that are looked at
	maxText    = 300       // bytes of a failure's message
)

// Failure is one failing test, or one failing package or file where no test of it
// could be named.
type Failure struct {
	Test      string // as the runner names it, unique within the component
	Component string // package, file or target; may be empty
	Message   string // first line that says what is wrong; may be empty
}

// Counter reads the output of a run while it is written, in flat memory, so that
// counts are right even where the kept output was cut. It is an [io.Writer] that
// never fails. It is not safe for concurrent use.
type Counter struct {
	runner Runner
	known  bool
	reader reader
	rest   []byte
}

// NewCounter returns a counter for the output of argv.
func NewCounter(argv []string) *Counter {
	e, args, r, ok := find(argv)
	c := &Counter{runner: r, known: ok}
	if ok {
		c.reader = e.reader(args, r)
	}
	return c
}

// Write reads on.
func (c *Counter) Write(p []byte) (int, error) {
	n := len(p)
	if c.reader == nil {
		return n, nil
	}
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			c.keep(p)
			return n, nil
		}
		c.keep(p[:i])
		c.flush()
		p = p[i+1:]
	}
}

// keep appends to the unfinished line, up to maxLine.
func (c *Counter) keep(p []byte) {
	if room := maxLine - len(c.rest); len(p) > room {
		p = p[:max(room, 0)]
	}
	c.rest = append(c.rest, p...)
}

func (c *Counter) flush() {
	c.reader.line(strings.TrimSuffix(StripANSI(string(c.rest)), "\r"))
	c.rest = c.rest[:0]
}

// Tests returns the counts, given the run's exit status. Known is false when no
// runner was recognised, when argv makes its counts worthless, or when the output
// held none.
func (c *Counter) Tests(exit int) evidence.Tests {
	t := evidence.Tests{Runner: c.runner.Name, Unit: c.runner.Unit}
	if !c.known {
		return t
	}
	if len(c.rest) > 0 {
		c.flush()
	}
	t.Failing = names(c.reader.failures())
	switch {
	case c.runner.None != "":
		t.Known = true
	case c.runner.Opaque != "":
	default:
		n := c.reader.result(exit)
		t.Passed, t.Failed, t.Skipped, t.Known = n.passed, n.failed, n.skipped, n.known
	}
	return t
}

// Failures returns what failed, sorted by component and test, without the parents
// of failing subtests. Call it after Tests or at the end of the output.
func (c *Counter) Failures() []Failure {
	if c.reader == nil {
		return nil
	}
	if len(c.rest) > 0 {
		c.flush()
	}
	return tidy(c.reader.failures())
}

// Count reads the whole output of a run of argv. See [Counter.Tests]; where the
// output may have been cut, a Counter on the stream is the one that is right.
func Count(argv []string, exit int, output []byte) evidence.Tests {
	c := NewCounter(argv)
	_, _ = c.Write(output) // never fails
	return c.Tests(exit)
}

// Failures reads the failures out of the output of a run of argv.
func Failures(argv []string, output []byte) []Failure {
	c := NewCounter(argv)
	_, _ = c.Write(output) // never fails
	return c.Failures()
}

// names lists failing tests by name. A name that fails in several components is
// told apart by them.
func names(fs []Failure) []string {
	fs = tidy(fs)
	seen := map[string]int{}
	for _, f := range fs {
		seen[f.Test]++
	}
	var out []string
	for _, f := range fs {
		name := f.Test
		if seen[name] > 1 && f.Component != "" {
			name = f.Component + "." + name
		}
		out = append(out, name)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) > maxFailing {
		out = out[:maxFailing]
	}
	return out
}

// tidy sorts failures and drops repetitions and failures without a name.
func tidy(fs []Failure) []Failure {
	out := slices.DeleteFunc(slices.Clone(fs), func(f Failure) bool { return strings.TrimSpace(f.Test) == "" })
	slices.SortStableFunc(out, func(a, b Failure) int {
		if c := strings.Compare(a.Test, b.Test); c != 0 {
			return c
		}
		return strings.Compare(a.Component, b.Component)
	})
	return slices.CompactFunc(out, func(a, b Failure) bool {
		return a.Test == b.Test && a.Component == b.Component
	})
}

// clip shortens a message at a rune boundary.
func clip(s string) string {
	s = strings.TrimSpace(s)
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "")
}

// StripANSI removes terminal control sequences: colours, cursor movement, titles.
func StripANSI(s string) string {
	if strings.IndexByte(s, 0x1b) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != 0x1b {
			b.WriteByte(s[i])
			continue
		}
		i = skipSequence(s, i)
	}
	return b.String()
}

// skipSequence returns the index of the last byte of the sequence that starts with
// the escape at i.
func skipSequence(s string, i int) int {
	if i+1 >= len(s) {
		return i
	}
	switch s[i+1] {
	case '[': // control sequence: ends with a byte from @ to ~
		for j := i + 2; j < len(s); j++ {
			if s[j] >= 0x40 && s[j] <= 0x7e {
				return j
			}
		}
		return len(s)
	case ']': // operating system command: ends with BEL or ESC \
		for j := i + 2; j < len(s); j++ {
			if s[j] == 0x07 {
				return j
			}
			if s[j] == 0x1b && j+1 < len(s) && s[j+1] == '\\' {
				return j + 1
			}
		}
		return len(s)
	case '(', ')': // choice of a character set: one more byte
		return i + 2
	}
	return i + 1
}
