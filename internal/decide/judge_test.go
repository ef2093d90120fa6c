package decide_test

import (
	"slices"
	"testing"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
)

// judges gives a verdict on AC-1, changed from one that cites the unit gate.
func (s *story) judges(change func(*document.VerdictInput)) func() error {
	return s.draft(agent(), func(d *decide.Draft) error {
		c, _ := d.State.Criterion("AC-1")
		in := document.VerdictInput{ID: c.ID, Verdict: "pass", Expected: c.Digest, Evidence: []string{d.State.Slots["unit-test/unit"].Counts.ID}}
		change(&in)
		_, err := d.Judge(in)
		return err
	})
}

func TestJudge(t *testing.T) {
	s := tell(t).at(graph.Verify)
	cites := func(ids ...string) func(*document.VerdictInput) {
		return func(in *document.VerdictInput) { in.Evidence = ids }
	}
	s.ok(s.record("note", "pass"))
	note := s.last().ID
	lint := s.state.Slots["static/lint"].Counts.ID
	baseline := s.state.Slots["baseline"].Counts.ID
	for text, c := range map[string]struct {
		code   problem.Code
		change func(*document.VerdictInput)
	}{
		`unknown criterion "AC-9"`:                      {problem.Usage, func(in *document.VerdictInput) { in.ID = "AC-9" }},
		`unknown verdict "passed"`:                      {problem.Usage, func(in *document.VerdictInput) { in.Verdict = "passed" }},
		"AC-1 is not the criterion that was judged":     {problem.Conflict, func(in *document.VerdictInput) { in.Expected = "other" }},
		"a newer record has taken its place":            {problem.GateShut, cites("E99")},
		"a pass of AC-1 needs a current passing record": {problem.GateShut, cites()},
		note + " is not from an approved gate":          {problem.GateShut, cites(note)},
		baseline + " is not from an approved gate":      {problem.GateShut, cites(baseline)},
		"gate lint of " + lint + " does not name AC-1":  {problem.GateShut, cites(lint)},
	} {
		s.refused(c.code, text, s.judges(c.change))
	}
	s.ok(s.judges(func(*document.VerdictInput) {})())
	c, _ := s.state.Criterion("AC-1")
	if v := c.Verdict; v.Value != "pass" || !slices.Equal(v.Gates, []string{"unit"}) || v.World.Tree != s.tree() || v.Channel != "agent" {
		t.Errorf("%+v", v)
	}
	s.toEnd()
}

func TestAPassCitesWhatIsCurrent(t *testing.T) {
	t.Run("a failing run", func(t *testing.T) {
		s := tell(t).at(graph.Verify)
		s.ok(s.run("unit", 1, 3))
		s.refused(problem.GateShut, "is not the current pass of gate unit (failing", s.judges(func(*document.VerdictInput) {}))
		s.ok(s.judges(func(in *document.VerdictInput) { in.Verdict = "fail" })()) // to fail, it is enough
	})
	t.Run("a run of other code", func(t *testing.T) {
		s := tell(t).at(graph.Verify)
		s.edit("a.go")
		s.refused(problem.GateShut, "is not the current pass of gate unit (stale: a.go changed)", s.judges(func(*document.VerdictInput) {}))
	})
	t.Run("an earlier run", func(t *testing.T) {
		s := tell(t).at(graph.Verify)
		first := s.state.Slots["unit-test/unit"].Counts.ID
		s.ok(s.run("unit", 0, 3))
		s.refused(problem.GateShut, "evidence "+first+" is not known, or a newer record", s.judges(func(in *document.VerdictInput) { in.Evidence = []string{first} }))
	})
	t.Run("a run at the base", func(t *testing.T) {
		s := tell(t).at(graph.Verify)
		s.ok(s.runWith("unit", func(in *decide.Run) { in.Base = true }))
		id := s.last().ID
		s.refused(problem.GateShut, id+" is not the current pass of gate unit", s.judges(func(in *document.VerdictInput) { in.Evidence = []string{id} }))
	})
}

func TestASoftCriterion(t *testing.T) {
	soft := func(w *world) {
		w.wantSpec.Criteria = append(w.wantSpec.Criteria, document.Criterion{ID: "AC-2", Text: "a is fast", Hardness: "SOFT", Verify: "look"})
		w.wantPlan.Tasks[0].Criteria = []string{"AC-1", "AC-2"}
		w.wantPlan.Gates[1].Criteria = []string{"AC-2"}
	}
	second := func(s *story, verdict string) {
		s.ok(s.do(agent(), func(d *decide.Draft) error {
			c, _ := d.State.Criterion("AC-2")
			_, err := d.Judge(document.VerdictInput{ID: "AC-2", Verdict: verdict, Expected: c.Digest})
			return err
		}))
	}
	for _, verdict := range []string{"pass", "fail"} {
		s := tell(t, soft).at(graph.Verify)
		s.ok(s.judge("pass"))
		s.refused(problem.GateShut, "AC-2 has no current verdict", func() error { return s.record("acceptance", "pass") })
		second(s, verdict) // without evidence, since it is SOFT
		s.toEnd()
	}
}

func TestAVerdictEndsWithWhatItRefersTo(t *testing.T) {
	s := tell(t, func(w *world) {
		w.wantSpec.Criteria[0].Refs = []string{"design.md", "PROJ-7"}
		w.tweak = func(f *gate.Facts) { f.Refs["design.md"] = "one" }
	}).at(graph.Verify)
	s.ok(s.judge("pass"))
	c, _ := s.state.Criterion("AC-1")
	if len(c.Verdict.Refs) != 1 || c.Verdict.Refs["design.md"] != "one" {
		t.Errorf("refs: %v", c.Verdict.Refs)
	}
	for _, content := range []string{"two", ""} {
		s.tweak = func(f *gate.Facts) {
			if content != "" {
				f.Refs["design.md"] = content
			}
		}
		if got, why := s.view().Verdict(c); got != gate.VerdictStale || why != "design.md, which it refers to, changed" {
			t.Errorf("it is %s: %s", got, why)
		}
	}
	s.ok(s.record("note", "info"))
	s.refused(problem.GateShut, "design.md, which it refers to, changed", func() error { return s.record("acceptance", "pass") })
	s.tweak = func(f *gate.Facts) { f.Refs["design.md"] = "one" }
	s.toEnd()
}

func TestAcceptanceGates(t *testing.T) {
	s := tell(t, func(w *world) {
		w.wantPlan.Gates = append(w.wantPlan.Gates, document.Gate{ID: "e2e", Kind: "acceptance", Argv: []string{"./e2e.sh"}})
	}).at(graph.Verify)
	s.ok(s.judge("pass"))
	s.ok(s.record("acceptance", "pass"))
	s.shows(evidence.Acceptance, "", gate.Current, "")
	s.refused(problem.GateShut, "acceptance e2e is missing", s.outcome(agent(), "pass"))
	s.ok(s.run("e2e", 0, 0))
	s.ok(s.complete(agent(), "pass"))
	s.toEnd()
}
