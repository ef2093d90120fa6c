package decide_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// gives stores a verdict, changed from a pass on the tree as it is. An agent has
// opened every changed file before.
func (s *story) gives(id string, change func(*document.Review)) error {
	if id != "" {
		own, _ := s.view().Own()
		s.opens(id, own...)
	}
	return s.says(id, change)
}

func (s *story) opens(id string, files ...string) {
	s.t.Helper()
	s.ok(s.do(agent(), func(d *decide.Draft) error {
		return d.Tool(state.Tool{Tool: "Read", AgentID: id, AgentType: "reviewer", Files: s.contents(files)})
	}))
}

// says stores a verdict without looking.
func (s *story) says(id string, change func(*document.Review)) error {
	by := agent()
	if id == "" {
		by = human()
	}
	return s.do(by, func(d *decide.Draft) error {
		rev := document.Review{Version: 1, Kind: "code-review", Verdict: "pass", Tree: d.Facts.World.Tree, Summary: "read"}
		change(&rev)
		_, err := d.Review(rev, decide.Reviewer{AgentID: id, Type: "reviewer"}, "artifact")
		return err
	})
}

func as(*document.Review) {}

func failing(severity string) func(*document.Review) {
	return func(r *document.Review) {
		r.Verdict = "fail"
		r.Findings = []document.Finding{{Severity: severity, Path: "pkg/a.go", Line: 3, Title: "wrong"}}
	}
}

func TestAReview(t *testing.T) {
	s := tell(t).at(graph.Review)
	s.ok(s.gives("r1", as))
	s.shows(evidence.CodeReview, "", gate.Current, "")
	if r := s.last(); r.Witness != evidence.Document || r.By.Agent != "reviewer/r1" || r.Path != "artifact" || len(r.Unseen) != 0 {
		t.Errorf("%+v", r)
	}
	s.shows(evidence.SecurityReview, "", gate.Missing, "nothing is recorded")
	s.refused(problem.GateShut, "security-review is missing", s.outcome(agent(), "pass"))
	s.toEnd()
}

func TestAReviewIsTakenAtReview(t *testing.T) {
	s := tell(t).at(graph.Verify)
	s.opens("r1", "a.go")
	s.refused(problem.Conflict, "a verdict is taken while review is under way", func() error { return s.says("r1", as) })
	s.at(graph.Review) // what was opened in an earlier node was another look
	s.ok(s.says("r1", as))
	s.shows(evidence.CodeReview, "", gate.Missing, "was not seen to open 1 changed files as they are: a.go")
}

func TestAWorthlessReview(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*story)
		change  func(*document.Review)
		why     string
	}{
		"another tree":       {func(s *story) { s.opens("r1", "a.go") }, func(r *document.Review) { r.Tree = strings.Repeat("0", 40) }, "it is about another tree than"},
		"nothing opened":     {func(*story) {}, as, "the reviewer was not seen to open 1 changed files as they are: a.go"},
		"another file":       {func(s *story) { s.opens("r1", "a_test.go", "doc.md") }, as, "not seen to open 1 changed files as they are: a.go"},
		"another agent's":    {func(s *story) { s.opens("r2", "a.go") }, as, "not seen to open 1 changed files as they are: a.go"},
		"the reviewer wrote": {func(s *story) { s.opens("r1", "a.go"); s.wrote("r1") }, as, "the reviewer also wrote"},
		"a fail unseen":      {func(*story) {}, failing("High"), "not seen to open"},
		"the tree unknown": {func(s *story) {
			s.opens("r1", "a.go")
			start := s.state.Delivery.Tree
			s.tweak = func(f *gate.Facts) { delete(f.Changed, start) }
		}, as, "the change, which cannot be compared"},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t).at(graph.Review)
			c.prepare(s)
			s.ok(s.says("r1", c.change))
			if r := s.last(); r.Result != evidence.Unknown || r.Counts || !strings.Contains(r.Because, c.why) {
				t.Errorf("%s, counts %v: %s", r.Result, r.Counts, r.Because)
			}
			s.shows(evidence.CodeReview, "", gate.Missing, "unknown (document) opens nothing")
			if len(s.state.Findings) != 0 {
				t.Errorf("findings: %+v", s.state.Findings)
			}
			s.refused(problem.Conflict, "this agent has given its verdict already", func() error { return s.says("r1", as) })
			s.tweak = nil
			s.toEnd()
		})
	}
}

