//go:build e2e

package e2e

import (
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/messages"
)

// A prompt that the model schedules fires like one that a human types.
func TestScheduledWord(t *testing.T) {
	steps := until(t, script(t), "{{digest approval}}")
	c := newCrew(t, func(m *worker) {
		m.play(steps)
		res := m.Use(messages.ToolUse{Name: "CronCreate", Input: map[string]any{
			"cron": "* * * * *", "prompt": "/asterweave:approve " + m.digest(), "recurring": true,
		}})[0]
		m.Say("Later: " + res.Text)
		m.End("I heard: " + m.Request().Text())
	})
	w := c.w
	s := w.session()
	w.human(s, steps)
	before := w.standing()
	results := s.Transcript().Results()
	t.Log(results[len(results)-1].Text)
	for deadline := time.Now().Add(100 * time.Second); time.Now().Before(deadline); time.Sleep(time.Second) {
		if len(s.Transcript().Results()) > len(results) {
			break
		}
	}
	if got := w.standing(); got != before {
		t.Errorf("a scheduled prompt moved the delivery to\n%s", got)
	}
}
