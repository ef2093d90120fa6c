//go:build unix

package command

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// newGroup makes the command the leader of a new session, hence of a new process
// group with its own id, and without a controlling terminal: a program that wants
// to ask for a password fails at once and does not wait.
func newGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// askGroup asks every process of the group to end. Stopped ones are continued,
// since they would not see it.
func askGroup(cmd *exec.Cmd) {
	_ = unix.Kill(-cmd.Process.Pid, unix.SIGTERM)
	_ = unix.Kill(-cmd.Process.Pid, unix.SIGCONT)
}

func killGroup(cmd *exec.Cmd) { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }

// status translates how a process ended, the way a shell does.
func status(p *os.ProcessState) (exit int, signal string) {
	if p == nil {
		return -1, ""
	}
	if ws, ok := p.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), unix.SignalName(ws.Signal())
	}
	return p.ExitCode(), ""
}

// executable checks that a file can be run.
func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return &os.PathError{Op: "exec", Path: path, Err: errors.New("is a directory")}
	}
	if err := unix.Access(path, unix.X_OK); err != nil {
		return &os.PathError{Op: "exec", Path: path, Err: err}
	}
	return nil
}

// suffixes are what a program's file name may end in besides its name.
func suffixes([]string) []string { return []string{""} }
