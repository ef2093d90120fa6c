package durable

import (
	"io"
	"io/fs"
	"os"
)

// FS is the system calls that this package and its callers write with. It is a
// seam: tests put a file system in its place that fails where they say.
type FS interface {
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	Lstat(name string) (fs.FileInfo, error)
	Mkdir(name string, perm fs.FileMode) error
	Rename(from, to string) error
	Remove(name string) error
	SyncDir(name string) error // makes the names in a folder durable
}

// File is an open file of an [FS].
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Sync() error
	Truncate(size int64) error
}

// OS returns the operating system's file system.
func OS() FS { return system{} }

type system struct{}

func (system) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag|nonblock, perm)
	if err != nil {
		return nil, err // not a nil *os.File inside an interface
	}
	return f, nil
}

func (system) Lstat(name string) (fs.FileInfo, error)    { return os.Lstat(name) }
func (system) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }
func (system) Rename(from, to string) error              { return os.Rename(from, to) }
func (system) Remove(name string) error                  { return os.Remove(name) }
func (system) SyncDir(name string) error                 { return syncDir(name) }
