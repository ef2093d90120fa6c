package report_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/report"
	"github.com/asterweave/asterweave/internal/state"
)

// story is a delivery told by events that the real fold accepts.
type story struct {
	t         *testing.T
	state     *state.State
	facts     *gate.Facts
	graph     *graph.Graph
	events    []ledger.Event
	artifacts map[string][]byte
	now       time.Time
}

var (
	agent = evidence.By{Channel: "agent"}
	human = evidence.By{Channel: "client", Identity: "dev"}
)

const (
	treeStart = "1111111111111111111111111111111111111111"
	treeFirst = "2222222222222222222222222222222222222222"
	treeNow   = "3333333333333333333333333333333333333333"
	base      = "4444444444444444444444444444444444444444"
	head      = "5555555555555555555555555555555555555555"
)

func newStory(t *testing.T) *story {
	t.Helper()
	g, err := graph.Parse(graph.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	return &story{
		t: t, state: state.New(), graph: g, artifacts: map[string][]byte{}, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC),
		facts: &gate.Facts{
			World: evidence.World{Tree: treeStart, Base: base, Env: "env"}, Changed: map[string][]string{treeStart: nil},
			Base: map[string]gate.BaseMove{base: {Same: true, Known: true}}, FromBase: map[string]bool{}, PathExists: map[string]bool{},
			GateEnv: map[string]string{}, Refs: map[string]string{}, Head: base, HeadTree: treeStart, Branch: "refunds", Remote: "origin",
		},
	}
}

// do appends one event.
func (s *story) do(typ string, by evidence.By, changes ...state.Change) {
	s.t.Helper()
	s.now = s.now.Add(41 * time.Second)
	seq := int64(len(s.events) + 1)
	data, err := json.Marshal(state.Data{Changes: changes})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := state.Fold(s.state, state.Entry{Seq: seq, At: s.now, By: by, Changes: changes}); err != nil {
		s.t.Fatal(err)
	}
	ev := ledger.Event{
		V: 1, Seq: seq, At: s.now, Type: typ, Node: s.state.Node, Attempt: s.state.Nodes[s.state.Node].Visits, By: by, Data: data,
		State: canon.Hash([]byte("state")), Prev: ledger.ZeroHash, Hash: canon.Hash([]byte(fmt.Sprintf("line %d", seq))),
	}
	s.events = append(s.events, ev)
}

func (s *story) keep(data string) string {
	digest := canon.Hash([]byte(data))
	s.artifacts[digest] = []byte(data)
	return digest
}

// keepAs keeps a document under a made-up digest, so that no golden depends on how
// documents are encoded.
func (s *story) keepAs(name string, v any) string {
	s.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		s.t.Fatal(err)
	}
	digest := canon.Hash([]byte(name))
	s.artifacts[digest] = b
	return digest
}

// record completes a record as decide does.
func (s *story) record(r evidence.Record, by evidence.By) state.Change {
	r.ID = fmt.Sprintf("E%d", s.state.Counts.Evidence+1)
	r.Node, r.Attempt = s.state.Node, s.state.Nodes[s.state.Node].Visits
	r.By, r.At = by, s.now
	if r.World.Tree == "" {
		r.World = s.facts.World
	}
	return state.Change{Recorded: &r}
}

func (s *story) pass(node, to string) []state.Change {
	c := []state.Change{{Completed: &state.Completed{Node: node, Outcome: "pass", To: to}}}
	if to != "" {
		c = append(c, state.Change{Entered: &state.Entered{Node: to, Tree: s.facts.World.Tree}})
	}
	return c
}

func (s *story) input() report.Input {
	last := s.events[len(s.events)-1]
	return report.Input{
		View: engine.View{
			View: gate.View{State: s.state, Graph: s.graph, Facts: s.facts},
			Tail: ledger.Tail{Seq: last.Seq, Hash: last.Hash, State: last.State, End: 4096, At: last.At},
		},
		Events: func(fn func(ledger.Event) error) error {
			for _, e := range s.events {
				if err := fn(e); err != nil {
					return err
				}
			}
			return nil
		},
		Artifact: func(digest string) ([]byte, error) {
			if b, ok := s.artifacts[digest]; ok {
				return b, nil
			}
			return nil, errors.New("artifact " + digest[:12] + " is missing")
		},
	}
}

