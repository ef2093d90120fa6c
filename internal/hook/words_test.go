package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/state"
)

func TestGoalStartsADelivery(t *testing.T) {
	w := emptyWorld(t)
	a := w.hook("user-prompt-expansion", w.typed("asterweave:asterweave", "make it faster --auto-pr", nil))
	if a.Specific.Event != "UserPromptExpansion" || !strings.Contains(a.Specific.Context, "intake") {
		t.Fatalf("no first prompt: %+v", a)
	}
	s := w.state()
	if d := s.Delivery; d.Goal != "make it faster" || d.Source != "" || !d.AutoPR || d.GoalBy != "client" {
		t.Errorf("delivery %+v", d)
	}
	if s.Lease == nil || s.Lease.Session != "s1" {
		t.Errorf("lease %+v", s.Lease)
	}
	if got := strings.Join(w.events(0), " "); got != "start lease next" {
		t.Errorf("events %q", got)
	}
}

func TestGoalWhileOneIsOpen(t *testing.T) {
	w := at(t, "intake")
	id := w.state().Delivery.ID
	a := w.hook("UserPromptExpansion", w.typed("asterweave", "another goal", fields{"session_id": "s2"}))
	if !strings.Contains(a.Specific.Context, id) || !strings.Contains(a.Specific.Context, "no new goal") {
		t.Errorf("answer %+v", a)
	}
	if s := w.state(); s.Delivery.ID != id || s.Lease.Session != "s2" {
		t.Errorf("state %+v", s.Delivery)
	}
}

func TestGoalRefusals(t *testing.T) {
	for name, args := range map[string]string{
		"no goal": "", "unknown flag": "--force it", "flag without value": "--source", "flag with a value too many": "--auto-pr=yes x",
		"a work item that cannot be read": "owner/repo#12 make it faster", "another one": "#12",
		"unknown provider": "--provider nowhere x", "unknown base": "--base nowhere x",
	} {
		t.Run(name, func(t *testing.T) {
			w := emptyWorld(t)
			if a := w.hook("user-prompt-expansion", w.typed("asterweave:asterweave", args, nil)); !a.refused() {
				t.Errorf("answer %+v", a)
			}
			if w.engine().Exists() {
				t.Error("a delivery was opened")
			}
		})
	}
	t.Run("no repository", func(t *testing.T) {
		w := emptyWorld(t)
		if a := w.hook("user-prompt-expansion", w.typed("asterweave:asterweave", "x", fields{"cwd": t.TempDir()})); !a.refused() {
			t.Errorf("answer %+v", a)
		}
	})
}

// verbs drives each of the human's verbs at a place where it is legal.
func verbs() []struct{ node, command, args, event string } {
	return []struct{ node, command, args, event string }{
		{"approve", "asterweave:approve", "DIGEST", "approve"},
		{"approve", "asterweave:approve", "SHORT", "approve"},
		{"approve", "asterweave:reject", "cap the budget", "reject"},
		{"intake", "asterweave:steer", "cap the budget", "steer"},
		{"intake", "asterweave:abort", "not needed any more", "abort"},
	}
}

func TestHumanVerbs(t *testing.T) {
	for _, v := range verbs() {
		t.Run(v.command+" "+v.args, func(t *testing.T) {
			w := at(t, v.node)
			n := w.seq()
			a := w.hook("user-prompt-expansion", w.typed(v.command, w.digests(v.args), nil))
			if a.Specific.Context == "" || a.Decision != "" {
				t.Fatalf("answer %+v", a)
			}
			if got := w.events(n); got[0] != v.event {
				t.Errorf("events %q", got)
			}
			if s := w.state(); v.event == "approve" && (s.Node != "implement" || s.Approval == nil || s.Approval.Channel != "client") {
				t.Errorf("node %s, approval %+v", s.Node, s.Approval)
			}
		})
	}
}

// digests puts the digest of the open approval into a text.
func (w *world) digests(text string) string {
	s := w.state()
	if len(s.Asks) == 0 {
		return text
	}
	return strings.NewReplacer("DIGEST", s.Asks[0].Digest, "SHORT", s.Asks[0].Digest[:8]).Replace(text)
}

