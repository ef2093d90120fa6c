package engine

import (
	"cmp"
	"context"

	"github.com/asterweave/asterweave/internal/config"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/state"
)

// readConfig takes the configuration from the base: what the delivery itself
// changes has no say in it.
func (e *Engine) readConfig(ctx context.Context, objects *gitrepo.Objects, s *state.State, f *gate.Facts, trusted bool) {
	rev := cmp.Or(f.World.Base, s.Delivery.MergeBase, f.Head)
	if !trusted {
		rev = s.Delivery.MergeBase
	}
	if rev == "" {
		return
	}
	b, ok, err := objects.File(ctx, rev, document.ConfigPath)
	if err != nil {
		f.ConfigProblems = []document.Problem{{Field: document.ConfigPath, What: err.Error()}}
		return
	}
	if !ok {
		return
	}
	c, problems := config.Parse(b)
	if len(problems) == 0 {
		g, err := graph.Parse(graph.Embedded())
		if err != nil {
			f.ConfigProblems = []document.Problem{{Field: document.ConfigPath, What: err.Error()}}
			return
		}
		problems = c.Check(g.Budgets(), existsAt(ctx, objects, rev))
	}
	f.World.Config, f.Config, f.ConfigProblems = c.Digest, c.Config, problems
	if len(f.ConfigProblems) == 0 && e.o.Schemas != nil {
		if err := e.o.Schemas.Validate("asterweave", b); err != nil {
			f.ConfigProblems = []document.Problem{{Field: document.ConfigPath, What: err.Error()}}
		}
	}
	if len(f.ConfigProblems) > 0 {
		f.Config.Redact = nil // patterns that may not compile
	}
}

func existsAt(ctx context.Context, objects *gitrepo.Objects, rev string) func(string) bool {
	return func(p string) bool {
		_, ok, err := objects.File(ctx, rev, p)
		return err == nil && ok
	}
}
