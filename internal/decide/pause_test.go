package decide_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

func (s *story) pause(wait bool) error {
	return s.do(agent(), func(d *decide.Draft) error { return d.Pause("the build agents are down", wait) })
}

func (s *story) resume(by evidence.By) error {
	return s.do(by, func(d *decide.Draft) error { return d.Resume() })
}

func TestAPauseKeepsTheAttempt(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.ok(s.pause(false))
	if d := s.state.Delivery; d.Status != state.Paused || d.Reason != "the build agents are down" || d.PausedBy != "" {
		t.Errorf("%+v", d)
	}
	s.refused(problem.HumanOnly, "resume is a human's verb", func() error { return s.resume(agent()) })
	s.ok(s.resume(human()))
	s.attempts(map[string]int{graph.Test: 1})
	s.refused(problem.Conflict, "the delivery is not paused", func() error { return s.resume(human()) })
	s.toEnd()
}

func TestAPauseNeedsAReason(t *testing.T) {
	s := tell(t)
	s.refused(problem.Usage, "a pause needs a reason", s.draft(agent(), func(d *decide.Draft) error { return d.Pause(" \n", false) }))
}

func TestAWaitForTheProviderIsResumedByAnyone(t *testing.T) {
	s := tell(t).at(graph.Monitor)
	s.ok(s.pause(true))
	if by := s.state.Delivery.PausedBy; by != state.PausedByProvider {
		t.Errorf("paused by %q", by)
	}
	s.ok(s.resume(agent()))
	s.toEnd()
}

func TestTheThirdIdlePauseAsks(t *testing.T) {
	s := tell(t).at(graph.Test)
	for range 2 {
		s.ok(s.pause(false))
		s.ok(s.resume(human()))
	}
	s.ok(s.pause(false))
	a := s.paused("blocked", "3 pauses brought nothing new (the build agents are down)", "missing: unit-test unit")
	if a.Options[0] != decide.GoOn {
		t.Errorf("options: %q", a.Options)
	}
	s.refused(problem.Conflict, "ask "+a.ID+" paused the delivery and has no answer", func() error { return s.resume(human()) })
	s.ok(s.reply(a.ID, decide.GoOn))
	if s.state.Idle != 0 || !s.state.Running(graph.Test) {
		t.Errorf("idle %d, running %v", s.state.Idle, s.state.Running(graph.Test))
	}
	s.toEnd()
}

func TestANewFactBetweenPausesCounts(t *testing.T) {
	for name, fact := range map[string]func(*story) error{
		"a run": func(s *story) error { return s.run("unit", 0, 3) },
		"a document": func(s *story) error {
			spec := s.wantSpec
			spec.Task.Summary = "a, said otherwise"
			return s.putSpec(spec)
		},
		"an answer": func(s *story) error {
			if err := s.do(agent(), func(d *decide.Draft) error {
				_, err := d.Ask(state.AskDecision, "which?", "", []string{graph.Review})
				return err
			}); err != nil {
				return err
			}
			return s.reply(s.ask().ID, "that")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t).at(graph.Test)
			for range 2 {
				s.ok(s.pause(false))
				s.ok(s.resume(human()))
			}
			s.ok(fact(s))
			if s.state.Idle != 0 {
				t.Fatalf("idle %d", s.state.Idle)
			}
			s.ok(s.pause(false))
			if a := s.state.Delivery.PausedBy; a != "" {
				t.Errorf("paused by ask %s", a)
			}
		})
	}
}

func TestANoteIsNoNewFact(t *testing.T) {
	s := tell(t).at(graph.Test)
	for range 2 {
		s.ok(s.record("note", "info"))
		s.ok(s.record("unit-test", "info"))
		s.ok(s.pause(false))
		s.ok(s.resume(human()))
	}
	s.ok(s.record("note", "info"))
	s.ok(s.pause(false))
	s.paused("blocked")
}

