package decide_test

import (
	"slices"
	"testing"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

func TestAReturnEndsWhatWasSeen(t *testing.T) {
	s := tell(t).at(graph.Monitor)
	s.ok(s.read(evidence.Pipeline, evidence.Fail))
	s.fails("")
	if s.node() != graph.Implement || s.state.Running(graph.Implement) {
		t.Fatalf("at %s", s.node())
	}
	for _, kind := range []evidence.Kind{evidence.Change, evidence.Acceptance, evidence.CodeReview, evidence.SecurityReview, evidence.PullRequest} {
		s.shows(kind, "", gate.Stale, "it is from before the last return")
	}
	for _, id := range []string{"unit", "lint"} {
		g, _ := s.view().Gate(id)
		s.shows(evidence.Kind(g.Kind), id, gate.Stale, "it is from before the last return")
	}
	c, _ := s.state.Criterion("AC-1")
	if verdict, why := s.view().Verdict(c); verdict != gate.VerdictStale || why != "its verdict is from before the last return" {
		t.Errorf("AC-1 is %s: %s", verdict, why)
	}
	for _, kind := range []evidence.Kind{evidence.Task, evidence.Repository, evidence.Baseline, evidence.Requirements, evidence.Plan, evidence.Approval} {
		s.shows(kind, "", gate.Current, "")
	}
	for node, status := range map[string]string{
		graph.Approve: state.NodePassed, graph.Implement: state.NodePending, graph.Test: state.NodePending,
		graph.Review: state.NodePending, graph.SubmitPR: state.NodePending, graph.Monitor: state.NodeFailed,
	} {
		if got := s.state.Nodes[node].Status; got != status {
			t.Errorf("%s is %s, not %s", node, got, status)
		}
	}
	if _, ok := s.state.Record("E8"); !ok {
		t.Error("the run is gone, where it only counts no more")
	}
	s.toEnd()
}

// The same tree, green again by new runs and not by the old ones.
func TestOldEvidenceOfTheSameTreeStaysShut(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.ok(s.run("unit", 0, 3))
	s.ok(s.run("lint", 0, 0))
	s.fails("")
	s.at(graph.Implement)
	s.ok(s.record("change", "pass"))
	s.ok(s.complete(agent(), "pass"))
	s.refused(problem.GateShut, "unit-test unit is stale", s.outcome(agent(), "pass"))
	s.ok(s.run("unit", 0, 3))
	s.ok(s.run("lint", 0, 0))
	s.ok(s.complete(agent(), "pass"))
}

func TestBudgetsOnAReturn(t *testing.T) {
	s := tell(t)
	for i := 1; i <= 2; i++ {
		s.at(graph.Monitor)
		s.ok(s.read(evidence.Pipeline, evidence.Fail))
		s.fails("")
		s.attempts(map[string]int{
			graph.Approve: 1, graph.Implement: i, graph.Test: 0, graph.Verify: 0, graph.Review: 0, graph.SubmitPR: 0, graph.Monitor: i,
		})
		s.at(graph.Implement)
		s.edit("a.go")
	}
	s.at(graph.Monitor)
	s.attempts(map[string]int{graph.Implement: 3, graph.Review: 1, graph.SubmitPR: 1, graph.Monitor: 3})
	if v := s.state.Nodes[graph.Review].Visits; v != 3 {
		t.Errorf("the third visit to review has the number %d", v)
	}
	s.toEnd()
}

func TestAFailureOfAnEarlyNodeLeadsToItself(t *testing.T) {
	s := tell(t).at(graph.Analyze)
	s.ok(s.putManifest())
	s.ok(s.record("repository", "pass"))
	s.fails("")
	if s.node() != graph.Analyze {
		t.Fatalf("at %s", s.node())
	}
	s.shows(evidence.Task, "", gate.Current, "")
	s.shows(evidence.Repository, "", gate.Stale, "before the last return")
	s.ok(s.enter("the manifest missed the tests"))
	s.toEnd()
}

func TestAFailureNeedsAReasonOrEvidence(t *testing.T) {
	s := tell(t).at(graph.Test)
	fail := func() error {
		return s.do(agent(), func(d *decide.Draft) error { return d.Complete(graph.Test, "fail-retryable", " ") })
	}
	s.refused(problem.Usage, "a reason is due", fail)
	s.ok(s.run("unit", 1, 3))
	s.ok(fail())
	f := s.state.Failures[0]
	if f.Signature != "unit-test/TestA" || f.Gate != "unit" || f.Evidence != "E8" || f.Node != graph.Test || f.Attempt != 1 {
		t.Errorf("%+v", f)
	}
}

func TestAReplan(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.fails("unit")
	s.at(graph.Test)
	s.refused(problem.Usage, "fail-replan needs a reason", s.draft(agent(), func(d *decide.Draft) error { return d.Complete(graph.Test, "fail-replan", "") }))
	s.ok(s.complete(agent(), "fail-replan"))
	s.attempts(map[string]int{graph.Intake: 1, graph.Plan: 1, graph.Approve: 0, graph.Implement: 0, graph.Test: 0})
	for _, kind := range []evidence.Kind{evidence.Plan, evidence.Approval, evidence.Change} {
		s.shows(kind, "", gate.Stale, "before the last return")
	}
	s.shows(evidence.Baseline, "", gate.Current, "")

	s.at(graph.Plan)
	s.attempts(map[string]int{graph.Plan: 2})
	s.refused(problem.GateShut, "plan is stale", s.outcome(agent(), "pass"))
	s.wantPlan.Summary = "fix a otherwise"
	s.at(graph.Approve)
	if s.state.PlanRevision != 2 || s.ask().Question != "approve plan revision 2?" {
		t.Errorf("revision %d: %s", s.state.PlanRevision, s.ask().Question)
	}
	s.refused(problem.HumanOnly, "approve passes by a human's approval", s.outcome(agent(), "pass"))
	s.ok(s.approveOpen(human()))
	s.attempts(map[string]int{graph.Approve: 1, graph.Implement: 1})
	s.toEnd()
}

func TestAReplanThatHasNoBudgetAsks(t *testing.T) {
	s := tell(t)
	for range 2 {
		s.at(graph.Implement)
		s.ok(s.complete(agent(), "fail-replan"))
	}
	s.paused("budget", "plan has used its 2 attempts")
	s.ok(s.reply(s.ask().ID, decide.OneMore))
	s.at(graph.Plan)
	s.attempts(map[string]int{graph.Plan: 3})
	s.toEnd()
}

func TestAReplanAtApproveWithdrawsTheQuestion(t *testing.T) {
	s := tell(t).at(graph.Approve)
	s.ok(s.complete(agent(), "fail-replan"))
	if len(s.state.Asks) != 0 || s.node() != graph.Plan {
		t.Errorf("at %s with %+v", s.node(), s.state.Asks)
	}
	s.toEnd()
}

// Work that was done under an earlier revision may stay where the new scope covers it.
func TestWorkSoFarUnderANewScope(t *testing.T) {
	for _, c := range []struct {
		name    string
		write   []string
		refusal string
	}{
		{"covered", []string{"a.go", "doc.md"}, ""},
		{"not covered", []string{"doc.md"}, "a.go: it is outside the plan's scope"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tell(t).at(graph.Implement)
			s.edit("a.go")
			s.ok(s.complete(agent(), "fail-replan"))
			s.at(graph.Plan)
			s.wantPlan.Scope.Write = c.write
			s.ok(s.putPlan(s.wantPlan))
			s.ok(s.record("plan", "pass"))
			if c.refusal != "" {
				s.refused(problem.GateShut, c.refusal, s.outcome(agent(), "pass"))
				s.files["a.go"] = s.trees[s.state.Delivery.Tree]["a.go"] // undone
				s.ok(s.complete(agent(), "pass"))
				return
			}
			s.ok(s.complete(agent(), "pass"))
			s.ok(s.approveOpen(human()))
			s.edit("doc.md")
			s.toEnd()
		})
	}
}

