package ledger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/asterweave/asterweave/internal/durable"
)

// Writer holds the lock of a ledger. It is for one goroutine.
type Writer struct {
	l      *Log
	unlock func() error
	f      durable.File // nil as long as there is no ledger
	tail   Tail
	anchor anchor
	af     durable.File // the anchor; nil when none is kept or there is none yet
	broken error        // set once the end of the file is not known any more
}

// Lock takes the ledger's lock, waiting no longer than Options.LockTimeout, and
// checks the tail. It creates the state folder on first use. What an interrupted
// append left behind is put in order: a whole event that lacks only its newline
// gets it; other bytes behind the last newline are moved into an artifact, and an
// event of type [Recovered], which has the state of the event before it, says so.
// The errors are *durable.LockTimeoutError, *DamageError, *VersionError, or those
// of the disk; the lock is then not held.
func (l *Log) Lock(ctx context.Context) (*Writer, error) {
	if err := l.ensureDir(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, l.o.LockTimeout)
	defer cancel()
	unlock, err := durable.Lock(ctx, filepath.Join(l.dir, lockName))
	if errors.Is(err, os.ErrPermission) {
		return nil, fmt.Errorf("the state folder cannot be written: %w", err)
	}
	if err != nil {
		return nil, err
	}
	w := &Writer{l: l, unlock: unlock}
	if err := w.open(); err != nil {
		var damage *DamageError
		if errors.As(err, &damage) {
			err = l.firstDamage(err)
		}
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (w *Writer) open() error {
	var err error
	if w.af, err = w.l.openAnchor(os.O_RDWR); err != nil {
		return err
	}
	w.anchor.missing = w.af == nil
	if w.af != nil {
		if w.anchor, err = w.l.readAnchor(w.af); err != nil {
			return err
		}
	}
	f, size, err := w.l.openFile(os.O_RDWR)
	if isMissing(err) {
		return w.l.checkAnchor(w.anchor, Tail{}, nil)
	}
	if errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("the ledger cannot be written: %w", err)
	}
	if err != nil {
		return err
	}
	w.f = f
	e, err := readEnding(f, size)
	if err == nil {
		err = w.l.checkAnchor(w.anchor, e.Tail, f)
	}
	if err != nil {
		return err
	}
	w.tail = e.Tail
	return w.repair(e)
}

// Tail returns where the ledger ends.
func (w *Writer) Tail() Tail { return w.tail }

// Next returns the sequence number and the time that an event drafted at now will
// have, for callers that compute the state after it.
func (w *Writer) Next(now time.Time) (seq int64, at time.Time) { return w.tail.next(now) }

// Append stores one event; see [Writer.AppendAll].
func (w *Writer) Append(d Draft, sync bool) (Event, error) {
	events, err := w.AppendAll([]Draft{d}, sync)
	if len(events) == 0 {
		return Event{}, err
	}
	return events[0], err
}

// AppendAll stores events in one write and, with sync, makes them durable before
// it returns, and moves the anchor after that. A crash may leave the first few of
// them without the others. On an error nothing is stored, except that after an
// *AnchorError all is, and after a *durable.TornError a part may be, which the
// next Lock puts in order. An event that is too large is a *SizeError.
func (w *Writer) AppendAll(drafts []Draft, sync bool) ([]Event, error) {
	if w.broken != nil {
		return nil, fmt.Errorf("an earlier append failed: %w", w.broken)
	}
	var buf []byte
	events := make([]Event, 0, len(drafts))
	tail := w.tail
	for _, d := range drafts {
		e, err := d.event(tail)
		if err != nil {
			return nil, err
		}
		line, err := e.encode()
		if err != nil {
			return nil, err
		}
		tail = tailOf(e, tail.End, tail.End+int64(len(line)))
		buf = append(buf, line...)
		events = append(events, e)
	}
	if len(events) == 0 {
		return nil, nil
	}
	if err := w.create(); err != nil {
		return nil, err
	}
	if err := durable.Extend(w.f, w.tail.End, buf, sync); err != nil {
		var torn *durable.TornError
		if errors.As(err, &torn) {
			w.broken = err
		}
		return nil, fmt.Errorf("append to the ledger: %w", err)
	}
	w.tail = tail
	if sync && w.af != nil {
		if err := moveAnchor(w.af, &w.anchor, mark{Length: tail.End, Seq: tail.Seq, Hash: tail.Hash}); err != nil {
			return events, &AnchorError{Seq: tail.Seq, Err: err}
		}
	}
	return events, nil
}

// create makes the anchor and the ledger where they are missing, in this order: a
// ledger without an anchor is damage.
func (w *Writer) create() error {
	if w.l.o.Anchor != "" && w.af == nil {
		if err := w.l.resetAnchor(); err != nil {
			return err
		}
		af, err := w.l.openAnchor(os.O_RDWR)
		if err != nil {
			return err
		}
		w.af, w.anchor = af, anchor{slots: [2]mark{{Hash: ZeroHash}, {Hash: ZeroHash}}}
	}
	if w.f != nil {
		return nil
	}
	if err := w.l.ensureIgnored(); err != nil {
		return err
	}
	f, err := w.l.o.FS.OpenFile(w.l.Path(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("the ledger cannot be created: %w", err)
	}
	if err := w.l.o.FS.SyncDir(w.l.dir); err != nil {
		return errors.Join(fmt.Errorf("the ledger cannot be created: %w", err), f.Close())
	}
	w.f = f
	return nil
}

// Close releases the lock. The writer cannot be used any more.
func (w *Writer) Close() error {
	err := w.closeFiles()
	w.broken = errors.New("the writer is closed")
	if w.unlock != nil {
		err = errors.Join(err, w.unlock())
		w.unlock = nil
	}
	return err
}

func (w *Writer) closeFiles() error {
	var err error
	if w.f != nil {
		err = w.f.Close()
		w.f = nil
	}
	if w.af != nil {
		err = errors.Join(err, w.af.Close())
		w.af = nil
	}
	return err
}
