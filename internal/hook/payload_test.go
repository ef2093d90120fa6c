package hook_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/hook"
	"github.com/asterweave/asterweave/internal/provider"
)

// recorded returns the payloads that were recorded from the client, by file name.
func recorded(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/payloads/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no payloads: %v", err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		if out[strings.TrimSuffix(filepath.Base(f), ".json")], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func eventOf(t testing.TB, data []byte) string {
	t.Helper()
	var p struct {
		Event string `json:"hook_event_name"`
	}
	if err := json.Unmarshal(data, &p); err != nil || p.Event == "" {
		t.Fatalf("a payload without an event: %v", err)
	}
	return p.Event
}

func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('-')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func TestRecordedPayloadsWithoutADelivery(t *testing.T) {
	w := emptyWorld(t)
	w.environ = append(w.environ, "CLAUDE_PROJECT_DIR="+w.root)
	for name, data := range recorded(t) {
		event := eventOf(t, data)
		if event == "UserPromptExpansion" {
			continue // it starts one
		}
		for _, e := range []string{event, kebab(event)} {
			if a := w.hook(e, data); !a.silent() || a.stderr != "" {
				t.Errorf("%s: %+v", name, a)
			}
		}
	}
	if w.engine().Exists() {
		t.Error("something was recorded")
	}
	entries, err := os.ReadDir(w.root)
	if err != nil || len(entries) != 4 {
		t.Errorf("something was written: %v", entries)
	}
}

// expected is what a recorded payload is answered with in a delivery that waits for an
// approval, and what is recorded. A name of a file stands before the name of its event.
func expected(name, event string) (answer, events string, known bool) {
	for _, row := range []struct{ of, answer, events string }{
		{"PreToolUse-AskUserQuestion", "updated", ""},                    // the binary's own question
		{"PreToolUse-Bash", "deny", ""},                                  // a push
		{"PreToolUse-Bash-subagent", "deny", ""},                         // the same
		{"PreToolUse-mcp__plugin_asterweave_state__approve", "deny", ""}, // a person's word
		{"UserPromptSubmit-task-notification", "", ""},                   // nobody
		{"PreToolUse", "", ""},                                           // of files elsewhere, of other agents
		{"PostToolUse", "", "tool"},
		{"PostToolUseFailure", "", "tool"},               // no evidence
		{"UserPromptExpansion", "context", "lease next"}, // the goal again
		{"UserPromptSubmit", "", "heard"},                // no word
		{"SessionStart", "context", "lease"},
		{"PreCompact", "plain", ""}, // the brief
		{"SessionEnd", "", ""},
		{"Stop", "", ""},
		{"SubagentStop", "", ""}, // an ask is open, no reviewer
		{"Elicitation", "", ""},
		{"ElicitationResult", "", ""},
		{"Setup", "", ""}, // events that are not answered
		{"InstructionsLoaded", "", ""},
		{"Notification", "", ""},
		{"PermissionDenied", "", ""},
		{"PermissionRequest", "", ""},
		{"PostCompact", "", ""},
		{"PostToolBatch", "", ""},
		{"StopFailure", "", ""},
		{"SubagentStart", "", ""},
		{"TaskCompleted", "", ""},
		{"TaskCreated", "", ""},
	} {
		if row.of == name || row.of == event {
			return row.answer, row.events, true
		}
	}
	return "", "", false
}

// TestRecordedPayloads answers each payload in a delivery that waits for an approval.
func TestRecordedPayloads(t *testing.T) {
	for name, data := range recorded(t) {
		t.Run(name, func(t *testing.T) {
			w := at(t, "approve")
			w.environ = append(w.environ, "CLAUDE_PROJECT_DIR="+w.root)
			n := w.seq()
			event := eventOf(t, data)
			want, events, known := expected(name, event)
			if !known {
				t.Fatal("nothing is expected of it")
			}
			a := w.hook(kebab(event), data)
			got := ""
			switch {
			case a.Specific.Context != "":
				got = "context"
			case len(a.Specific.Updated) > 0:
				got = "updated"
			case strings.Contains(a.stdout, `"permissionDecision":"deny"`):
				got = "deny"
			case strings.HasPrefix(a.stdout, "Asterweave: ") && strings.Contains(a.stdout, "node: approve"):
				got = "plain"
			case !a.silent():
				got = a.stdout
			}
			if got != want || a.stderr != "" || a.Decision != "" || a.System != "" {
				t.Errorf("%q, not %q: %+v", got, want, a)
			}
			if strings.HasPrefix(a.stdout, "{") && a.Specific.Event != event {
				t.Errorf("the answer is for %q", a.Specific.Event)
			}
			if got := strings.Join(w.events(n), " "); got != events {
				t.Errorf("events %q, not %q", got, events)
			}
		})
	}
}

func TestUnknownEvents(t *testing.T) {
	w := at(t, "approve")
	for _, event := range []string{"stop-failure", "notification", "no-such-event", "", "PRETOOLUSE", "../x"} {
		if a := w.hook(event, "not JSON at all"); !a.silent() || a.stderr != "" {
			t.Errorf("%q: %+v", event, a)
		}
	}
}

