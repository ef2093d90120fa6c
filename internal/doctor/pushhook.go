package doctor

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/asterweave/asterweave/internal/command"
	"github.com/asterweave/asterweave/internal/githooks"
	"github.com/asterweave/asterweave/internal/sentry"
)

// pushHook looks whether Git's own hook judges pushes: one that the session's
// environment points Git at, or one that was installed in the repository.
func (x *examination) pushHook(ctx context.Context) {
	const name = "git hook"
	broken := func(err error) {
		x.add(name, Warn, "the pre-push hook of ours may not judge: "+err.Error(), "a session of the client with the plugin, or asterweave-state guard install, puts it right")
	}
	switch err := sentry.InspectInstalled(ctx, x.e); {
	case err == nil:
		x.ok(name, "pre-push is installed in the repository")
		return
	case !errors.Is(err, githooks.ErrNotInstalled):
		broken(err)
		return
	}
	switch err := sentry.InspectHooks(ctx, x.e); {
	case errors.Is(err, fs.ErrNotExist) && x.state != nil && x.state.Delivery.Open():
		x.add(name, Warn, "no pre-push hook of ours judges what is pushed from this worktree", "a session of the client with the plugin puts it there")
		return
	case errors.Is(err, fs.ErrNotExist):
		x.ok(name, "there is none, and no delivery that it would be for")
		return
	case err != nil:
		broken(err)
		return
	}
	own := githooks.Folder(x.repo.GitDir())
	out := command.Run(ctx, command.Spec{Argv: []string{"git", "config", "--get", "--type=path", "core.hooksPath"}, Dir: x.e.Root(), Env: x.o.Environ, Timeout: clientTimeout})
	path := strings.TrimSpace(string(out.Output))
	switch {
	case path == own:
		x.ok(name, "pre-push is in force in this shell")
	case !x.agentShell():
		x.ok(name, "pre-push is there; it is in force in the shells of agents, which this is not")
	default:
		x.add(name, Warn, "pre-push is there, but Git is not pointed at it in this shell", "start the session anew, so that its environment is set")
	}
}
