package messages

import (
	"slices"
	"strings"
)

// Model decides what is said in answer to a request. Turn is called for turns of the
// conversation and of subagents alone, from several goroutines when agents work side
// by side.
type Model interface {
	Turn(r Request) Reply
}

// Kind is what a client wants from a request.
type Kind string

// Kinds of requests.
const (
	Main       Kind = "main"       // a turn of the conversation
	Subagent   Kind = "subagent"   // a turn of an agent that works for it
	Compact    Kind = "compact"    // the summary that takes the place of the conversation
	Title      Kind = "title"      // a name for the session
	Classifier Kind = "classifier" // whether a tool call may run without a question
)

// Request is one request, as a model sees it.
type Request struct {
	Kind     Kind
	Session  string // the client's id of the session
	Agent    string // id of the subagent, "" in the conversation itself
	Model    string // the name that the client asks for
	System   string
	Tools    []string // names
	Messages []Message
}

// Message is what one side said.
type Message struct {
	Role    string // user, assistant, system
	Text    string // of all its text blocks
	Uses    []ToolUse
	Results []ToolResult
}

// ToolUse is a call of one of the client's tools.
type ToolUse struct {
	ID    string // the server gives one where it is missing
	Name  string
	Input any // marshals to a JSON object
}

// ToolResult is what came of a call.
type ToolResult struct {
	ID    string // of the call
	Text  string
	Error bool
}

// Reply is what the model says: a text, and tools to be used. A reply without tools
// ends the turn.
type Reply struct {
	Text string
	Uses []ToolUse
}

// Text returns the conversation as text, what the system says included.
func (r Request) Text() string {
	var b strings.Builder
	b.WriteString(r.System)
	for _, m := range r.Messages {
		b.WriteString("\n" + m.Role + ": " + m.Text)
		for _, res := range m.Results {
			b.WriteString("\n" + res.Text)
		}
	}
	return b.String()
}

// Prompt returns the text of the newest message of the user.
func (r Request) Prompt() string {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == "user" {
			return m.Text
		}
	}
	return ""
}

// Result returns what came of a call, false when the request does not say it.
func (r Request) Result(id string) (ToolResult, bool) {
	for _, m := range slices.Backward(r.Messages) {
		for _, res := range m.Results {
			if res.ID == id {
				return res, true
			}
		}
	}
	return ToolResult{}, false
}
