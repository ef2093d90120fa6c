package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/prompt"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/local"
	"github.com/asterweave/asterweave/internal/state"
)

// place is a worktree with a bare remote beside it, and a forge.
type place struct {
	t     testing.TB
	base  string
	forge *forge
	fs    durable.FS
	later time.Duration // how far the clock is ahead
	slept []time.Duration
}

func (p *place) dir() string { return filepath.Join(p.base, "repo") }

func agentBy() engine.By { return engine.By{Channel: "agent"} }
func humanBy() engine.By { return engine.By{Channel: evidence.ChannelClient} }

func newPlace(t testing.TB) *place {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, base: base, forge: newForge()}
	for _, d := range []string{"repo", "home"} {
		if err := os.Mkdir(filepath.Join(base, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.git("init", "-q", "-b", "main")
	p.write("good.sh", "exit 0\n")
	p.write("notes.txt", "bad\n")
	p.git("add", "-A")
	p.git("commit", "-qm", "begin")
	p.git("init", "-q", "--bare", "-b", "main", "../remote.git")
	p.git("remote", "add", "origin", "../remote.git")
	p.git("push", "-q", "origin", "main")
	p.git("fetch", "-q")
	p.git("remote", "set-head", "origin", "main")
	return p
}

// copied is the same place somewhere else, with a forge of its own.
func (p *place) copied(t testing.TB) *place {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	base = filepath.Join(base, "w")
	if out, err := exec.Command("cp", "-a", p.base, base).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	f := newForge()
	f.pulls, f.item, f.comments = slices.Clone(p.forge.pulls), p.forge.item, slices.Clone(p.forge.comments)
	return &place{t: t, base: base, forge: f}
}

func (p *place) environ() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(p.base, "..", "home"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=dev", "GIT_COMMITTER_EMAIL=dev@example.com",
	}
}

func (p *place) git(args ...string) string {
	p.t.Helper()
	c := exec.Command("git", append([]string{"-c", "maintenance.auto=false"}, args...)...)
	c.Dir, c.Env = p.dir(), p.environ()
	out, err := c.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *place) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir(), name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// engine is what a new process has.
func (p *place) engine() *engine.Engine {
	p.t.Helper()
	e, err := engine.Open(engine.Options{
		Root: p.dir(), FS: p.fs, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent"},
		Now: func() time.Time { return time.Now().Add(p.later) },
		Sleep: func(_ context.Context, d time.Duration) error {
			p.slept = append(p.slept, d)
			p.later += d
			return nil
		},
		Providers: func(name string, git provider.Git, run provider.RunGate) (provider.Provider, error) {
			switch name {
			case "forge":
				return on{p.forge, git}, nil
			case provider.Local:
				return local.New(git, run), nil
			}
			return nil, errors.New("there is no such provider")
		},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return e
}

func (p *place) ok(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) state() *state.State {
	p.t.Helper()
	s, err := p.engine().Peek()
	p.ok(err)
	return s
}

func (p *place) next() string {
	p.t.Helper()
	v, err := p.engine().Look(p.t.Context())
	p.ok(err)
	return p.says(v)
}

// says is what next says.
func (p *place) says(v engine.View) string {
	none := func(string) (string, bool) { return "", false }
	return prompt.Next(v.View, prompt.Texts{Agent: none, Rule: none, Rules: func(string) []string { return nil }})
}

func (p *place) submit(node string, sub document.Submission) {
	p.t.Helper()
	data, err := json.Marshal(sub)
	p.ok(err)
	_, err = p.engine().Submit(p.t.Context(), agentBy(), node, data)
	p.ok(err)
}

func (p *place) do(by engine.By, fn func(*decide.Draft) error) {
	p.t.Helper()
	_, err := p.engine().Do(p.t.Context(), "test", by, fn)
	p.ok(err)
}

func (p *place) complete(outcome string) {
	p.t.Helper()
	p.do(agentBy(), func(d *decide.Draft) error { return d.Complete(d.State.Node, outcome, "because") })
}

func (p *place) enter(hypothesis string) {
	p.t.Helper()
	p.do(agentBy(), func(d *decide.Draft) error { return d.Enter(d.State.Node, hypothesis) })
}

func (p *place) read(kind evidence.Kind) evidence.Record {
	p.t.Helper()
	r, err := p.engine().Read(p.t.Context(), engine.ReadRequest{Kind: kind, By: agentBy()})
	p.ok(err)
	return r
}

// approves is the human who says yes to what is open.
func (p *place) approves() {
	p.t.Helper()
	_, err := p.engine().Do(p.t.Context(), "approve", humanBy(), func(d *decide.Draft) error {
		for _, a := range d.State.Asks {
			if a.Digest != "" {
				return d.Approve(a.Digest)
			}
		}
		return errors.New("nothing is open")
	})
	p.ok(err)
}

func rec(kind evidence.Kind) []document.RecordInput {
	return []document.RecordInput{{Kind: string(kind), Result: "pass", Summary: "seen"}}
}

func (p *place) start(req engine.StartRequest) {
	p.t.Helper()
	req.Provider, req.By = "forge", humanBy()
	_, err := p.engine().Start(p.t.Context(), req)
	p.ok(err)
}

// toImplement goes from the start to a plan that is approved.
func (p *place) toImplement() {
	p.t.Helper()
	p.toPlan()
	p.approves()
}

// toPlan goes from the start to a plan that waits for its approval.
func (p *place) toPlan() {
	p.t.Helper()
	p.start(engine.StartRequest{Source: "#7"})
	p.submit(graph.Intake, document.Submission{Outcome: "pass", Documents: document.Documents{Spec: &document.Spec{
		Version: 1, Task: document.Task{Summary: "good", Decisions: []string{}, Assumptions: []string{}},
		Criteria: []document.Criterion{{ID: "AC-1", Text: "it is good", Hardness: document.Hard, Verify: "good.sh", Refs: []string{"REQ-1"}}},
	}}})
	p.submit(graph.Analyze, document.Submission{
		Documents: document.Documents{Manifest: &document.Manifest{Version: 1, Task: "t", Files: []string{"notes.txt"}, Commands: document.Commands{Test: "sh good.sh"}}},
		Records:   rec(evidence.Repository),
	})
	_, err := p.engine().Run(p.t.Context(), engine.RunRequest{Baseline: true, By: agentBy(), Stream: &bytes.Buffer{}})
	p.ok(err)
	p.complete("pass")
	p.submit(graph.Challenge, document.Submission{Outcome: "pass", Records: rec(evidence.Requirements)})
	p.plan()
}

func (p *place) plan() {
	p.t.Helper()
	p.submit(graph.Plan, document.Submission{Outcome: "pass", Records: rec(evidence.Plan), Documents: document.Documents{Plan: &document.Plan{
		Version: 1, Summary: "make it good", Scope: document.Scope{Write: []string{"notes.txt"}},
		Tasks:         []document.PlanTask{{ID: "T1", Title: "do", Criteria: []string{"AC-1"}}},
		Gates:         []document.Gate{{ID: "unit", Kind: "unit-test", Argv: []string{"sh", "good.sh"}, Criteria: []string{"AC-1"}, Counts: "exit"}},
		NotApplicable: []document.NotApplicable{{Kind: "integration-test", Because: "one file", Instead: "unit"}},
		WorkItem:      &document.WorkItem{State: "in review"}, Risks: []string{"none"}, Rollback: "revert",
	}}})
}

// toSubmit makes a change, commits it, and lets it be verified and reviewed.
func (p *place) toSubmit(text string) {
	p.t.Helper()
	if p.git("branch", "--show-current") == "main" {
		p.git("switch", "-qc", "work")
	}
	p.write("notes.txt", text)
	p.git("commit", "-qam", "change: "+text)
	p.submit(graph.Implement, document.Submission{Outcome: "pass", Records: rec(evidence.Change)})
	_, err := p.engine().Run(p.t.Context(), engine.RunRequest{Gate: "unit", By: agentBy(), Stream: &bytes.Buffer{}})
	p.ok(err)
	p.complete("pass")
	s := p.state()
	c := s.Criteria[0]
	p.submit(graph.Verify, document.Submission{
		Outcome: "pass", Records: rec(evidence.Acceptance),
		Verdicts: []document.VerdictInput{{ID: c.ID, Verdict: "pass", Expected: c.Digest, Evidence: []string{s.Slots["unit-test/unit"].Counts.ID}}},
	})
	v, err := p.engine().Look(p.t.Context())
	p.ok(err)
	for _, kind := range []evidence.Kind{evidence.CodeReview, evidence.SecurityReview} {
		rev := document.Review{Version: 1, Kind: string(kind), Verdict: "pass", Tree: v.Facts.World.Tree, Summary: "read"}
		_, err := p.engine().Review(p.t.Context(), "test", humanBy(), rev, decide.Reviewer{}, []byte("{}"))
		p.ok(err)
	}
	p.complete("pass")
	if got := p.state(); !got.Running(graph.SubmitPR) {
		p.t.Fatalf("it is at %s", got.Node)
	}
}
