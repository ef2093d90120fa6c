//go:build e2e

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/client"
	"github.com/asterweave/asterweave/internal/state"
)

// A whole delivery in the real client: the first attempt fails its tests, reviewers
// are subagents that work side by side, and a human answers three times by typed
// commands.
func TestDeliveryToDone(t *testing.T) {
	t.Parallel()
	steps := refunds().script(t)
	c := newCrew(t, refunds(), func(m *worker) {
		m.play(steps)
		m.End("The delivery is done.")
	})
	w := c.w
	s := w.session()
	answers := w.human(s, steps)
	events := s.Transcript()

	if got := w.mustStatus().Delivery; got.Status != "done" {
		t.Fatalf("the delivery is %s at %s: %s", got.Status, got.Node, got.Reason)
	}
	calls := calls(events)
	t.Logf("%d calls of asterweave-state by the model, %d answers by the human, %d requests", calls, answers, len(w.server.Requests()))
	if answers != 3 {
		t.Errorf("the human answered %d times, want 3", answers)
	}
	if calls == 0 || calls > 40 {
		t.Errorf("the model called the program %d times", calls)
	}
	var failures []string
	var heard []string
	reviewers := map[string]bool{}
	back := 0
	for _, change := range w.changes() {
		switch {
		case change.Completed != nil && change.Completed.Failure != nil:
			failures = append(failures, change.Completed.Failure.Signature)
		case change.Approved != nil:
			heard = append(heard, "approval "+change.Approved.Channel)
		case change.Confirmed != nil:
			heard = append(heard, "confirmation "+change.Confirmed.Channel)
		case change.Closed != nil && change.Closed.Answer != "approved" && change.Closed.Answer != "confirmed":
			heard = append(heard, "reply "+change.Closed.Channel)
		case change.SentBack != nil:
			back++
		case change.Recorded != nil && change.Recorded.Kind.IsReview():
			reviewers[change.Recorded.By.Agent] = true
		}
	}
	if len(failures) != 1 || !strings.HasPrefix(failures[0], "unit-test/TestRefundOverRemaining") {
		t.Errorf("failures %v, want one of TestRefundOverRemaining", failures)
	}
	if got, want := strings.Join(heard, ", "), "reply client, approval client, confirmation client"; got != want {
		t.Errorf("heard: %s, want %s", got, want)
	}
	if len(reviewers) != 2 || reviewers[""] {
		t.Errorf("the reviews come from %v, want two agents", reviewers)
	}
	if back != 2 {
		t.Errorf("%d verdicts were sent back, want the first of each reviewer", back)
	}
	if out, err := w.look("verify"); err != nil {
		t.Errorf("verify: %v\n%s", err, out)
	}
}

// human types what the script's human says, each when the turn has ended, and returns
// how many of it were answers.
func (w *world) human(s *client.Session, steps []json.RawMessage) int {
	w.t.Helper()
	answers := 0
	for _, raw := range steps {
		if !strings.Contains(string(raw), `"do": "human"`) {
			continue
		}
		said, err := w.resolve(raw)
		if err != nil {
			w.t.Fatal(err)
		}
		if r := w.say(s, said.Say); r.Error {
			w.t.Fatalf("%s: %+v", said.Say, r)
		}
		if strings.HasPrefix(said.Say, "/asterweave:") {
			answers++
		}
	}
	return answers
}

// calls counts the model's calls of asterweave-state.
func calls(events client.Transcript) int {
	n := 0
	for _, u := range events.Uses() {
		var in struct {
			Command string `json:"command"`
		}
		if u.Name != "Bash" || json.Unmarshal(u.Input, &in) != nil {
			continue
		}
		line, _, _ := strings.Cut(in.Command, "\n") // below are documents
		for part := range strings.SplitSeq(line, " | ") {
			if strings.HasPrefix(part, "asterweave-state ") {
				n++
			}
		}
	}
	return n
}

// until returns the steps before the one that the given text is in.
func until(t *testing.T, steps []json.RawMessage, text string) []json.RawMessage {
	t.Helper()
	for i, raw := range steps {
		if strings.Contains(string(raw), text) {
			return steps[:i]
		}
	}
	t.Fatalf("no step with %s", text)
	return nil
}

// moved leaves counted tool calls, notes and the session's lease out, which move nothing.
func moved(changes []state.Change) []state.Change {
	var out []state.Change
	for _, c := range changes {
		if c.Tool == nil && c.Prompted == nil && c.Leased == nil && c.Heard == nil && c.Used == nil {
			out = append(out, c)
		}
	}
	return out
}
