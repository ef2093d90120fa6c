package engine

import (
	"context"
	"strings"

	"github.com/asterweave/asterweave/internal/gate"
)

func (e *Engine) readCommits(ctx context.Context, f *gate.Facts) error {
	if f.Head == "" {
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

// readRemote finds how the remote is reached. One that is gone has no URL.
func (e *Engine) readRemote(ctx context.Context, f *gate.Facts) error {
	if f.Remote == "" {
		return nil
	}
	url, err := e.repo.RemoteURL(ctx, f.Remote)
	if err != nil {
		return ctx.Err()
	}
	push, err := e.repo.PushURLs(ctx, f.Remote)
	if err != nil {
		return gitError(err)
	}
	t, err := e.repo.Transport(ctx, f.Remote)
	if err != nil {
		return gitError(err)
	}
	if f.Trunk, err = e.repo.RemoteHead(ctx, f.Remote); err != nil {
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
