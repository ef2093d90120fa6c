//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/messages"
)

// A script whose words the guard does not see pushes past a delivery that was opened in
// the same session: the client has pointed Git at hooks of ours.
func TestGitJudgesWhatAScriptPushes(t *testing.T) {
	t.Parallel()
	var script, path string
	var said []string
	model := messages.NewCast(func(c *messages.Conversation) {
		for _, command := range []string{"git config core.hooksPath", "sh " + script + " || echo it failed"} {
			out := c.Use(messages.ToolUse{Name: "Bash", Input: map[string]any{"command": command, "description": "try"}})
			said = append(said, out[0].Text)
		}
		c.End("That is all.")
	}, nil)
	defer model.Close()
	w := newWorld(t, pages(), model)
	script, path = filepath.Join(w.scratch, "release.sh"), filepath.Join(w.root, ".git", "asterweave", "hooks")
	if err := os.WriteFile(script, []byte("git commit -q --allow-empty -m other && git push --force origin HEAD:main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := w.git(w.remote, "for-each-ref")
	w.say(w.session(), "/asterweave "+w.goal)
	if len(said) != 2 || said[0] != path || !strings.Contains(said[1], "the push is refused (base)") || !strings.Contains(said[1], "it failed") {
		t.Errorf("the agent's shell said %q", said)
	}
	if after := w.git(w.remote, "for-each-ref"); after != before {
		t.Errorf("the remote has changed: %s", after)
	}
}
