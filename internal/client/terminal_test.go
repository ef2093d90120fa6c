//go:build unix

package client

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A program in the terminal is typed to, and looked at.
func TestTerminal(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	program := filepath.Join(t.TempDir(), "program")
	const script = `#!/bin/sh
printf '\033[31mhello\033[0m from %s\n' "$(pwd)"
read -r line
echo "$line, $MORE" | tee said
sleep 60
`
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	network, err := NewNetwork()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = network.Close() })
	term, err := OpenTerminal(t.Context(), Options{
		Program: program, Network: network, Dir: dir, Home: home, Set: []string{"MORE=well met"}, Wait: 20 * time.Second,
	}, 200, 10)
	if errors.Is(err, ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	open := true
	t.Cleanup(func() {
		if open {
			_ = term.Close()
		}
	})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	shows := func(text string) func(string) bool {
		return func(screen string) bool { return strings.Contains(screen, text) }
	}
	must(term.Await(t.Context(), shows("hello from "+dir)))
	must(term.Type(t.Context(), "$HOME; -l 'and' Enter"))
	must(term.Press(t.Context(), "Enter"))
	must(term.Await(t.Context(), shows("Enter, well met")))
	if said, err := os.ReadFile(filepath.Join(dir, "said")); err != nil || string(said) != "$HOME; -l 'and' Enter, well met\n" {
		t.Errorf("the program read %q, %v", said, err)
	}
	screen, err := term.Screen(t.Context())
	must(err)
	if !strings.Contains(screen, "\x1b[31mhello") || strings.Count(screen, "\n") != 10 {
		t.Errorf("the screen is %q", screen)
	}
	if seeded, err := os.ReadFile(filepath.Join(home, ".claude.json")); err != nil || !strings.Contains(string(seeded), dir) {
		t.Errorf("the home says %s, %v", seeded, err)
	}
	open = false
	must(term.Close())
	if _, err := os.Stat(term.folder); !os.IsNotExist(err) {
		t.Errorf("the socket's folder is still there: %v", err)
	}
	if _, err := term.Screen(t.Context()); err == nil {
		t.Error("a closed terminal has a screen")
	}
}
