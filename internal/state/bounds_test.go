package state_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/state"
)

// TestTheStateDoesNotGrowWithTheLedger folds far more than is kept of each thing.
func TestTheStateDoesNotGrowWithTheLedger(t *testing.T) {
	s := under(t)
	size := func() int {
		_, b, err := s.Digest()
		if err != nil {
			t.Fatal(err)
		}
		return len(b)
	}
	grow := func(from, to int) {
		for i := from; i <= to; i++ {
			fold(t, s, state.Change{Recorded: &evidence.Record{ID: fmt.Sprintf("E%d", i), Kind: evidence.Note, Result: evidence.Pass}})
			fold(t, s, state.Change{Asked: &state.Ask{ID: fmt.Sprintf("A%d", i), Question: "q"}})
			fold(t, s, state.Change{Closed: &state.Closed{Ask: fmt.Sprintf("A%d", i), Answer: "yes"}})
			fold(t, s, state.Change{Intended: &state.Intent{ID: fmt.Sprintf("I%d", i), Kind: "pr"}})
			fold(t, s, state.Change{Completed: &state.Completed{Node: "a", Outcome: "fail-retryable", To: "a", Failure: &state.Failure{Node: "a", Attempt: i}}})
			fold(t, s, state.Change{Entered: &state.Entered{Node: "a"}})
			fold(t, s, state.Change{Tool: &state.Tool{Tool: "Edit", AgentID: fmt.Sprintf("w%d", i), AgentType: "implementer", Wrote: true}})
			fold(t, s, state.Change{Bypassed: &state.Bypass{ID: fmt.Sprintf("B%d", i), Rule: "force"}})
			fold(t, s, state.Change{Prompted: &state.Prompted{Digest: "d"}})
		}
	}
	grow(1, 300)
	before := size()
	grow(301, 600)
	if after := size(); after > before+200 { // the digits of counts
		t.Errorf("%d bytes after 300 rounds, %d after 600", before, after)
	}
	if len(s.Failures) != 40 || len(s.Answers) != 20 || len(s.Intents) != 40 || len(s.Agents) != 200 {
		t.Errorf("%d failures, %d answers, %d intents, %d agents", len(s.Failures), len(s.Answers), len(s.Intents), len(s.Agents))
	}
	if s.Failures[39].Attempt != 600 || s.Answers[19].Ask != "A600" || s.Intents[39].ID != "I600" {
		t.Error("what is kept is not the newest")
	}
	if len(s.Bypasses) != 40 || s.Bypasses[39].ID != "B600" || s.Counts.Bypasses != 600 {
		t.Errorf("%d bypasses of %d", len(s.Bypasses), s.Counts.Bypasses)
	}
	if s.Counts.Evidence != 600 || s.Counts.Asks != 600 || s.Counts.Intents != 600 {
		t.Errorf("%+v", s.Counts)
	}
}

func sees(t *testing.T, s *state.State, id string, files ...string) {
	t.Helper()
	fold(t, s, state.Change{Tool: &state.Tool{Tool: "Read", AgentID: id, AgentType: "reviewer", Files: contents("1", files...), DurationMs: 2}})
}

func contents(digest string, files ...string) map[string]string {
	out := map[string]string{}
	for _, f := range files {
		out[f] = digest
	}
	return out
}

// TestAgents: what they saw is kept while an attempt lasts, what they did for good.
func TestAgents(t *testing.T) {
	s := under(t)
	sees(t, s, "r1", "b.go", "a.go")
	sees(t, s, "r1", "a.go", "c.go")
	sees(t, s, "", "d.go")                                                                   // the main conversation
	fold(t, s, state.Change{Tool: &state.Tool{Tool: "Grep", AgentID: "r2", AgentType: "x"}}) // opened nothing
	if a := s.Agents["r1"]; !maps.Equal(a.Seen, contents("1", "a.go", "b.go", "c.go")) || a.Type != "reviewer" || len(s.Agents) != 1 {
		t.Errorf("%+v", s.Agents)
	}
	if u := s.Tools["a/reviewer"]; u.Calls != 3 || u.DurationMs != 6 {
		t.Errorf("%+v", s.Tools)
	}
	fold(t, s, state.Change{Tool: &state.Tool{Tool: "Edit", AgentID: "w1", AgentType: "implementer", Wrote: true, Files: contents("1", "a.go")}})
	fold(t, s, state.Change{Reviewed: &state.Reviewed{Kind: "code-review", AgentID: "g1"}})
	fold(t, s, state.Change{SentBack: &state.SentBack{AgentID: "r1"}})
	if !s.Agents["r1"].Sent || !s.Agents["g1"].Gave {
		t.Errorf("%+v", s.Agents)
	}
	fold(t, s, state.Change{Completed: &state.Completed{Node: "a", Outcome: "pass", To: "b"}})
	fold(t, s, state.Change{Entered: &state.Entered{Node: "b"}})
	if _, ok := s.Agents["r1"]; ok || len(s.Agents) != 2 || !s.Agents["w1"].Wrote || s.Agents["w1"].Seen != nil || !s.Agents["g1"].Gave {
		t.Errorf("%+v", s.Agents)
	}
}

