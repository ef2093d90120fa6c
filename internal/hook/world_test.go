package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/hook"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/local"
	"github.com/asterweave/asterweave/internal/state"
)

// world is a real repository in which hooks run.
type world struct {
	t       *testing.T
	root    string
	environ []string
	now     func() time.Time
}

func cleanEnviron() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "LANG=C.UTF-8", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com",
		"AI_AGENT=claude-code_2-1-197_harness", "CLAUDECODE=1",
	}
}

func providers(name string, git provider.Git, run provider.RunGate) (provider.Provider, error) {
	if name == provider.Local {
		return local.New(git, run), nil
	}
	return nil, errors.New("not in this build")
}

func git(dir string, args ...string) (string, error) {
	c := exec.Command("git", args...)
	c.Dir, c.Env = dir, cleanEnviron()
	out, err := c.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// emptyWorld is a repository with one commit and no delivery.
func emptyWorld(t *testing.T) *world {
	t.Helper()
	return &world{t: t, root: repository(t, t.TempDir()), environ: cleanEnviron(), now: time.Now}
}

func repository(t testing.TB, parent string) string {
	t.Helper()
	parent, err := filepath.EvalSymlinks(parent)
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(parent, "work")
	for name, text := range map[string]string{"a.txt": "one\n", "gone.txt": "old\n", "test.sh": "grep -q . a.txt\n"} {
		write(t, filepath.Join(root, name), text)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main", "--template="}, {"add", "-A"}, {"commit", "-q", "-m", "first"}} {
		if _, err := git(root, args...); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// at returns a world whose delivery stands at a node: intake, approve or review.
// Each call copies a repository that was driven there once.
func at(t *testing.T, node string) *world {
	t.Helper()
	from := stage(t, node)
	parent, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(parent, "work")
	if err := os.CopyFS(root, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root, environ: cleanEnviron(), now: time.Now}
	if s := w.state(); s.Node != node {
		t.Fatalf("the delivery is at %s, not at %s", s.Node, node)
	}
	return w
}

var stages = struct {
	sync.Mutex
	dir  string
	made map[string]string
}{made: map[string]string{}}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "hook-test-")
		if err != nil {
			panic(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		stages.dir = dir
		// The hooks of Git name the program that judges; here it is only there.
		programs := filepath.Join(dir, "programs")
		if err := os.Mkdir(programs, 0o755); err != nil {
			panic(err)
		}
		if err := os.WriteFile(filepath.Join(programs, "asterweave-state"), []byte("#!/bin/sh\nexit 3\n"), 0o755); err != nil {
			panic(err)
		}
		if err := os.Setenv("PATH", programs+string(filepath.ListSeparator)+os.Getenv("PATH")); err != nil {
			panic(err)
		}
		return m.Run()
	}())
}

func stage(t *testing.T, node string) string {
	t.Helper()
	stages.Lock()
	defer stages.Unlock()
	if stages.made[node] == "" {
		w := &world{t: t, root: repository(t, stages.dir), environ: cleanEnviron(), now: time.Now}
		w.drive(node)
		to := filepath.Join(stages.dir, "at-"+node)
		if err := os.Rename(w.root, to); err != nil {
			t.Fatal(err)
		}
		stages.made[node] = to
	}
	return stages.made[node]
}

func (w *world) engine() *engine.Engine {
	w.t.Helper()
	e, err := engine.Open(engine.Options{Root: w.root, Now: time.Now, Environ: cleanEnviron(), Providers: providers})
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

func (w *world) state() *state.State {
	w.t.Helper()
	s, err := w.engine().Peek()
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// events returns the types of the ledger's events after the first n.
func (w *world) events(n int64) []string {
	w.t.Helper()
	var out []string
	err := w.engine().EventsAfter(n, func(ev ledger.Event) error {
		out = append(out, ev.Type)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *world) seq() int64 {
	var n int64
	_ = w.engine().Events(func(ev ledger.Event) error { n = ev.Seq; return nil })
	return n
}

// drive takes a fresh delivery to the node, by the engine alone.
func (w *world) drive(to string) {
	w.t.Helper()
	e, ctx, agent := w.engine(), context.Background(), evidence.By{Channel: "cli"}
	human := evidence.By{Channel: evidence.ChannelTerminal}
	must := func(what string, err error) {
		w.t.Helper()
		if err != nil {
			w.t.Fatalf("%s: %s", what, err)
		}
	}
	submit := func(node, text string) {
		w.t.Helper()
		_, err := e.Submit(ctx, agent, node, []byte(text))
		must("submit "+node, err)
	}
	_, err := e.Start(ctx, engine.StartRequest{Goal: "make a.txt say two", By: human})
	must("start", err)
	if to == "intake" {
		return
	}
	submit("intake", `{"outcome":"pass","documents":{"spec":{"version":1,"task":{"summary":"say two","constraints":[],"outOfScope":[],"decisions":[],"assumptions":[]},
		"criteria":[{"id":"AC-1","text":"a.txt says two","hardness":"HARD","verify":"unit","refs":[],"questions":[]}]}},
		"records":[{"kind":"task","result":"pass","summary":"one criterion"}]}`)
	submit("analyze", `{"documents":{"manifest":{"version":1,"task":"say two","files":["a.txt"],"tests":["test.sh"],"commands":{"test":"sh test.sh"}}},
		"records":[{"kind":"repository","result":"pass","summary":"three files"}]}`)
	_, err = e.Run(ctx, engine.RunRequest{Baseline: true, By: agent, Stream: &bytes.Buffer{}})
	must("baseline", err)
	submit("analyze", `{"outcome":"pass"}`)
	submit("challenge", `{"outcome":"pass","records":[{"kind":"requirements","result":"pass","summary":"clear"}]}`)
	submit("plan", `{"outcome":"pass","documents":{"plan":{"version":1,"summary":"change the file","scope":{"write":["*.txt","sub dir/*.txt"],"tests":["*_test.sh"],"scratch":[]},
		"tasks":[{"id":"T1","title":"write","criteria":["AC-1"]}],
		"gates":[{"id":"unit","kind":"unit-test","argv":["sh","test.sh"],"criteria":["AC-1"],"counts":"exit"}],
		"notApplicable":[{"kind":"integration-test","because":"one file","instead":"unit"}],"risks":["none known"],"rollback":"revert"}},
		"records":[{"kind":"plan","result":"pass","summary":"one task"}]}`)
	if to == "approve" {
		return
	}
	_, err = e.DoFor(ctx, "approve", "test", human, func(d *decide.Draft) error { return d.Approve(d.State.Asks[0].Digest) })
	must("approve", err)
	_, err = git(w.root, "switch", "-q", "-c", "feature")
	must("branch", err)
	write(w.t, filepath.Join(w.root, "a.txt"), "two\n")
	write(w.t, filepath.Join(w.root, "sub dir", "grün.txt"), "new\n")
	must("remove", os.Remove(filepath.Join(w.root, "gone.txt")))
	submit("implement", `{"outcome":"pass","records":[{"kind":"change","result":"pass","summary":"read again"}]}`)
	out, err := e.Run(ctx, engine.RunRequest{Gate: "unit", By: agent, Stream: &bytes.Buffer{}})
	must("gate", err)
	submit("test", `{"outcome":"pass"}`)
	c, _ := w.state().Criterion("AC-1")
	submit("verify", fmt.Sprintf(`{"outcome":"pass","verdicts":[{"id":"AC-1","verdict":"pass","expected":%q,"evidence":[%q]}],
		"records":[{"kind":"acceptance","result":"pass","summary":"judged"}]}`, c.Digest, out.Record.ID))
}

// answer is what a hook gave.
type answer struct {
	status         int
	stdout, stderr string
	Decision       string `json:"decision"`
	Reason         string `json:"reason"`
	System         string `json:"systemMessage"`
	Specific       struct {
		Event   string          `json:"hookEventName"`
		Context string          `json:"additionalContext"`
		Updated json.RawMessage `json:"updatedInput"`
	} `json:"hookSpecificOutput"`
}

// hook runs an event with a payload, which is a map or the text itself.
func (w *world) hook(event string, payload any) answer {
	w.t.Helper()
	var in []byte
	switch p := payload.(type) {
	case string:
		in = []byte(p)
	case []byte:
		in = p
	default:
		var err error
		if in, err = json.Marshal(p); err != nil {
			w.t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	d := hook.Deps{Now: w.now, Environ: w.environ, Providers: providers}
	a := answer{status: hook.Main([]string{event}, d, bytes.NewReader(in), &stdout, &stderr)}
	a.stdout, a.stderr = stdout.String(), stderr.String()
	if strings.HasPrefix(a.stdout, "{") {
		if err := json.Unmarshal(stdout.Bytes(), &a); err != nil {
			w.t.Fatalf("the answer is no JSON: %s", err)
		}
	}
	if a.status != 0 {
		w.t.Errorf("%s: exit status %d, stderr %s", event, a.status, a.stderr)
	}
	return a
}

type fields map[string]any

// with returns the payload of an event in the world's root, changed by more.
func (w *world) with(event string, more fields) fields {
	p := fields{
		"session_id": "s1", "transcript_path": "/home/dev/t.jsonl", "cwd": w.root, "prompt_id": "p1", "permission_mode": "default",
		"hook_event_name": event,
	}
	for k, v := range more {
		p[k] = v
	}
	return p
}

// typed is the payload of a command that a human typed.
func (w *world) typed(command, args string, more fields) fields {
	p := w.with("UserPromptExpansion", fields{
		"expansion_type": "slash_command", "command_name": command, "command_args": args, "command_source": "plugin",
		"prompt": "/" + command + " " + args,
	})
	for k, v := range more {
		p[k] = v
	}
	return p
}

func (w *world) tree() string {
	w.t.Helper()
	v, err := w.engine().Look(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return v.Facts.World.Tree
}

func (a answer) silent() bool { return a.stdout == "" }

func (a answer) refused() bool { return a.Decision == "block" && a.Reason != "" }

func agentBy() evidence.By { return evidence.By{Channel: "cli"} }

func pause(d *decide.Draft) error { return d.Pause("until tomorrow", false) }

func (w *world) must(_ *decide.Draft, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// hold takes the lock of the ledger, as another process would.
func (w *world) hold() (release func()) {
	w.t.Helper()
	unlock, err := durable.Lock(context.Background(), filepath.Join(w.root, ".claude", "asterweave", "ledger.lock"))
	if err != nil {
		w.t.Fatal(err)
	}
	return func() {
		if err := unlock(); err != nil {
			w.t.Error(err)
		}
	}
}
