//go:build e2e

package e2e

import (
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/messages"
)

// A prompt that the model schedules comes up in the session like a typed one, and is
// nobody's word. The client does not expand commands there that a model may not
// invoke, so each command that carries a human's word has to say that it is one.
func TestScheduledWord(t *testing.T) {
	steps := until(t, script(t), "{{digest approval}}")
	heard := make(chan string, 1)
	c := newCrew(t, func(m *worker) {
		m.play(steps)
		word := "/asterweave:approve " + m.digest()
		m.Use(messages.ToolUse{Name: "CronCreate", Input: map[string]any{"cron": "* * * * *", "prompt": word, "recurring": true}})
		heard <- m.Say("This waits for an approval.").Prompt()
		m.End("I have heard it.")
	})
	w := c.w
	s := w.session()
	w.human(s, steps)
	before := w.standing()
	results := len(s.Transcript().Results())
	for deadline := time.Now().Add(2 * time.Minute); len(s.Transcript().Results()) == results; time.Sleep(time.Second) {
		if time.Now().After(deadline) {
			t.Fatal("the schedule never fired")
		}
	}
	if got := w.standing(); got != before {
		t.Errorf("a scheduled prompt moved the delivery to\n%s", got)
	}
	select {
	case <-heard:
	default:
		t.Errorf("the command was expanded, and ended with %q", s.Transcript().Results()[results].Text)
	}
}
