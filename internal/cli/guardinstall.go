package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/githooks"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/problem"
)

func (a *app) guardInstallCommand() *cobra.Command {
	return a.engineVerb("install", "let Git judge pushes from this repository, elsewhere than in the client", cobra.NoArgs, func(c *cobra.Command, e *engine.Engine, _ []string) error {
		folder, err := hooksFolder(c.Context(), e)
		if err != nil {
			return err
		}
		program, err := githooks.Program()
		if err != nil {
			return problem.Wrap(problem.Failed, err, "put the program where it stays, with make install for instance")
		}
		if err := githooks.Install(durable.Disk{}, folder, program); err != nil {
			return installError(err)
		}
		a.answer(map[string]any{"ok": true, "hook": filepath.Join(folder, githooks.PrePush), "program": program})
		a.say("installed: %s\nwhile a delivery is open in the worktree that is pushed from, its pushes are judged", filepath.Join(folder, githooks.PrePush))
		return nil
	})
}

func (a *app) guardUninstallCommand() *cobra.Command {
	return a.engineVerb("uninstall", "take the installed hook away again (a human's verb)", cobra.NoArgs, func(c *cobra.Command, e *engine.Engine, _ []string) error {
		if !a.human().IsHuman() {
			return problem.New(problem.HumanOnly, "guard uninstall is a human's verb and this call carries no human's word", "a human types it in a terminal of their own")
		}
		folder, err := hooksFolder(c.Context(), e)
		if err != nil {
			return err
		}
		if err := githooks.Removable(folder); err != nil {
			return installError(err)
		}
		if err := a.noteUnhooked(c.Context(), e, folder); err != nil {
			return err
		}
		if err := githooks.Uninstall(folder); err != nil {
			return installError(err)
		}
		a.answer(map[string]any{"ok": true, "hook": filepath.Join(folder, githooks.PrePush)})
		a.say("taken away: %s is as it was before", filepath.Join(folder, githooks.PrePush))
		return nil
	})
}

// noteUnhooked records in the open delivery that the hook goes, before it does.
func (a *app) noteUnhooked(ctx context.Context, e *engine.Engine, folder string) error {
	st, err := peek(e)
	if err != nil || st == nil {
		return err
	}
	_, err = e.Do(ctx, "guard-uninstall", a.human(), func(d *decide.Draft) error { return d.Unhook(folder) })
	return err
}

func installError(err error) error {
	switch {
	case errors.Is(err, githooks.ErrTaken):
		return problem.Wrap(problem.Conflict, err, "a person looks at both files and decides which one stays; nothing was changed")
	case errors.Is(err, githooks.ErrNotInstalled):
		return problem.Wrap(problem.Conflict, err, "there is nothing to take away")
	}
	return problem.Wrap(problem.Failed, err, "make the folder of Git's hooks writable")
}

// hooksFolder returns where the repository's own hooks lie, if that is a folder of the
// repository alone: neither one that is tracked nor one that others use.
func hooksFolder(ctx context.Context, e *engine.Engine) (string, error) {
	repo, err := gitrepo.Open(e.Root())
	if err != nil {
		return "", problem.Wrap(problem.NoRepository, err, "run this inside a Git repository")
	}
	folder, configured, err := repo.Hooks(ctx)
	if err != nil {
		return "", problem.Wrap(problem.Failed, err, "doctor says whether Git can be asked")
	}
	common, err := e.CommonDir()
	if err != nil {
		return "", problem.Wrap(problem.Failed, err, "doctor says whether Git can be asked")
	}
	if rel, err := filepath.Rel(links(common), links(folder)); err != nil || !filepath.IsLocal(rel) || rel == "." {
		why := "leads there"
		if configured {
			why = "core.hooksPath says so"
		}
		return "", problem.New(problem.Conflict, fmt.Sprintf("the hooks of this repository lie in %s (%s), and a folder that is tracked or shared is not written to", folder, why),
			"let the pre-push hook of that folder begin with: asterweave-state guard pre-push -- \"$@\"; it reads the hook's standard input")
	}
	return folder, nil
}

// links follows the links of a path as far as it is there.
func links(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return filepath.Join(links(filepath.Dir(path)), filepath.Base(path))
}
