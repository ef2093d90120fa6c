package ledger

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/asterweave/asterweave/internal/durable"
)

// SetAside moves what is left of a damaged ledger, with its documents and a copy of
// its anchor, to archive/<id>, so that a new one can begin. It repairs nothing and
// judges nothing but that there is damage: the error is ErrWhole where there is none.
// The ledger moves last, as in [Writer.Archive]; a call that was interrupted goes on
// under a new id. Whether somebody may give a ledger up is for the caller to know.
func (l *Log) SetAside(ctx context.Context, id string) error {
	if !isID(id) {
		return fmt.Errorf("%q is no id of a folder in the archive", id)
	}
	if err := l.ensureDir(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, l.o.LockTimeout)
	defer cancel()
	unlock, err := durable.Lock(ctx, filepath.Join(l.dir, lockName))
	if err != nil {
		return err
	}
	return errors.Join(l.setAside(l.ArchivePath(id)), unlock())
}

// ErrWhole says that a ledger cannot be set aside because nothing is wrong with it.
var ErrWhole = errors.New("the ledger is whole")

func (l *Log) setAside(dir string) error {
	_, err := l.Tail()
	if err == nil {
		err = l.Scan(0, func(Event, int64) error { return nil })
	}
	var damage *DamageError
	switch {
	case err == nil:
		return ErrWhole
	case !errors.As(err, &damage):
		return err
	}
	if err := l.disk.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("set the ledger aside: %w", err)
	}
	if err := l.copyAnchor(dir); err != nil && !isMissing(err) {
		return fmt.Errorf("set the ledger aside: %w", err)
	}
	for _, name := range documents() {
		if err := l.moveInto(dir, name); err != nil {
			return fmt.Errorf("set the ledger aside: %w", err)
		}
	}
	if err := l.resetAnchor(); err != nil {
		return err
	}
	if err := l.moveInto(dir, FileName); err != nil {
		return fmt.Errorf("set the ledger aside: %w", err)
	}
	return errors.Join(l.o.FS.SyncDir(dir), l.o.FS.SyncDir(l.dir))
}

// moveInto moves a file of the state folder, if it is there.
func (l *Log) moveInto(dir, name string) error {
	err := l.o.FS.Rename(filepath.Join(l.dir, name), filepath.Join(dir, name))
	if isMissing(err) {
		return nil
	}
	return err
}
