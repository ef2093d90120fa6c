package hook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/state"
)

// said is a line of a transcript.
func said(at time.Time, id, model string, input, output int) string {
	return fmt.Sprintf(`{"parentUuid":"u","message":{"content":[{"type":"text","text":"x"}],"id":%q,"model":%q,"role":"assistant","usage":{"input_tokens":%d,"cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":%d}},"type":"assistant","timestamp":%q}`+"\n",
		id, model, input, output, at.UTC().Format(time.RFC3339Nano))
}

func add(t *testing.T, file string, lines ...string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Join(lines, "")); err != nil {
		t.Fatal(err)
	}
}

func TestTokensOutOfTheTranscript(t *testing.T) {
	w := at(t, "review")
	file := filepath.Join(t.TempDir(), "s1.jsonl")
	before, now := w.state().Delivery.StartedAt.Add(-time.Second), time.Now()
	first := w.state().Delivery.StartedAt.Add(time.Millisecond)
	add(t, file, "no JSON \"usage\"\n", said(before, "m0", "model-a", 1000, 1000), said(first, "m1", "model-a", 10, 1), said(first, "m1", "model-a", 10, 4),
		said(now, "m2", "model-a", 20, 5), said(now, "m3", "mödel b[2J", 1, 1), said(now, "m4", "<synthetic>", 0, 0), said(now, "m5", "model-a", -5, 1),
		`{"type":"user","message":{"id":"m6","usage":{"input_tokens":7}}}`+"\n", said(now, "m7", "model-a", 30, 6)[:60])
	stop := func() { w.hook("stop", w.with("Stop", fields{"transcript_path": file})) }
	stop()
	want := state.Tokens{Messages: 1, Input: 10, Output: 4, CacheRead: 3, CacheWrite: 2}
	if got := w.state().Tools["intake/"].Models["model-a"]; got != want {
		t.Errorf("at intake: %+v", got)
	}
	want = state.Tokens{Messages: 1, Input: 20, Output: 5, CacheRead: 3, CacheWrite: 2}
	if got := w.state().Tools["review/"].Models["model-a"]; got != want {
		t.Errorf("at review: %+v", got)
	}
	if models := w.state().Tools["review/"].Models; len(models) != 2 || models["mdelb[2J"].Input != 1 {
		t.Errorf("models %+v", models)
	}
	n := w.seq()
	stop()
	if got := w.events(n); len(got) > 0 {
		t.Errorf("what was counted is counted again: %q", got)
	}
	add(t, file, said(now, "m7", "model-a", 30, 6)[60:], said(now, "m7", "model-a", 30, 9))
	w.hook("pre-compact", w.with("PreCompact", fields{"transcript_path": file}))
	add(t, file, said(now, "m7", "model-a", 30, 11), said(now, "m8", "model-a", 1, 1))
	w.hook("session-end", w.with("SessionEnd", fields{"transcript_path": file}))
	want = state.Tokens{Messages: 3, Input: 51, Output: 17, CacheRead: 9, CacheWrite: 6}
	if got := w.state().Tools["review/"].Models["model-a"]; got != want {
		t.Errorf("at the end: %+v", got)
	}
}

func TestTokensOfAnAgent(t *testing.T) {
	w := at(t, "review")
	dir := t.TempDir()
	add(t, filepath.Join(dir, "s1.jsonl"), said(time.Now(), "m1", "model-a", 1, 1))
	add(t, filepath.Join(dir, "agent.jsonl"), said(time.Now(), "m1", "model-b", 7, 1))
	for _, p := range []fields{{"agent_type": "Explore"}, {"agent_type": ""}} {
		p["agent_id"], p["transcript_path"], p["agent_transcript_path"] = "a1", filepath.Join(dir, "s1.jsonl"), filepath.Join(dir, "agent.jsonl")
		if a := w.hook("subagent-stop", w.with("SubagentStop", p)); !a.silent() || a.stderr != "" {
			t.Errorf("%+v", a)
		}
	}
	s := w.state()
	if s.Tools["review/Explore"].Models["model-b"].Input != 7 || s.Tools["review/"].Models["model-a"].Input != 1 {
		t.Errorf("%+v", s.Tools)
	}
	if len(s.Tools) != 2 {
		t.Errorf("a compaction counts as an agent: %+v", s.Tools)
	}
}

// TestTranscriptsThatAreNone gives paths at which nothing can be counted, and nothing hangs.
func TestTranscriptsThatAreNone(t *testing.T) {
	w := at(t, "review")
	dir := t.TempDir()
	pipe, folder, long := filepath.Join(dir, "pipe.jsonl"), filepath.Join(dir, "folder.jsonl"), filepath.Join(dir, "long.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	add(t, filepath.Join(dir, "plain.txt"), said(time.Now(), "m1", "model", 1, 1))
	for _, path := range []string{"", "relative.jsonl", "/no/such.jsonl", pipe, folder, filepath.Join(dir, "plain.txt"), w.root, "/dev/zero"} {
		n := w.seq()
		if a := w.hook("session-end", w.with("SessionEnd", fields{"transcript_path": path})); !a.silent() || a.stderr != "" || len(w.events(n)) > 0 {
			t.Errorf("%q: %+v", path, a)
		}
	}
	add(t, long, strings.Repeat("x", 9<<20), "\n", said(time.Now(), "m1", "model", 1, 1))
	for range 3 {
		w.hook("session-end", w.with("SessionEnd", fields{"transcript_path": long}))
	}
	if got := w.state().Tools["review/"].Models["model"]; got.Input != 1 {
		t.Errorf("behind a long line: %+v", got)
	}
	w.environ = append(w.environ, "ASTERWEAVE_AGENT=1")
	add(t, long, said(time.Now(), "m2", "model", 1, 1))
	w.hook("session-end", w.with("SessionEnd", fields{"transcript_path": long}))
	if got := w.state().Tools["review/"].Models["model"]; got.Input != 1 {
		t.Errorf("an agent's shell counts: %+v", got)
	}
}
