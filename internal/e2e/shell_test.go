//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// The agent's shell finds the programs of the plugin also where the client could make no
// snapshot of the user's shell, in which it puts them on PATH. A slow machine does that:
// the client waits ten seconds for it.
func TestShellWithoutSnapshot(t *testing.T) {
	t.Parallel()
	var heard answer
	c := newCrew(t, pages(), func(m *worker) {
		heard = m.state(nil, "next")
		m.tryState("ask", "--kind", "decision", "--question", "is this the right repository?") // ends the turn
		m.End("It is open.")
	})
	w := c.w
	if err := os.WriteFile(filepath.Join(w.home, ".bashrc"), []byte("exit 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.set = append(w.set, "SHELL=/bin/bash")
	w.say(w.session(), "/asterweave "+w.goal)
	if !heard.OK {
		t.Errorf("the model heard %+v", heard)
	}
	if found, err := filepath.Glob(filepath.Join(w.home, ".claude", "shell-snapshots", "*")); err != nil || len(found) != 0 {
		t.Errorf("there is a snapshot: %v %v", found, err)
	}
}
