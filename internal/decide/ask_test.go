package decide_test

import (
	"slices"
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

func (s *story) opensAsk(kind, question string, blocks ...string) error {
	return s.do(agent(), func(d *decide.Draft) error {
		_, err := d.Ask(kind, question, "two ways", blocks)
		return err
	})
}

func TestAnAskBlocksItsNodesAndNothingElse(t *testing.T) {
	s := tell(t).at(graph.Implement)
	s.ok(s.opensAsk(state.AskDecision, "which port?", graph.Verify))
	s.at(graph.Verify) // implement and test go on
	s.ok(s.judge("pass"))
	s.ok(s.record("acceptance", "pass"))
	s.refused(problem.GateShut, "ask A2 has no answer: which port?", s.outcome(agent(), "pass"))
	s.ok(s.reply("A2", "8080"))
	s.ok(s.complete(agent(), "pass"))
	if a := s.state.Answers[len(s.state.Answers)-1]; a.Text != "8080" || a.Question != "which port?" || a.Channel != evidence.ChannelClient {
		t.Errorf("the answer is kept as %+v", a)
	}
}

func TestAnAskWithoutNodesBlocksTheCurrentOne(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.ok(s.opensAsk(state.AskCredential, " a token for the registry? "))
	a := s.ask()
	if !slices.Equal(a.Blocks, []string{graph.Test}) || a.Question != "a token for the registry?" || a.Tried != "two ways" || len(a.Options) != 0 {
		t.Errorf("%+v", a)
	}
	s.ok(s.reply(a.ID, "it is in place"))
	s.toEnd()
}

func TestAskRefusals(t *testing.T) {
	s := tell(t)
	for _, kind := range []string{state.AskApproval, state.AskConfirmation, "wish", ""} {
		s.refused(problem.Usage, "unknown kind of ask", func() error { return s.opensAsk(kind, "q") })
	}
	s.refused(problem.Usage, "an ask needs a question", func() error { return s.opensAsk(state.AskDecision, " \n") })
	s.refused(problem.Usage, `unknown node "deploy"`, func() error { return s.opensAsk(state.AskDecision, "q", "deploy") })
}

func TestReplyRefusals(t *testing.T) {
	s := tell(t).at(graph.Approve)
	approval := s.ask().ID
	s.ok(s.opensAsk(state.AskDecision, "q", graph.Review))
	own := s.ask().ID
	s.refused(problem.Usage, `ask "A9" is not open`, func() error { return s.reply("A9", "yes") })
	s.refused(problem.Usage, "an answer needs a text", func() error { return s.reply(own, "  ") })
	s.refused(problem.Usage, "is answered by approve or reject", func() error { return s.reply(approval, "yes") })
	for _, channel := range []string{"agent", "cli", "hook", ""} {
		s.refused(problem.HumanOnly, "reply is a human's verb", s.draft(evidence.By{Channel: channel}, func(d *decide.Draft) error { return d.Reply(own, "yes") }))
	}
	for _, channel := range []string{evidence.ChannelClient, evidence.ChannelTerminal, evidence.ChannelProvider} {
		s.ok(s.opensAsk(state.AskDecision, "q", graph.Review))
		id := s.ask().ID
		s.ok(s.do(evidence.By{Channel: channel}, func(d *decide.Draft) error { return d.Reply(id, "yes") }))
	}
	s.ok(s.reply(own, "yes"))
	s.refused(problem.Usage, "is not open", func() error { return s.reply(own, "yes") })
}

func TestOnlyAnEqualAnswerHasAnEffect(t *testing.T) {
	s := tell(t)
	failTests(s, 3)
	a := s.ask()
	for _, text := range []string{"yes", "One more attempt", "one more attempt.", "waive code-review", "waive", "pass", "fix"} {
		s.refused(problem.Usage, "is none of the answers to "+a.ID, func() error { return s.reply(a.ID, text) })
	}
	s.ok(s.reply(a.ID, "  one more attempt\n"))
	if s.state.Nodes[graph.Test].Granted != 1 {
		t.Error("the equal answer has no effect")
	}
}

// The words of an option in the agent's own ask are words.
func TestAnAnswerToTheAgentsOwnAskHasNoEffect(t *testing.T) {
	s := tell(t)
	failTests(s, 1)
	s.ok(s.opensAsk(state.AskDecision, "q"))
	for _, text := range []string{decide.OneMore, "waive unit-test", decide.Fix, decide.Replan, decide.AbortIt, decide.Accept, "pass"} {
		s.ok(s.opensAsk(state.AskDecision, "q"))
		before := s.state.Nodes
		s.ok(s.reply(s.ask().ID, text))
		if len(s.state.Waivers) != 0 || s.state.Nodes[graph.Implement] != before[graph.Implement] || !s.state.Delivery.Open() {
			t.Fatalf("%q had an effect", text)
		}
	}
}

func TestAnOpenQuestionShutsTheRequirements(t *testing.T) {
	s := tell(t).at(graph.Challenge)
	s.ok(s.opensAsk(state.AskDecision, "decimal or binary?", graph.Plan))
	s.refused(problem.GateShut, "ask A1 has no answer: decimal or binary?", func() error { return s.record("requirements", "pass") })
	s.ok(s.reply("A1", "decimal"))
	s.ok(s.record("requirements", "pass"))
	s.toEnd()
}

func TestAWaiver(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.ok(s.run("unit", 0, 3))
	s.ok(s.runWith("lint", func(in *decide.Run) { in.Exit, in.Signature = 1, "static/vet" }))
	s.refused(problem.GateShut, "static lint is failing", s.outcome(agent(), "pass"))
	s.ok(s.complete(agent(), "blocked"))
	a := s.ask()
	if !slices.Equal(a.Options, []string{decide.GoOn, decide.Replan, "waive static", decide.AbortIt}) {
		t.Fatalf("the options are %q", a.Options)
	}
	s.refused(problem.HumanOnly, "reply", s.draft(agent(), func(d *decide.Draft) error { return d.Reply(a.ID, "waive static") }))
	s.ok(s.reply(a.ID, "waive static"))
	s.ok(s.enter(""))
	s.shows(evidence.Static, "lint", gate.Info, "waived by a human: answer to "+a.ID+": test is blocked: reason")
	s.shows(evidence.UnitTest, "unit", gate.Current, "")
	s.ok(s.complete(agent(), "pass"))
	s.toEnd()
}

// What a human cannot wave through is never offered.
func TestWhatCannotBeWaived(t *testing.T) {
	for node, want := range map[string][]string{
		graph.Intake:    {"waive task"},
		graph.Analyze:   {"waive repository", "waive baseline"},
		graph.Challenge: {"waive requirements"},
		graph.Plan:      {"waive plan"},
		graph.Implement: {"waive change"},
		graph.Test:      {"waive unit-test", "waive integration-test", "waive static"},
		graph.Verify:    {"waive acceptance"},
		graph.Review:    nil,
		graph.SubmitPR:  nil,
		graph.Monitor:   {"waive pipeline"},
		graph.Comments:  {"waive review-comments"},
		graph.WorkItem:  {"waive work-item-update"},
	} {
		s := tell(t).at(node)
		s.ok(s.complete(agent(), "blocked"))
		var got []string
		for _, o := range s.ask().Options {
			if strings.HasPrefix(o, decide.Waive) {
				got = append(got, o)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s offers %q", node, got)
		}
	}
}

func TestAHumansVerdict(t *testing.T) {
	byHuman := func(w *world) { w.wantSpec.Criteria[0].Verify = document.VerifyHuman }
	for answer, want := range map[string]string{"pass": gate.VerdictPass, "fail": gate.VerdictFail} {
		s := tell(t, byHuman).at(graph.Verify)
		s.ok(s.judge("pass")) // opens the question instead
		a := s.ask()
		if a.Topic.Name != "verdict" || a.Question != "does this hold? AC-1: a is correct" || !slices.Equal(a.Options, []string{"pass", "fail"}) {
			t.Fatalf("%+v", a)
		}
		s.ok(s.judge("pass"))
		if len(s.state.Asks) != 1 {
			t.Errorf("the question is put twice: %+v", s.state.Asks)
		}
		s.refused(problem.GateShut, "AC-1 has no current verdict: nobody has judged it", func() error { return s.record("acceptance", "pass") })
		s.ok(s.reply(a.ID, answer))
		c, _ := s.state.Criterion("AC-1")
		if got, why := s.view().Verdict(c); got != want || c.Verdict.Channel != evidence.ChannelClient {
			t.Errorf("it is %s (%s) by %s", got, why, c.Verdict.Channel)
		}
		if answer == "pass" {
			s.toEnd()
			continue
		}
		s.refused(problem.GateShut, "AC-1 is HARD and fails", func() error { return s.record("acceptance", "pass") })
	}
}

func TestAHumansVerdictEndsWithTheTree(t *testing.T) {
	s := tell(t, func(w *world) { w.wantSpec.Criteria[0].Verify = document.VerifyHuman }).at(graph.Verify)
	s.ok(s.judge("pass"))
	s.ok(s.reply(s.ask().ID, "pass"))
	s.edit("a.go")
	c, _ := s.state.Criterion("AC-1")
	if got, why := s.view().Verdict(c); got != gate.VerdictStale || why != "a.go changed since the verdict" {
		t.Errorf("it is %s: %s", got, why)
	}
}

// A question about a criterion that changed is withdrawn with the change.
func TestAQuestionAboutAnotherCriterionIsWithdrawn(t *testing.T) {
	s := tell(t, func(w *world) { w.wantSpec.Criteria[0].Verify = document.VerifyHuman }).at(graph.Verify)
	s.ok(s.judge("pass"))
	spec := s.wantSpec
	spec.Task.Summary = "said otherwise"
	s.ok(s.putSpec(spec))
	if len(s.state.Asks) != 1 {
		t.Error("a question about the same criterion is gone")
	}
	spec.Criteria = []document.Criterion{spec.Criteria[0]}
	spec.Criteria[0].Text = "a is fast"
	s.ok(s.putSpec(spec))
	if len(s.state.Asks) != 0 || len(s.state.Answers) != 1 {
		t.Errorf("asks %+v, answers %+v", s.state.Asks, s.state.Answers)
	}
}

func TestAnEnvironmentIsAcceptedByAHuman(t *testing.T) {
	other := func(s *story, steering string) {
		s.ok(s.runWith("unit", func(in *decide.Run) { in.Surroundings = around(steering) }))
	}
	s := tell(t).at(graph.Test)
	other(s, "GOFLAGS=-tags x")
	s.shows(evidence.UnitTest, "unit", gate.Missing, "unknown (executed) opens nothing: PATH, a variable or a file that steers runners differs from the baseline's: GOFLAGS")
	other(s, "GOFLAGS=-tags x")
	a := s.ask()
	if len(s.state.Asks) != 1 || a.Topic.Name != "environment" || len(a.Blocks) != 0 {
		t.Fatalf("asks: %+v", s.state.Asks)
	}
	s.ok(s.reply(a.ID, decide.Refuse))
	other(s, "GOFLAGS=-tags x")
	s.shows(evidence.UnitTest, "unit", gate.Missing, "differs from the baseline's: GOFLAGS")
	s.ok(s.reply(s.ask().ID, decide.Accept))
	s.shows(evidence.UnitTest, "unit", gate.Missing, "") // what ran before it is not looked at again
	other(s, "GOFLAGS=-tags x")
	s.shows(evidence.UnitTest, "unit", gate.Current, "")
	other(s, "GOFLAGS=-tags y") // another one is another question, and hides nothing
	s.shows(evidence.UnitTest, "unit", gate.Current, "")
	if !strings.Contains(s.ask().About, "GOFLAGS=GOFLAGS=-tags y") {
		t.Errorf("%+v", s.ask())
	}
	s.toEnd()
}

func TestASteerMakesThePlanStaleUntilItIsAnswered(t *testing.T) {
	steer := func(s *story, by evidence.By, text string) func() error {
		return s.draft(by, func(d *decide.Draft) error { return d.Steer(text) })
	}
	s := tell(t).at(graph.Test)
	s.refused(problem.HumanOnly, "steer is a human's verb", steer(s, agent(), "cap the budget"))
	s.refused(problem.Usage, "a steer needs a text", steer(s, human(), " "))
	s.ok(steer(s, human(), " cap the budget ")())
	for _, kind := range []evidence.Kind{evidence.Plan, evidence.Approval} {
		s.shows(kind, "", gate.Stale, "steer S1 is not answered by the plan: cap the budget")
	}
	s.ok(s.run("unit", 0, 3))
	s.ok(s.run("lint", 0, 0))
	s.refused(problem.GateShut, "the approval is stale (steer S1", s.outcome(agent(), "pass"))
	s.ok(s.complete(agent(), "fail-replan"))
	s.ok(s.enter(""))
	s.refused(problem.Invalid, "steer S1 has no answer", s.draft(agent(), func(d *decide.Draft) error { return d.PutPlan(goodPlan(), "p2") }))
	s.at(graph.Approve)
	s.ok(s.approveOpen(human()))
	s.toEnd()
}
