package hook_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/githooks"
	"github.com/asterweave/asterweave/internal/sentry"
)

func TestSessionMarksTheShell(t *testing.T) {
	w := emptyWorld(t)
	file := filepath.Join(t.TempDir(), "env.sh")
	w.environ = append(w.environ, "CLAUDE_ENV_FILE="+file)
	start := w.with("SessionStart", fields{"source": "startup"})
	for name, before := range map[string]string{"new": "", "others": "export A=1\n", "unfinished line": "export A=1", "a longer name": "export ASTERWEAVE_AGENT=10\n"} {
		if before == "" {
			_ = os.Remove(file)
		} else {
			write(t, file, before)
		}
		for range 3 {
			if a := w.hook("session-start", start); !a.silent() || a.stderr != "" {
				t.Errorf("%s: %+v", name, a)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := "export ASTERWEAVE_AGENT=1\n" + githooks.Exports(githooks.Folder(filepath.Join(w.root, ".git")))
		if was := strings.TrimSuffix(before, "\n"); was != "" {
			want = was + "\n" + want
		}
		if string(got) != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if _, err := os.Lstat(filepath.Join(w.root, ".git", "asterweave")); err == nil {
		t.Error("a session without a delivery wrote into the Git folder")
	}
	w.environ = append(cleanEnviron(), "CLAUDE_ENV_FILE="+filepath.Join(t.TempDir(), "no", "folder"))
	if a := w.hook("session-start", start); !a.silent() || a.stderr == "" {
		t.Errorf("a file that cannot be written: %+v", a)
	}
}

// While a delivery is open, a session that starts puts the hooks of Git in place, and
// repairs what something else wrote there.
func TestSessionLaysGitsHooks(t *testing.T) {
	w := at(t, "approve")
	hook := filepath.Join(githooks.Folder(filepath.Join(w.root, ".git")), "pre-push")
	for _, before := range []string{"", "#!/bin/sh\nexit 0\n"} {
		if before != "" {
			write(t, hook, before)
		}
		if a := w.hook("session-start", w.with("SessionStart", fields{"source": "resume"})); a.stderr != "" {
			t.Fatal(a.stderr)
		}
		text, err := os.ReadFile(hook)
		if err != nil || !strings.Contains(string(text), "guard pre-push --worktree") {
			t.Errorf("%v: %s", err, text)
		}
	}
	if err := sentry.InspectHooks(t.Context(), w.engine()); err != nil {
		t.Error(err)
	}
}

func TestSessionBriefAndLease(t *testing.T) {
	w := at(t, "approve")
	now := time.Now()
	w.now = func() time.Time { return now }
	session := func(id string) string {
		a := w.hook("session-start", w.with("SessionStart", fields{"source": "compact", "session_id": id}))
		for _, want := range []string{w.state().Delivery.ID, "make a.txt say two", "node: approve", "open ask A1 (approval)", "rule: Approvals", w.state().Asks[0].Digest[:8], "asterweave-state next"} {
			if !strings.Contains(a.Specific.Context, want) {
				t.Errorf("no %q in %q", want, a.Specific.Context)
			}
		}
		return w.state().Lease.Session
	}
	if got := session("s1"); got != "s1" {
		t.Errorf("lease of %s", got)
	}
	if got := session("s2"); got != "s1" {
		t.Errorf("a session that only starts took the lease: %s", got)
	}
	now = now.Add(3 * time.Hour)
	if got := session("s2"); got != "s2" {
		t.Errorf("an expired lease stays with %s", got)
	}
	now = now.Add(4 * time.Hour)
	w.environ = append(w.environ, "ASTERWEAVE_AGENT=1")
	if got := session("s3"); got != "s2" {
		t.Errorf("an agent's own client took the lease: %s", got)
	}
}

// The agent's shell finds the plugin's programs, also where the client made no snapshot of
// the user's shell, and once is enough.
func TestShellFindsThePrograms(t *testing.T) {
	w := at(t, "intake")
	root := filepath.Join(t.TempDir(), "it's here")
	write(t, filepath.Join(root, "bin", "asterweave-state"), "#!/bin/sh\necho found\n")
	if err := os.Chmod(filepath.Join(root, "bin", "asterweave-state"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "env.sh")
	w.environ = append(w.environ, "CLAUDE_ENV_FILE="+file, "CLAUDE_PLUGIN_ROOT="+root)
	for range 2 {
		w.hook("session-start", w.with("SessionStart", fields{"source": "startup"}))
	}
	cmd := exec.Command("sh", "-c", `. "$0"; . "$0"; asterweave-state && echo "$PATH" | tr : '\n' | grep -c "^$1\$"; echo "$ASTERWEAVE_AGENT"`, file, root+"/bin")
	cmd.Env = append(os.Environ(), "PATH=/usr/bin:/bin") // without the stand-in of these tests
	out, err := cmd.CombinedOutput()
	if got := string(out); err != nil || got != "found\n1\n1\n" {
		t.Errorf("%v: %s", err, out)
	}
	if text, err := os.ReadFile(file); err != nil || strings.Count(string(text), "export PATH=") != 1 {
		t.Errorf("%v: %s", err, text)
	}
}

// TestToolCalls counts calls and never waits for long.
func TestToolCalls(t *testing.T) {
	w := at(t, "intake")
	call := w.with("PostToolUse", fields{
		"tool_name": "Bash", "tool_input": fields{"command": "cat a.txt"}, "tool_response": fields{"stdout": "one"}, "duration_ms": 30,
	})
	w.hook("post-tool-use", call)
	w.hook("post-tool-use", call)
	w.hook("post-tool-use", w.with("PostToolUseFailure", fields{"tool_name": "Read", "tool_input": fields{"file_path": "a.txt"}, "error": "no", "duration_ms": 5}))
	if u := w.state().Tools["intake/"]; u.Calls != 3 || u.DurationMs != 65 {
		t.Errorf("counted %+v", u)
	}
	if n := len(w.state().Agents); n > 0 {
		t.Errorf("%d agents", n)
	}
	n := w.seq()
	unlock := w.hold()
	began := time.Now()
	a := w.hook("post-tool-use", call)
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("it waited %s", took)
	}
	unlock()
	if !a.silent() || a.stderr != "" || len(w.events(n)) > 0 {
		t.Errorf("while locked: %+v, events %q", a, w.events(n))
	}
}

func TestFilesThatAnAgentOpened(t *testing.T) {
	w := at(t, "intake")
	write(t, filepath.Join(w.root, "sub", "b.txt"), "b\n")
	write(t, filepath.Join(w.root, "auth", "password.go"), "package auth\n")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(w.root, link); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		tool            string
		input, response any
		cwd             string
		want            string
	}{
		"Read":                    {tool: "Read", input: fields{"file_path": w.root + "/a.txt"}, response: fields{}, want: "a.txt"},
		"Read, relative":          {tool: "Read", input: fields{"file_path": "b.txt"}, response: fields{}, cwd: w.root + "/sub", want: "sub/b.txt"},
		"Read through a link":     {tool: "Read", input: fields{"file_path": link + "/sub/../a.txt"}, response: fields{}, want: "a.txt"},
		"Read of a secret's name": {tool: "Read", input: fields{"file_path": w.root + "/auth/password.go"}, response: fields{}, want: "auth/password.go"},
		"Read outside":            {tool: "Read", input: fields{"file_path": "/etc/hostname"}, response: fields{}},
		"Read of nothing":         {tool: "Read", input: fields{"file_path": w.root + "/none.txt"}, response: fields{}},
		"Read of a folder":        {tool: "Read", input: fields{"file_path": w.root + "/sub"}, response: fields{}},
		"Read without a path":     {tool: "Read", input: fields{}, response: fields{}},
		"Read, path no text":      {tool: "Read", input: fields{"file_path": 7}, response: fields{}},
		"Read without answer":     {tool: "Read", input: fields{"file_path": w.root + "/a.txt"}},
		"a shell that prints":     {tool: "Bash", input: fields{"command": "cat a.txt"}, response: fields{"stdout": "x"}},
		"git diff":                {tool: "Bash", input: fields{"command": "git diff"}, response: fields{"stdout": oneDiff}},
		"another tool":            {tool: "mcp__x__read", input: fields{"file_path": w.root + "/a.txt"}, response: fields{}},
	} {
		w.t = t
		agent := "agent of " + name
		p := w.with("PostToolUse", fields{"agent_id": agent, "agent_type": staff, "tool_name": c.tool, "tool_input": c.input})
		if c.response != nil {
			p["tool_response"] = c.response
		}
		if c.cwd != "" {
			p["cwd"] = c.cwd
		}
		w.hook("post-tool-use", p)
		if got := strings.Join(slices.Sorted(maps.Keys(w.state().Agents[agent].Seen)), " "); got != c.want {
			t.Errorf("%s: opened %q, not %q", name, got, c.want)
		}
		for path, digest := range w.state().Agents[agent].Seen {
			if want, err := engine.ContentDigest(filepath.Join(w.root, path)); err != nil || digest != want {
				t.Errorf("%s: %s has %q, not %q", name, path, digest, want)
			}
		}
	}
}

// A reviewer has seen a binary file that the client could not show; others' reading is
// counted and not kept.
func TestFilesThatCannotBeShown(t *testing.T) {
	w := at(t, "intake")
	write(t, filepath.Join(w.root, "data.bin"), "a\x00b")
	for name, c := range map[string]struct{ agentType, file, want string }{
		"a binary file":    {staff, "data.bin", "data.bin"},
		"a text":           {staff, "a.txt", ""},
		"nothing":          {staff, "none.bin", ""},
		"by somebody else": {"Explore", "data.bin", ""},
	} {
		agent := "agent of " + name
		w.hook("post-tool-use-failure", w.with("PostToolUseFailure", fields{
			"agent_id": agent, "agent_type": c.agentType, "tool_name": "Read", "tool_input": fields{"file_path": w.root + "/" + c.file}, "error": "it is binary",
		}))
		if got := strings.Join(slices.Sorted(maps.Keys(w.state().Agents[agent].Seen)), " "); got != c.want {
			t.Errorf("%s: opened %q, not %q", name, got, c.want)
		}
	}
}

const oneDiff = "diff --git a/a.txt b/a.txt\nindex 1..2 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"
