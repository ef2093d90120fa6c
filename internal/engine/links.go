package engine

import (
	"context"
	"os"
	"path/filepath"

	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/state"
)

// readLinks finds those symbolic links among the changed paths that lead to a place
// which the tree does not hold: outside of it, or to what Git ignores. It could change
// without anybody noticing.
func (e *Engine) readLinks(ctx context.Context, objects *gitrepo.Objects, s *state.State, f *gate.Facts) {
	root := resolved(e.o.Root)
	for _, p := range f.Changed[s.Delivery.Tree] {
		full, ok := e.inside(p)
		if !ok {
			continue
		}
		target, err := os.Readlink(full)
		if err != nil {
			continue // no symbolic link
		}
		to := target
		if !filepath.IsAbs(to) {
			to = filepath.Join(resolved(filepath.Dir(full)), to)
		}
		rel, err := filepath.Rel(root, resolved(to))
		if err == nil && filepath.IsLocal(rel) && rel != "." {
			if held, err := objects.Has(ctx, f.World.Tree, filepath.ToSlash(rel)); err == nil && held {
				continue
			}
		}
		f.Escapes[p] = target
	}
}

// resolved follows symbolic links as far as the path is there.
func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return filepath.Clean(path)
}
