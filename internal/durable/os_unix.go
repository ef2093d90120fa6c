//go:build !windows

package durable

import (
	"errors"
	"os"
	"syscall"
)

// NoFollow is a flag for [FS.OpenFile]: the last element of the name must be no
// symbolic link. It is 0 where the system has no such flag.
const NoFollow = syscall.O_NOFOLLOW

// nonblock has no effect on files. It saves the runtime four system calls an
// open, by which it would find out that a file cannot be polled, and it keeps a
// pipe in the place of a file from blocking.
const nonblock = syscall.O_NONBLOCK

// syncDir makes the names in a folder durable. File systems that cannot sync a
// folder say EINVAL or ENOTSUP; they offer no more than they do without it.
func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
