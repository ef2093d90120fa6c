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

// comments reads the unresolved comments back; shown are replies of ours, by their comment.
func (s *story) comments(list ...state.Comment) {
	s.t.Helper()
	s.commentsShowing(nil, list...)
}

func (s *story) commentsShowing(shown []decide.Shown, list ...state.Comment) {
	s.t.Helper()
	s.answers(evidence.ReviewComments, func(in *decide.Read) {
		in.Comments = &state.Comments{Path: "artifact", Total: len(list), Items: list}
		in.Shown = shown
		if len(list) > 0 {
			in.Result = evidence.Fail
		}
	})
}

func (s *story) triage(id, class string) error {
	return s.do(agent(), func(d *decide.Draft) error {
		return d.PutTriage(document.Triage{Version: 1, Items: []document.TriageItem{{ID: id, Class: class, Because: "read"}}}, "digest")
	})
}

// submitted is the head that was read back.
func (s *story) submitted() string { return s.state.Submitted.Head }

func TestAnInformationalCommentIsAnsweredByAConfirmedReply(t *testing.T) {
	s := tell(t).at(graph.Comments)
	c := state.Comment{ID: "T1", Kind: "thread", Said: "why?"}
	reply := state.Intent{Kind: decide.IntentReply, Target: "T1", Body: "artifact", Text: "because"}
	s.refused(problem.GateShut, "no comments were read", func() error { return s.triage("T1", state.Informational) })
	s.refused(problem.GateShut, "no comments were read", func() error { _, err := s.intends(reply); return err })
	s.comments(c)
	s.shows(evidence.ReviewComments, "", gate.Failing, "")
	s.refused(problem.GateShut, "review-comments is failing", s.outcome(agent(), "pass"))
	s.refused(problem.GateShut, "it is not triaged", func() error { _, err := s.intends(reply); return err })
	s.refused(problem.Invalid, `"T2" is no unresolved comment`, func() error { return s.triage("T2", state.Informational) })
	s.refused(problem.Invalid, "is none of", func() error { return s.triage("T1", "later") })
	s.ok(s.triage("T1", state.Informational))
	in, err := s.intends(reply)
	s.ok(err)
	if a := s.ask(); !strings.Contains(a.About, "triaged as informational") {
		t.Errorf("the confirmation does not say what the comment was taken for: %s", a.About)
	}
	s.ok(s.approve(human(), in.Digest)())
	s.refused(problem.Conflict, "may have been written", func() error { _, err := s.intends(reply); return err })

	// A text of the same account that nobody confirmed is no reply of ours.
	s.commentsShowing([]decide.Shown{{Target: "T1", Text: "another"}}, c)
	if got := s.state.Intents[len(s.state.Intents)-1]; got.Settled || !got.Due() {
		t.Errorf("settled by another text: %+v", got)
	}
	// The right text in another thread is none either.
	s.commentsShowing([]decide.Shown{{Target: "T2", Text: "because"}}, c)
	if got := s.state.Intents[len(s.state.Intents)-1]; got.Settled {
		t.Errorf("settled by another thread: %+v", got)
	}
	c.Ours = true
	s.commentsShowing([]decide.Shown{{Target: "T1", Text: "because"}}, c)
	if got := s.state.Intents[len(s.state.Intents)-1]; !got.Settled || got.Due() {
		t.Errorf("not settled: %+v", got)
	}
	s.shows(evidence.ReviewComments, "", gate.Current, "")
	s.refused(problem.Conflict, "was written and read back as", func() error { _, err := s.intends(reply); return err })

	// A new text of somebody else ends the triage.
	c.Ours, c.Said = false, "why? no, really"
	s.comments(c)
	s.refused(problem.GateShut, "others wrote in it since it was triaged", s.outcome(agent(), "pass"))
	s.comments() // resolved by its author
	s.toEnd()
}