// texts are what others wrote, so that a test can make them hostile.
type texts struct{ goal, criterion, summary, reason, finding, path, output, argument, answer, agent string }

func plain() texts {
	return texts{
		goal: "REF-7: refunds over the remaining amount are refused", criterion: "a refund over the remaining amount is refused with 422",
		summary: "compare with what is left, not with the total", reason: "the rounding of partial refunds was not covered",
		finding: "the error names the wrong currency", path: "refunds/rounding.go",
		output: "--- FAIL: TestPartialRefund (0.00s)\n    policy_test.go:41: got 200, want 422\nFAIL\n", argument: "./...", answer: "go on", agent: "asterweave:repo-analyzer",
	}
}

func (x texts) spec() document.Spec {
	return document.Spec{
		Version: 1, Task: document.Task{Summary: x.goal, Decisions: []string{}, Assumptions: []string{}},
		Criteria: []document.Criterion{
			{ID: "REF-7", Text: x.criterion, Hardness: "HARD", Verify: "unit gate", Refs: []string{"docs/refunds.md"}},
			{ID: "AC-2", Text: "the message names the remaining amount", Hardness: "SOFT", Verify: "unit gate"},
			{ID: "AC-3", Text: "support agrees with the wording", Hardness: "HARD", Verify: "human"},
		},
	}
}

func (x texts) plan() document.Plan {
	return document.Plan{
		Version: 1, Summary: x.summary,
		Scope: document.Scope{Write: []string{"refunds/**", "Makefile"}, Tests: []string{"**/*_test.go"}},
		Tasks: []document.PlanTask{
			{ID: "T1", Title: "compare with the remaining amount", Criteria: []string{"REF-7"}, Paths: []string{"refunds/policy.go", x.path}},
			{ID: "T2", Title: "name the amount", Criteria: []string{"AC-2", "AC-3"}, Paths: []string{"refunds/policy_test.go"}},
		},
		Gates: []document.Gate{
			{ID: "unit", Kind: "unit-test", Argv: []string{"go", "test", x.argument}, Inputs: []string{"**/*.go"}, Criteria: []string{"REF-7", "AC-2"}},
			{ID: "vet", Kind: "static", Argv: []string{"go", "vet", "./..."}},
		},
		NotApplicable: []document.NotApplicable{{Kind: "integration-test", Because: "the policy has no outside", Instead: "unit"}},
		Risks:         []string{"callers that rely on 200"}, Rollback: "revert the commit", Answers: []document.Answer{{Steer: "S1", How: "the cap is 500"}},
	}
}

