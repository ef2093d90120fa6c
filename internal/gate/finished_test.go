package gate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/state"
)

// Trees and commits of the world that finished describes.
const (
	treeAtStart = "t0"
	treeNow     = "t1"
	headNow     = "h1"
)

// finished is a delivery in which everything is there and about the world as it is;
// each test takes one thing away. Gate unit reads *.go, gate lint reads everything.
func finished(t *testing.T) gate.View {
	t.Helper()
	g, err := graph.Parse(graph.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	spec := document.Spec{
		Version: 1, Task: document.Task{Summary: "a", Decisions: []string{}, Assumptions: []string{}},
		Criteria: []document.Criterion{{ID: "AC-1", Text: "a is correct", Hardness: document.Hard, Verify: "tests"}},
	}
	plan := document.Plan{
		Version: 1, Scope: document.Scope{Write: []string{"*.go"}, Tests: []string{"*_test.go"}},
		Gates: []document.Gate{
			{ID: "unit", Kind: "unit-test", Argv: []string{"go", "test"}, Inputs: []string{"*.go"}, Criteria: []string{"AC-1"}},
			{ID: "lint", Kind: "static", Argv: []string{"go", "vet"}},
		},
		NotApplicable: []document.NotApplicable{{Kind: "integration-test", Because: "one package", Instead: "unit"}},
	}
	s := state.New()
	v := gate.View{State: s, Graph: g, Facts: &gate.Facts{
		World:   evidence.World{Tree: treeNow, Base: "b1", Plan: "p1", Spec: "s1", Env: "env"},
		Changed: map[string][]string{treeAtStart: {"a.go"}, treeNow: nil},
		Base:    map[string]gate.BaseMove{"b1": {Known: true, Same: true}}, FromBase: map[string]bool{},
		Task: "make a correct", Spec: &spec, Plan: &plan, Manifest: &document.Manifest{Version: 1, Files: []string{"lib/b.c"}},
		GateEnv: map[string]string{"unit": "env", "lint": "env"}, Refs: map[string]string{}, Head: headNow, HeadTree: treeNow, Branch: "work",
	}}
	s.Delivery = state.Delivery{ID: "d1", Status: state.Active, Tree: treeAtStart, Base: "main"}
	for _, n := range g.Names() {
		s.Nodes[n] = state.Node{Status: state.NodePassed, Tree: treeNow}
	}
	s.Node = graph.WorkItem
	s.Nodes[s.Node] = state.Node{Status: state.NodeRunning, Tree: treeNow}
	s.Docs = map[string]string{"spec": "s1", "plan": "p1", "manifest": "m1"}
	for _, r := range g.Kinds {
		if r.Kind.IsGate() && r.Kind != evidence.Acceptance {
			continue
		}
		put(v, evidence.Record{Kind: r.Kind, Witness: r.Witnesses[0], Head: headNow})
	}
	for _, gt := range plan.Gates {
		put(v, evidence.Record{Kind: evidence.Kind(gt.Kind), Gate: gt.ID, GateDef: gt.Digest(), Witness: evidence.Executed})
	}
	s.Criteria = []state.Criterion{{ID: "AC-1", Hardness: document.Hard, Digest: "c1", Verdict: state.Verdict{
		Value: "pass", Evidence: []string{"unit-test/unit"}, Gates: []string{"unit"}, World: v.Facts.World, Seq: 1,
	}}}
	s.Approval = &state.Approval{Record: "approval", Plan: "p1", Spec: "s1"}
	s.Submitted = &state.Submitted{Head: headNow, Tree: treeNow, URL: "local:x"}
	return v
}

// put lets a record that counts, a pass where nothing else is said, be the newest of
// its slot. Its id is the slot's key.
func put(v gate.View, r evidence.Record) {
	r.ID, r.Seq, r.Counts = r.Key(), 1, true
	if r.Result == "" {
		r.Result = evidence.Pass
	}
	if r.World == (evidence.World{}) {
		r.World = v.Facts.World
	}
	v.State.Slots[r.Key()] = state.Slot{Counts: &r, Last: &r}
}

// need returns how the kind, or one gate of it, stands.
func need(t *testing.T, v gate.View, kind evidence.Kind, gateID string) gate.Need {
	t.Helper()
	owner, _ := v.Graph.Owner(kind)
	n, _ := v.Graph.Node(owner)
	needs := v.Needs(n)
	i := slices.IndexFunc(needs, func(n gate.Need) bool { return n.Kind == kind && n.Gate == gateID })
	if i < 0 {
		t.Fatalf("%s does not need %s %s", owner, kind, gateID)
	}
	return needs[i]
}

// edited lets the paths differ between the tree of every record and the work tree.
func edited(paths ...string) func(gate.View) {
	return func(v gate.View) {
		v.Facts.World.Tree = "t2"
		v.Facts.Changed = map[string][]string{treeAtStart: append([]string{"a.go"}, paths...), treeNow: paths, "t2": nil}
	}
}

// moved lets the base branch move, with changes of these paths.
func moved(paths ...string) func(gate.View) {
	return func(v gate.View) {
		v.Facts.World.Base = "b2"
		v.Facts.Base = map[string]gate.BaseMove{"b1": {Known: true, Paths: paths}, "b2": {Known: true, Same: true}}
	}
}

func TestFinishedIsDone(t *testing.T) {
	v := finished(t)
	for _, c := range v.Done() {
		if !c.Holds {
			t.Errorf("%s: %s", c.Name, c.Why)
		}
	}
	for _, n := range v.Graph.Nodes {
		if shut := v.Shut(n); len(shut) > 0 {
			t.Errorf("%s: %+v", n.Name, shut)
		}
	}
}

// TestEachConditionKeepsDoneShut knocks out one thing at a time: the condition that
// speaks of it does not hold.
func TestEachConditionKeepsDoneShut(t *testing.T) {
	const (
		passed      = "every node passed its contract"
		criteria    = "every criterion has a current verdict and no HARD one fails"
		gates       = "every required gate passes in the current world"
		findings    = "no Critical or High finding is open"
		identifiers = "approval and pull-request identifiers exist"
		head        = "the submitted head's tree is the tree of the evidence"
		checks      = "required checks and comments are settled"
		workItem    = "the work item reflects the end"
	)
	node := func(name, status string) func(gate.View) {
		return func(v gate.View) { v.State.Nodes[name] = state.Node{Status: status, Tree: treeNow} }
	}
	without := func(key string) func(gate.View) { return func(v gate.View) { delete(v.State.Slots, key) } }
	verdict := func(change func(*state.Criterion)) func(gate.View) {
		return func(v gate.View) { change(&v.State.Criteria[0]) }
	}
	finding := func(severity string) func(gate.View) {
		return func(v gate.View) {
			v.State.Findings = []state.Finding{{ID: "F1", Kind: "code-review", Severity: severity, Title: "wrong"}}
		}
	}
	read := func(kind evidence.Kind, result evidence.Result, witness evidence.Witness) func(gate.View) {
		return func(v gate.View) {
			put(v, evidence.Record{Kind: kind, Result: result, Witness: witness, Head: headNow, Because: "none", Summary: "red"})
		}
	}
	for name, c := range map[string]struct {
		knock     func(gate.View)
		condition string // "" where everything still holds
		why       string
	}{
		"a node that failed":             {node(graph.Test, state.NodeFailed), passed, "test is failed"},
		"a node that was never entered":  {node(graph.Review, state.NodePending), passed, "review is pending"},
		"the last node, paused":          {node(graph.WorkItem, state.NodePaused), passed, "update-work-item is paused"},
		"no task":                        {without("task"), passed, "intake: task is missing (nothing is recorded)"},
		"no change":                      {without("change"), passed, "implement: change is missing"},
		"no review":                      {without("security-review"), passed, "review: security-review is missing"},
		"a stale review":                 {edited("doc.md"), passed, "review: code-review is stale (doc.md changed)"},
		"the base moved, irrelevantly":   {moved("docs/x.md"), "", ""},
		"the base moved":                 {moved("a.go"), passed, "approve: approval is stale"},
		"no criteria":                    {func(v gate.View) { v.State.Criteria = nil }, criteria, "there are no criteria"},
		"no verdict":                     {verdict(func(c *state.Criterion) { c.Verdict = state.Verdict{} }), criteria, "AC-1 has no current verdict: nobody has judged it"},
		"a HARD one that fails":          {verdict(func(c *state.Criterion) { c.Verdict.Value = "fail" }), criteria, "AC-1 is HARD and fails"},
		"a SOFT one that fails":          {verdict(func(c *state.Criterion) { c.Verdict.Value, c.Hardness = "fail", document.Soft }), "", ""},
		"a SOFT one without a verdict":   {verdict(func(c *state.Criterion) { c.Verdict, c.Hardness = state.Verdict{}, document.Soft }), criteria, "AC-1 has no current verdict"},
		"a stale verdict":                {edited("a.go"), criteria, "AC-1 has no current verdict: a.go changed"},
		"a gate without a run":           {without("static/lint"), gates, "gate lint is missing"},
		"a gate that is stale":           {edited("doc.md"), gates, "gate lint is stale"},
		"a gate that fails":              {func(v gate.View) { fail(v, "unit") }, gates, "gate unit is failing"},
		"a gate of the configuration":    {func(v gate.View) { v.Facts.Config.Gates = []document.Gate{{ID: "x", Kind: "scan"}} }, gates, "gate x is missing"},
		"no gates at all":                {func(v gate.View) { v.Facts.Plan.Gates = nil }, gates, "there are no gates"},
		"a Critical finding":             {finding("Critical"), findings, "F1 wrong (Critical)"},
		"a High finding":                 {finding("High"), findings, "F1 wrong (High)"},
		"a Medium finding":               {finding("Medium"), "", ""},
		"no approval":                    {func(v gate.View) { v.State.Approval = nil }, identifiers, "there is no approval"},
		"no pull request":                {func(v gate.View) { v.State.Submitted = nil }, identifiers, "there is no pull request"},
		"a pull request without address": {func(v gate.View) { v.State.Submitted.URL = "" }, identifiers, "there is no pull request"},
		"nothing submitted":              {func(v gate.View) { v.State.Submitted = nil }, head, "nothing was submitted"},
		"another tree":                   {edited("doc.md"), head, "the work tree differs from the submitted head"},
		"an unknown tree":                {func(v gate.View) { v.Facts.World.Tree = "" }, head, "unknown: the tree of the record cannot be compared"},
		"no pipeline":                    {without("pipeline"), checks, "pipeline is missing"},
		"a red pipeline":                 {read(evidence.Pipeline, evidence.Fail, evidence.ReadBack), checks, "pipeline is failing (red)"},
		"a pipeline of another head":     {func(v gate.View) { v.Facts.Head = "h2" }, checks, "pipeline is stale (the head is another commit now)"},
		"no checks, as read":             {read(evidence.Pipeline, evidence.Info, evidence.ReadBack), "", ""},
		"no comments, as typed":          {read(evidence.ReviewComments, evidence.Info, evidence.Stated), checks, "review-comments is missing"},
		"open comments":                  {read(evidence.ReviewComments, evidence.Fail, evidence.ReadBack), checks, "review-comments is failing"},
		"no work item, as read":          {read(evidence.WorkItemUpdate, evidence.Info, evidence.ReadBack), "", ""},
		"no look at the work item":       {without("work-item-update"), workItem, "work-item-update is missing"},
		"another state of the work item": {read(evidence.WorkItemUpdate, evidence.Fail, evidence.ReadBack), workItem, "work-item-update is failing"},
	} {
		t.Run(name, func(t *testing.T) {
			v := finished(t)
			c.knock(v)
			found := c.condition == ""
			for _, got := range v.Done() {
				switch {
				case got.Holds != (got.Why == ""):
					t.Errorf("%s: holds %v, %q", got.Name, got.Holds, got.Why)
				case got.Name == c.condition:
					found = true
					if got.Holds || !strings.Contains(got.Why, c.why) {
						t.Errorf("%s: holds %v, %q", got.Name, got.Holds, got.Why)
					}
				case c.condition == "" && !got.Holds:
					t.Errorf("%s: %s", got.Name, got.Why)
				}
			}
			if !found {
				t.Errorf("there is no condition %q", c.condition)
			}
		})
	}
}

// fail lets the newest run of a gate of the plan be a failure.
func fail(v gate.View, id string) {
	g, _ := v.Gate(id)
	put(v, evidence.Record{Kind: evidence.Kind(g.Kind), Gate: id, GateDef: g.Digest(), Witness: evidence.Executed, Result: evidence.Fail, Summary: "exit status 1"})
}
