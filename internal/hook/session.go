package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sessionStart prepares the agent's shell and briefs the conversation.
func (c *call) sessionStart(ctx context.Context) (reply, error) {
	lines := []string{"export " + marker + "=1"}
	if root := c.deps.getenv("CLAUDE_PLUGIN_ROOT"); root != "" {
		lines = append(lines, onPath(filepath.Join(root, "bin")))
	}
	if err := prepareShell(c.deps.getenv("CLAUDE_ENV_FILE"), lines); err != nil {
		fmt.Fprintf(c.stderr, "asterweave: error: the agent's shell is not prepared: %s\n", err)
	}
	d, err := c.delivery()
	switch {
	case err != nil:
		return c.context(refusal(err)), nil
	case d == nil:
		return reply{}, nil
	}
	if l := d.state.Lease; l == nil || l.Session == c.p.Session || !l.Until.After(c.deps.Now()) {
		c.lease(ctx, d)
	}
	return c.context(brief(d.state)), nil
}

// preCompact re-states the brief, which goes into the request for the summary.
func (c *call) preCompact(context.Context) (reply, error) {
	d, err := c.delivery()
	if err != nil || d == nil {
		return reply{}, err
	}
	return reply{plain: brief(d.state)}, nil
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

// onPath is a line that puts a folder on the PATH of a shell, behind all others. The
// client does so only in a snapshot of the user's shell, which it goes on without when
// that takes long or fails.
func onPath(folder string) string {
	quoted := "'" + strings.ReplaceAll(folder, "'", `'\''`) + "'"
	return `case ":$PATH:" in *:` + quoted + `:*) ;; *) export PATH="$PATH":` + quoted + ` ;; esac`
}

// prepareShell adds lines to the file that the client sources in the agent's shells. The
// client starts a session several times; each line is there once.
func prepareShell(file string, lines []string) error {
	if file == "" {
		return nil
	}
	have, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var text []byte
	if len(have) > 0 && have[len(have)-1] != '\n' {
		text = []byte{'\n'}
	}
	there := strings.Split(string(have), "\n")
	for _, line := range lines {
		if !slices.Contains(there, line) {
			text = append(text, line+"\n"...)
		}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
