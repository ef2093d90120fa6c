//go:build unix

package cli_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestHonestDelivery looks at a delivery that came to done through the command line
// alone: the stages are its steps.
func TestHonestDelivery(t *testing.T) {
	const maxCalls, maxWords = 25, 2
	r := at(t, "done")
	took := shared.count("done")
	s := r.status()
	if s.Delivery.Status != "done" {
		t.Fatalf("the delivery is %s at %s", s.Delivery.Status, s.Delivery.Node)
	}
	if open := s.done(); len(open) > 0 {
		t.Errorf("done, and yet: %s", strings.Join(open, "; "))
	}
	if took.calls > maxCalls || took.calls < 10 {
		t.Errorf("%d calls by the model are not at most %d", took.calls, maxCalls)
	}
	if took.words != maxWords {
		t.Errorf("%d answers by a human are not %d", took.words, maxWords)
	}
	for _, id := range []string{"SUM-1", "SUM-2"} {
		if _, verdict, _ := s.criterion(id); verdict != "pass" {
			t.Errorf("%s is %s", id, verdict)
		}
	}
	if _, _, discriminates := s.criterion("SUM-1"); discriminates != "yes" {
		t.Errorf("SUM-1 discriminates: %s", discriminates)
	}
	if got := r.git("ls-remote", "origin", "refs/heads/fix"); !strings.HasPrefix(got, r.git("rev-parse", "HEAD")) {
		t.Errorf("the remote has %s", got)
	}
	if got := r.git("status", "--porcelain"); got != "?? data.txt" {
		t.Errorf("the work tree is not as it was left: %s", got)
	}
	a := r.ok(r.aw("start", "--goal", "another"))
	if a.text("delivery", "id") == s.Delivery.ID || a.text("delivery", "node") != "intake" {
		t.Errorf("no new delivery after the end: %s", a)
	}
	if got := r.read(".claude/asterweave/archive/" + s.Delivery.ID + "/ledger.jsonl"); !strings.Contains(got, s.Delivery.ID) {
		t.Error("the finished delivery is not in the archive")
	}
}

// shapes are the keys of each object in an answer, by its path.
func shapes(v any, path string, into map[string][]string) {
	switch v := v.(type) {
	case map[string]any:
		into[path] = slices.Sorted(maps.Keys(v))
		for k, item := range v {
			shapes(item, path+"."+k, into)
		}
	case []any:
		for _, item := range v {
			shapes(item, path+"[]", into)
		}
	}
}

func TestStatusShape(t *testing.T) {
	want := map[string]string{
		".usage[]":         "agent calls durationMs failed models node reads",
		"":                 "asks criteria delivery done ledger nodes ok usage",
		".delivery":        "autoPr goal id node planRevision provider reason source status",
		".nodes[]":         "attempts budget name needs status",
		".nodes[].needs[]": "evidence gate kind state why",
		".criteria[]":      "digest discriminates hardness id verdict",
		".asks[]":          "about blocks digest id kind options question",
		".done[]":          "condition holds why",
		".ledger":          "hash seq",
	}
	words := map[string][]string{
		"delivery": {"active", "paused", "done", "aborted"}, "node": {"pending", "running", "passed", "failed", "paused"},
		"need": {"missing", "current", "stale", "failing", "info"}, "verdict": {"none", "pass", "fail", "stale"}, "discriminates": {"yes", "no", "unknown"},
	}
	known := func(t *testing.T, kind, word string) {
		if !slices.Contains(words[kind], word) {
			t.Errorf("%q is no word for a %s", word, kind)
		}
	}
	for _, step := range steps()[1:] {
		t.Run(step.name, func(t *testing.T) {
			r := at(t, step.name)
			a := shared.raw(t, step.name)
			if strings.Count(a.stdout, "\n") != 1 {
				t.Errorf("stdout is not one line: %s", a.stdout)
			}
			got := map[string][]string{}
			shapes(a.json, "", got)
			for path, keys := range got {
				if w, ok := want[path]; !ok || strings.Join(keys, " ") != w {
					t.Errorf("%s has the keys %v, and not %s", path, keys, w)
				}
			}
			for _, list := range []string{"nodes", "criteria", "asks", "done"} {
				if _, ok := a.json[list].([]any); !ok {
					t.Errorf("%s is no list", list)
				}
			}
			s := shared.status(t, step.name)
			known(t, "delivery", s.Delivery.Status)
			for _, n := range s.Nodes {
				known(t, "node", n.Status)
				for _, need := range n.Needs {
					known(t, "need", need.State)
				}
			}
			for _, c := range s.Criteria {
				known(t, "verdict", c.Verdict)
				known(t, "discriminates", c.Discriminates)
			}
			if s.Ledger.Seq != len(r.events()) {
				t.Errorf("event %d of %d", s.Ledger.Seq, len(r.events()))
			}
			prompts(r, s)
			if len(s.Nodes) != 13 {
				t.Errorf("%d nodes", len(s.Nodes))
			}
		})
	}
}

