// Package command runs one command as a gate or a note needs it: without a
// terminal, in a process group that ends with it, with its output streamed and
// kept within a bound, and with what was really executed written down.
//
// It also splits command lines, digests the environment that steers test runners,
// and asks tools for their versions. It judges nothing: see package testrun.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

const (
	// DefaultCap is how many bytes of output are kept where a Spec says nothing.
	DefaultCap = 4 << 20

	grace  = 2 * time.Second        // from the polite signal to the kill
	linger = time.Second            // a child left behind may go on writing for this long
	settle = 200 * time.Millisecond // and one that writes nothing may end by itself for this long
	drain  = time.Second            // output is read for this long after a kill

	// Exit statuses of commands that did not start, as a shell gives them.
	exitNotExecutable = 126
	exitNotFound      = 127
)

// Spec says what to run. Exactly one of Argv and Shell is set; Shell is text for
// bash, run with pipefail so that no pipe hides an exit status.
type Spec struct {
	Argv    []string
	Shell   string
	Dir     string        // folder to run in; "" is the current one
	Env     []string      // the full environment; nothing is inherited
	Timeout time.Duration // 0 is none
	Stream  io.Writer     // gets the output while it is written; may be nil
	Cap     int64         // bytes of output kept, head and tail; 0 is DefaultCap
}

// Outcome is what happened.
type Outcome struct {
	Argv     []string      // what was really executed
	Program  string        // absolute path of the program, symbolic links kept; "" when there is none
	Exit     int           // exit status; 128 plus the signal; 126 or 127 when it could not start
	Signal   string        // name of the signal that ended it, "SIGKILL"
	TimedOut bool          // ended because of Timeout
	Canceled bool          // ended because the context was done
	StartErr string        // why it could not start, "" when it did
	Left     bool          // children outlived the command and were ended
	Duration time.Duration // wall time, children left behind included
	Output   []byte        // stdout and stderr as they came, at most about Cap bytes
	Total    int64         // bytes that were written
}

// Run runs a command to its end and never fails: what went wrong is in the
// Outcome. Standard input is empty. The command is the leader of a session of its
// own, without a terminal to ask questions on; when it ends, times out or ctx is
// done, the whole group ends, and a child that keeps the output open is not waited
// for longer than a short grace.
func Run(ctx context.Context, spec Spec) Outcome {
	out := Outcome{Argv: spec.Argv}
	if spec.Shell != "" {
		out.Argv = ShellArgv(spec.Shell)
	}
	began := time.Now()
	if err := start(ctx, spec, &out); err != nil {
		out.StartErr = startText(err)
		out.Exit = exitNotExecutable
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			out.Exit = exitNotFound
		}
	}
	out.Duration = time.Since(began)
	return out
}

// ShellArgv returns the argv that runs shell text.
func ShellArgv(text string) []string {
	return []string{"bash", "-o", "pipefail", "-c", text}
}

// start runs the command; the error says why it could not start.
func start(ctx context.Context, spec Spec, out *Outcome) error {
	if spec.Shell != "" && len(spec.Argv) > 0 {
		return errors.New("both argv and shell text are given")
	}
	if len(out.Argv) == 0 || out.Argv[0] == "" {
		return errors.New("the command is empty")
	}
	if err := ctx.Err(); err != nil {
		out.Canceled = true
		return err
	}
	if err := enterable(spec.Dir); err != nil {
		return err
	}
	path, err := Resolve(out.Argv[0], spec.Dir, spec.Env)
	if err != nil {
		return err
	}
	out.Program = path

	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	cmd := &exec.Cmd{Path: path, Args: out.Argv, Dir: spec.Dir, Stdout: write, Stderr: write}
	cmd.Env = append([]string{}, spec.Env...) // not nil, which would inherit
	newGroup(cmd)
	err = cmd.Start()
	write.Close()
	if err != nil {
		return err
	}
	supervise(ctx, cmd, read, spec, out)
	return nil
}

// enterable checks the folder to run in; starting a program in a folder that is
// not there would be reported as a missing program.
func enterable(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	var pathErr *os.PathError
	switch {
	case errors.As(err, &pathErr):
		return fmt.Errorf("the folder %s: %w", dir, pathErr.Err)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("the folder %s: %w", dir, syscall.ENOTDIR)
	}
	return nil
}

// supervise waits for the started command and fills in the outcome.
func supervise(ctx context.Context, cmd *exec.Cmd, read *os.File, spec Spec, out *Outcome) {
	kept := newKeeper(spec.Cap, spec.Stream)
	eof := make(chan struct{})
	go func() {
		defer close(eof)
		kept.readFrom(read)
	}()
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		awaitExit(cmd)
	}()

	var timeout <-chan time.Time
	if spec.Timeout > 0 {
		timer := time.NewTimer(spec.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-exited:
	case <-timeout:
		out.TimedOut = true
		stopGroup(cmd, exited)
	case <-ctx.Done():
		out.Canceled = true
		stopGroup(cmd, exited)
	}

	// The command has ended, and (on Linux) has not been reaped yet, so its group
	// id cannot belong to anybody else.
	if !out.TimedOut && !out.Canceled {
		out.Left = leftBehind(cmd, eof)
	}
	killGroup(cmd)
	if !waitFor(eof, drain) {
		endHolders(read) // they left the group, and hold the pipe
		if !waitFor(eof, drain) {
			read.Close() // ends the read; who still writes gets an error
			<-eof
		}
	}
	_ = cmd.Wait() // the status is in ProcessState
	out.Exit, out.Signal = status(cmd.ProcessState)
	out.Output, out.Total = kept.bytes()
}

// leftBehind gives children of a command that ended by itself a short time to end
// too, and reports whether they did not.
func leftBehind(cmd *exec.Cmd, eof <-chan struct{}) bool {
	if !waitFor(eof, linger) {
		return true
	}
	for end := time.Now().Add(settle); groupAlive(cmd); time.Sleep(settle / 20) {
		if time.Now().After(end) {
			return true
		}
	}
	return false
}

// stopGroup asks the group to end, and kills it when the command does not end in
// time. It returns when the command has ended.
func stopGroup(cmd *exec.Cmd, exited <-chan struct{}) {
	askGroup(cmd)
	if !waitFor(exited, grace) {
		killGroup(cmd)
		<-exited
	}
}

// waitFor reports whether c was closed within d.
func waitFor(c <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c:
		return true
	case <-timer.C:
		return false
	}
}

// startText is the reason without the system call's name and the path, which the
// outcome holds anyway.
func startText(err error) string {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	var execErr *exec.Error
	if errors.As(err, &execErr) {
		return execErr.Name + ": " + execErr.Err.Error()
	}
	return err.Error()
}
