// Package hook is the adapter for Claude Code: it turns the client's hook events
// into calls of the engine, and the engine's effects into answers that the client
// understands.
//
// Without an open delivery for the payload every event is answered with nothing,
// after a few stat calls. Status 2 blocks in the client; nothing here gives it, and
// a panic, which would, is recovered into the event's own policy.
package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/problem"
)

// Exit statuses.
const (
	exitOK    = 0
	exitError = 1 // the answer could not be written
	exitUsage = 64
)

// Deps is what the wiring passes in.
type Deps struct {
	Now       func() time.Time
	Environ   []string         // of this process
	Schemas   engine.Schemas   // may be nil
	Providers engine.Providers // for the start of a delivery

	// Wider lets the program that has the clients of all providers answer an event, and
	// returns its answer; nil where this is that program.
	Wider func(ctx context.Context, event string, payload []byte) ([]byte, error)
}

// getenv returns a variable's value; of several the last one, as exec does.
func (d Deps) getenv(name string) string {
	value := ""
	for _, kv := range d.Environ {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			value = v
		}
	}
	return value
}

// agentShell reports whether this process descends from an agent's shell. The
// session's start puts the marker there; the client's own hooks do not have it.
func (d Deps) agentShell() bool {
	for _, kv := range d.Environ {
		name, value, _ := strings.Cut(kv, "=")
		if name == marker && value != "" || name == "AI_AGENT" && strings.HasSuffix(value, "_agent") {
			return true
		}
	}
	return false
}

// Main runs the program asterweave-hook with its arguments and returns the exit status.
func Main(args []string, d Deps, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) != 1 || strings.HasPrefix(args[0], "-") {
		fmt.Fprintln(stderr, "asterweave: error: one event is due")
		fmt.Fprintln(stderr, "asterweave: hint: asterweave-hook EVENT, with the event's payload on standard input")
		return exitUsage
	}
	return Run(context.Background(), d, args[0], stdin, stdout, stderr)
}

// Run answers one event of the client, whose payload is on stdin, and returns the
// exit status. The answer is all that stdout gets.
func Run(ctx context.Context, d Deps, event string, stdin io.Reader, stdout, stderr io.Writer) int {
	p, ok := policyOf(event)
	if !ok {
		_, _ = io.Copy(io.Discard, stdin) // the client does not like a closed pipe
		return exitOK
	}
	c := &call{deps: d, event: p.name, kebab: p.kebab, stderr: stderr}
	r, err := c.respond(ctx, p, stdin)
	if err != nil {
		fmt.Fprintf(stderr, "asterweave: error: %s: %s\n", p.kebab, err)
		r = c.failed(p, err)
	}
	if err := r.write(stdout); err != nil {
		fmt.Fprintf(stderr, "asterweave: error: %s: %s\n", p.kebab, err)
		return exitError
	}
	return exitOK
}

// call is one event under way.
type call struct {
	deps   Deps
	event  string // the client's name of it
	kebab  string // ours
	p      payload
	read   bool // p was read
	raw    bytes.Buffer
	stderr io.Writer
}

// respond reads the payload and answers it. A panic is an error like others.
func (c *call) respond(ctx context.Context, p policy, stdin io.Reader) (r reply, err error) {
	defer func() {
		if v := recover(); v != nil {
			r, err = reply{}, fmt.Errorf("internal error: %v", v)
		}
	}()
	if c.p, err = readPayload(io.TeeReader(stdin, &c.raw), p); err != nil {
		return reply{}, err
	}
	c.read = true
	return p.answer(c, ctx)
}

// failed is what the policy of an event says when it could not be answered.
func (c *call) failed(p policy, err error) reply {
	switch p.carries {
	case word:
		return block(refusal(err))
	case decision:
		if c.concerned() {
			return c.permission("ask", refusal(err))
		}
		return reply{}
	case verdict:
		if c.read && c.p.StopActive || !c.read && !c.concerned() {
			return notice(refusal(err)) // the agent has been told, or it is none of ours
		}
		return block(refusal(err))
	}
	return reply{}
}

// concerned reports whether a delivery is open here, for a payload that cannot say
// where it comes from.
func (c *call) concerned() (open bool) {
	defer func() {
		if recover() != nil {
			open = false
		}
	}()
	d, err := c.delivery()
	return d != nil || err != nil
}

// refusal is an error as people read it: what is wrong, and the next safe step.
func refusal(err error) string {
	text := "asterweave: " + err.Error()
	var p *problem.Error
	if errors.As(err, &p) && p.Hint != "" {
		text += "\nhint: " + p.Hint
	}
	return text
}
