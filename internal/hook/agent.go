package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/asterweave/asterweave/agents"
	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/prompt"
	"github.com/asterweave/asterweave/internal/state"
	"github.com/asterweave/asterweave/rules"
)

// gateNode returns the node in which an agent gives the verdict that opens a gate.
func gateNode(name string) (string, bool) {
	switch name {
	case "staff-reviewer", "security-reviewer":
		return graph.Review, true
	case "verification-engineer":
		return graph.Verify, true
	}
	return "", false
}

// delegated judges the start of an agent. One that gives a verdict starts only where the
// verdict is due, and with the binary's own words: whoever made the change does not tell
// its reviewer what to find. Everything else in the call that could steer the agent (its
// model, a conversation that it goes on with) is left out. Others start as they like: each
// of their calls is judged.
//
// The words need the world, so this reads it with Git, which no other tool call does.
func (c *call) delegated(ctx context.Context, d *delivery) (reply, error) {
	var in struct {
		Type        string `json:"subagent_type"`
		Description string `json:"description"`
	}
	if readable := json.Unmarshal(c.p.ToolInput, &in) == nil; !readable {
		return c.permission("deny", "asterweave: the agent that is to start cannot be read; name it in subagent_type"), nil
	}
	name := role(in.Type)
	node, ok := gateNode(name)
	if !ok {
		return reply{}, nil
	}
	if d.state.Delivery.Status != state.Active || !d.state.Running(node) {
		return c.permission("deny", fmt.Sprintf("asterweave: %s gives its verdict while %s is under way, and the delivery is at %s, %s; %s next says what is due",
			name, node, d.state.Node, d.state.Nodes[d.state.Node].Status, prompt.Program)), nil
	}
	v, err := d.engine.Look(ctx)
	if err != nil {
		return reply{}, err
	}
	if kind, reviewer := reviewKind(plugin + ":" + name); reviewer && slices.Contains(v.State.Reviews[string(kind)].Failed, v.Facts.World.Tree) {
		return c.permission("deny", fmt.Sprintf("asterweave: a failing %s stands for this tree, and another agent's opinion would not count; let implement answer its findings, or ask a human", kind)), nil
	}
	if file := c.impostor(d.root, name); file != "" {
		return c.permission("deny", impostorText(file, name)), nil
	}
	text, ok := prompt.Delegation(v.View, texts(), name)
	if !ok {
		return reply{}, fmt.Errorf("there is no agent %s", name)
	}
	// A verdict counts only from an agent that got these words, so they have to be noted.
	if err := d.engine.Prompted(ctx, c.by(), canon.Hash([]byte(text)), len(text), name); err != nil {
		return reply{}, fmt.Errorf("the prompt was not noted: %w", err)
	}
	return reply{Specific: &specific{Event: c.event, UpdatedInput: map[string]string{
		"subagent_type": plugin + ":" + name, "description": in.Description, "prompt": text,
	}}}, nil
}

// told refuses a message to a reviewer. Which agent has which id is known of those that
// were seen at work; while verdicts are due, a message to any other may be one to a
// reviewer.
func (c *call) told(d *delivery) reply {
	refuse := c.permission("deny", "asterweave: nobody tells a reviewer what to find; its prompt says all that it needs")
	var in map[string]any
	if json.Unmarshal(c.p.ToolInput, &in) != nil {
		return reply{}
	}
	for _, v := range in {
		id, _ := v.(string)
		if _, gate := gateNode(role(d.state.Agents[id].Type)); gate {
			return refuse
		}
	}
	to, _ := in["to"].(string)
	if c.p.AgentID == "" && d.state.Agents[to].Type == "" && (d.state.Running(graph.Review) || d.state.Running(graph.Verify)) {
		return refuse
	}
	return reply{}
}

// texts are the sources that prompts are made of.
func texts() prompt.Texts {
	return prompt.Texts{Agent: agents.Body, Rule: rules.Text, Rules: rules.For}
}