// opened tells the delivery up to the open approval.
func (s *story) opened(x texts) {
	spec, plan := x.spec(), x.plan()
	s.do("start", human,
		state.Change{Started: &state.Started{Nodes: s.graph.Names(), Delivery: state.Delivery{
			ID: "20260302-0a1b2c3d", Goal: x.goal, GoalBy: "client", Source: "acme/shop#7", Provider: "local", Base: "main", Status: "active",
			Graph: "graph", Tree: treeStart, MergeBase: base, StartedAt: s.now,
		}}},
		state.Change{Entered: &state.Entered{Node: "intake", Tree: treeStart}},
		state.Change{Tool: &state.Tool{Tool: "Read", DurationMs: 1200, Read: true}},
		state.Change{Tool: &state.Tool{Tool: "Bash", DurationMs: 75000, Failed: true}},
		state.Change{Tool: &state.Tool{Tool: "Read", AgentID: "a1", AgentType: x.agent, Read: true}},
		state.Change{Used: &state.Used{Transcript: "t1", To: 900, Uses: []state.Use{
			{Node: "intake", Model: "model-one", Tokens: state.Tokens{Messages: 3, Input: 100, Output: 40, CacheRead: 9000, CacheWrite: 700}},
			{Node: "intake", Model: "model-two", Tokens: state.Tokens{Messages: 1, Input: 5, Output: 1}},
		}}},
	)
	criteria := []state.Criterion{}
	for _, c := range spec.Criteria {
		criteria = append(criteria, state.Criterion{ID: c.ID, Hardness: c.Hardness, Digest: c.Digest(), Human: c.Verify == "human"})
	}
	s.facts.Spec, s.facts.Task = &spec, "REF-7"
	s.facts.World.Spec = s.keepAs("spec", spec)
	s.do("submit", agent, append([]state.Change{
		{Documented: &state.Documented{Name: "spec", Digest: s.facts.World.Spec, Criteria: criteria}},
		s.record(evidence.Record{Kind: "task", Result: "pass", Summary: "one task, three criteria", Witness: "document", Counts: true}, agent),
	}, s.pass("intake", "analyze")...)...)
	repository := s.record(evidence.Record{Kind: "repository", Result: "pass", Summary: "12 files", Witness: "document", Counts: true}, agent)
	s.do("record", agent, repository)
	exit := 0
	s.do("run", agent, s.record(evidence.Record{
		Kind: "baseline", Result: "pass", Summary: "go test ./...: exit status 0", Witness: "executed", Argv: []string{"go", "test", "./..."}, Exit: &exit,
		Tests: &evidence.Tests{Runner: "go test", Unit: "package", Passed: 4, Known: true}, Counts: true, Steering: "steer",
	}, agent))
	s.do("complete", agent, s.pass("analyze", "challenge")...)
	s.do("steer", human, state.Change{Steered: &state.Steer{ID: "S1", Text: "cap a refund at 500"}})
	s.do("submit", agent, append([]state.Change{
		s.record(evidence.Record{Kind: "requirements", Result: "pass", Summary: "no open question", Witness: "document", Counts: true}, agent),
	}, s.pass("challenge", "plan")...)...)
	s.facts.Plan = &plan
	s.facts.World.Plan = s.keepAs("plan", plan)
	for _, g := range plan.Gates {
		s.facts.GateEnv[g.ID] = "env"
	}
	planned := append([]state.Change{
		{Documented: &state.Documented{Name: "plan", Digest: s.facts.World.Plan}},
		s.record(evidence.Record{Kind: "plan", Result: "pass", Summary: "two tasks, two gates", Witness: "document", Counts: true}, agent),
	}, s.pass("plan", "approve")...)
	s.do("submit", agent, planned...)
	digest, err := (&decide.Draft{View: gate.View{State: s.state, Graph: s.graph, Facts: s.facts}}).ApprovalDigest()
	if err != nil {
		s.t.Fatal(err)
	}
	s.do("next", agent, state.Change{Asked: &state.Ask{
		ID: "A1", Kind: "approval", Question: "approve plan revision 1?", Digest: digest, Blocks: []string{"approve"}, At: s.now,
	}})
}

func (s *story) approved() {
	r := s.record(evidence.Record{Kind: "approval", Result: "pass", Summary: "plan revision 1", Witness: "human", Counts: true}, human)
	s.do("approve", human, append([]state.Change{
		r,
		{Approved: &state.Approval{Digest: s.state.Asks[0].Digest, Plan: s.facts.World.Plan, Spec: s.facts.World.Spec, Base: "main", MergeBase: base, Tree: treeStart, Channel: "client", Record: r.Recorded.ID}},
		{Closed: &state.Closed{Ask: "A1", Answer: "approved", Channel: "client"}},
	}, s.pass("approve", "implement")...)...)
}

func (s *story) tree(id string, paths map[string][]string) {
	s.facts.World.Tree = id
	s.facts.Changed = paths
	s.facts.Changed[id] = nil
}

