package verify_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/export"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/local"
	"github.com/asterweave/asterweave/internal/state"
)

// The delivery that bundles of the tests are about: a line of notes.txt has to say good.
// What tests it prints TAP, so that its tests are counted.
const (
	goodTest = "exec > out.tap\necho TAP version 13\necho 1..2\necho ok 1 - there\ngrep -q good notes.txt && echo ok 2 - good || { echo not ok 2 - good; exit 1; }\n"
	config   = `{"version":1,"test":["sh","test.sh"]}` + "\n"
)

// home is a repository with a delivery, and the remote that it is pushed to.
type home struct {
	t    testing.TB
	base string
}

func (h *home) dir() string    { return filepath.Join(h.base, "repo") }
func (h *home) remote() string { return filepath.Join(h.base, "remote.git") }

func newHome(t testing.TB) *home {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t, base}
	if err := os.Mkdir(h.dir(), 0o755); err != nil {
		t.Fatal(err)
	}
	h.git("init", "-q", "-b", "main")
	for name, text := range map[string]string{
		"test.sh": goodTest, "notes.txt": "bad\n", "other.txt": "other\n", "build.sh": "exit 0\n", ".gitignore": "out.tap\n", document.ConfigPath: config,
	} {
		h.write(name, text)
	}
	h.git("add", "-A")
	h.git("commit", "-qm", "begin")
	h.git("init", "-q", "--bare", "-b", "main", h.remote())
	h.git("remote", "add", "origin", h.remote())
	h.git("push", "-q", "origin", "main")
	h.git("fetch", "-q")
	h.git("remote", "set-head", "origin", "main")
	return h
}

func environ() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=dev", "GIT_COMMITTER_EMAIL=dev@example.com",
	}
}

func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)...)
	c.Dir, c.Env = dir, environ()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (h *home) git(args ...string) string { h.t.Helper(); return gitIn(h.t, h.dir(), args...) }