// The human is shown a scope; what lies outside it is refused at the approval as well.
func TestAnApprovalOfWorkOutsideTheScope(t *testing.T) {
	s := tell(t).at(graph.Approve)
	s.edit("doc.md")
	s.refused(problem.GateShut, "the work tree changed before the approval: doc.md", func() error { return s.approveOpen(human()) })
	s.files["doc.md"]--
	s.ok(s.approveOpen(human()))
}

func TestWhatANodeMayChange(t *testing.T) {
	for _, c := range []struct {
		node, path, refusal string // the refusal is "" for the honest twin
	}{
		{graph.Intake, "a.go", "a.go: this node is nothing and it changed since the node was entered"},
		{graph.Analyze, "new.go", "new.go: this node is read-only"},
		{graph.Challenge, "a.go", "a.go: this node is read-only"},
		{graph.Plan, "a.go", "a.go: this node is read-only"},
		{graph.Implement, "doc.md", "doc.md: it is outside the approved scope"},
		{graph.Implement, "a_test.go", ""},
		{graph.Test, "a.go", "a.go: this node may change tests only"},
		{graph.Test, "doc.md", "doc.md: this node may change tests only"},
		{graph.Test, "a_test.go", ""},
		{graph.Verify, "a_test.go", "a_test.go: this node is read-only"},
		{graph.Review, "a.go", "a.go: this node is read-only"},
		{graph.SubmitPR, "a.go", "a.go: this node is as-entry"},
		{graph.Monitor, "a.go", "a.go: this node is read-only"},
		{graph.WorkItem, "new.go", "new.go: this node is read-only"},
	} {
		t.Run(c.node+" "+c.path, func(t *testing.T) {
			s := tell(t).at(c.node)
			before := s.trees[s.tree()]
			s.edit(c.path)
			if c.refusal == "" {
				s.at(s.graph.Names()[s.graph.Index(c.node)+1])
				return
			}
			s.refused(problem.GateShut, c.refusal, s.outcome(agent(), "pass"))
			s.files = before
			s.toEnd()
		})
	}
}

