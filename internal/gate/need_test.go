package gate_test

import (
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/state"
)

// TestOnlyAcceptedWitnessesOpen tries every witness on every kind, against the graph.
func TestOnlyAcceptedWitnessesOpen(t *testing.T) {
	witnesses := []evidence.Witness{evidence.Executed, evidence.Git, evidence.ReadBack, evidence.Human, evidence.Document, evidence.Stated, "", "oracle"}
	for _, r := range finished(t).Graph.Kinds {
		if r.Kind.IsGate() && r.Kind != evidence.UnitTest && r.Kind != evidence.Acceptance {
			continue
		}
		for _, w := range witnesses {
			v := finished(t)
			record := evidence.Record{Kind: r.Kind, Witness: w, Head: headNow}
			if r.Kind == evidence.UnitTest {
				record.Gate, record.GateDef = "unit", v.Facts.Plan.Gates[0].Digest()
			}
			put(v, record)
			n := need(t, v, r.Kind, record.Gate)
			if n.Open() != r.Accepts(w) {
				t.Errorf("%s by %q is %s (%s)", r.Kind, w, n.State, n.Why)
			}
			if !n.Open() && (n.State != gate.Missing || !strings.Contains(n.Why, "does not open it")) {
				t.Errorf("%s by %q is %s (%s)", r.Kind, w, n.State, n.Why)
			}
		}
	}
}

// TestResults: what a record that counts says, and what an info may open.
func TestResults(t *testing.T) {
	for _, r := range finished(t).Graph.Kinds {
		if r.Kind.IsGate() && r.Kind != evidence.Acceptance {
			continue
		}
		read := r.Check == "read" && r.Kind != evidence.PullRequest
		for result, want := range map[evidence.Result]string{
			evidence.Pass: gate.Current, evidence.Fail: gate.Failing, evidence.Unknown: gate.Failing,
			evidence.Info: map[bool]string{true: gate.Info, false: gate.Missing}[read],
		} {
			v := finished(t)
			put(v, evidence.Record{Kind: r.Kind, Witness: r.Witnesses[0], Result: result, Head: headNow, Because: "none"})
			if n := need(t, v, r.Kind, ""); n.State != want {
				t.Errorf("%s %s is %s (%s)", r.Kind, result, n.State, n.Why)
			}
		}
	}
}

// TestARecordThatDoesNotCount says why, and hides nothing.
func TestARecordThatDoesNotCount(t *testing.T) {
	v := finished(t)
	note := evidence.Record{ID: "E9", Kind: evidence.Pipeline, Result: evidence.Unknown, Witness: evidence.ReadBack, Because: "403"}
	good := v.State.Slots["pipeline"].Counts
	v.State.Slots["pipeline"] = state.Slot{Last: &note, Counts: good}
	if n := need(t, v, evidence.Pipeline, ""); n.State != gate.Current || n.Evidence != "pipeline" {
		t.Errorf("%+v", n)
	}
	v.State.Slots["pipeline"] = state.Slot{Last: &note}
	if n := need(t, v, evidence.Pipeline, ""); n.State != gate.Missing || n.Evidence != "E9" || n.Why != "unknown (read-back) opens nothing: 403" {
		t.Errorf("%+v", n)
	}
}

func TestWaivers(t *testing.T) {
	for _, r := range finished(t).Graph.Kinds {
		v := finished(t)
		v.State.Slots = map[string]state.Slot{}
		v.State.Waivers[string(r.Kind)] = state.Waiver{Because: "a human said so"}
		gateID := map[evidence.Kind]string{evidence.UnitTest: "unit", evidence.Static: "lint", evidence.Build: "b", evidence.Scan: "s"}[r.Kind]
		v.Facts.Plan.Gates = append(v.Facts.Plan.Gates, document.Gate{ID: "b", Kind: "build"}, document.Gate{ID: "s", Kind: "scan"})
		n := need(t, v, r.Kind, gateID)
		never := r.Kind == evidence.Approval || r.Kind.IsReview() || r.Kind == evidence.PullRequest
		if n.Open() == never || !never && n.Why != "waived by a human: a human said so" {
			t.Errorf("%s, waived, is %s (%s)", r.Kind, n.State, n.Why)
		}
	}
}

