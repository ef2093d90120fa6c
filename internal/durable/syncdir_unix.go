//go:build !windows

package durable

import (
	"errors"
	"os"
	"syscall"
)

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
