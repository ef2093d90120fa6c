//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/client"
	"github.com/asterweave/asterweave/internal/messages"
)

// What a human types behind the bare command is the goal of a delivery. A model that
// then ends its turn is kept three times; when it does nothing, the delivery pauses.
func TestCommandOpensDelivery(t *testing.T) {
	t.Parallel()
	model := messages.NewCast(func(c *messages.Conversation) { c.End("I have read the prompt.") }, nil)
	defer model.Close()
	w := newWorld(t, pages(), model)
	s := w.session()
	if r := w.say(s, "/asterweave "+w.goal); r.Error {
		t.Errorf("the prompt ended with %+v", r)
	}
	w.checkLoaded(s.Transcript())

	var goal, by string
	for _, c := range w.changes() {
		if c.Started != nil {
			goal, by = c.Started.Delivery.Goal, c.Started.Delivery.GoalBy
		}
	}
	if goal != w.goal || by != "client" {
		t.Errorf("the ledger says goal %q by %q, want %q by client", goal, by, w.goal)
	}
	requests := w.server.Requests()
	if len(requests) != 4 {
		t.Fatalf("%d requests, want one and three that the Stop gate made", len(requests))
	}
	if want := "waits for nobody. Run `asterweave-state next`"; !strings.Contains(requests[1].Text(), want) {
		t.Errorf("the model was not told %q", want)
	}
	w.checkStalled()
	for _, want := range []string{"is open.", "intake", w.goal} {
		if !strings.Contains(requests[0].Text(), want) {
			t.Errorf("the model was not told %q", want)
		}
	}
}

// The same without a human in front: a printed prompt. The model is not to be had at
// first, which the client gets over by itself.
func TestCommandOpensDeliveryInPrint(t *testing.T) {
	t.Parallel()
	model := messages.NewCast(func(c *messages.Conversation) { c.End("I have read the prompt.") }, nil)
	defer model.Close()
	w := newWorld(t, pages(), model)
	w.server.Fail(messages.Main, messages.Overloaded)
	events, err := client.Print(t.Context(), w.options(), "/asterweave "+w.goal)
	if err != nil {
		t.Fatal(err)
	}
	w.checkLoaded(events)
	if got := events.Results(); len(got) != 1 || got[0].Error || len(w.server.Requests()) != 5 {
		t.Errorf("%d requests ended with %+v", len(w.server.Requests()), got)
	}
	w.checkStalled()
}

// checkStalled looks that the delivery waits for a human after a model that did nothing.
func (w *world) checkStalled() {
	w.t.Helper()
	if s := w.mustStatus(); s.Delivery.Status != "paused" || s.Delivery.Node != "intake" || !strings.Contains(s.Delivery.Reason, "without progress") {
		w.t.Errorf("the delivery is %+v", s.Delivery)
	}
}

// checkLoaded compares what the client says that it loaded with the plugin: one that
// it does not find is passed over in silence.
func (w *world) checkLoaded(events client.Transcript) {
	w.t.Helper()
	got, ok := events.Init()
	if !ok || len(got.Plugins) != 1 || got.Plugins[0].Name != "asterweave" {
		w.t.Fatalf("the client loaded %+v", got.Plugins)
	}
	for _, want := range []string{"asterweave:asterweave", "asterweave:approve"} {
		if !slices.Contains(got.Commands, want) {
			w.t.Errorf("the client does not know the command %s: %v", want, got.Commands)
		}
	}
	for _, want := range []string{"asterweave:staff-reviewer", "asterweave:implementer"} {
		if !slices.Contains(got.Agents, want) {
			w.t.Errorf("the client does not know the agent %s: %v", want, got.Agents)
		}
	}
}
