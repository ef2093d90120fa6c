// Package audit checks a ledger from outside: it was written from
// docs/ledger-format.md alone and shares no code with the packages that write
// ledgers, so that a mistake of theirs does not hide itself.
//
// It reads a ledger once, from front to back, in flat memory, and never writes.
package audit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// maxLine is the longest line that the format allows, newline included.
const maxLine = 256 * 1024

// Options of a verification.
type Options struct {
	Anchor      string            // path of the anchor; "" when none is kept
	MaxProblems int               // how many problems are listed; 0 is 100
	Each        func(Event) error // called for each event up to the first problem
}

// Event is what a line says. The slices are only good during the call.
type Event struct {
	Line    int64
	Offset  int64 // where the line starts
	Seq     int64
	At      time.Time
	Type    string
	Node    string
	Attempt int
	By      []byte // JSON object
	Cause   []byte // JSON string
	Data    []byte // JSON object
	State   string
	Prev    string
	Hash    string
}

// Problem is one thing that is wrong.
type Problem struct {
	Line int64  `json:"line"` // 1 is the first; 0 when it is not about one line
	What string `json:"what"`
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.What
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.What)
}

// Report is what a verification found.
type Report struct {
	Events   int64     `json:"events"`             // lines, whatever is wrong with them
	Bytes    int64     `json:"bytes"`              // up to and with the last newline
	Head     string    `json:"head,omitempty"`     // hash of the last event
	State    string    `json:"state,omitempty"`    // fold digest of the last event
	Problems []Problem `json:"problems,omitempty"` // damage
	More     int64     `json:"more,omitempty"`     // problems beyond Options.MaxProblems
	Torn     int64     `json:"torn,omitempty"`     // bytes behind the last newline; the next append puts them in order
	Anchored int64     `json:"anchored,omitempty"` // sequence number that the anchor vouches for
	Warnings []string  `json:"warnings,omitempty"` // what is odd and explained
}

// Damaged reports whether the ledger is not what was appended to it.
func (r Report) Damaged() bool { return len(r.Problems) > 0 }

// Clean reports whether there is neither damage nor a torn tail.
func (r Report) Clean() bool { return !r.Damaged() && r.Torn == 0 }

// Verify checks the ledger at path against its format and its anchor. The error is
// only about reading; what is wrong with the ledger is in the report. A ledger that
// does not exist is fine unless its anchor says otherwise.
func Verify(path string, o Options) (Report, error) {
	// The anchor first: it follows the ledger, and may do so while we read.
	var anchor []byte
	if o.Anchor != "" {
		var err error
		if anchor, err = os.ReadFile(o.Anchor); err != nil && !errors.Is(err, os.ErrNotExist) {
			return Report{}, fmt.Errorf("read the anchor: %w", err)
		}
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return verify(bytes.NewReader(nil), anchor, o)
	}
	if err != nil {
		return Report{}, fmt.Errorf("read the ledger: %w", err)
	}
	defer f.Close()
	return verify(f, anchor, o)
}

// Read checks a ledger that does not lie in a file, and so has no anchor beside it.
func Read(r io.Reader, o Options) (Report, error) {
	o.Anchor = ""
	return verify(r, nil, o)
}

func verify(r io.Reader, anchor []byte, o Options) (Report, error) {
	c := checker{o: o}
	if c.o.MaxProblems <= 0 {
		c.o.MaxProblems = 100
	}
	if o.Anchor != "" {
		c.anchor = readAnchor(anchor)
	}
	in := bufio.NewReaderSize(r, maxLine)
	for {
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			n, rest := skipLine(in)
			c.tooLong(int64(len(line)) + n)
			err = rest
		case err == nil:
			c.line(line[:len(line)-1])
		case errors.Is(err, io.EOF):
			c.tail(line)
		}
		if errors.Is(err, io.EOF) {
			c.checkAnchor()
			return c.report, nil
		}
		if err != nil {
			return c.report, fmt.Errorf("read the ledger: %w", err)
		}
	}
}

// skipLine passes the rest of a line that is longer than the buffer.
func skipLine(in *bufio.Reader) (n int64, err error) {
	for {
		part, err := in.ReadSlice('\n')
		n += int64(len(part))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return n, err
		}
	}
}

// checker carries what one line has to know of those before it.
type checker struct {
	o      Options
	report Report
	anchor anchorFile
	met    *met // the line that ends where the anchor says

	seq      int64  // of the line before
	stated   string // its hash as it says
	computed string // its hash as it is; "" when the line could not be read
	at       string
}

// met is the event that ends at the anchored length.
type met struct {
	seq  int64
	hash string
}

func (c *checker) problem(line int64, format string, args ...any) {
	if len(c.report.Problems) >= c.o.MaxProblems {
		c.report.More++
		return
	}
	c.report.Problems = append(c.report.Problems, Problem{Line: line, What: fmt.Sprintf(format, args...)})
}

// line checks a line that had its newline.
func (c *checker) line(b []byte) {
	c.event(b)
	c.report.Bytes += int64(len(b)) + 1
	c.meet()
}

// meet notes the event that ends where the anchor says.
func (c *checker) meet() {
	if c.o.Anchor != "" && c.report.Bytes == c.anchor.best.length {
		c.met = &met{seq: c.seq, hash: c.stated}
	}
}

func (c *checker) event(b []byte) {
	c.report.Events++
	n := c.report.Events
	l, err := parseLine(b)
	if err != nil {
		c.problem(n, "%v", err)
	}
	if !l.sealed {
		// Nothing in it can be relied on; the next line is checked by itself.
		c.seq++
		c.stated, c.computed = "", ""
		return
	}
	if err == nil {
		c.place(n, l)
	} else {
		c.seq++ // what it says of itself is in doubt
	}
	c.stated, c.computed = l.hash, l.computed
	c.report.Head, c.report.State = l.hash, l.State
	if c.o.Each == nil || c.report.Damaged() {
		return
	}
	l.Line, l.Offset, l.Hash = n, c.report.Bytes, l.hash
	if err := c.o.Each(l.Event); err != nil {
		c.problem(n, "%v", err)
	}
}

// place checks where a line stands among the others.
func (c *checker) place(n int64, l parsed) {
	if l.Seq != c.seq+1 {
		c.problem(n, "has sequence number %d where %d is due", l.Seq, c.seq+1)
	}
	switch {
	case n == 1:
		if l.Prev != zeros {
			c.problem(n, "is not the first event of a ledger")
		}
	case c.stated != "" && l.Prev != c.stated && l.Prev != c.computed:
		c.problem(n, "does not follow the line before it")
	}
	if l.at < c.at {
		c.problem(n, "is older than the line before it")
	}
	c.seq, c.at = l.Seq, l.at
}

func (c *checker) tooLong(n int64) {
	c.report.Events++
	c.seq++
	c.stated, c.computed = "", ""
	c.problem(c.report.Events, "is longer than %d bytes", maxLine)
	c.report.Bytes += n
	c.meet()
}

// tail looks at the bytes behind the last newline. A whole event that only lacks
// its newline is one; the anchor may vouch for it.
func (c *checker) tail(b []byte) {
	c.report.Torn = int64(len(b))
	if len(b) == 0 {
		return
	}
	l, err := parseLine(b)
	first := c.report.Events == 0 && l.Prev == zeros
	if err != nil || l.Seq != c.seq+1 || !first && l.Prev != c.stated {
		return
	}
	c.event(b)
	if c.o.Anchor != "" && c.report.Bytes+int64(len(b))+1 == c.anchor.best.length {
		c.met = &met{seq: c.seq, hash: c.stated}
	}
}
