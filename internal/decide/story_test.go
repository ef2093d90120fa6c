package decide_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// story is a delivery that a test tells step by step, in the fake world of the walks.
type story struct {
	*world
	t *testing.T
}

// tell starts a delivery.
func tell(t *testing.T, changes ...func(*world)) *story {
	t.Helper()
	s := &story{newWorld(t), t}
	for _, change := range changes {
		change(s.world)
	}
	s.ok(s.start(human()))
	return s
}

// at goes on honestly until the node is under way.
func (s *story) at(node string) *story {
	s.t.Helper()
	for range 120 {
		if s.state.Running(node) {
			return s
		}
		_ = s.good()
	}
	s.t.Fatalf("%s is not reached: %s is %s, the delivery %s", node, s.state.Node, s.state.Nodes[s.state.Node].Status, s.state.Delivery.Status)
	return nil
}

// toEnd goes on honestly until done.
func (s *story) toEnd() {
	s.t.Helper()
	for range 120 {
		if !s.state.Delivery.Open() {
			break
		}
		_ = s.good()
	}
	if s.state.Delivery.Status != state.Done {
		s.t.Fatalf("the end is not reached: %s at %s", s.state.Delivery.Status, s.state.Node)
	}
}

func (s *story) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// refused holds that a step was refused with the code and a message that holds the
// text, and changed nothing.
func (s *story) refused(code problem.Code, text string, step func() error) {
	s.t.Helper()
	events := len(s.events)
	before, _, _ := s.state.Digest()
	err := step()
	after, _, _ := s.state.Digest()
	switch {
	case err == nil:
		s.t.Fatalf("it is taken, where %s (%s) is due", code, text)
	case problem.CodeOf(err) != code || !strings.Contains(err.Error(), text):
		s.t.Fatalf("it is refused with %s: %v, where %s (%s) is due", problem.CodeOf(err), err, code, text)
	case before != after || len(s.events) != events:
		s.t.Fatal("a refusal changed the state")
	}
}

func (s *story) draft(by evidence.By, fn func(*decide.Draft) error) func() error {
	return func() error { return s.do(by, fn) }
}

func (s *story) outcome(by evidence.By, outcome string) func() error {
	return func() error { return s.complete(by, outcome) }
}

// fails lets the current node fail, on a run of the gate that fails where one is named.
func (s *story) fails(gateID string) {
	s.t.Helper()
	if gateID != "" {
		s.ok(s.run(gateID, 1, 3))
	}
	s.ok(s.complete(agent(), "fail-retryable"))
}

func (s *story) enter(hypothesis string) error {
	return s.do(agent(), func(d *decide.Draft) error { return d.Enter(d.State.Node, hypothesis) })
}

func (s *story) reply(id, text string) error {
	return s.do(human(), func(d *decide.Draft) error { return d.Reply(id, text) })
}

// ask returns the newest open ask.
func (s *story) ask() state.Ask {
	s.t.Helper()
	if len(s.state.Asks) == 0 {
		s.t.Fatal("no ask is open")
	}
	return s.state.Asks[len(s.state.Asks)-1]
}

// paused holds that the newest ask paused the delivery, is about the topic, and
// says all the texts.
func (s *story) paused(topic string, texts ...string) state.Ask {
	s.t.Helper()
	a := s.ask()
	if s.state.Delivery.Status != state.Paused || s.state.Delivery.PausedBy != a.ID || a.Topic.Name != topic {
		s.t.Fatalf("%s by %q, the newest ask is %s about %q", s.state.Delivery.Status, s.state.Delivery.PausedBy, a.ID, a.Topic.Name)
	}
	for _, text := range texts {
		if !strings.Contains(a.Question+"\n"+a.About, text) {
			s.t.Errorf("the ask does not say %q:\n%s\n%s", text, a.Question, a.About)
		}
	}
	return a
}

func (s *story) view() gate.View {
	return gate.View{State: s.state, Graph: s.graph, Facts: s.facts()}
}

// need returns how the kind stands at the node that owns it.
func (s *story) need(kind evidence.Kind, gateID string) gate.Need {
	s.t.Helper()
	owner, _ := s.graph.Owner(kind)
	n, _ := s.graph.Node(owner)
	needs := s.view().Needs(n)
	i := slices.IndexFunc(needs, func(n gate.Need) bool { return n.Kind == kind && n.Gate == gateID })
	if i < 0 {
		s.t.Fatalf("%s does not need %s %s", owner, kind, gateID)
	}
	return needs[i]
}

func (s *story) shows(kind evidence.Kind, gateID, status, why string) {
	s.t.Helper()
	if n := s.need(kind, gateID); n.State != status || !strings.Contains(n.Why, why) {
		s.t.Errorf("%s is %s (%s), not %s (%s)", n.Name(), n.State, n.Why, status, why)
	}
}

// attempts holds how many attempts of the nodes are charged.
func (s *story) attempts(want map[string]int) {
	s.t.Helper()
	for node, n := range want {
		if got := s.state.Nodes[node].Attempts; got != n {
			s.t.Errorf("%s has %d attempts, not %d", node, got, n)
		}
	}
}

// last returns the newest record.
func (s *story) last() evidence.Record {
	s.t.Helper()
	var last evidence.Record
	for _, e := range s.events {
		for _, c := range e.Changes {
			if c.Recorded != nil {
				last = *c.Recorded
			}
		}
	}
	return last
}

func (s *story) edit(paths ...string) {
	for _, p := range paths {
		s.files[p]++
	}
}

func (s *story) node() string { return s.state.Node }

func TestTheHonestStoryEndsInFewSteps(t *testing.T) {
	s := tell(t)
	s.toEnd()
	if len(s.events) > 40 {
		t.Errorf("%d events for the simplest delivery", len(s.events))
	}
	for _, n := range s.graph.Names() {
		s.attempts(map[string]int{n: 1})
	}
	if s.node() != "" || s.state.Delivery.Reason != "" {
		t.Errorf("at %q because of %q", s.node(), s.state.Delivery.Reason)
	}
	s.refused(problem.NoDelivery, "the delivery is done", s.draft(agent(), func(d *decide.Draft) error { return d.Pause("tired", false) }))
}
