//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/messages"
)

// A prompt that the model schedules would come up in the session like a typed one. The
// guard lets none be scheduled while a delivery is open; were there one, the client
// expands no command that a model may not invoke, which the plugin's own test holds.
func TestScheduledWord(t *testing.T) {
	t.Parallel()
	steps := until(t, refunds().script(t), "{{digest approval}}")
	c := newCrew(t, refunds(), func(m *worker) {
		m.play(steps)
		word := "/asterweave:approve " + m.digest()
		m.End(m.Use(messages.ToolUse{Name: "CronCreate", Input: map[string]any{"cron": "* * * * *", "prompt": word, "recurring": true}})[0].Text)
	})
	w := c.w
	s := w.session()
	w.human(s, steps)
	before := w.standing()
	results := s.Transcript().Results()
	if got := results[len(results)-1].Text; !strings.Contains(got, "a scheduled prompt looks like a person's word") {
		t.Errorf("the model heard %q", got)
	}
	if s := w.mustStatus(); s.Delivery.Node != "approve" || w.standing() != before {
		t.Errorf("the delivery is %+v", s.Delivery)
	}
}
