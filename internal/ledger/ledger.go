// Package ledger keeps the append-only log of a delivery: one JSON event a line,
// each bound to the one before it by a hash. It knows bytes and the envelope of
// an event, not the graph that the events walk.
//
// The format is written down in docs/ledger-format.md, what a crash leaves behind
// in docs/crash-safety.md. Package audit checks the same format and shares no
// code with this one.
package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/asterweave/asterweave/internal/durable"
)

// Names in the state folder.
const (
	FileName      = "ledger.jsonl"
	lockName      = "ledger.lock"
	recoveryName  = "recovery.json"
	artifactsName = "artifacts"
	archiveName   = "archive"
)

// Options of a [Log].
type Options struct {
	Anchor      string           // path of the anchor in the worktree's Git folder; "" keeps none
	LockTimeout time.Duration    // 0 is durable.DefaultLockTimeout
	FS          durable.FS       // nil is the operating system's
	Now         func() time.Time // dates the event that reports a recovery; nil dates it like the event before
}

// Log is a ledger in a state folder. Its reading methods take no lock and write
// nothing; they may be used while other processes append.
type Log struct {
	dir  string
	o    Options
	disk durable.Disk
}

// Open returns the log in the state folder dir. It touches nothing.
func Open(dir string, o Options) *Log {
	if o.FS == nil {
		o.FS = durable.OS()
	}
	if o.LockTimeout <= 0 {
		o.LockTimeout = durable.DefaultLockTimeout
	}
	return &Log{dir: dir, o: o, disk: durable.Disk{FS: o.FS}}
}

// Dir returns the state folder.
func (l *Log) Dir() string { return l.dir }

// Path returns the path of the ledger itself.
func (l *Log) Path() string { return filepath.Join(l.dir, FileName) }

// Exists reports whether there is a ledger with at least a byte in it, or an
// anchor that says that there has to be one. What it reports may still be
// damaged; Tail tells.
func (l *Log) Exists() bool {
	if info, err := l.o.FS.Lstat(l.Path()); err == nil && info.Size() > 0 {
		return true
	}
	a, err := l.loadAnchor()
	return err != nil || a.best().Length > 0
}

// ErrLink is in the chain of the error for a state folder, or a file in it, that
// is a symbolic link.
var ErrLink = errors.New("is a symbolic link")

// checkDir refuses a state folder that is not a plain folder. One that does not
// exist is fine.
func (l *Log) checkDir() error {
	info, err := l.o.FS.Lstat(l.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the state folder cannot be read: %w", err)
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("the state folder %s %w", l.dir, ErrLink)
	case !info.IsDir():
		return fmt.Errorf("the state folder %s is not a folder", l.dir)
	}
	return nil
}

// openFile opens the ledger itself and returns its size; the error is
// fs.ErrNotExist when there is none.
func (l *Log) openFile(flag int) (durable.File, int64, error) {
	f, err := l.o.FS.OpenFile(l.Path(), flag|durable.NoFollow, 0)
	if err != nil {
		if info, lerr := l.o.FS.Lstat(l.Path()); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			err = fmt.Errorf("the ledger %s %w", l.Path(), ErrLink)
		}
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("the ledger %s is not a file", l.Path())
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// ensureDir creates the state folder and the file that hides it from Git.
func (l *Log) ensureDir() error {
	info, err := l.o.FS.Lstat(l.dir)
	if err == nil && info.IsDir() {
		return nil
	}
	if err := l.checkDir(); err != nil {
		return err
	}
	if err := l.disk.MkdirAll(l.dir, 0o755); err != nil {
		return fmt.Errorf("the state folder cannot be created: %w", err)
	}
	return l.ensureIgnored()
}

// ensureIgnored hides the state folder from Git. A crash may have left a folder
// without it, so that it is done again before a ledger is created.
func (l *Log) ensureIgnored() error {
	ignore := filepath.Join(l.dir, ".gitignore")
	if _, err := l.o.FS.Lstat(ignore); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := l.disk.WriteAtomic(ignore, []byte("*\n"), 0o644); err != nil {
		return fmt.Errorf("the state folder cannot be written: %w", err)
	}
	return nil
}

// DamageError says that a ledger is not what was appended to it. No command goes
// on with it; exit status 5.
type DamageError struct {
	Line int64 // 1 is the first; 0 when the damage is not about one line
	What string
}

func (e *DamageError) Error() string {
	if e.Line == 0 {
		return "the ledger is damaged: " + e.What
	}
	return fmt.Sprintf("the ledger is damaged: line %d: %s", e.Line, e.What)
}

// VersionError says that a ledger was written in a format that this program does
// not know.
type VersionError struct {
	Line    int64
	Version int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("the ledger is written in format %d from line %d on; this program knows format %d",
		e.Version, e.Line, Version)
}

// SizeError says that an event is too large to be stored.
type SizeError struct{ Size, Max int }

func (e *SizeError) Error() string {
	return fmt.Sprintf("an event of %d bytes is larger than the limit of %d; larger content belongs into an artifact", e.Size, e.Max)
}

// AnchorError says that an event is stored, durably, but that the anchor could
// not be moved to it. The next append moves it.
type AnchorError struct {
	Seq int64
	Err error
}

func (e *AnchorError) Error() string {
	return fmt.Sprintf("event %d is stored, but its anchor is not: %v", e.Seq, e.Err)
}

// Unwrap returns the error of the write.
func (e *AnchorError) Unwrap() error { return e.Err }

// isMissing reports whether err says that a file does not exist.
func isMissing(err error) bool { return errors.Is(err, os.ErrNotExist) }
