package engine

import (
	"path/filepath"

	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/problem"
)

// anchorPath returns where the anchor of this worktree's ledger lies: in the Git
// common directory, under the name that Git itself gives the worktree, so that a
// worktree that is moved keeps its anchor.
func anchorPath(repo *gitrepo.Repo) (string, error) {
	common, err := repo.CommonDir()
	if err != nil {
		return "", problem.Wrap(problem.NoRepository, err, "git status says what is wrong with the repository")
	}
	dir := repo.GitDir()
	name := "main"
	if dir != common {
		name = "worktree-" + filepath.Base(dir)
	}
	return filepath.Join(common, "asterweave", name+".anchor"), nil
}