// An edit between two attempts was made under no policy; it is judged all the same.
func TestAnEditBetweenTwoNodesIsSeen(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.fails("unit")
	s.edit("doc.md")
	s.at(graph.Implement)
	s.ok(s.record("note", "pass"))
	s.refused(problem.GateShut, "doc.md: it is outside the plan's scope", s.outcome(agent(), "pass"))
	s.files["doc.md"]--
	s.toEnd()
}

func TestWhatCameWithTheBaseIsNotTheDeliverys(t *testing.T) {
	s := tell(t).at(graph.Implement)
	s.edit("a.go", "doc.md")
	s.tweak = func(f *gate.Facts) { f.FromBase["doc.md"] = true }
	s.at(graph.Test)
	if own, _ := s.view().Own(); !slices.Equal(own, []string{"a.go"}) {
		t.Errorf("own: %v", own)
	}
	s.toEnd()
}

func TestAnUnknownTreeShutsEveryNode(t *testing.T) {
	for _, node := range []string{graph.Intake, graph.Implement, graph.Review} {
		s := tell(t).at(node)
		s.tweak = func(f *gate.Facts) { f.World.Tree, f.TreeUnknown = "", []string{"secret: permission denied"} }
		s.refused(problem.GateShut, "the tree cannot be computed: secret: permission denied", s.outcome(agent(), "pass"))
		s.tweak = nil
		s.toEnd()
	}
}

func TestABrokenConfigurationShutsWhatFollowsTheApproval(t *testing.T) {
	broken := func(f *gate.Facts) {
		f.ConfigProblems = []document.Problem{{Field: "gates[0].argv", What: "is missing"}}
	}
	s := tell(t).at(graph.Approve)
	s.tweak = broken
	s.refused(problem.GateShut, ".claude/asterweave.json shuts implement: gates[0].argv: is missing", func() error { return s.approveOpen(human()) })
	s.tweak = nil
	s.at(graph.Verify)
	s.ok(s.judge("pass"))
	s.ok(s.record("acceptance", "pass"))
	s.tweak = broken
	s.refused(problem.GateShut, ".claude/asterweave.json is not valid", s.outcome(agent(), "pass"))
	s.tweak = nil
	s.toEnd()
}

func TestTheBranchIsFixedWhenImplementPasses(t *testing.T) {
	s := tell(t).at(graph.Implement)
	s.edit("a.go")
	s.ok(s.record("change", "pass"))
	for branch, text := range map[string]string{"main": "the work is on the base branch or the remote's default branch, main", "": "the head is detached"} {
		s.branch = branch
		s.refused(problem.GateShut, text, s.outcome(agent(), "pass"))
	}
	s.branch = "fix/a"
	s.ok(s.complete(agent(), "pass"))
	if s.state.Branch != "fix/a" {
		t.Errorf("the branch is %q", s.state.Branch)
	}
}

func TestCompleteRefusals(t *testing.T) {
	s := tell(t).at(graph.Analyze)
	complete := func(node, outcome string) func() error {
		return s.draft(agent(), func(d *decide.Draft) error { return d.Complete(node, outcome, "reason") })
	}
	s.refused(problem.Usage, `unknown node "deploy"`, complete("deploy", "pass"))
	s.refused(problem.Usage, `unknown outcome "done"`, complete(graph.Analyze, "done"))
	s.refused(problem.Conflict, "the current node is analyze, not review", complete(graph.Review, "pass"))
	s.refused(problem.Usage, "analyze cannot end with fail-replan", complete(graph.Analyze, "fail-replan"))
	s.refused(problem.Usage, "analyze cannot end with security-escalation", complete(graph.Analyze, "security-escalation"))
	s.refused(problem.Usage, "blocked needs a reason", s.draft(agent(), func(d *decide.Draft) error { return d.Complete(graph.Analyze, "blocked", " ") }))
	s.fails("")
	s.refused(problem.Conflict, "no attempt of analyze is under way", complete(graph.Analyze, "pass"))
	s.refused(problem.Usage, `unknown node "deploy"`, s.draft(agent(), func(d *decide.Draft) error { return d.Enter("deploy", "") }))
	s.refused(problem.Conflict, "the current node is analyze", s.draft(agent(), func(d *decide.Draft) error { return d.Enter(graph.Plan, "x") }))
	s.ok(s.enter("x"))
	s.refused(problem.Conflict, "analyze is under way already", func() error { return s.enter("x") })
	s.toEnd()
}
