package decide_test

import (
	"testing"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// intends announces a write and returns what was announced.
func (s *story) intends(in state.Intent) (out state.Intent, err error) {
	err = s.do(agent(), func(d *decide.Draft) error {
		out, _, err = d.Intend(in)
		return err
	})
	return out, err
}

func TestAnIntentIsAnnouncedAtItsNode(t *testing.T) {
	for kind, at := range map[string]string{decide.IntentPR: graph.SubmitPR, decide.IntentReply: graph.Comments, decide.IntentWorkItem: graph.WorkItem} {
		in := state.Intent{Kind: kind, Title: "fix", Target: "in review"}
		if kind != decide.IntentWorkItem {
			in.Body = "text"
		}
		s := tell(t).at(graph.Review)
		s.refused(problem.GateShut, kind+" is announced while "+at+" is under way", func() error { _, err := s.intends(in); return err })
		s.at(at)
		s.head = s.tree()
		if kind == decide.IntentReply {
			s.comments(state.Comment{ID: "in review", Said: "why"})
			s.ok(s.triage("in review", state.Informational))
		}
		got, err := s.intends(in)
		s.ok(err)
		a := s.ask()
		if a.Kind != state.AskConfirmation || a.Digest != got.Digest || a.Blocks[0] != at {
			t.Errorf("%+v", a)
		}
		s.refused(problem.GateShut, "ask "+a.ID+" has no answer", s.outcome(agent(), "pass"))
		if kind == decide.IntentReply {
			s.comments() // it is resolved
		}
		s.toEnd()
	}
	s := tell(t).at(graph.SubmitPR)
	s.refused(problem.GateShut, "merge is announced while", func() error { _, err := s.intends(state.Intent{Kind: "merge"}); return err })
}

func TestWhatThePullRequestNeeds(t *testing.T) {
	pr := state.Intent{Kind: decide.IntentPR, Title: "fix", Body: "text"}
	for _, c := range []struct {
		name, refusal string
		code          problem.Code
		change        func(*story, *state.Intent)
	}{
		{"a title", "a pull request needs a title", problem.Usage, func(_ *story, in *state.Intent) { in.Title = " " }},
		{"a remote", "there is no remote to push to", problem.GateShut, func(s *story, _ *state.Intent) { s.tweak = func(f *gate.Facts) { f.Remote = "" } }},
		{"its branch", `not the delivery's branch "work"`, problem.GateShut, func(s *story, _ *state.Intent) { s.branch = "other" }},
		{"a branch", `not the delivery's branch "work"`, problem.GateShut, func(s *story, _ *state.Intent) { s.branch = "" }},
		{"a readable tree", "the work tree cannot be read: x", problem.GateShut, func(s *story, _ *state.Intent) {
			s.tweak = func(f *gate.Facts) { f.World.Tree, f.TreeUnknown = "", []string{"x"} }
		}},
		{"the work committed", "the head commit is not the work tree", problem.GateShut, func(s *story, _ *state.Intent) { s.head = "other" }},
		{"nothing uncommitted", "the head commit is not the work tree", problem.GateShut, func(s *story, _ *state.Intent) { s.edit("doc.md") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tell(t).at(graph.SubmitPR)
			s.head = s.tree()
			in := pr
			c.change(s, &in)
			s.refused(c.code, c.refusal, func() error { _, err := s.intends(in); return err })
		})
	}
	s := tell(t).at(graph.SubmitPR)
	s.head = s.tree()
	got, err := s.intends(pr)
	s.ok(err)
	if got.Head != s.head || got.Branch != "work" || got.Remote != "origin" || got.URL != "/remote" || got.Base != "main" || got.ID != "I1" {
		t.Errorf("%+v", got)
	}
}

func TestAnIntentReplacesTheOneBefore(t *testing.T) {
	s := tell(t).at(graph.SubmitPR)
	s.head = s.tree()
	first, err := s.intends(state.Intent{Kind: decide.IntentPR, Title: "fix", Body: "text"})
	s.ok(err)
	digests := map[string]bool{first.Digest: true}
	for _, in := range []state.Intent{
		{Kind: decide.IntentPR, Title: "fix a", Body: "text"},
		{Kind: decide.IntentPR, Title: "fix", Body: "another text"},
		{Kind: decide.IntentPR, Title: "fix", Body: "text", Draft: true},
	} {
		got, err := s.intends(in)
		s.ok(err)
		if digests[got.Digest] || len(s.state.Asks) != 1 {
			t.Errorf("%+v: digest %s, asks %+v", in, got.Digest, s.state.Asks)
		}
		digests[got.Digest] = true
	}
	s.tweak = func(f *gate.Facts) { f.Commits = []string{"another message"} }
	again, err := s.intends(state.Intent{Kind: decide.IntentPR, Title: "fix", Body: "text"})
	s.ok(err)
	if digests[again.Digest] {
		t.Error("the digest does not depend on the commits")
	}
	s.refused(problem.GateShut, "nothing that is open bears the digest", s.approve(human(), first.Digest))
	s.ok(s.approve(human(), again.Digest)())
}

// answers stores what a provider said, changed from a good answer.
func (s *story) answers(kind evidence.Kind, change func(*decide.Read)) {
	s.t.Helper()
	s.ok(s.do(agent(), func(d *decide.Draft) error {
		in := decide.Read{
			Kind: kind, Result: evidence.Pass, Summary: "read", Because: "nothing to have", Head: d.Facts.Head, Tree: d.Facts.HeadTree,
			Remote: d.Facts.URL, URL: "local:x", Proof: "p", Signature: "pipeline/build",
		}
		change(&in)
		_, err := d.StoreRead(in)
		return err
	}))
}

func TestAPullRequestIsReadBack(t *testing.T) {
	nothing := func(*story) {}
	for name, c := range map[string]struct {
		before func(*story)
		change func(*decide.Read)
		why    string // "" for the honest twin
	}{
		"as announced":   {nothing, func(*decide.Read) {}, ""},
		"another head":   {nothing, func(r *decide.Read) { r.Head = "other" }, "this head was pushed without a confirmed intent"},
		"another tree":   {nothing, func(r *decide.Read) { r.Tree = "other" }, "its head's tree is not the work tree"},
		"another remote": {nothing, func(r *decide.Read) { r.Remote = "/elsewhere" }, "or the remote or how it is reached is another one"},
		"the remote moved since": {
			func(s *story) { s.tweak = func(f *gate.Facts) { f.URL = "/elsewhere" } },
			func(*decide.Read) {}, "or the remote or how it is reached is another one",
		},
		"info":                 {nothing, func(r *decide.Read) { r.Result = evidence.Info }, "info (read-back) opens nothing: nothing to have"},
		"unknown":              {nothing, func(r *decide.Read) { r.Result = evidence.Unknown }, "unknown (read-back) opens nothing"},
		"the head moved since": {func(s *story) { s.head = "later" }, func(*decide.Read) {}, "its head is not the delivery's head"},
		"an edit since":        {func(s *story) { s.edit("doc.md") }, func(*decide.Read) {}, "its head's tree is not the work tree"},
		"a stale review": {
			func(s *story) { s.stale("code-review") },
			func(*decide.Read) {}, "its tree is not the one that review was about: code-review is stale",
		},
		"a verdict that is stale": {
			func(s *story) { s.stale("acceptance") },
			func(*decide.Read) {}, "its tree is not the one that verify was about: acceptance is stale",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t).at(graph.SubmitPR)
			s.head = s.tree()
			s.ok(s.intend())
			s.ok(s.approveOpen(human()))
			confirmed := s.head
			c.before(s)
			s.answers(evidence.PullRequest, func(r *decide.Read) {
				r.Head, r.Tree = confirmed, confirmed
				c.change(r)
			})
			if c.why == "" {
				s.shows(evidence.PullRequest, "", gate.Current, "")
				if got := *s.state.Submitted; got != (state.Submitted{Head: confirmed, Tree: confirmed, URL: "local:x"}) {
					t.Errorf("%+v", got)
				}
				s.toEnd()
				return
			}
			s.shows(evidence.PullRequest, "", gate.Missing, c.why)
			if s.state.Submitted != nil {
				t.Errorf("submitted: %+v", s.state.Submitted)
			}
			s.refused(problem.GateShut, "pull-request is missing", s.outcome(agent(), "pass"))
		})
	}
}