func TestSeenFilesAndAgentsAreBounded(t *testing.T) {
	s := under(t)
	var files []string
	for i := range 4100 {
		files = append(files, fmt.Sprintf("f%04d.go", i))
	}
	sees(t, s, "r1", files...)
	if n := len(s.Agents["r1"].Seen); n != 4000 || s.Agents["r1"].Seen["f3999.go"] == "" {
		t.Errorf("%d files", n)
	}
	fold(t, s, state.Change{Tool: &state.Tool{Tool: "Read", AgentID: "r1", Files: contents("2", "f0001.go", "g.go")}})
	if seen := s.Agents["r1"].Seen; seen["f0001.go"] != "2" || seen["g.go"] != "" {
		t.Error("what is opened again is not what was opened last")
	}
	for i := range 250 {
		sees(t, s, fmt.Sprintf("x%d", i), "a.go")
	}
	if len(s.Agents) != 200 {
		t.Errorf("%d agents", len(s.Agents))
	}
	sees(t, s, "r1", "a.go") // who is known goes on being seen
	sees(t, s, "x0", "b.go")
	if !maps.Equal(s.Agents["x0"].Seen, contents("1", "a.go", "b.go")) {
		t.Errorf("%+v", s.Agents["x0"])
	}
}

func TestFindings(t *testing.T) {
	s := under(t)
	fold(t, s, state.Change{Reviewed: &state.Reviewed{
		Kind: "code-review", Review: state.Review{Tree: "t1", Failed: []string{"t1"}},
		Opened: []state.Finding{{ID: "F1", Severity: "High"}, {ID: "F2", Severity: "Low"}, {ID: "F3", Severity: "Critical"}},
	}})
	fold(t, s, state.Change{Reviewed: &state.Reviewed{Kind: "code-review", Review: state.Review{Tree: "t2"}, Resolved: []string{"F1", "F9"}}})
	if len(s.Findings) != 2 || s.Findings[0].ID != "F2" || s.Findings[0].Severe() || !s.Findings[1].Severe() || s.Counts.Findings != 3 {
		t.Errorf("%+v of %d", s.Findings, s.Counts.Findings)
	}
	if s.Reviews["code-review"].Tree != "t2" || len(s.Reviews["code-review"].Failed) > 0 {
		t.Errorf("%+v", s.Reviews)
	}
}

func TestPauses(t *testing.T) {
	s := under(t)
	fold(t, s, state.Change{Paused: &state.PausedBy{Reason: "why", Ask: "A1", Idle: true}})
	if d := s.Delivery; d.Status != state.Paused || d.PausedBy != "A1" || d.Reason != "why" || !d.Open() || s.Idle != 1 {
		t.Errorf("%+v, idle %d", d, s.Idle)
	}
	fold(t, s, state.Change{Resumed: &state.Resumed{}}, state.Change{Paused: &state.PausedBy{Reason: "why", Wait: true}})
	if s.Delivery.PausedBy != state.PausedByProvider || s.Idle != 1 {
		t.Errorf("%+v, idle %d", s.Delivery, s.Idle)
	}
	fold(t, s, state.Change{Resumed: &state.Resumed{}}, state.Change{Asked: &state.Ask{ID: "A1"}}, state.Change{Ended: &state.Ended{Status: state.Done}})
	if s.Delivery.Open() || s.Node != "" || len(s.Asks) != 0 || s.Delivery.PausedBy != "" {
		t.Errorf("%+v at %q", s.Delivery, s.Node)
	}
}

func TestLookups(t *testing.T) {
	s := under(t)
	fold(t, s, state.Change{Asked: &state.Ask{ID: "A1", Kind: state.AskDecision, Question: "one"}}, state.Change{Asked: &state.Ask{ID: "A2", Kind: state.AskDecision, Question: "two"}})
	fold(t, s, state.Change{Intended: &state.Intent{ID: "I1", Kind: "pr", Head: "h1"}}, state.Change{Intended: &state.Intent{ID: "I2", Kind: "pr", Head: "h2"}})
	fold(t, s, state.Change{Submitted: &state.Submitted{Head: "h2"}})
	if a, ok := s.AskAbout(state.AskDecision); !ok || a.ID != "A2" {
		t.Errorf("the newest ask is %+v", a)
	}
	if in, ok := s.Intent("pr"); !ok || in.ID != "I1" {
		t.Errorf("the newest intent that is not settled is %+v", in)
	}
	if a, ok := s.Ask("A1"); !ok || a.Question != "one" {
		t.Errorf("%+v", a)
	}
	for name, found := range map[string]func() bool{
		"ask": func() bool { _, ok := s.Ask("A9"); return ok }, "kind": func() bool { _, ok := s.AskAbout(state.AskApproval); return ok },
		"criterion": func() bool { _, ok := s.Criterion("AC-9"); return ok }, "record": func() bool { _, ok := s.Record("E9"); return ok },
		"intent": func() bool { _, ok := s.Intent("reply"); return ok }, "running": func() bool { return s.Running("b") },
	} {
		if found() {
			t.Errorf("%s: what is not there is found", name)
		}
	}
}
