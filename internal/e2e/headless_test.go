//go:build e2e

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/client"
)

// Printed prompts in a mode that allows nothing by itself: the hook lets through what the
// node allows, and nothing is refused on the way. The first ends at the approval; after
// the human's word the second goes on to the end, in the same session or in another.
func TestHeadless(t *testing.T) {
	for _, c := range []struct {
		name   string
		resume bool
	}{{"resumed", true}, {"new session", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			steps := slices.DeleteFunc(pages().script(t), func(raw json.RawMessage) bool {
				return strings.Contains(string(raw), "{{digest confirmation}}") // --auto-pr stands for it
			})
			first := until(t, steps, "{{digest approval}}")
			rest := steps[len(first)+1:]
			begin := func(m *worker) {
				m.play(first)
				waits := m.tryState("inbox")
				if !c.resume {
					m.End(waits)
				}
				m.Say(waits)
			}
			goOn := func(m *worker) {
				m.playOn(rest)
				m.End("The delivery is done.")
			}
			crew := newCrew(t, pages(), func(m *worker) { begin(m); goOn(m) }, goOn)
			w := crew.w

			waits := w.print("/asterweave --auto-pr " + w.goal)
			got := w.mustStatus()
			if got.Delivery.Node != "approve" {
				t.Fatalf("the delivery is at %s: %s", got.Delivery.Node, got.Delivery.Reason)
			}
			digest := got.ask("approval").Digest
			for _, want := range []string{"Count rounds up.", digest[:8], "approve"} {
				if !strings.Contains(waits.Text, want) {
					t.Errorf("it ended without %q:\n%s", want, waits.Text)
				}
			}
			var more []string
			if c.resume {
				more = []string{"--resume", waits.Session}
			}
			done := w.print("/asterweave:approve "+digest, more...)
			if got := w.mustStatus().Delivery; got.Status != "done" {
				t.Errorf("the delivery is %s at %s: %s", got.Status, got.Node, got.Reason)
			}
			if (done.Session == waits.Session) != c.resume {
				t.Errorf("the sessions are %s and %s", waits.Session, done.Session)
			}
		})
	}
}

// print is a prompt without a human behind it, in the mode for that; nothing that the
// model tried may be refused.
func (w *world) print(prompt string, args ...string) client.Result {
	w.t.Helper()
	o := w.options()
	o.Mode, o.Args = "dontAsk", append(o.Args, args...)
	events, err := client.Print(w.t.Context(), o, prompt)
	if err != nil || w.t.Failed() {
		w.keep(events)
		w.t.Fatal(err)
	}
	results := events.Results()
	if len(results) != 1 || results[0].Error {
		w.t.Fatalf("%s: %+v", prompt, results)
	}
	for _, d := range results[0].Denials {
		w.t.Errorf("denied: %s %s", d.Tool, d.Input)
	}
	return results[0]
}