func TestWhatAPausedDeliveryRefuses(t *testing.T) {
	for name, hint := range map[string]func(*story) error{
		"by a human":  func(s *story) error { return s.pause(false) },
		"by provider": func(s *story) error { return s.pause(true) },
		"by an ask":   func(s *story) error { return s.complete(agent(), "blocked") },
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t).at(graph.Monitor)
			s.ok(hint(s))
			const paused = "the delivery is paused"
			for _, step := range []func() error{
				s.outcome(agent(), "pass"),
				func() error { return s.enter("x") },
				func() error { return s.pause(false) },
				func() error { return s.record("note", "pass") },
				func() error { return s.putSpec(goodSpec()) },
				func() error { return s.putPlan(goodPlan()) },
				func() error { return s.putManifest() },
				func() error { return s.judge("pass") },
				func() error { return s.run("unit", 0, 3) },
				func() error { return s.run("", 0, 3) },
				func() error { return s.review(evidence.CodeReview, "r", "pass", false) },
				func() error { return s.approveOpen(human()) },
				func() error { return s.intend() },
				func() error { return s.read(evidence.Pipeline, evidence.Pass) },
				s.draft(agent(), func(d *decide.Draft) error { _, err := d.StoreRun(decide.Run{}); return err }),
				s.draft(agent(), func(d *decide.Draft) error { _, err := d.StoreRead(decide.Read{}); return err }),
				s.draft(agent(), func(d *decide.Draft) error { _, err := d.Ask(state.AskDecision, "q", "", nil); return err }),
				s.draft(agent(), func(d *decide.Draft) error { return d.SentBack("a1", "no block") }),
				s.draft(human(), func(d *decide.Draft) error { return d.Reject("no") }),
			} {
				s.refused(problem.Conflict, paused, step)
			}
			// A human may steer at any time, and what hooks see is counted.
			s.ok(s.do(human(), func(d *decide.Draft) error { return d.Steer("cap the budget") }))
			s.ok(s.do(agent(), func(d *decide.Draft) error { return d.Tool(state.Tool{Tool: "Read"}) }))
			s.ok(s.do(agent(), func(d *decide.Draft) error { return d.Lease("s1") }))
			s.ok(s.do(agent(), func(d *decide.Draft) error { return d.Prompted("d", 10, "") }))
		})
	}
}

func TestAnAbortIsAHumansWord(t *testing.T) {
	abort := func(s *story, by evidence.By, reason string) func() error {
		return s.draft(by, func(d *decide.Draft) error { return d.Abort(reason) })
	}
	for _, paused := range []bool{false, true} {
		s := tell(t).at(graph.Approve)
		if paused {
			s.ok(s.pause(false))
		} else {
			s.refused(problem.HumanOnly, "abort is a human's verb", s.outcome(agent(), "abort"))
		}
		s.refused(problem.HumanOnly, "abort is a human's verb", abort(s, agent(), "no"))
		s.refused(problem.Usage, "an abort needs a reason", abort(s, human(), ""))
		s.ok(abort(s, human(), "not wanted")())
		if d := s.state.Delivery; d.Status != state.Aborted || d.Reason != "not wanted" || len(s.state.Asks) != 0 {
			t.Errorf("%+v, asks %v", d, s.state.Asks)
		}
		s.refused(problem.NoDelivery, "the delivery is aborted", abort(s, human(), "again"))
	}
	s := tell(t)
	s.ok(s.complete(human(), "abort"))
	if s.state.Delivery.Status != state.Aborted {
		t.Error("the outcome abort by a human does not end it")
	}
}

func TestASecurityEscalation(t *testing.T) {
	for _, node := range []string{graph.Implement, graph.Review, graph.Monitor} {
		for answer, check := range map[string]func(*story){
			decide.Fix: func(s *story) {
				if s.node() != graph.Implement {
					t.Fatalf("fix leads to %s", s.node())
				}
				s.shows(evidence.Change, "", map[bool]string{true: "missing", false: "stale"}[node == graph.Implement], "")
				s.ok(s.enter(""))
				s.edit("a.go")
				s.toEnd()
			},
			decide.Replan: func(s *story) {
				if !s.state.Running(graph.Plan) {
					t.Fatalf("replan leads to %s", s.node())
				}
				s.toEnd()
			},
			decide.AbortIt: func(s *story) {
				if s.state.Delivery.Status != state.Aborted {
					t.Fatalf("abort leaves it %s", s.state.Delivery.Status)
				}
			},
		} {
			t.Run(node+" "+answer, func(t *testing.T) {
				s := tell(t).at(node)
				s.ok(s.complete(agent(), "security-escalation"))
				a := s.paused("security", "security: reason")
				if s.node() != graph.Review || !slices.Equal(a.Options, []string{decide.Fix, decide.Replan, decide.AbortIt}) {
					t.Errorf("held at %s with %q", s.node(), a.Options)
				}
				s.attempts(map[string]int{node: 1})
				s.refused(problem.Conflict, "has no answer", func() error { return s.resume(human()) })
				s.refused(problem.Usage, `"go on" is none of the answers`, func() error { return s.reply(a.ID, decide.GoOn) })
				s.ok(s.reply(a.ID, answer))
				check(s)
			})
		}
	}
	s := tell(t).at(graph.Review)
	s.refused(problem.Usage, "security-escalation needs a reason",
		s.draft(agent(), func(d *decide.Draft) error { return d.Complete(graph.Review, "security-escalation", "") }))
}

