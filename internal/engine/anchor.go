package engine

import (
	"path/filepath"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

// anchorPath returns where the anchor of this worktree's ledger lies: in the Git
// folder of this worktree alone, which Git keeps when the worktree is moved and removes
// with it, so that a later worktree of the same name begins without one.
func anchorPath(repo *gitrepo.Repo) string {
	return filepath.Join(repo.GitDir(), "asterweave", "ledger.anchor")
}
