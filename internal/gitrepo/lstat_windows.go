package gitrepo

import (
	"errors"
	"io/fs"
	"os"
)

// lstat looks at an absolute path without following a link at its end.
func lstat(name string) fingerprint {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fingerprint{kind: absent}
	case err != nil:
		return fingerprint{kind: barred}
	}
	t := info.ModTime().UnixNano()
	f := fingerprint{kind: special, mode: uint32(info.Mode().Perm()), size: info.Size(), mtime: t, ctime: t}
	switch {
	case info.Mode().IsRegular():
		f.kind = regular
	case info.IsDir():
		f.kind = folder
	case info.Mode()&fs.ModeSymlink != 0:
		f.kind = symlink
	}
	return f
}
