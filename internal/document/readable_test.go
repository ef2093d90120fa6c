package document

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestReadable(t *testing.T) {
	spec, plan := goodSpec(), goodPlan()
	spec.Task.Constraints = []string{"no new dependency"}
	spec.Task.Dropped = []Dropped{{"FR-9", "next release"}}
	plan.Gates = append(plan.Gates, Gate{
		ID: "e2e", Kind: "acceptance", Shell: "make e2e | tee out", Timeout: "20m", Criteria: []string{"AC-1"}, Counts: "exit", Capture: "none",
		Env: map[string]string{"MODE": "a b", "A": "1"}, Tools: [][]string{{"go", "version"}}, Report: &Report{"junit", "out.xml"},
	}, Gate{ID: "own", Kind: "scan", Argv: []string{"./scripts/scan.sh", "it's", ""}})
	plan.WorkItem = &WorkItem{State: "In review"}
	plan.RemovedTests = []string{"TestGone"}
	plan.Rollback = "git revert\n\n# then tell <b>ops</b>\n"
	want := `# Check the limit

## Goal

> Refunds over the limit are refused

### Constraints

- no new dependency

### Asked for, and dropped

- FR-9: next release

## Acceptance criteria

- **AC-1** HARD: answers 403
  - verify: TestRefund
  - refs: ` + "`FR-12`" + `
- **#123** SOFT: reads well
  - verify: human

## Tasks

- **T1** check
  - criteria: AC-1
  - paths: ` + "`internal/refund/refund.go`" + `
- **T2** read
  - after: T1
  - criteria: #123

## Scope

- May change: ` + "`internal/refund/**`, `Makefile`" + `
- May change as tests: ` + "`**/*_test.go`" + `
- Left behind by runs, and left out of the tree: ` + "`cover.out`" + `

### Files that define gates or CI

Changing these can change what a pass means.

- ` + "`Makefile`" + `

## Gates

- **unit** (unit-test): ` + "`go test ./...`" + `
  - timeout: 10m
  - inputs: ` + "`**/*.go`" + `
  - criteria: AC-1
- **e2e** (acceptance): ` + "`bash -o pipefail -c 'make e2e | tee out'`" + `
  - timeout: 20m
  - criteria: AC-1
  - tool: ` + "`go version`" + `
  - report: junit in ` + "`out.xml`" + `
- **own** (scan): ` + "`./scripts/scan.sh 'it'\\''s' ''`" + `

### Gates whose exit status alone counts

Their output holds no counts, so nothing shows that a test ran.

- **e2e**: ` + "`bash -o pipefail -c 'make e2e | tee out'`" + `

### Gates that count packages, not tests

A package counts as one, whatever it runs; with -v or -json each test does.

- **unit**: ` + "`go test ./...`" + `

### Gates that run a shell script

- **e2e**: ` + "`make e2e | tee out`" + `

### Gates that run a program of the work tree

The change under test can change the program.

- **own**: ` + "`./scripts/scan.sh`" + `

### Gates that set variables

- **e2e**: ` + "`A=1`, `MODE='a b'`" + `

### Gates whose output is not kept in full

- **e2e**: capture: none

## Not applicable

- integration-test: no outside part (instead: unit)

## Tests that failed before the change

- known: TestOld

## Tests that go away

- TestGone

## State of the work item at the end

- In review

## Risks

- limit in cents

## Rollback

> git revert
>
> # then tell \<b>ops\</b>

## Answers to steers

- S1: kept
`
	if diff := cmp.Diff(want, Readable(spec, plan, nil)); diff != "" {
		t.Error(diff)
	}
}

