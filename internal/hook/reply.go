package hook

import (
	"encoding/json"
	"fmt"
	"io"
)

// reply is an answer to the client; the zero reply answers nothing.
type reply struct {
	Decision      string    `json:"decision,omitempty"` // "block"
	Reason        string    `json:"reason,omitempty"`
	SystemMessage string    `json:"systemMessage,omitempty"` // shown to the user alone
	Specific      *specific `json:"hookSpecificOutput,omitempty"`

	plain string // instead of JSON, where the client takes text alone
}

// specific is what the client reads by event.
type specific struct {
	Event        string `json:"hookEventName"`
	Context      string `json:"additionalContext,omitempty"`
	UpdatedInput any    `json:"updatedInput,omitempty"`

	Decision       string `json:"permissionDecision,omitempty"` // allow, ask, deny
	DecisionReason string `json:"permissionDecisionReason,omitempty"`
}

func block(reason string) reply { return reply{Decision: "block", Reason: reason} }

func notice(text string) reply { return reply{SystemMessage: text} }

// context puts a text into the conversation.
func (c *call) context(text string) reply {
	return reply{Specific: &specific{Event: c.event, Context: text}}
}

func (r reply) write(w io.Writer) error {
	if r == (reply{}) {
		return nil
	}
	if r.plain != "" {
		_, err := io.WriteString(w, r.plain)
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}
