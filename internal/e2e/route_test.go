//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/messages"
)

// houseAgent is an agent of the repository's own.
const houseAgent = `---
name: house-implementer
description: Use when code of this repository is to be changed.
tools: Read, Edit, Write
---
You write code as this house does. Change what the task names, and end with one sentence about it.
`

// A repository sends a node to an agent of its own. The model is told which, delegates
// with the text that it was given, and the delivery goes on with what that agent wrote.
func TestRouteToProjectAgent(t *testing.T) {
	t.Parallel()
	all := pages().script(t)
	before := until(t, all, `"do": "copy"`)
	rest := until(t, all, `"at": "base"`)[len(before)+1:]
	var told, sent string
	c := newCrew(t, pages(), func(m *worker) {
		m.play(before)
		told = m.state(nil, "next").Next.Prompt
		res := m.Use(messages.ToolUse{Name: "Agent", Input: map[string]any{"description": "the change", "prompt": told, "subagent_type": "house-implementer"}})[0]
		if res.Error {
			m.fail("the project's agent: %s", res.Text)
		}
		m.playOn(rest)
		m.tryState("ask", "--kind", "decision", "--question", "is this the house's way?") // ends the turn
		m.End("The tests pass.")
	})
	c.project = map[string]string{"house-implementer": "You write code as this house does."}
	c.send("house-implementer", func(m *worker) {
		sent = m.Request().Prompt()
		m.copy("change")
		m.End("Count rounds up.")
	})
	w := c.w
	w.commit(map[string]string{
		".claude/agents/house-implementer.md": houseAgent,
		".claude/asterweave.json":             string(marshal(t, map[string]any{"version": 1, "routes": map[string]any{"implement": map[string]any{"agent": "house-implementer"}}})),
	})
	s := w.session()
	w.human(s, before)
	if got := w.mustStatus(); got.Delivery.Node != "test" || got.need("unit").State != "current" {
		t.Fatalf("the delivery is at %s with %+v: %s", got.Delivery.Node, got.need("unit"), got.Delivery.Reason)
	}
	if want := "start the repository's agent house-implementer (subagent_type house-implementer)"; !strings.Contains(told, want) {
		t.Errorf("the model was not told %q:\n%s", want, told)
	}
	if !strings.Contains(sent, strings.TrimSpace(told)) {
		t.Errorf("the agent was sent %q", sent)
	}
	wrote := map[string]bool{}
	for _, change := range w.changes() {
		if change.Tool != nil && change.Tool.Wrote {
			wrote[change.Tool.AgentType] = true
		}
	}
	if len(wrote) != 1 || !wrote["house-implementer"] {
		t.Errorf("the files were written by %v", wrote)
	}
}

// commit puts files on the base.
func (w *world) commit(files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		path := filepath.Join(w.root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			w.t.Fatal(err)
		}
		w.git(w.root, "add", name)
	}
	w.git(w.root, "commit", "--quiet", "--message=What the repository brings")
	w.git(w.root, "push", "--quiet", "origin", "main")
}
