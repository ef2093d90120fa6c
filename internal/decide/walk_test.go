package decide_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/state"
)

// good makes the step that an honest delivery makes next. The walks take it more
// often than not, so that many of them get to the end.
func (w *world) good() error {
	v := gate.View{State: w.state, Graph: w.graph, Facts: w.facts()}
	node, _ := v.Graph.Node(w.state.Node)
	if w.state.Running(node.Name) && w.undo(v, node) {
		return nil
	}
	if w.state.Delivery.Status == state.Paused {
		if a, ok := w.state.Ask(w.state.Delivery.PausedBy); ok {
			return w.answer(a, 0)
		}
		return w.do(human(), func(d *decide.Draft) error { return d.Resume() })
	}
	if node.Name != "" && !w.state.Running(node.Name) {
		w.hypotheses++
		return w.do(agent(), func(d *decide.Draft) error { return d.Enter(node.Name, fmt.Sprintf("guess %d", w.hypotheses)) })
	}
	for _, a := range w.state.Asks {
		if slices.Contains(a.Blocks, node.Name) {
			return w.answer(a, 0)
		}
	}
	if own, _ := v.Own(); node.Name == graph.Implement && len(own) == 0 {
		w.files["a.go"]++
		return nil
	}
	if node.Name == graph.Implement && w.branch == "main" {
		w.branch = "work"
		return nil
	}
	for _, need := range v.Shut(node) {
		return w.meet(need)
	}
	return w.complete(agent(), "pass")
}

// undo takes back what the node must not have changed, as the hint says: to the tree
// of its entry, or to that of the start where the path is in no approved scope.
func (w *world) undo(v gate.View, node graph.Node) bool {
	violations := v.Violations(node)
	for _, violation := range violations {
		from := w.trees[w.state.Delivery.Tree]
		if w.state.Approval != nil && w.plan.Scope.Allows(violation.Path) {
			from = w.trees[w.state.Nodes[node.Name].Tree]
		}
		if content, ok := from[violation.Path]; ok {
			w.files[violation.Path] = content
		} else {
			delete(w.files, violation.Path)
		}
	}
	return len(violations) > 0
}

func (w *world) meet(need gate.Need) error {
	switch need.Kind {
	case evidence.Task:
		if w.spec == nil {
			return w.putSpec(w.wantSpec)
		}
	case evidence.Repository:
		if w.state.Docs["manifest"] == "" {
			return w.putManifest()
		}
	case evidence.Baseline:
		return w.run("", 0, 3)
	case evidence.Plan:
		if need.State != gate.Stale && w.record("plan", "pass") == nil {
			return nil
		}
		if err := w.putPlan(w.wantPlan); err != nil {
			return err
		}
	case evidence.UnitTest, evidence.IntegrationTest, evidence.Build, evidence.Static, evidence.Scan:
		return w.run(cmp.Or(need.Gate, "unit"), 0, 3)
	case evidence.Acceptance:
		if need.Gate != "" {
			return w.run(need.Gate, 0, 3)
		}
		if err := w.judge("pass"); err != nil {
			return w.run("unit", 0, 3)
		}
	case evidence.CodeReview, evidence.SecurityReview:
		w.agents++
		return w.review(need.Kind, fmt.Sprintf("agent-%d", w.agents), "pass", true)
	case evidence.PullRequest:
		w.head = w.tree()
		if in, ok := w.state.Intent("pr"); !ok || !in.Confirmed || in.Head != w.head {
			return w.intend()
		}
		return w.read(need.Kind, evidence.Pass)
	case evidence.Pipeline:
		return w.read(need.Kind, evidence.Pass)
	case evidence.ReviewComments, evidence.WorkItemUpdate:
		return w.read(need.Kind, evidence.Info)
	}
	return w.record(string(need.Kind), "pass")
}

// answer gives one of the answers to an ask.
func (w *world) answer(a state.Ask, option int) error {
	if a.Digest != "" {
		return w.approveOpen(human())
	}
	text := "an answer"
	if len(a.Options) > 0 {
		text = a.Options[option%len(a.Options)]
	}
	return w.do(human(), func(d *decide.Draft) error { return d.Reply(a.ID, text) })
}