func TestReadableChanges(t *testing.T) {
	prev, plan := goodPlan(), goodPlan()
	const title = "## Changed since the previous revision\n\n"
	part := func() string {
		text := Readable(goodSpec(), plan, &prev)
		return text[strings.Index(text, title)+len(title):]
	}
	if got := part(); got != "- nothing\n" {
		t.Error(got)
	}
	plan.Summary = "Check it"
	plan.Scope = Scope{Write: []string{"internal/refund/**", "cmd/**"}, Scratch: []string{"cover.out"}}
	plan.Tasks = []PlanTask{{ID: "T1", Title: "check it", Criteria: []string{"AC-1", "#123"}}, {ID: "T3", Title: "new"}}
	plan.Gates = []Gate{
		{ID: "unit", Kind: "unit-test", Argv: []string{"go", "test", "-run", "X"}, Timeout: "5m", Criteria: []string{"AC-1"}, Counts: "exit", Report: &Report{"tap", "a"}, Env: map[string]string{"A": "1"}},
		{ID: "build", Kind: "build", Argv: []string{"make"}},
	}
	prev.Gates = append(prev.Gates, Gate{ID: "old", Kind: "scan", Argv: []string{"scan"}})
	plan.NotApplicable = nil
	plan.BaselineFailures[0].Is = "fix"
	plan.RemovedTests = []string{"TestGone"}
	plan.WorkItem = &WorkItem{State: "Done"}
	plan.Risks = []string{"limit in cents", "time"}
	plan.Rollback = "flag off"
	plan.Answers = nil
	want := "- summary: `Check it`, was `Check the limit`\n" +
		"- may change, added: `cmd/**`\n- may change, removed: `Makefile`\n" +
		"- may change as tests, removed: `**/*_test.go`\n" +
		"- task T1: `check it`, was `check`\n- task T1 criteria, added: `#123`\n- task T1 paths, removed: `internal/refund/refund.go`\n" +
		"- task T3 added: new\n- task T2 removed: read\n" +
		"- gate unit command: `go test -run X`, was `go test ./...`\n- gate unit timeout: `5m`, was `10m`\n" +
		"- gate unit inputs, removed: `**/*.go`\n- gate unit variables, added: `A=1`\n- gate unit counts: `exit`, was nothing\n" +
		"- gate unit report: `tap in a`, was nothing\n- gate build added: `make`\n- gate old removed: `scan`\n" +
		"- not applicable, removed: `integration-test: no outside part (instead: unit)`\n" +
		"- failed before the change, added: `TestOld: fix`\n- failed before the change, removed: `TestOld: known`\n" +
		"- tests that go away, added: `TestGone`\n- state of the work item: `Done`, was nothing\n" +
		"- risks, added: `time`\n- rollback: `flag off`, was `git revert`\n- answers, removed: `S1: kept`\n"
	if diff := cmp.Diff(want, part()); diff != "" {
		t.Error(diff)
	}
}

// Whatever a document says, it cannot begin a part of its own, hide a part, or
// control a terminal.
func TestReadableShowsTextsAsData(t *testing.T) {
	hostile := []string{
		"ok\n\n## Gates\n\n- none", "a\r# b", "\x1b[2J\x1b[31mred", "<!-- hide", "<details><summary>x", "`` ` ```", "```\n# x", "a\u202eb\u2066c\u200d", "x\u2028# y",
		"- [x] done", "\x00\x07", "\u0085# z", "<script>", "$(rm)", "'; rm", "é漢", " ", "",
	}
	plain := Readable(goodSpec(), goodPlan(), nil)
	rapid.Check(t, func(t *rapid.T) {
		text := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(hostile), 0, 3).Draw(t, label), "")
		}
		s, p := goodSpec(), goodPlan()
		s.Task.Summary, s.Criteria[0].Text, s.Criteria[0].ID = text("goal"), text("criterion"), "AC-1"+text("id")
		p.Summary, p.Tasks[0].Title, p.Risks[0], p.Rollback = "x"+text("summary"), text("title"), text("risk"), text("rollback")
		p.Gates[0].Argv = []string{"go", "test", text("argument")}
		p.Gates[0].Inputs = []string{text("input")}
		p.NotApplicable[0].Because = text("because")
		p.Answers[0].How = text("answer")
		got := Readable(s, p, nil)
		if strings.ContainsFunc(got, func(r rune) bool {
			return r < 0x20 && r != '\n' || r == 0x7f || r == 0x85 || r == 0x202e || r == 0x2028 || r == 0x2066
		}) {
			t.Fatalf("control characters in %q", got)
		}
		if headings(got) != headings(plain) {
			t.Fatalf("headings %d, want %d in\n%s", headings(got), headings(plain), got)
		}
		for i := range len(got) {
			if got[i] == '<' && i+1 < len(got) && strings.IndexByte("/!?ds", got[i+1]) >= 0 && (i == 0 || got[i-1] != '\\') && !inCode(got, i) {
				t.Fatalf("a tag in %q", got)
			}
		}
	})
}