func TestAnActionableCommentIsHandledByACommitThatCameLater(t *testing.T) {
	s := tell(t).at(graph.Comments)
	first := s.submitted()
	c := state.Comment{ID: "T1", Kind: "thread", Said: "wrong"}
	s.comments(c)
	s.ok(s.triage("T1", state.Actionable))
	reply := state.Intent{Kind: decide.IntentReply, Target: "T1", Body: "artifact", Text: "done"}
	s.refused(problem.GateShut, "asks for a change", func() error { _, err := s.intends(reply); return err })
	s.ok(s.complete(agent(), "fail-retryable"))
	if s.state.Node != graph.Implement {
		t.Fatalf("it leads to %s", s.state.Node)
	}
	v := gate.View{State: s.state, Graph: s.graph, Facts: s.facts()}
	if list := v.Outstanding(); len(list) != 1 || list[0].Step != gate.StepImplement || list[0].ID != "T1" {
		t.Errorf("the assignment of implement is %+v", list)
	}
	s.ok(s.enter("the comment is right"))
	s.edit("a.go")
	s.at(graph.Comments)
	second := s.submitted()
	if second == first {
		t.Fatal("nothing else was submitted")
	}
	after := []string{"abcdef0123456789"}
	s.tweak = func(f *gate.Facts) { f.After = map[string][]string{first: after} }
	s.comments(c)
	in, err := s.intends(reply)
	s.ok(err)
	s.ok(s.approve(human(), in.Digest)())
	shown := []decide.Shown{{Target: "T1", Text: "done"}}
	c.Ours, c.Names = true, []string{"1234567"}
	s.commentsShowing(shown, c)
	s.refused(problem.GateShut, "names no commit that was submitted since", s.outcome(agent(), "pass"))
	c.Names = []string{"abcdef0"}
	s.commentsShowing(shown, c)
	s.shows(evidence.ReviewComments, "", gate.Current, "")

	// The same class again is the same triage, not one that needs another commit.
	s.ok(s.triage("T1", state.Actionable))
	s.commentsShowing(shown, c)
	s.shows(evidence.ReviewComments, "", gate.Current, "")

	// A review that asks for changes stands until the provider says otherwise.
	c.Blocks = true
	s.commentsShowing(shown, c)
	s.refused(problem.GateShut, "stands until its author looks again", s.outcome(agent(), "pass"))
	c.Blocks = false
	s.commentsShowing(shown, c)
	s.toEnd()
}

func TestACommentThatChangesBehaviourNeedsAnotherPlan(t *testing.T) {
	s := tell(t).at(graph.Comments)
	s.comments(state.Comment{ID: "T1", Said: "do it otherwise"})
	s.ok(s.triage("T1", state.ChangesBehaviour))
	s.comments(state.Comment{ID: "T1", Said: "do it otherwise"})
	s.refused(problem.GateShut, "it changes behaviour", s.outcome(agent(), "pass"))
	v := func() []gate.Outstanding {
		return gate.View{State: s.state, Graph: s.graph, Facts: s.facts()}.Outstanding()
	}
	if list := v(); list[0].Step != gate.StepReplan {
		t.Errorf("%+v", list)
	}
	s.ok(s.complete(agent(), "fail-replan"))
	if s.state.Node != graph.Plan {
		t.Fatalf("it leads to %s", s.state.Node)
	}
	s.wantPlan.Summary = "otherwise"
	s.at(graph.Implement)
	if list := v(); len(list) != 1 || list[0].Step != gate.StepImplement {
		t.Errorf("under the new plan: %+v", list)
	}
}

func TestCommentsThatCouldNotBeReadChangeNothing(t *testing.T) {
	s := tell(t).at(graph.Comments)
	s.comments(state.Comment{ID: "T1", Said: "wrong"})
	s.answers(evidence.ReviewComments, func(in *decide.Read) {
		in.Result, in.Comments = evidence.Unknown, &state.Comments{Items: []state.Comment{}}
	})
	if len(s.state.Comments.Items) != 1 {
		t.Error("an unknown answer took the comments away")
	}
	s.answers(evidence.ReviewComments, func(in *decide.Read) {
		in.Comments = &state.Comments{Total: 300, More: 100, Items: []state.Comment{}}
	})
	s.refused(problem.GateShut, "review-comments is failing", s.outcome(agent(), "pass"))
}

func TestAnUpdateOfTheWorkItemIsReadBack(t *testing.T) {
	s := tell(t).at(graph.WorkItem)
	in := state.Intent{Kind: decide.IntentWorkItem, Target: "In Review", Body: "artifact", Text: "said"}
	s.refused(problem.Usage, "sets a state, or says something", func() error { _, err := s.intends(state.Intent{Kind: decide.IntentWorkItem}); return err })
	got, err := s.intends(in)
	s.ok(err)
	s.ok(s.approve(human(), got.Digest)())
	s.answers(evidence.WorkItemUpdate, func(r *decide.Read) { r.State = "Doing" })
	s.refused(problem.GateShut, "work-item-update is failing", s.outcome(agent(), "pass"))
	if r := s.state.Slots["work-item-update"].Last; !strings.Contains(r.Because, `the work item is "Doing"`) {
		t.Errorf("%s", r.Because)
	}
	s.refused(problem.Conflict, "may have been written", func() error { _, err := s.intends(in); return err })
	s.answers(evidence.WorkItemUpdate, func(r *decide.Read) { r.State, r.Shown = "in review", []decide.Shown{{Text: "said"}} })
	if got := s.state.Intents[len(s.state.Intents)-1]; !got.Settled {
		t.Errorf("not settled: %+v", got)
	}
	s.shows(evidence.WorkItemUpdate, "", gate.Current, "")
}

