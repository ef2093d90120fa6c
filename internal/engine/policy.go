package engine

import (
	"encoding/json"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// NodePolicy returns what the current node may change, and the plan if it is approved.
// It reads artifacts alone: hooks ask for it on every tool call.
func (e *Engine) NodePolicy(s *state.State) (graph.Write, *document.Plan, error) {
	g, err := e.graphOf(s)
	if err != nil {
		return "", nil, err
	}
	n, _ := g.Node(s.Node)
	if s.Approval == nil || s.Approval.Plan != s.Docs[state.DocPlan] {
		return n.Write, nil, nil
	}
	b, err := e.log.Artifact(s.Approval.Plan)
	if err != nil {
		return "", nil, problem.Wrap(problem.Ledger, err, "doctor says what is missing")
	}
	var p document.Plan
	if err := json.Unmarshal(b, &p); err != nil {
		return "", nil, problem.Wrap(problem.Ledger, err, "doctor says what is missing")
	}
	return n.Write, &p, nil
}