// TestNotApplicable: the plan says which gate covers the integration tests.
func TestNotApplicable(t *testing.T) {
	integration := func(v gate.View) *document.NotApplicable { return &v.Facts.Plan.NotApplicable[0] }
	for name, c := range map[string]struct {
		change func(gate.View)
		state  string
		why    string
	}{
		"covered":                    {func(gate.View) {}, gate.Info, "one package"},
		"the gate fails":             {func(v gate.View) { fail(v, "unit") }, gate.Failing, "gate unit covers it and is failing"},
		"the gate is stale":          {edited("a.go"), gate.Stale, "gate unit covers it and is stale"},
		"the gate has no run":        {func(v gate.View) { delete(v.State.Slots, "unit-test/unit") }, gate.Missing, "gate unit covers it and is missing"},
		"the gate is not there":      {func(v gate.View) { integration(v).Instead = "e2e" }, gate.Missing, "gate e2e, which is to cover it, is not there"},
		"no gate is named":           {func(v gate.View) { integration(v).Instead = "" }, gate.Missing, "gate , which is to cover it, is not there"},
		"nothing is said":            {func(v gate.View) { v.Facts.Plan.NotApplicable = nil }, gate.Missing, "the plan has no gate of this kind"},
		"another kind is said":       {func(v gate.View) { integration(v).Kind = "baseline" }, gate.Missing, "the plan has no gate of this kind"},
		"no plan":                    {func(v gate.View) { v.Facts.Plan = nil }, gate.Missing, "the plan has no gate of this kind"},
		"covered by what was waived": {func(v gate.View) { v.State.Waivers["unit-test"] = state.Waiver{Because: "x"} }, gate.Info, "gate unit covers it and is info"},
		"waived itself":              {func(v gate.View) { v.State.Waivers["integration-test"] = state.Waiver{Because: "x"} }, gate.Info, "waived by a human: x"},
		"a record of it by a sentence": {func(v gate.View) {
			integration(v).Kind = "baseline"
			put(v, evidence.Record{Kind: evidence.IntegrationTest, Witness: evidence.Executed})
		}, gate.Missing, "the plan has no gate of this kind"},
	} {
		v := finished(t)
		c.change(v)
		if n := need(t, v, evidence.IntegrationTest, ""); n.State != c.state || n.Why != c.why {
			t.Errorf("%s: it is %s (%s)", name, n.State, n.Why)
		}
	}
	v := finished(t) // only integration tests have that way out
	v.Facts.Plan.Gates = v.Facts.Plan.Gates[1:]
	v.Facts.Plan.NotApplicable = []document.NotApplicable{{Kind: "unit-test", Because: "none", Instead: "lint"}}
	if n := need(t, v, evidence.UnitTest, ""); n.State != gate.Missing {
		t.Errorf("unit tests are %s (%s)", n.State, n.Why)
	}
}

func TestNeedsOfEveryGate(t *testing.T) {
	v := finished(t)
	v.Facts.Config.Gates = []document.Gate{{ID: "more", Kind: "unit-test"}, {ID: "b", Kind: "build"}, {ID: "s", Kind: "scan"}}
	var names []string
	for _, node := range []string{graph.Test, graph.Verify, graph.Review} {
		n, _ := v.Graph.Node(node)
		for _, need := range v.Needs(n) {
			names = append(names, need.Name())
		}
	}
	want := "unit-test unit, unit-test more, integration-test, build b, static lint, acceptance, code-review, security-review, scan s"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("got %s", got)
	}
}

func TestOpenFindingsShutTheirReview(t *testing.T) {
	v := finished(t)
	v.State.Findings = []state.Finding{
		{ID: "F1", Kind: "code-review", Severity: "High", Title: "wrong"},
		{ID: "F2", Kind: "code-review", Severity: "Low", Title: "ugly"},
		{ID: "F3", Kind: "code-review", Severity: "Critical", Title: "broken"},
	}
	if n := need(t, v, evidence.CodeReview, ""); n.State != gate.Failing || n.Why != "open: F1 wrong (High); F3 broken (Critical)" {
		t.Errorf("%s: %s", n.State, n.Why)
	}
	if n := need(t, v, evidence.SecurityReview, ""); n.State != gate.Current {
		t.Errorf("%s: %s", n.State, n.Why)
	}
}

func TestBudgets(t *testing.T) {
	v := finished(t)
	v.Facts.Config.Budgets = map[string]int{graph.Implement: 1, graph.Test: 5, graph.Review: 0}
	v.State.Nodes[graph.Implement] = state.Node{Granted: 2}
	for node, want := range map[string]int{graph.Implement: 3, graph.Test: 3, graph.Review: 2, graph.Approve: 1, "nowhere": 0} {
		if got := v.Budget(node); got != want {
			t.Errorf("%s has %d attempts, not %d", node, got, want)
		}
	}
}

func TestViolationsName(t *testing.T) {
	for want, v := range map[string]gate.Violation{"a.go: it changed": {Path: "a.go", Why: "it changed"}, "unknown": {Why: "unknown"}} {
		if v.String() != want {
			t.Errorf("%q", v)
		}
	}
}

// TestVerdicts: how a criterion stands, and that a human's verdict is about its tree.
func TestVerdicts(t *testing.T) {
	byHuman := func(v gate.View) { v.State.Criteria[0].Verdict.Gates = nil }
	for name, c := range map[string]struct {
		change func(gate.View)
		want   string
		why    string
	}{
		"as judged":                     {func(gate.View) {}, gate.VerdictPass, ""},
		"by a human":                    {byHuman, gate.VerdictPass, ""},
		"by a human, then an edit":      {func(v gate.View) { byHuman(v); edited("doc.md")(v) }, gate.VerdictStale, "doc.md changed since the verdict"},
		"by a human, the tree unknown":  {func(v gate.View) { byHuman(v); v.Facts.Changed = nil }, gate.VerdictStale, "unknown: the tree of the record cannot be compared"},
		"a fail whose gate passes":      {func(v gate.View) { v.State.Criteria[0].Verdict.Value = "fail" }, gate.VerdictFail, ""},
		"a fail whose gate still fails": {func(v gate.View) { v.State.Criteria[0].Verdict.Value = "fail"; fail(v, "unit") }, gate.VerdictFail, ""},
		"before the last return":        {func(v gate.View) { v.State.Nodes[graph.Verify] = state.Node{Since: 1} }, gate.VerdictStale, "its verdict is from before the last return"},
	} {
		v := finished(t)
		c.change(v)
		if got, why := v.Verdict(v.State.Criteria[0]); got != c.want || why != c.why {
			t.Errorf("%s: %s (%s)", name, got, why)
		}
	}
}
