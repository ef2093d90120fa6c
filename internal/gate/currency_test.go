package gate_test

import (
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/state"
)

// TestCurrency goes through the table of what ends what, row by row: for each kind
// what ends it, and what does not.
func TestCurrency(t *testing.T) {
	type row struct {
		name   string
		change func(gate.View)
		why    string // "" while it stays current
	}
	steered := func(v gate.View) { v.State.Steers = []state.Steer{{ID: "S1", Text: "cap it"}} }
	answered := func(v gate.View) {
		steered(v)
		v.Facts.Plan.Answers = []document.Answer{{Steer: "S1", How: "capped"}}
	}
	spec := func(v gate.View) { v.State.Docs["spec"] = "s2" }
	plan := func(v gate.View) { v.State.Docs["plan"] = "p2" }
	unreadableBase := func(v gate.View) { v.Facts.World.Base, v.Facts.Base = "b2", nil }
	unknownMove := func(v gate.View) { v.Facts.World.Base, v.Facts.Base["b1"] = "b2", gate.BaseMove{} }
	sameMove := func(v gate.View) {
		v.Facts.World.Base, v.Facts.Base["b1"] = "b2", gate.BaseMove{Known: true, Same: true}
	}
	unreadableTree := func(v gate.View) {
		v.Facts.World.Tree, v.Facts.TreeUnknown = "", []string{"secret: permission denied"}
	}
	otherTree := func(v gate.View) { v.Facts.Changed = map[string][]string{} }
	tools := func(v gate.View) { v.Facts.GateEnv["unit"], v.Facts.World.Env = "newer", "newer" }
	head := func(v gate.View) { v.Facts.Head = "h2" }
	ambient := func(v gate.View) { v.Facts.World.Ambient = "x" }
	unit := func(change func(*document.Gate)) func(gate.View) {
		return func(v gate.View) { change(&v.Facts.Plan.Gates[0]) }
	}
	stays := []row{
		{"a tool", tools, ""}, {"the head", head, ""}, {"an untracked file", ambient, ""},
	}
	base := []row{
		{"a relevant move of the base", moved("a.go"), "the base moved and changed a.go"},
		{"a move that touches an input", moved("x.go"), "the base moved and changed x.go"},
		{"a move that touches what analyze listed", moved("lib/b.c"), "the base moved and changed lib/b.c"},
		{"a move that touches what always counts", moved("docs/x.md", "go.sum"), "the base moved and changed go.sum"},
		{"an irrelevant move of the base", moved("docs/x.md"), ""},
		{"a base that cannot be read", unreadableBase, "unknown: what changed on the base branch cannot be read"},
		{"a move that cannot be read", unknownMove, "unknown: what changed on the base branch cannot be read"},
		{"another commit of the same content", sameMove, ""},
	}
	planned := append(append([]row{
		{"the plan", plan, "plan.json changed"},
		{"the spec", spec, "spec.json changed"},
		{"a steer", steered, "steer S1 is not answered by the plan: cap it"},
		{"a steer without a plan", func(v gate.View) { steered(v); v.Facts.Plan = nil }, "steer S1 is not answered by the plan"},
		{"an answered steer", answered, ""},
		{"an edit", edited("a.go"), ""},
	}, base...), stays...)
	gates := []row{
		{"an input", edited("b.go"), "b.go changed"},
		{"what always counts", edited("go.sum"), "go.sum changed"},
		{"what it does not read", edited("doc.md"), ""},
		{"a relevant move of the base, which changed no file yet", moved("a.go"), ""},
		{"the tools", tools, "the tools or the platform changed"},
		{"tools that were not read", func(v gate.View) { delete(v.Facts.GateEnv, "unit") }, "unknown: the environment of gate unit was not read"},
		{"its argv", unit(func(g *document.Gate) { g.Argv = []string{"true"} }), "the definition of gate unit changed"},
		{"its inputs", unit(func(g *document.Gate) { g.Inputs = []string{"a.go"} }), "the definition of gate unit changed"},
		{"an untracked file", ambient, "a file that was untracked at start changed"},
		{"a tree that cannot be read", unreadableTree, "unknown: the tree cannot be computed: secret: permission denied"},
		{"a tree that cannot be compared", otherTree, "unknown: the tree of the record cannot be compared"},
		{"the spec", spec, ""},
		{"the head", head, ""},
	}
	reviews := []row{
		{"any file", edited("doc.md"), "doc.md changed"},
		{"an untracked file", ambient, "a file that was untracked at start changed"},
		{"a tree that cannot be read", unreadableTree, "unknown: the tree cannot be computed"},
		{"the tools", tools, ""},
		{"the head", head, ""},
		{"the base", moved("a.go"), ""},
	}
	reads := []row{
		{"the head", head, "the head is another commit now"},
		{"a head that cannot be read", func(v gate.View) { v.Facts.Head = "" }, "unknown: the head commit could not be read"},
		{"another submission", func(v gate.View) { v.State.Submitted.Head = "h2" }, "another head was submitted"},
		{"no submission", func(v gate.View) { v.State.Submitted = nil }, ""},
		{"an edit that is not committed", edited("a.go"), ""},
		{"the base", moved("a.go"), ""},
	}
	for _, c := range []struct {
		kind evidence.Kind
		gate string
		rows []row
	}{
		{evidence.Task, "", append([]row{
			{"the task's text", func(v gate.View) { v.Facts.Task = "make FR-7 true" }, "spec.json no longer covers the task: criteria: FR-7"},
			{"no spec", func(v gate.View) { v.Facts.Spec = nil }, "there is no spec.json"},
			{"another text that is covered", func(v gate.View) { v.Facts.Task = "make AC-1 true" }, ""},
			{"an edit", edited("a.go"), ""},
			{"the base", moved("a.go"), ""},
		}, stays...)},
		{evidence.Repository, "", append(append([]row{{"an edit", edited("a.go"), ""}, {"the plan", plan, ""}}, base...), stays...)},
		{evidence.Baseline, "", append(append([]row{{"an edit", edited("a.go"), ""}, {"the spec", spec, ""}}, base...), stays...)},
		{evidence.Requirements, "", append([]row{
			{"the spec", spec, "spec.json changed"}, {"the plan", plan, ""}, {"the base", moved("a.go"), ""}, {"an edit", edited("a.go"), ""},
		}, stays...)},
		{evidence.Plan, "", planned},
		{evidence.Approval, "", append([]row{
			{"another approval", func(v gate.View) { v.State.Approval.Record = "E9" }, "it is not the approval in force"},
			{"no approval", func(v gate.View) { v.State.Approval = nil }, "it is not the approval in force"},
		}, planned...)},
		{evidence.Change, "", append([]row{
			{"a file in scope", edited("b.go"), "b.go changed"},
			{"a test", edited("a_test.go"), ""},
			{"a file outside the scope", edited("doc.md"), ""},
			{"a test and a file in scope", edited("a_test.go", "b.go"), "b.go changed"},
			{"no plan", func(v gate.View) { edited("b.go")(v); v.Facts.Plan = nil }, "there is no plan"},
			{"a tree that cannot be read", unreadableTree, "unknown: the tree cannot be computed"},
		}, stays...)},
		{evidence.UnitTest, "unit", gates},
		{evidence.Static, "lint", []row{
			{"any file, since it names no inputs", edited("doc.md"), "doc.md changed"},
			{"the tools of another gate", tools, ""},
		}},
		{evidence.Acceptance, "", []row{
			{"an input of the gate", edited("b.go"), "AC-1 has no current verdict: b.go changed"},
			{"another file", edited("doc.md"), ""},
			{"the gate's tools", tools, "AC-1 has no current verdict: gate unit is stale"},
			{"the gate's newest run", func(v gate.View) { fail(v, "unit") }, "AC-1 has no current verdict: gate unit is failing"},
			{"the gate is gone", unit(func(g *document.Gate) { g.ID = "units" }), "AC-1 has no current verdict: gate unit is no longer in force"},
			{"the verdict", func(v gate.View) { v.State.Criteria[0].Verdict.Value = "fail" }, "AC-1 is HARD and fails"},
			{"a ref", func(v gate.View) { v.State.Criteria[0].Verdict.Refs = map[string]string{"d.md": "1"} }, "d.md, which it refers to, changed"},
			{"the same ref", func(v gate.View) {
				v.State.Criteria[0].Verdict.Refs = map[string]string{"d.md": "1"}
				v.Facts.Refs["d.md"] = "1"
			}, ""},
			{"a tree that cannot be compared", otherTree, "unknown: the tree of the record cannot be compared"},
			{"the base", moved("a.go"), ""},
			{"the head", head, ""},
		}},
		{evidence.CodeReview, "", reviews},
		{evidence.SecurityReview, "", reviews},
		{evidence.PullRequest, "", reads},
		{evidence.Pipeline, "", reads},
		{evidence.ReviewComments, "", reads},
		{evidence.WorkItemUpdate, "", reads},
	} {
		for _, r := range c.rows {
			t.Run(string(c.kind)+"/"+r.name, func(t *testing.T) {
				v := finished(t)
				r.change(v)
				n := need(t, v, c.kind, c.gate)
				want := gate.Stale
				if r.why == "" {
					want = gate.Current
				}
				if n.State != want || !strings.Contains(n.Why, r.why) {
					t.Errorf("it is %s (%s), not %s (%s)", n.State, n.Why, want, r.why)
				}
			})
		}
	}
}

