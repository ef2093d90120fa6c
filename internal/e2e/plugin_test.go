//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// plugin returns the folder that the client loads.
func plugin(t *testing.T) string {
	t.Helper()
	return assemble(t) // in its place, once the build makes it: filepath.Join(repository, "dist", "plugin")
}

// assemble makes a plugin out of what the repository has: its agents, its command and
// its launcher, with the programs that were built, and the commands that are a human's
// words and nothing else.
func assemble(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "plugin")
	put := func(name string, data []byte, mode os.FileMode) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, mode); err != nil {
			t.Fatal(err)
		}
	}
	read := func(file string) []byte {
		t.Helper()
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	manifest := map[string]any{"name": "asterweave", "version": "0.0.0", "description": "assembled by a test"}
	put(".claude-plugin/plugin.json", marshal(t, manifest), 0o644)

	hooks := map[string]any{}
	for event, name := range map[string]string{
		"SessionStart": "session-start", "UserPromptExpansion": "user-prompt-expansion", "PreToolUse": "pre-tool-use",
		"PostToolUse": "post-tool-use", "PostToolUseFailure": "post-tool-use-failure", "SubagentStop": "subagent-stop", "PreCompact": "pre-compact",
	} {
		hook := map[string]any{"type": "command", "command": "sh", "args": []string{"${CLAUDE_PLUGIN_ROOT}/hooks/run.sh", name}, "timeout": 60}
		hooks[event] = []any{map[string]any{"hooks": []any{hook}}}
	}
	put("hooks/hooks.json", marshal(t, map[string]any{"hooks": hooks}), 0o644)
	put("hooks/run.sh", read(filepath.Join(repository, "plugin", "hooks", "run.sh")), 0o755)

	put("commands/asterweave.md", read(filepath.Join(repository, "commands", "asterweave.md")), 0o644)
	for _, verb := range []string{"approve", "reject", "reply", "steer", "resume", "abort", "status"} {
		text := fmt.Sprintf("---\ndescription: A person's word to the delivery (%s).\ndisable-model-invocation: true\n---\n"+
			"The words have been handed to the delivery; what came of it is in the context above. Follow it.\n", verb)
		put("commands/"+verb+".md", []byte(text), 0o644)
	}
	agents, err := filepath.Glob(filepath.Join(repository, "agents", "*.md"))
	if err != nil || len(agents) == 0 {
		t.Fatalf("agents: %v, %v", agents, err)
	}
	for _, file := range agents {
		put("agents/"+filepath.Base(file), read(file), 0o644)
	}
	for _, program := range []string{"asterweave-state", "asterweave-hook"} {
		to := filepath.Join(dir, "bin", program)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(filepath.Join(have.bin, program), to); err != nil {
			put("bin/"+program, read(filepath.Join(have.bin, program)), 0o755)
		}
	}
	return dir
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
