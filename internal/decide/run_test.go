package decide_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
)

func TestWhatARunIsWorth(t *testing.T) {
	known := func(passed, failed, skipped int) evidence.Tests {
		return evidence.Tests{Runner: "go test", Unit: "test", Passed: passed, Failed: failed, Skipped: skipped, Known: true}
	}
	for name, c := range map[string]struct {
		gate   string
		change func(*decide.Run)
		state  string
		why    string
	}{
		"as it should be":          {"unit", func(*decide.Run) {}, gate.Current, ""},
		"more tests":               {"unit", func(in *decide.Run) { in.Tests = known(4, 0, 0) }, gate.Current, ""},
		"exit status 1":            {"unit", func(in *decide.Run) { in.Exit, in.Tests = 1, known(2, 1, 0) }, gate.Failing, "exit status 1"},
		"a hidden exit status":     {"unit", func(in *decide.Run) { in.Tests = known(2, 1, 0) }, gate.Failing, "1 test failed"},
		"it could not start":       {"unit", func(in *decide.Run) { in.StartErr = "no such file" }, gate.Failing, "it could not start: no such file"},
		"a timeout":                {"unit", func(in *decide.Run) { in.TimedOut, in.Exit = true, -1 }, gate.Failing, "it ran into its time limit"},
		"no test":                  {"unit", func(in *decide.Run) { in.Tests = known(0, 0, 0) }, gate.Failing, "no test ran"},
		"only skipped tests":       {"unit", func(in *decide.Run) { in.Tests = known(0, 0, 3) }, gate.Failing, "no test ran: 3 skipped"},
		"fewer tests":              {"unit", func(in *decide.Run) { in.Tests = known(2, 0, 0) }, gate.Failing, "2 tests ran where 3 ran before"},
		"more skipped":             {"unit", func(in *decide.Run) { in.Tests = known(3, 0, 1) }, gate.Failing, "1 test skipped where 0 were before"},
		"unknown counts":           {"unit", func(in *decide.Run) { in.Tests.Known = false }, gate.Missing, "the counts of go test could not be read"},
		"no runner":                {"unit", func(in *decide.Run) { in.Tests = evidence.Tests{} }, gate.Missing, "no known test runner"},
		"it changed the tree":      {"unit", func(in *decide.Run) { in.Changed = []string{"a.go", "b.go"} }, gate.Failing, "the run changed the work tree: a.go, b.go; name what it leaves behind in scope.scratch"},
		"hostile settings":         {"unit", func(in *decide.Run) { in.Hostile = []string{"GOFLAGS=-run=^$"} }, gate.Missing, "keeps runners from running what they should: GOFLAGS=-run=^$"},
		"a program of the tree":    {"unit", func(in *decide.Run) { in.InTree, in.Program = true, "/w/go" }, gate.Missing, "the program /w/go lies in the work tree"},
		"another PATH":             {"unit", func(in *decide.Run) { in.Surroundings = around("other") }, gate.Missing, "differs from the baseline's"},
		"the tree is not known":    {"unit", func(in *decide.Run) { in.Before.Tree = "" }, gate.Missing, "the tree of the run is not known"},
		"interrupted":              {"unit", func(in *decide.Run) { in.Canceled, in.Exit = true, -1 }, gate.Missing, "it was interrupted"},
		"a change is not known":    {"unit", func(in *decide.Run) { in.Unknown = true }, gate.Missing, "the tree of the run is not known"},
		"other tools than now":     {"unit", func(in *decide.Run) { in.Before.Env = "older" }, gate.Stale, "the tools or the platform changed"},
		"a linter":                 {"lint", func(in *decide.Run) { in.Tests = evidence.Tests{} }, gate.Current, ""},
		"a linter that fails":      {"lint", func(in *decide.Run) { in.Exit = 2 }, gate.Failing, "exit status 2"},
		"a linter that changed it": {"lint", func(in *decide.Run) { in.Changed = []string{"a.go"} }, gate.Failing, "the run changed the work tree"},
		"a linter elsewhere":       {"lint", func(in *decide.Run) { in.Surroundings = around("other") }, gate.Missing, "differs from the baseline's"},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t).at(graph.Test)
			s.ok(s.runWith(c.gate, c.change))
			g, _ := s.view().Gate(c.gate)
			kind := evidence.Kind(g.Kind)
			s.shows(kind, c.gate, c.state, c.why)
			r := s.last()
			if counts := c.state != gate.Missing; r.Counts != counts {
				t.Errorf("counts: %v", r.Counts)
			}
			if (r.Signature != "") != (r.Result == evidence.Fail) {
				t.Errorf("%s with the signature %q", r.Result, r.Signature)
			}
			// What shows nothing hides nothing: a good run opens, and stays open.
			s.ok(s.run(c.gate, 0, 4))
			if c.state == gate.Missing {
				s.ok(s.runWith(c.gate, c.change))
			}
			s.shows(kind, c.gate, gate.Current, "")
		})
	}
}

