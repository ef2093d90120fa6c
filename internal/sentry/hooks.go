package sentry

import (
	"context"

	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/githooks"
	"github.com/asterweave/asterweave/internal/gitrepo"
)

// LayHooks puts the folder of hooks in place that an agent's shell is pointed at. It is
// called while a delivery is open: elsewhere there is no such folder, and nothing points
// anywhere.
func LayHooks(ctx context.Context, e *engine.Engine) error {
	h, err := hooks(ctx, e)
	if err != nil {
		return err
	}
	return h.Lay(durable.Disk{})
}

// InspectHooks returns what is wrong with that folder, nil when it is in place and whole
// and would judge a push; fs.ErrNotExist where there is none.
func InspectHooks(ctx context.Context, e *engine.Engine) error {
	h, err := hooks(ctx, e)
	if err != nil {
		return err
	}
	return h.Inspect()
}

func hooks(ctx context.Context, e *engine.Engine) (githooks.Hooks, error) {
	program, err := githooks.Program()
	if err != nil {
		return githooks.Hooks{}, err
	}
	repo, err := gitrepo.Open(e.Root())
	if err != nil {
		return githooks.Hooks{}, err
	}
	own, _, err := repo.Hooks(ctx)
	if err != nil {
		return githooks.Hooks{}, err
	}
	return githooks.Hooks{GitDir: e.GitDir(), Root: e.Root(), Own: own, Program: program}, nil
}
