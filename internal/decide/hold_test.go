package decide_test

import (
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/state"
)

func (s *story) holds() (goOn bool) {
	s.t.Helper()
	s.ok(s.do(agent(), func(d *decide.Draft) error {
		var err error
		goOn, err = d.Hold()
		return err
	}))
	return goOn
}

// A turn goes on while the delivery waits for nobody, and for some times without
// progress; any progress counts anew.
func TestHold(t *testing.T) {
	s := tell(t).at(graph.Test)
	for i := range 3 {
		if !s.holds() {
			t.Fatalf("hold %d: the turn ends", i+1)
		}
	}
	s.ok(s.run("unit", 0, 3))
	for i := range 3 {
		if !s.holds() {
			t.Fatalf("hold %d after a record: the turn ends", i+1)
		}
	}
	if s.holds() || s.state.Delivery.Status != state.Paused || !strings.Contains(s.state.Delivery.Reason, "without progress at test") {
		t.Errorf("the delivery is %s: %s", s.state.Delivery.Status, s.state.Delivery.Reason)
	}
	if s.holds() {
		t.Error("a paused delivery goes on")
	}
	s.ok(s.resume(human()))
	for i := range 3 {
		if !s.holds() {
			t.Fatalf("hold %d after a human let it go on: the turn ends, and the delivery is %s", i+1, s.state.Delivery.Status)
		}
	}
	s.toEnd()
	if s.holds() {
		t.Error("a delivery that is done goes on")
	}
}

func TestHoldWaitsForHumans(t *testing.T) {
	s := tell(t).at(graph.Approve)
	if s.holds() {
		t.Error("the turn goes on although an approval is due")
	}
	s.at(graph.Implement)
	s.ok(s.opensAsk(state.AskDecision, "which one?", graph.Review))
	if !s.holds() {
		t.Error("an ask that blocks a later node ends the turn")
	}
	s.ok(s.opensAsk(state.AskDecision, "and now?", graph.Implement))
	if s.holds() {
		t.Error("the turn goes on although an ask blocks the node")
	}
}
