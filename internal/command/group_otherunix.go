//go:build unix && !linux

package command

import (
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// awaitExit returns when the command has ended, and reaps it.
func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

// groupAlive reports whether the group still has a process.
func groupAlive(cmd *exec.Cmd) bool { return unix.Kill(-cmd.Process.Pid, 0) == nil }

// endHolders does nothing here: a process that left the group cannot be found by
// the pipe that it holds. The pipe is closed, and it gets an error when it writes.
func endHolders(*os.File) {}
