package decide_test

import (
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

func TestAHypothesisAfterAFailure(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.fails("unit")
	s.refused(problem.GateShut, "the last attempt failed with unit-test/TestA and implement needs a hypothesis", func() error { return s.enter(" \t") })
	s.ok(s.enter("The bound is off"))
	s.edit("a.go")
	s.at(graph.Test)
	s.fails("unit")
	if f := s.state.Failures[1]; f.Hypothesis != "The bound is off" {
		t.Errorf("the second failure was made under %q", f.Hypothesis)
	}
	s.refused(problem.GateShut, "was tried in attempt 2 and failed with the same signature", func() error { return s.enter("  the BOUND\nis  off ") })
	s.ok(s.enter("the loop is off"))
	s.edit("a.go")
	s.toEnd()
}

// The same guess under another signature is a new guess.
func TestAHypothesisIsComparedUnderItsSignature(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.fails("unit")
	s.ok(s.enter("the bound is off"))
	s.edit("a.go")
	s.at(graph.Test)
	s.ok(s.runWith("unit", func(in *decide.Run) { in.Exit, in.Signature = 1, "unit-test/TestB" }))
	s.ok(s.complete(agent(), "fail-retryable"))
	s.refused(problem.GateShut, "the same signature unit-test/TestB", func() error { return s.enter("the bound is off") })
	s.ok(s.enter("the loop is off"))
	s.edit("a.go")
	s.at(graph.Test)
	s.fails("unit")
	s.ok(s.reply(s.ask().ID, decide.OneMore))
	s.ok(s.enter("the bound is off"))
}

func TestNoHypothesisWithoutAFailure(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.ok(s.complete(agent(), "blocked"))
	s.ok(s.reply(s.ask().ID, decide.GoOn))
	s.ok(s.enter(""))
}

// stops lets test fail twice with one signature and nothing changed in between.
func stops(s *story) state.Ask {
	s.t.Helper()
	s.at(graph.Test)
	s.fails("unit")
	s.at(graph.Test)
	s.fails("unit")
	return s.paused("stopped", "test failed again with unit-test/TestA although nothing that matters changed", "recommended: the failure-analyst's report")
}

func TestTheSameFailureAndNothingChangedStops(t *testing.T) {
	s := tell(t)
	a := stops(s)
	s.attempts(map[string]int{graph.Implement: 2, graph.Test: 2}) // budget is left
	if a.Options[0] != decide.OneMore {
		t.Errorf("options: %q", a.Options)
	}
	s.refused(problem.Conflict, "the delivery is paused", func() error { return s.enter("another") })

	// The analyst works while the delivery waits, and nothing else does.
	s.ok(s.do(agent(), func(d *decide.Draft) error {
		_, err := d.Record(document.RecordInput{Kind: "failure-analysis", Result: "info", Summary: "class: test defect", Because: "TestA reads the clock"})
		return err
	}))
	if about := s.ask().About; !strings.Contains(about, "\nanalysis: class: test defect TestA reads the clock") {
		t.Errorf("the ask is about\n%s", about)
	}
	s.refused(problem.Conflict, "the delivery is paused", func() error { return s.record("note", "info") })

	s.ok(s.reply(a.ID, decide.OneMore))
	s.refused(problem.GateShut, "needs a hypothesis", func() error { return s.enter("") })
	s.ok(s.enter("the clock"))
	s.edit("a_test.go")
	s.toEnd()
}

func TestAStoppedDeliveryStopsAgain(t *testing.T) {
	s := tell(t)
	s.ok(s.reply(stops(s).ID, decide.OneMore))
	s.at(graph.Test)
	s.fails("unit")
	s.paused("stopped")
}

func TestAnAnalysisOutsideAPause(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.ok(s.record("failure-analysis", "pass"))
	if r := s.last(); r.Witness != evidence.Stated || r.Counts {
		t.Errorf("%+v", r)
	}
}

func TestTheSameFailureAfterAChangeIsAllowed(t *testing.T) {
	unit := func(w *world) { w.wantPlan.Gates[0].Inputs = []string{"**/*.go"} }
	for _, c := range []struct {
		name   string
		setup  func(*world)
		change func(*story)
		stops  bool
	}{
		{"nothing", unit, func(*story) {}, true},
		{"source", unit, func(s *story) { s.edit("a.go") }, false},
		{"a test", unit, func(s *story) { s.edit("a_test.go") }, false},
		{"a file that the gate does not read", unit, func(s *story) { s.edit("doc.md") }, true},
		{"any file, for a gate without inputs", func(*world) {}, func(s *story) { s.edit("doc.md") }, false},
		{"a lock file, which always counts", unit, func(s *story) { s.edit("go.sum") }, false},
		{"the tools", unit, func(s *story) { s.env = "newer" }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tell(t, c.setup, func(w *world) {
				w.wantPlan.Scope.Write = []string{"a.go", "doc.md", "go.sum"}
				w.files["go.sum"] = 1
			})
			s.at(graph.Test)
			s.fails("unit")
			s.at(graph.Implement)
			if len(changedPaths(s.trees[s.state.Delivery.Tree], s.files)) == 0 {
				s.edit("a.go")
			}
			c.change(s)
			s.at(graph.Test)
			s.fails("unit")
			if stopped := s.state.Delivery.Status == state.Paused; stopped != c.stops {
				t.Errorf("stopped: %v", stopped)
			}
		})
	}
}

