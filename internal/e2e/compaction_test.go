//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/messages"
)

// A conversation that outgrows the model is compacted in mid-flight: where the
// delivery is goes into the summary and stands in what comes after it, and the
// delivery goes on.
func TestCompactionInMidFlight(t *testing.T) {
	t.Parallel()
	all := refunds().script(t)
	first, second := until(t, all, `"kind": "decision"`), until(t, all, "{{digest approval}}")
	second = second[len(first):]
	c := newCrew(t, refunds(), nil)
	c.main = []func(*worker){func(m *worker) {
		m.play(first)
		c.w.server.Fail(messages.Main, messages.TooLong)
		m.bash("true") // what comes of it may be lost with the conversation
		m.state(nil, "next")
		m.playOn(second)
		m.End("This waits for an approval.")
	}}
	w := c.w
	s := w.session()
	w.human(s, first)
	w.human(s, second)
	if got := w.mustStatus().Delivery; got.Node != "approve" {
		t.Fatalf("the delivery is at %s: %s", got.Node, got.Reason)
	}

	requests := w.server.Requests()
	at := slices.IndexFunc(requests, func(r messages.Request) bool { return r.Kind == messages.Compact })
	if at < 0 || at+1 >= len(requests) {
		t.Fatal("nothing was compacted")
	}
	id := w.mustStatus().Delivery.ID
	brief := []string{"delivery " + id + " is open", "node: challenge", "next step: asterweave-state next", w.goal}
	for _, want := range brief {
		if !strings.Contains(requests[at].Prompt(), want) {
			t.Errorf("the summary was asked for without %q", want)
		}
		after := 0
		for _, m := range requests[at+1].Messages {
			if strings.Contains(m.Text, want) {
				after++
			}
		}
		if after == 0 {
			t.Errorf("what comes after the compaction lacks %q", want)
		}
	}
	if text := requests[at+1].Text(); !strings.Contains(text, "The conversation so far, in short.") {
		t.Errorf("the summary is not in what comes after it: %s", text)
	}
}