// TestAReturnEndsEveryKindOfItsNodes: what was recorded up to the return counts no more.
func TestAReturnEndsEveryKindOfItsNodes(t *testing.T) {
	for _, r := range finished(t).Graph.Kinds {
		v := finished(t)
		owner, _ := v.Graph.Owner(r.Kind)
		gateID := map[evidence.Kind]string{evidence.UnitTest: "unit", evidence.Static: "lint"}[r.Kind]
		if r.Kind.IsGate() && gateID == "" && r.Kind != evidence.Acceptance {
			continue
		}
		for since, want := range map[int64]string{0: gate.Current, 1: gate.Stale, 2: gate.Stale} {
			n := v.State.Nodes[owner]
			n.Since = since
			v.State.Nodes[owner] = n
			if got := need(t, v, r.Kind, gateID); got.State != want {
				t.Errorf("%s after a return at %d is %s (%s)", r.Kind, since, got.State, got.Why)
			}
		}
	}
}

// TestRelevance: what a move of the base has to touch.
func TestRelevance(t *testing.T) {
	for name, c := range map[string]struct {
		change func(gate.View)
		path   string
		stale  bool
	}{
		"a path of nobody":             {func(gate.View) {}, "docs/x.md", false},
		"nothing is planned yet":       {func(v gate.View) { v.Facts.Plan, v.Facts.Manifest = nil, nil }, "docs/x.md", true},
		"the manifest alone, its path": {func(v gate.View) { v.Facts.Plan = nil }, "lib/b.c", true},
		"the manifest alone, another":  {func(v gate.View) { v.Facts.Plan = nil }, "a.go", false},
		"a gate file by a pattern":     {func(v gate.View) { v.Facts.Plan.Scope.Write = []string{"conf/*"} }, "conf/x.md", true},
		"an input of the configuration": {func(v gate.View) {
			v.Facts.Config.Gates = []document.Gate{{ID: "c", Kind: "scan", Inputs: []string{"docs/**"}}}
		}, "docs/x.md", true},
		"a gate that reads everything":   {func(gate.View) {}, "docs/y.md", false},
		"a path in scope, without gates": {func(v gate.View) { v.Facts.Plan.Gates = nil }, "z.go", true},
	} {
		v := finished(t)
		moved(c.path)(v)
		c.change(v)
		if n := need(t, v, evidence.Baseline, ""); (n.State == gate.Stale) != c.stale {
			t.Errorf("%s: baseline is %s (%s)", name, n.State, n.Why)
		}
	}
}

