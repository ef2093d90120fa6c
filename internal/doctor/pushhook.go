package doctor

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/asterweave/asterweave/internal/command"
)

// pushHook looks whether Git's own hook judges pushes: one that the session's
// environment points Git at, or one that was installed in the repository.
func (x *examination) pushHook(ctx context.Context) {
	const name = "git hook"
	own := filepath.Join(x.repo.GitDir(), "asterweave", "hooks")
	common, err := x.repo.CommonDir()
	if err != nil {
		x.failed(name, err, "git worktree repair mends a worktree that was moved")
		return
	}
	if b, err := os.ReadFile(filepath.Join(common, "hooks", "pre-push")); err == nil && bytes.Contains(b, []byte("asterweave")) {
		x.ok(name, "pre-push is installed in the repository")
		return
	}
	if !isFile(filepath.Join(own, "pre-push")) {
		if x.state != nil && x.state.Delivery.Open() {
			x.add(name, Warn, "no pre-push hook of ours judges what is pushed from this worktree", "a session of the client with the plugin puts it there")
			return
		}
		x.ok(name, "there is none, and no delivery that it would be for")
		return
	}
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
