package ledger

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/asterweave/asterweave/internal/durable"
)

// Tail is where a ledger ends. The zero Tail is that of an empty ledger.
type Tail struct {
	Seq    int64     // of the last event
	Hash   string    // of the last event
	State  string    // of the last event
	Offset int64     // where the last event's line starts
	End    int64     // length of the valid ledger in bytes
	At     time.Time // of the last event
}

// next returns the place and time of the event that follows: times never decrease.
func (t Tail) next(now time.Time) (seq int64, at time.Time) {
	at = now.UTC().Round(0)
	if at.Before(t.At) {
		at = t.At
	}
	return t.Seq + 1, at
}

func tailOf(e Event, offset, end int64) Tail {
	return Tail{Seq: e.Seq, Hash: e.Hash, State: e.State, Offset: offset, End: end, At: e.At}
}

// ending is the end of a ledger as it lies on the disk.
type ending struct {
	Tail
	torn []byte // bytes behind the last newline that are no event
	open bool   // the last event is whole, only its newline is missing; End counts it
}

// A reader may look between two steps of a writer, and then see what is no
// damage. It looks again before it says so.
const (
	looks = 3
	pause = 2 * time.Millisecond
)

// Tail reads the end of the ledger and checks the last line, its link to the line
// before, and the anchor. A torn tail is ignored; a whole event that lacks only
// its newline counts. No ledger and no anchor is the zero Tail. The errors are
// *DamageError, *VersionError, or those of reading.
func (l *Log) Tail() (Tail, error) {
	for look := 1; ; look++ {
		t, err := l.tail()
		var damage *DamageError
		damaged := errors.As(err, &damage)
		switch {
		case !damaged && !errors.Is(err, io.EOF): // EOF: cut back while it was read
			return t, err
		case look == looks && damaged:
			return t, l.firstDamage(err)
		case look == looks:
			return t, err
		}
		time.Sleep(pause)
	}
}

// firstDamage looks for the first line that is damaged, when the end or the anchor
// gave away that something is. It costs a pass over the file; nobody waits for it,
// as nothing goes on.
func (l *Log) firstDamage(err error) error {
	var first *DamageError
	found := l.Scan(0, func(Event, int64) error { return nil })
	if errors.As(found, &first) {
		return first
	}
	return err
}

func (l *Log) tail() (Tail, error) {
	// The anchor first: it never runs ahead of a ledger that is read later.
	a, err := l.loadAnchor()
	if err != nil {
		return Tail{}, err
	}
	if err := l.checkDir(); err != nil {
		return Tail{}, err
	}
	f, size, err := l.openFile(os.O_RDONLY)
	if isMissing(err) {
		return Tail{}, l.checkAnchor(a, Tail{}, nil)
	}
	if err != nil {
		return Tail{}, err
	}
	defer f.Close()
	e, err := readEnding(f, size)
	if err == nil {
		err = l.checkAnchor(a, e.Tail, f)
	}
	if err != nil {
		return Tail{}, err
	}
	return e.Tail, nil
}

// firstLook is how many bytes of the end are read at first; most events are shorter.
const firstLook = 4 << 10

// readEnding reads as much of the end of f, which has this size, as the last line
// needs.
func readEnding(f durable.File, size int64) (ending, error) {
	for n := min(size, firstLook); ; n = min(size, 4*n) {
		b := make([]byte, n)
		if _, err := f.ReadAt(b, size-n); err != nil {
			return ending{}, fmt.Errorf("read the ledger: %w", err)
		}
		last := bytes.LastIndexByte(b, '\n')
		start := bytes.LastIndexByte(b[:max(last, 0)], '\n') + 1
		whole := n == size || last >= 0 && start > 0
		if whole {
			return split(f, b, size-n, start, last)
		}
		if n > 2*MaxEvent {
			return ending{}, damage(f, size-n, "is longer than an event may be")
		}
	}
}

// split reads the last line, b[start:last], and what lies behind it. base is the
// offset of b in f.
func split(f durable.File, b []byte, base int64, start, last int) (ending, error) {
	var e ending
	rest := b[last+1:]
	if last >= 0 {
		offset := base + int64(start)
		ev, err := parse(b[start:last])
		if err != nil {
			return ending{}, located(err, f, offset)
		}
		if !bytes.HasSuffix(b[:start], lineEnd(ev.Prev)) { // the line before lies in b, mostly
			if err := linked(f, offset, ev); err != nil {
				return ending{}, err
			}
		}
		e.Tail = tailOf(ev, offset, base+int64(last)+1)
	}
	switch ev, err := parse(rest); {
	case len(rest) == 0:
	case err == nil && e.precedes(ev):
		e.Tail = tailOf(ev, e.End, e.End+int64(len(rest))+1)
		e.open = true
	case len(rest) >= MaxEvent:
		return ending{}, damage(f, e.End, "is longer than an event may be")
	default:
		e.torn = rest
	}
	return e, nil
}

// precedes reports whether ev is the event after t.
func (t Tail) precedes(ev Event) bool {
	prev := t.Hash
	if t.Seq == 0 {
		prev = ZeroHash
	}
	return ev.Seq == t.Seq+1 && ev.Prev == prev && !ev.At.Before(t.At)
}