func TestTheRecordOfARun(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.ok(s.runWith("unit", func(in *decide.Run) { in.DurationMs, in.Path = 1200, "abc" }))
	r := s.last()
	if r.Witness != evidence.Executed || *r.Exit != 0 || r.DurationMs != 1200 || r.Path != "abc" || r.Program != "/usr/bin/go" || r.Steering != around("steer").Digest ||
		r.Gate != "unit" || r.GateDef != s.plan.Gates[0].Digest() || r.Criteria[0] != "AC-1" || r.Because != "" || r.World.Tree != s.tree() {
		t.Errorf("%+v", r)
	}
	if want := "go test -v ./...: exit status 0, 3 passed, 0 failed, 0 skipped (go test, unit test)"; r.Summary != want {
		t.Errorf("%s", r.Summary)
	}
	s.ok(s.runWith("unit", func(in *decide.Run) { in.StartErr, in.Argv = "gone", []string{"go", strings.Repeat("ü", 200)} }))
	if r = s.last(); r.Exit != nil || len(r.Summary) > 300 || !strings.HasSuffix(r.Summary, "; it could not start: gone") || !strings.HasPrefix(r.Summary, "go üü") {
		t.Errorf("%s", r.Summary)
	}
}

// A mark is no mark that a run can lower by being repeated, or a name by being used again.
func TestMarks(t *testing.T) {
	type run struct {
		passed, failed, skipped int
		result                  evidence.Result
	}
	for name, c := range map[string]struct {
		removed []string
		runs    []run // after a baseline of 3
	}{
		"a test that goes away":          {nil, []run{{2, 0, 0, evidence.Fail}, {2, 0, 0, evidence.Fail}, {3, 0, 0, evidence.Pass}}},
		"named by the plan":              {[]string{"TestOld"}, []run{{2, 0, 0, evidence.Pass}, {2, 0, 0, evidence.Pass}}},
		"the same name twice":            {[]string{"TestOld"}, []run{{2, 0, 0, evidence.Pass}, {1, 0, 0, evidence.Fail}, {2, 0, 0, evidence.Pass}}},
		"more than the plan names":       {[]string{"TestOld"}, []run{{1, 0, 0, evidence.Fail}, {2, 0, 0, evidence.Pass}}},
		"a new test that goes away":      {nil, []run{{5, 0, 0, evidence.Pass}, {4, 0, 0, evidence.Fail}, {5, 0, 0, evidence.Pass}}},
		"failing tests ran as well":      {nil, []run{{4, 1, 0, evidence.Fail}, {4, 0, 0, evidence.Fail}, {5, 0, 0, evidence.Pass}}},
		"a test that is skipped":         {nil, []run{{3, 0, 1, evidence.Fail}, {3, 0, 1, evidence.Fail}, {3, 0, 0, evidence.Pass}}},
		"skipped behind a new test":      {nil, []run{{4, 0, 1, evidence.Fail}, {4, 0, 1, evidence.Fail}, {4, 0, 0, evidence.Pass}}},
		"one skipped test less":          {nil, []run{{3, 0, 0, evidence.Pass}, {2, 0, 1, evidence.Fail}}},
		"skipped while others fail":      {nil, []run{{2, 2, 1, evidence.Fail}, {4, 0, 1, evidence.Fail}, {4, 0, 0, evidence.Pass}}},
		"a failing run is no lower mark": {nil, []run{{0, 1, 0, evidence.Fail}, {2, 0, 0, evidence.Fail}, {3, 0, 0, evidence.Pass}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, func(w *world) { w.wantPlan.RemovedTests = c.removed }).at(graph.Test)
			for i, r := range c.runs {
				s.ok(s.runWith("unit", func(in *decide.Run) {
					in.Tests.Passed, in.Tests.Failed, in.Tests.Skipped = r.passed, r.failed, r.skipped
					in.Exit = min(r.failed, 1)
				}))
				if got := s.last(); got.Result != r.result {
					t.Errorf("run %d, %+v: %s (%s)", i+1, r, got.Result, got.Because)
				}
			}
		})
	}
}

// A mark is of one argv, runner and unit, and of runs that are evidence.
func TestWhatIsNoMark(t *testing.T) {
	for name, change := range map[string]func(*decide.Run){
		"a run at the base":    func(in *decide.Run) { in.Base, in.Tests.Passed = true, 9 },
		"a run elsewhere":      func(in *decide.Run) { in.Surroundings, in.Tests.Passed = around("other"), 9 },
		"unknown counts":       func(in *decide.Run) { in.Tests.Known, in.Tests.Passed = false, 9 },
		"another argv":         func(in *decide.Run) { in.Argv, in.Tests.Passed = []string{"go", "test", "./x"}, 9 },
		"a note of the argv":   func(in *decide.Run) { in.Kind, in.Gate, in.Tests.Passed = evidence.Note, nil, 9 },
		"a run of another one": func(in *decide.Run) { in.Tests.Runner, in.Tests.Unit, in.Argv = "pytest", "test", []string{"pytest"} },
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t).at(graph.Test)
			s.ok(s.runWith("unit", change))
			s.ok(s.run("unit", 0, 3))
			s.shows(evidence.UnitTest, "unit", gate.Current, "")
		})
	}
}