// TestForgedWords tries every verb, each in every way that carries nobody's word.
func TestForgedWords(t *testing.T) {
	forgeries := map[string]struct {
		env  string
		more fields
	}{
		"marker in the environment":     {env: "ASTERWEAVE_AGENT=1"},
		"any marker":                    {env: "ASTERWEAVE_AGENT=0"},
		"agent's shell":                 {env: "AI_AGENT=claude-code_2-1-197_agent"},
		"subagent":                      {more: fields{"agent_id": "a1", "agent_type": "asterweave:architect"}},
		"subagent without a type":       {more: fields{"agent_id": "a1"}},
		"the project's own command":     {more: fields{"command_source": "project"}},
		"a command of nobody":           {more: fields{"command_source": ""}},
		"another kind of expansion":     {more: fields{"expansion_type": "skill"}},
		"a task notification":           {more: fields{"prompt": "<task-notification>\n<task-id>a</task-id>"}},
		"a task notification, indented": {more: fields{"prompt": "\n <task-notification>"}},
	}
	worlds := map[string]*world{"approve": at(t, "approve"), "intake": at(t, "intake")} // nothing may change in them
	for name, f := range forgeries {
		t.Run(name, func(t *testing.T) {
			for _, v := range verbs() {
				w := worlds[v.node]
				w.t, w.environ = t, append(cleanEnviron(), f.env)
				n := w.seq()
				a := w.hook("user-prompt-expansion", w.typed(v.command, w.digests(v.args), f.more))
				if !a.refused() {
					t.Errorf("%s: not refused: %+v", v.command, a)
				}
				if got := w.events(n); len(got) > 0 {
					t.Errorf("%s: recorded %q", v.command, got)
				}
			}
		})
	}
	t.Run("no start in an agent's shell", func(t *testing.T) {
		w := emptyWorld(t)
		w.environ = append(w.environ, "ASTERWEAVE_AGENT=1")
		if a := w.hook("user-prompt-expansion", w.typed("asterweave:asterweave", "x --auto-pr", nil)); !a.refused() || w.engine().Exists() {
			t.Errorf("answer %+v", a)
		}
	})
	t.Run("somebody else's command of the same name", func(t *testing.T) {
		w := emptyWorld(t)
		if a := w.hook("user-prompt-expansion", w.typed("asterweave", "x", fields{"command_source": "project"})); !a.silent() || w.engine().Exists() {
			t.Errorf("answer %+v", a)
		}
	})
}

func TestWordsThatDoNotFit(t *testing.T) {
	worlds := map[string]*world{"approve": at(t, "approve"), "intake": at(t, "intake")} // nothing may change in them
	for _, v := range []struct{ node, command, args string }{
		{"approve", "asterweave:approve", ""},
		{"approve", "asterweave:approve", "1234567"},
		{"approve", "asterweave:approve", "00000000"},
		{"approve", "asterweave:approve", "SHORT and go on"},
		{"approve", "asterweave:approve", "yes"},
		{"approve", "asterweave:reject", " "},
		{"approve", "asterweave:reply", "A1 approved"},
		{"approve", "asterweave:reply", "A9 yes"},
		{"intake", "asterweave:approve", "00000000"},
		{"intake", "asterweave:resume", ""},
		{"intake", "asterweave:abort", ""},
		{"intake", "asterweave:steer", ""},
	} {
		t.Run(v.command+" "+v.args, func(t *testing.T) {
			w := worlds[v.node]
			w.t = t
			n := w.seq()
			if a := w.hook("user-prompt-expansion", w.typed(v.command, w.digests(v.args), nil)); !a.refused() {
				t.Errorf("answer %+v", a)
			}
			if got := w.events(n); len(got) > 0 {
				t.Errorf("recorded %q", got)
			}
		})
	}
	t.Run("without a delivery", func(t *testing.T) {
		w := emptyWorld(t)
		for _, v := range verbs() {
			if a := w.hook("user-prompt-expansion", w.typed(v.command, v.args, nil)); !a.refused() {
				t.Errorf("%s: %+v", v.command, a)
			}
		}
	})
	t.Run("commands of others", func(t *testing.T) {
		w := at(t, "approve")
		for _, name := range []string{"approve", "other:approve", "asterweave:helper", "asterweave:sub:approve", "status", ""} {
			if a := w.hook("user-prompt-expansion", w.typed(name, w.digests("DIGEST"), nil)); !a.silent() {
				t.Errorf("%s: %+v", name, a)
			}
		}
		if w.state().Node != "approve" {
			t.Error("approved")
		}
	})
}

