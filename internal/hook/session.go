package hook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/githooks"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/sentry"
)

// sessionStart marks the agent's shell, points its Git at the hooks of ours, and briefs
// the conversation.
func (c *call) sessionStart(ctx context.Context) (reply, error) {
	if err := markShell(c.deps.getenv("CLAUDE_ENV_FILE"), c.shellTexts()); err != nil {
		fmt.Fprintf(c.stderr, "asterweave: error: the agent's shell has no marker: %s\n", err)
	}
	d, err := c.delivery()
	switch {
	case err != nil:
		return c.context(refusal(err)), nil
	case d == nil:
		return reply{}, nil
	}
	c.layHooks(ctx, d)
	if l := d.state.Lease; l == nil || l.Session == c.p.Session || !l.Until.After(c.deps.Now()) {
		c.lease(ctx, d)
	}
	return c.context(brief(d.state)), nil
}

// layHooks puts Git's hooks of ours in place. It is a safeguard: its failure is told and
// stops nothing.
func (c *call) layHooks(ctx context.Context, d *delivery) {
	if err := sentry.LayHooks(ctx, d.engine); err != nil {
		fmt.Fprintf(c.stderr, "asterweave: error: pushes are not judged by Git's own hook: %s\n", err)
	}
}

// preCompact re-states the brief, which goes into the request for the summary.
func (c *call) preCompact(ctx context.Context) (reply, error) {
	d, err := c.delivery()
	if err != nil || d == nil {
		return reply{}, err
	}
	c.usage(ctx, d)
	return reply{plain: brief(d.state)}, nil
}

// sessionEnd counts what the session used. The client gives it little time.
func (c *call) sessionEnd(ctx context.Context) (reply, error) {
	d, err := c.delivery()
	if err != nil || d == nil {
		return reply{}, err
	}
	c.usage(ctx, d)
	return reply{}, nil
}

// eventLease is the type of the event that binds a session to the delivery.
const eventLease = "lease"

// lease binds the session to the delivery. It limits who may drive and is no
// fact: its failure is told and stops nothing.
func (c *call) lease(ctx context.Context, d *delivery) {
	if c.p.Session == "" || c.deps.agentShell() {
		return
	}
	if err := d.engine.Bind(ctx, causeSession, c.by(), c.p.Session); err != nil {
		fmt.Fprintf(c.stderr, "asterweave: the session is not bound to the delivery: %s\n", err)
	}
}

// shellTexts are what the client is to put before each command of an agent. The hooks
// of the worktree that the payload is about come last, and so they are in force.
func (c *call) shellTexts() []string {
	texts := []string{"export " + marker + "=1\n"}
	if root := c.deps.getenv("CLAUDE_PLUGIN_ROOT"); root != "" {
		texts = append(texts, onPath(filepath.Join(root, "bin")))
	}
	for _, root := range slices.Backward(c.roots()) {
		if repo, err := gitrepo.Open(root); err == nil {
			texts = append(texts, githooks.Exports(githooks.Folder(repo.GitDir())))
		}
	}
	return texts
}

// onPath is a line that puts a folder on the PATH of a shell, behind all others. The
// client does so only in a snapshot of the user's shell, which it goes on without when
// that takes long or fails.
func onPath(folder string) string {
	quoted := "'" + strings.ReplaceAll(folder, "'", `'\''`) + "'"
	return `case ":$PATH:" in *:` + quoted + `:*) ;; *) export PATH="$PATH":` + quoted + " ;; esac\n"
}

// markShell adds whole lines to the file that the client sources in the agent's shells.
// The client starts a session several times; each text is there once.
func markShell(file string, texts []string) error {
	if file == "" {
		return nil
	}
	have, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lines := "\n" + strings.TrimSuffix(string(have), "\n") + "\n"
	more := ""
	for _, text := range texts {
		if !strings.Contains(lines, "\n"+text) {
			more, lines = more+text, lines+text
		}
	}
	if more == "" {
		return nil
	}
	if len(have) > 0 && have[len(have)-1] != '\n' {
		more = "\n" + more
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(more)
	return errors.Join(err, f.Close())
}