func (s *story) runUnit(x texts, node string, result evidence.Result, exit, passed, failed int, atBase bool) {
	g := s.facts.Plan.Gates[0]
	r := evidence.Record{
		Kind: "unit-test", Gate: "unit", GateDef: g.Digest(), Criteria: g.Criteria, Result: result, Summary: "go test: done", Witness: "executed", Argv: g.Argv, Exit: &exit,
		DurationMs: 1834, Tests: &evidence.Tests{Runner: "go test", Unit: "test", Passed: passed, Failed: failed, Known: true}, Path: s.keep(x.output), Counts: !atBase, Base: atBase,
		Program: "/usr/local/go/bin/go", Steering: "steer",
	}
	if result == "fail" {
		r.Signature, r.Tests.Failing = "unit-test/TestPartialRefund/got-200-want-422", []string{"TestPartialRefund"}
	}
	s.do("run", agent, s.record(r, agent))
	if s.state.Node != node {
		s.t.Fatalf("at %s", s.state.Node)
	}
}

// retrying tells the delivery on to the second attempt of implement, after a
// failure, a waiver and an open ask.
func (s *story) retrying(x texts) {
	s.approved()
	s.tree(treeFirst, map[string][]string{treeStart: {"refunds/policy.go"}})
	s.do("submit", agent, append([]state.Change{
		s.record(evidence.Record{Kind: "change", Result: "pass", Summary: "one comparison", Witness: "git", Counts: true}, agent),
	}, s.pass("implement", "test")...)...)
	s.runUnit(x, "test", "fail", 1, 3, 1, false)
	failed := s.state.Slots["unit-test/unit"].Counts
	s.do("complete", agent, state.Change{Completed: &state.Completed{
		Node: "test", Outcome: "fail-retryable", Reason: x.reason, To: "implement", Invalidate: s.graph.Names()[5:],
		Failure: &state.Failure{Node: "test", Attempt: 1, Signature: failed.Signature, Gate: "unit", Evidence: failed.ID, Tree: treeFirst},
	}})
	s.do("pause", agent, state.Change{Asked: &state.Ask{
		ID: "A2", Kind: "decision", Question: "which currency does a partial refund round in?", About: "test: 1 of 3 attempts used\ntest attempt 1 failed",
		Options: []string{"go on", "replan", "waive unit-test", "abort"}, Blocks: []string{"implement"}, Topic: state.Topic{Name: state.TopicBlocked, Node: "implement"}, At: s.now,
	}}, state.Change{Paused: &state.PausedBy{Reason: "a decision is due", Ask: "A2"}})
}

// again answers the ask and enters implement with a hypothesis.
func (s *story) again(x texts) {
	s.do("reply", human, state.Change{Closed: &state.Closed{Ask: "A2", Answer: x.answer, Channel: "client"}}, state.Change{Resumed: &state.Resumed{Reason: "ask A2 is answered"}},
		state.Change{Waived: &state.Waived{Kind: "pipeline", Because: "answer to A2: " + x.answer}})
	s.do("enter", agent, state.Change{Entered: &state.Entered{Node: "implement", Tree: s.facts.World.Tree, Hypothesis: "partial refunds round before they are compared"}})
}