// linked checks that the event at offset names the hash of the line before it.
func linked(f durable.File, offset int64, ev Event) error {
	if offset == 0 {
		if ev.Seq != 1 || ev.Prev != ZeroHash {
			return &DamageError{Line: 1, What: "is not the first event"}
		}
		return nil
	}
	same, err := endsWith(f, offset, ev.Prev)
	if err == nil && !same {
		err = damage(f, offset, "does not follow the line before it")
	}
	return err
}

// endsWith reports whether the line that ends at offset has this hash.
func endsWith(f durable.File, offset int64, hash string) (bool, error) {
	end := make([]byte, suffixLen+1)
	if offset < int64(len(end)) {
		return false, nil
	}
	if _, err := f.ReadAt(end, offset-int64(len(end))); err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("read the ledger: %w", err)
	}
	return string(end) == string(lineEnd(hash)), nil
}

// lineEnd is how a line with this hash ends.
func lineEnd(hash string) []byte { return []byte(`,"hash":"` + hash + "\"}\n") }

// At reads the event whose line starts at offset, and checks it and its link to the
// line before.
func (l *Log) At(offset int64) (Event, error) {
	if err := l.checkDir(); err != nil {
		return Event{}, err
	}
	f, size, err := l.openFile(os.O_RDONLY)
	if err != nil {
		return Event{}, fmt.Errorf("read the ledger: %w", err)
	}
	defer f.Close()
	if offset < 0 || offset >= size {
		return Event{}, fmt.Errorf("the ledger has no event at byte %d", offset)
	}
	for n := min(size-offset, firstLook); ; n = min(size-offset, 4*n) {
		b := make([]byte, n)
		if _, err := f.ReadAt(b, offset); err != nil {
			return Event{}, fmt.Errorf("read the ledger: %w", err)
		}
		end := bytes.IndexByte(b, '\n')
		switch {
		case end < 0 && n > MaxEvent:
			return Event{}, damage(f, offset, "is longer than an event may be")
		case end < 0 && n < size-offset:
			continue
		case end < 0:
			end = len(b) // the last line, without its newline
		}
		ev, err := parse(b[:end])
		if err == nil {
			err = linked(f, offset, ev)
		}
		if err != nil {
			return Event{}, located(err, f, offset)
		}
		return ev, nil
	}
}

// Scan calls fn for every event from the one whose line starts at the byte offset
// from, with the offset of its line. It checks each line and its link to the one
// before, but not the anchor. A torn tail is ignored. An error of fn ends the scan
// and is returned as it is.
func (l *Log) Scan(from int64, fn func(Event, int64) error) error {
	if err := l.checkDir(); err != nil {
		return err
	}
	f, size, err := l.openFile(os.O_RDONLY)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if from < 0 || from > size {
		return fmt.Errorf("the ledger has no byte %d", from)
	}
	r := bufio.NewReaderSize(io.NewSectionReader(f, from, size-from), int(min(size-from+1, MaxEvent)))
	t := Tail{End: from}
	for {
		line, err := r.ReadSlice('\n')
		end := errors.Is(err, io.EOF)
		switch {
		case end && len(line) == 0:
			return nil
		case errors.Is(err, bufio.ErrBufferFull):
			return damage(f, t.End, "is longer than an event may be")
		case err != nil && !end:
			return fmt.Errorf("read the ledger: %w", err)
		}
		ev, err := parse(bytes.TrimSuffix(line, []byte("\n")))
		if err == nil {
			err = follows(f, t, ev)
		}
		if end && err != nil {
			return nil // torn
		}
		if err != nil {
			return located(err, f, t.End)
		}
		t = tailOf(ev, t.End, t.End+int64(len(line)))
		if err := fn(ev, t.Offset); err != nil {
			return err
		}
	}
}

// follows checks that ev, which starts at t.End, is the event after t. A t
// without an event is the start of a scan.
func follows(f durable.File, t Tail, ev Event) error {
	switch {
	case t.Seq == 0:
		return linked(f, t.End, ev)
	case ev.Seq != t.Seq+1:
		return &DamageError{Line: t.Seq + 1, What: fmt.Sprintf("has sequence number %d", ev.Seq)}
	case ev.Prev != t.Hash:
		return &DamageError{Line: ev.Seq, What: "does not follow the line before it"}
	case ev.At.Before(t.At):
		return &DamageError{Line: ev.Seq, What: "is older than the line before it"}
	}
	return nil
}

// damage says what is wrong with the line at offset. It counts the lines before it.
func damage(f durable.File, offset int64, what string) error {
	line, b := int64(1), make([]byte, 64<<10)
	for at := int64(0); at < offset; {
		n, err := f.ReadAt(b[:min(int64(len(b)), offset-at)], at)
		line += int64(bytes.Count(b[:n], []byte("\n")))
		at += int64(n)
		if err != nil || n == 0 {
			break
		}
	}
	return &DamageError{Line: line, What: what}
}

// located adds the line at offset to an error of parse.
func located(err error, f durable.File, offset int64) error {
	var version *VersionError
	var done *DamageError
	if errors.As(err, &done) {
		return err
	}
	where := damage(f, offset, err.Error())
	if errors.As(err, &version) && errors.As(where, &done) {
		return &VersionError{Line: done.Line, Version: version.Version}
	}
	return where
}
