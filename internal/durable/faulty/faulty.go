// Package faulty is a file system for tests that fails where it is told to. It
// works on the operating system's files, so that what a fault leaves behind can be
// looked at with everything else.
package faulty

import (
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/asterweave/asterweave/internal/durable"
)

// Fault says which call fails, and how.
type Fault struct {
	Call    int    // number of the call, from 1; 0 fails none
	Op      string // only calls of this name count; "" counts all of them
	Err     error  // nil with Short: a write that stores half and says how much
	Short   bool   // a write stores half of its bytes before it fails
	Forever bool   // the calls after it fail too, as on a full disk
}

// FS counts and fails the calls that change the disk: create, open (for writing),
// write, sync, truncate, mkdir, rename, remove and syncdir. Use New.
type FS struct {
	under durable.FS
	mu    sync.Mutex
	fault Fault
	calls []string
	n     int // counted for the fault
}

// New returns a file system with one fault.
func New(f Fault) *FS { return &FS{under: durable.OS(), fault: f} }

// Calls returns the names of the calls so far.
func (f *FS) Calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.calls...)
}

// fails counts a call and reports whether it has to fail.
func (f *FS) fails(op string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, op)
	if f.fault.Op != "" && f.fault.Op != op {
		return false
	}
	f.n++
	return f.fault.Call > 0 && (f.n == f.fault.Call || f.fault.Forever && f.n > f.fault.Call)
}

func (f *FS) fail(op, path string) error {
	err := f.fault.Err
	if err == nil {
		err = io.ErrShortWrite
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// OpenFile counts only when it may create or write.
func (f *FS) OpenFile(name string, flag int, perm fs.FileMode) (durable.File, error) {
	op := "open"
	if flag&os.O_CREATE != 0 {
		op = "create"
	}
	if flag&(os.O_CREATE|os.O_RDWR|os.O_WRONLY) != 0 && f.fails(op) {
		return nil, f.fail(op, name)
	}
	under, err := f.under.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &file{File: under, fs: f, name: name}, nil
}

// Lstat never fails by itself.
func (f *FS) Lstat(name string) (fs.FileInfo, error) { return f.under.Lstat(name) }

// Mkdir may fail.
func (f *FS) Mkdir(name string, perm fs.FileMode) error {
	if f.fails("mkdir") {
		return f.fail("mkdir", name)
	}
	return f.under.Mkdir(name, perm)
}

// Rename may fail.
func (f *FS) Rename(from, to string) error {
	if f.fails("rename") {
		return f.fail("rename", to)
	}
	return f.under.Rename(from, to)
}

// Remove may fail.
func (f *FS) Remove(name string) error {
	if f.fails("remove") {
		return f.fail("remove", name)
	}
	return f.under.Remove(name)
}

// SyncDir may fail.
func (f *FS) SyncDir(name string) error {
	if f.fails("syncdir") {
		return f.fail("syncdir", name)
	}
	return f.under.SyncDir(name)
}

type file struct {
	durable.File
	fs   *FS
	name string
}

func (f *file) WriteAt(b []byte, off int64) (int, error) {
	if !f.fs.fails("write") {
		return f.File.WriteAt(b, off)
	}
	n := 0
	if f.fs.fault.Short {
		var err error
		if n, err = f.File.WriteAt(b[:len(b)/2], off); err != nil {
			return n, err
		}
		if f.fs.fault.Err == nil {
			return n, nil
		}
	}
	return n, f.fs.fail("write", f.name)
}

func (f *file) Sync() error {
	if f.fs.fails("sync") {
		return f.fs.fail("sync", f.name)
	}
	return f.File.Sync()
}

func (f *file) Truncate(size int64) error {
	if f.fs.fails("truncate") {
		return f.fs.fail("truncate", f.name)
	}
	return f.File.Truncate(size)
}
