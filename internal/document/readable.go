package document

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/testrun"
)

// Readable returns, as Markdown, what a human approves: criteria, tasks, scope,
// gates, risks, rollback, with what deserves a second look in parts of its own,
// and what changed since prev, which may be nil. Texts are shown as data: they
// cannot begin a heading, hide what follows, or colour a terminal.
func Readable(spec Spec, plan Plan, prev *Plan) string {
	var w readable
	w.WriteString("# " + prose(plan.Summary) + "\n")
	w.goal(spec.Task)
	w.criteria(spec.Criteria)
	w.tasks(plan.Tasks)
	w.scope(plan.Scope)
	w.gates(plan.Gates)
	w.exceptions(plan)
	w.list("## Risks", plan.Risks)
	w.quote("## Rollback", plan.Rollback)
	var answers []string
	for _, a := range plan.Answers {
		answers = append(answers, fmt.Sprintf("%s: %s", a.Steer, a.How))
	}
	w.list("## Answers to steers", answers)
	if prev != nil {
		w.changes(*prev, plan)
	}
	return w.String()
}

type readable struct{ strings.Builder }

func (w *readable) heading(title string) { w.WriteString("\n" + title + "\n\n") }

func (w *readable) item(format string, args ...any) {
	fmt.Fprintf(w, "- "+format+"\n", args...)
}

// list writes a part of texts, or nothing when there are none.
func (w *readable) list(title string, texts []string) {
	if len(texts) == 0 {
		return
	}
	w.heading(title)
	for _, t := range texts {
		w.item("%s", prose(t))
	}
}

// quote writes a part of one text that may have several lines.
func (w *readable) quote(title, text string) {
	w.heading(title)
	for _, line := range Lines(text) {
		w.WriteString(strings.TrimRight("> "+prose(line), " ") + "\n")
	}
}

func (w *readable) goal(t Task) {
	w.quote("## Goal", t.Summary)
	w.list("### Constraints", t.Constraints)
	w.list("### Out of scope", t.OutOfScope)
	w.list("### Decisions", t.Decisions)
	w.list("### Assumptions", t.Assumptions)
	var dropped []string
	for _, d := range t.Dropped {
		dropped = append(dropped, d.Ref+": "+d.Because)
	}
	w.list("### Asked for, and dropped", dropped)
}

func (w *readable) criteria(list []Criterion) {
	w.heading("## Acceptance criteria")
	for _, k := range list {
		w.item("**%s** %s: %s", prose(k.ID), prose(k.Hardness), prose(k.Text))
		if k.Verify != "" {
			w.detail("verify", prose(k.Verify))
		}
		if len(k.Refs) > 0 {
			w.detail("refs", codes(k.Refs))
		}
		for _, q := range k.Questions {
			w.detail("open question", prose(q))
		}
	}
}

func (w *readable) detail(name, text string) {
	w.WriteString("  - " + name + ": " + text + "\n")
}

func (w *readable) tasks(list []PlanTask) {
	w.heading("## Tasks")
	for _, t := range list {
		w.item("**%s** %s", prose(t.ID), prose(t.Title))
		if len(t.DependsOn) > 0 {
			w.detail("after", prose(strings.Join(t.DependsOn, ", ")))
		}
		if len(t.Criteria) > 0 {
			w.detail("criteria", prose(strings.Join(t.Criteria, ", ")))
		}
		if len(t.Paths) > 0 {
			w.detail("paths", codes(t.Paths))
		}
	}
}

func (w *readable) scope(s Scope) {
	w.heading("## Scope")
	var defining []string
	for _, part := range []struct {
		title string
		globs []string
	}{
		{"May change", s.Write},
		{"May change as tests", s.Tests},
		{"Left behind by runs, and left out of the tree", s.Scratch},
	} {
		if len(part.globs) > 0 {
			w.item("%s: %s", part.title, codes(part.globs))
		}
		for _, g := range part.globs {
			if name, ok := literal(g); ok && GateDefining(name) && !slices.Contains(defining, name) {
				defining = append(defining, name)
			}
		}
	}
	if len(defining) > 0 {
		w.heading("### Files that define gates or CI")
		w.WriteString("Changing these can change what a pass means.\n\n")
		for _, name := range defining {
			w.item("%s", code(name))
		}
	}
}