// stale lets the newest record of a slot be about another world.
func (s *story) stale(key string) {
	slot := s.state.Slots[key]
	r := *slot.Counts
	r.Seq = 0
	slot.Counts = &r
	s.state.Slots[key] = slot
}

func TestWhatOnlyAReadMaySay(t *testing.T) {
	for kind, node := range map[evidence.Kind]string{evidence.Pipeline: graph.Monitor, evidence.ReviewComments: graph.Comments, evidence.WorkItemUpdate: graph.WorkItem} {
		for _, c := range []struct {
			result evidence.Result
			head   string
			state  string
			why    string
		}{
			{evidence.Pass, "", gate.Current, ""},
			{evidence.Info, "", gate.Info, "nothing to have"},
			{evidence.Fail, "", gate.Failing, "read"},
			{evidence.Unknown, "", gate.Missing, "unknown (read-back) opens nothing"},
			{evidence.Pass, "other", gate.Missing, "it is about another head than the submitted one"},
			{evidence.Info, "other", gate.Missing, "it is about another head than the submitted one"},
			{evidence.Fail, "other", gate.Stale, "the head is another commit now"},
		} {
			s := tell(t).at(node)
			s.answers(kind, func(r *decide.Read) {
				r.Result = c.result
				if c.head != "" {
					r.Head = c.head
				}
			})
			s.shows(kind, "", c.state, c.why)
			if c.state != gate.Current && c.state != gate.Info {
				s.refused(problem.GateShut, string(kind)+" is "+c.state, s.outcome(agent(), "pass"))
			}
			s.toEnd()
		}
	}
}