// bad makes any step at all, most of them wrong at the moment.
func (w *world) bad(t *rapid.T) {
	kinds := evidence.Kinds()
	kind := kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")]
	results := evidence.Results()
	result := results[rapid.IntRange(0, len(results)-1).Draw(t, "result")]
	outcomes := graph.Outcomes()
	by := agent()
	if rapid.IntRange(0, 5).Draw(t, "human") == 0 {
		by = human()
	}
	switch rapid.IntRange(0, 21).Draw(t, "step") {
	case 0:
		w.files["a.go"]++
	case 1:
		w.files["a_test.go"]++
	case 2:
		w.files["doc.md"]++
	case 3:
		w.files["new.go"]++
	case 4:
		_ = w.record(string(kind), string(result))
	case 5:
		_ = w.complete(by, string(outcomes[rapid.IntRange(0, len(outcomes)-2).Draw(t, "outcome")]))
	case 6:
		_ = w.run("unit", rapid.IntRange(0, 1).Draw(t, "exit"), rapid.IntRange(0, 3).Draw(t, "tests"))
	case 7:
		_ = w.run("", 0, 3)
	case 8:
		s := goodSpec()
		s.Criteria[0].Text = rapid.SampledFrom([]string{"a is correct", "a is fast"}).Draw(t, "text")
		_ = w.putSpec(s)
	case 9:
		p := goodPlan()
		p.Scope.Write = rapid.SampledFrom([][]string{{"a.go"}, {"a.go", "doc.md"}}).Draw(t, "scope")
		_ = w.putPlan(p)
	case 10:
		_ = w.judge(rapid.SampledFrom([]string{"pass", "fail"}).Draw(t, "verdict"))
	case 11:
		w.agents++
		_ = w.review(rapid.SampledFrom([]evidence.Kind{evidence.CodeReview, evidence.SecurityReview}).Draw(t, "review"),
			fmt.Sprintf("agent-%d", w.agents), rapid.SampledFrom([]string{"pass", "fail"}).Draw(t, "verdict"), rapid.Bool().Draw(t, "look"))
	case 12:
		_ = w.approveOpen(by)
	case 13:
		_ = w.do(by, func(d *decide.Draft) error { return d.Reject("otherwise") })
	case 14:
		_ = w.do(by, func(d *decide.Draft) error { return d.Steer("mind the cost") })
	case 15:
		_ = w.read(rapid.SampledFrom([]evidence.Kind{evidence.PullRequest, evidence.Pipeline, evidence.ReviewComments}).Draw(t, "read"), result)
	case 16:
		if len(w.state.Asks) > 0 {
			_ = w.answer(w.state.Asks[0], rapid.IntRange(0, 2).Draw(t, "option"))
		}
	case 17:
		_ = w.do(agent(), func(d *decide.Draft) error { return d.Pause("tired", rapid.Bool().Draw(t, "wait")) })
	case 18:
		_ = w.do(agent(), func(d *decide.Draft) error { _, err := d.Ask(state.AskDecision, "which?", "", nil); return err })
	case 19:
		w.head = w.tree()
		_ = w.intend()
	case 21:
		_ = w.do(by, func(d *decide.Draft) error {
			_, err := d.Allow(decide.Bypass{Rules: []string{"force"}, Reason: "once", For: time.Minute})
			return err
		})
	case 20:
		w.branch = rapid.SampledFrom([]string{"main", "work", "other"}).Draw(t, "branch")
	}
}

func TestWalks(t *testing.T) {
	done := 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		if err := w.start(agent()); err != nil {
			t.Fatal(err)
		}
		bias := rapid.IntRange(60, 100).Draw(t, "bias")
		for range rapid.IntRange(20, 120).Draw(t, "steps") {
			if !w.state.Delivery.Open() {
				break
			}
			if rapid.IntRange(0, 99).Draw(t, "good") < bias {
				_ = w.good()
			} else {
				w.bad(t)
			}
			w.sound(t)
		}
		aborted := w.state.Delivery.Status == state.Aborted
		if w.state.Delivery.Status == state.Done {
			done++
		}
		w.home(t)
		w.prefixes(t)
		if !aborted {
			w.earned(t)
		}
	})
	if done == 0 {
		t.Error("no walk reached the end by itself")
	}
	t.Logf("%d walks reached done by themselves", done)
}