// TestTheTableOfEvents holds that docs/hooks.md says of every event what happens when it fails.
func TestTheTableOfEvents(t *testing.T) {
	doc, err := os.ReadFile("../../docs/hooks.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for line := range strings.Lines(string(doc)) {
		if cells := strings.Split(strings.TrimSpace(line), "|"); len(cells) == 5 && strings.HasPrefix(cells[1], " `") {
			documented[strings.Trim(cells[1], " `")] = strings.TrimSpace(cells[3])
		}
	}
	for event, failure := range hook.Failures() {
		if !strings.HasPrefix(documented[event], failure) {
			t.Errorf("%s: documented as %q, and is %q", event, documented[event], failure)
		}
	}
	if len(documented) != len(hook.Events()) {
		t.Errorf("%d events are documented, and there are %d", len(documented), len(hook.Events()))
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"stop", "stop"}, {"--help"}} {
		var stdout, stderr bytes.Buffer
		if got := hook.Main(args, hook.Deps{Now: time.Now}, strings.NewReader(""), &stdout, &stderr); got != 64 || stdout.Len() > 0 || stderr.Len() == 0 {
			t.Errorf("%q: status %d, stdout %q", args, got, &stdout)
		}
	}
}

// malformed are payloads that no client gives.
func malformed() map[string]string {
	return map[string]string{
		"empty": "", "no JSON": "hello", "cut": `{"session_id":"s1","cwd":`, "a list": `[]`, "null": `null`, "a string": `"x"`, "two": `{"cwd":"/"} {"cwd":"/"}`,
		"an empty object": `{}`, "another event": `{"session_id":"s1","cwd":"/","hook_event_name":"Notification"}`, "wrong types": `{"session_id":1,"cwd":[]}`,
		"deep": strings.Repeat("[", 100000), "not UTF-8": "{\"cwd\xff\":1}", "a number too large": `{"cwd":"/","duration_ms":1e999}`,
		"wrong types further in": `{"cwd":"/","tool_name":["Bash"],"tool_input":7,"background_tasks":{"a":1}}`, "a NUL": "{\"cwd\":\"/\"}\x00",
	}
}

func TestMalformedPayloads(t *testing.T) {
	w := at(t, "review")
	w.environ = append(w.environ, "CLAUDE_PROJECT_DIR="+w.root)
	n := w.seq()
	for name, text := range malformed() {
		if a := w.hook("pre-tool-use", text); !strings.Contains(a.stdout, `"permissionDecision":"ask"`) || a.stderr == "" {
			t.Errorf("%s: what cannot be read is not asked about: %+v", name, a)
		}
		for _, event := range []string{"post-tool-use", "post-tool-use-failure", "session-start", "session-end", "user-prompt-submit", "pre-compact", "stop"} {
			if a := w.hook(event, text); !a.silent() || a.stderr == "" {
				t.Errorf("%s, %s: %+v", event, name, a)
			}
		}
		for _, event := range []string{"user-prompt-expansion", "subagent-stop"} {
			if a := w.hook(event, text); !a.refused() || a.stderr == "" {
				t.Errorf("%s, %s: %+v", event, name, a)
			}
		}
	}
	if got := w.events(n); len(got) > 0 {
		t.Errorf("recorded %q", got)
	}
	none := emptyWorld(t)
	none.environ = append(none.environ, "CLAUDE_PROJECT_DIR="+none.root)
	t.Chdir(none.root)
	if a := none.hook("pre-tool-use", "hello"); !a.silent() {
		t.Errorf("without a delivery a malformed payload is asked about: %+v", a)
	}
	if a := none.hook("subagent-stop", "hello"); a.Decision != "" {
		t.Errorf("without a delivery a malformed payload keeps an agent: %+v", a)
	}
}

// TestPanicKeepsThePolicy breaks what a hook needs and sees each event's own policy.
func TestPanicKeepsThePolicy(t *testing.T) {
	w := at(t, "approve")
	w.now = func() time.Time { panic("no clock") }
	if a := w.hook("post-tool-use", w.with("PostToolUse", fields{"tool_name": "Read", "tool_response": fields{}})); !a.silent() || !strings.Contains(a.stderr, "internal error") {
		t.Errorf("a tool event: %+v", a)
	}
	if a := w.hook("user-prompt-expansion", w.typed("asterweave:steer", "x", nil)); !a.refused() {
		t.Errorf("a word: %+v", a)
	}
	r := at(t, "review")
	r.now = w.now
	if a := r.stops("r1", staff, "no block", nil); !a.refused() {
		t.Errorf("a verdict: %+v", a)
	}
	if a := r.stops("r1", staff, "no block", fields{"stop_hook_active": true}); a.Decision != "" || a.System == "" {
		t.Errorf("a verdict, the second time: %+v", a)
	}
}

