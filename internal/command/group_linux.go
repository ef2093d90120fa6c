package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// awaitExit returns when the command has ended. It stays a zombie, so that its
// process and group id are not given to others while the group is being ended.
func awaitExit(cmd *exec.Cmd) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// groupAlive reports whether the group has a living process besides its leader.
func groupAlive(cmd *exec.Cmd) bool {
	group := strconv.Itoa(cmd.Process.Pid)
	return eachProcess(func(pid string) bool {
		if pid == group {
			return false
		}
		data, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
		if err != nil {
			return false
		}
		// pid (name) state parent group …; the name may hold anything.
		_, rest, _ := strings.Cut(string(data[strings.LastIndexByte(string(data), ')')+1:]), " ")
		f := strings.Fields(rest)
		return len(f) > 2 && f[2] == group && f[0] != "Z" && f[0] != "X"
	})
}

// endHolders kills the processes that left the group and still hold the pipe. They
// are found by the pipe's own number, so nobody else is met.
func endHolders(read *os.File) {
	info, err := read.Stat()
	if err != nil {
		return
	}
	var st unix.Stat_t
	if unix.Fstat(int(read.Fd()), &st) != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return
	}
	name, self := fmt.Sprintf("pipe:[%d]", st.Ino), strconv.Itoa(os.Getpid())
	eachProcess(func(pid string) bool {
		if pid != self && holds(pid, name) {
			if n, err := strconv.Atoi(pid); err == nil {
				_ = unix.Kill(n, unix.SIGKILL)
			}
		}
		return false
	})
}

func holds(pid, name string) bool {
	dir := filepath.Join("/proc", pid, "fd")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if link, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && link == name {
			return true
		}
	}
	return false
}

// eachProcess calls f with every process id until it returns true, and reports
// whether it did.
func eachProcess(f func(pid string) bool) bool {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	for _, e := range entries {
		if name := e.Name(); name[0] >= '0' && name[0] <= '9' && f(name) {
			return true
		}
	}
	return false
}
