package gitrepo

import (
	"context"
	"path/filepath"
)

// Hooks returns the full path of the folder where the repository's own hooks lie, by
// the configuration of the system, the user, the repository and the worktree, and
// whether that says so or it is the folder that Git uses without being told. What an
// environment or a command line says is not asked.
func (r *Repo) Hooks(ctx context.Context) (folder string, configured bool, err error) {
	list, err := r.config(ctx)
	if err != nil {
		return "", false, err
	}
	if value, ok := list.get("core.hookspath"); ok && value != "" {
		return filepath.Clean(list.path("core.hookspath", "", r.root)), true, nil
	}
	common, err := r.CommonDir()
	if err != nil {
		return "", false, err
	}
	return filepath.Join(common, "hooks"), false, nil
}
