package sentry

import (
	"context"
	"path/filepath"

	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/githooks"
	"github.com/asterweave/asterweave/internal/gitrepo"
)

// LayHooks puts the folder of hooks in place that an agent's shell is pointed at. It is
// called while a delivery is open: elsewhere there is no such folder, and nothing points
// anywhere.
func LayHooks(ctx context.Context, e *engine.Engine) error {
	program, err := githooks.Program()
	if err != nil {
		return err
	}
	h, err := hooks(ctx, e, program)
	if err != nil {
		return err
	}
	return h.Lay(durable.Disk{})
}

// InspectHooks returns what is wrong with that folder, nil when it is in place and whole
// and would judge a push; fs.ErrNotExist where there is none. The program that judges is
// the one that the hook names: it need not be the one that looks.
func InspectHooks(ctx context.Context, e *engine.Engine) error {
	h, err := hooks(ctx, e, githooks.Named(filepath.Join(githooks.Folder(e.GitDir()), githooks.PrePush)))
	if err != nil {
		return err
	}
	return h.Inspect()
}

// InspectInstalled is InspectHooks for the hook that is installed in the repository;
// githooks.ErrNotInstalled where there is none of ours.
func InspectInstalled(ctx context.Context, e *engine.Engine) error {
	h, err := hooks(ctx, e, "")
	if err != nil {
		return err
	}
	return githooks.InspectInstalled(h.Own, githooks.Named(filepath.Join(h.Own, githooks.PrePush)))
}

func hooks(ctx context.Context, e *engine.Engine, program string) (githooks.Hooks, error) {
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