func (s *story) wrote(id string) {
	s.t.Helper()
	s.ok(s.do(agent(), func(d *decide.Draft) error {
		return d.Tool(state.Tool{Tool: "Edit", AgentID: id, AgentType: "implementer", Wrote: true})
	}))
}

// Who wrote in an earlier attempt does not review later.
func TestTheImplementerIsNoReviewer(t *testing.T) {
	s := tell(t).at(graph.Implement)
	s.wrote("impl")
	s.at(graph.Review)
	s.ok(s.gives("impl", as))
	s.shows(evidence.CodeReview, "", gate.Missing, "the reviewer also wrote")
}

func TestUnseenFilesAreListedUpToABound(t *testing.T) {
	s := tell(t, func(w *world) { w.wantPlan.Scope.Write = []string{"a.go", "pkg/*.go"} }).at(graph.Implement)
	for i := range 60 {
		s.edit(fmt.Sprintf("pkg/%02d.go", i))
	}
	s.at(graph.Review)
	s.opens("r1", "pkg/00.go")
	s.ok(s.says("r1", as))
	r := s.last()
	if len(r.Unseen) != 50 || slices.Contains(r.Unseen, "pkg/00.go") || !strings.Contains(r.Because, "59 changed files as they are: pkg/01.go, pkg/02.go, pkg/03.go, pkg/04.go, pkg/05.go") {
		t.Errorf("%d unseen: %s", len(r.Unseen), r.Because)
	}
	s.ok(s.gives("r2", as))
	s.shows(evidence.CodeReview, "", gate.Current, "")
}

func TestAFailStandsForItsTree(t *testing.T) {
	s := tell(t).at(graph.Review)
	s.ok(s.gives("r1", failing("Low")))
	s.shows(evidence.CodeReview, "", gate.Failing, "read")
	if r := s.last(); r.Signature != "code-review/a.go/low" || !slices.Equal(r.Findings, []string{"F1"}) {
		t.Errorf("%+v", r)
	}
	s.refused(problem.Conflict, "this agent has given its verdict already", func() error { return s.says("r1", as) })
	s.ok(s.gives("r2", func(r *document.Review) { r.Resolved = []string{"F1"} }))
	s.shows(evidence.CodeReview, "", gate.Failing, "read") // a second opinion hides nothing
	if r := s.last(); r.Because != "a failing verdict stands for this tree" {
		t.Errorf("%s", r.Because)
	}
	s.ok(s.gives("r3", failing("High"))) // a second fail is one more
	if s.last().Result != evidence.Fail || len(s.state.Findings) != 2 {
		t.Errorf("%s, findings %+v", s.last().Result, s.state.Findings)
	}
	s.fails("")
	s.at(graph.Implement)
	s.edit("a.go")
	s.at(graph.Review)
	s.ok(s.gives("r4", func(r *document.Review) { r.Resolved = []string{"F1", "F2"} }))
	s.shows(evidence.CodeReview, "", gate.Current, "")
	s.toEnd()
}

func TestASevereFindingShutsUntilItIsResolved(t *testing.T) {
	for severity, shuts := range map[string]bool{"Critical": true, "High": true, "Medium": false, "Low": false} {
		s := tell(t).at(graph.Review)
		s.ok(s.gives("r1", failing(severity)))
		s.fails("")
		s.at(graph.Implement)
		s.edit("a.go")
		s.at(graph.Review)
		s.ok(s.gives("r2", as)) // passes, and says nothing of the finding
		want, why := gate.Current, ""
		if shuts {
			want, why = gate.Failing, "open: F1 wrong ("+severity+")"
		}
		s.shows(evidence.CodeReview, "", want, why)
		s.shows(evidence.SecurityReview, "", gate.Missing, "")
		if !shuts {
			s.toEnd()
			continue
		}
		s.ok(s.gives("s1", func(r *document.Review) { r.Kind = "security-review"; r.Resolved = []string{"F1"} }))
		s.shows(evidence.CodeReview, "", want, why) // a review of another kind ends nothing of this one
		s.shows(evidence.SecurityReview, "", gate.Current, "")
		s.ok(s.gives("r3", func(r *document.Review) { r.Resolved = []string{"F1"} }))
		s.shows(evidence.CodeReview, "", gate.Current, "")
		s.toEnd()
	}
}

func TestAFindingThatIsNotOpen(t *testing.T) {
	s := tell(t).at(graph.Review)
	resolve := func(r *document.Review) { r.Resolved = []string{"F1"} }
	s.opens("r1", "a.go")
	s.refused(problem.Invalid, "finding F1 is not open", func() error { return s.says("r1", resolve) })
	s.ok(s.says("r1", failing("High")))
	if f := s.state.Findings[0]; f.ID != "F1" || f.Path != "pkg/a.go" || f.Line != 3 || f.Tree != s.tree() {
		t.Errorf("%+v", f)
	}
}