// prompts reads what next says: within its bounds, and naming each need that is due.
func prompts(r *repo, s status) {
	r.t.Helper()
	const maxBytes = 8 << 10
	a := r.ok(r.aw("next"))
	prompt := a.text("next", "prompt")
	if len(prompt) == 0 || len(prompt) > maxBytes {
		r.t.Errorf("the prompt has %d bytes", len(prompt))
	}
	for _, n := range s.Nodes {
		if n.Name != s.Delivery.Node || n.Status != "running" || n.Name == "approve" {
			continue
		}
		for _, need := range n.Needs {
			if !need.open() && !strings.Contains(prompt, need.name()) {
				r.t.Errorf("the prompt does not name %s, which is %s", need.name(), need.State)
			}
		}
		for _, agent := range agentsOf(n.Name) {
			if d := r.ok(r.aw("next", "--agent", agent)).text("next", "prompt"); len(d) == 0 || len(d) > maxBytes {
				r.t.Errorf("the delegation to %s has %d bytes", agent, len(d))
			}
		}
	}
}

func agentsOf(node string) []string {
	return map[string][]string{
		"analyze": {"repo-analyzer"}, "implement": {"implementer"}, "verify": {"verification-engineer"}, "review": {"staff-reviewer", "security-reviewer"},
	}[node]
}

// TestLooks runs every verb that only looks, and checks that it changes nothing.
func TestLooks(t *testing.T) {
	for _, stage := range []string{"intake", "done"} {
		t.Run(stage, func(t *testing.T) {
			r := at(t, stage)
			before, tree := r.ledger(), r.git("status", "--porcelain", "--ignored")
			for _, args := range [][]string{
				{"status"},
				{"log"},
				{"log", "--after", "3"},
				{"trace"},
				{"inbox"},
				{"verify"},
				{"version"},
				{"spec", "list"},
				{"report"},
				{"report", "--format", "html"},
				{"report", "--format", "pr-body"},
				{"report", "--format", "json"},
				{"completion", "bash"},
				{"completion", "zsh"},
				{"completion", "fish"},
				{"help"},
				{"--help"},
			} {
				if a := r.ok(r.look(args...)); strings.TrimSpace(a.stdout) == "" && stage != "intake" {
					t.Errorf("no answer: %s", a)
				}
			}
			for _, args := range [][]string{{"status"}, {"trace"}, {"inbox"}, {"verify"}, {"version"}, {"spec", "list"}, {"report"}, {"report", "--format", "json"}} {
				if a := r.ok(r.look(append([]string{"--json"}, args...)...)); a.json["ok"] != true {
					t.Errorf("no object with ok: %s", a)
				}
			}
			if a := r.look("--json", "doctor"); a.status != 0 {
				t.Errorf("doctor finds something: %s", a)
			}
			if stage != "intake" {
				for _, args := range [][]string{{"spec", "show"}, {"manifest", "show"}, {"manifest", "check"}, {"plan", "show"}} {
					if a := r.ok(r.look(append([]string{"--json"}, args...)...)); a.json["ok"] != true {
						t.Errorf("no object with ok: %s", a)
					}
				}
			}
			lines := splitLines(r.ok(r.look("--json", "log")).stdout)
			for _, l := range lines {
				if !json.Valid([]byte(l)) {
					t.Errorf("a line of the log is no object: %s", l)
				}
			}
			if len(lines) != len(r.events()) {
				t.Errorf("the log has %d lines and the ledger %d", len(lines), len(r.events()))
			}
			if r.ledger() != before || r.git("status", "--porcelain", "--ignored") != tree {
				t.Error("looking changed something")
			}
		})
	}
}

// TestAutoPR waives one confirmation and nothing else, and only by a human.
func TestAutoPR(t *testing.T) {
	r := at(t, "fresh")
	if a := r.aw("start", "--goal", "SUM-1 and SUM-2", "--auto-pr"); a.status != 3 || a.code() != "human-only" {
		t.Errorf("the agent waived the confirmation: %s", a)
	}
	if a := r.look("--json", "status"); a.code() != "no-delivery" {
		t.Errorf("a refused start left something behind: %s", a)
	}
	if a := r.terminal(r.environ("ASTERWEAVE_AGENT=1"), "", "start", "--goal", "SUM-1", "--auto-pr"); a.code() != "human-only" {
		t.Errorf("the agent waived the confirmation on a terminal: %s", a)
	}
	p := typed("asterweave", "--auto-pr SUM-1: Add adds, and SUM-2")
	r.exec(r.payload("user-prompt-expansion", p), r.environ("ASTERWEAVE_AGENT=1"), shared.program("asterweave-hook"), "user-prompt-expansion")
	if a := r.look("--json", "status"); a.code() != "no-delivery" {
		t.Errorf("a forged start was taken: %s", a)
	}

	r.says("asterweave", "--auto-pr SUM-1: Add adds, and SUM-2: the source stays formatted")
	if s := r.status(); !s.Delivery.AutoPR || s.Delivery.Node != "intake" {
		t.Fatalf("%+v", s.Delivery)
	}
	for _, step := range steps()[2:] {
		switch step.name {
		case "resolve-review-comments":
			return // the rest is as ever
		case "confirmed":
			if id, _ := r.status().ask("confirmation"); id != "" {
				t.Errorf("the confirmation is asked all the same: %s", id)
			}
		default:
			step.do(r)
		}
		if step.name == "approve" {
			if a := r.aw("complete", "approve", "pass"); a.code() != "human-only" {
				t.Errorf("auto-pr waived the approval: %s", a)
			}
		}
	}
	t.Error("the delivery did not come to its pipeline")
}
