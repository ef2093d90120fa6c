package decide_test

import (
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

func (s *story) approve(by evidence.By, digest string) func() error {
	return s.draft(by, func(d *decide.Draft) error { return d.Approve(digest) })
}

func (s *story) reject(by evidence.By, reason string) func() error {
	return s.draft(by, func(d *decide.Draft) error { return d.Reject(reason) })
}

func TestTheApproval(t *testing.T) {
	s := tell(t).at(graph.Approve)
	a := s.ask()
	if a.Kind != state.AskApproval || len(a.Digest) != 64 || a.Question != "approve plan revision 1?" {
		t.Fatalf("%+v", a)
	}
	for _, digest := range []string{"", "yes", a.Digest[:7], "  " + a.Digest[:7] + "  ", "zz" + a.Digest[2:], a.Digest[:8] + "?"} {
		s.refused(problem.Usage, "is no digest: at least 8 hex digits are due", s.approve(human(), digest))
	}
	other := strings.Map(func(r rune) rune { return map[bool]rune{true: '1', false: '0'}[r == '0'] }, a.Digest)
	for _, digest := range []string{other, other[:8], a.Digest + "0"} {
		s.refused(problem.GateShut, "nothing that is open bears the digest", s.approve(human(), digest))
	}
	for _, channel := range []string{"agent", "cli", "hook", ""} {
		s.refused(problem.HumanOnly, "approve is a human's verb", s.approve(evidence.By{Channel: channel}, a.Digest))
	}
	s.refused(problem.HumanOnly, "approve passes by a human's approval", s.outcome(human(), "pass"))

	s.ok(s.approve(human(), strings.ToUpper(a.Digest[:8]))())
	if !s.state.Running(graph.Implement) {
		t.Fatal("implement is not entered by the approval")
	}
	got := *s.state.Approval
	want := state.Approval{
		Digest: a.Digest, Plan: s.state.Docs[state.DocPlan], Spec: s.state.Docs[state.DocSpec], Base: "main", MergeBase: "base",
		Tree: s.tree(), Channel: evidence.ChannelClient, Record: "E6",
	}
	if got != want {
		t.Errorf("bound to %+v, not to %+v", got, want)
	}
	s.refused(problem.GateShut, "nothing that is open", s.approve(human(), a.Digest)) // used once
	s.toEnd()
}

func TestTheApprovalNamesItsChannel(t *testing.T) {
	for _, channel := range []string{evidence.ChannelClient, evidence.ChannelTerminal, evidence.ChannelProvider} {
		s := tell(t).at(graph.Approve)
		s.ok(s.approve(evidence.By{Channel: channel, Identity: "dev"}, s.ask().Digest)())
		if r := s.last(); s.state.Approval.Channel != channel || r.By.Channel != channel || r.Witness != evidence.Human {
			t.Errorf("%s is kept as %s", channel, s.state.Approval.Channel)
		}
	}
}

// What the human agrees to is goal, plan, criteria, scope, configuration and base.
func TestTheDigestIsOfAllThatIsAgreedTo(t *testing.T) {
	digest := func(change func(*world)) string {
		s := tell(t, change).at(graph.Approve)
		return s.ask().Digest
	}
	base := digest(func(*world) {})
	for name, change := range map[string]func(*world){
		"a criterion":       func(w *world) { w.wantSpec.Criteria[0].Text = "a is fast" },
		"the hardness":      func(w *world) { w.wantSpec.Criteria[0].Hardness = "SOFT" },
		"the scope":         func(w *world) { w.wantPlan.Scope.Write = []string{"a.go", "doc.md"} },
		"a gate":            func(w *world) { w.wantPlan.Gates[1].Argv = []string{"true"} },
		"the configuration": func(w *world) { w.tweak = func(f *gate.Facts) { f.World.Config = "c2" } },
	} {
		if digest(change) == base {
			t.Errorf("another digest is due for a change of %s", name)
		}
	}
	if digest(func(w *world) { w.env = "newer" }) != base {
		t.Error("the digest depends on the tools")
	}
}

func TestAnApprovalOfWhatChangedSinceItWasShown(t *testing.T) {
	t.Run("configuration", func(t *testing.T) {
		s := tell(t).at(graph.Approve)
		s.tweak = func(f *gate.Facts) { f.World.Config = "c2" }
		s.refused(problem.GateShut, "what was to be approved has changed since it was shown", s.approve(human(), s.ask().Digest))
		s.tweak = nil
		s.ok(s.approve(human(), s.ask().Digest)())
	})
	t.Run("spec", func(t *testing.T) {
		s := tell(t).at(graph.Approve)
		s.refused(problem.GateShut, "the spec waits for its approval and is not changed under it", func() error { return s.putSpec(goodSpec()) })
	})
	t.Run("plan", func(t *testing.T) {
		s := tell(t).at(graph.Approve)
		s.refused(problem.GateShut, "the plan has passed and is not changed any more", func() error { return s.putPlan(goodPlan()) })
	})
	t.Run("base", func(t *testing.T) {
		for path, refusal := range map[string]string{"a.go": "the plan is stale: the base moved and changed a.go", "other/b.go": ""} {
			s := tell(t, func(w *world) {
				w.wantPlan.Gates[0].Inputs, w.wantPlan.Gates[1].Inputs = []string{"*.go"}, []string{"*.go"}
			}).at(graph.Approve)
			s.moves("base2", path)
			if refusal != "" {
				s.refused(problem.GateShut, refusal, s.approve(human(), s.ask().Digest))
				s.ok(s.reject(human(), "the base moved")())
				continue
			}
			s.ok(s.approve(human(), s.ask().Digest)())
			s.toEnd()
		}
	})
	t.Run("steer", func(t *testing.T) {
		s := tell(t).at(graph.Approve)
		shown := s.ask().Digest
		s.ok(s.do(human(), func(d *decide.Draft) error { return d.Steer("cap the budget") }))
		s.refused(problem.GateShut, "the plan is stale: steer S1 is not answered by the plan", s.approve(human(), shown))
	})
}

// moves lets the base branch move to another commit, on which a path changed.
func (s *story) moves(to, path string) {
	s.tweak = func(f *gate.Facts) {
		f.World.Base = to
		f.Base = map[string]gate.BaseMove{"base": {Known: true, Paths: []string{path}}, to: {Known: true, Same: true}}
	}
}

func TestAnApprovalEndsWithTheBaseAndTheSpec(t *testing.T) {
	inputs := func(w *world) {
		w.wantPlan.Gates[0].Inputs, w.wantPlan.Gates[1].Inputs = []string{"*.go"}, []string{"*.go"}
	}
	s := tell(t, inputs).at(graph.Test)
	s.moves("base2", "docs/b.md")
	s.shows(evidence.Approval, "", gate.Current, "")
	s.moves("base2", "a_test.go")
	s.shows(evidence.Approval, "", gate.Stale, "the base moved and changed a_test.go")
	s.ok(s.run("unit", 0, 3))
	s.ok(s.run("lint", 0, 0))
	s.refused(problem.GateShut, "the approval is stale", s.outcome(agent(), "pass"))
	s.tweak = nil
	spec := goodSpec()
	spec.Criteria[0].Hardness = "SOFT"
	s.ok(s.putSpec(spec))
	s.shows(evidence.Approval, "", gate.Stale, "spec.json changed")
	s.refused(problem.GateShut, "the approval is stale (spec.json changed); fail-replan asks for another", s.outcome(agent(), "pass"))
	s.ok(s.putSpec(goodSpec()))
	s.ok(s.complete(agent(), "pass"))
	s.toEnd()
}

// After a relevant move of the base the plan is made and approved again, and leads
// to the end, although nothing leads back to analyze.
func TestTheEndAfterTheBaseMoved(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.moves("base2", "a.go")
	s.ok(s.run("unit", 0, 3))
	s.ok(s.run("lint", 0, 0))
	s.refused(problem.GateShut, "the approval is stale (the base moved and changed a.go)", s.outcome(agent(), "pass"))
	s.ok(s.complete(agent(), "fail-replan"))
	s.at(graph.WorkItem)
	s.shows(evidence.Baseline, "", gate.Stale, "the base moved")
	s.shows(evidence.Approval, "", gate.Current, "")
	s.toEnd()

	s = tell(t).at(graph.WorkItem)
	s.answers(evidence.WorkItemUpdate, func(*decide.Read) {})
	s.moves("base2", "a.go")
	s.refused(problem.GateShut, "approve: approval is stale (the base moved and changed a.go)", s.outcome(agent(), "pass"))
}

func TestARejection(t *testing.T) {
	s := tell(t)
	s.refused(problem.Conflict, "nothing waits for an approval", s.reject(human(), "no"))
	s.at(graph.Approve)
	s.refused(problem.HumanOnly, "reject is a human's verb", s.reject(agent(), "no"))
	s.refused(problem.Usage, "a rejection needs a reason", s.reject(human(), "\t"))
	shown := s.ask().Digest
	s.ok(s.reject(human(), "without a new package")())
	if !s.state.Running(graph.Plan) || s.state.Steers[0].Text != "without a new package" || len(s.state.Asks) != 0 {
		t.Fatalf("at %s, steers %+v, asks %+v", s.node(), s.state.Steers, s.state.Asks)
	}
	s.refused(problem.GateShut, "nothing that is open", s.approve(human(), shown))
	s.refused(problem.GateShut, "plan is stale", s.outcome(agent(), "pass"))
	s.at(graph.Approve)
	if s.ask().Digest == shown {
		t.Error("the next revision bears the same digest")
	}
	s.ok(s.reject(human(), "still not")())
	s.paused("budget", "plan has used its 2 attempts")
	s.ok(s.reply(s.ask().ID, decide.OneMore))
	s.toEnd()
}

func TestAConfirmation(t *testing.T) {
	s := tell(t).at(graph.SubmitPR)
	s.head = s.tree()
	s.tweak = func(f *gate.Facts) { f.Commits = []string{"fix a\n\nbecause", "test a"} }
	s.ok(s.intend())
	a := s.ask()
	for _, text := range []string{`push work to origin and open the pull request "fix"?`, "head " + s.head, "branch work, base main", "remote /remote", "commit: fix a\n", "commit: test a", "text: artifact text"} {
		if !strings.Contains(a.Question+"\n"+a.About, text) {
			t.Errorf("the confirmation does not show %q:\n%s\n%s", text, a.Question, a.About)
		}
	}
	s.refused(problem.HumanOnly, "approve is a human's verb", s.approve(agent(), a.Digest))
	s.edit("doc.md") // uncommitted edits do not end it
	head := s.head
	s.head = "another"
	s.refused(problem.GateShut, "the head is another commit than the one that was shown", s.approve(human(), a.Digest))
	s.head = head
	s.ok(s.approve(human(), a.Digest)())
	in := s.state.Intents[0]
	if !in.Confirmed || in.Channel != evidence.ChannelClient || in.Settled {
		t.Errorf("%+v", in)
	}
	s.files["doc.md"]--
	s.ok(s.read(evidence.PullRequest, evidence.Pass))
	if !s.state.Intents[0].Settled {
		t.Error("the read-back does not settle the intent")
	}
	s.toEnd()
}

func TestARejectedConfirmation(t *testing.T) {
	s := tell(t).at(graph.SubmitPR)
	s.head = s.tree()
	s.ok(s.intend())
	s.ok(s.reject(human(), "another title")())
	if !s.state.Running(graph.SubmitPR) || s.state.Intents[0].Confirmed || s.state.Steers[0].Text != "another title" {
		t.Errorf("at %s: %+v", s.node(), s.state.Intents)
	}
	s.ok(s.read(evidence.PullRequest, evidence.Pass))
	s.shows(evidence.PullRequest, "", gate.Missing, "this head was pushed without a confirmed intent")
}

func TestAutoPRWaivesTheConfirmationAndNothingElse(t *testing.T) {
	start := func(w *world, by evidence.By) error {
		return w.do(by, func(d *decide.Draft) error {
			return d.Start(state.Delivery{ID: "d1", Goal: "make a correct", Provider: "local", Base: "main", AutoPR: true, Source: "owner/repo#1"}, nil)
		})
	}
	s := &story{newWorld(t), t}
	s.refused(problem.HumanOnly, "--auto-pr is a human's verb", func() error { return start(s.world, agent()) })
	s.ok(start(s.world, human()))
	s.at(graph.Approve)
	s.refused(problem.HumanOnly, "approve passes by a human's approval", s.outcome(agent(), "pass"))
	s.refused(problem.HumanOnly, "approve is a human's verb", s.approve(agent(), s.ask().Digest))
	s.at(graph.SubmitPR)
	s.ok(s.read(evidence.PullRequest, evidence.Pass))
	s.shows(evidence.PullRequest, "", gate.Missing, "without a confirmed intent")
	s.head = s.tree()
	s.ok(s.intend())
	if in := s.state.Intents[0]; !in.Confirmed || in.Channel != decide.AutoPR || len(s.state.Asks) != 0 {
		t.Fatalf("%+v, asks %+v", in, s.state.Asks)
	}
	s.at(graph.Comments)
	s.comments(state.Comment{ID: "T1", Said: "why"})
	s.ok(s.triage("T1", state.Informational))
	s.ok(s.do(agent(), func(d *decide.Draft) error {
		_, ask, err := d.Intend(state.Intent{Kind: decide.IntentReply, Target: "T1", Body: "text", Text: "text"})
		if ask == nil {
			t.Error("a reply leaves without a confirmation")
		}
		return err
	}))
	s.comments()
	s.toEnd()
}
