package hook_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/evidence"
)

const (
	staff    = "asterweave:staff-reviewer"
	security = "asterweave:security-reviewer"
)

func verdictText(kind, verdict, tree, more string) string {
	return fmt.Sprintf("I read it all.\n\n```json\n{\"version\":1,\"kind\":%q,\"verdict\":%q,\"tree\":%q,\"summary\":\"read\",\"findings\":[%s]}\n```\n", kind, verdict, tree, more)
}

// reads has an agent open files, one call each.
func (w *world) reads(agent, agentType string, files ...string) {
	for _, f := range files {
		w.hook("post-tool-use", w.with("PostToolUse", fields{
			"agent_id": agent, "agent_type": agentType, "tool_name": "Read", "tool_input": fields{"file_path": filepath.Join(w.root, f)},
			"tool_response": fields{"type": "text", "file": fields{"filePath": f, "content": "x"}}, "duration_ms": 2,
		}))
	}
}

// readsChange has an agent open what the delivery changed.
func (w *world) readsChange(agent, agentType string) {
	w.t.Helper()
	for _, f := range []string{"a.txt", "sub dir/grün.txt"} {
		w.reads(agent, agentType, f)
	}
}

// told writes the transcript of an agent that was started with a text, and returns it.
func (w *world) told(agent, text string) string {
	w.t.Helper()
	first, err := json.Marshal(fields{"type": "user", "isSidechain": true, "agentId": agent, "message": fields{"role": "user", "content": text}})
	if err != nil {
		w.t.Fatal(err)
	}
	file := filepath.Join(filepath.Dir(w.root), "projects", "-work", "s1", "subagents", "agent-"+agent+".jsonl")
	write(w.t, file, string(first)+"\n")
	return file
}

// moves returns the types of the events after the first n, but for what is only counted.
func (w *world) moves(n int64) []string {
	return slices.DeleteFunc(w.events(n), func(kind string) bool { return kind == "next" || kind == "usage" })
}

// stops lets an agent end that was started with the binary's words.
func (w *world) stops(agent, agentType, message string, more fields) answer {
	const ours = "these are the binary's words\n"
	if name, of := strings.CutPrefix(agentType, "asterweave:"); of && w.engine().Exists() {
		if err := w.engine().Prompted(w.t.Context(), agentBy(), canon.Hash([]byte(ours)), len(ours), name); err != nil {
			w.t.Logf("not noted: %s", err)
		}
	}
	p := w.with("SubagentStop", fields{
		"agent_id": agent, "agent_type": agentType, "last_assistant_message": message, "stop_hook_active": false,
	})
	if _, given := more["agent_transcript_path"]; !given {
		p["agent_transcript_path"] = w.told(agent, ours)
	}
	for k, v := range more {
		p[k] = v
	}
	return w.hook("subagent-stop", p)
}

func (w *world) last(kind evidence.Kind) evidence.Record {
	if l := w.state().Slots[string(kind)].Last; l != nil {
		return *l
	}
	return evidence.Record{}
}

func TestReviewersVerdicts(t *testing.T) {
	w := at(t, "review")
	w.readsChange("r1", staff)
	if a := w.stops("r1", staff, verdictText("code-review", "pass", w.tree(), ""), nil); a.Decision != "" || !strings.Contains(a.System, "code-review: pass") {
		t.Errorf("answer %+v", a)
	}
	r := w.last(evidence.CodeReview)
	if r.Result != evidence.Pass || !r.Counts || r.By.Agent != "staff-reviewer/r1" || r.By.Channel != "hook" || r.By.Session != "s1" {
		t.Errorf("record %+v", r)
	}
	w.readsChange("r2", security)
	finding := `{"severity":"High","path":"a.txt","line":1,"title":"it says two"}`
	w.stops("r2", security, verdictText("security-review", "fail", w.tree(), finding), nil)
	if r := w.last(evidence.SecurityReview); r.Result != evidence.Fail || len(w.state().Findings) != 1 {
		t.Errorf("record %+v", r)
	}
}

func TestVerdictsThatAreWorthless(t *testing.T) {
	other := strings.Repeat("0", 40)
	for name, c := range map[string]struct {
		before func(*world)
		tree   string
		why    string
	}{
		"no file opened":   {before: func(*world) {}, why: "was not seen to open 2 changed files"},
		"one file opened":  {before: func(w *world) { w.reads("r1", staff, "a.txt") }, why: "was not seen to open 1 changed files"},
		"others opened":    {before: func(w *world) { w.readsChange("r2", staff) }, why: "was not seen to open 2"},
		"another tree":     {before: func(w *world) { w.readsChange("r1", staff) }, tree: other, why: "another tree"},
		"by the main talk": {before: func(w *world) { w.readsChange("", "") }, why: "was not seen"},
		"a writer": {before: func(w *world) {
			w.readsChange("r1", staff)
			w.hook("post-tool-use", w.with("PostToolUse", fields{
				"agent_id": "r1", "agent_type": staff, "tool_name": "Edit", "tool_input": fields{"file_path": filepath.Join(w.root, "a.txt")},
				"tool_response": fields{"filePath": "a.txt"},
			}))
		}, why: "also wrote"},
		"from an agent's shell": {before: func(w *world) {
			w.environ = append(w.environ, "ASTERWEAVE_AGENT=1")
			w.readsChange("r1", staff)
			w.environ = cleanEnviron()
		}, why: "was not seen"},
	} {
		t.Run(name, func(t *testing.T) {
			w := at(t, "review")
			c.before(w)
			tree := c.tree
			if tree == "" {
				tree = w.tree()
			}
			a := w.stops("r1", staff, verdictText("code-review", "pass", tree, ""), nil)
			if r := w.last(evidence.CodeReview); r.Result != evidence.Unknown || r.Counts || !strings.Contains(r.Because, c.why) {
				t.Errorf("record %+v, answer %+v", r, a)
			}
		})
	}
	t.Run("a writer whose writes failed or lie elsewhere has not written", func(t *testing.T) {
		w := at(t, "review")
		w.readsChange("r1", staff)
		w.hook("post-tool-use-failure", w.with("PostToolUseFailure", fields{
			"agent_id": "r1", "agent_type": staff, "tool_name": "Edit", "tool_input": fields{"file_path": filepath.Join(w.root, "a.txt")}, "error": "denied",
		}))
		w.hook("post-tool-use", w.with("PostToolUse", fields{
			"agent_id": "r1", "agent_type": staff, "tool_name": "Write", "tool_input": fields{"file_path": "/tmp/notes.md"}, "tool_response": fields{"type": "create"},
		}))
		w.stops("r1", staff, verdictText("code-review", "pass", w.tree(), ""), nil)
		if r := w.last(evidence.CodeReview); r.Result != evidence.Pass {
			t.Errorf("record %+v", r)
		}
	})
}

