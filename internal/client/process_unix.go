//go:build unix

package client

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a process into a group of its own, so that what it starts can be
// ended with it and nothing else is.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// stop asks the group of a started process to end.
func stop(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
