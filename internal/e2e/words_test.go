//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/messages"
)

// Without a delivery, hand-written changes are reviewed by two reviewers who get one and
// the same prompt, which is left as the model wrote it; nothing of it is recorded.
func TestReviewWithoutDelivery(t *testing.T) {
	t.Parallel()
	const prompt = "Review what changed since HEAD: pages.go. Leave tree and resolved empty."
	var told, heard string
	got := make(chan string, 2)
	c := newCrew(t, pages(), func(m *worker) {
		told = m.Request().Text()
		if now := m.bash("asterweave-state status"); !strings.Contains(now.Text, "there is no delivery") {
			m.fail("status says %s", now.Text)
		}
		for _, res := range m.Use(delegation("staff-reviewer", prompt), delegation("security-reviewer", prompt)) {
			if res.Error {
				m.fail("a reviewer was refused: %s", res.Text)
			}
			heard += res.Text
		}
		m.End("Low: one finding, by both.")
	})
	for _, name := range []string{"staff-reviewer", "security-reviewer"} {
		c.send(name, func(m *worker) {
			got <- m.Request().Prompt()
			if read := m.Use(messages.ToolUse{Name: "Read", Input: map[string]any{"file_path": filepath.Join(m.w.root, "pages.go")}})[0]; read.Error {
				m.fail("read: %s", read.Text)
			}
			m.End("The finding of the " + name + ".")
		})
	}
	w := c.w
	if err := os.WriteFile(filepath.Join(w.root, "pages.go"), []byte("package pages\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := w.session()
	if r := w.say(s, "/asterweave:review"); r.Error {
		t.Errorf("the prompt ended with %+v", r)
	}
	if !strings.Contains(told, "Start the agents `asterweave:staff-reviewer` and `asterweave:security-reviewer`") {
		t.Errorf("the model was told\n%s", told)
	}
	for range 2 {
		if p := <-got; !strings.Contains(p, prompt) {
			t.Errorf("a reviewer got %q", p)
		}
	}
	for _, want := range []string{"of the staff-reviewer", "of the security-reviewer"} {
		if !strings.Contains(heard, want) {
			t.Errorf("the model heard %q, which lacks %q", heard, want)
		}
	}
	if _, err := os.Stat(filepath.Join(w.root, ".claude")); !os.IsNotExist(err) {
		t.Errorf("a review without a delivery left a folder: %v", err)
	}
}

// The retro command has the model show what the ledgers say.
func TestRetro(t *testing.T) {
	t.Parallel()
	var shown string
	c := newCrew(t, pages(), func(m *worker) {
		if want := "Run `asterweave-state retro`"; !strings.Contains(m.Request().Text(), want) {
			m.fail("the model was not told %q", want)
		}
		shown = m.bash("asterweave-state retro").Text
		m.End(shown)
	})
	w := c.w
	if _, err := w.look("start", "--goal", w.goal); err != nil {
		t.Fatal(err)
	}
	if _, err := w.look("pause", "--reason", "the retro comes first"); err != nil {
		t.Fatal(err)
	}
	s := w.session()
	w.say(s, "/asterweave:retro")
	if !strings.Contains(shown, "all 1: 1 paused") {
		t.Errorf("the ledgers say\n%s", shown)
	}
}