// headings counts the lines that Markdown takes for a heading or a fence.
func headings(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " ")
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "```") {
			n++
		}
	}
	return n
}

// inCode reports whether a backtick stands before i in its line.
func inCode(text string, i int) bool {
	return strings.Contains(text[strings.LastIndexByte(text[:i], '\n')+1:i], "`")
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", "": "", "``": "``` `` ```", "a`b": "`` a`b ``", "a\n b": "`a b`",
	} {
		if want == "a" {
			want = "`a`"
		}
		if want == "" {
			want = "`  `"
		}
		if got := code(in); got != want {
			t.Errorf("code(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"a-b/c.go": "a-b/c.go", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "a\nb": `$'a\nb'`, "\x1b[31m'\"": `$'\x1b[31m\'"'`, "a  b": `$'a \x20b'`,
		"$(x)": "'$(x)'", "é": "'é'", "\u202e": `$'\u202e'`,
	} {
		if got := shellWord(in); got != want {
			t.Errorf("shellWord(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Lines("\n\n a\t\r\n\x1b\nb \n\n"); strings.Join(got, "|") != " a||b" {
		t.Errorf("%q", got)
	}
	if got := OneLine(" a\n\tb\u2029c\u200b\x07 "); got != "a b c" {
		t.Errorf("%q", got)
	}
}

func TestCountsPackages(t *testing.T) {
	for argv, want := range map[string]bool{
		"go test ./...": true, "go test": true, "go test -run X ./...": true, "go test -v=false ./...": true, "go test ./v": true,
		"go test -v ./...": false, "go test -json ./...": false, "go test --v ./...": false, "go test -test.v=true ./...": false,
		"go vet ./...": false, "pytest": false, "go": false,
	} {
		if got := countsPackages(Gate{Argv: strings.Fields(argv)}); got != want {
			t.Errorf("%s: %v", argv, got)
		}
	}
	if countsPackages(Gate{Argv: []string{"go", "test"}, Report: &Report{"junit", "out.xml"}}) {
		t.Error("a report counts tests")
	}
}

// A plan whose tests nobody can count is not seen to be so only once it was approved.
func TestUncountedGatesAreShown(t *testing.T) {
	t.Parallel()
	const heading = "### Gates whose tests nobody can count"
	for name, c := range map[string]struct {
		gate  Gate
		shown bool
	}{
		"make":         {Gate{ID: "g", Kind: "unit-test", Argv: []string{"make", "test"}}, true},
		"unittest":     {Gate{ID: "g", Kind: "integration-test", Argv: []string{"python3", "-m", "unittest"}}, true},
		"shell":        {Gate{ID: "g", Kind: "unit-test", Shell: "go test ./..."}, true},
		"known":        {Gate{ID: "g", Kind: "unit-test", Argv: []string{"node", "--test"}}, false},
		"exit":         {Gate{ID: "g", Kind: "unit-test", Argv: []string{"make", "test"}, Counts: CountsExit}, false},
		"report":       {Gate{ID: "g", Kind: "unit-test", Argv: []string{"make", "test"}, Report: &Report{Format: "tap", Path: "out.tap"}}, false},
		"no test gate": {Gate{ID: "g", Kind: "static", Argv: []string{"make", "lint"}}, false},
	} {
		text := Readable(Spec{}, Plan{Gates: []Gate{c.gate}}, nil)
		if strings.Contains(text, heading) != c.shown {
			t.Errorf("%s: %s", name, text)
		}
	}
}
