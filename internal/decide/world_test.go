package decide_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/state"
)

// world is a work tree, a remote and a ledger in memory. It stands in for Git and
// the disk, so that random walks are cheap; what it answers has the shape of facts.
type world struct {
	graph  *graph.Graph
	files  map[string]int            // path → content
	trees  map[string]map[string]int // tree id → files
	head   string                    // tree of the head commit; also names the commit
	branch string
	config document.Config
	env    string            // of every gate
	tweak  func(*gate.Facts) // what else is different, may be nil
	events []state.Entry
	state  *state.State
	spec   *document.Spec
	plan   *document.Plan
	mani   *document.Manifest
	now    time.Time

	// What an honest author writes.
	wantSpec document.Spec
	wantPlan document.Plan

	hypotheses, agents int
}

func agent() evidence.By { return evidence.By{Channel: "agent"} }
func human() evidence.By { return evidence.By{Channel: evidence.ChannelClient} }

// failer is what a world needs of a test.
type failer interface{ Fatal(args ...any) }

func newWorld(t failer) *world {
	g, err := graph.Parse(graph.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		graph: g, files: map[string]int{"a.go": 1, "a_test.go": 1, "doc.md": 1}, trees: map[string]map[string]int{}, branch: "main", env: "env",
		state: state.New(), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), wantSpec: goodSpec(), wantPlan: goodPlan(),
	}
	w.head = w.tree()
	return w
}

// tree returns the id of the work tree as it is.
func (w *world) tree() string {
	s := ""
	for _, p := range slices.Sorted(maps.Keys(w.files)) {
		s += fmt.Sprintf("%s=%d;", p, w.files[p])
	}
	id := digestOf(s)
	w.trees[id] = maps.Clone(w.files)
	return id
}

func (w *world) facts() *gate.Facts {
	now := w.tree()
	f := &gate.Facts{
		World:   evidence.World{Tree: now, Base: "base", Plan: w.state.Docs["plan"], Spec: w.state.Docs["spec"], Env: "env"},
		Changed: map[string][]string{}, Base: map[string]gate.BaseMove{"base": {Same: true, Known: true}}, FromBase: map[string]bool{},
		Task: w.state.Delivery.Goal, PathExists: map[string]bool{"a.go": true}, GateEnv: map[string]string{}, Config: w.config,
		Refs: map[string]string{}, Head: w.head, HeadTree: w.head, Branch: w.branch, Remote: "origin", URL: "/remote",
	}
	for id, files := range w.trees {
		f.Changed[id] = changedPaths(files, w.files)
	}
	if w.state.Docs["spec"] != "" {
		s := *w.spec
		f.Spec = &s
	}
	if w.state.Docs["plan"] != "" {
		p := *w.plan
		f.Plan = &p
	}
	if w.state.Docs["manifest"] != "" {
		m := *w.mani
		f.Manifest = &m
	}
	for _, g := range (gate.View{Facts: f}).Gates() {
		f.GateEnv[g.ID] = w.env
	}
	if w.tweak != nil {
		w.tweak(f)
	}
	if _, known := f.Changed[f.World.Base]; !known {
		f.Changed[f.World.Base] = slices.DeleteFunc(slices.Clone(f.Changed[w.state.Delivery.Tree]), func(p string) bool { return f.FromBase[p] })
	}
	if _, known := f.Changed[w.state.Delivery.Tree]; !known {
		return f
	}
	f.Contents = w.contents(slices.DeleteFunc(slices.Concat(f.Changed[w.state.Delivery.Tree], f.Changed[f.World.Base]), func(p string) bool { return f.FromBase[p] }))
	return f
}

