// Package durable is the few ways in which files are written, each named and
// with its contract. What a crash leaves behind at which step is described in
// docs/crash-safety.md.
//
// "Durable" below means: survives the end of the process and the loss of power
// once the operation has returned nil, as far as the disk keeps what it
// confirmed.
package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Disk performs the operations on a file system. The zero Disk uses the
// operating system's.
type Disk struct{ FS FS }

func (d Disk) fs() FS {
	if d.FS == nil {
		return OS()
	}
	return d.FS
}

// WriteAtomic replaces path by data, durably. At any moment, and after a crash
// at any step, path holds its old content or data, whole. The steps: a
// temporary file in the same folder, write, check of the length, fsync, close,
// rename, fsync of the folder. After an error path holds the old content,
// unless only the last step failed: then it holds data, perhaps not durably. A
// crash may leave a file named like path with a suffix ".tmp-…".
func (d Disk) WriteAtomic(path string, data []byte, perm fs.FileMode) error {
	if err := d.replace(path, data, perm, true); err != nil {
		return err
	}
	return d.fs().SyncDir(filepath.Dir(path))
}

// WriteCache replaces path by data like [Disk.WriteAtomic], but syncs nothing:
// after a loss of power path may be old, new, empty or missing. For files that
// can be computed again and whose content is checked when it is read.
func (d Disk) WriteCache(path string, data []byte) error {
	return d.replace(path, data, 0o644, false)
}

func (d Disk) replace(path string, data []byte, perm fs.FileMode, sync bool) error {
	tmp := path + ".tmp-" + rand.Text()[:10]
	f, err := d.fs().OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	err = fill(f, data, sync)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = d.fs().Rename(tmp, path)
	}
	if err != nil {
		// The temporary file is of no use to anybody; failing to remove it is
		// no reason to report another error than the first.
		_ = d.fs().Remove(tmp)
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func fill(f File, data []byte, sync bool) error {
	if err := writeAll(f, 0, data); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() != int64(len(data)) {
		return fmt.Errorf("%d bytes were stored of %d: %w", info.Size(), len(data), io.ErrShortWrite)
	}
	if sync {
		return f.Sync()
	}
	return nil
}

func writeAll(f File, off int64, data []byte) error {
	n, err := f.WriteAt(data, off)
	if err == nil && n != len(data) {
		err = io.ErrShortWrite
	}
	return err
}

// TornError says that an append failed and that the bytes which it left behind
// could not be removed: the file may end in a part of the data, or in all of it.
type TornError struct {
	Err error // why the append failed
	Cut error // why it could not be undone
}

func (e *TornError) Error() string {
	return fmt.Sprintf("%v; cutting back what was written failed too: %v", e.Err, e.Cut)
}

// Unwrap returns the error of the append.
func (e *TornError) Unwrap() error { return e.Err }

// Extend writes data at off, the end of f, in one write and, with sync, makes it
// durable. On an error it cuts the file back to off, also when only the sync
// failed: pages whose writing failed must not be taken for written by the next
// sync. When that fails as well, the error is a [*TornError].
func Extend(f File, off int64, data []byte, sync bool) error {
	err := writeAll(f, off, data)
	if err == nil && sync {
		err = f.Sync()
	}
	if err == nil {
		return nil
	}
	if cut := f.Truncate(off); cut != nil {
		return &TornError{Err: err, Cut: cut}
	}
	// The shorter length is made durable where the disk still allows it; if not,
	// recovery finds the rest as a torn tail.
	_ = f.Sync()
	return err
}

// MkdirAll creates path and its missing parents; each new name is durable. A
// folder that exists is left as it is.
func (d Disk) MkdirAll(path string, perm fs.FileMode) error {
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return nil
		}
		return &fs.PathError{Op: "mkdir", Path: path, Err: errors.New("is not a folder")}
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := d.MkdirAll(parent, perm); err != nil {
			return err
		}
	}
	if err := d.fs().Mkdir(path, perm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return d.fs().SyncDir(parent)
}