// What is typed about a provider is a sentence, whatever it says.
func TestATypedReadOpensNothing(t *testing.T) {
	for kind, node := range map[evidence.Kind]string{
		evidence.PullRequest: graph.SubmitPR, evidence.Pipeline: graph.Monitor, evidence.ReviewComments: graph.Comments, evidence.WorkItemUpdate: graph.WorkItem,
	} {
		s := tell(t).at(node)
		s.refused(problem.GateShut, "is not taken from a sentence", func() error { return s.record(string(kind), "pass") })
		s.ok(s.record(string(kind), "info"))
		s.shows(kind, "", gate.Missing, "info (stated) opens nothing: because")
	}
}

func TestAReadThatIsUnclearHidesNoneThatCounts(t *testing.T) {
	s := tell(t).at(graph.Monitor)
	s.answers(evidence.Pipeline, func(*decide.Read) {})
	s.answers(evidence.Pipeline, func(r *decide.Read) { r.Result = evidence.Unknown })
	s.shows(evidence.Pipeline, "", gate.Current, "")
	s.answers(evidence.Pipeline, func(r *decide.Read) { r.Result = evidence.Fail })
	s.shows(evidence.Pipeline, "", gate.Failing, "")
	s.fails("")
	if f := s.state.Failures[0]; f.Signature != "pipeline/build" {
		t.Errorf("%+v", f)
	}
}

func TestNothingIsReadBeforeThereIsSomething(t *testing.T) {
	readable := func(s *story) func() error {
		return s.draft(agent(), func(d *decide.Draft) error { return d.Readable(evidence.Pipeline) })
	}
	s := tell(t).at(graph.Review)
	s.refused(problem.GateShut, "nothing to read back before submit-pr", readable(s))
	s.at(graph.SubmitPR)
	s.ok(readable(s)())
	s.answers(evidence.Pipeline, func(*decide.Read) {})
	s.shows(evidence.Pipeline, "", gate.Missing, "no pull request has been read back")
	s.at(graph.Monitor)
	s.fails("")
	s.refused(problem.GateShut, "nothing to read back before submit-pr", readable(s))
}

func TestTheEndNeedsTheSubmittedHead(t *testing.T) {
	s := tell(t).at(graph.WorkItem)
	s.answers(evidence.WorkItemUpdate, func(r *decide.Read) { r.Result = evidence.Info })
	s.edit("a.go")
	s.refused(problem.GateShut, "the work tree differs from the submitted head", s.outcome(agent(), "pass"))
	s.files["a.go"]--
	s.head = "later"
	s.refused(problem.GateShut, "the head is another commit now", s.outcome(agent(), "pass"))
	s.head = s.tree()
	s.ok(s.complete(agent(), "pass"))
	if s.state.Delivery.Status != state.Done {
		t.Errorf("it is %s", s.state.Delivery.Status)
	}
}

// What is announced twice in the same words is confirmed once, and it is the newest
// that is: the one that next looks at.
func TestAnIntentThatIsAnnouncedAgain(t *testing.T) {
	s := tell(t).at(graph.SubmitPR)
	s.head = s.tree()
	s.ok(s.intend())
	s.ok(s.intend())
	s.ok(s.approveOpen(human()))
	if in, ok := s.state.Intent("pr"); !ok || in.ID != "I2" || !in.Confirmed {
		t.Errorf("the newest is %+v", in)
	}
	s.ok(s.read(evidence.PullRequest, evidence.Pass))
	s.toEnd()
}

// A confirmation is about what verify and review saw; where the work goes back it is
// withdrawn, and a later reject is about the plan.
func TestAConfirmationIsWithdrawnWhenTheWorkGoesBack(t *testing.T) {
	for _, outcome := range []string{"fail-retryable", "fail-replan", "security-escalation"} {
		s := tell(t).at(graph.SubmitPR)
		s.head = s.tree()
		s.ok(s.intend())
		shown := s.ask().Digest
		s.ok(s.complete(agent(), outcome))
		if outcome == "security-escalation" {
			s.ok(s.reply(s.ask().ID, decide.Fix))
		}
		if len(s.state.Asks) != 0 {
			t.Errorf("%s leaves %+v", outcome, s.state.Asks)
		}
		s.refused(problem.GateShut, "nothing that is open bears the digest", s.approve(human(), shown))
		s.toEnd()
	}
	s := tell(t).at(graph.SubmitPR)
	s.head = s.tree()
	s.ok(s.intend())
	s.ok(s.complete(agent(), "fail-replan"))
	s.at(graph.Approve)
	s.ok(s.reject(human(), "another way")())
	if !s.state.Running(graph.Plan) && s.ask().Topic.Node != graph.Plan {
		t.Errorf("the rejection leads to %s", s.node())
	}
}

// A confirmation of the work item's update outlives a failure that leads to the same node.
func TestAConfirmationOfTheSameNodeStays(t *testing.T) {
	s := tell(t).at(graph.WorkItem)
	_, err := s.intends(state.Intent{Kind: decide.IntentWorkItem, Target: "in review"})
	s.ok(err)
	s.fails("")
	if len(s.state.Asks) != 1 {
		t.Errorf("asks: %+v", s.state.Asks)
	}
	s.toEnd()
}
