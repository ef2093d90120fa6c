package hook_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tool is the answer to a tool call that is about to happen.
func (w *world) tool(name string, input fields, more fields) (decision, reason, command string) {
	w.t.Helper()
	p := w.with("PreToolUse", fields{"tool_name": name, "tool_input": input, "tool_use_id": "t1"})
	for k, v := range more {
		p[k] = v
	}
	a := w.hook("pre-tool-use", p)
	var out struct {
		Specific struct {
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
			Updated  struct {
				Command string `json:"command"`
			} `json:"updatedInput"`
		} `json:"hookSpecificOutput"`
	}
	if a.stdout != "" {
		if err := json.Unmarshal([]byte(a.stdout), &out); err != nil {
			w.t.Fatalf("%s: %s", err, a.stdout)
		}
	}
	return out.Specific.Decision, out.Specific.Reason, out.Specific.Updated.Command
}

func TestTheGuardInTheHook(t *testing.T) {
	w := at(t, "review")
	for name, c := range map[string]struct {
		tool     string
		input    fields
		more     fields
		decision string
		says     string
	}{
		"a read of Git":                    {tool: "Bash", input: fields{"command": "git log --oneline -3"}},
		"a forced push":                    {tool: "Bash", input: fields{"command": "git push -f origin feature"}, decision: "deny"},
		"an approval from the shell":       {tool: "Bash", input: fields{"command": "asterweave-state approve 12345678"}, decision: "deny"},
		"the model's own verb":             {tool: "Bash", input: fields{"command": "asterweave-state next"}, decision: "allow"},
		"a push without a confirmation":    {tool: "Bash", input: fields{"command": "git push origin feature"}, decision: "deny"},
		"a command that nobody can tell":   {tool: "Bash", input: fields{"command": "$X push origin feature"}, decision: "ask"},
		"the same, with nobody there":      {tool: "Bash", input: fields{"command": "$X push origin feature"}, more: fields{"permission_mode": "dontAsk"}, decision: "deny"},
		"an edit in a node that reads":     {tool: "Edit", input: fields{"file_path": filepath.Join(w.root, "a.txt")}, decision: "deny", says: "this step changes no files"},
		"a file elsewhere":                 {tool: "Write", input: fields{"file_path": "/tmp/notes.md"}},
		"the ledger":                       {tool: "Write", input: fields{"file_path": filepath.Join(w.root, ".claude/asterweave/ledger.jsonl")}, decision: "deny"},
		"the client's settings":            {tool: "Write", input: fields{"file_path": filepath.Join(w.root, ".claude/settings.json")}, decision: "deny"},
		"another worktree":                 {tool: "EnterWorktree", input: fields{}, decision: "deny"},
		"a scheduled word":                 {tool: "CronCreate", input: fields{"prompt": "/asterweave:approve 12345678"}, decision: "deny"},
		"a tool that is nobody's business": {tool: "WebSearch", input: fields{"query": "go"}},
	} {
		decision, reason, _ := w.tool(c.tool, c.input, c.more)
		if decision != c.decision || (decision == "deny" || decision == "ask") && reason == "" || !strings.Contains(reason, c.says) {
			t.Errorf("%s: %q (%s)", name, decision, reason)
		}
	}
	if _, _, command := w.tool("Bash", fields{"command": "sh test.sh", "description": "tests"}, nil); command != "asterweave-state run --gate unit" {
		t.Errorf("a gate's command is rewritten to %q", command)
	}
}

// Without a delivery the guard has nothing to say.
func TestTheGuardWithoutADelivery(t *testing.T) {
	w := &world{t: t, root: repository(t, t.TempDir()), environ: cleanEnviron(), now: time.Now}
	for _, command := range []string{"git push -f origin main", "asterweave-state approve 12345678", "$X"} {
		if decision, _, _ := w.tool("Bash", fields{"command": command}, nil); decision != "" {
			t.Errorf("%s: %s", command, decision)
		}
	}
}

// What cannot be judged while a delivery is open is asked about, not let through.
func TestTheGuardOnADamagedLedger(t *testing.T) {
	w := at(t, "review")
	write(t, filepath.Join(w.root, ".claude/asterweave/ledger.jsonl"), "{}\n")
	if decision, reason, _ := w.tool("Bash", fields{"command": "git push -f origin feature"}, nil); decision != "ask" || reason == "" {
		t.Errorf("%q (%s)", decision, reason)
	}
}

// What looks at a delivery that is over runs without a question; nothing else is said.
func TestTheGuardAfterTheEnd(t *testing.T) {
	w := at(t, "intake")
	w.hook("user-prompt-expansion", w.typed("asterweave:abort", "not needed any more", nil))
	for command, want := range map[string]string{
		"asterweave-state status":                                     "allow",
		"asterweave-state report --format md":                         "allow",
		"asterweave-state status --json | jq .delivery":               "allow",
		"asterweave-state next":                                       "",
		"asterweave-state approve 12345678":                           "",
		"asterweave-state start 'another goal'":                       "",
		"asterweave-state status && git push -f origin main":          "",
		"asterweave-state report > report.md":                         "",
		"/tmp/asterweave-state status":                                "",
		"asterweave-state --root /tmp status":                         "",
		"PATH=/tmp:$PATH asterweave-state status":                     "",
		"asterweave-state run -- rm -rf src; asterweave-state status": "",
		"git status": "",
	} {
		if decision, reason, _ := w.tool("Bash", fields{"command": command}, fields{"permission_mode": "dontAsk"}); decision != want {
			t.Errorf("%s: %q (%s)", command, decision, reason)
		}
	}
}
