package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// sessionStart marks the agent's shell and briefs the conversation.
func (c *call) sessionStart(ctx context.Context) (reply, error) {
	if err := markShell(c.deps.getenv("CLAUDE_ENV_FILE")); err != nil {
		fmt.Fprintf(c.stderr, "asterweave: error: the agent's shell has no marker: %s\n", err)
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

// markShell adds the marker to the file that the client sources in the agent's
// shells. The client starts a session several times; one line is enough.
func markShell(file string) error {
	if file == "" {
		return nil
	}
	text := []byte("export " + marker + "=1\n")
	have, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if bytes.HasPrefix(have, text) || bytes.Contains(have, append([]byte{'\n'}, text...)) {
		return nil
	}
	if len(have) > 0 && have[len(have)-1] != '\n' {
		text = append([]byte{'\n'}, text...)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
