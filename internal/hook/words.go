package hook

import (
	"context"
	"fmt"
	"strings"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/problem"
)

// Causes, as events of the ledger name them.
const (
	causeExpansion = "hook " + PromptExpansion
	causeAnswer    = "hook " + PostTool
	causeVerdict   = "hook " + SubagentStop
	causeSession   = "hook " + SessionStart
)

// verbs of the commands that the plugin brings, without its name.
const (
	verbGoal    = "asterweave"
	verbApprove = "approve"
	verbReject  = "reject"
	verbSteer   = "steer"
	verbReply   = "reply"
	verbResume  = "resume"
	verbAbort   = "abort"
	verbStatus  = "status"
)

// verb returns which of our commands was typed, "" when it is none of ours.
func (c *call) verb() string {
	name, ours := strings.CutPrefix(c.p.CommandName, plugin+":")
	switch name {
	case verbGoal: // its front matter names it, so the bare form exists as well
		return name
	case verbApprove, verbReject, verbSteer, verbReply, verbResume, verbAbort, verbStatus:
		if ours {
			return name
		}
	}
	return ""
}

// expansion takes the words that a human typed behind a command of ours.
func (c *call) expansion(ctx context.Context) (reply, error) {
	verb := c.verb()
	if verb == "" {
		return reply{}, nil
	}
	d, err := c.delivery()
	if why := c.foreign(); why != nil {
		if d == nil && err == nil {
			return reply{}, nil // somebody else's command of the same name
		}
		return reply{}, why
	}
	if err != nil {
		return reply{}, err
	}
	if verb == verbStatus {
		return c.status(ctx, d)
	}
	if err := c.unheard(); err != nil {
		return reply{}, err
	}
	args := strings.TrimSpace(c.p.CommandArgs)
	if verb == verbGoal {
		return c.goal(ctx, d, args)
	}
	if d == nil {
		return reply{}, problem.New(problem.NoDelivery, "no delivery is open in this worktree", "/asterweave with a goal opens one")
	}
	say, err := sayer(verb, args)
	if err != nil {
		return reply{}, err
	}
	draft, err := d.engine.DoFor(ctx, verb, causeExpansion, c.human(), say)
	if err != nil {
		return reply{}, err
	}
	return c.next(ctx, d, draft, fmt.Sprintf("The human's word (%s) is recorded.", verb))
}

// sayer returns the decision that the words stand for.
func sayer(verb, args string) (func(*decide.Draft) error, error) {
	switch verb {
	case verbApprove:
		if args == "" || strings.ContainsAny(args, " \t\n") {
			return nil, problem.New(problem.Usage, "approve takes one digest and nothing else", "asterweave-state inbox shows what is open, with its digest")
		}
		return func(d *decide.Draft) error { return d.Approve(args) }, nil
	case verbReject:
		return func(d *decide.Draft) error { return d.Reject(args) }, nil
	case verbSteer:
		return func(d *decide.Draft) error { return d.Steer(args) }, nil
	case verbReply:
		id, text, _ := strings.Cut(args, " ")
		return func(d *decide.Draft) error { return d.Reply(id, text) }, nil
	case verbAbort:
		return func(d *decide.Draft) error { return d.Abort(args) }, nil
	default:
		return func(d *decide.Draft) error { return d.Resume() }, nil
	}
}