// TestInput: which paths a gate's evidence depends on. What is in the plan's scope
// and no test gate names is an input of all of them.
func TestInput(t *testing.T) {
	narrow, wide, build := document.Gate{ID: "n", Kind: "unit-test", Inputs: []string{"src/**/*.go"}}, document.Gate{}, document.Gate{ID: "b", Kind: "build", Inputs: []string{"src/**/*.go"}}
	with := func(gates ...document.Gate) gate.View {
		return gate.View{Facts: &gate.Facts{Plan: &document.Plan{Gates: gates, Scope: document.Scope{Write: []string{"lib/*.go", "src/**"}}}}}
	}
	other := document.Gate{ID: "o", Kind: "integration-test", Inputs: []string{"lib/**"}}
	lint := document.Gate{ID: "l", Kind: "static", Inputs: []string{"**"}}
	for path, want := range map[string][5]bool{ // narrow, wide, build alone; narrow beside a test gate of lib, beside a static gate of all
		"src/a.go":             {true, true, true, true, true},
		"src/x/y/a.go":         {true, true, true, true, true},
		"other/a.go":           {false, true, false, false, false},
		"lib/a.go":             {true, true, false, false, true},
		"src/a.md":             {true, true, false, true, true},
		"go.mod":               {true, true, true, true, true},
		".github/workflows/ci": {true, true, true, true, true},
	} {
		got := [5]bool{
			with(narrow).Input(narrow, path), with(wide).Input(wide, path), with(build).Input(build, path),
			with(narrow, other).Input(narrow, path), with(narrow, lint).Input(narrow, path),
		}
		if got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
