//go:build unix

package gitrepo

import (
	"errors"

	"golang.org/x/sys/unix"
)

// lstat looks at an absolute path without following a link at its end.
func lstat(name string) fingerprint {
	var st unix.Stat_t
	var err error
	for {
		if err = unix.Lstat(name, &st); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return fingerprint{kind: absent}
	case err != nil:
		return fingerprint{kind: barred}
	}
	f := fingerprint{
		kind:  special,
		mode:  uint32(st.Mode) & 0o7777,
		size:  st.Size,
		mtime: st.Mtim.Nano(),
		ctime: st.Ctim.Nano(),
		inode: st.Ino,
	}
	switch uint32(st.Mode) & unix.S_IFMT {
	case unix.S_IFREG:
		f.kind = regular
	case unix.S_IFLNK:
		f.kind = symlink
	case unix.S_IFDIR:
		f.kind = folder
	}
	return f
}
