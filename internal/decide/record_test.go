package decide_test

import (
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

func (s *story) records(in document.RecordInput) func() error {
	return s.draft(agent(), func(d *decide.Draft) error { _, err := d.Record(in); return err })
}

func TestRecordRefusals(t *testing.T) {
	s := tell(t).at(graph.Implement)
	good := document.RecordInput{Kind: "note", Result: "info", Summary: "seen", Because: "so", Criteria: []string{"AC-1"}, Path: "log", Instead: "unit"}
	for text, change := range map[string]func(*document.RecordInput){
		`unknown kind "mood"`:        func(in *document.RecordInput) { in.Kind = "mood" },
		`unknown result "ok"`:        func(in *document.RecordInput) { in.Result = "ok" },
		`unknown criterion "AC-9"`:   func(in *document.RecordInput) { in.Criteria = []string{"AC-1", "AC-9"} },
		"a record needs a summary":   func(in *document.RecordInput) { in.Summary = " \n" },
		"an info needs a reason":     func(in *document.RecordInput) { in.Because = " " },
		"unknown kind \"Unit-Test\"": func(in *document.RecordInput) { in.Kind = "Unit-Test" },
	} {
		in := good
		change(&in)
		s.refused(problem.Usage, text, s.records(in))
	}
	s.ok(s.records(good)())
	if r := s.last(); r.Witness != evidence.Stated || r.Counts || r.Path != "log" || r.Instead != "unit" || r.Criteria[0] != "AC-1" || r.Node != graph.Implement || r.Attempt != 1 {
		t.Errorf("%+v", r)
	}
}

// A pass is taken from a sentence only where the binary looks for itself.
func TestATypedPass(t *testing.T) {
	byVerb := map[evidence.Kind]string{
		evidence.Baseline: "run", evidence.UnitTest: "run", evidence.IntegrationTest: "run", evidence.Build: "run", evidence.Static: "run", evidence.Scan: "run",
		evidence.Approval: "approve", evidence.CodeReview: "the reviewer's own verdict", evidence.SecurityReview: "the reviewer's own verdict",
		evidence.PullRequest: "read", evidence.Pipeline: "read", evidence.ReviewComments: "read", evidence.WorkItemUpdate: "read",
	}
	looked := map[evidence.Kind]evidence.Witness{
		evidence.Task: evidence.Document, evidence.Repository: evidence.Document, evidence.Requirements: evidence.Document, evidence.Plan: evidence.Document,
		evidence.Change: evidence.Git, evidence.Acceptance: evidence.Executed,
	}
	s := tell(t).at(graph.Review)
	for _, kind := range evidence.Kinds() {
		in := document.RecordInput{Kind: string(kind), Result: "pass", Summary: "seen"}
		switch {
		case byVerb[kind] != "":
			s.refused(problem.GateShut, "a pass of "+string(kind)+" is not taken from a sentence", s.records(in))
		case looked[kind] != "":
			s.ok(s.records(in)())
			if r := s.last(); r.Witness != looked[kind] || !r.Counts {
				t.Errorf("%s: witness %s, counts %v", kind, r.Witness, r.Counts)
			}
		default:
			s.ok(s.records(in)())
			if r := s.last(); r.Witness != evidence.Stated || r.Counts {
				t.Errorf("%s: witness %s, counts %v", kind, r.Witness, r.Counts)
			}
		}
	}
}

// What is stated is kept and shown, and opens nothing, whatever its kind.
func TestWhatIsStatedOpensNothing(t *testing.T) {
	for _, result := range []string{"fail", "info", "unknown"} {
		s := tell(t)
		for _, kind := range evidence.Kinds() {
			s.ok(s.records(document.RecordInput{Kind: string(kind), Result: result, Summary: "seen", Because: "not applicable"})())
		}
		for _, n := range s.graph.Nodes {
			for _, need := range s.view().Needs(n) {
				if need.Open() {
					t.Errorf("%s: %s of %s is %s", result, need.Name(), n.Name, need.State)
				}
			}
		}
		s.refused(problem.GateShut, "task is missing", s.outcome(agent(), "pass"))
	}
}

func TestAStatedRecordHidesNoneThatCounts(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.ok(s.record("change", "fail"))
	s.ok(s.record("change", "info"))
	s.shows(evidence.Change, "", gate.Current, "")
}

func TestWhatIsLookedAtFirst(t *testing.T) {
	for _, c := range []struct {
		node, kind, text string
		before           func(*story)
	}{
		{graph.Intake, "task", "spec.json is not there", func(*story) {}},
		{graph.Intake, "task", "FR-7 of the task", func(s *story) { s.ok(s.putSpec(goodSpec())); s.state.Delivery.Goal = "make FR-7 true" }},
		{graph.Intake, "requirements", "spec.json is not there", func(*story) {}},
		{graph.Intake, "plan", "plan.json is not there", func(*story) {}},
		{graph.Intake, "change", "no plan is approved", func(*story) {}},
		{graph.Intake, "acceptance", "there are no criteria", func(*story) {}},
		{graph.Analyze, "repository", "context-manifest.json is not there", func(*story) {}},
		{graph.Analyze, "repository", "there is no a.go", func(s *story) {
			s.ok(s.putManifest())
			s.tweak = func(f *gate.Facts) { f.PathExists = nil }
		}},
		{graph.Challenge, "requirements", "an open question: AC-1: how fast?", func(s *story) {
			spec := goodSpec()
			spec.Criteria[0].Questions = []string{"how fast?"}
			s.ok(s.putSpec(spec))
		}},
		{graph.Challenge, "requirements", "task.decisions is not there; an empty list is fine; task.assumptions is not there", func(s *story) {
			spec := goodSpec()
			spec.Task.Decisions, spec.Task.Assumptions = nil, nil
			s.ok(s.putSpec(spec))
		}},
		{graph.Plan, "plan", "no gate names criterion AC-2", func(s *story) {
			s.ok(s.putPlan(goodPlan()))
			spec := goodSpec()
			spec.Criteria = append(spec.Criteria, document.Criterion{ID: "AC-2", Text: "b", Hardness: "SOFT", Verify: "tests"})
			s.ok(s.putSpec(spec))
		}},
		{graph.Implement, "change", "nothing changed since start", func(*story) {}},
		{graph.Implement, "change", "doc.md: it is outside the approved scope", func(s *story) { s.edit("a.go", "doc.md") }},
		{graph.Implement, "change", "unknown: the tree", func(s *story) {
			start := s.state.Delivery.Tree
			s.tweak = func(f *gate.Facts) { delete(f.Changed, start) }
		}},
		{graph.Verify, "acceptance", "AC-1 has no current verdict: nobody has judged it", func(*story) {}},
	} {
		t.Run(c.kind+" "+c.text, func(t *testing.T) {
			s := tell(t).at(c.node)
			c.before(s)
			s.refused(problem.GateShut, c.text, func() error { return s.record(c.kind, "pass") })
		})
	}
}

func TestStart(t *testing.T) {
	del := state.Delivery{ID: "d1", Goal: " make a correct\n", Provider: "local", Base: "main"}
	s := &story{newWorld(t), t}
	start := func(change func(*state.Delivery)) func() error {
		return s.draft(agent(), func(d *decide.Draft) error {
			in := del
			change(&in)
			return d.Start(in, nil)
		})
	}
	s.refused(problem.Usage, "a delivery needs a goal", start(func(d *state.Delivery) { d.Goal = " \t" }))
	s.refused(problem.Invalid, "the goal has 16385 bytes, at most 16384 are allowed", start(func(d *state.Delivery) { d.Goal = strings.Repeat("x", decide.MaxGoal+1) }))
	s.tweak = func(f *gate.Facts) { f.World.Tree, f.TreeUnknown = "", []string{"secret: permission denied"} }
	s.refused(problem.Conflict, "the work tree cannot be read: secret: permission denied", start(func(*state.Delivery) {}))
	s.tweak = nil
	s.ok(start(func(*state.Delivery) {})())
	d := s.state.Delivery
	if d.Goal != "make a correct" || d.Status != state.Active || d.GoalBy != "agent" || d.Tree != s.tree() || d.MergeBase != "base" || d.Commit != s.head || d.StartedAt != s.now {
		t.Errorf("%+v", d)
	}
	if !s.state.Running(graph.Intake) {
		t.Error("the first node is not entered")
	}
	s.refused(problem.Conflict, "delivery d1 is open in this worktree", start(func(*state.Delivery) {}))
	s.ok(s.pause(false))
	s.refused(problem.Conflict, "delivery d1 is open in this worktree", start(func(*state.Delivery) {})) // paused is open
}

func TestPutRefusals(t *testing.T) {
	s := tell(t)
	s.refused(problem.GateShut, "a plan needs a spec", func() error { return s.putPlan(goodPlan()) })
	s.refused(problem.Invalid, "spec.json is refused: criteria: there is none", func() error { return s.putSpec(document.Spec{Version: 1, Task: document.Task{Summary: "a"}}) })
	s.ok(s.putSpec(goodSpec()))
	bad := goodPlan()
	bad.Gates, bad.Rollback = nil, ""
	s.refused(problem.Invalid, "rollback: is empty", func() error { return s.putPlan(bad) })
	s.refused(problem.Invalid, "no gate names criterion AC-1", func() error { return s.putPlan(bad) })
	s.ok(s.putPlan(goodPlan())) // before its node is early, and no matter
	s.refused(problem.Invalid, "context-manifest.json is refused: files[0]: there is no b.go", s.draft(agent(), func(d *decide.Draft) error {
		m := goodManifest()
		m.Files = []string{"b.go"}
		return d.PutManifest(m, "m")
	}))
	s.at(graph.Implement)
	s.refused(problem.GateShut, "the plan has passed and is not changed any more", func() error { return s.putPlan(goodPlan()) })
	s.ok(s.putManifest())
}

func TestAChangeOfACriterionClearsItsVerdict(t *testing.T) {
	s := tell(t).at(graph.Verify)
	s.ok(s.judge("pass"))
	verdict := func() string { c, _ := s.state.Criterion("AC-1"); return c.Verdict.Value }
	spec := goodSpec()
	spec.Task.Summary = "said otherwise"
	spec.Criteria[0].Questions = []string{"really?"} // no part of what is judged
	s.ok(s.putSpec(spec))
	if verdict() != "pass" {
		t.Error("the verdict of the same criterion is gone")
	}
	for _, change := range []func(*document.Criterion){
		func(c *document.Criterion) { c.Text = "a is fast" },
		func(c *document.Criterion) { c.Hardness = "SOFT" },
		func(c *document.Criterion) { c.Verify = "by hand" },
		func(c *document.Criterion) { c.Refs = []string{"a.go"} },
	} {
		s.ok(s.putSpec(goodSpec()))
		s.ok(s.judge("pass"))
		changed := goodSpec()
		change(&changed.Criteria[0])
		s.ok(s.putSpec(changed))
		if verdict() != "" {
			t.Errorf("the verdict outlives %+v", changed.Criteria[0])
		}
		s.ok(s.putSpec(goodSpec()))
		if verdict() != "" {
			t.Error("the verdict comes back")
		}
	}
}

func TestWhatHooksSee(t *testing.T) {
	s := tell(t)
	s.ok(s.do(agent(), func(d *decide.Draft) error { return d.Lease("session-1") }))
	if l := s.state.Lease; l.Session != "session-1" || l.Until.Sub(s.now) != 2*time.Hour {
		t.Errorf("%+v", l)
	}
	for range 2 {
		s.ok(s.do(agent(), func(d *decide.Draft) error {
			return d.Tool(state.Tool{Tool: "Bash", AgentType: "architect", DurationMs: 5})
		}))
	}
	if u := s.state.Tools["intake/architect"]; u.Calls != 2 || u.DurationMs != 10 {
		t.Errorf("%+v", s.state.Tools)
	}
	s.ok(s.do(agent(), func(d *decide.Draft) error { return d.Prompted("abc", 12, "architect") }))
	if p := s.events[len(s.events)-1].Changes[0].Prompted; *p != (state.Prompted{Digest: "abc", Size: 12, Agent: "architect"}) {
		t.Errorf("%+v", p)
	}
	s.ok(s.do(human(), func(d *decide.Draft) error { return d.Abort("no") }))
	for _, step := range []func(*decide.Draft) error{
		func(d *decide.Draft) error { return d.Lease("s") },
		func(d *decide.Draft) error { return d.Tool(state.Tool{}) },
		func(d *decide.Draft) error { return d.Prompted("d", 1, "") },
		func(d *decide.Draft) error { return d.SentBack("a", "b") },
		func(d *decide.Draft) error { return d.Steer("s") },
		func(d *decide.Draft) error { return d.Reply("A1", "s") },
		func(d *decide.Draft) error { return d.Resume() },
		func(d *decide.Draft) error { return d.Approve("00000000") },
		func(d *decide.Draft) error { return d.Reject("s") },
	} {
		s.refused(problem.NoDelivery, "the delivery is aborted", s.draft(human(), step))
	}
}