// gates writes the plain gates, then those that deserve a second look, each under
// what is unusual about it.
func (w *readable) gates(list []Gate) {
	w.heading("## Gates")
	if len(list) == 0 {
		w.item("none")
	}
	for _, g := range list {
		w.gate(g)
	}
	w.apart("Gates whose exit status alone counts", "Their output holds no counts, so nothing shows that a test ran.", list,
		func(g Gate) string { return code(commandLine(g.Command())) },
		func(g Gate) bool { return g.Counts == CountsExit })
	w.apart("Gates whose tests nobody can count", "Their command is no known test runner's, so that no run of them opens anything. Better reject this plan, and let it name a "+
		"report of JUnit or TAP, or say that the exit status alone counts.", list,
		func(g Gate) string { return code(commandLine(g.Command())) }, uncounted)
	w.apart("Gates that count packages, not tests", "A package counts as one, whatever it runs; with -v or -json each test does.", list,
		func(g Gate) string { return code(commandLine(g.Command())) }, countsPackages)
	w.apart("Gates that run a shell script", "", list,
		func(g Gate) string { return code(g.Shell) },
		func(g Gate) bool { return g.Shell != "" })
	w.apart("Gates that run a program of the work tree", "The change under test can change the program.", list,
		func(g Gate) string { return code(g.Argv[0]) },
		func(g Gate) bool {
			return len(g.Argv) > 0 && strings.Contains(g.Argv[0], "/") && badPath(strings.TrimPrefix(g.Argv[0], "./")) == ""
		})
	w.apart("Gates that set variables", "", list,
		func(g Gate) string { return codes(variables(g)) },
		func(g Gate) bool { return len(g.Env) > 0 })
	w.apart("Gates whose output is not kept in full", "", list,
		func(g Gate) string { return "capture: " + prose(g.Capture) },
		func(g Gate) bool { return g.Capture != "" && g.Capture != CaptureFull })
}

// uncounted reports whether the gate has to show that tests ran and has no way to.
func uncounted(g Gate) bool {
	if !evidence.Kind(g.Kind).IsTest() || g.Counts == CountsExit || g.Report != nil {
		return false
	}
	_, known := testrun.Recognise(g.Command())
	return !known
}

// countsPackages reports whether the gate is a plain go test, whose output names
// packages alone.
func countsPackages(g Gate) bool {
	verbose := func(word string) bool {
		flag, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimLeft(word, "-"), "test."), "=")
		return strings.HasPrefix(word, "-") && (flag == "v" || flag == "json") && value != "false"
	}
	return len(g.Argv) > 1 && g.Argv[0] == "go" && g.Argv[1] == "test" && g.Report == nil && !slices.ContainsFunc(g.Argv[2:], verbose)
}

func (w *readable) gate(g Gate) {
	w.item("**%s** (%s): %s", prose(g.ID), prose(g.Kind), code(commandLine(g.Command())))
	if g.Timeout != "" {
		w.detail("timeout", prose(g.Timeout))
	}
	if len(g.Inputs) > 0 {
		w.detail("inputs", codes(g.Inputs))
	}
	if len(g.Criteria) > 0 {
		w.detail("criteria", prose(strings.Join(g.Criteria, ", ")))
	}
	for _, t := range g.Tools {
		w.detail("tool", code(commandLine(t)))
	}
	if g.Report != nil {
		w.detail("report", prose(g.Report.Format)+" in "+code(g.Report.Path))
	}
}

func (w *readable) apart(title, why string, list []Gate, show func(Gate) string, unusual func(Gate) bool) {
	first := true
	for _, g := range list {
		if !unusual(g) {
			continue
		}
		if first {
			w.heading("### " + title)
			if why != "" {
				w.WriteString(why + "\n\n")
			}
			first = false
		}
		w.item("**%s**: %s", prose(g.ID), show(g))
	}
}

func (w *readable) exceptions(p Plan) {
	var lines []string
	for _, n := range p.NotApplicable {
		lines = append(lines, notApplicableLine(n))
	}
	w.list("## Not applicable", lines)
	lines = nil
	for _, f := range p.BaselineFailures {
		lines = append(lines, f.Is+": "+f.Test)
	}
	w.list("## Tests that failed before the change", lines)
	w.list("## Tests that go away", p.RemovedTests)
	if p.WorkItem != nil {
		w.list("## State of the work item at the end", []string{p.WorkItem.State})
	}
}

func notApplicableLine(n NotApplicable) string {
	s := n.Kind + ": " + n.Because
	if n.Instead != "" {
		s += " (instead: " + n.Instead + ")"
	}
	return s
}

func variables(g Gate) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(g.Env)) {
		out = append(out, name+"="+shellWord(g.Env[name]))
	}
	return out
}

func codes(list []string) string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, code(s))
	}
	return strings.Join(out, ", ")
}
