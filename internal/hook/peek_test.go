package hook_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAgentsThatJudgeSeeTheChangeAlone: neither other reviews nor the author's reasons,
// which the record and the conversations hold; and they move nothing.
func TestAgentsThatJudgeSeeTheChangeAlone(t *testing.T) {
	w := at(t, "review")
	state := filepath.Join(w.root, ".claude", "asterweave")
	talk := filepath.Join(t.TempDir(), "projects", "-work")
	for _, file := range []string{"s1.jsonl", "s1/subagents/agent-b1.jsonl"} {
		write(t, filepath.Join(talk, file), "{}\n")
	}
	if err := os.Symlink(state, filepath.Join(w.root, "notes")); err != nil {
		t.Fatal(err)
	}
	bash := func(command string) (string, fields) { return "Bash", fields{"command": command} }
	read := func(path string) (string, fields) { return "Read", fields{"file_path": path} }
	type one struct {
		agent    string
		tool     string
		input    fields
		decision string
	}
	var all []one
	row := func(decision, agent string, tool string, input fields) {
		all = append(all, one{agent, tool, input, decision})
	}
	for _, agent := range []string{"asterweave:staff-reviewer", "asterweave:security-reviewer", "asterweave:verification-engineer"} {
		for _, command := range []string{
			"asterweave-state log", "asterweave-state report", "asterweave-state trace AC-1", "asterweave-state export", "cd /tmp; asterweave-state --root . log",
			"bash -c 'asterweave-state log'", "asterweave-state plan put -", "asterweave-state pause --reason x", "asterweave-state inbox", "asterweave-state intend pr --title x --body y",
			"cat .claude/asterweave/ledger.jsonl", "cd .claude/asterweave && cat l*", "tail -1 < .claude/asterweave/ledger.jsonl", "cat .cl*/ast*/led*", "grep -r verdict .claude",
			"X=" + state + "; tail $X/ledger.jsonl", "jq . " + filepath.Join(talk, "s1.jsonl"), "ls " + talk, "git diff --no-index /dev/null .claude/asterweave/ledger.jsonl",
		} {
			tool, input := bash(command)
			row("deny", agent, tool, input)
		}
		for _, path := range []string{filepath.Join(state, "ledger.jsonl"), ".claude/asterweave/state.json", "notes/ledger.jsonl", filepath.Join(talk, "s1/subagents/agent-b1.jsonl")} {
			tool, input := read(path)
			row("deny", agent, tool, input)
		}
		row("deny", agent, "Grep", fields{"pattern": "verdict", "path": state})
		row("deny", agent, "Grep", fields{"pattern": "verdict", "glob": ".claude/asterweave/*.jsonl"})
		row("deny", agent, "Glob", fields{"pattern": ".claude/asterweave/*"})
		for _, command := range []string{"git diff main", "cat a.txt", "grep -rn two .", "git log --stat -- .claude"} {
			tool, input := bash(command)
			row("", agent, tool, input)
		}
		row("allow", agent, "Bash", fields{"command": "asterweave-state spec list"})
		row("allow", agent, "Bash", fields{"command": "asterweave-state plan show"})
		for _, path := range []string{filepath.Join(w.root, "a.txt"), ".claude/asterweave.json", "/etc/hostname"} {
			tool, input := read(path)
			row("", agent, tool, input)
		}
		row("", agent, "Grep", fields{"pattern": "two", "path": w.root})
	}
	for _, command := range []string{"asterweave-state run --gate unit", "asterweave-state status", "asterweave-state submit verify -", "asterweave-state spec judge AC-1 --verdict pass"} {
		tool, input := bash(command)
		row("allow", "asterweave:verification-engineer", tool, input)
		row("deny", "asterweave:staff-reviewer", tool, input)
	}
	for _, command := range []string{"asterweave-state log", "asterweave-state status"} { // everybody else
		tool, input := bash(command)
		row("allow", "asterweave:failure-analyst", tool, input)
		row("allow", "", tool, input)
	}
	tool, input := read(filepath.Join(state, "ledger.jsonl"))
	row("", "", tool, input)
	for _, c := range all {
		more := fields{"transcript_path": filepath.Join(talk, "s1.jsonl")}
		if c.agent != "" {
			more["agent_id"], more["agent_type"] = "a1", c.agent
		}
		if decision, reason, _ := w.tool(c.tool, c.input, more); decision != c.decision || decision == "deny" && reason == "" {
			t.Errorf("%s %s %v: %q (%s)", c.agent, c.tool, c.input, decision, reason)
		}
	}
}

// TestTheRunningPluginIsNobodysToWrite: wherever it lies, and so does the client's own
// folder.
func TestTheRunningPluginIsNobodysToWrite(t *testing.T) {
	w := at(t, "review")
	dir := t.TempDir()
	for _, name := range []string{"plugin", "data", "client"} {
		write(t, filepath.Join(dir, name, "hooks", "run.sh"), "exit 0\n")
	}
	if err := os.Symlink(filepath.Join(dir, "plugin"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	w.environ = append(w.environ, "CLAUDE_PLUGIN_ROOT="+filepath.Join(dir, "link"), "CLAUDE_PLUGIN_DATA="+filepath.Join(dir, "data"), "CLAUDE_CONFIG_DIR="+filepath.Join(dir, "client"))
	state := filepath.Join(filepath.SplitList(os.Getenv("PATH"))[0], "asterweave-state") // that judges pushes
	for _, path := range []string{filepath.Join(dir, "link/hooks/run.sh"), filepath.Join(dir, "plugin/hooks/run.sh"), filepath.Join(dir, "data/bin/asterweave-hook"), filepath.Join(dir, "client/settings.json"), state} {
		for tool, input := range map[string]fields{"Write": {"file_path": path}, "Bash": {"command": "cp /tmp/x " + path}} {
			if decision, reason, _ := w.tool(tool, input, nil); decision != "deny" {
				t.Errorf("%s %s: %q (%s)", tool, path, decision, reason)
			}
		}
	}
	for _, path := range []string{filepath.Join(dir, "other.md"), filepath.Join(filepath.Dir(state), "other")} {
		if decision, reason, _ := w.tool("Write", fields{"file_path": path}, nil); decision != "" {
			t.Errorf("%s: %q (%s)", path, decision, reason)
		}
	}
	if decision, _, _ := w.tool("Bash", fields{"command": "rm -rf " + dir}, nil); decision != "deny" {
		t.Errorf("a folder around it: %q", decision)
	}
}
