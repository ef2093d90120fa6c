package command

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// newGroup keeps the console's Ctrl-C away from the command. Windows has no
// process groups to kill: only the command itself is ended, which is a limit of
// this platform.
func newGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func askGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

func groupAlive(*exec.Cmd) bool { return false }

func endHolders(*os.File) {}

func status(p *os.ProcessState) (exit int, signal string) {
	if p == nil {
		return -1, ""
	}
	return p.ExitCode(), ""
}

func executable(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return &os.PathError{Op: "exec", Path: path, Err: os.ErrInvalid}
	}
	return err
}

// suffixes are what a program's file name may end in besides its name.
func suffixes(env []string) []string {
	list := lookup(env, "PATHEXT")
	if list == "" {
		list = ".COM;.EXE;.BAT;.CMD"
	}
	return append([]string{""}, strings.Split(strings.ToLower(list), ";")...)
}
