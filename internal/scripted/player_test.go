package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// player returns a player in a repository of its own, whose two programs are shell
// scripts. Each has $out, a folder that is kept.
func player(t *testing.T, state, hook string, environ []string) (p *Player, out string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins are shell scripts")
	}
	dir := t.TempDir()
	o := Options{
		State: filepath.Join(dir, "asterweave-state"), Hook: filepath.Join(dir, "asterweave-hook"), Root: filepath.Join(dir, "work"),
		Files: filepath.Join(dir, "files"), Scratch: filepath.Join(dir, "scratch"), Environ: append(os.Environ(), environ...),
		Set: []string{"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull}, Values: map[string]string{"goal": `a "quoted" goal`},
	}
	for _, d := range []string{o.Root, o.Files, o.Scratch} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, body := range map[string]string{o.State: state, o.Hook: hook} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\nout='"+dir+"'\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=Dev", "-c", "user.email=dev@example.com", "commit", "-q", "--allow-empty", "-m", "base"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = o.Root, append(os.Environ(), o.Set...)
		if b, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, b)
		}
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p, dir
}

func steps(t *testing.T, text string) Script {
	t.Helper()
	s, err := Read(strings.NewReader(`{"version":1,"steps":[` + text + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

func TestOnlyTheAgentsShellHasTheMarker(t *testing.T) {
	hostile := []string{Marker + "=1", "API_TOKEN=secret", "GOFLAGS=-run=None", "LD_PRELOAD=", "GIT_DIR=/nowhere", "CLAUDECODE=1"}
	p, out := player(t, `env >> "$out/state.env"; echo '{"ok":true}'`, `cat > /dev/null; env >> "$out/hook.env"`, hostile)
	if err := p.Play(context.Background(), steps(t, `{"do":"next"},{"do":"session","source":"startup"}`)); err != nil {
		t.Fatal(err)
	}
	state, hook := lines(t, filepath.Join(out, "state.env")), lines(t, filepath.Join(out, "hook.env"))
	if !slices.Contains(state, Marker+"=1") {
		t.Error("the shell of the agent lacks the marker")
	}
	for _, kv := range hook {
		if strings.HasPrefix(kv, Marker) {
			t.Errorf("the hook has %s", kv)
		}
	}
	for _, kv := range append(state, hook...) {
		for _, name := range []string{"API_TOKEN", "GOFLAGS", "LD_PRELOAD", "GIT_DIR", "CLAUDECODE"} {
			if strings.HasPrefix(kv, name+"=") {
				t.Errorf("a child got %s, which is on no list", kv)
			}
		}
	}
}

func TestTheSessionsExportsReachTheAgentsShell(t *testing.T) {
	hook := `case "$1" in session-start) printf 'export A=1\nexport B="$(echo two words)"\nexport ASTERWEAVE_AGENT=0\n' > "$CLAUDE_ENV_FILE";; esac
cat > /dev/null; env >> "$out/hook.env"`
	p, out := player(t, `env >> "$out/state.env"; echo '{"ok":true}'`, hook, nil)
	if err := p.Play(context.Background(), steps(t, `{"do":"session","source":"startup"},{"do":"next"}`)); err != nil {
		t.Fatal(err)
	}
	state := lines(t, filepath.Join(out, "state.env"))
	for _, kv := range []string{"A=1", "B=two words", Marker + "=1"} {
		if !slices.Contains(state, kv) {
			t.Errorf("the agent's shell lacks %s", kv)
		}
	}
	if slices.Contains(lines(t, filepath.Join(out, "hook.env")), "A=1") {
		t.Error("the export reached a hook")
	}
}

// fields returns the names of an object's fields, sorted.
func fields(t *testing.T, line string) []string {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	var names []string
	for k := range m {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

func TestPayloadsHaveTheFieldsOfTheClient(t *testing.T) {
	state := `case "$*" in
*status*) echo '{"ok":true,"nodes":[{"name":"review","needs":[{"kind":"code-review","state":"current"}]}]}';;
*--agent*) echo '{"ok":true,"next":{"node":"review","attempt":1,"prompt":"{\"tree\":\"0123456789012345678901234567890123456789\"}"}}';;
*fails*) echo '{"ok":true,"evidence":{"result":"fail"}}'; exit 1;;
*) echo '{"ok":true}';;
esac`
	p, out := player(t, state, `printf '%s ' "$1" >> "$out/events"; cat >> "$out/events"`, nil)
	if err := os.MkdirAll(filepath.Join(p.o.Files, "attempt", "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.o.Files, "attempt", "a", "b.go"), []byte("package a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := p.Play(context.Background(), steps(t, `
		{"do":"session","source":"startup"},
		{"do":"human","say":"/asterweave the goal"},
		{"do":"next"},
		{"do":"run","gate":"fails","expect":"fail"},
		{"do":"copy","from":"attempt","as":"implementer"},
		{"do":"review","agent":"staff-reviewer","kind":"code-review","verdict":{"verdict":"pass","summary":"fine"}}`))
	if err != nil {
		t.Fatal(err)
	}
	common := []string{"cwd", "hook_event_name", "session_id", "transcript_path"}
	prompted := append([]string{"permission_mode", "prompt_id"}, common...)
	tool := append([]string{"duration_ms", "effort", "tool_input", "tool_name", "tool_use_id"}, prompted...)
	inside := []string{"agent_id", "agent_type"}
	want := [][]string{
		append([]string{"session-start", "model", "source"}, common...),
		append([]string{"user-prompt-expansion", "command_args", "command_name", "command_source", "expansion_type", "prompt"}, prompted...),
		append([]string{"post-tool-use", "tool_response"}, tool...),                    // next
		append([]string{"post-tool-use-failure", "error", "is_interrupt"}, tool...),    // run
		append(append([]string{"post-tool-use", "tool_response"}, tool...), inside...), // Write
		append([]string{"post-tool-use", "tool_response"}, tool...),                    // next --agent
		append(append([]string{"post-tool-use", "tool_response"}, tool...), inside...), // Read
		append(append([]string{"subagent-stop", "agent_transcript_path", "background_tasks", // the verdict
			"effort", "last_assistant_message", "session_crons", "stop_hook_active"}, prompted...), inside...),
	}
	got := lines(t, filepath.Join(out, "events"))
	if len(got) != len(want) {
		t.Fatalf("%d events, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i, line := range got {
		name, data, _ := strings.Cut(line, " ")
		slices.Sort(want[i][1:])
		if diff := cmp.Diff(want[i], append([]string{name}, fields(t, data)...)); diff != "" {
			t.Errorf("event %d (-want +got):\n%s", i+1, diff)
		}
	}
	if !strings.Contains(got[1], `"command_name":"asterweave:asterweave","command_args":"the goal"`) {
		t.Errorf("the typed command is %s", got[1])
	}
	if !strings.Contains(got[6], `"file_path":"`+filepath.Join(p.o.Root, "a", "b.go")) || !strings.Contains(got[6], `"agent_type":"asterweave:staff-reviewer"`) {
		t.Errorf("the reviewer's Read is %s", got[6])
	}
	if !strings.Contains(got[7], `0123456789012345678901234567890123456789\"`) {
		t.Errorf("the verdict names another tree than the delegation: %s", got[7])
	}
	if strings.Contains(got[4], `"agent_id":"`+strings.Split(strings.Split(got[6], `"agent_id":"`)[1], `"`)[0]) {
		t.Error("the reviewer has the implementer's id")
	}
	if p.Calls() != 3 || p.Answers() != 0 {
		t.Errorf("%d calls and %d answers, want 3 and 0", p.Calls(), p.Answers())
	}
}

func TestPlaceholdersStandForTheNewest(t *testing.T) {
	state := `printf '%s\n' "$*" >> "$out/calls"
echo '{"ok":true,"criteria":[{"id":"AC-1","digest":"c1"}],
"asks":[{"id":"A1","kind":"decision"},{"id":"A2","kind":"approval","digest":"d2"},{"id":"A3","kind":"decision"}],
"nodes":[{"name":"test","needs":[{"kind":"unit-test","gate":"unit","evidence":"E7"},{"kind":"task","evidence":"E1"}]}]}'`
	p, out := player(t, state, `cat > /dev/null`, nil)
	play := func(args string) error {
		return p.Play(context.Background(), steps(t, `{"do":"state","args":`+args+`}`))
	}
	if err := play(`["x","{{criterion AC-1}} {{evidence unit}} {{evidence task}} {{digest approval}} {{ask decision}} {{value goal}} {{scratch}}"]`); err != nil {
		t.Fatal(err)
	}
	calls := lines(t, filepath.Join(out, "calls"))
	if got, want := calls[len(calls)-1], `--json x c1 E7 E1 d2 A3 a "quoted" goal `+p.o.Scratch; got != want {
		t.Errorf("called with %q, want %q", got, want)
	}
	for _, missing := range []string{"{{criterion AC-9}}", "{{evidence scan}}", "{{digest confirmation}}", "{{value other}}", "{{tree}}"} {
		if err := play(`["x","` + missing + `"]`); err == nil || !strings.Contains(err.Error(), missing+" stands for nothing now") {
			t.Errorf("%s: error %v", missing, err)
		}
	}
}

func TestAnUnexpectedAnswerStops(t *testing.T) {
	state := `case "$*" in
*status*) echo '{"ok":true}';;
*refused*) echo '{"ok":false,"error":{"code":"gate-shut","message":"not yet","hint":"wait"}}'; exit 3;;
*red*) echo "--- FAIL: TestRefund" >&2; echo '{"ok":true,"evidence":{"id":"E1","result":"fail","summary":"1 failed"}}'; exit 1;;
*text*) echo 'hello';;
*) echo '{"ok":true,"evidence":{"id":"E1","result":"pass"}}';;
esac`
	hook := `case "$(cat)" in
*:approve*) echo '{"decision":"block","reason":"asterweave: another digest"}';;
*resume*) echo boom >&2; exit 7;;
esac`
	p, _ := player(t, state, hook, nil)
	for _, c := range []struct {
		step string
		want []string // nil: it goes on
	}{
		{`{"do":"run","gate":"green"}`, nil},
		{`{"do":"run","gate":"red","expect":"fail"}`, nil},
		{`{"do":"run","gate":"refused","expect":"refused"}`, nil},
		{`{"do":"human","say":"/asterweave:approve 00000000","expect":"refused"}`, nil},
		{`{"do":"git","args":["no-such-command"],"expect":"refused"}`, nil},
		{`{"do":"run","gate":"green","expect":"fail"}`, []string{"step 1, run green", "the result is pass, expected fail"}},
		{`{"do":"run","gate":"green","expect":"refused"}`, []string{"expected refused"}},
		{`{"do":"next","expect":"refused"}`, []string{"expected refused"}},
		{`{"do":"run","gate":"red","why":"it was green"}`, []string{
			"step 1, run red (it was green): asterweave-state --json run --gate red: exit status 1: the result is fail, expected pass or info: 1 failed", "--- FAIL: TestRefund",
		}},
		{`{"do":"complete","node":"refused","outcome":"pass"}`, []string{"step 1, complete refused pass: refused: asterweave-state", "exit status 3: gate-shut: not yet"}},
		{`{"do":"state","args":["text"]}`, []string{"the answer is no JSON object", "hello"}},
		{`{"do":"human","say":"/asterweave:approve 00000000"}`, []string{"refused: asterweave: another digest"}},
		{`{"do":"human","say":"/asterweave:resume"}`, []string{"asterweave-hook user-prompt-expansion: exit status 7", "boom"}},
		{`{"do":"human","say":"/other"}`, []string{`"/other" is no command of asterweave`}},
		{`{"do":"human","say":"/asterweaver"}`, []string{`is no command of asterweave`}},
		{`{"do":"git","args":["no-such-command"]}`, []string{"step 1, git no-such-command", "exit status 1"}},
		{`{"do":"copy","from":"../work"}`, []string{"does not lie in the folder of the script"}},
		{`{"do":"state","args":["text"],"save":"../x"}`, []string{"does not lie in the scratch folder"}},
	} {
		err := p.Play(context.Background(), steps(t, c.step))
		if c.want == nil {
			if err != nil {
				t.Errorf("%s: %v", c.step, err)
			}
			continue
		}
		var at *StepError
		if !errors.As(err, &at) {
			t.Errorf("%s: error %v is no StepError", c.step, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: error lacks %q:\n%v", c.step, w, err)
			}
		}
	}
}

func TestReviewerOpensWhatItIsTold(t *testing.T) {
	state := `case "$*" in
*status*) echo '{"ok":true,"nodes":[{"name":"review","needs":[{"kind":"code-review","state":"missing","why":"unseen"}]}]}';;
*) echo '{"ok":true,"next":{"node":"review","attempt":1,"prompt":"{\"tree\":\"0123456789012345678901234567890123456789\"}"}}';;
esac`
	p, out := player(t, state, `cat >> "$out/events"`, nil)
	if err := os.WriteFile(filepath.Join(p.o.Root, "new.go"), []byte("package a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := p.Play(context.Background(), steps(t, `{"do":"review","agent":"staff-reviewer","kind":"code-review","verdict":{"verdict":"pass"},"opens":[],"expect":"unknown"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines(t, filepath.Join(out, "events")) {
		if strings.Contains(line, `"tool_name":"Read"`) {
			t.Errorf("it read %s", line)
		}
	}
}
