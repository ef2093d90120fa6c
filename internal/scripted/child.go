package scripted

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/asterweave/asterweave/internal/engine"
)

// Marker is the variable that the shells of agents carry and hooks do not.
const Marker = "ASTERWEAVE_AGENT"

const (
	maxOutput = 8 << 20         // bytes of standard output that are read
	tailBytes = 4 << 10         // of what a failing child printed last
	childWait = 5 * time.Second // for a child that was asked to end
)

// child is a process to run in the work tree.
type child struct {
	program string
	args    []string
	stdin   []byte
	env     []string
	behind  string // file of shell text that comes before it, "" for none
}

// result is how a child ended.
type result struct {
	child  child
	exit   int
	stdout []byte
	tail   string // of both streams
}

// run runs a child to its end. The error says that it could not be run at all.
func (p *Player) run(ctx context.Context, c child) (result, error) {
	var stdout bytes.Buffer
	last := &tail{}
	argv := c.argv()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = p.o.Root, c.env
	cmd.Stdin = bytes.NewReader(c.stdin)
	cmd.Stdout = io.MultiWriter(&limited{to: &stdout, left: maxOutput}, last)
	cmd.Stderr = last
	// A gate's processes end with the program that runs it, so it is asked first.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = childWait
	err := cmd.Run()
	out := result{child: c, stdout: stdout.Bytes(), tail: last.String()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return out, context.Cause(ctx)
	case errors.As(err, &exit):
		out.exit = exit.ExitCode()
	case err != nil:
		return out, fmt.Errorf("%s: %w", filepath.Base(c.program), err)
	}
	return out, nil
}

// failure returns an error that names the command, its exit status and what it
// printed last.
func (r result) failure(what string) *CallError {
	return &CallError{
		Command: commandLine(filepath.Base(r.child.program), r.child.args), Exit: r.exit, What: what, Tail: strings.TrimSpace(r.tail),
	}
}

// CallError is a call whose answer is not the one that the script expects.
type CallError struct {
	Command string // as a shell would take it
	Exit    int
	What    string
	Tail    string // what it printed last, may be empty
}

func (e *CallError) Error() string {
	text := fmt.Sprintf("%s: exit status %d: %s", e.Command, e.Exit, e.What)
	if e.Tail != "" {
		text += "\n" + e.Tail
	}
	return text
}

// environment returns what children get: what of environ is on the list, and then
// what is set.
func environment(environ, set []string) []string {
	return append(engine.CleanEnv(environ), set...)
}

// agentEnv is the environment of an agent's shell, but for what the session's start left.
func (p *Player) agentEnv() []string {
	return append(environment(p.o.Environ, p.o.Set), Marker+"=1", "GIT_EDITOR=true")
}

// hookEnv is the environment of a hook.
func (p *Player) hookEnv() []string {
	return append(environment(p.o.Environ, p.o.Set), "CLAUDE_PROJECT_DIR="+p.o.Root)
}

// commandLine returns a command as a shell takes it.
func commandLine(program string, args []string) string {
	words := make([]string, 0, len(args)+1)
	for _, w := range append([]string{program}, args...) {
		if w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+") != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// tail keeps the last bytes that were written to it, by both streams of a child.
type tail struct {
	mu   sync.Mutex
	kept []byte
	cut  bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - tailBytes; over > 0 {
		t.kept, t.cut = append(t.kept[:0], t.kept[over:]...), true
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.ToValidUTF8(string(t.kept), "�")
	if t.cut {
		return "…" + text
	}
	return text
}

// limited writes the first bytes and drops the others.
type limited struct {
	to   io.Writer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(len(b), l.left)
	l.left -= n
	if _, err := l.to.Write(b[:n]); err != nil {
		return 0, err
	}
	return len(b), nil
}