func TestCountsByExitStatus(t *testing.T) {
	s := tell(t, func(w *world) { w.wantPlan.Gates[0].Counts = document.CountsExit }).at(graph.Test)
	s.ok(s.runWith("unit", func(in *decide.Run) { in.Tests = evidence.Tests{} }))
	s.shows(evidence.UnitTest, "unit", gate.Current, "")
	s.ok(s.runWith("unit", func(in *decide.Run) { in.Tests.Passed = 0 })) // known counts are not passed over
	s.shows(evidence.UnitTest, "unit", gate.Failing, "no test ran")
}

func TestABaseline(t *testing.T) {
	s := tell(t)
	s.refused(problem.GateShut, "a baseline is taken while analyze is under way", func() error { return s.run("", 0, 3) })
	s.at(graph.Analyze)
	s.ok(s.runWith("", func(in *decide.Run) { in.Hostile = []string{"GOFLAGS=-run=^$"} }))
	s.shows(evidence.Baseline, "", gate.Missing, "keeps runners from running")
	s.ok(s.runWith("", func(in *decide.Run) { in.StartErr = "no such file" }))
	s.shows(evidence.Baseline, "", gate.Failing, "could not start")
	s.ok(s.runWith("", func(in *decide.Run) { in.TimedOut = true }))
	s.shows(evidence.Baseline, "", gate.Failing, "time limit")
	s.ok(s.runWith("", func(in *decide.Run) { // it passes whatever its exit status, and leaves what it leaves
		in.Exit, in.Tests.Passed, in.Tests.Failed, in.Tests.Failing, in.Changed = 1, 0, 1, []string{"TestOld"}, []string{"out"}
	}))
	s.shows(evidence.Baseline, "", gate.Current, "")
	s.at(graph.Plan)
	s.refused(problem.Invalid, "TestOld failed before the change; call it fix or known", func() error { return s.putPlan(goodPlan()) })
	s.wantPlan.BaselineFailures = []document.BaselineFailure{{Test: "TestOld", Is: "fix"}}
	s.toEnd()
}

func TestWhichGateMayRun(t *testing.T) {
	check := func(s *story, id string) func() error {
		return s.draft(agent(), func(d *decide.Draft) error { _, err := d.CheckGate(id); return err })
	}
	config := document.Gate{ID: "policy", Kind: "static", Argv: []string{"opa", "eval"}}
	s := tell(t, func(w *world) { w.config.Gates = []document.Gate{config} })
	s.ok(check(s, "policy")()) // the base demands it, whatever the plan says
	s.refused(problem.Usage, `unknown gate "unit"`, check(s, "unit"))
	s.at(graph.Approve)
	s.refused(problem.GateShut, "gate unit is not approved yet", check(s, "unit"))
	s.at(graph.Implement)
	s.ok(check(s, "unit")())
	s.at(graph.Test)
	s.ok(s.run("unit", 0, 3))
	s.ok(s.run("lint", 0, 0))
	s.refused(problem.GateShut, "static policy is missing", s.outcome(agent(), "pass"))
	s.ok(s.run("policy", 0, 0))
	s.ok(s.complete(agent(), "fail-replan"))
	s.at(graph.Plan)
	s.wantPlan.Summary = "otherwise"
	s.ok(s.putPlan(s.wantPlan))
	s.refused(problem.GateShut, "gate unit is not approved yet", check(s, "unit"))
	s.toEnd()
}

func TestDiscriminates(t *testing.T) {
	at := func(s *story, exit int) {
		s.ok(s.runWith("unit", func(in *decide.Run) { in.Base, in.Exit = true, exit }))
	}
	s := tell(t).at(graph.Test)
	discriminates := func(want string) {
		t.Helper()
		c, _ := s.state.Criterion("AC-1")
		if got := s.view().Discriminates(c); got != want {
			t.Errorf("it is %s, not %s", got, want)
		}
	}
	discriminates("unknown")
	at(s, 1)
	s.shows(evidence.UnitTest, "unit", gate.Missing, "nothing is recorded") // a run at the base opens nothing
	discriminates("unknown")
	s.ok(s.run("unit", 0, 3))
	discriminates("yes")
	at(s, 0)
	discriminates("no")
	at(s, 1)
	discriminates("yes")
	s.edit("a.go")
	discriminates("unknown") // the pass with the change is not current
}

func TestANoteIsNoEvidence(t *testing.T) {
	s := tell(t).at(graph.Test)
	for _, exit := range []int{0, 1} {
		s.ok(s.do(agent(), func(d *decide.Draft) error {
			r, err := d.StoreRun(decide.Run{Kind: evidence.Note, Argv: []string{"echo", "ok"}, Exit: exit, Surroundings: around("other"), Changed: []string{"a.go"}, Signature: "s"})
			if r.Counts || r.Signature != "" || (r.Result == evidence.Pass) != (exit == 0) {
				err = fmt.Errorf("%+v", r)
			}
			return err
		}))
	}
	if len(s.state.Asks) != 0 {
		t.Errorf("asks: %+v", s.state.Asks)
	}
}
