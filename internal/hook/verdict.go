package hook

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// role returns the name of an agent without that of our plugin.
func role(agentType string) string { return strings.TrimPrefix(agentType, plugin+":") }

// reviewKind returns the kind of verdict that an agent of the plugin gives.
func reviewKind(agentType string) (evidence.Kind, bool) {
	switch agentType {
	case plugin + ":staff-reviewer":
		return evidence.CodeReview, true
	case plugin + ":security-reviewer":
		return evidence.SecurityReview, true
	}
	return "", false
}

// subagentStop takes the verdict out of a reviewer's last message. Other agents,
// and compactions, whose agent has no type, end as they like.
func (c *call) subagentStop(ctx context.Context) (reply, error) {
	kind, reviewer := reviewKind(c.p.AgentType)
	d, err := c.delivery()
	switch {
	case err != nil && !reviewer:
		return reply{}, nil // it carries no verdict, and other hooks say what is wrong
	case err != nil || d == nil:
		return reply{}, err
	}
	defer c.usage(ctx, d)
	if !reviewer {
		return reply{}, nil
	}
	return c.verdict(ctx, d, kind)
}

// verdict records what a reviewer says.
func (c *call) verdict(ctx context.Context, d *delivery, kind evidence.Kind) (reply, error) {
	if c.deps.agentShell() {
		return notice("asterweave: the verdict is not recorded: this comes out of an agent's shell"), nil
	}
	if c.p.AgentID == "" {
		return reply{}, problem.New(problem.Invalid, "a verdict without the agent that gives it is nobody's", "the client names the agent")
	}
	if d.state.Delivery.Status != state.Active || !d.state.Running(graph.Review) {
		return reply{}, nil // a review on other business
	}
	if c.gave(d.state, kind) {
		return notice("asterweave: the verdict is not recorded: this agent has given one; another reviewer gives another"), nil
	}
	if why := c.dictated(d); why != "" {
		return c.worthless(ctx, d, kind, why)
	}
	rev, text, err := document.ParseReview(c.p.LastMessage)
	if err == nil && rev.Kind != string(kind) {
		err = fmt.Errorf("kind: %q is not what a %s gives; it is %q", rev.Kind, role(c.p.AgentType), kind)
	}
	if err != nil {
		return c.unreadable(ctx, d, kind, err)
	}
	r, err := d.engine.Review(ctx, causeVerdict, c.by(), rev, decide.Reviewer{AgentID: c.p.AgentID, Type: role(c.p.AgentType)}, text)
	switch {
	case problem.CodeOf(err) == problem.Invalid && err != nil:
		return c.unreadable(ctx, d, kind, err)
	case err != nil:
		return reply{}, err
	}
	return notice(recorded(r)), nil
}

// gave reports whether the agent's verdict is in, be it as one that could not be read.
func (c *call) gave(s *state.State, kind evidence.Kind) bool {
	if s.Agents[c.p.AgentID].Gave {
		return true
	}
	last := s.Slots[string(kind)].Last
	return last != nil && last.Result == evidence.Unknown && last.By.Agent == c.agent()
}

// unreadable sends a malformed verdict back once; the second time it is recorded
// as unknown, which opens nothing.
func (c *call) unreadable(ctx context.Context, d *delivery, kind evidence.Kind, why error) (reply, error) {
	if !d.state.Agents[c.p.AgentID].Sent {
		_, err := d.engine.DoFor(ctx, "sent-back", causeVerdict, c.by(), func(w *decide.Draft) error {
			return w.SentBack(c.p.AgentID, clip(why.Error(), maxAbout))
		})
		if err != nil {
			return reply{}, errors.Join(why, err)
		}
		return block(fmt.Sprintf("asterweave: the verdict cannot be used: %s\nEnd your message with one fenced json block that puts this right, and nothing behind it.", why)), nil
	}
	return c.worthless(ctx, d, kind, why.Error())
}

// worthless records that a reviewer gave nothing that opens a gate.
func (c *call) worthless(ctx context.Context, d *delivery, kind evidence.Kind, why string) (reply, error) {
	r, err := d.engine.Record(ctx, c.by(), document.RecordInput{
		Kind: string(kind), Result: string(evidence.Unknown), Summary: "the reviewer gave no verdict that can be used", Because: clip(why, maxAbout),
	})
	if err != nil {
		return reply{}, err
	}
	return notice(recorded(r)), nil
}

func recorded(r evidence.Record) string {
	text := fmt.Sprintf("asterweave: %s %s: %s", r.ID, r.Kind, r.Result)
	if r.Because != "" {
		text += " (" + clip(line(r.Because), maxLine) + ")"
	}
	return text
}