// A client may write the parts of an update one after the other and end in between. What
// a read has shown of it is not asked for again.
func TestAnUpdateOfWhichAPartIsThere(t *testing.T) {
	said := []decide.Shown{{Text: "said"}}
	for want, c := range map[string]struct {
		read    decide.Read
		missing string
		then    decide.Read
	}{
		`the work item is "Doing"`:      {decide.Read{State: "Doing", Shown: said}, "state", decide.Read{State: "In Review"}},
		"does not show the comment":     {decide.Read{State: "in review"}, "comment", decide.Read{State: "Doing", Shown: said}},
		"state of the work item was no": {decide.Read{Shown: said}, "state", decide.Read{State: "in review"}},
	} {
		s := tell(t).at(graph.WorkItem)
		got, err := s.intends(state.Intent{Kind: decide.IntentWorkItem, Target: "In Review", Body: "artifact", Text: "said"})
		s.ok(err)
		s.ok(s.approve(human(), got.Digest)())
		last := func() state.Intent { return s.state.Intents[len(s.state.Intents)-1] }
		if m := strings.Join(last().Missing(), " "); m != "state comment" {
			t.Errorf("%s: %s is missing before anything is written", want, m)
		}
		for range 2 { // the second one shows nothing new
			s.answers(evidence.WorkItemUpdate, func(r *decide.Read) { r.State, r.Shown = c.read.State, c.read.Shown })
			s.refused(problem.GateShut, "work-item-update is failing", s.outcome(agent(), "pass"))
			if r := s.state.Slots["work-item-update"].Last; !strings.Contains(r.Because, want) {
				t.Errorf("%s is not %s", r.Because, want)
			}
			if m := strings.Join(last().Missing(), " "); m != c.missing || len(last().Shown) != 1 || last().Settled {
				t.Errorf("%s: %s is missing of %+v", want, m, last())
			}
		}
		s.answers(evidence.WorkItemUpdate, func(r *decide.Read) { r.State, r.Shown = c.then.State, c.then.Shown })
		if !last().Settled {
			t.Errorf("%s: not settled: %+v", want, last())
		}
		s.shows(evidence.WorkItemUpdate, "", gate.Current, "")
	}
}

// A service may have more words than one for a state; whoever sets it uses any of them.
func TestAStateHasMoreWordsThanOne(t *testing.T) {
	for _, word := range []string{"closed", "Completed", "closed (completed)"} {
		s := tell(t).at(graph.WorkItem)
		got, err := s.intends(state.Intent{Kind: decide.IntentWorkItem, Target: word})
		s.ok(err)
		s.ok(s.approve(human(), got.Digest)())
		s.answers(evidence.WorkItemUpdate, func(r *decide.Read) {
			r.State, r.States = "closed (not_planned)", []string{"closed", "not_planned"}
		})
		if settled := s.state.Intents[len(s.state.Intents)-1].Settled; settled != (word == "closed") {
			t.Errorf("not planned is %q: %t", word, settled)
		}
		s.answers(evidence.WorkItemUpdate, func(r *decide.Read) { r.State, r.States = "closed (completed)", []string{"closed", "completed"} })
		if !s.state.Intents[len(s.state.Intents)-1].Settled {
			t.Errorf("%s is not settled", word)
		}
		s.shows(evidence.WorkItemUpdate, "", gate.Current, "")
	}
}

func TestAnotherRepositoryUnderTheSameName(t *testing.T) {
	s := tell(t).at(graph.Monitor)
	s.state.Submitted.Repository = "R1"
	s.answers(evidence.Pipeline, func(in *decide.Read) { in.Repository = "R2" })
	s.shows(evidence.Pipeline, "", gate.Missing, "another repository answered")
	s.answers(evidence.Pipeline, func(in *decide.Read) { in.Repository = "R1" })
	s.shows(evidence.Pipeline, "", gate.Current, "")
}

