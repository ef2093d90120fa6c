package scripted

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// payload is what a client writes to a hook, one JSON object a line. Fields that an
// event does not have are left out.
type payload struct {
	SessionID      string `json:"session_id"`
	TranscriptPath string `json:"transcript_path"`
	Cwd            string `json:"cwd"`
	PromptID       string `json:"prompt_id,omitempty"`
	PermissionMode string `json:"permission_mode,omitempty"`
	AgentID        string `json:"agent_id,omitempty"`
	AgentType      string `json:"agent_type,omitempty"`
	Effort         any    `json:"effort,omitempty"`
	HookEventName  string `json:"hook_event_name"`

	Source string `json:"source,omitempty"` // SessionStart
	Model  string `json:"model,omitempty"`

	ExpansionType string `json:"expansion_type,omitempty"` // UserPromptExpansion
	CommandName   string `json:"command_name,omitempty"`
	CommandArgs   string `json:"command_args,omitempty"`
	CommandSource string `json:"command_source,omitempty"`
	Prompt        string `json:"prompt,omitempty"`

	ToolName     string `json:"tool_name,omitempty"` // PostToolUse, PostToolUseFailure
	ToolInput    any    `json:"tool_input,omitempty"`
	ToolResponse any    `json:"tool_response,omitempty"`
	ToolUseID    string `json:"tool_use_id,omitempty"`
	DurationMs   *int64 `json:"duration_ms,omitempty"`
	Error        string `json:"error,omitempty"`
	IsInterrupt  *bool  `json:"is_interrupt,omitempty"`

	StopHookActive       *bool    `json:"stop_hook_active,omitempty"` // SubagentStop
	AgentTranscriptPath  string   `json:"agent_transcript_path,omitempty"`
	LastAssistantMessage string   `json:"last_assistant_message,omitempty"`
	BackgroundTasks      []string `json:"background_tasks,omitzero"`
	SessionCrons         []string `json:"session_crons,omitzero"`
}

// agent is a context that works for the conversation; the zero agent is the
// conversation itself.
type agent struct {
	id  string
	typ string
}

// hookAnswer is what the player reads of a hook's standard output.
type hookAnswer struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	Continue *bool  `json:"continue"`
}

// statusBlock is the exit status by which a hook refuses.
const statusBlock = 2

// base returns what all payloads of this session have.
func (p *Player) base(event string, by agent) payload {
	folder := filepath.Join(p.o.Scratch, "transcripts")
	return payload{
		SessionID: p.session, TranscriptPath: filepath.Join(folder, p.session+".jsonl"), Cwd: p.o.Root, PromptID: p.prompt,
		AgentID: by.id, AgentType: by.typ, HookEventName: event,
	}
}

// deliver hands an event to asterweave-hook. The error is a [RefusedError] when
// the hook refuses what happened.
func (p *Player) deliver(ctx context.Context, name string, event payload, set ...string) error {
	data, err := json.Marshal(event)
	if err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	out, err := p.run(ctx, child{program: p.o.Hook, args: []string{name}, stdin: append(data, '\n'), env: append(p.hookEnv(), set...)})
	if err != nil {
		return err
	}
	var a hookAnswer
	if text := bytes.TrimSpace(out.stdout); bytes.HasPrefix(text, []byte("{")) {
		if err := json.Unmarshal(text, &a); err != nil {
			return out.failure("the answer starts like JSON and is none")
		}
	}
	switch {
	case a.Decision == "block" || a.Continue != nil && !*a.Continue:
		return &RefusedError{Err: errors.New(a.Reason)}
	case out.exit == statusBlock:
		return &RefusedError{Err: out.failure("the hook refuses it")}
	case out.exit != 0:
		return out.failure("the hook failed")
	}
	return nil
}

// RefusedError is a call or a word that Asterweave refused.
type RefusedError struct{ Err error }

func (e *RefusedError) Error() string { return "refused: " + e.Err.Error() }

// Unwrap returns what was said to it.
func (e *RefusedError) Unwrap() error { return e.Err }

// sessionStart opens the harness's session; what the hook leaves comes before each
// command of the agents from then on.
func (p *Player) sessionStart(ctx context.Context, source string) error {
	event := p.base("SessionStart", agent{})
	event.Source, event.Model = source, "recorded-decisions"
	file := filepath.Join(p.o.Scratch, "session-"+p.session+".env")
	if err := p.deliver(ctx, "session-start", event, envFile+"="+file); err != nil {
		return err
	}
	p.exports = file
	return nil
}

// typed delivers what a person typed: a slash command.
func (p *Player) typed(ctx context.Context, name, args string) error {
	p.prompt = newID(16)
	event := p.base("UserPromptExpansion", agent{})
	event.PermissionMode, event.ExpansionType, event.CommandSource = "default", "slash_command", "plugin"
	event.CommandName, event.CommandArgs = name, args
	event.Prompt = strings.TrimSpace("/" + name + " " + args)
	return p.deliver(ctx, "user-prompt-expansion", event)
}

// used delivers a tool call that was made.
func (p *Player) used(ctx context.Context, by agent, tool string, input, response any) error {
	event := p.tool("PostToolUse", by, tool, input)
	event.ToolResponse = response
	return p.deliver(ctx, "post-tool-use", event)
}

// failed delivers a tool call that failed.
func (p *Player) failed(ctx context.Context, by agent, tool string, input any, text string) error {
	event := p.tool("PostToolUseFailure", by, tool, input)
	event.Error, event.IsInterrupt = text, new(bool)
	return p.deliver(ctx, "post-tool-use-failure", event)
}

func (p *Player) tool(name string, by agent, tool string, input any) payload {
	p.tools++
	event := p.base(name, by)
	event.PermissionMode, event.Effort = "default", map[string]string{"level": "high"}
	event.ToolName, event.ToolInput, event.ToolUseID = tool, input, fmt.Sprintf("toolu_scripted%06d", p.tools)
	event.DurationMs = new(int64)
	return event
}

// stopped delivers an agent's last message.
func (p *Player) stopped(ctx context.Context, by agent, message string) error {
	event := p.base("SubagentStop", by)
	event.PermissionMode, event.Effort = "default", map[string]string{"level": "high"}
	event.StopHookActive, event.BackgroundTasks, event.SessionCrons = new(bool), []string{}, []string{}
	event.AgentTranscriptPath = p.transcript(by)
	event.LastAssistantMessage = message
	return p.deliver(ctx, "subagent-stop", event)
}

// transcript is where the harness keeps what an agent heard and said.
func (p *Player) transcript(by agent) string {
	return filepath.Join(p.o.Scratch, "transcripts", p.session, "subagents", "agent-"+by.id+".jsonl")
}

// told writes the beginning of an agent's transcript: the prompt that it was started
// with, which is the last delegation that was fetched.
func (p *Player) told(by agent) error {
	line, err := json.Marshal(map[string]any{"type": "user", "message": map[string]string{"role": "user", "content": p.given}})
	if err != nil {
		return err
	}
	path := p.transcript(by)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, append(line, '\n'), 0o600)
}

// newAgent returns a context of its own for an agent of the plugin.
func newAgent(name string) agent { return agent{id: "a" + newID(8), typ: "asterweave:" + name} }

// newID returns n random bytes in hex.
func newID(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
