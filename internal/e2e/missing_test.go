//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/messages"
)

// Without the hook's program nothing fails open: where a delivery is open the launcher
// refuses what decides something, and says how to get the program. The client overrides
// the refusal to end a turn, so that nobody is kept for ever.
func TestProgramMissingInADelivery(t *testing.T) {
	t.Parallel()
	var bash, write messages.ToolResult
	c := newCrew(t, pages(), func(m *worker) {
		bash = m.bash("echo x > by-bash")
		write = m.Use(messages.ToolUse{Name: "Write", Input: map[string]any{"file_path": filepath.Join(m.w.root, "by-write"), "content": "x"}})[0]
		for {
			m.Say("That was all.")
		}
	})
	w := c.w
	if _, err := w.look("start", "--goal", w.goal); err != nil {
		t.Fatal(err)
	}
	before := w.standing()
	w.loseProgram()
	s := w.session()
	w.say(s, "Change something.")
	for name, r := range map[string]messages.ToolResult{"Bash": bash, "Write": write} {
		if !r.Error || !strings.Contains(r.Text, "asterweave-hook is missing while a delivery is open here; make install") {
			t.Errorf("%s: the model heard %q", name, r.Text)
		}
	}
	if n := len(w.server.Requests()); n > 12 {
		t.Errorf("the turn took %d requests to end", n)
	}
	if r := w.say(s, "/asterweave:approve 00000000"); !strings.Contains(r.Text, "make install") {
		t.Errorf("the human heard %q", r.Text)
	}
	if got := w.git(w.root, "status", "--porcelain"); got != "" || w.standing() != before {
		t.Errorf("something changed: %s\n%s", got, w.standing())
	}
}

// Where no delivery is open the launcher is silent, and only the command itself says how
// to get the program.
func TestProgramMissingElsewhere(t *testing.T) {
	t.Parallel()
	var bash messages.ToolResult
	c := newCrew(t, pages(), func(m *worker) {
		bash = m.bash("echo x > by-bash")
		m.End("That was all.")
	})
	w := c.w
	w.loseProgram()
	s := w.session()
	if r := w.say(s, "Change something."); r.Error || r.Text != "That was all." {
		t.Errorf("the turn ended with %+v", r)
	}
	if bash.Error || len(w.server.Requests()) != 2 {
		t.Errorf("%d requests, and the model heard %q", len(w.server.Requests()), bash.Text)
	}
	if r := w.say(s, "/asterweave "+w.goal); !strings.Contains(r.Text, "its programs are not on this machine; make install") {
		t.Errorf("the human heard %q", r.Text)
	}
	if got := w.git(w.root, "status", "--porcelain", "--ignored"); got != "?? by-bash" {
		t.Errorf("the worktree has %s", got)
	}
}

// loseProgram leaves clients that are started from now on without the hook's program.
func (w *world) loseProgram() {
	w.t.Helper()
	bare := filepath.Join(w.scratch, "bare")
	if err := os.CopyFS(bare, os.DirFS(have.plugin)); err != nil {
		w.t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(bare, "bin", filepath.Base(have.bin))); err != nil {
		w.t.Fatal(err)
	}
	w.plugins = []string{bare}
	path := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(dir string) bool {
		_, err := exec.LookPath(filepath.Join(dir, "asterweave-hook"))
		return err == nil
	})
	w.set = append(w.set, "PATH="+strings.Join(path, string(filepath.ListSeparator)))
}
