package engine

import (
	"context"

	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// readOutside reads what others wrote, as it was stored when it was read: the work
// item, and the comments while a node answers them.
func (e *Engine) readOutside(ctx context.Context, s *state.State, f *gate.Facts) error {
	if s.Delivery.Item != "" {
		b, err := e.log.Artifact(s.Delivery.Item)
		if err != nil {
			return problem.Wrap(problem.Ledger, err, "the text of the work item is an artifact; doctor says what is missing")
		}
		f.Item = string(b)
		f.Task += "\n" + f.Item
	}
	switch s.Node {
	case graph.Plan, graph.Implement, graph.Comments:
		e.said(s, f)
	}
	return e.readAfter(ctx, s, f)
}

// readAfter finds the submitted commits that came after comments were triaged.
func (e *Engine) readAfter(ctx context.Context, s *state.State, f *gate.Facts) error {
	if s.Submitted == nil || len(s.Triage) == 0 {
		return nil
	}
	f.After = map[string][]string{}
	for _, t := range s.Triage {
		if _, known := f.After[t.Head]; known || t.Head == s.Submitted.Head {
			continue
		}
		commits, err := e.repo.Commits(ctx, t.Head, s.Submitted.Head)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			commits = nil // a head that is gone has nothing after it that could be shown
		}
		f.After[t.Head] = []string{}
		for _, c := range commits {
			f.After[t.Head] = append(f.After[t.Head], c.ID)
		}
	}
	return nil
}
