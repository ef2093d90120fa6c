//go:build unix

package command

import (
	"fmt"
	"io/fs"
	"syscall"
)

// stampOf tells one file from another, and from itself after a change: device, inode,
// size and the change time, which no program can set.
func stampOf(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d %d %d %d", st.Dev, st.Ino, st.Size, changed(st))
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}
