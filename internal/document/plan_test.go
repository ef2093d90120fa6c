package document

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// goodPlan returns a plan without problems for goodSpec.
func goodPlan() Plan {
	return Plan{
		Version: 1, Summary: "Check the limit",
		Scope: Scope{Write: []string{"internal/refund/**", "Makefile"}, Tests: []string{"**/*_test.go"}, Scratch: []string{"cover.out"}},
		Tasks: []PlanTask{
			{ID: "T1", Title: "check", Criteria: []string{"AC-1"}, Paths: []string{"internal/refund/refund.go"}},
			{ID: "T2", Title: "read", DependsOn: []string{"T1"}, Criteria: []string{"#123"}},
		},
		Gates: []Gate{
			{ID: "unit", Kind: "unit-test", Argv: []string{"go", "test", "./..."}, Timeout: "10m", Inputs: []string{"**/*.go"}, Criteria: []string{"AC-1"}},
		},
		NotApplicable:    []NotApplicable{{Kind: "integration-test", Because: "no outside part", Instead: "unit"}},
		BaselineFailures: []BaselineFailure{{Test: "TestOld", Is: "known"}},
		Risks:            []string{"limit in cents"}, Rollback: "git revert",
		Answers: []Answer{{Steer: "S1", How: "kept"}},
	}
}

func goodContext() PlanContext {
	return PlanContext{
		Spec: goodSpec(), BaselineArgv: []string{"go", "test", "./..."}, BaselineFailing: []string{"TestOld"}, Steers: []string{"S1"},
		ConfigGates: []Gate{{ID: "lint", Kind: "static", Argv: []string{"lint"}}},
	}
}

