package hook

import (
	"strings"

	"github.com/asterweave/asterweave/internal/problem"
)

// marker is the variable that the session's start puts into the agent's shell.
const marker = "ASTERWEAVE_AGENT"

// plugin is the name that the client knows the plugin by.
const plugin = "asterweave"

// unheard returns why the payload carries no human's word, nil when it may.
func (c *call) unheard() error {
	switch {
	case c.deps.agentShell():
		return problem.New(problem.HumanOnly, "this comes out of an agent's shell and is nobody's word", "a human types it in the client, or in a terminal of their own")
	case c.p.AgentID != "":
		return problem.New(problem.HumanOnly, "this comes from a subagent and is nobody's word", "a human types it in the client")
	case strings.HasPrefix(strings.TrimSpace(c.p.Prompt), "<task-notification>"):
		return problem.New(problem.HumanOnly, "a task notification is nobody's word", "a human types it in the client")
	}
	return nil
}

// foreign returns why an expanded command is not the plugin's own, nil when it is.
func (c *call) foreign() error {
	if c.p.ExpansionType != "slash_command" || c.p.CommandSource != "plugin" {
		return problem.New(problem.HumanOnly, "/"+c.p.CommandName+" is not the plugin's own command and carries nobody's word",
			"the plugin's commands are /asterweave:asterweave, /asterweave:approve and so on")
	}
	return nil
}
