package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// AnchorCopy is the name under which an archived ledger's last anchor lies beside it.
const AnchorCopy = "anchor"

// documents lie beside the ledger and belong to its delivery.
func documents() []string {
	return []string{"spec.json", "plan.json", "context-manifest.json", "state.json"}
}

// ArchivePath returns the folder of an archived delivery.
func (l *Log) ArchivePath(id string) string { return filepath.Join(l.dir, archiveName, id) }

// Archive moves the ledger and its documents to archive/<id> and leaves the writer
// on an empty ledger. Artifacts stay where they are: they are shared. The ledger
// moves last, so that after a crash the next Archive with the same id goes on. An
// id is 1 to 128 letters, digits, dots, hyphens and underscores, and starts with
// no dot.
func (w *Writer) Archive(id string) error {
	switch {
	case !isID(id):
		return fmt.Errorf("%q is no id of a delivery", id)
	case w.broken != nil:
		return fmt.Errorf("an earlier append failed: %w", w.broken)
	case w.f == nil || w.tail.Seq == 0:
		return errors.New("there is no ledger to archive")
	}
	l, dir := w.l, w.l.ArchivePath(id)
	if _, err := l.o.FS.Lstat(filepath.Join(dir, FileName)); !isMissing(err) {
		return fmt.Errorf("the delivery %s is in the archive already", id)
	}
	if err := l.disk.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("archive the delivery: %w", err)
	}
	if err := w.archiveAll(dir); err != nil {
		// Which files have moved is not known; the next Lock finds out.
		w.broken = err
		return fmt.Errorf("archive the delivery: %w", err)
	}
	w.tail, w.anchor = Tail{}, anchor{missing: true}
	return nil
}

func (w *Writer) archiveAll(dir string) error {
	l := w.l
	if err := l.copyAnchor(dir); err != nil {
		return err
	}
	for _, name := range documents() {
		err := l.o.FS.Rename(filepath.Join(l.dir, name), filepath.Join(dir, name))
		if err != nil && !isMissing(err) {
			return err
		}
	}
	if err := l.o.FS.SyncDir(dir); err != nil {
		return err
	}
	if err := w.closeFiles(); err != nil { // Windows renames no open file
		return err
	}
	// Reset before the ledger goes: a crash in between leaves a ledger that is
	// longer than its anchor, which is no damage.
	if err := l.resetAnchor(); err != nil {
		return err
	}
	if err := l.o.FS.Rename(l.Path(), filepath.Join(dir, FileName)); err != nil {
		return err
	}
	return errors.Join(l.o.FS.SyncDir(dir), l.o.FS.SyncDir(l.dir))
}

// copyAnchor keeps the anchor beside the archived ledger. A copy that is there is
// the better one: it was made before the anchor was reset.
func (l *Log) copyAnchor(dir string) error {
	path := filepath.Join(dir, AnchorCopy)
	if _, err := l.o.FS.Lstat(path); l.o.Anchor == "" || err == nil {
		return nil
	}
	data, err := os.ReadFile(l.o.Anchor)
	if err != nil {
		return err
	}
	return l.disk.WriteAtomic(path, data, 0o644)
}

func isID(s string) bool {
	if s == "" || len(s) > 128 || s[0] == '.' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}
