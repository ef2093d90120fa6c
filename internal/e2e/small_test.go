//go:build e2e

package e2e

import (
	"testing"

	"github.com/asterweave/asterweave/internal/client"
)

// A fix of one line is worth its delivery: at most so many calls of the program by the
// model, and so many answers by the human. The human chooses in the client's dialog,
// which shows what they decide on, so that no call has to.
func TestSmallFix(t *testing.T) {
	t.Parallel()
	const mostCalls, mostAnswers = 25, 2
	steps := pages().script(t)
	c := newCrew(t, pages(), func(m *worker) {
		m.asks = true
		m.play(steps)
		m.End("The delivery is done.")
	})
	w := c.w
	s := w.session()
	answers := 0
	s.OnQuestion(func(q client.Question) string {
		answers++
		return q.Options[0].Label
	})
	w.say(s, "/asterweave "+w.goal)
	if got := w.mustStatus().Delivery; got.Status != "done" {
		t.Fatalf("the delivery is %s at %s: %s", got.Status, got.Node, got.Reason)
	}
	made := calls(s.Transcript())
	t.Logf("%d calls of asterweave-state by the model, %d answers by the human", made, answers)
	if made == 0 || made > mostCalls || answers != mostAnswers {
		t.Errorf("%d calls and %d answers, want at most %d and %d", made, answers, mostCalls, mostAnswers)
	}
}