// home goes on honestly from wherever a walk has led: there is no state without a
// way to the end, as long as people answer and grant what they are asked for.
func (w *world) home(t *rapid.T) {
	var last error
	stuck := 0
	for range 500 {
		if !w.state.Delivery.Open() {
			return
		}
		node, visit := w.state.Node, w.state.Nodes[w.state.Node].Visits
		err := w.good()
		w.sound(t)
		switch {
		case node != w.state.Node || visit != w.state.Nodes[node].Visits:
			stuck = 0
		case err != nil:
			stuck, last = stuck+4, err
			_ = w.record("requirements", "pass") // of an earlier node; they end with a change of the spec
		default:
			stuck++
		}
		if stuck > 16 { // the world changed under the node: it fails, and the work begins again
			stuck = 0
			if _, waits := w.state.AskAbout(state.AskApproval); waits { // for a plan that can no longer be approved, as the refusal says
				_ = w.do(human(), func(d *decide.Draft) error { return d.Reject("it has changed since") })
				continue
			}
			if w.complete(agent(), "fail-replan") != nil {
				_ = w.complete(agent(), "fail-retryable")
			}
			if w.state.Approval != nil {
				w.files["a.go"]++ // a verdict that failed stands for its tree
			}
		}
	}
	t.Fatalf("no way from %s, which is %s, to the end; the delivery is %s; last: %v", w.state.Node, w.state.Nodes[w.state.Node].Status, w.state.Delivery.Status, last)
}

// sound holds in every state.
func (w *world) sound(t *rapid.T) {
	v := gate.View{State: w.state, Graph: w.graph, Facts: w.facts()}
	for _, n := range w.graph.Nodes {
		s := w.state.Nodes[n.Name]
		if s.Attempts < 0 || s.Attempts > v.Budget(n.Name) {
			t.Fatalf("%s has %d attempts of %d", n.Name, s.Attempts, v.Budget(n.Name))
		}
	}
}

// prefixes folds the events anew: every prefix is legal, and the whole gives the
// same state. No record is lost by an invalidation: each is still in an event.
func (w *world) prefixes(t *rapid.T) {
	s := state.New()
	records := 0
	for _, e := range w.events {
		if err := state.Fold(s, e); err != nil {
			t.Fatalf("a prefix is not legal: %v", err)
		}
		for _, c := range e.Changes {
			if c.Recorded != nil {
				records++
			}
		}
	}
	want, _, err := w.state.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if got, _, _ := s.Digest(); got != want {
		t.Fatal("the fold of all events is not the state")
	}
	if records != w.state.Counts.Evidence {
		t.Fatalf("%d records in the events, %d counted", records, w.state.Counts.Evidence)
	}
}

// earned looks through the events of a finished delivery, without the rules of
// package gate: it has everything that a delivery must have, about the final tree.
func (w *world) earned(t *rapid.T) {
	final := w.tree()
	last := map[string]evidence.Record{}
	var approval *state.Approval
	waived := map[string]bool{}
	for _, e := range w.events {
		for _, c := range e.Changes {
			switch {
			case c.Recorded != nil && c.Recorded.Counts:
				last[c.Recorded.Key()] = *c.Recorded
			case c.Approved != nil:
				if !e.By.IsHuman() {
					t.Fatalf("event %d approved by %s", e.Seq, e.By.Channel)
				}
				approval = c.Approved
			case c.Waived != nil:
				if !e.By.IsHuman() {
					t.Fatalf("event %d waived by %s", e.Seq, e.By.Channel)
				}
				waived[c.Waived.Kind] = true
			}
		}
	}
	if approval == nil || approval.Plan != w.state.Docs["plan"] || approval.Spec != w.state.Docs["spec"] {
		t.Fatal("done without an approval of this plan and spec")
	}
	for _, key := range []string{"unit-test/unit", "static/lint"} {
		r, ok := last[key]
		if waived[string(r.Kind)] || waived[strings.SplitN(key, "/", 2)[0]] {
			continue
		}
		if !ok || r.Result != evidence.Pass || r.World.Tree != final || r.Witness != evidence.Executed {
			t.Fatalf("done without a run of %s on the final tree: %+v", key, r)
		}
	}
	for _, kind := range []string{"code-review", "security-review"} {
		if r := last[kind]; r.Result != evidence.Pass || r.World.Tree != final {
			t.Fatalf("done without a %s of the final tree: %+v", kind, r)
		}
	}
	if r := last["pull-request"]; r.Result != evidence.Pass || r.Head != final {
		t.Fatalf("done without a pull request of the final tree: %+v", r)
	}
	for _, p := range changedPaths(w.trees[w.state.Delivery.Tree], w.files) {
		if !w.plan.Scope.Allows(p) {
			t.Fatalf("done with %s, which is outside the approved scope", p)
		}
	}
	for _, c := range w.state.Criteria {
		if c.Verdict.Value != "pass" && !waived["acceptance"] {
			t.Fatalf("done although %s has the verdict %q", c.ID, c.Verdict.Value)
		}
	}
}
