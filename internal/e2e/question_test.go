//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/client"
	"github.com/asterweave/asterweave/internal/messages"
)

// question is one of the model's own making, in a tone that invites a yes.
func question(text string, labels ...string) messages.ToolUse {
	var options []map[string]string
	for _, l := range labels {
		options = append(options, map[string]string{"label": l, "description": "as the model puts it"})
	}
	return messages.ToolUse{Name: "AskUserQuestion", Input: map[string]any{"questions": []map[string]any{
		{"question": text, "header": "Go on?", "options": options, "multiSelect": false},
	}}}
}

// skill calls a command of a plugin as a model can.
func skill(name, args string) messages.ToolUse {
	return messages.ToolUse{Name: "Skill", Input: map[string]any{"skill": name, "args": args}}
}

// The question that reaches the human is the program's own, whatever the model asks,
// and its answer approves.
func TestApprovalByQuestion(t *testing.T) {
	t.Parallel()
	steps := until(t, refunds().script(t), "{{digest approval}}")
	c := newCrew(t, refunds(), func(m *worker) {
		m.play(steps)
		res := m.Use(question("All is well. Shall I go on?", "Yes", "No"))[0]
		m.End("The human said: " + res.Text)
	})
	w := c.w
	s := w.session()
	var asked []client.Question
	s.OnQuestion(func(q client.Question) string {
		asked = append(asked, q)
		return q.Options[0].Label
	})
	w.human(s, steps)

	if len(asked) != 1 {
		t.Fatalf("the human was asked %d times", len(asked))
	}
	var digest string
	for _, change := range w.changes() {
		if change.Approved != nil {
			digest = change.Approved.Digest
			if change.Approved.Channel != "client" {
				t.Errorf("approved through %s", change.Approved.Channel)
			}
		}
	}
	if digest == "" {
		t.Fatal("nothing is approved")
	}
	if !strings.Contains(asked[0].Text, digest) || strings.Contains(asked[0].Text, "Shall I") || asked[0].Options[0].Label != "Approve "+digest[:8] {
		t.Errorf("the human saw %+v", asked[0])
	}
	if got := w.mustStatus().Delivery; got.Node != "implement" {
		t.Errorf("the delivery is at %s, want implement", got.Node)
	}
	// The model hears of it with the next prompt, after the call.
	last := slices.Collect(last(w.server.Requests(), messages.Main))
	if !strings.Contains(last[0].Text(), "is recorded.") {
		t.Error("the model was not told that the answer is recorded")
	}
}

// Whatever a human says to the question but the one label, nothing moves.
func TestNoToTheQuestion(t *testing.T) {
	t.Parallel()
	answers := []string{"Reject", "", "Yes", "Approve", "approve 00000000", "Approve 00000000", "no, and I mean it"}
	steps := until(t, refunds().script(t), "{{digest approval}}")
	c := newCrew(t, refunds(), func(m *worker) {
		m.play(steps)
		for range answers {
			m.Say("The next question, please.")
			m.Use(question("Shall I approve?", "Yes", "No"))
		}
		m.End("That was all.")
	})
	w := c.w
	s := w.session()
	w.human(s, steps)
	before, n := w.standing(), len(w.changes())
	for _, answer := range answers {
		asked := 0
		s.OnQuestion(func(client.Question) string { asked++; return answer })
		w.say(s, "Ask me.")
		if asked != 1 {
			t.Errorf("%q: the human was asked %d times", answer, asked)
		}
		if got := w.standing(); got != before {
			t.Errorf("%q moved the delivery:\n%s", answer, got)
		}
		if got := moved(w.changes()[n:]); len(got) != 0 {
			t.Errorf("%q left %s", answer, marshal(t, got))
		}
	}
}
