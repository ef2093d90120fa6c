package state_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/state"
)

// under is a delivery at node a of a, b and c, under way.
func under(t *testing.T) *state.State {
	t.Helper()
	s := state.New()
	fold(t, s, state.Change{Started: &state.Started{Delivery: state.Delivery{ID: "d1", Status: state.Active}, Nodes: []string{"a", "b", "c"}}})
	fold(t, s, state.Change{Entered: &state.Entered{Node: "a", Tree: "t0"}})
	return s
}

// fold lets an event with these changes follow.
func fold(t *testing.T, s *state.State, changes ...state.Change) {
	t.Helper()
	if err := state.Fold(s, entry(s, changes...)); err != nil {
		t.Fatal(err)
	}
}

// entry is an event that is numbered after those that s remembers.
func entry(s *state.State, changes ...state.Change) state.Entry {
	var seq int64 = 1
	for _, n := range s.Nodes {
		seq = max(seq, n.EnteredSeq+1, n.Since+1)
	}
	return state.Entry{Seq: seq, At: time.Unix(0, 0), Changes: changes}
}

func record(id string, counts bool) state.Change {
	return state.Change{Recorded: &evidence.Record{ID: id, Kind: evidence.Task, Result: evidence.Pass, Counts: counts}}
}

// TestIllegalEvents: what cannot follow is an error, next to what can.
func TestIllegalEvents(t *testing.T) {
	pass := func(node, to string) state.Change {
		return state.Change{Completed: &state.Completed{Node: node, Outcome: "pass", To: to}}
	}
	ask := func(id string) state.Change { return state.Change{Asked: &state.Ask{ID: id}} }
	spec := state.Change{Documented: &state.Documented{Name: state.DocSpec, Digest: "s1", Criteria: []state.Criterion{{ID: "AC-1", Digest: "c1"}}}}
	judged := func(id, digest string) state.Change {
		return state.Change{Judged: &state.Judged{Criterion: id, Digest: digest, Verdict: state.Verdict{Value: "pass"}}}
	}
	for name, c := range map[string]struct {
		before  []state.Change
		illegal state.Change
		text    string
		legal   state.Change
	}{
		"a second start": {nil, state.Change{Started: &state.Started{Nodes: []string{"a"}}}, "a delivery has started already", pass("a", "b")},
		"entering another node": {
			nil, state.Change{Entered: &state.Entered{Node: "b"}}, `node "b" cannot be entered while "a" is running`, pass("a", "b"),
		},
		"entering twice": {
			nil, state.Change{Entered: &state.Entered{Node: "a"}}, `node "a" cannot be entered while "a" is running`, pass("a", "b"),
		},
		"completing another node":  {nil, pass("b", "c"), `node "b" cannot be completed: it is not under way`, pass("a", "b")},
		"completing an unknown":    {nil, pass("x", "c"), `node "x" cannot be completed`, pass("a", "b")},
		"completing what waits":    {[]state.Change{pass("a", "b")}, pass("b", "c"), `node "b" cannot be completed`, state.Change{Entered: &state.Entered{Node: "b"}}},
		"leading nowhere":          {nil, pass("a", "x"), `node "x" is not in the graph`, pass("a", "")},
		"moving nowhere":           {nil, state.Change{Moved: &state.Moved{To: "x"}}, `node "x" is not in the graph`, state.Change{Moved: &state.Moved{To: "c"}}},
		"a record out of order":    {nil, record("E2", true), "record E2 is out of order, E1 is due", record("E1", true)},
		"a record twice":           {[]state.Change{record("E1", true)}, record("E1", true), "record E1 is out of order, E2 is due", record("E2", false)},
		"an ask out of order":      {nil, ask("A2"), "ask A2 is out of order, A1 is due", ask("A1")},
		"closing what is not open": {[]state.Change{ask("A1")}, state.Change{Closed: &state.Closed{Ask: "A2"}}, "ask A2 is not open", state.Change{Closed: &state.Closed{Ask: "A1"}}},
		"judging no criterion":     {[]state.Change{spec}, judged("AC-2", "c1"), "there is no criterion AC-2", judged("AC-1", "c1")},
		"judging another wording":  {[]state.Change{spec}, judged("AC-1", "c2"), "criterion AC-1 is not the one that was judged", judged("AC-1", "c1")},
		"confirming nothing": {
			[]state.Change{{Intended: &state.Intent{ID: "I1"}}},
			state.Change{Confirmed: &state.Confirmed{Intent: "I2"}},
			"intent I2 is not known",
			state.Change{Confirmed: &state.Confirmed{Intent: "I1"}},
		},
		"a report without an ask": {
			[]state.Change{ask("A1")},
			state.Change{Analysed: &state.Analysed{Ask: "A2"}},
			"ask A2 is not open",
			state.Change{Analysed: &state.Analysed{Ask: "A1", About: "x"}},
		},
		"nothing":             {nil, state.Change{}, "a change of a kind that this version does not know", pass("a", "b")},
		"after the end":       {[]state.Change{{Ended: &state.Ended{Status: state.Done}}}, record("E1", true), "the delivery is not open", state.Change{}},
		"after an abort":      {[]state.Change{{Ended: &state.Ended{Status: state.Aborted}}}, ask("A1"), "the delivery is not open", state.Change{}},
		"a second end":        {[]state.Change{{Ended: &state.Ended{Status: state.Aborted}}}, state.Change{Ended: &state.Ended{Status: state.Done}}, "the delivery is not open", state.Change{}},
		"resuming what ended": {[]state.Change{{Ended: &state.Ended{Status: state.Aborted}}}, state.Change{Resumed: &state.Resumed{}}, "the delivery is not open", state.Change{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := under(t)
			for _, b := range c.before {
				fold(t, s, b)
			}
			tried, err := s.Clone()
			if err != nil {
				t.Fatal(err)
			}
			err = state.Fold(tried, state.Entry{Seq: 77, Changes: []state.Change{c.illegal}})
			if err == nil || !strings.Contains(err.Error(), c.text) || !strings.HasPrefix(err.Error(), "event 77, change 1: ") {
				t.Errorf("got %v", err)
			}
			if c.legal != (state.Change{}) {
				fold(t, s, c.legal)
			}
		})
	}
}

