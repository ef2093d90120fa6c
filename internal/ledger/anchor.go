package ledger

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/durable"
)

// The anchor file has two slots that are written in turn, so that a write which
// is torn spoils at most the older one.
const (
	slotLen   = 192
	anchorLen = 2 * slotLen
	sumLen    = 16 // hex digits
)

// mark is what a slot says: the ledger had this many bytes and events, and the
// last of them had this hash.
type mark struct {
	Length int64
	Seq    int64
	Hash   string
}

// anchor is the content of an anchor file.
type anchor struct {
	missing bool
	slots   [2]mark
	garbled [2]bool
}

// newest returns the index of the slot that counts.
func (a anchor) newest() int {
	if a.garbled[0] || !a.garbled[1] && a.slots[1].Length > a.slots[0].Length {
		return 1
	}
	return 0
}

// best returns what the anchor says; the zero mark when there is none.
func (a anchor) best() mark { return a.slots[a.newest()] }

// torn reports whether one slot is unreadable.
func (a anchor) torn() bool { return a.garbled[0] || a.garbled[1] }

func (m mark) encode() []byte {
	b := make([]byte, 0, slotLen)
	b = append(b, `{"length":`...)
	b = strconv.AppendInt(b, m.Length, 10)
	b = append(b, `,"seq":`...)
	b = strconv.AppendInt(b, m.Seq, 10)
	b = append(b, `,"hash":"`...)
	b = append(b, m.Hash...)
	b = append(b, '"')
	sum := canon.Hash(b)[:sumLen]
	b = append(b, `,"sum":"`...)
	b = append(b, sum...)
	b = append(b, '"', '}')
	for len(b) < slotLen-1 {
		b = append(b, ' ')
	}
	return append(b, '\n')
}

// decodeSlot reads a slot; ok is false when it is not exactly what encode writes.
func decodeSlot(b []byte) (m mark, ok bool) {
	s := scanner{rest: b}
	s.lit(`{"length":`)
	m.Length = s.number()
	s.lit(`,"seq":`)
	m.Seq = s.number()
	s.lit(`,"hash":"`)
	m.Hash = s.plain()
	if s.err != nil || string(m.encode()) != string(b) {
		return mark{}, false
	}
	return m, true
}

// openAnchor opens the anchor file; nil when there is none.
func (l *Log) openAnchor(flag int) (durable.File, error) {
	if l.o.Anchor == "" {
		return nil, nil
	}
	f, err := l.o.FS.OpenFile(l.o.Anchor, flag, 0)
	switch {
	case err == nil:
		return f, nil
	case isMissing(err):
		return nil, nil
	case flag == os.O_RDONLY:
		return nil, fmt.Errorf("the ledger's anchor cannot be read: %w", err)
	}
	return nil, fmt.Errorf("the ledger's anchor cannot be written: %w", err)
}

// loadAnchor opens and reads the anchor.
func (l *Log) loadAnchor() (anchor, error) {
	f, err := l.openAnchor(os.O_RDONLY)
	if err != nil || f == nil {
		return anchor{missing: true}, err
	}
	a, err := l.readAnchor(f)
	return a, errors.Join(err, f.Close())
}

// readAnchor reads an open anchor file. One that says nothing is damage.
func (l *Log) readAnchor(f durable.File) (anchor, error) {
	b := make([]byte, anchorLen+1)
	n, err := f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return anchor{}, fmt.Errorf("the ledger's anchor cannot be read: %w", err)
	}
	var a anchor
	for i := range a.slots {
		if m, ok := decodeSlot(b[min(n, i*slotLen):min(n, (i+1)*slotLen)]); ok {
			a.slots[i] = m
		} else {
			a.garbled[i] = true
		}
	}
	if n != anchorLen || a.garbled[0] && a.garbled[1] {
		return a, &DamageError{What: "its anchor " + l.o.Anchor + " is unreadable"}
	}
	return a, nil
}

// resetAnchor writes, durably, an anchor of an empty ledger.
func (l *Log) resetAnchor() error {
	if l.o.Anchor == "" {
		return nil
	}
	if err := l.disk.MkdirAll(filepath.Dir(l.o.Anchor), 0o755); err != nil {
		return fmt.Errorf("the ledger's anchor cannot be created: %w", err)
	}
	empty := mark{Hash: ZeroHash}.encode()
	if err := l.disk.WriteAtomic(l.o.Anchor, append(empty, empty...), 0o644); err != nil {
		return fmt.Errorf("the ledger's anchor cannot be created: %w", err)
	}
	return nil
}

// moveAnchor overwrites the older slot of the open anchor file. It syncs
// nothing: an anchor that lags is no damage.
func moveAnchor(f durable.File, a *anchor, m mark) error {
	i := 1 - a.newest()
	n, err := f.WriteAt(m.encode(), int64(i*slotLen))
	if err == nil && n != slotLen {
		err = io.ErrShortWrite
	}
	if err != nil {
		a.garbled[i] = true
		return err
	}
	a.slots[i], a.garbled[i] = m, false
	return nil
}

// checkAnchor compares the end of a ledger, open as f, with its anchor. f is nil
// when there is no ledger.
func (l *Log) checkAnchor(a anchor, t Tail, f durable.File) error {
	if l.o.Anchor == "" {
		return nil
	}
	m := a.best()
	switch {
	case a.missing && t.Seq == 0:
		return nil
	case a.missing:
		return &DamageError{What: fmt.Sprintf("it has %d events, but its anchor %s is missing", t.Seq, l.o.Anchor)}
	case m.Length > 0 && f == nil:
		return &DamageError{What: fmt.Sprintf("it is missing, but its anchor says that it has %d events", m.Seq)}
	case m.Length > t.End:
		return &DamageError{Line: t.Seq + 1, What: fmt.Sprintf("the tail is cut: %d bytes and %d events are left of at least %d and %d, says the anchor",
			t.End, t.Seq, m.Length, m.Seq)}
	case a.torn() && m.Length == t.End:
		// The next slot is written only once a longer ledger is on the disk, so
		// that a torn write cannot have spoiled it here.
		return &DamageError{What: "a part of its anchor " + l.o.Anchor + " is unreadable and no torn write explains it"}
	case m.Length == 0:
		return nil
	case m.Length == t.End:
		if m.Hash != t.Hash || m.Seq != t.Seq {
			return &DamageError{Line: t.Seq, What: "it differs from its anchor"}
		}
		return nil
	}
	same, err := endsWith(f, m.Length, m.Hash)
	if err == nil && !same {
		err = &DamageError{Line: m.Seq, What: "it differs from its anchor"}
	}
	return err
}