// What cannot be compared may have changed; the budget bounds the retries.
func TestTheSameFailureOfATreeThatCannotBeCompared(t *testing.T) {
	s := tell(t, func(w *world) { w.wantPlan.Gates[0].Inputs = []string{"a_test.go"} }).at(graph.Test)
	s.fails("unit")
	s.at(graph.Implement)
	s.edit("a.go")
	s.at(graph.Test)
	old := s.state.Failures[0].Tree
	s.tweak = func(f *gate.Facts) { delete(f.Changed, old) }
	s.fails("unit")
	if s.state.Delivery.Status != state.Active {
		t.Errorf("it is paused: %s", s.state.Delivery.Reason)
	}
}

func TestTheSameFailureUnderANewPlanIsAllowed(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.fails("unit")
	s.at(graph.Implement)
	s.ok(s.complete(agent(), "fail-replan"))
	s.at(graph.Plan)
	s.wantPlan.Summary = "otherwise"
	s.at(graph.Test)
	s.fails("unit")
	if s.state.Delivery.Status != state.Active {
		t.Errorf("it is paused: %s", s.state.Delivery.Reason)
	}
	s.toEnd()
}

func TestAFailureWithoutAGateIsJudgedByAnyChange(t *testing.T) {
	for _, change := range []bool{false, true} {
		s := tell(t).at(graph.Verify)
		s.fails("")
		if got := s.state.Failures[0].Signature; got != "verify/no-evidence" {
			t.Errorf("the signature is %s", got)
		}
		s.at(graph.Implement)
		if change {
			s.edit("a_test.go")
		}
		s.at(graph.Verify)
		s.ok(s.complete(agent(), "fail-retryable"))
		if a := s.ask(); (a.Topic.Name == state.TopicStopped) == change {
			t.Errorf("with a change %v it is about %s", change, a.Topic.Name)
		}
	}
}

// What is typed never names a failure that a run has shown: the model cannot choose
// the signature under which its failures are compared.
func TestAStatedFailureHidesNoneThatWasSeen(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.ok(s.run("unit", 1, 3))
	for _, kind := range []string{"unit-test", "integration-test", "static", "note"} {
		s.ok(s.record(kind, "fail"))
	}
	s.ok(s.complete(agent(), "fail-retryable"))
	if f := s.state.Failures[0]; f.Signature != "unit-test/TestA" || f.Gate != "unit" {
		t.Errorf("the failure is %+v", f)
	}
	// Its honest twin: where nothing was seen, what is stated is a name.
	s.at(graph.Verify)
	s.ok(s.record("acceptance", "fail"))
	s.ok(s.complete(agent(), "fail-retryable"))
	if f := s.state.Failures[1]; f.Signature != "verify/acceptance" || f.Evidence == "" {
		t.Errorf("the failure is %+v", f)
	}
}

// The newest of two failures of an attempt is the one that is answered.
func TestTheNewestFailureNamesTheAttempt(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.ok(s.run("unit", 1, 3))
	s.ok(s.runWith("lint", func(in *decide.Run) { in.Exit, in.Signature = 1, "static/vet" }))
	s.ok(s.complete(agent(), "fail-retryable"))
	if s.state.Retry != "static/vet" {
		t.Errorf("the next attempt answers %s", s.state.Retry)
	}
	// What failed and passes again is no failure of this attempt.
	s.at(graph.Test)
	s.ok(s.run("unit", 1, 3))
	s.ok(s.run("unit", 0, 3))
	s.ok(s.complete(agent(), "fail-retryable"))
	if s.state.Retry != "test/no-evidence" {
		t.Errorf("the next attempt answers %s", s.state.Retry)
	}
}
