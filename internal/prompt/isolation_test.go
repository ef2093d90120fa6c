package prompt_test

import (
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/prompt"
	"github.com/asterweave/asterweave/internal/state"
)

// TestReviewersSeeNeitherReasonsNorEachOther puts the author's reasoning and the other
// reviewer's words wherever a state can hold them, and looks for them in the prompts.
func TestReviewersSeeNeitherReasonsNorEachOther(t *testing.T) {
	v := at(t, graph.Review)
	const author, other = "AUTHORS-REASON", "OTHERS-WORD"
	s := v.State
	change := &evidence.Record{ID: "E1", Kind: evidence.Change, Result: evidence.Pass, Summary: author, Because: author, Counts: true}
	s.Slots["change"] = state.Slot{Counts: change, Last: change}
	s.Failures = []state.Failure{{Node: "review", Attempt: 1, Signature: other, Reason: other, Hypothesis: author}, {Node: "test", Reason: author, Hypothesis: author}}
	s.Retry = other
	for _, name := range []string{graph.Implement, graph.Review} {
		n := s.Nodes[name]
		n.Hypothesis = author
		s.Nodes[name] = n
	}
	s.Delivery.Reason = author
	s.Asks = []state.Ask{{ID: "A2", Kind: state.AskDecision, Question: author, About: other, Tried: author}}
	s.Answers = []state.Answer{{Ask: "A1", Question: author + " and " + other, Text: "go on", Channel: "client"}}
	s.Steers = []state.Steer{{ID: "S1", Text: "cap the budget"}}
	for _, r := range []struct {
		agent     string
		own, its  evidence.Kind
		finding   string
		forbidden []string
	}{
		{"staff-reviewer", evidence.CodeReview, evidence.SecurityReview, "own open finding", []string{author, other}},
		{"security-reviewer", evidence.SecurityReview, evidence.CodeReview, "own open finding", []string{author, other}},
	} {
		s.Findings = []state.Finding{
			{ID: "F1", Kind: string(r.own), Severity: "High", Path: "a.go", Title: r.finding},
			{ID: "F2", Kind: string(r.its), Severity: "High", Path: "a.go", Title: other},
		}
		s.Reviews = map[string]state.Review{string(r.its): {Verdict: "fail", Record: other, Agent: other}}
		text, ok := prompt.Delegation(v, texts(), r.agent)
		if !ok {
			t.Fatalf("%s: no delegation", r.agent)
		}
		for _, word := range r.forbidden {
			if i := strings.Index(text, word); i >= 0 {
				t.Errorf("%s is shown %q: …%s…", r.agent, word, text[max(0, i-80):i+len(word)])
			}
		}
		for _, due := range []string{r.finding, "cap the budget", "AC-1"} {
			if !strings.Contains(text, due) {
				t.Errorf("%s is not shown %q", r.agent, due)
			}
		}
	}
}
