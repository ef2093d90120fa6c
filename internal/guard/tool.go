package guard

import (
	"encoding/json"
	"strings"
)

// Judges reports whether the guard can have an opinion on calls of a tool. What a
// Situation holds has to be read for those alone.
func Judges(name string) bool {
	switch name {
	case "Bash", "Monitor", "PowerShell", "Write", "Edit", "MultiEdit", "NotebookEdit", "Agent", "Task", "EnterWorktree",
		"CronCreate", "ScheduleWakeup", "RemoteTrigger", "SendMessage", "Skill", "SlashCommand":
		return true
	}
	return strings.HasPrefix(name, "mcp__")
}

// Tool judges a call of one of the client's tools by its name and its input, which is
// one JSON object. Shell commands and files in it are judged as Shell and Write do.
func (s Situation) Tool(name string, input json.RawMessage) Verdict {
	if !Judges(name) {
		return Verdict{}
	}
	var in map[string]any
	if len(input) > 0 && json.Unmarshal(input, &in) != nil {
		return s.settle(unresolved("the input of " + clip(name)))
	}
	return s.settle(s.tool(name, in))
}

func (s Situation) tool(name string, in map[string]any) Verdict {
	str := func(key string) string {
		v, _ := in[key].(string)
		return v
	}
	switch name {
	case "Bash", "Monitor":
		if c := str("command"); c != "" || name == "Bash" {
			return s.Shell(c)
		}
	case "PowerShell":
		if c := str("command"); namesGuarded(c) || namesProtected(c) {
			return deny(RuleInline, "a command of another shell names Git, a provider, the delivery or the client", "use the ordinary shell, whose words can be read")
		}
	case "Write", "Edit", "MultiEdit":
		return s.Write(name, str("file_path"))
	case "NotebookEdit":
		return s.Write(name, str("notebook_path"))
	case "Agent", "Task":
		return s.agentCall(str("isolation"))
	case "EnterWorktree":
		return deny(RuleWorktree, "a delivery has one worktree while it is open", "work in the worktree of the delivery")
	case "CronCreate", "ScheduleWakeup", "RemoteTrigger":
		return deny(RuleAgents, "a scheduled prompt looks like a person's word", "go on now, or end the turn; the delivery waits in its state")
	case "SendMessage":
		for _, v := range in {
			if t, ok := v.(string); ok && humanCommand(t) {
				return deny(RuleHuman, "the message holds a person's command", "a person types it in the client")
			}
		}
	case "Skill", "SlashCommand":
		for _, k := range []string{"skill", "command", "name"} {
			if humanCommand("/" + strings.TrimPrefix(str(k), "/")) {
				return deny(RuleHuman, "this command is a person's word", "a person types it in the client; asterweave-state inbox shows what waits for them")
			}
		}
	default:
		if strings.HasPrefix(name, "mcp__") {
			return s.mcp(name, in)
		}
	}
	return Verdict{}
}

func (s Situation) agentCall(isolation string) Verdict {
	if isolation != "" && isolation != "none" {
		return deny(RuleWorktree, "an agent in a worktree of its own works on another tree than the delivery", "delegate without isolation")
	}
	return Verdict{}
}

// humanCommand reports whether a text calls one of the commands that carry a person's word.
func humanCommand(text string) bool {
	text = strings.ToLower(text)
	for _, v := range []string{"approve", "reject", "reply", "steer", "resume", "abort"} {
		if strings.Contains(text, "/asterweave:"+v) {
			return true
		}
	}
	return false
}