func TestVerdictIsGivenOnce(t *testing.T) {
	w := at(t, "review")
	w.readsChange("r1", staff)
	w.stops("r1", staff, verdictText("code-review", "fail", w.tree(), ""), nil)
	n := w.seq()
	a := w.stops("r1", staff, verdictText("code-review", "pass", w.tree(), ""), nil)
	if a.Decision != "" || !strings.Contains(a.System, "not recorded") || len(w.moves(n)) > 0 {
		t.Errorf("a second verdict: %+v, events %q", a, w.moves(n))
	}
	w.readsChange("r2", staff)
	w.stops("r2", staff, verdictText("code-review", "pass", w.tree(), ""), nil)
	if r := w.last(evidence.CodeReview); r.Result != evidence.Unknown || !strings.Contains(r.Because, "stands for this tree") {
		t.Errorf("a second opinion: %+v", r)
	}
}

func TestMalformedVerdictGoesBackOnce(t *testing.T) {
	w := at(t, "review")
	tree := w.tree()
	for name, message := range map[string]string{
		"no block":         "All good, I approve.",
		"empty":            "",
		"not closed":       "```json\n{\"version\":1",
		"unknown field":    strings.Replace(verdictText("code-review", "pass", strings.Repeat("a", 40), ""), `"version":1`, `"version":1,"approved":true`, 1),
		"another kind":     verdictText("security-review", "pass", strings.Repeat("a", 40), ""),
		"no tree":          verdictText("code-review", "pass", "HEAD", ""),
		"unknown finding":  strings.Replace(verdictText("code-review", "pass", strings.Repeat("a", 40), ""), `"summary"`, `"resolved":["F9"],"summary"`, 1),
		"passes with High": verdictText("code-review", "pass", strings.Repeat("a", 40), `{"severity":"High","path":"a.txt","title":"x"}`),
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			agent := "agent of " + name
			n := w.seq()
			if a := w.stops(agent, staff, message, nil); !a.refused() || strings.Join(w.moves(n), " ") != "sent-back" {
				t.Fatalf("answer %+v, events %q", a, w.moves(n))
			}
			a := w.stops(agent, staff, message, fields{"stop_hook_active": true})
			if r := w.last(evidence.CodeReview); a.Decision != "" || r.Result != evidence.Unknown || r.Counts || r.Because == "" {
				t.Fatalf("answer %+v, record %+v", a, r)
			}
			n = w.seq()
			a = w.stops(agent, staff, verdictText("code-review", "pass", tree, ""), fields{"stop_hook_active": true})
			if a.Decision != "" || a.System == "" || len(w.moves(n)) > 0 {
				t.Errorf("a third message: %+v, events %q", a, w.moves(n))
			}
		})
	}
	t.Run("put right", func(t *testing.T) {
		w := at(t, "review")
		w.readsChange("r1", staff)
		w.stops("r1", staff, "fine", nil)
		w.stops("r1", staff, verdictText("code-review", "pass", w.tree(), ""), fields{"stop_hook_active": true})
		if r := w.last(evidence.CodeReview); r.Result != evidence.Pass || !r.Counts {
			t.Errorf("record %+v", r)
		}
	})
}

func TestVerdictsOfNobody(t *testing.T) {
	w := at(t, "review")
	w.readsChange("r1", staff)
	good := verdictText("code-review", "pass", w.tree(), "")
	n := w.seq()
	for name, c := range map[string]struct {
		agent, kind string
		env         string
		silent      bool
	}{
		"a compaction":          {agent: "r1", kind: "", silent: true},
		"another agent":         {agent: "r1", kind: "asterweave:implementer", silent: true},
		"a project's namesake":  {agent: "r1", kind: "staff-reviewer", silent: true},
		"another plugin's":      {agent: "r1", kind: "other:staff-reviewer", silent: true},
		"without an agent's id": {agent: "", kind: staff},
		"an agent's shell":      {agent: "r1", kind: staff, env: "ASTERWEAVE_AGENT=1"},
	} {
		w.environ = append(cleanEnviron(), c.env)
		if a := w.stops(c.agent, c.kind, good, nil); a.silent() != c.silent {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if got := w.moves(n); len(got) > 0 {
		t.Errorf("recorded %q", got)
	}
	early := at(t, "intake")
	if a := early.stops("r1", staff, "no block here", nil); !a.silent() {
		t.Errorf("a review on other business: %+v", a)
	}
	none := emptyWorld(t)
	if a := none.stops("r1", staff, "no block here", nil); !a.silent() {
		t.Errorf("without a delivery: %+v", a)
	}
}