// finished tells the delivery to its end.
func (s *story) finished(x texts) {
	s.again(x)
	s.tree(treeNow, map[string][]string{treeStart: {"refunds/policy.go", "refunds/policy_test.go", x.path}, treeFirst: {"refunds/policy.go"}})
	s.do("submit", agent, append([]state.Change{
		s.record(evidence.Record{Kind: "change", Result: "pass", Summary: "round first", Witness: "git", Counts: true}, agent),
	}, s.pass("implement", "test")...)...)
	s.state.Branch = "refunds"
	s.runUnit(x, "test", "pass", 0, 5, 0, false)
	unit := s.state.Slots["unit-test/unit"].Counts.ID
	vet, exit := s.facts.Plan.Gates[1], 0
	s.do("run", agent, s.record(evidence.Record{
		Kind: "static", Gate: "vet", GateDef: vet.Digest(), Result: "pass", Summary: "go vet: exit status 0", Witness: "executed", Argv: vet.Argv, Exit: &exit, Counts: true,
	}, agent))
	s.runUnit(x, "test", "fail", 1, 4, 1, true)
	s.do("complete", agent, s.pass("test", "verify")...)
	for _, c := range s.state.Criteria {
		v := state.Verdict{Value: "pass", Evidence: []string{unit}, Gates: []string{"unit"}, World: s.facts.World, Channel: "agent"}
		switch c.ID {
		case "AC-2":
			v.Value = "fail"
		case "AC-3":
			v.Evidence, v.Gates, v.Channel = nil, nil, "client"
		}
		s.do("spec-judge", agent, state.Change{Judged: &state.Judged{Criterion: c.ID, Digest: c.Digest, Verdict: v}})
	}
	s.do("submit", agent, append([]state.Change{
		s.record(evidence.Record{Kind: "acceptance", Result: "pass", Summary: "judged", Witness: "executed", Counts: true}, agent),
	}, s.pass("verify", "review")...)...)
	for _, kind := range []string{"code-review", "security-review"} {
		reviewer := evidence.By{Channel: "hook", Agent: "staff-reviewer/af06"}
		opened := []state.Finding{}
		if kind == "code-review" {
			opened = append(opened, state.Finding{ID: "F1", Kind: kind, Severity: "Low", Path: x.path, Line: 12, Title: x.finding, Tree: treeNow})
		}
		r := s.record(evidence.Record{Kind: evidence.Kind(kind), Result: "pass", Summary: "read the diff and its callers", Witness: "document", Counts: true, Path: s.keep(`{"verdict":"pass"}`)}, reviewer)
		s.do("review", reviewer, r, state.Change{Reviewed: &state.Reviewed{Kind: kind, Review: state.Review{Tree: treeNow, Verdict: "pass", Record: r.Recorded.ID}, Opened: opened}})
	}
	s.do("complete", agent, s.pass("review", "submit-pr")...)
	s.facts.Head, s.facts.HeadTree = head, treeNow
	intent := canon.Hash([]byte("intent"))
	s.do("intend", agent,
		state.Change{Intended: &state.Intent{ID: "I1", Kind: "pr", Digest: intent, Title: "Refuse refunds over the rest", Body: s.keep("Refuses them.\n\nREF-7"), Head: head, Branch: "refunds", Remote: "origin"}},
		state.Change{Asked: &state.Ask{ID: "A3", Kind: "confirmation", Question: "push refunds to origin and open the pull request?", About: "head " + head, Digest: intent, Blocks: []string{"submit-pr"}, At: s.now}})
}

func (s *story) ended() {
	s.do("approve", human, state.Change{Confirmed: &state.Confirmed{Intent: "I1", Channel: "client"}}, state.Change{Closed: &state.Closed{Ask: "A3", Answer: "confirmed", Channel: "client"}})
	s.do("read", agent, s.record(evidence.Record{
		Kind: "pull-request", Result: "pass", Summary: "branch refunds on origin", Witness: "read-back", Counts: true, Head: head, URL: "https://git.example.com/acme/shop/pull/12", Proof: "ls-remote",
	}, agent), state.Change{Submitted: &state.Submitted{Head: head, Tree: treeNow, URL: "https://git.example.com/acme/shop/pull/12"}})
	s.do("complete", agent, s.pass("submit-pr", "monitor-pipeline")...)
	s.do("complete", agent, s.pass("monitor-pipeline", "resolve-review-comments")...)
	s.do("read", agent, append([]state.Change{s.record(evidence.Record{Kind: "review-comments", Result: "info", Because: "there are none", Summary: "none", Witness: "read-back", Counts: true, Head: head}, agent)},
		s.pass("resolve-review-comments", "update-work-item")...)...)
	s.do("read", agent, s.record(evidence.Record{Kind: "work-item-update", Result: "pass", Summary: "in review", Witness: "read-back", Counts: true, Head: head}, agent))
	s.do("complete", agent, append(s.pass("update-work-item", ""), state.Change{Ended: &state.Ended{Status: "done"}})...)
}
