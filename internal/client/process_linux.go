package client

import (
	"errors"
	"os/exec"

	"golang.org/x/sys/unix"
)

// keepsGroups says that endGroup does what its name says.
const keepsGroups = true

// endGroup waits until a process has ended, and ends what it left behind in its group.
// It does so before the process is reaped: until then its id cannot become another's.
func endGroup(cmd *exec.Cmd) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) // the group may hold nobody else
}
