package hook

import (
	"context"
)

// Names of events, as the programs take them. The client's own names (PreToolUse)
// are taken as well.
const (
	SessionStart    = "session-start"
	SessionEnd      = "session-end"
	PromptSubmit    = "user-prompt-submit"
	PromptExpansion = "user-prompt-expansion"
	PreTool         = "pre-tool-use"
	PostTool        = "post-tool-use"
	PostToolFailure = "post-tool-use-failure"
	SubagentStop    = "subagent-stop"
	PreCompact      = "pre-compact"
	Stop            = "stop"
)

// burden is what an event carries; it decides what happens when it fails.
type burden int

const (
	nothing  burden = iota // it observes: a failure is a line on stderr
	word                   // a human's word: a failure refuses it and says so
	verdict                // a reviewer's verdict: a failure tells the reviewer once
	decision               // what an agent may do: a failure asks the human while a delivery is open
)

// policy is how an event is treated.
type policy struct {
	kebab   string
	name    string // the client's
	carries burden
	answer  func(*call, context.Context) (reply, error)
}

// policyOf returns the policy of an event; events without one are answered with nothing.
func policyOf(event string) (policy, bool) {
	for _, p := range policies() {
		if event == p.kebab || event == p.name {
			return p, true
		}
	}
	return policy{}, false
}

func policies() []policy {
	return []policy{
		{PreTool, "PreToolUse", decision, (*call).preTool},
		{PostTool, "PostToolUse", nothing, (*call).postTool},
		{PostToolFailure, "PostToolUseFailure", nothing, (*call).postTool},
		{PromptExpansion, "UserPromptExpansion", word, (*call).expansion},
		{SubagentStop, "SubagentStop", verdict, (*call).subagentStop},
		{PromptSubmit, "UserPromptSubmit", nothing, (*call).heard},
		{SessionStart, "SessionStart", nothing, (*call).sessionStart},
		{SessionEnd, "SessionEnd", nothing, (*call).sessionEnd},
		{PreCompact, "PreCompact", nothing, (*call).preCompact},
		{Stop, "Stop", nothing, (*call).stop},
	}
}

// same reports whether a payload that names an event belongs to the policy. A tool
// call that failed is taken where one that ended is.
func (p policy) same(name string) bool {
	return name == "" || name == p.name || p.kebab == PostTool && name == "PostToolUseFailure"
}

// Events returns the names of the events that are answered, as the program takes them.
func Events() []string {
	var out []string
	for _, p := range policies() {
		out = append(out, p.kebab)
	}
	return out
}