func (h *home) write(name, text string) {
	h.t.Helper()
	path := filepath.Join(h.dir(), filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) ok(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func providers(name string, git provider.Git, run provider.RunGate) (provider.Provider, error) {
	if name == provider.Local {
		return local.New(git, run), nil
	}
	return nil, &provider.NotInBuildError{Name: name}
}

func (h *home) engine() *engine.Engine {
	h.t.Helper()
	e, err := engine.Open(engine.Options{Root: h.dir(), Environ: environ(), Now: time.Now, Providers: providers})
	h.ok(err)
	return e
}

func agent() evidence.By { return evidence.By{Channel: "agent"} }
func human() evidence.By { return evidence.By{Channel: evidence.ChannelClient} }

func (h *home) submit(node string, sub document.Submission) {
	h.t.Helper()
	data, err := json.Marshal(sub)
	h.ok(err)
	_, err = h.engine().Submit(h.t.Context(), agent(), node, data)
	h.ok(err)
}

func (h *home) do(by evidence.By, fn func(*decide.Draft) error) {
	h.t.Helper()
	_, err := h.engine().Do(h.t.Context(), "test", by, fn)
	h.ok(err)
}

func (h *home) complete(outcome string) {
	h.t.Helper()
	h.do(agent(), func(d *decide.Draft) error { return d.Complete(d.State.Node, outcome, "because") })
}

func (h *home) approve() {
	h.t.Helper()
	h.do(human(), func(d *decide.Draft) error {
		for _, a := range d.State.Asks {
			if a.Digest != "" {
				return d.Approve(a.Digest)
			}
		}
		return errors.New("nothing is open")
	})
}

func (h *home) gate(id string) {
	h.t.Helper()
	_, err := h.engine().Run(h.t.Context(), engine.RunRequest{Gate: id, By: agent(), Stream: io.Discard})
	h.ok(err)
}

func record(kind evidence.Kind) []document.RecordInput {
	return []document.RecordInput{{Kind: string(kind), Result: "pass", Summary: "seen"}}
}

// start goes from nothing to a plan that waits for its approval.
func (h *home) start() {
	h.t.Helper()
	_, err := h.engine().Start(h.t.Context(), engine.StartRequest{Goal: "REQ-1: the notes say good", By: human()})
	h.ok(err)
	h.submit(graph.Intake, document.Submission{Outcome: "pass", Records: record(evidence.Task), Documents: document.Documents{Spec: &document.Spec{
		Version: 1, Task: document.Task{Summary: "good", Decisions: []string{}, Assumptions: []string{}},
		Criteria: []document.Criterion{
			{ID: "REQ-1", Text: "the notes say good", Hardness: document.Hard, Verify: "test.sh", Refs: []string{"test.sh"}},
			{ID: "AC-2", Text: "it can be built", Hardness: document.Soft, Verify: "build.sh"},
		},
	}}})
	h.submit(graph.Analyze, document.Submission{
		Documents: document.Documents{Manifest: &document.Manifest{Version: 1, Task: "t", Files: []string{"notes.txt"}, Commands: document.Commands{Test: "sh test.sh"}}},
		Records:   record(evidence.Repository),
	})
	_, err = h.engine().Run(h.t.Context(), engine.RunRequest{Baseline: true, By: agent(), Stream: io.Discard})
	h.ok(err)
	h.complete("pass")
	h.submit(graph.Challenge, document.Submission{Outcome: "pass", Records: record(evidence.Requirements)})
	h.plan("notes.txt", "README.md")
}

// plan stores a plan that may change these paths.
func (h *home) plan(paths ...string) {
	h.t.Helper()
	inputs := []string{"*.sh", "notes.txt"}
	h.submit(graph.Plan, document.Submission{Outcome: "pass", Records: record(evidence.Plan), Documents: document.Documents{Plan: &document.Plan{
		Version: 1, Summary: "make it good", Scope: document.Scope{Write: paths},
		Tasks: []document.PlanTask{{ID: "T1", Title: "do", Criteria: []string{"REQ-1", "AC-2"}}},
		Gates: []document.Gate{
			{ID: "unit", Kind: "unit-test", Argv: []string{"sh", "test.sh"}, Criteria: []string{"REQ-1"}, Inputs: inputs, Report: &document.Report{Format: "tap", Path: "out.tap"}},
			{ID: "build", Kind: "build", Argv: []string{"sh", "build.sh"}, Criteria: []string{"AC-2"}, Inputs: inputs},
		},
		NotApplicable: []document.NotApplicable{{Kind: "integration-test", Because: "one file", Instead: "unit"}},
		Risks:         []string{"none"}, Rollback: "revert",
	}}})
}

// fail is a first attempt that does not pass its test.
func (h *home) fail() {
	h.t.Helper()
	h.write("notes.txt", "worse\n")
	h.submit(graph.Implement, document.Submission{Outcome: "pass", Records: record(evidence.Change)})
	h.gate("build")
	h.gate("unit")
	h.complete("fail-retryable")
	h.do(agent(), func(d *decide.Draft) error { return d.Enter(graph.Implement, "it has to say good") })
}

// deliver makes the change, commits it, and brings the delivery to submit-pr.
func (h *home) deliver() {
	h.t.Helper()
	h.write("notes.txt", "good\n")
	h.git("commit", "-qam", "the notes say good")
	h.submit(graph.Implement, document.Submission{Outcome: "pass", Records: record(evidence.Change)})
	h.verified()
}

// verified goes from test to submit-pr.
func (h *home) verified() {
	h.t.Helper()
	h.gate("build")
	h.gate("unit")
	h.reviewed(true)
}

// reviewed goes on to submit-pr, once the gates have run. The second criterion is judged
// as it is said.
func (h *home) reviewed(second bool) {
	h.t.Helper()
	verdict := map[bool]string{true: "pass", false: "fail"}[second]
	h.complete("pass")
	s, err := h.engine().Peek()
	h.ok(err)
	h.submit(graph.Verify, document.Submission{
		Outcome: "pass", Records: record(evidence.Acceptance),
		Verdicts: []document.VerdictInput{
			{ID: "REQ-1", Verdict: "pass", Expected: s.Criteria[0].Digest, Evidence: []string{s.Slots["unit-test/unit"].Counts.ID}},
			{ID: "AC-2", Verdict: verdict, Expected: s.Criteria[1].Digest, Evidence: []string{s.Slots["build/build"].Counts.ID}},
		},
	})
	v, err := h.engine().Look(h.t.Context())
	h.ok(err)
	for _, kind := range []evidence.Kind{evidence.CodeReview, evidence.SecurityReview} {
		rev := document.Review{Version: 1, Kind: string(kind), Verdict: "pass", Tree: v.Facts.World.Tree, Summary: "read"}
		if kind == evidence.CodeReview {
			rev.Findings = []document.Finding{{Severity: "Low", Path: "notes.txt", Line: 1, Title: "short", Detail: "it could say more"}}
		}
		block, err := json.Marshal(rev)
		h.ok(err)
		_, err = h.engine().Review(h.t.Context(), "test", human(), rev, decide.Reviewer{}, block)
		h.ok(err)
	}
	h.complete("pass")
}

// exported returns the statement about the head.
func (h *home) exported() bundle.Statement {
	h.t.Helper()
	s, err := export.Statement(h.t.Context(), h.engine(), export.Request{Version: "test"})
	h.ok(err)
	return s
}

// push confirms the pull request and pushes branch and note.
func (h *home) push() {
	h.t.Helper()
	_, _, err := h.engine().Intend(h.t.Context(), agent(), state.Intent{Kind: decide.IntentPR, Title: "good"}, []byte("the text"))
	h.ok(err)
	h.approve()
	payload, err := bundle.Encode(h.exported())
	h.ok(err)
	envelope, err := bundle.Wrap(payload)
	h.ok(err)
	h.git("config", "user.name", "dev")
	h.git("config", "user.email", "dev@example.com")
	h.ok(export.Note(h.t.Context(), h.engine(), h.git("rev-parse", "HEAD"), envelope))
	h.git("push", "-q", "origin", "work", bundle.NotesRef)
}

// honest is a delivery with a failed attempt, pushed.
func honest(t testing.TB) *home {
	t.Helper()
	h := newHome(t)
	h.git("switch", "-qc", "work")
	h.start()
	h.approve()
	h.fail()
	h.deliver()
	h.push()
	return h
}

// cloned is what a CI job has: a clean checkout of the branch, and the notes.
func (h *home) cloned(args ...string) string {
	h.t.Helper()
	dir := filepath.Join(h.t.TempDir(), "clone")
	gitIn(h.t, h.base, append(append([]string{"clone", "-q", "--branch", "work"}, args...), "file://"+h.remote(), dir)...)
	gitIn(h.t, dir, "fetch", "-q", "file://"+h.remote(), bundle.NotesRef+":"+bundle.NotesRef)
	return dir
}