func TestACommentApproves(t *testing.T) {
	heed := func(s *story, list ...decide.Comment) func() error {
		return func() error { return s.do(agent(), func(d *decide.Draft) error { return d.Heed(list) }) }
	}
	s := tell(t).at(graph.Approve)
	digest := s.ask().Digest
	good := decide.Comment{Author: "lead", Digest: digest, URL: "https://example.com/c/1", Proof: "p", Reader: "forge/bot"}
	for want, change := range map[string]func(*decide.Comment){
		"it was edited":         func(c *decide.Comment) { c.Refused = "it was edited" },
		"about another digest":  func(c *decide.Comment) { c.Digest = strings.Repeat("0", 16) },
		"at least 16":           func(c *decide.Comment) { c.Digest = digest[:15] },
		"as \"forge/human\"":    func(c *decide.Comment) { c.Reader = "forge/human" },
		"it is read as \"\"":    func(c *decide.Comment) { c.Reader = "" },
		"was not found out":     func(c *decide.Comment) { c.Author = "" },
		"where, was not found ": func(c *decide.Comment) { c.Proof = "" },
	} {
		c := good
		change(&c)
		s.refused(problem.GateShut, want, heed(s, c))
	}
	s.refused(problem.GateShut, "no comment approves", heed(s))
	s.config.Approvals = []string{"client", "terminal"}
	s.refused(problem.GateShut, "takes no approval by comment", heed(s, good))
	s.config.Approvals = nil
	for what, change := range map[string]func(){
		"another remote":  func() { s.state.Delivery.URL = "https://example.com/elsewhere" },
		"another way":     func() { s.state.Delivery.Transport = "then"; s.tweak = func(f *gate.Facts) { f.Transport = "now" } },
		"another account": func() { s.state.Delivery.Reader = "" },
	} {
		before := s.state.Delivery
		change()
		s.refused(problem.GateShut, "at the start", heed(s, good))
		if s.state.Approval != nil {
			t.Errorf("%s: it is approved", what)
		}
		s.state.Delivery, s.tweak = before, nil
	}
	no := decide.Comment{Rejects: true, Author: "owner", Digest: digest[:8], URL: "https://example.com/c/9"}
	s.refused(problem.GateShut, "owner rejects", heed(s, good, no))
	s.refused(problem.GateShut, "owner rejects", heed(s, no, good))
	stranger := decide.Comment{Rejects: true, Author: "anybody", Digest: digest, URL: "https://example.com/c/8", Refused: "no permission"}
	s.refused(problem.GateShut, "no comment approves", heed(s, stranger))
	old := decide.Comment{Rejects: true, Author: "lead", Digest: strings.Repeat("0", 64), URL: "https://example.com/c/0"}
	changed := decide.Comment{Author: "owner", Digest: digest, URL: "https://example.com/c/10"}
	s.ok(heed(s, old, stranger, good, no, changed)())
	a := s.state.Approval
	if a == nil || a.Channel != evidence.ChannelProvider || a.URL != good.URL || !s.state.Running(graph.Implement) {
		t.Fatalf("%+v", a)
	}
	r := s.state.Slots["approval"].Counts
	if r.By.Identity != "lead" || r.URL != good.URL || r.Proof != "p" || r.By.Channel != evidence.ChannelProvider {
		t.Errorf("%+v", r)
	}
	s.refused(problem.Conflict, "nothing waits for an approval", heed(s, good))

	// The same plan is shown again: the comment was used.
	s.ok(s.complete(agent(), "fail-replan"))
	s.at(graph.Approve)
	used := good
	used.Digest = s.ask().Digest
	s.refused(problem.GateShut, "it was used before", heed(s, used))
	fresh := used
	fresh.URL = "https://example.com/c/2"
	s.ok(heed(s, used, fresh)())

	// A confirmation is answered in the same way, by its whole digest or its beginning.
	s.at(graph.SubmitPR)
	s.head = s.tree()
	in, err := s.intends(state.Intent{Kind: decide.IntentPR, Title: "fix", Body: "text"})
	s.ok(err)
	s.ok(heed(s, decide.Comment{Author: "lead", Digest: in.Digest[:16], URL: "https://example.com/c/3", Proof: "p", Reader: "forge/bot"})())
	if got, _ := s.state.Intent("pr"); !got.Confirmed || got.Channel != evidence.ChannelProvider {
		t.Errorf("%+v", got)
	}
	s.toEnd()
}

func TestAStartFromAWorkItem(t *testing.T) {
	s := &story{newWorld(t), t}
	s.ok(s.do(agent(), func(d *decide.Draft) error {
		if err := d.Start(state.Delivery{ID: "d1", Goal: "the title", Provider: "local", Base: "main", Source: "owner/repo#1", Item: "artifact"}, nil); err != nil {
			return err
		}
		return d.StartFrom(decide.Item{Source: "owner/repo#1", State: "open", URL: "https://example.com/1", Proof: "p", Path: "artifact", Text: "the title\n\n- [ ] it is REQ-7"})
	}))
	r := s.state.Slots["task"].Counts
	if r == nil || r.Witness != evidence.ReadBack || r.URL == "" || r.Proof != "p" || r.Path != "artifact" {
		t.Fatalf("%+v", r)
	}
	s.tweak = func(f *gate.Facts) { f.Task += "\nthe title\n\n- [ ] it is REQ-7" }
	s.refused(problem.GateShut, "there is no spec.json", s.outcome(agent(), "pass"))
	s.ok(s.putSpec(goodSpec()))
	s.refused(problem.GateShut, "REQ-7 of the task", s.outcome(agent(), "pass"))
	spec := goodSpec()
	spec.Criteria[0].Refs = []string{"REQ-7", "it is REQ-7"}
	s.ok(s.putSpec(spec))
	s.ok(s.complete(agent(), "pass"))
}