// The remediation is granted its attempt, since a human asked for it.
func TestAFixIsGrantedItsAttempt(t *testing.T) {
	s := tell(t)
	for range 2 {
		s.at(graph.Monitor)
		s.fails("")
		s.at(graph.Implement)
		s.edit("a.go")
	}
	s.at(graph.Review)
	s.attempts(map[string]int{graph.Implement: 3})
	s.ok(s.complete(agent(), "security-escalation"))
	s.ok(s.reply(s.ask().ID, decide.Fix))
	s.ok(s.enter(""))
	s.attempts(map[string]int{graph.Implement: 4})
	s.toEnd()
}

func TestBlockedByAnAskThatIsOpen(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.ok(s.do(agent(), func(d *decide.Draft) error {
		_, err := d.Ask(state.AskDecision, "which port?", "both", nil)
		return err
	}))
	s.ok(s.complete(agent(), "needs-human"))
	a := s.paused("")
	if len(s.state.Asks) != 1 || a.Question != "which port?" {
		t.Errorf("asks: %+v", s.state.Asks)
	}
	s.ok(s.reply(a.ID, "8080"))
	s.ok(s.enter(""))
	s.toEnd()
}

// The approval and the confirmation are asks as well: their answer resumes too.
func TestBlockedByWhatWaitsForAnApproval(t *testing.T) {
	t.Run("approved", func(t *testing.T) {
		s := tell(t).at(graph.Approve)
		s.ok(s.complete(agent(), "needs-human"))
		s.ok(s.approveOpen(human()))
		if !s.state.Running(graph.Implement) || len(s.state.Asks) != 0 {
			t.Fatalf("at %s with %+v", s.node(), s.state.Asks)
		}
		s.attempts(map[string]int{graph.Approve: 1})
		s.toEnd()
	})
	t.Run("rejected", func(t *testing.T) {
		s := tell(t).at(graph.Approve)
		s.ok(s.complete(agent(), "needs-human"))
		s.ok(s.do(human(), func(d *decide.Draft) error { return d.Reject("another way") }))
		s.toEnd()
	})
	t.Run("confirmed", func(t *testing.T) {
		s := tell(t).at(graph.SubmitPR)
		s.head = s.tree()
		s.ok(s.intend())
		s.ok(s.complete(agent(), "needs-human"))
		s.ok(s.approveOpen(human()))
		s.attempts(map[string]int{graph.SubmitPR: 1})
		s.ok(s.read(evidence.PullRequest, evidence.Pass))
		s.toEnd()
	})
	t.Run("not confirmed", func(t *testing.T) {
		s := tell(t).at(graph.SubmitPR)
		s.head = s.tree()
		s.ok(s.intend())
		s.ok(s.complete(agent(), "needs-human"))
		s.ok(s.do(human(), func(d *decide.Draft) error { return d.Reject("another title") }))
		if s.state.Delivery.Status != state.Active || len(s.state.Asks) != 0 {
			t.Fatalf("%s with %+v", s.state.Delivery.Status, s.state.Asks)
		}
	})
}

func TestThePausedHintNamesTheWayOn(t *testing.T) {
	for want, pause := range map[string]func(*story) error{
		"a human can resume it":               func(s *story) error { return s.pause(false) },
		"resume when the provider":            func(s *story) error { return s.pause(true) },
		"a human has to answer ask A3; inbox": func(s *story) error { return s.complete(agent(), "blocked") },
	} {
		s := tell(t).at(graph.Monitor)
		s.ok(pause(s))
		err := s.record("note", "pass")
		if p := (*problem.Error)(nil); !errors.As(err, &p) || !strings.HasPrefix(p.Hint, want) {
			t.Errorf("%v", err)
		}
	}
}
