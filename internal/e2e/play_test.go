//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/asterweave/asterweave/internal/messages"
)

// play makes the calls of steps. Where a human speaks, the turn ends and play goes on
// at their next prompt; the first human's step is the one that began the conversation.
func (m *worker) play(steps []json.RawMessage) {
	m.w.t.Helper()
	m.run(steps, false)
}

// playOn is play in a conversation that has begun.
func (m *worker) playOn(steps []json.RawMessage) {
	m.w.t.Helper()
	m.run(steps, true)
}

func (m *worker) run(steps []json.RawMessage, begun bool) {
	m.w.t.Helper()
	var reviews []step // that follow each other, and are made side by side
	for i, raw := range steps {
		s, err := m.w.resolve(raw)
		if err != nil {
			m.fail("step %d: %v", i+1, err)
		}
		if s.Do != "review" && reviews != nil {
			m.reviewed(reviews)
			reviews = nil
		}
		switch {
		case s.Do == "review":
			reviews = append(reviews, s)
		case s.Do != "human":
			m.step(i+1, s)
		case !begun:
			begun = true
		case m.asks:
			m.Use(question("Shall I go on?", "Yes", "No"))
		default:
			m.Say("This waits for a person.")
		}
	}
	if reviews != nil {
		m.reviewed(reviews)
	}
}

func (m *worker) step(n int, s step) {
	m.w.t.Helper()
	switch s.Do {
	case "session": // the client's own
	case "submit":
		m.expect(n, s, m.state(s.Body, "submit", s.Node, "-"))
	case "put":
		m.expect(n, s, m.state(s.Body, s.Document, "put", "-"))
	case "run":
		m.expect(n, s, m.state(nil, flags([]string{"run"}, "--gate", s.Gate, "--at", s.At, "--kind", s.Kind)...))
	case "ask":
		m.expect(n, s, m.state(nil, flags([]string{"ask"}, "--kind", s.Kind, "--question", s.Question, "--tried", s.Tried)...))
	case "enter":
		m.expect(n, s, m.state(nil, flags([]string{"enter", s.Node}, "--hypothesis", s.Hypothesis)...))
	case "complete":
		m.expect(n, s, m.state(nil, flags([]string{"complete", s.Node, s.Outcome}, "--reason", s.Reason)...))
	case "read":
		m.expect(n, s, m.state(nil, "read", s.What))
	case "intend":
		var body string
		if err := json.Unmarshal(s.Body, &body); err != nil {
			m.fail("step %d: %v", n, err)
		}
		intend := []string{"intend", s.What, "--title", s.Title, "--body", body}
		if body == "-" { // the report's own
			m.expect(n, s, m.answers(commandLine([]string{"asterweave-state", "report", "--format", "pr-body"})+" | "+stateCommand(intend)))
			return
		}
		m.expect(n, s, m.state(nil, intend...))
	case "state":
		command := commandLine(append([]string{"asterweave-state"}, s.Args...))
		if s.Save != "" {
			command += " > " + commandLine([]string{filepath.Join(m.w.scratch, s.Save)})
		}
		m.shell(n, command)
	case "git":
		m.shell(n, commandLine(append([]string{"git"}, s.Args...)))
	case "copy":
		if s.As == "" {
			m.copy(s.From)
			return
		}
		m.crew.send(s.As, m.crew.copies(s.From))
		m.delegate(s.As, "Write the files of "+s.From+".")
	default:
		m.fail("step %d: %q is nothing that this model can do", n, s.Do)
	}
}

// reviewed sends the reviewers off together.
func (m *worker) reviewed(reviews []step) {
	m.w.t.Helper()
	var uses []messages.ToolUse
	for _, s := range reviews {
		m.crew.send(s.Agent, func(sub *worker) { sub.review(s.Kind, s.Verdict) })
		uses = append(uses, delegation(s.Agent, m.state(nil, "next", "--agent", s.Agent).Next.Prompt))
	}
	for i, res := range m.Use(uses...) {
		if res.Error {
			m.fail("%s: %s", reviews[i].Agent, res.Text)
		}
	}
}

func (m *worker) shell(n int, command string) {
	m.w.t.Helper()
	if res := m.bash(command); res.Error {
		m.fail("step %d: %s: %s", n, command, res.Text)
	}
}

// expect compares an answer with what the step expects.
func (m *worker) expect(n int, s step, a answer) {
	m.w.t.Helper()
	got := a.Evidence.Result
	switch {
	case !a.OK:
		m.fail("step %d, %s %s: refused: %s: %s", n, s.Do, s.Node, a.Error.Code, a.Error.Message)
	case s.Expect == "" && (got == "" || got == "pass" || got == "info"), s.Expect == got:
	default:
		m.fail("step %d, %s %s%s: %q, want %q: %s (%s)", n, s.Do, s.Gate, s.Kind, got, s.Expect, a.Evidence.Summary, a.Evidence.Because)
	}
}

// placeholder stands for what is known only while the script is played.
var placeholder = regexp.MustCompile(`\{\{([a-z-]+)(?: ([^{}"\\]*))?\}\}`)

// resolve reads a step with its placeholders replaced.
func (w *world) resolve(raw json.RawMessage) (step, error) {
	var s step
	text := string(raw)
	if found := placeholder.FindAllStringSubmatch(text, -1); found != nil {
		now, err := w.status()
		if err != nil && !strings.Contains(text, "{{value goal}}") {
			return s, err
		}
		for _, f := range found {
			value := ""
			switch f[1] {
			case "value":
				value = w.goal
			case "scratch":
				value = w.scratch
			case "criterion":
				value = now.criterion(f[2])
			case "evidence":
				value = now.need(f[2]).Evidence
			case "digest":
				value = now.ask(f[2]).Digest
			case "ask":
				value = now.ask(f[2]).ID
			}
			if value == "" {
				return s, fmt.Errorf("%s stands for nothing now", f[0])
			}
			quoted, err := json.Marshal(value)
			if err != nil {
				return s, err
			}
			text = strings.ReplaceAll(text, f[0], string(quoted[1:len(quoted)-1]))
		}
	}
	return s, json.Unmarshal([]byte(text), &s)
}

// flags appends the flags that have a value to args.
func flags(args []string, pairs ...string) []string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			args = append(args, pairs[i], pairs[i+1])
		}
	}
	return args
}
