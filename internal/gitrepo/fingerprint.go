package gitrepo

import "time"

// Modes of tree entries.
const (
	gitlinkMode = "160000" // a submodule: the id is a commit's
	zeroMode    = "0"      // for update-index: no entry
)

// kind is what lies at a path.
type kind uint8

const (
	unread   kind = iota // not looked at, or not to be trusted; lstat never returns it
	absent               // nothing
	regular              // a file
	symlink              // a symbolic link
	folder               // a folder
	special              // a device, pipe or socket
	shadowed             // absent, since something else is in place of a folder on the way
	barred               // cannot be looked at
)

// fingerprint is what tells whether a path is as it was, without reading it. The
// zero value is that of no path.
type fingerprint struct {
	kind  kind
	mode  uint32 // permission bits
	size  int64  // bytes
	mtime int64  // nanoseconds since 1970
	ctime int64  // likewise; change time, which no program can set. mtime where the system has none
	inode uint64 // 0 where the system has none
}

// settled reports whether a file with this fingerprint, taken before its content
// was read, can be trusted to be unchanged while the fingerprint is: clocks of file
// systems tick coarsely, and a second edit within the tick in which the first was
// read leaves no trace. began is when the reading began, by the file system's clock
// in nanoseconds.
func (f fingerprint) settled(began int64) bool {
	const (
		tick   = int64(20 * time.Millisecond) // of a system clock: at most 10 ms
		second = int64(time.Second)
	)
	margin := tick
	if f.ctime%second == 0 && f.mtime%second == 0 {
		margin = 2 * second // a file system that counts seconds, or every other one
	}
	return f.kind == absent || f.kind == shadowed || f.ctime < began-margin
}

// trusted returns f if it is settled, else the zero value.
func (f fingerprint) trusted(began int64) fingerprint {
	if f.settled(began) {
		return f
	}
	return fingerprint{}
}
