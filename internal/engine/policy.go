package engine

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/asterweave/asterweave/internal/config"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// NodePolicy returns what the current node may change, and the plan if it is approved,
// with the gates that the configuration adds. It reads files alone, since hooks ask for it
// on every tool call.
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
	p.Gates = append(p.Gates, e.configGates(s)...)
	return n.Write, &p, nil
}

// configGates returns the gates of the configuration as it was approved. It lies at the
// base, where only Git can read it; the work tree's copy is the same while its digest is.
func (e *Engine) configGates(s *state.State) []document.Gate {
	if s.Approval.Config == "" {
		return nil
	}
	path := filepath.Join(e.o.Root, filepath.FromSlash(document.ConfigPath))
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > document.MaxBytes {
		return nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	c, problems := config.Parse(b)
	if c.Digest != s.Approval.Config || len(problems) > 0 {
		return nil
	}
	return c.Gates
}
