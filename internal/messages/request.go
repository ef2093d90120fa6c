package messages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Headers by which a client says where a request comes from.
const (
	headerSession = "X-Claude-Code-Session-Id"
	headerAgent   = "X-Claude-Code-Agent-Id"
)

// Texts by which requests are told apart that no header tells.
const (
	signCompact    = "Your task is to create a detailed summary"
	signTitle      = "Generate a concise, sentence-case title"
	signClassifier = "You are a security monitor for autonomous AI coding agents"
)

// wireRequest is the body of a request.
type wireRequest struct {
	Model    string   `json:"model"`
	Stream   bool     `json:"stream"`
	System   wireText `json:"system"`
	Messages []struct {
		Role    string   `json:"role"`
		Content wireText `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

// wireText is a content: a string, or a list of blocks.
type wireText []wireBlock

type wireBlock struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`

	ToolUseID string   `json:"tool_use_id"`
	Content   wireText `json:"content"`
	IsError   bool     `json:"is_error"`
}

// UnmarshalJSON reads either form.
func (w *wireText) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte(`"`)) {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		*w = wireText{{Type: "text", Text: text}}
		return nil
	}
	var blocks []wireBlock
	if err := json.Unmarshal(data, &blocks); err != nil {
		return err
	}
	*w = blocks
	return nil
}

func (w wireText) text() string {
	var parts []string
	for _, b := range w {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// readRequest reads a body, and says what is wrong with one that no client sends.
func readRequest(header http.Header, body []byte) (Request, bool, error) {
	var w wireRequest
	if err := json.Unmarshal(body, &w); err != nil {
		return Request{}, false, fmt.Errorf("the body is no request: %w", err)
	}
	r := Request{
		Session: header.Get(headerSession), Agent: header.Get(headerAgent), Model: w.Model, System: w.System.text(),
	}
	for _, t := range w.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	for _, m := range w.Messages {
		out := Message{Role: m.Role, Text: m.Content.text()}
		for _, b := range m.Content {
			switch b.Type {
			case "tool_use":
				out.Uses = append(out.Uses, ToolUse{ID: b.ID, Name: b.Name, Input: b.Input})
			case "tool_result":
				out.Results = append(out.Results, ToolResult{ID: b.ToolUseID, Text: b.Content.text(), Error: b.IsError})
			}
		}
		r.Messages = append(r.Messages, out)
	}
	if len(r.Messages) == 0 {
		return Request{}, false, errors.New("messages: at least one is due")
	}
	r.Kind = r.kind()
	return r, w.Stream, nil
}

func (r Request) kind() Kind {
	switch {
	case r.Agent != "":
		return Subagent
	case strings.Contains(r.Prompt(), signCompact):
		return Compact
	case strings.Contains(r.System, signTitle):
		return Title
	case strings.Contains(r.System, signClassifier):
		return Classifier
	}
	return Main
}