func TestDamagedLedger(t *testing.T) {
	w := at(t, "approve")
	digest := w.digests("DIGEST")
	file := filepath.Join(w.root, ".claude", "asterweave", "ledger.jsonl")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func() error{
		"a flipped bit": func() error {
			d := bytes.Clone(data)
			d[len(d)-20] ^= 1
			return os.WriteFile(file, d, 0o644)
		},
		"cut":     func() error { return os.WriteFile(file, data[:bytes.IndexByte(data, '\n')+1], 0o644) },
		"missing": func() error { return os.Remove(file) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if a := w.hook("user-prompt-expansion", w.typed("asterweave:approve", digest, nil)); !a.refused() || !strings.Contains(a.Reason, "damaged") {
			t.Errorf("%s: a word: %+v", name, a)
		}
		if a := w.hook("post-tool-use", w.with("PostToolUse", fields{"tool_name": "Read"})); !a.silent() || a.stderr == "" {
			t.Errorf("%s: a tool: %+v", name, a)
		}
		if a := w.hook("session-start", w.with("SessionStart", fields{"source": "startup"})); !strings.Contains(a.Specific.Context, "damaged") {
			t.Errorf("%s: a session: %+v", name, a)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Read([]byte) (int, error)  { return 0, errors.New("broken") }
func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken") }

func TestBrokenPipes(t *testing.T) {
	w := at(t, "approve")
	d := hook.Deps{Now: time.Now, Environ: w.environ, Providers: providers}
	in, err := json.Marshal(w.typed("asterweave:status", "", nil))
	if err != nil {
		t.Fatal(err)
	}
	if got := hook.Run(t.Context(), d, "user-prompt-expansion", bytes.NewReader(in), brokenPipe{}, io.Discard); got != 1 {
		t.Errorf("an answer that cannot be written: status %d", got)
	}
	var out bytes.Buffer
	if got := hook.Run(t.Context(), d, "user-prompt-expansion", brokenPipe{}, &out, io.Discard); got != 0 || !strings.Contains(out.String(), `"block"`) {
		t.Errorf("a payload that cannot be read: status %d, %s", got, &out)
	}
}

// FuzzPayload gives every event any bytes, with a delivery open and without one: none
// panics, none exits 2, and what is printed is nothing, one JSON object, or the brief.
func FuzzPayload(f *testing.F) {
	events := append(hook.Events(), "no-such-event")
	for _, data := range recorded(f) {
		for i := range events {
			f.Add(i, data)
		}
	}
	for _, text := range malformed() {
		for i := range events {
			f.Add(i, []byte(text))
		}
	}
	none := f.TempDir()
	open := repository(f, f.TempDir())
	e, err := engine.Open(engine.Options{Root: open, Now: time.Now, Environ: cleanEnviron(), Providers: providers})
	if err != nil {
		f.Fatal(err)
	}
	if _, err := e.Start(f.Context(), engine.StartRequest{Goal: "make a.txt say two", By: evidence.By{Channel: evidence.ChannelTerminal}}); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, i int, data []byte) {
		if i < 0 || i >= len(events) {
			return
		}
		for _, dir := range []string{none, open} {
			if dir == open && events[i] == hook.PromptExpansion {
				continue // it may end the delivery
			}
			d := hook.Deps{
				Now: time.Now, Environ: []string{"PATH=/nonexistent", "CLAUDE_PROJECT_DIR=" + dir},
				Providers: func(string, provider.Git, provider.RunGate) (provider.Provider, error) {
					return nil, errors.New("none")
				},
			}
			var stdout, stderr bytes.Buffer
			if got := hook.Run(t.Context(), d, events[i], bytes.NewReader(data), &stdout, &stderr); got != 0 {
				t.Errorf("%s: exit status %d", events[i], got)
			}
			brief := events[i] == hook.PreCompact && strings.HasPrefix(stdout.String(), "Asterweave: ")
			var object map[string]any
			if stdout.Len() > 0 && !brief && json.Unmarshal(stdout.Bytes(), &object) != nil {
				t.Errorf("%s: %s", events[i], &stdout)
			}
			if strings.Contains(stderr.String(), "internal error") {
				t.Errorf("%s: %s", events[i], &stderr)
			}
		}
	})
}

// TestHugePayload gives more than any event has: each policy holds, and what is
// behind the bound is not read.
func TestHugePayload(t *testing.T) {
	w := at(t, "review")
	t.Chdir(w.root)
	for event, want := range map[string]string{"pre-tool-use": `"ask"`, "user-prompt-expansion": `"block"`, "subagent-stop": `"block"`, "post-tool-use": "", "user-prompt-submit": ""} {
		in := &endless{}
		var stdout, stderr bytes.Buffer
		got := hook.Run(t.Context(), hook.Deps{Now: time.Now, Environ: w.environ, Providers: providers}, event, in, &stdout, &stderr)
		if got != 0 || !strings.Contains(stdout.String(), want) || want == "" && stdout.Len() > 0 || !strings.Contains(stderr.String(), "longer than") {
			t.Errorf("%s: status %d, %s, %s", event, got, &stdout, &stderr)
		}
		if in.n > 65<<20 {
			t.Errorf("%s: %d bytes were read", event, in.n)
		}
	}
}

type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.n += len(p)
	return len(p), nil
}
