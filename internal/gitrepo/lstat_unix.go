//go:build unix

package gitrepo

import (
	"errors"

	"golang.org/x/sys/unix"
)

// lstat looks at an absolute path without following a link at its end.
func lstat(name string) fingerprint { return handle(unix.AT_FDCWD).lstat(name) }

// handle is an open folder.
type handle int

// openFolder opens a folder by its absolute path.
func openFolder(name string) opened { return handle(unix.AT_FDCWD).open(name) }

// open opens a folder in h.
func (h handle) open(name string) opened {
	for {
		fd, err := unix.Openat(int(h), name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		switch {
		case err == nil:
			return opened{kind: folder, handle: handle(fd)}
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ENOENT):
			return opened{kind: absent}
		case errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP): // a symbolic link is one or the other
			return opened{kind: shadowed}
		}
		return opened{kind: barred}
	}
}

func (h handle) close() { _ = unix.Close(int(h)) }

// lstat looks at a path in h without following a link at its end.
func (h handle) lstat(name string) fingerprint {
	var st unix.Stat_t
	var err error
	for {
		if err = unix.Fstatat(int(h), name, &st, unix.AT_SYMLINK_NOFOLLOW); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return fingerprint{kind: absent}
	case err != nil:
		return fingerprint{kind: barred}
	}
	mode := uint32(st.Mode) //nolint:unconvert // 16 bits wide on macOS
	f := fingerprint{
		kind:  special,
		mode:  mode & 0o7777,
		size:  st.Size,
		mtime: st.Mtim.Nano(),
		ctime: st.Ctim.Nano(),
		inode: st.Ino,
	}
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		f.kind = regular
	case unix.S_IFLNK:
		f.kind = symlink
	case unix.S_IFDIR:
		f.kind = folder
	}
	return f
}