func changedPaths(a, b map[string]int) []string {
	var out []string
	for p, c := range a {
		if b[p] != c {
			out = append(out, p)
		}
	}
	for p := range b {
		if _, ok := a[p]; !ok {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// contents names what is in those of the files that are there.
func (w *world) contents(files []string) map[string]string {
	out := map[string]string{}
	for _, f := range files {
		if c, ok := w.files[f]; ok {
			out[f] = fmt.Sprint(c)
		}
	}
	return out
}

// around are surroundings in which GOFLAGS has this value.
func around(value string) state.Surroundings {
	return state.Surroundings{Digest: "digest of " + value, Hashes: map[string]string{"GOFLAGS": value, "PATH": "p"}, Settings: map[string]string{"GOFLAGS": value}}
}

// do makes one decision; what it decided becomes one event.
func (w *world) do(by evidence.By, fn func(*decide.Draft) error) error {
	w.now = w.now.Add(time.Second)
	d, err := decide.New(w.state, w.graph, w.facts(), int64(len(w.events)+1), w.now, by)
	if err != nil {
		return err
	}
	if err := fn(d); err != nil {
		return err
	}
	if len(d.Changes) == 0 {
		return nil
	}
	w.events = append(w.events, state.Entry{Seq: d.Seq, At: w.now, By: by, Changes: d.Changes})
	w.state = d.State
	return nil
}

func (w *world) start(by evidence.By) error {
	return w.do(by, func(d *decide.Draft) error {
		return d.Start(state.Delivery{ID: "d1", Goal: "make a correct", Provider: "local", Base: "main", Source: "owner/repo#1", Reader: "forge/bot"}, nil)
	})
}

func goodSpec() document.Spec {
	return document.Spec{
		Version:  1,
		Task:     document.Task{Summary: "a", Constraints: []string{}, OutOfScope: []string{}, Decisions: []string{}, Assumptions: []string{}},
		Criteria: []document.Criterion{{ID: "AC-1", Text: "a is correct", Hardness: document.Hard, Verify: "unit tests"}},
	}
}

func goodPlan() document.Plan {
	return document.Plan{
		Version: 1, Summary: "fix a", Scope: document.Scope{Write: []string{"a.go"}, Tests: []string{"*_test.go"}},
		Tasks: []document.PlanTask{{ID: "T1", Title: "fix", Criteria: []string{"AC-1"}}},
		Gates: []document.Gate{
			{ID: "unit", Kind: "unit-test", Argv: []string{"go", "test", "-v", "./..."}, Criteria: []string{"AC-1"}},
			{ID: "lint", Kind: "static", Argv: []string{"go", "vet", "./..."}},
		},
		NotApplicable: []document.NotApplicable{{Kind: "integration-test", Because: "one package", Instead: "unit"}},
		Risks:         []string{"none that matters"}, Rollback: "revert",
	}
}

func goodManifest() document.Manifest {
	return document.Manifest{Version: 1, Task: "a", Files: []string{"a.go"}, Commands: document.Commands{Test: "go test -v ./..."}}
}

func (w *world) putSpec(s document.Spec) error {
	return w.do(agent(), func(d *decide.Draft) error {
		err := d.PutSpec(s, digestOf(s))
		if err == nil {
			w.spec = &s
		}
		return err
	})
}

func (w *world) putPlan(p document.Plan) error {
	for _, s := range w.state.Steers {
		p.Answers = append(p.Answers, document.Answer{Steer: s.ID, How: "done"})
	}
	return w.do(agent(), func(d *decide.Draft) error {
		err := d.PutPlan(p, digestOf(p))
		if err == nil {
			w.plan = &p
		}
		return err
	})
}

func (w *world) putManifest() error {
	m := goodManifest()
	return w.do(agent(), func(d *decide.Draft) error {
		err := d.PutManifest(m, digestOf(m))
		if err == nil {
			w.mani = &m
		}
		return err
	})
}

// digestOf is short, since every decision copies the state and each record in it.
func digestOf(v any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%+v", v))
	return hex.EncodeToString(sum[:8])
}

func (w *world) record(kind, result string) error {
	return w.do(agent(), func(d *decide.Draft) error {
		_, err := d.Record(document.RecordInput{Kind: kind, Result: result, Summary: "seen", Because: "because"})
		return err
	})
}

func (w *world) complete(by evidence.By, outcome string) error {
	return w.do(by, func(d *decide.Draft) error { return d.Complete(d.State.Node, outcome, "reason") })
}

// run stores a run of a gate, or of the baseline where the gate is "".
func (w *world) run(id string, exit, tests int) error {
	return w.runWith(id, func(in *decide.Run) {
		in.Exit, in.Tests.Passed = exit, tests
		if exit != 0 && id != "" {
			in.Tests.Passed, in.Tests.Failed, in.Tests.Failing = max(tests-1, 0), 1, []string{"TestA"}
		}
	})
}

// runWith stores a good run that was changed.
func (w *world) runWith(id string, change func(*decide.Run)) error {
	return w.do(agent(), func(d *decide.Draft) error {
		in := decide.Run{
			Kind: evidence.Baseline, Argv: []string{"go", "test", "-v", "./..."}, Program: "/usr/bin/go", Surroundings: around("steer"),
			Before: d.Facts.World, Tests: evidence.Tests{Runner: "go test", Unit: "test", Passed: 3, Known: true}, Signature: "unit-test/TestA",
		}
		if id == "" {
			if err := d.CheckBaseline(); err != nil {
				return err
			}
		} else {
			g, err := d.CheckGate(id)
			if err != nil {
				return err
			}
			in.Kind, in.Gate, in.Argv = evidence.Kind(g.Kind), &g, g.Argv
			in.Before.Env = d.Facts.GateEnv[id]
		}
		change(&in)
		_, err := d.StoreRun(in)
		return err
	})
}

func (w *world) judge(verdict string) error {
	return w.do(agent(), func(d *decide.Draft) error {
		c, _ := d.State.Criterion("AC-1")
		var cited []string
		if r := d.State.Slots["unit-test/unit"].Counts; r != nil {
			cited = []string{r.ID}
		}
		_, err := d.Judge(document.VerdictInput{ID: "AC-1", Verdict: verdict, Expected: c.Digest, Evidence: cited})
		return err
	})
}

// review lets an agent look at every changed file and give its verdict.
func (w *world) review(kind evidence.Kind, id, verdict string, look bool) error {
	if look {
		if err := w.do(agent(), func(d *decide.Draft) error {
			own, _ := d.Own()
			return d.Tool(state.Tool{Tool: "Read", AgentID: id, AgentType: "reviewer", Files: w.contents(own)})
		}); err != nil {
			return err
		}
	}
	return w.do(agent(), func(d *decide.Draft) error {
		rev := document.Review{Version: 1, Kind: string(kind), Verdict: verdict, Tree: d.Facts.World.Tree, Summary: "read"}
		for _, f := range d.State.Findings {
			rev.Resolved = append(rev.Resolved, f.ID)
		}
		if verdict == "fail" {
			rev.Findings = []document.Finding{{Severity: "High", Path: "a.go", Line: 1, Title: "wrong"}}
		}
		_, err := d.Review(rev, decide.Reviewer{AgentID: id, Type: "reviewer"}, "artifact")
		return err
	})
}

func (w *world) approveOpen(by evidence.By) error {
	return w.do(by, func(d *decide.Draft) error {
		for _, a := range d.State.Asks {
			if a.Digest != "" {
				return d.Approve(a.Digest[:decide.ShortDigest])
			}
		}
		return d.Approve("00000000")
	})
}

func (w *world) intend() error {
	return w.do(agent(), func(d *decide.Draft) error {
		_, _, err := d.Intend(state.Intent{Kind: decide.IntentPR, Title: "fix", Body: "text"})
		return err
	})
}

func (w *world) read(kind evidence.Kind, result evidence.Result) error {
	return w.do(agent(), func(d *decide.Draft) error {
		if err := d.Readable(kind); err != nil {
			return err
		}
		_, err := d.StoreRead(decide.Read{Kind: kind, Result: result, Summary: "read", Because: "because", Head: d.Facts.Head, Tree: d.Facts.HeadTree, Remote: d.Facts.URL, URL: "local:x", Proof: "p", State: "in review"})
		return err
	})
}
