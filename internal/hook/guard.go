package hook

import (
	"encoding/json"
	"strings"

	"github.com/asterweave/asterweave/internal/guard"
	"github.com/asterweave/asterweave/internal/sentry"
)

// judged lets the guard judge a tool call while a delivery is open. It starts no
// process: what the guard would have to ask Git is read from files, or not known.
func (c *call) judged(d *delivery) (reply, error) {
	if !guard.Judges(c.p.Tool) {
		return reply{}, nil
	}
	s, err := c.situation(d)
	if err != nil {
		return reply{}, err
	}
	v := s.Tool(c.p.Tool, c.p.ToolInput)
	why := "asterweave: " + v.Reason
	if v.Hint != "" {
		why += "; " + v.Hint
	}
	switch v.Decision {
	case guard.Deny:
		return c.permission("deny", why), nil
	case guard.Ask:
		return c.permission("ask", why), nil
	case guard.Allow:
		r := c.permission("allow", "")
		if v.Rewrite != "" {
			r.Specific.UpdatedInput = rewritten(c.p.ToolInput, v.Rewrite)
		}
		return r, nil
	}
	return reply{}, nil
}

// afterwards allows what looks at a delivery that is over: nothing is judged any more,
// and its status and report are asked for then most of all.
func (c *call) afterwards() reply {
	if c.p.Tool != "Bash" || !strings.Contains(string(c.p.ToolInput), "asterweave-state") {
		return reply{}
	}
	for _, root := range c.roots() {
		e, err := c.open(root)
		if err != nil || !e.Exists() {
			continue
		}
		s := sentry.Place(e, sentry.Call{Cwd: c.p.Cwd, Home: c.deps.getenv("HOME"), Attended: true, Now: c.deps.Now()})
		s.Ended = true
		if s.Tool(c.p.Tool, c.p.ToolInput).Decision == guard.Allow {
			return c.permission("allow", "")
		}
	}
	return reply{}
}

// permission is a decision about the tool call.
func (c *call) permission(decision, why string) reply {
	return reply{Specific: &specific{Event: c.event, Decision: decision, DecisionReason: why}}
}

// rewritten is the input of a shell call with another command.
func rewritten(input json.RawMessage, command string) any {
	in := map[string]any{}
	if json.Unmarshal(input, &in) != nil {
		in = map[string]any{}
	}
	in["command"] = command
	return in
}

// situation is what the guard has to know of the delivery and the call.
func (c *call) situation(d *delivery) (guard.Situation, error) {
	s, err := sentry.Situation(d.engine, d.state, sentry.Call{
		Cwd: c.p.Cwd, Home: c.deps.getenv("HOME"), AgentType: role(c.p.AgentType), Attended: c.p.Mode != "dontAsk", Now: c.deps.Now(),
		Programs: c.programs(), Transcripts: c.transcripts(),
	})
	if err == nil && strings.Contains(string(c.p.ToolInput), "git") {
		s.Aliases = c.aliases(s.GitDir, s.CommonDir)
	}
	return s, err
}