func TestPlanCheck(t *testing.T) {
	if p := goodPlan().Check(goodContext()); p != nil {
		t.Fatalf("problems in a good plan: %v", p)
	}
	type change = func(*Plan, *PlanContext)
	for _, tt := range []struct {
		what   string
		change change
		want   []string
	}{
		{"version", func(p *Plan, _ *PlanContext) { p.Version = 0 }, []string{"version: is 0; this program reads version 1"}},
		{"empty texts", func(p *Plan, _ *PlanContext) {
			p.Summary, p.Rollback, p.Risks = "", " ", nil
			p.Tasks[0].Title = ""
			p.WorkItem = &WorkItem{}
			p.RemovedTests = []string{""}
		}, []string{
			"summary: is empty", "tasks[0].title: is empty", "removedTests[0]: is empty", "workItem.state: is empty",
			"risks: there is none; say at least what would go wrong first", "rollback: is empty",
		}},
		{"no tasks", func(p *Plan, _ *PlanContext) { p.Tasks = nil }, []string{
			"tasks: there is none", "tasks: no task names criterion AC-1", "tasks: no task names criterion #123",
		}},
		{"ids of tasks", func(p *Plan, _ *PlanContext) {
			p.Tasks[0].ID = "T 1"
			p.Tasks[1].ID = "T 1"
			p.Tasks[1].DependsOn = nil
		}, []string{
			`tasks[0].id: "T 1" is no identifier such as T1`, `tasks[1].id: "T 1" is no identifier such as T1`,
			"tasks[1].id: T 1 is also the id of tasks[0]",
		}},
		{"a dependency that is not there", func(p *Plan, _ *PlanContext) { p.Tasks[1].DependsOn = []string{"T1", "T9"} }, []string{`tasks[1].dependsOn[1]: there is no task "T9"`}},
		{"a circle", func(p *Plan, _ *PlanContext) { p.Tasks[0].DependsOn = []string{"T2"} }, []string{"tasks[0].dependsOn: depends on itself: T1 → T2 → T1"}},
		{"a task that waits for itself", func(p *Plan, _ *PlanContext) { p.Tasks[1].DependsOn = []string{"T2"} }, []string{"tasks[1].dependsOn: depends on itself: T2 → T2"}},
		{"a criterion that is not there", func(p *Plan, _ *PlanContext) {
			p.Tasks[0].Criteria = []string{"AC-1", "AC-9"}
			p.Gates[0].Criteria = []string{"AC-1", "AC-8"}
		}, []string{`tasks[0].criteria[1]: there is no criterion "AC-9"`, `gates[0].criteria[1]: there is no criterion "AC-8"`}},
		{"a criterion without a task", func(p *Plan, _ *PlanContext) { p.Tasks[0].Criteria = nil }, []string{"tasks: no task names criterion AC-1"}},
		{"a criterion without a gate", func(p *Plan, _ *PlanContext) { p.Gates[0].Criteria = nil }, []string{"gates: no gate names criterion AC-1"}},
		{"a SOFT criterion without a gate", func(_ *Plan, c *PlanContext) { c.Spec.Criteria[1].Verify = "by reading" }, []string{"gates: no gate names criterion #123"}},
		{"a gate of the configuration covers", func(p *Plan, c *PlanContext) {
			p.Gates[0].Criteria = nil
			c.ConfigGates[0].Criteria = []string{"AC-1", "OTHER-1"}
		}, nil},
		{"no gates", func(p *Plan, c *PlanContext) { p.Gates, p.NotApplicable = nil, nil }, []string{
			"gates: there is no gate of kind unit-test",
			"gates: there is no gate of kind integration-test, and notApplicable does not say why",
			"gates: no gate names criterion AC-1",
			"gates: none runs the command of the baseline, go test ./..., and notApplicable does not say why (kind baseline)",
		}},
		{"ids of gates", func(p *Plan, _ *PlanContext) {
			g := p.Gates[0]
			p.Gates = append(p.Gates, g, Gate{ID: "lint", Kind: "static", Argv: []string{"true"}})
		}, []string{"gates[1].id: unit is also the id of gates[0]", "gates[2].id: lint is a gate of the configuration, which a plan cannot redefine"}},
		{"notApplicable", func(p *Plan, _ *PlanContext) {
			p.NotApplicable = append(p.NotApplicable,
				NotApplicable{Kind: "integration-test", Because: "b", Instead: "nothing"},
				NotApplicable{Kind: "scan", Because: "", Instead: ""},
				NotApplicable{Kind: "unit-test", Because: "b", Instead: "lint"})
		}, []string{
			"notApplicable[1].kind: integration-test is there twice",
			`notApplicable[1].instead: there is no gate "nothing"`,
			`notApplicable[2].kind: "scan" is none of integration-test, baseline`,
			"notApplicable[2].because: is empty", "notApplicable[2].instead: is empty; name the gate that covers the risk",
			`notApplicable[3].kind: "unit-test" is none of integration-test, baseline`,
			"notApplicable[3].kind: unit-test is called not applicable, but there is a gate of this kind",
		}},
		{"a baseline that no gate repeats", func(_ *Plan, c *PlanContext) { c.BaselineArgv = []string{"make", "te st"} }, []string{
			"gates: none runs the command of the baseline, make 'te st', and notApplicable does not say why (kind baseline)",
		}},
		{"a baseline that no gate repeats, with the reason", func(p *Plan, c *PlanContext) {
			c.BaselineArgv = []string{"make"}
			p.NotApplicable = append(p.NotApplicable, NotApplicable{Kind: "baseline", Because: "it needs a database"})
		}, nil},
		{"no baseline", func(p *Plan, c *PlanContext) { c.BaselineArgv = nil; p.Gates[0].Argv = []string{"x"} }, nil},
		{"failures of the baseline", func(p *Plan, c *PlanContext) {
			c.BaselineFailing = []string{"TestOld", "TestB\x1b"}
			p.BaselineFailures = append(p.BaselineFailures, BaselineFailure{"TestOld", "fix"}, BaselineFailure{"", "later"})
		}, []string{
			"baselineFailures[1].is: TestOld is called known and fix",
			"baselineFailures[2].test: is empty", `baselineFailures[2].is: "later" is none of fix, known`,
			"baselineFailures: TestB failed before the change; call it fix or known",
		}},
		{"steers", func(p *Plan, c *PlanContext) {
			c.Steers = []string{"S1", "S2", "S3"}
			p.Answers = append(p.Answers, Answer{"S2", " "}, Answer{"S7", "fine"})
		}, []string{"answers[1].how: is empty", "answers: steer S2 has no answer", "answers: steer S3 has no answer"}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			p, c := goodPlan(), goodContext()
			tt.change(&p, &c)
			if diff := cmp.Diff(tt.want, lines(p.Check(c))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestScopeOfAPlan(t *testing.T) {
	for _, tt := range []struct {
		glob, want string // want is part of the problem, "" for none
	}{
		{"internal/**", ""},
		{"**/*.go", ""},
		{"*.md", ""},
		{"src/{a,b}/**/*.{ts,tsx}", ""},
		{"cmd/tool/main.go", ""},
		{"Makefile", ""},
		{".github/workflows/ci.yml", ""},
		{".{eslintignorex,prettierrc}", ""},
		{`app/\[id\]/page.tsx`, ""},
		{"a..b/c...d", ""},
		{"**", "matches every file"},
		{"**/*", "matches every file"},
		{"*/**", "matches every file"},
		{"{**,x}", "matches every file"},
		{"**/**/*", "matches every file"},
		{"/etc/**", "is not relative"},
		{"~/x", "is not relative"},
		{`C:\x`, "is not relative"},
		{"../x", "leads outside"},
		{"a/../../b", "leads outside"},
		{"a/{..,b}/c", "leads outside"},
		{"{../x,y}", "leads outside"},
		{`a/\.\./b`, "leads outside"},
		{"./a", "has a . segment"},
		{"a//b", "empty segment"},
		{"a/", "matches no file; name the files in the folder with a/**"},
		{"", "is empty"},
		{"a[", "no valid glob"},
		{"{a", "no valid glob"},
		{"a\x00", "NUL"},
		{strings.Repeat("a", 513), "too long"},
		{strings.Repeat("{a,b}", 40), "too many alternatives"},
		{".git/**", "belongs to Git"},
		{".GIT/config", "belongs to Git"},
		{"vendor/x/.git/hooks/*", "belongs to Git"},
		{".claude/asterweave/**", "belongs to Git"},
		{".claude/asterweave/ledger.jsonl", "belongs to Git"},
		{"{.git,src}/**", "belongs to Git"},
		{".github/workflows/**", "name each of them literally"},
		{".github/workflows/*.yml", "name each of them literally"},
		{"**/Makefile", "name each of them literally"},
		{".claude/**", "name each of them literally"},
		{"web/{package,tsconfig}*.json", "name each of them literally"},
		{"Dockerfile*", "name each of them literally"},
	} {
		for _, list := range []string{"write", "tests", "scratch"} {
			p := goodPlan()
			p.Scope = Scope{Write: []string{"internal/**"}}
			switch list {
			case "write":
				p.Scope.Write = []string{tt.glob}
			case "tests":
				p.Scope.Tests = []string{tt.glob}
			case "scratch":
				if tt.want == "" {
					continue
				}
				p.Scope.Scratch = []string{tt.glob}
			}
			got := lines(p.Check(goodContext()))
			switch {
			case tt.want == "" && got != nil:
				t.Errorf("%s %q: %q", list, tt.glob, got)
			case tt.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], "scope."+list+"[0]: ") || !strings.Contains(got[0], tt.want)):
				t.Errorf("%s %q: %q, want %q", list, tt.glob, got, tt.want)
			}
		}
	}
	p := goodPlan()
	p.Scope = Scope{}
	want := []string{"scope.write: is empty; name what the delivery may change"}
	if diff := cmp.Diff(want, lines(p.Check(goodContext()))); diff != "" {
		t.Error(diff)
	}
	p.Scope = Scope{Write: make([]string, maxGlobs+1)}
	if got := lines(p.Check(goodContext())); len(got) != 1 {
		t.Errorf("%d problems", len(got))
	}
}

// Scratch files are left out of the tree, so source must not pass for them.
func TestScratchHidesNoSource(t *testing.T) {
	for glob, want := range map[string]string{
		"cover.out":                 "",
		"**/__pycache__/**":         "",
		"internal/**/*.prof":        "",
		"out/{a,b}/*.log":           "",
		"go.mod":                    "go.mod defines gates or CI",
		"internal/**":               "matches what the delivery may change",
		"internal/refund/**":        "matches what the delivery may change",
		"**/*_test.go":              "matches what the delivery may change",
		"docs/{tracked,other}.md":   "matches docs/tracked.md, which is tracked",
		"internal/refund/refund.go": "matches internal/refund/refund.go, which is tracked",
	} {
		p, c := goodPlan(), goodContext()
		c.Tracked = []string{"docs/tracked.md", "internal/refund/refund.go"}
		if want == "matches what the delivery may change" {
			c.Tracked = nil
		}
		p.Scope.Scratch = []string{glob}
		got := lines(p.Check(c))
		if want == "" && got != nil || want != "" && (len(got) != 1 || !strings.Contains(got[0], want)) {
			t.Errorf("%q: %q, want %q", glob, got, want)
		}
	}
}

func TestGateCheck(t *testing.T) {
	good := Gate{
		ID: "unit", Kind: "unit-test", Argv: []string{"go", "test"}, Timeout: "1h30m", Inputs: []string{"**"}, Tools: [][]string{{"go", "version"}},
		Env: map[string]string{"A_1": ""}, Counts: "exit", Capture: "none", Report: &Report{"tap", "out/a.tap"},
	}
	if p := good.Check("gates[0]"); p != nil {
		t.Fatal(p)
	}
	for _, tt := range []struct {
		what   string
		change func(*Gate)
		want   string
	}{
		{"id", func(g *Gate) { g.ID = "Unit" }, `gates[0].id: "Unit" has to be lower-case`},
		{"no id", func(g *Gate) { g.ID = "" }, "gates[0].id: "},
		{"long id", func(g *Gate) { g.ID = strings.Repeat("a", 65) }, "gates[0].id: "},
		{"kind", func(g *Gate) { g.Kind = "approval" }, `gates[0].kind: "approval" is none of build, static`},
		{"neither argv nor shell", func(g *Gate) { g.Argv = nil }, "gates[0].argv: is missing, and so is shell"},
		{"argv and shell", func(g *Gate) { g.Shell = "x" }, "gates[0].shell: is there besides argv"},
		{"empty argv", func(g *Gate) { g.Argv = []string{} }, "gates[0].argv: is missing"},
		{"empty program", func(g *Gate) { g.Argv = []string{" "} }, "gates[0].argv[0]: is empty"},
		{"NUL", func(g *Gate) { g.Argv = []string{"a", "b\x00"} }, "gates[0].argv[1]: is longer than 8192 bytes or holds a NUL"},
		{"many words", func(g *Gate) { g.Argv = make([]string, 257) }, "gates[0].argv: 257 words"},
		{"empty shell", func(g *Gate) { g.Argv, g.Shell = nil, "\n" }, "gates[0].shell: is empty"},
		{"long shell", func(g *Gate) { g.Argv, g.Shell = nil, strings.Repeat("x", 9000) }, "gates[0].shell: is longer"},
		{"timeout", func(g *Gate) { g.Timeout = "soon" }, `gates[0].timeout: "soon" is no duration`},
		{"no time", func(g *Gate) { g.Timeout = "0s" }, "gates[0].timeout: 0s is not between"},
		{"too much time", func(g *Gate) { g.Timeout = "2h1s" }, "gates[0].timeout: 2h0m1s is not between 0 and 2h0m0s"},
		{"inputs", func(g *Gate) { g.Inputs = []string{"a", "../b"} }, "gates[0].inputs[1]: "},
		{"tools", func(g *Gate) { g.Tools = [][]string{{"a"}, {}} }, "gates[0].tools[1]: is empty"},
		{"name of a variable", func(g *Gate) { g.Env = map[string]string{"A B": ""} }, `gates[0].env: "A B" is no name`},
		{"variable of the marker", func(g *Gate) { g.Env = map[string]string{"ASTERWEAVE_AGENT": ""} }, "gates[0].env: ASTERWEAVE_AGENT says who is speaking"},
		{"variable of the client", func(g *Gate) { g.Env = map[string]string{"AI_AGENT": ""} }, "gates[0].env: AI_AGENT says"},
		{"value of a variable", func(g *Gate) { g.Env = map[string]string{"A": "\x00"} }, "gates[0].env: A holds"},
		{"counts", func(g *Gate) { g.Counts = "any" }, "gates[0].counts: "},
		{"capture", func(g *Gate) { g.Capture = "some" }, "gates[0].capture: "},
		{"report", func(g *Gate) { g.Report.Format = "html" }, "gates[0].report.format: "},
		{"report outside", func(g *Gate) { g.Report.Path = "/tmp/x" }, "gates[0].report.path: "},
		{"report in the state folder", func(g *Gate) { g.Report.Path = ".claude/asterweave/x" }, "gates[0].report.path: "},
	} {
		t.Run(tt.what, func(t *testing.T) {
			g := good
			g.Report = &Report{"tap", "out/a.tap"}
			tt.change(&g)
			got := lines(g.Check("gates[0]"))
			if len(got) != 1 || !strings.HasPrefix(got[0], tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestGateCommand(t *testing.T) {
	plain := Gate{ID: "a", Argv: []string{"go", "test", "./..."}}
	shell := Gate{ID: "b", Shell: "a | b"}
	for _, tt := range []struct {
		gate Gate
		argv []string
		want bool
	}{
		{plain, []string{"go", "test", "./..."}, true},
		{plain, []string{"go", "test"}, false},
		{plain, []string{"go", "test", "./...", "-run", "x"}, false},
		{plain, []string{"go test ./..."}, false},
		{plain, nil, false},
		{Gate{}, nil, false},
		{shell, []string{"bash", "-o", "pipefail", "-c", "a | b"}, true},
		{shell, []string{"bash", "-c", "a | b"}, false},
		{shell, []string{"a | b"}, false},
	} {
		if got := tt.gate.Matches(tt.argv); got != tt.want {
			t.Errorf("gate %s matches %q: %t", tt.gate.ID, tt.argv, got)
		}
	}
	p := Plan{Gates: []Gate{plain, shell}}
	if g, ok := p.Gate("b"); !ok || g.Shell == "" {
		t.Error("gate b not found")
	}
	if _, ok := p.Gate("c"); ok {
		t.Error("gate c found")
	}
	if d := (Gate{Timeout: "x"}).Duration(); d != DefaultTimeout {
		t.Error(d)
	}
	if d := (Gate{Timeout: "90s"}).Duration(); d != 90*time.Second {
		t.Error(d)
	}
}

func TestGateDigest(t *testing.T) {
	base := Gate{ID: "a", Kind: "build", Argv: []string{"make"}, Env: map[string]string{"A": "1", "B": "2"}}
	same := Gate{ID: "a", Kind: "build", Argv: []string{"make"}, Env: map[string]string{"B": "2", "A": "1"}, Inputs: []string{}, Criteria: []string{}}
	if base.Digest() != same.Digest() || len(base.Digest()) != 64 {
		t.Error("the same gate has two digests")
	}
	for what, change := range map[string]func(*Gate){
		"id": func(g *Gate) { g.ID = "b" }, "kind": func(g *Gate) { g.Kind = "scan" }, "argv": func(g *Gate) { g.Argv = []string{"make", "x"} },
		"shell": func(g *Gate) { g.Shell = "x" }, "timeout": func(g *Gate) { g.Timeout = "1m" }, "inputs": func(g *Gate) { g.Inputs = []string{"a"} },
		"tools": func(g *Gate) { g.Tools = [][]string{{"a"}} }, "criteria": func(g *Gate) { g.Criteria = []string{"AC-1"} },
		"env": func(g *Gate) { g.Env = map[string]string{"A": "1"} }, "counts": func(g *Gate) { g.Counts = "exit" },
		"capture": func(g *Gate) { g.Capture = "none" }, "report": func(g *Gate) { g.Report = &Report{"tap", "a"} },
	} {
		g := base
		change(&g)
		if g.Digest() == base.Digest() {
			t.Errorf("%s is no part of the digest", what)
		}
	}
}

// A plan as large as its schema allows is checked in a moment.
func TestLargePlan(t *testing.T) {
	p, c := goodPlan(), goodContext()
	p.Tasks = nil
	for i := range 500 {
		k := PlanTask{ID: fmt.Sprintf("T%d", i), Title: "t", Criteria: []string{"AC-1", "#123"}}
		for j := range i {
			k.DependsOn = append(k.DependsOn, fmt.Sprintf("T%d", j))
		}
		p.Tasks = append(p.Tasks, k)
	}
	wide := strings.Repeat("{a,b}", 6) + "/{**,*}"
	p.Scope.Write = nil
	for range maxGlobs {
		p.Scope.Write = append(p.Scope.Write, wide)
	}
	start := time.Now()
	p.Check(c)
	if d := time.Since(start); d > 60*time.Second {
		t.Errorf("took %s", d)
	}
}
