package client

import (
	"encoding/json"
	"strings"
)

// Event is one line that the client printed.
type Event struct {
	Type    string          `json:"type"` // system, assistant, user, result, control_request, …
	Subtype string          `json:"subtype"`
	Raw     json.RawMessage `json:"-"`
}

// Init is the client's own account of what it loaded.
type Init struct {
	Session string `json:"session_id"`
	Cwd     string `json:"cwd"`
	Model   string `json:"model"`
	Plugins []struct {
		Name string `json:"name"`
		Path string `json:"path"`
	} `json:"plugins"`
	Commands []string `json:"slash_commands"`
	Agents   []string `json:"agents"`
	Tools    []string `json:"tools"`
}

// Result is how a prompt ended. A prompt that a hook refused, or an unknown command,
// is no error for the client: Text says it.
type Result struct {
	Subtype string `json:"subtype"`
	Error   bool   `json:"is_error"`
	Text    string `json:"result"`
	Turns   int    `json:"num_turns"`
	Session string `json:"session_id"`
	Denials []struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"tool_input"`
	} `json:"permission_denials"`
}

// Transcript is what a client printed, line by line.
type Transcript []Event

// Init returns the newest account of what was loaded.
func (t Transcript) Init() (Init, bool) {
	var out Init
	found := false
	for _, e := range t {
		if e.Type == "system" && e.Subtype == "init" {
			out = Init{}
			found = json.Unmarshal(e.Raw, &out) == nil
		}
	}
	return out, found
}

// Results returns how the prompts ended.
func (t Transcript) Results() []Result {
	var out []Result
	for _, e := range t {
		var r Result
		if e.Type == "result" && json.Unmarshal(e.Raw, &r) == nil {
			out = append(out, r)
		}
	}
	return out
}

// Uses returns the tool calls of the conversation and its subagents.
func (t Transcript) Uses() []Use {
	var out []Use
	for _, e := range t {
		var m struct {
			Parent  string `json:"parent_tool_use_id"`
			Message struct {
				Content []struct {
					Type  string          `json:"type"`
					ID    string          `json:"id"`
					Name  string          `json:"name"`
					Input json.RawMessage `json:"input"`
				} `json:"content"`
			} `json:"message"`
		}
		if e.Type != "assistant" || json.Unmarshal(e.Raw, &m) != nil {
			continue
		}
		for _, b := range m.Message.Content {
			if b.Type == "tool_use" {
				out = append(out, Use{ID: b.ID, Name: b.Name, Input: b.Input, Parent: m.Parent})
			}
		}
	}
	return out
}

// Use is a tool call. Parent is the call of the Agent tool that it was made in.
type Use struct {
	ID     string
	Name   string
	Input  json.RawMessage
	Parent string
}

func (t Transcript) String() string {
	var b strings.Builder
	for _, e := range t {
		b.Write(e.Raw)
		b.WriteByte('\n')
	}
	return b.String()
}
