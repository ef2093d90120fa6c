package decide_test

import (
	"slices"
	"testing"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

func TestAnAttemptIsChargedAtEntry(t *testing.T) {
	s := tell(t)
	s.attempts(map[string]int{graph.Intake: 1, graph.Analyze: 0})
	s.fails("")
	s.attempts(map[string]int{graph.Intake: 1})
	s.ok(s.enter("the spec was missing"))
	s.attempts(map[string]int{graph.Intake: 2})
	if v := s.state.Nodes[graph.Intake].Visits; v != 2 {
		t.Errorf("%d visits", v)
	}
}

func TestAPauseGivesTheAttemptBack(t *testing.T) {
	for _, outcome := range []string{"blocked", "needs-human", "policy-denied"} {
		s := tell(t).at(graph.Test)
		s.ok(s.complete(agent(), outcome))
		s.attempts(map[string]int{graph.Test: 0})
		a := s.paused("blocked", "test is "+outcome+": reason")
		s.ok(s.reply(a.ID, decide.GoOn))
		s.ok(s.enter(""))
		s.attempts(map[string]int{graph.Test: 1})
		if v := s.state.Nodes[graph.Test].Visits; v != 2 {
			t.Errorf("%s: %d visits", outcome, v)
		}
	}
}

func TestAPauseAfterAFailureIsCharged(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.ok(s.run("unit", 1, 3))
	s.ok(s.complete(agent(), "blocked"))
	s.attempts(map[string]int{graph.Test: 1})
	s.paused("blocked")
}

// Something that failed on the way and is good again is a failing record all the same.
func TestANoteThatFailedChargesNothing(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.ok(s.record("note", "fail"))
	s.ok(s.complete(agent(), "blocked"))
	s.attempts(map[string]int{graph.Test: 0})
}

func TestAUsedUpBudgetAsksWithTheBlockerReport(t *testing.T) {
	s := tell(t)
	failTests(s, 3)
	a := s.paused("budget", "test has used its 3 attempts", "test: 3 of 3 attempts used",
		"test attempt 1 failed with unit-test/TestA (E8): reason", "test attempt 3 failed", "missing: unit-test unit")
	if want := []string{decide.OneMore, decide.Replan, "waive unit-test", "waive integration-test", "waive static", decide.AbortIt}; !slices.Equal(a.Options, want) {
		t.Errorf("the options are %q", a.Options)
	}
	s.refused(problem.Conflict, "the delivery is paused", func() error { return s.enter("another") })
	s.refused(problem.HumanOnly, "reply", s.draft(agent(), func(d *decide.Draft) error { return d.Reply(a.ID, decide.OneMore) }))

	s.ok(s.reply(a.ID, decide.OneMore))
	if s.state.Nodes[graph.Test].Granted != 1 || s.state.Nodes[graph.Implement].Granted != 1 {
		t.Errorf("granted: %+v", s.state.Nodes)
	}
	s.ok(s.enter("a fourth guess"))
	s.toEnd()
}

// failTests lets test fail n times, each time after a change.
func failTests(s *story, n int) {
	s.t.Helper()
	for i := range n {
		s.at(graph.Test)
		s.fails("unit")
		if i < n-1 {
			s.at(graph.Implement)
			s.edit("a.go")
		}
	}
}

func TestAGrantIsForOneAttempt(t *testing.T) {
	s := tell(t)
	failTests(s, 3)
	s.ok(s.reply(s.ask().ID, decide.OneMore))
	s.at(graph.Implement)
	s.edit("a.go")
	s.at(graph.Test)
	s.fails("unit")
	a := s.paused("budget", "test has used its 4 attempts")
	s.ok(s.reply(a.ID, decide.OneMore))
	s.at(graph.Implement)
	s.edit("a.go")
	s.toEnd()
}

func TestAConfigurationLowersABudget(t *testing.T) {
	for _, c := range []struct {
		budget, attempts int
	}{{1, 1}, {2, 2}, {9, 3}, {0, 3}, {-1, 3}} {
		s := tell(t, func(w *world) { w.config.Budgets = map[string]int{graph.Test: c.budget} })
		for i := 1; ; i++ {
			s.at(graph.Test)
			s.fails("unit")
			if s.state.Delivery.Status == state.Paused {
				if i != c.attempts {
					t.Errorf("a configured budget of %d gives %d attempts", c.budget, i)
				}
				break
			}
			s.at(graph.Implement)
			s.edit("a.go")
		}
	}
}

// A budget may be lowered while its node waits between two attempts.
func TestABudgetThatIsUsedUpAtEntryAsks(t *testing.T) {
	s := tell(t)
	s.fails("")
	s.config.Budgets = map[string]int{graph.Intake: 1}
	s.ok(s.enter("another guess"))
	a := s.paused("budget", "intake has used its 1 attempts")
	s.ok(s.reply(a.ID, decide.OneMore))
	s.ok(s.enter("another guess"))
	s.toEnd()
}

// The agent's own ask pauses the delivery after the last attempt failed: its answer
// alone grants nothing, and must not leave the delivery without a way on.
func TestAnAnswerToTheAgentsOwnAskLeavesAWayOn(t *testing.T) {
	s := tell(t)
	failTests(s, 2)
	s.at(graph.Implement)
	s.edit("a.go")
	s.at(graph.Test)
	s.ok(s.run("unit", 1, 3))
	var own state.Ask
	s.ok(s.do(agent(), func(d *decide.Draft) (err error) {
		own, err = d.Ask(state.AskDecision, "which port?", "both", nil)
		return err
	}))
	s.ok(s.complete(agent(), "needs-human"))
	if s.state.Delivery.PausedBy != own.ID {
		t.Fatalf("paused by %s", s.state.Delivery.PausedBy)
	}
	s.ok(s.reply(own.ID, "the second"))
	s.attempts(map[string]int{graph.Test: 3})
	s.ok(s.enter(""))
	s.ok(s.reply(s.paused("budget").ID, decide.OneMore))
	s.ok(s.enter(""))
	s.toEnd()
}

func TestThePassIntoANodeWithoutBudgetAsks(t *testing.T) {
	s := tell(t).at(graph.Review)
	s.ok(s.review("code-review", "r1", "fail", true))
	s.fails("")
	s.at(graph.Implement)
	s.edit("a.go")
	s.at(graph.Review)
	s.ok(s.review("code-review", "r2", "fail", true))
	s.fails("")
	s.paused("budget", "review has used its 2 attempts", "review attempt 2 failed with code-review/a.go/high")
	s.ok(s.reply(s.ask().ID, decide.OneMore))
	s.at(graph.Implement)
	s.edit("a.go")
	s.at(graph.Review)
	s.attempts(map[string]int{graph.Review: 3, graph.Implement: 3})
	s.toEnd()
}
