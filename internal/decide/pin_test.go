package decide_test

import (
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

func programs(path, digest string) map[string]state.Program {
	return map[string]state.Program{"go": {Path: path, Digest: digest}}
}

// pinned starts a delivery that has seen git at start and a program at the baseline.
func pinned(t *testing.T) *story {
	s := tell(t, func(w *world) {
		w.tweak = func(f *gate.Facts) { f.Programs = map[string]state.Program{state.Git: {Path: "/git", Digest: "1"}} }
	}).at(graph.Analyze)
	s.ok(s.runWith("", func(in *decide.Run) { in.Programs = withGit("/go", "1") }))
	return s
}

func withGit(path, digest string) map[string]state.Program {
	p := programs(path, digest)
	p[state.Git] = state.Program{Path: "/git", Digest: "1"}
	return p
}

func TestAProgramIsTheOneOfTheBaseline(t *testing.T) {
	for name, c := range map[string]struct{ path, digest, says string }{
		"replaced in its place": {"/go", "2", "/go has another content than before"},
		"found elsewhere":       {"/fake/go", "1", "go is /fake/go, and was /go"},
	} {
		t.Run(name, func(t *testing.T) {
			s := pinned(t).at(graph.Test)
			run := func() {
				s.ok(s.runWith("unit", func(in *decide.Run) { in.Programs = withGit(c.path, c.digest) }))
			}
			run()
			s.shows(evidence.UnitTest, "unit", gate.Missing, c.says)
			run()
			a := s.ask()
			if len(s.state.Asks) != 1 || a.Topic.Name != state.TopicPrograms || !strings.Contains(a.About, c.says) {
				t.Fatalf("asks: %+v", s.state.Asks)
			}
			s.refused(problem.HumanOnly, "reply", s.draft(agent(), func(d *decide.Draft) error { return d.Reply(a.ID, decide.Accept) }))
			s.ok(s.reply(a.ID, decide.Refuse))
			run()
			s.shows(evidence.UnitTest, "unit", gate.Missing, c.says)
			s.ok(s.reply(s.ask().ID, decide.Accept))
			run()
			s.shows(evidence.UnitTest, "unit", gate.Current, "")
		})
	}
}

// A name that meant nothing when the plan was stored means something now.
func TestAProgramThatWasNone(t *testing.T) {
	s := pinned(t).at(graph.Test)
	s.ok(s.runWith("unit", func(in *decide.Run) {
		in.Programs = withGit("/go", "1")
		in.Programs["test"] = state.Program{Path: "/fake/test", Digest: "3"}
	}))
	s.shows(evidence.UnitTest, "unit", gate.Missing, "test is /fake/test, and was no program")
}

// What the plan's gates mean is pinned with it; what is pinned already stays.
func TestThePlanPinsWhatTheBaselineDidNot(t *testing.T) {
	s := pinned(t).at(graph.Plan)
	s.tweak = func(f *gate.Facts) {
		f.Surroundings, f.Programs = around("other"), withGit("/fake/go", "2")
		f.Programs["lint"] = state.Program{Path: "/lint", Digest: "4"}
	}
	s.ok(s.putPlan(s.wantPlan))
	if p := s.state.Programs; p["go"].Path != "/go" || p["lint"].Path != "/lint" || s.state.Surroundings.Digest != around("steer").Digest {
		t.Errorf("%+v, %+v", p, s.state.Surroundings)
	}
	waived := tell(t).at(graph.Analyze)
	waived.ok(waived.complete(agent(), "blocked"))
	waived.ok(waived.reply(waived.ask().ID, "waive baseline"))
	waived.tweak = func(f *gate.Facts) { f.Surroundings, f.Programs = around("plan's"), programs("/go", "1") }
	waived.at(graph.Approve)
	if waived.state.Surroundings.Digest != around("plan's").Digest || waived.state.Programs["go"].Path != "/go" {
		t.Errorf("%+v %+v", waived.state.Surroundings, waived.state.Programs)
	}
}

// Before anything is pinned nothing can be compared.
func TestARunBeforeAnythingIsPinned(t *testing.T) {
	s := tell(t, func(w *world) {
		w.config.Gates = []document.Gate{{ID: "policy", Kind: "static", Argv: []string{"opa", "eval"}}}
	}).at(graph.Analyze)
	s.ok(s.run("policy", 0, 0))
	s.shows(evidence.Static, "policy", gate.Missing, "no environment is fixed yet")
	if len(s.state.Asks) != 0 {
		t.Errorf("%+v", s.state.Asks)
	}
}

// A later baseline puts its programs in the place of the earlier one's, but never git.
func TestALaterBaseline(t *testing.T) {
	s := pinned(t)
	s.ok(s.runWith("", func(in *decide.Run) { in.Programs, in.Surroundings = withGit("/sdk/go", "5"), around("fixed") }))
	if s.state.Programs["go"].Path != "/sdk/go" || s.state.Surroundings.Digest != around("fixed").Digest {
		t.Errorf("%+v", s.state.Programs)
	}
	s.ok(s.runWith("", func(in *decide.Run) {
		in.Programs = withGit("/sdk/go", "5")
		in.Programs[state.Git] = state.Program{Path: "/fake/git", Digest: "6"}
	}))
	if r := s.last(); r.Result != evidence.Unknown || !strings.Contains(r.Because, "the reader of the repository is /fake/git, and was /git") || s.state.Programs[state.Git].Path != "/git" {
		t.Errorf("%+v, %+v", r, s.state.Programs)
	}
	s.ok(s.reply(s.ask().ID, decide.Accept))
	if s.state.Programs[state.Git].Path != "/fake/git" {
		t.Errorf("%+v", s.state.Programs)
	}
}

// An approval is about the programs and the environment too.
func TestAnApprovalIsAboutThePrograms(t *testing.T) {
	for name, change := range map[string]func(*state.State){
		"another program":     func(s *state.State) { s.Programs = programs("/fake/go", "2") },
		"another environment": func(s *state.State) { s.Surroundings = around("other") },
		"another remote":      func(s *state.State) { s.Delivery.URL = "/other" },
		"a waiver":            func(s *state.State) { s.Waivers["baseline"] = state.Waiver{Because: "x"} },
	} {
		s := pinned(t).at(graph.Approve)
		change(s.state)
		s.refused(problem.GateShut, "has changed since it was shown", s.approve(human(), s.ask().Digest))
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

func TestAnApprovalEndsWithTheConfiguration(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.tweak = func(f *gate.Facts) { f.World.Config = "another" }
	s.shows(evidence.Approval, "", gate.Stale, "configuration changed since the approval")
}

// A waiver is about the plan that it was given under.
func TestAWaiverEndsWithThePlan(t *testing.T) {
	s := tell(t).at(graph.Test)
	s.ok(s.complete(agent(), "blocked"))
	s.ok(s.reply(s.ask().ID, "waive static"))
	s.shows(evidence.Static, "lint", gate.Info, "waived by a human")
	s.at(graph.Test)
	s.ok(s.complete(agent(), "fail-replan"))
	s.wantPlan.Summary = "otherwise"
	s.at(graph.Test)
	s.shows(evidence.Static, "lint", gate.Missing, "nothing is recorded")
	s.toEnd()
}

// A verdict that failed a tree stands for it however many trees lie between.
func TestASecondOpinionByADetour(t *testing.T) {
	s := tell(t).at(graph.Review)
	s.ok(s.gives("r1", failing("Low")))
	first := s.files["a.go"]
	s.edit("a.go")
	s.ok(s.gives("r2", as))
	s.files["a.go"] = first
	s.ok(s.gives("r3", as))
	if r := s.last(); r.Result != evidence.Unknown || !strings.Contains(r.Because, "a failing verdict stands for this tree") {
		t.Errorf("%+v", r)
	}
	s.ok(s.gives("", as)) // a human decides
	s.shows(evidence.CodeReview, "", gate.Current, "")
}

// What was committed before start leaves with the pull request, and is reviewed.
func TestAReviewSeesWhatThePullRequestBrings(t *testing.T) {
	s := tell(t).at(graph.Review)
	s.files["old.go"] = 1
	s.tweak = func(f *gate.Facts) {
		f.Changed["base"] = []string{"a.go", "old.go"}
		for tree, paths := range f.Changed { // it was there at start
			f.Changed[tree] = slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == "old.go" && tree != "base" })
		}
	}
	s.ok(s.gives("r1", as))
	if r := s.last(); r.Result != evidence.Unknown || !strings.Contains(r.Because, "not seen to open 1 changed files as they are: old.go") {
		t.Errorf("%+v", r)
	}
	s.opens("r2", "a.go", "old.go")
	s.ok(s.says("r2", as))
	s.shows(evidence.CodeReview, "", gate.Current, "")
}

func TestASymbolicLinkOutOfTheTree(t *testing.T) {
	s := tell(t).at(graph.Implement)
	s.edit("a.go")
	s.tweak = func(f *gate.Facts) { f.Escapes = map[string]string{"a.go": "/etc/passwd"} }
	s.refused(problem.GateShut, "a.go: it is a symbolic link to /etc/passwd, which is no part of the tree", s.outcome(agent(), "pass"))
}

// Another base or provider than the repository's own is a human's choice.
func TestStartChosenByAnAgent(t *testing.T) {
	start := func(by evidence.By, chosen ...string) func() error {
		s := &story{newWorld(t), t}
		return s.draft(by, func(d *decide.Draft) error {
			return d.Start(state.Delivery{ID: "d1", Goal: "x", Provider: "local", Base: "main"}, chosen)
		})
	}
	s := &story{newWorld(t), t}
	s.refused(problem.HumanOnly, "another base than the repository's own is a human's choice", start(agent(), "base"))
	s.refused(problem.HumanOnly, "another base and provider than", start(evidence.By{Channel: "cli"}, "base", "provider"))
	s.ok(start(human(), "base", "provider")())
	s.ok(start(agent())())
}

// What a human waived at start is the confirmation of a push to the remote as it was.
func TestAutoPRForeseesTheRemote(t *testing.T) {
	for name, change := range map[string]func(*gate.Facts){
		"another URL":        func(f *gate.Facts) { f.URL = "/other" },
		"another remote":     func(f *gate.Facts) { f.Remote = "fork" },
		"reached otherwise":  func(f *gate.Facts) { f.Transport, f.Reached = "ssh", []string{"core.sshcommand"} },
		"as it was at start": func(*gate.Facts) {},
	} {
		s := &story{newWorld(t), t}
		s.tweak = func(f *gate.Facts) { f.Transport = "plain" }
		s.ok(s.do(human(), func(d *decide.Draft) error {
			return d.Start(state.Delivery{ID: "d1", Goal: "make a correct", Provider: "local", Base: "main", AutoPR: true}, nil)
		}))
		s.at(graph.SubmitPR)
		s.head, s.tweak = s.tree(), func(f *gate.Facts) { f.Transport = "plain"; change(f) }
		s.ok(s.intend())
		asked := len(s.state.Asks) == 1 && s.ask().Kind == state.AskConfirmation
		if in := s.state.Intents[0]; in.Confirmed != (name == "as it was at start") || asked == in.Confirmed {
			t.Errorf("%s: %+v, asks %+v", name, in, s.state.Asks)
		}
		if asked && !strings.Contains(s.ask().About, "NOT as at start") {
			t.Errorf("%s: %s", name, s.ask().About)
		}
	}
}

// How the remote is reached is confirmed with the rest.
func TestAReadThroughAnotherTransport(t *testing.T) {
	s := tell(t).at(graph.SubmitPR)
	s.head = s.tree()
	s.ok(s.intend())
	s.ok(s.approveOpen(human()))
	s.tweak = func(f *gate.Facts) { f.Transport = "another" }
	s.ok(s.read(evidence.PullRequest, evidence.Pass))
	s.shows(evidence.PullRequest, "", gate.Missing, "how it is reached is another one than was confirmed")
}

// The remote's default branch is no branch for work, whatever the base is called.
func TestTheDefaultBranchIsNoBranchForWork(t *testing.T) {
	s := tell(t, func(w *world) { w.tweak = func(f *gate.Facts) { f.Trunk = "trunk" } }).at(graph.Implement)
	s.edit("a.go")
	s.ok(s.record("change", "pass"))
	s.branch = "trunk"
	s.refused(problem.GateShut, "the remote's default branch, trunk", s.outcome(agent(), "pass"))
}

// A base that moved is believed through the transport of the start, or one that a human accepted.
func TestAnotherTransportIsAcceptedByAHuman(t *testing.T) {
	s := tell(t, func(w *world) { w.tweak = func(f *gate.Facts) { f.Transport = "ssh" } }).at(graph.Test)
	s.ok(s.run("unit", 0, 3))
	if len(s.state.Asks) != 0 {
		t.Errorf("%+v", s.state.Asks)
	}
	s.tweak = func(f *gate.Facts) { f.Transport, f.Reached = "other", []string{"core.sshcommand"} }
	if !s.view().OtherTransport() {
		t.Error("it is the one of the start")
	}
	s.ok(s.run("unit", 0, 3))
	a := s.ask()
	if a.Topic.Digest != "other" || !strings.Contains(a.About, "core.sshcommand") {
		t.Fatalf("%+v", a)
	}
	s.ok(s.reply(a.ID, decide.Accept))
	if s.view().OtherTransport() {
		t.Error("it was accepted")
	}
}

// What a reviewer opened is what was in the file then.
func TestAReviewOfAnotherContent(t *testing.T) {
	s := tell(t).at(graph.Review)
	was := s.files["a.go"]
	s.files["a.go"] = 99
	s.opens("r1", "a.go")
	s.files["a.go"] = was
	s.ok(s.says("r1", as))
	if r := s.last(); r.Result != evidence.Unknown || !strings.Contains(r.Because, "changed files as they are: a.go") {
		t.Errorf("%+v", r)
	}
	s.opens("r2", "a.go")
	s.ok(s.says("r2", as))
	s.shows(evidence.CodeReview, "", gate.Current, "")
}

// A change that could not be read is not a change that is empty.
func TestAReviewOfAnUnreadChange(t *testing.T) {
	d := decide.Draft{View: tell(t).at(graph.Review).view(), By: agent()}
	d.Facts.Contents = nil
	r, err := d.Review(document.Review{Version: 1, Kind: "code-review", Verdict: "pass", Tree: d.Facts.World.Tree, Summary: "read"}, decide.Reviewer{AgentID: "r1", Type: "reviewer"}, "artifact")
	if err != nil || r.Result != evidence.Unknown || !strings.Contains(r.Because, "cannot be compared") {
		t.Errorf("%+v %v", r, err)
	}
}

// A variable that is known to steer stays compared once it was accepted; another one may
// differ from then on, and the question says so.
func TestAnAcceptedVariable(t *testing.T) {
	s := tell(t).at(graph.Test)
	run := func(flags, trace string) {
		s.ok(s.runWith("unit", func(in *decide.Run) {
			in.Surroundings = around(flags)
			in.Surroundings.Digest += trace
			in.Surroundings.Hashes["TRACE"] = trace
		}))
	}
	run("steer", "1")
	s.shows(evidence.UnitTest, "unit", gate.Missing, "differs from the baseline's: TRACE")
	run("steer", "2") // the older question gives way
	a := s.ask()
	if len(s.state.Asks) != 1 || !strings.Contains(a.About, "TRACE is new") || !strings.Contains(a.About, "may differ in any run: TRACE") {
		t.Fatalf("%+v", s.state.Asks)
	}
	s.ok(s.reply(a.ID, decide.Accept))
	run("steer", "3")
	s.shows(evidence.UnitTest, "unit", gate.Current, "")
	run("other", "4")
	if a := s.ask(); !strings.Contains(a.About, "GOFLAGS=other") || strings.Contains(a.About, "may differ") {
		t.Fatalf("%+v", a)
	}
	s.ok(s.reply(s.ask().ID, decide.Accept))
	run("other", "5")
	s.shows(evidence.UnitTest, "unit", gate.Current, "")
	run("steer", "6")
	if len(s.state.Asks) != 1 {
		t.Errorf("GOFLAGS may differ now: %+v", s.state.Asks)
	}
}

// A gate that writes what it leaves as it was shows something once a human said so.
func TestAGateThatWrites(t *testing.T) {
	s := tell(t).at(graph.Test)
	run := func() { s.ok(s.runWith("unit", func(in *decide.Run) { in.Touched = []string{"a.go"} })) }
	run()
	s.shows(evidence.UnitTest, "unit", gate.Missing, "a.go was written while it ran, and is as before")
	if a := s.ask(); !strings.Contains(a.Question, "gate unit writes files in scope") || a.About != "a.go" {
		t.Fatalf("%+v", a)
	}
	s.ok(s.reply(s.ask().ID, decide.Accept))
	run()
	s.shows(evidence.UnitTest, "unit", gate.Current, "")
	if s.ok(s.runWith("lint", func(in *decide.Run) { in.Touched = []string{"a.go"} })); len(s.state.Asks) != 1 {
		t.Error("another gate may write too")
	}
}

// Another git is asked about by any run, a note too: in most nodes there is no other.
func TestANoteAsksAboutGit(t *testing.T) {
	s := pinned(t).at(graph.Plan)
	s.ok(s.do(agent(), func(d *decide.Draft) error {
		other := withGit("/go", "1")
		other[state.Git] = state.Program{Path: "/git", Digest: "2"}
		_, err := d.StoreRun(decide.Run{Kind: evidence.Note, Argv: []string{"true"}, Programs: other})
		return err
	}))
	if a := s.ask(); a.Topic.Name != state.TopicPrograms || !strings.Contains(a.About, "/git has another content") {
		t.Fatalf("%+v", a)
	}
	s.ok(s.reply(s.ask().ID, decide.Accept))
	if s.state.Programs[state.Git].Digest != "2" {
		t.Errorf("%+v", s.state.Programs)
	}
}
