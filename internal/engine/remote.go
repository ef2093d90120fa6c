package engine

import (
	"context"
	"strings"

	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/gitrepo"
)

func (e *Engine) readCommits(ctx context.Context, f *gate.Facts) error {
	if f.Head == "" || f.Head == f.World.Base {
		return nil
	}
	commits, err := e.repo.Commits(ctx, f.World.Base, f.Head)
	if err != nil {
		return gitError(err)
	}
	for _, c := range commits {
		f.Commits = append(f.Commits, strings.TrimSpace(c.Message))
	}
	return nil
}

// readRemote finds how the remote is reached, by the settings that were read. One that is
// gone has no URL.
func (e *Engine) readRemote(ctx context.Context, settings gitrepo.Settings, f *gate.Facts) error {
	if f.Remote == "" {
		return nil
	}
	url, push, err := e.repo.URLs(ctx, f.Remote)
	if err != nil {
		return ctx.Err()
	}
	t, err := e.repo.Transport(settings, f.Remote)
	if err != nil {
		return gitError(err)
	}
	r, err := redactor(f)
	if err != nil {
		return err
	}
	f.URL, f.Transport, f.Reached = r.String(url), t.Digest, t.Names // as they are stored, so that they can be compared
	for _, u := range push {
		f.Push = append(f.Push, r.String(u))
	}
	return nil
}