// A human answers for their own looking, and decides what a verdict of an agent is worth.
func TestAHumansReview(t *testing.T) {
	s := tell(t).at(graph.Review)
	s.refused(problem.HumanOnly, "a review without a reviewer's context", s.draft(agent(), func(d *decide.Draft) error {
		_, err := d.Review(document.Review{Kind: "code-review", Verdict: "pass", Tree: d.Facts.World.Tree}, decide.Reviewer{}, "a")
		return err
	}))
	s.ok(s.says("", func(r *document.Review) { r.Tree = strings.Repeat("0", 40) }))
	s.shows(evidence.CodeReview, "", gate.Missing, "it is about another tree")
	s.ok(s.gives("r1", failing("High")))
	s.ok(s.says("", as))
	s.shows(evidence.CodeReview, "", gate.Failing, "open: F1 wrong (High)")
	s.ok(s.says("", func(r *document.Review) { r.Resolved = []string{"F1"} }))
	s.shows(evidence.CodeReview, "", gate.Current, "")
	s.toEnd()
}

func TestASecurityReviewRestsOnTheScan(t *testing.T) {
	security := func(r *document.Review) { r.Kind = "security-review" }
	s := tell(t, func(w *world) {
		w.wantPlan.Gates = append(w.wantPlan.Gates, document.Gate{ID: "vuln", Kind: "scan", Argv: []string{"govulncheck", "./..."}})
	}).at(graph.Review)
	s.ok(s.gives("s1", security))
	s.shows(evidence.SecurityReview, "", gate.Missing, "scan gate vuln, which it rests on, is missing")
	s.ok(s.gives("r1", as)) // the other review does not rest on it
	s.shows(evidence.CodeReview, "", gate.Current, "")
	s.ok(s.run("vuln", 1, 0))
	s.ok(s.gives("s2", security))
	s.shows(evidence.SecurityReview, "", gate.Missing, "scan gate vuln, which it rests on, is failing")
	s.ok(s.run("vuln", 0, 0))
	s.ok(s.gives("s3", security))
	s.shows(evidence.SecurityReview, "", gate.Current, "")
	s.toEnd()
}

func TestTheSignatureOfAReviewIsItsGravestFinding(t *testing.T) {
	for want, findings := range map[string][]document.Finding{
		"code-review/verdict":         nil,
		"code-review/b.go/high":       {{Severity: "Low", Path: "a.go"}, {Severity: "High", Path: "x/b.go"}},
		"code-review/c.go/critical":   {{Severity: "High", Path: "a.go"}, {Severity: "Critical", Path: "c.go"}},
		"code-review/go.mod/medium":   {{Severity: "Low", Path: "a.go"}, {Severity: "Medium", Path: "go.mod"}},
		"code-review/first.go/medium": {{Severity: "Medium", Path: "first.go"}, {Severity: "Medium", Path: "second.go"}},
	} {
		s := tell(t).at(graph.Review)
		s.ok(s.gives("r1", func(r *document.Review) { r.Verdict, r.Findings = "fail", findings }))
		if got := s.last().Signature; got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

func TestATypedReviewOpensNothing(t *testing.T) {
	s := tell(t).at(graph.Review)
	s.refused(problem.GateShut, "a pass of code-review is not taken from a sentence", func() error { return s.record("code-review", "pass") })
	s.ok(s.record("code-review", "info"))
	s.shows(evidence.CodeReview, "", gate.Missing, "info (stated) opens nothing")
	s.ok(s.gives("r1", as))
	s.ok(s.record("code-review", "fail")) // nor does a sentence hide what counts
	s.shows(evidence.CodeReview, "", gate.Current, "")
}

func TestAMalformedVerdictGoesBackOnce(t *testing.T) {
	s := tell(t).at(graph.Review)
	s.opens("r1", "a.go")
	s.ok(s.do(agent(), func(d *decide.Draft) error { return d.SentBack("r1", "no json block") }))
	if a := s.state.Agents["r1"]; !a.Sent || a.Gave || a.Type != "reviewer" || len(a.Seen) != 1 || a.Seen["a.go"] == "" {
		t.Errorf("%+v", a)
	}
	s.ok(s.says("r1", as))
	s.shows(evidence.CodeReview, "", gate.Current, "")
}
