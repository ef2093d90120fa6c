package hook_test

import (
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/state"
)

func TestAHumanSpoke(t *testing.T) {
	w := at(t, "review")
	says := func(prompt string, more fields) []string {
		w.t.Helper()
		n := w.seq()
		p := w.with("UserPromptSubmit", fields{"prompt": prompt})
		for k, v := range more {
			p[k] = v
		}
		if a := w.hook("user-prompt-submit", p); !a.silent() || a.stderr != "" {
			t.Errorf("%q: %+v", prompt, a)
		}
		return w.events(n)
	}
	for _, nobody := range []string{"<task-notification>\n<status>completed</status>", " \n<task-notification>", "first\n<task-notification>x", "", "  "} {
		if got := says(nobody, nil); len(got) > 0 {
			t.Errorf("%q: %q", nobody, got)
		}
	}
	if got := says("go on", fields{"agent_id": "a1", "agent_type": "x"}); len(got) > 0 {
		t.Errorf("a subagent is a human: %q", got)
	}
	if got := says("/asterweave:approve 12345678", nil); strings.Join(got, " ") != "heard" || len(w.state().Asks) > 0 || w.state().Node != "review" {
		t.Errorf("a prompt: %q", got)
	}
	w.environ = append(w.environ, "ASTERWEAVE_AGENT=1")
	if got := says("go on", nil); len(got) > 0 {
		t.Errorf("an agent's shell is a human: %q", got)
	}
}

// TestHoldsBeginAnewAfterAHuman keeps turns until the delivery pauses: a human in
// between begins the count anew, a notification does not, and neither resumes.
func TestHoldsBeginAnewAfterAHuman(t *testing.T) {
	w := at(t, "review")
	w.hook("session-start", w.with("SessionStart", fields{"source": "startup"}))
	kept := func() bool { return w.hook("stop", w.with("Stop", nil)).refused() }
	speaks := func(prompt string) {
		w.hook("user-prompt-submit", w.with("UserPromptSubmit", fields{"prompt": prompt}))
	}
	for range 3 {
		for range 3 {
			if !kept() {
				t.Fatal("the turn ends although a human has spoken")
			}
		}
		speaks("what takes so long?")
	}
	for range 3 {
		kept()
		speaks("<task-notification>done</task-notification>")
	}
	if kept() || w.state().Delivery.Status != state.Paused {
		t.Errorf("the delivery is %s", w.state().Delivery.Status)
	}
	speaks("hello?")
	if w.state().Delivery.Status != state.Paused || kept() {
		t.Error("a prompt resumes a paused delivery")
	}
}

func TestAPromptWhileLocked(t *testing.T) {
	w := at(t, "review")
	unlock := w.hold()
	defer unlock()
	if a := w.hook("user-prompt-submit", w.with("UserPromptSubmit", fields{"prompt": "hello"})); !a.silent() || a.stderr != "" {
		t.Errorf("%+v", a)
	}
}