func TestStatusCommand(t *testing.T) {
	w := at(t, "approve")
	a := w.hook("user-prompt-expansion", w.typed("asterweave:status", "", nil))
	for _, want := range []string{w.state().Delivery.ID, "node: approve", "open ask A1", "AC-1 HARD none", "need: approval is missing"} {
		if !strings.Contains(a.Specific.Context, want) {
			t.Errorf("no %q in %s", want, a.Specific.Context)
		}
	}
}

// TestPayloadFromElsewhere has the delivery found by the project's folder when the
// payload comes from another worktree or from no repository.
func TestPayloadFromElsewhere(t *testing.T) {
	w := at(t, "approve")
	other := repository(t, t.TempDir())
	inner := filepath.Join(w.root, "sub", "deep")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ cwd, project string }{
		"a folder below":    {inner, ""},
		"another worktree":  {other, w.root},
		"no repository":     {t.TempDir(), w.root},
		"a folder that was": {filepath.Join(w.root, "gone"), w.root},
		"no folder":         {"", w.root},
	} {
		w.environ = append(cleanEnviron(), "CLAUDE_PROJECT_DIR="+c.project)
		if a := w.hook("user-prompt-expansion", w.typed("asterweave:status", "", fields{"cwd": c.cwd})); !strings.Contains(a.Specific.Context, "node: approve") {
			t.Errorf("%s: %+v", name, a)
		}
	}
	w.environ = cleanEnviron()
	if a := w.hook("user-prompt-expansion", w.typed("asterweave:approve", w.digests("DIGEST"), fields{"cwd": other})); !a.refused() {
		t.Errorf("another worktree without a project: %+v", a)
	}
}

func TestPausedDeliveryGoesOn(t *testing.T) {
	w := at(t, "intake")
	w.must(w.engine().Do(t.Context(), "pause", agentBy(), pause))
	if s := w.state(); s.Delivery.Status != state.Paused {
		t.Fatalf("status %s", s.Delivery.Status)
	}
	w.hook("user-prompt-expansion", w.typed("asterweave", "another goal", nil))
	if s := w.state(); s.Delivery.Status != state.Paused {
		t.Error("another goal resumed it")
	}
	n := w.seq()
	w.hook("user-prompt-expansion", w.typed("asterweave", "", nil))
	if s := w.state(); s.Delivery.Status != state.Active || strings.Join(w.events(n), " ") != "resume next" {
		t.Errorf("status %s, events %q", s.Delivery.Status, w.events(n))
	}
	w.must(w.engine().Do(t.Context(), "pause", agentBy(), pause))
	w.hook("user-prompt-expansion", w.typed("asterweave:resume", "", nil))
	if s := w.state(); s.Delivery.Status != state.Active {
		t.Errorf("status %s after resume", s.Delivery.Status)
	}
}

// TestAfterTheEnd has hooks leave people alone once a delivery is over.
func TestAfterTheEnd(t *testing.T) {
	w := at(t, "intake")
	first := w.state().Delivery.ID
	w.hook("user-prompt-expansion", w.typed("asterweave:abort", "not needed any more", nil))
	n := w.seq()
	for _, a := range []answer{
		w.hook("session-start", w.with("SessionStart", nil)),
		w.hook("pre-tool-use", w.with("PreToolUse", fields{"tool_name": "AskUserQuestion", "tool_input": modelsQuestion("Go on?", "Yes", "No")})),
		w.hook("post-tool-use", w.with("PostToolUse", fields{"tool_name": "Read", "tool_input": fields{"file_path": "a.txt"}, "tool_response": fields{}})),
		w.hook("pre-compact", w.with("PreCompact", nil)),
		w.stops("r1", staff, "no block", nil),
	} {
		if !a.silent() || a.stderr != "" {
			t.Errorf("answer %+v", a)
		}
	}
	if a := w.hook("user-prompt-expansion", w.typed("asterweave:steer", "x", nil)); !a.refused() {
		t.Errorf("a word: %+v", a)
	}
	if got := w.events(n); len(got) > 0 {
		t.Errorf("recorded %q", got)
	}
	w.hook("user-prompt-expansion", w.typed("asterweave", "the next goal", nil))
	if d := w.state().Delivery; d.ID == first || d.Goal != "the next goal" {
		t.Errorf("delivery %+v", d)
	}
}
