package engine

import (
	"context"

	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/state"
)

// onRemote asks the remote of the start whether the merge base is on its base
// branch. A branch here, a remote-tracking one too, is a name that anybody who
// works here can move; a base that only moved here is not believed.
func (e *Engine) onRemote(ctx context.Context, s *state.State, f *gate.Facts) bool {
	del := s.Delivery
	if f.World.Base == "" || del.Remote == "" || del.Remote != f.Remote {
		return false
	}
	r, err := redactor(f)
	if err != nil {
		return false
	}
	if url, err := e.repo.RemoteURL(ctx, del.Remote); err != nil || r.String(url) != del.URL {
		return false
	}
	settings, err := e.repo.Settings(ctx)
	if err != nil {
		return false
	}
	t, err := e.repo.Transport(settings, del.Remote)
	if err != nil {
		return false
	}
	f.Transport, f.Reached = t.Digest, t.Names
	if (gate.View{State: s, Facts: f}).OtherTransport() {
		return false
	}
	tip, err := e.repo.LsRemote(ctx, del.Remote, del.Base)
	if err != nil || tip == "" {
		return false
	}
	on, err := e.repo.IsAncestor(ctx, f.World.Base, tip)
	return err == nil && on
}

// readBase finds what changed on the base since each merge base that is recorded.
// Of a base that only moved here nothing is known.
func (e *Engine) readBase(ctx context.Context, objects *gitrepo.Objects, s *state.State, f *gate.Facts, trusted bool) error {
	for _, old := range s.Bases() {
		if old == f.World.Base || trusted {
			CompareBase(ctx, objects, old, f)
		}
	}
	return readFromBase(ctx, objects, s, f)
}

// readFromBase finds the paths that came with a move of the base: they changed on
// it, and are now as they are there.
func readFromBase(ctx context.Context, objects *gitrepo.Objects, s *state.State, f *gate.Facts) error {
	move := f.Base[s.Delivery.MergeBase]
	if move.Same || !move.Known || f.World.Tree == "" {
		return nil
	}
	differ, err := objects.Changed(ctx, f.World.Base, f.World.Tree)
	if err != nil {
		return gitError(err)
	}
	own := map[string]bool{}
	for _, c := range differ {
		own[c.Path] = true
	}
	for _, p := range move.Paths {
		if !own[p] {
			f.FromBase[p] = true
		}
	}
	return nil
}

// CompareBase finds what changed on the base since a merge base. One that is not here
// stays out of the facts, and is unknown.
func CompareBase(ctx context.Context, objects *gitrepo.Objects, old string, f *gate.Facts) {
	if old == f.World.Base {
		f.Base[old] = gate.BaseMove{Same: true, Known: true}
		return
	}
	if _, done := f.Base[old]; done || f.World.Base == "" {
		return
	}
	changes, err := objects.Changed(ctx, old, f.World.Base)
	if err != nil {
		return
	}
	move := gate.BaseMove{Known: true}
	for _, c := range changes {
		move.Paths = append(move.Paths, c.Path)
	}
	f.Base[old] = move
}