func TestBeforeTheStart(t *testing.T) {
	for name, c := range map[string]struct {
		change state.Change
		text   string
	}{
		"a record":          {record("E1", true), "the delivery is not open"},
		"a start to nodes":  {state.Change{Started: &state.Started{Delivery: state.Delivery{ID: "d1", Status: state.Active}}}, "a delivery needs nodes"},
		"a resumption":      {state.Change{Resumed: &state.Resumed{}}, "the delivery is not open"},
		"a change, nothing": {state.Change{}, "the delivery is not open"},
	} {
		if err := state.Fold(state.New(), state.Entry{Seq: 1, Changes: []state.Change{c.change}}); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestARefundOfNothing: an attempt that was not charged cannot be given back.
func TestARefundOfNothing(t *testing.T) {
	s := under(t)
	n := s.Nodes["a"]
	n.Attempts = 0
	s.Nodes["a"] = n
	err := state.Fold(s, entry(s, state.Change{Completed: &state.Completed{Node: "a", Outcome: "blocked", To: "a", Refund: true}}))
	if err == nil || !strings.Contains(err.Error(), `node "a" has no attempt to give back`) {
		t.Errorf("got %v", err)
	}
}

// TestAnEventIsOneTransaction: the second change fails, and the error says which.
func TestAnEventIsOneTransaction(t *testing.T) {
	s := under(t)
	err := state.Fold(s, entry(s, record("E1", true), record("E9", true)))
	if err == nil || !strings.Contains(err.Error(), "change 2: record E9 is out of order") {
		t.Errorf("got %v", err)
	}
}

func TestDecode(t *testing.T) {
	changes, err := state.Decode([]byte(`{"changes":[{"entered":{"node":"a"}},{"granted":{"node":"b"}}]}`))
	if err != nil || len(changes) != 2 || changes[0].Entered.Node != "a" || changes[1].Granted.Node != "b" {
		t.Errorf("%+v, %v", changes, err)
	}
	if changes, err := state.Decode(nil); err != nil || changes != nil {
		t.Errorf("%+v, %v", changes, err)
	}
	if _, err := state.Decode([]byte(`{"changes":`)); err == nil || !strings.HasPrefix(err.Error(), "event data: ") {
		t.Errorf("got %v", err)
	}
	// A change of a newer version decodes as nothing, and folds to an error.
	changes, err = state.Decode([]byte(`{"changes":[{"teleported":{"to":"done"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s := under(t)
	if err := state.Fold(s, entry(s, changes...)); err == nil || !strings.Contains(err.Error(), "a kind that this version does not know") {
		t.Errorf("got %v", err)
	}
}

// TestRestart: a reset gives the budget back and keeps what numbers attempts; an
// invalidation ends evidence, and deletes nothing.
func TestRestart(t *testing.T) {
	s := under(t)
	fold(t, s, record("E1", true))
	fold(t, s, state.Change{Granted: &state.Granted{Node: "a"}})
	fold(t, s, state.Change{Completed: &state.Completed{Node: "a", Outcome: "pass", To: "b"}})
	fold(t, s, state.Change{Entered: &state.Entered{Node: "b", Tree: "t1", Hypothesis: "h"}})
	failure := state.Failure{Node: "b", Attempt: 1, Signature: "s"}
	e := entry(s, state.Change{Completed: &state.Completed{
		Node: "b", Outcome: "fail-retryable", To: "a", Reset: []string{"a"}, Invalidate: []string{"a", "b"}, Failure: &failure, Branch: "work",
	}})
	if err := state.Fold(s, e); err != nil {
		t.Fatal(err)
	}
	if got, want := s.Nodes["a"], (state.Node{Status: state.NodePending, Visits: 1, Since: e.Seq}); got != want {
		t.Errorf("a is %+v, not %+v", got, want)
	}
	if b := s.Nodes["b"]; b.Status != state.NodeFailed || b.Attempts != 1 || b.Since != e.Seq || b.Hypothesis != "h" {
		t.Errorf("b is %+v", b)
	}
	if s.Retry != "s" || s.Branch != "work" || s.Node != "a" || s.Slots["task"].Counts == nil {
		t.Errorf("%+v", s)
	}
	fold(t, s, state.Change{Entered: &state.Entered{Node: "a"}})
	if s.Retry != "" || s.Nodes["a"].Visits != 2 {
		t.Errorf("retry %q, %+v", s.Retry, s.Nodes["a"])
	}
	// By a human's word, the running attempt fails.
	fold(t, s, state.Change{Moved: &state.Moved{To: "c", Invalidate: []string{"c"}}})
	if s.Nodes["a"].Status != state.NodeFailed || s.Node != "c" {
		t.Errorf("at %s, a is %+v", s.Node, s.Nodes["a"])
	}
}

func TestOnlyAnAcceptedRecordIsTheOneThatCounts(t *testing.T) {
	s := under(t)
	fold(t, s, record("E1", true))
	fold(t, s, record("E2", false))
	if slot := s.Slots["task"]; slot.Counts.ID != "E1" || slot.Last.ID != "E2" {
		t.Errorf("counts %s, last %s", slot.Counts.ID, slot.Last.ID)
	}
	for _, id := range []string{"E1", "E2"} {
		if r, ok := s.Record(id); !ok || r.ID != id {
			t.Errorf("%s is not found", id)
		}
	}
	fold(t, s, record("E3", true))
	for _, id := range []string{"E1", "E2"} {
		if _, ok := s.Record(id); ok {
			t.Errorf("%s is still there", id)
		}
	}
}

func TestClone(t *testing.T) {
	s := under(t)
	fold(t, s, record("E1", true), state.Change{Steered: &state.Steer{ID: "S1", Text: "x"}}, state.Change{Waived: &state.Waived{Kind: "task", Because: "y"}})
	c, err := s.Clone()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, c); diff != "" {
		t.Errorf("a clone differs:\n%s", diff)
	}
	before, _, _ := s.Digest()
	fold(t, c, record("E2", true), state.Change{Granted: &state.Granted{Node: "b"}}, state.Change{Asked: &state.Ask{ID: "A1"}})
	fold(t, c, state.Change{Completed: &state.Completed{Node: "a", Outcome: "pass", To: "b"}})
	if after, _, _ := s.Digest(); after != before {
		t.Error("a fold on the clone changed the original")
	}
	if d, text, err := c.Digest(); err != nil || len(d) != 64 || len(text) == 0 || d == before {
		t.Errorf("%s, %v", d, err)
	}
}

func ExampleArgvKey() {
	fmt.Println(state.ArgvKey([]string{"go", "test", "a b"}) == state.ArgvKey([]string{"go", "test", "a", "b"}))
	// Output: false
}
