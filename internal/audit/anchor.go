package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// An anchor file is two lines of this length, newline included.
const slotLen = 192

// slot is one of them.
type slot struct {
	length int64 // of the ledger in bytes
	seq    int64 // events in it
	hash   string
}

// anchorFile is what an anchor file says.
type anchorFile struct {
	missing    bool
	best       slot
	unreadable int  // slots
	malformed  bool // the file has another length
}

func readAnchor(b []byte) anchorFile {
	if b == nil {
		return anchorFile{missing: true}
	}
	a := anchorFile{malformed: len(b) != 2*slotLen}
	for i := range 2 {
		text := b[min(len(b), i*slotLen):min(len(b), (i+1)*slotLen)]
		s, ok := readSlot(string(text))
		switch {
		case !ok:
			a.unreadable++
		case s.length >= a.best.length:
			a.best = s
		}
	}
	return a
}

// readSlot reads a line of an anchor by writing what it says and comparing.
func readSlot(text string) (slot, bool) {
	var s slot
	var sum string
	_, err := fmt.Sscanf(text, `{"length":%d,"seq":%d,"hash":"%64s","sum":"%16s"}`, &s.length, &s.seq, &s.hash, &sum)
	if err != nil || s.length < 0 || s.seq < 0 || !isDigest(s.hash) {
		return slot{}, false
	}
	covered := fmt.Sprintf(`{"length":%d,"seq":%d,"hash":"%s"`, s.length, s.seq, s.hash)
	digest := sha256.Sum256([]byte(covered))
	line := covered + `,"sum":"` + hex.EncodeToString(digest[:])[:16] + `"}`
	if len(line) >= slotLen {
		return slot{}, false
	}
	return s, text == line+strings.Repeat(" ", slotLen-1-len(line))+"\n"
}

// checkAnchor compares the ledger that was read with its anchor.
func (c *checker) checkAnchor() {
	if c.o.Anchor == "" {
		return
	}
	a, events := c.anchor, c.report.Events
	end := c.report.Bytes
	if c.met != nil {
		end = max(end, a.best.length) // vouched for, only its newline is missing
	}
	switch {
	case a.missing && events == 0:
		return
	case a.missing:
		c.problem(0, "the ledger has %d events, but its anchor is missing", events)
		return
	case a.malformed || a.unreadable == 2:
		c.problem(0, "the anchor is unreadable")
		return
	}
	c.report.Anchored = a.best.seq
	switch {
	case a.best.length > 0 && events == 0:
		c.problem(0, "the ledger is missing or empty, but its anchor says that it has %d events", a.best.seq)
	case a.best.length > end:
		c.problem(events+1, "the tail is cut: %d bytes are left of at least %d, says the anchor", end, a.best.length)
	case a.best.length > 0 && c.met == nil:
		c.problem(a.best.seq, "the ledger differs from its anchor: no line ends at byte %d", a.best.length)
	case c.met != nil && (c.met.hash != a.best.hash || c.met.seq != a.best.seq):
		c.problem(a.best.seq, "the ledger differs from its anchor")
	case a.unreadable == 1 && a.best.length == end:
		c.problem(0, "a part of the anchor is unreadable, and no torn write explains it")
	}
	if a.unreadable == 1 && a.best.length < end {
		c.report.Warnings = append(c.report.Warnings,
			"a part of the anchor is unreadable, as a write that was torn leaves it; the next append repairs it")
	}
}
