package ledger

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/evidence"
)

// Recovered is the type of the event that reports a torn tail. Its data is a
// [Recovery], its state that of the event before it, its channel "ledger".
const Recovered = "recovered"

// Recovery says what was moved aside.
type Recovery struct {
	Artifact string `json:"artifact"` // digest of the bytes
	Bytes    int    `json:"bytes"`
	Offset   int64  `json:"offset"` // where in the ledger they began
}

// repair puts the end of the ledger in order. Each step leaves something behind
// from which the next Lock goes on: first the torn bytes become an artifact, then
// a note of it is stored, then they are cut off, then the event is appended, then
// the note goes.
func (w *Writer) repair(e ending) error {
	note := filepath.Join(w.l.dir, recoveryName)
	if e.open {
		if err := durable.Extend(w.f, e.End-1, []byte("\n"), true); err != nil {
			return fmt.Errorf("complete the ledger's last line: %w", err)
		}
	}
	if len(e.torn) > 0 {
		digest, err := w.l.PutArtifact(e.torn)
		if err != nil {
			return fmt.Errorf("move a torn event aside: %w", err)
		}
		data, err := json.Marshal(Recovery{Artifact: digest, Bytes: len(e.torn), Offset: e.End})
		if err != nil {
			return fmt.Errorf("note a torn event: %w", err)
		}
		if err := w.l.disk.WriteAtomic(note, data, 0o644); err != nil {
			return fmt.Errorf("note a torn event: %w", err)
		}
		if err := w.f.Truncate(e.End); err != nil {
			return fmt.Errorf("cut a torn event off: %w", err)
		}
		if err := w.f.Sync(); err != nil {
			return fmt.Errorf("cut a torn event off: %w", err)
		}
	}
	return w.report(note)
}

// report appends the event for a note and removes the note. A ledger that was torn
// in its first event has no delivery that could be told.
func (w *Writer) report(note string) error {
	if _, err := w.l.o.FS.Lstat(note); isMissing(err) {
		return nil
	}
	data, err := os.ReadFile(note)
	if err != nil {
		return fmt.Errorf("read the note of a torn event: %w", err)
	}
	told, err := w.told(data)
	if err != nil {
		return err
	}
	if !told {
		d := Draft{
			Type: Recovered, By: evidence.By{Channel: "ledger"}, Cause: "torn tail",
			Data: data, State: w.tail.State, At: w.tail.At,
		}
		if w.l.o.Now != nil {
			d.At = w.l.o.Now()
		}
		if _, err := w.Append(d, true); err != nil {
			return fmt.Errorf("report a torn event: %w", err)
		}
	}
	if err := w.l.o.FS.Remove(note); err != nil {
		return fmt.Errorf("remove the note of a torn event: %w", err)
	}
	return nil
}

// told reports whether the last event is the one for this note, or there is no
// event that it could follow.
func (w *Writer) told(note []byte) (bool, error) {
	if w.tail.Seq == 0 {
		return true, nil
	}
	last, err := w.l.At(w.tail.Offset)
	if err != nil {
		return false, err
	}
	return last.Type == Recovered && string(last.Data) == string(note), nil
}
