package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/asterweave/asterweave/internal/problem"
)

// maxPayload bounds what is read of a payload, in bytes. A written file comes
// several times in the payload of its tool call.
const maxPayload = 64 << 20

// payload holds the fields of the client's events that are used here. Fields that
// are not known are left alone: the client adds some with each version.
type payload struct {
	Session    string `json:"session_id"`
	Cwd        string `json:"cwd"`
	Event      string `json:"hook_event_name"`
	AgentID    string `json:"agent_id"`        // only inside a subagent
	Transcript string `json:"transcript_path"` // of the session
	AgentType  string `json:"agent_type"`
	Mode       string `json:"permission_mode"`

	// UserPromptExpansion
	Prompt        string `json:"prompt"`
	ExpansionType string `json:"expansion_type"`
	CommandName   string `json:"command_name"`
	CommandArgs   string `json:"command_args"`
	CommandSource string `json:"command_source"`

	// PreToolUse, PostToolUse, PostToolUseFailure
	Tool         string          `json:"tool_name"`
	ToolInput    json.RawMessage `json:"tool_input"`
	ToolResponse json.RawMessage `json:"tool_response"`
	DurationMs   float64         `json:"duration_ms"`

	// Stop, SubagentStop
	Background []struct {
		Status string `json:"status"`
	} `json:"background_tasks"`
	StopActive  bool   `json:"stop_hook_active"`
	LastMessage string `json:"last_assistant_message"`

	AgentTranscript string `json:"agent_transcript_path"`
}

// readPayload reads one JSON object and checks that it is of the policy's event.
func readPayload(in io.Reader, p policy) (payload, error) {
	var out payload
	data, err := io.ReadAll(io.LimitReader(in, maxPayload+1))
	if err != nil {
		return out, fmt.Errorf("read the payload: %w", err)
	}
	if len(data) > maxPayload {
		return out, malformed(fmt.Errorf("it is longer than %d bytes", maxPayload))
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return payload{}, malformed(err)
	}
	if out.Event == "" && out.Session == "" && out.Cwd == "" {
		return payload{}, malformed(errors.New("it names no event, session or folder"))
	}
	if !p.same(out.Event) {
		return payload{}, malformed(fmt.Errorf("it is of the event %q", out.Event))
	}
	return out, nil
}

func malformed(err error) error {
	return problem.Wrap(problem.Invalid, fmt.Errorf("the payload cannot be used: %w", err), "one JSON object of this event is due on standard input")
}
