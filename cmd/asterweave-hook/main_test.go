package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLinkage holds what the program may not contain: it starts on every tool call.
func TestLinkage(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %s", err)
	}
	deps := strings.Fields(string(out))
	const module = "github.com/asterweave/asterweave/internal/"
	if !slices.Contains(deps, module+"hook") {
		t.Fatalf("the list is not of this program: %d packages", len(deps))
	}
	for _, dep := range deps {
		for _, banned := range []string{
			"github.com/santhosh-tekuri/jsonschema", "github.com/google/go-github", "github.com/spf13/", "net/http", "crypto/tls", "text/template", "html/template",
			module + "schema", module + "cli", module + "report", module + "doctor", module + "scripted", module + "provider/github", module + "provider/azure",
		} {
			if dep == banned || strings.HasPrefix(dep, strings.TrimSuffix(banned, "/")+"/") {
				t.Errorf("it links %s", dep)
			}
		}
	}
}

// TestProgram runs the program itself, since hooks are judged by its exit status.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "asterweave-hook")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %s: %s", err, out)
	}
	root := filepath.Join(dir, "work")
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null"}
	start := exec.Command("git", "init", "-q", "-b", "main", root)
	start.Env = env
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("git init: %s: %s", err, out)
	}
	run := func(stdin string, args ...string) (stdout, stderr string, status int) {
		c := exec.Command(program, args...)
		var out, errs bytes.Buffer
		c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = root, env, strings.NewReader(stdin), &out, &errs
		if err := c.Run(); err != nil && c.ProcessState == nil {
			t.Fatal(err)
		}
		return out.String(), errs.String(), c.ProcessState.ExitCode()
	}
	payload := `{"session_id":"s1","cwd":"` + root + `","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"}}`
	if out, errs, status := run(payload, "pre-tool-use"); status != 0 || out+errs != "" {
		t.Errorf("no delivery: status %d, %q, %q", status, out, errs)
	}
	if _, errs, status := run("", "pre-tool-use"); status != 0 || errs == "" {
		t.Errorf("no payload: status %d, %q", status, errs)
	}
	if _, errs, status := run(""); status != 64 || errs == "" {
		t.Errorf("no event: status %d, %q", status, errs)
	}
	typed := `{"session_id":"s1","cwd":"` + root + `","hook_event_name":"UserPromptExpansion","expansion_type":"slash_command","command_name":"asterweave:asterweave",` +
		`"command_args":"say hello","command_source":"plugin","prompt":"/asterweave say hello"}`
	if out, errs, status := run(typed, "user-prompt-expansion"); status != 0 || !strings.Contains(out, "additionalContext") {
		t.Errorf("start: status %d, %q, %q", status, out, errs)
	}
	if _, err := os.Stat(filepath.Join(root, ".claude", "asterweave", "ledger.jsonl")); err != nil {
		t.Error(err)
	}
}
