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

// programs are the two that answer events, built once.
func programs(t *testing.T) (hook, state string) {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir+"/", ".", "../asterweave-state").CombinedOutput(); err != nil {
		t.Fatalf("go build: %s: %s", err, out)
	}
	return filepath.Join(dir, "asterweave-hook"), filepath.Join(dir, "asterweave-state")
}

func environ(root string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "CLAUDE_PROJECT_DIR=" + root,
	}
}

// repository makes an empty repository.
func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "work")
	c := exec.Command("git", "init", "-q", "-b", "main", root)
	c.Env = environ(root)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git init: %s: %s", err, out)
	}
	return root
}

// result is what a program gave.
type result struct {
	stdout, stderr string
	status         int
}

func run(t *testing.T, root, stdin, program string, args ...string) result {
	t.Helper()
	c := exec.Command(program, args...)
	var out, errs bytes.Buffer
	c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = root, environ(root), strings.NewReader(stdin), &out, &errs
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return result{out.String(), errs.String(), c.ProcessState.ExitCode()}
}

func typed(root, goal string) string {
	return `{"session_id":"s1","cwd":"` + root + `","hook_event_name":"UserPromptExpansion","expansion_type":"slash_command","command_name":"asterweave:asterweave",` +
		`"command_args":"` + goal + `","command_source":"plugin","prompt":"/asterweave ` + goal + `"}`
}

// TestProgram runs the program itself, since hooks are judged by its exit status.
func TestProgram(t *testing.T) {
	hook, _ := programs(t)
	root := repository(t)
	payload := `{"session_id":"s1","cwd":"` + root + `","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"}}`
	if r := run(t, root, payload, hook, "pre-tool-use"); r != (result{}) {
		t.Errorf("no delivery: %+v", r)
	}
	if r := run(t, root, "", hook, "pre-tool-use"); r.status != 0 || r.stderr == "" {
		t.Errorf("no payload: %+v", r)
	}
	if r := run(t, root, "", hook); r.status != 64 || r.stderr == "" {
		t.Errorf("no event: %+v", r)
	}
	if r := run(t, root, typed(root, "say hello"), hook, "user-prompt-expansion"); r.status != 0 || !strings.Contains(r.stdout, "additionalContext") {
		t.Errorf("start: %+v", r)
	}
	if _, err := os.Stat(filepath.Join(root, ".claude", "asterweave", "ledger.jsonl")); err != nil {
		t.Error(err)
	}
}

// TestTheWiderProgramAnswers lets a start that names a provider without a client here
// be answered by the program beside it, in the form of this event.
func TestTheWiderProgramAnswers(t *testing.T) {
	hook, state := programs(t)
	root := repository(t)
	payload := typed(root, "--provider nowhere say hello")
	a, b := run(t, root, payload, hook, "user-prompt-expansion"), run(t, root, payload, state, "hook", "user-prompt-expansion")
	if a.status != 0 || a.stdout != b.stdout || !strings.Contains(a.stdout, `"decision":"block"`) || !strings.Contains(a.stdout, "nowhere") {
		t.Errorf("%+v and %+v", a, b)
	}
	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	if r := run(t, root, payload, hook, "user-prompt-expansion"); r.status != 0 || !strings.Contains(r.stdout, "asterweave-state could not answer") {
		t.Errorf("without it: %+v", r)
	}
}

// TestBothProgramsAnswerAlike gives every recorded payload to both programs, each
// in its own copy of a worktree, without a delivery and with one.
func TestBothProgramsAnswerAlike(t *testing.T) {
	hook, state := programs(t)
	files, err := filepath.Glob("../../internal/hook/testdata/payloads/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no payloads: %v", err)
	}
	one := repository(t)
	two := filepath.Join(t.TempDir(), "two")
	for _, open := range []bool{false, true} {
		if open {
			if r := run(t, one, typed(one, "say hello"), hook, "user-prompt-expansion"); r.status != 0 {
				t.Fatalf("start: %+v", r)
			}
		}
		if err := os.RemoveAll(two); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(two, os.DirFS(one)); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			payload, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			event, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(f), ".json"), "-")
			if event == "UserPromptExpansion" && !open {
				continue // each would start a delivery of its own
			}
			a := run(t, one, string(payload), hook, event)
			b := run(t, two, string(payload), state, "hook", event)
			if a != b {
				t.Errorf("%s, delivery %v: %+v and %+v", filepath.Base(f), open, a, b)
			}
		}
	}
}
