//go:build unix

package gitrepo

import (
	"os/exec"
	"syscall"
)

// detach gives the process a session of its own: it has no terminal to ask on,
// and ends with its children when the context does.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
