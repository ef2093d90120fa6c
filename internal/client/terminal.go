package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// keyWait is how long a human waits between two keys: the client takes keys that come
// together for a paste, or for one.
const keyWait = 300 * time.Millisecond

// Terminal is a client in a terminal, and the human in front of it. The terminal is
// tmux, with a server of its own that reads nobody's settings.
type Terminal struct {
	tmux    string
	folder  string // of the socket, whose path has to be short
	environ []string
	wait    time.Duration
}

// OpenTerminal runs the client in a terminal of a size, as one who has used it before:
// what it asks at its first start is answered in the home. Close has to be called.
// Without tmux the error is [ErrUnavailable].
func OpenTerminal(ctx context.Context, o Options, columns, rows int) (*Terminal, error) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err := settle(o.Home, o.Dir); err != nil {
		return nil, err
	}
	t := &Terminal{tmux: tmux, wait: o.Wait}
	if t.wait == 0 {
		t.wait = sayWait
	}
	if t.folder, err = os.MkdirTemp("", "tmux-"); err != nil {
		return nil, err
	}
	in := o.command(ctx)
	t.environ = append(in.Env, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8")
	args := append([]string{"new-session", "-d", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows), "--"}, in.Args...)
	cmd := t.command(ctx, args...)
	cmd.Dir = o.Dir
	var said tail
	cmd.Stdout, cmd.Stderr = &said, &said
	if err = o.Network.start(cmd); err == nil { // the server, and what runs in it, stay where this is
		err = cmd.Wait()
	}
	if err == nil {
		_, err = t.do(ctx, "set-option", "-g", "status", "off")
	}
	if err == nil { // the line of the status is the client's now
		_, err = t.do(ctx, "resize-window", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the client in tmux: %w: %s", err, &said), t.Close())
	}
	return t, nil
}

// settle says what the client asks a human at its first start in a folder.
func settle(home, dir string) error {
	data, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true,
		"theme":                  "dark",
		"customApiKeyResponses":  map[string][]string{"approved": {dummyKey[max(0, len(dummyKey)-20):]}, "rejected": {}},
		"projects":               map[string]any{dir: map[string]any{"hasTrustDialogAccepted": true, "allowedTools": []string{}}},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(home, ".claude.json"), data, 0o600)
}

// Type types a text, without a key behind it.
func (t *Terminal) Type(ctx context.Context, text string) error {
	_, err := t.do(ctx, "send-keys", "-l", "--", text)
	time.Sleep(keyWait)
	return err
}

// Press presses keys by tmux's names for them: Enter, Down, Escape.
func (t *Terminal) Press(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		if _, err := t.do(ctx, "send-keys", "--", key); err != nil {
			return err
		}
		time.Sleep(keyWait)
	}
	return nil
}

// Screen returns what the terminal shows, with SGR sequences for how it looks.
func (t *Terminal) Screen(ctx context.Context) (string, error) {
	return t.do(ctx, "capture-pane", "-p", "-e", "-N")
}

// Await waits until the terminal's text, without its looks, is as the human expects it.
func (t *Terminal) Await(ctx context.Context, expected func(text string) bool) error {
	for until := time.Now().Add(t.wait); ; time.Sleep(100 * time.Millisecond) {
		text, err := t.do(ctx, "capture-pane", "-p")
		switch {
		case err != nil:
			return err
		case expected(text):
			return nil
		case time.Now().After(until):
			return fmt.Errorf("after %s the terminal shows:\n%s", t.wait, text)
		}
	}
}

// Close ends the terminal and what runs in it, and waits until the client is gone: it
// writes to its home as it leaves.
func (t *Terminal) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), exitWait)
	defer cancel()
	pid, err := t.do(ctx, "display-message", "-p", "#{pane_pid}")
	if err == nil {
		_, err = t.do(ctx, "kill-server")
	}
	if err == nil {
		err = gone(ctx, strings.TrimSpace(pid))
	}
	return errors.Join(err, os.RemoveAll(t.folder))
}

// gone waits until a process that is nobody's child here has ended.
func gone(ctx context.Context, pid string) error {
	n, err := strconv.Atoi(pid)
	if err != nil {
		return err
	}
	p, err := os.FindProcess(n)
	for err == nil && ctx.Err() == nil {
		if err = p.Signal(syscall.Signal(0)); err == nil {
			time.Sleep(50 * time.Millisecond)
		}
	}
	return ctx.Err()
}

func (t *Terminal) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.tmux, append([]string{"-S", filepath.Join(t.folder, "socket"), "-f", os.DevNull}, args...)...)
	cmd.Env = t.environ
	return cmd
}

func (t *Terminal) do(ctx context.Context, args ...string) (string, error) {
	var stdout strings.Builder
	cmd := t.command(ctx, args...)
	var said tail
	cmd.Stdout, cmd.Stderr = &stdout, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, &said)
	}
	return stdout.String(), nil
}
