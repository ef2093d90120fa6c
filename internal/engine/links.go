package engine

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/state"
)

// readLinks finds those symbolic links among the changed paths that lead out of what
// the tree holds. Their targets could change without anybody noticing.
func (e *Engine) readLinks(s *state.State, f *gate.Facts) {
	root := resolved(e.o.Root)
	private := []string{resolved(e.repo.GitDir()), resolved(filepath.Join(root, ".git")), resolved(e.log.Dir())}
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
		to = resolved(to)
		if !within(root, to) || slices.ContainsFunc(private, func(dir string) bool { return within(dir, to) }) {
			f.Escapes[p] = target
		}
	}
}

// resolved follows symbolic links as far as the path is there.
func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return filepath.Clean(path)
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
