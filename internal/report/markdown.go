package report

import (
	"fmt"
	"strings"

	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/state"
)

// mark collects Markdown. Texts of others go through prose, code or quote.
type mark struct{ strings.Builder }

func (w *mark) p(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// table writes a table, or nothing when there are no rows.
func (w *mark) table(head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	w.p("| %s |", strings.Join(head, " | "))
	w.p("|%s", strings.Repeat("---|", len(head)))
	for _, r := range rows {
		w.p("| %s |", strings.Join(r, " | "))
	}
	w.p("")
}

// markdown returns the report as Markdown.
func markdown(m Model) string {
	w := &mark{}
	w.p("# Delivery %s\n", code(m.Delivery.ID))
	w.summary(m)
	w.exceptions(m.Exceptions)
	w.unstable(m.Unstable)
	w.path(m.Path)
	w.approvals(m.Approvals)
	w.plan(m.Plan, m.Steers)
	w.criteria(m)
	w.evidence(m.Evidence)
	w.findings(m.Findings)
	w.comments(m.Comments)
	w.asks(m.Asks)
	w.changes(m)
	w.conditions(m.Done)
	w.usage(m)
	w.ledger(m)
	return w.String()
}

func (w *mark) summary(m Model) {
	d := m.Delivery
	w.p("**%s**\n", prose(outcome(d)))
	w.p("Goal, through %s:\n\n%s", prose(d.GoalChannel), quote(d.Goal))
	if d.Source != "" {
		w.p("- source: %s", code(d.Source))
	}
	w.p("- provider: %s, base: %s", code(d.Provider), code(d.Base))
	if d.Branch != "" {
		w.p("- branch: %s", code(d.Branch))
	}
	if p := m.PullRequest; p != nil {
		w.p("- pull request: %s, head %s, tree %s", link(p.URL), code(short(p.Head)), code(short(p.Tree)))
	}
	w.p("- began %s, last event %s", stamp(d.StartedAt), stamp(d.LastAt))
	if m.World.Tree == "" {
		w.p("- tree: unknown: %s", prose(strings.Join(m.World.Unknown, "; ")))
	} else {
		w.p("- tree: %s", code(m.World.Tree))
	}
	w.p("")
}

// exceptions come first: they are what a reader must not miss.
func (w *mark) exceptions(list []Exception) {
	if len(list) == 0 {
		return
	}
	w.p("## Let through by a human\n")
	for _, x := range list {
		w.p("- **%s: %s** (%s) through %s, %s", strings.ToUpper(prose(x.Kind)), prose(x.What), prose(x.Because), prose(who(x.By.Channel, x.By)), stamp(x.At))
	}
	w.p("")
}

func (w *mark) unstable(list []Unstable) {
	if len(list) == 0 {
		return
	}
	w.p("## Failed and passed on one tree\n")
	for _, u := range list {
		w.p("- **%s** failed (%s) and then passed (%s) on tree %s, and nothing had changed", prose(u.Gate), prose(strings.Join(u.Failed, ", ")), prose(u.Passed), code(short(u.Tree)))
	}
	w.p("")
}

func (w *mark) path(path []Attempt) {
	w.p("## Path through the graph\n")
	var rows [][]string
	for _, a := range path {
		rows = append(rows, []string{prose(a.Node), fmt.Sprint(a.Attempt), outcomeMark(a.Outcome), prose(a.To), took(a.Began, a.Ended), attemptNotes(a)})
	}
	w.table([]string{"node", "attempt", "outcome", "to", "took", ""}, rows)
}

func outcomeMark(o string) string {
	switch o {
	case "pass":
		return o
	case "":
		return "under way"
	}
	return "**" + prose(o) + "**"
}

func attemptNotes(a Attempt) string {
	var notes []string
	if a.Hypothesis != "" {
		notes = append(notes, "hypothesis: "+prose(a.Hypothesis))
	}
	if a.Signature != "" {
		text := "failed with " + code(a.Signature)
		if a.Evidence != "" {
			text += " (" + prose(a.Evidence) + ")"
		}
		notes = append(notes, text)
	}
	if a.Reason != "" {
		notes = append(notes, prose(a.Reason))
	}
	if a.Refunded {
		notes = append(notes, "attempt given back")
	}
	for _, p := range a.Pauses {
		text := "paused: " + prose(p.Reason)
		if !p.Resumed.IsZero() {
			text += ", resumed after " + took(p.At, p.Resumed)
		}
		notes = append(notes, text)
	}
	return strings.Join(notes, "; ")
}

func (w *mark) approvals(list []Approval) {
	w.p("## Approvals\n")
	if len(list) == 0 {
		w.p("None.\n")
		return
	}
	var rows [][]string
	for _, a := range list {
		force := "ended"
		if a.InForce {
			force = "in force"
		}
		rows = append(rows, []string{prose(a.Kind), prose(a.About), code(a.Digest), prose(who(a.Channel, a.By)), prose(a.Evidence), stamp(a.At), force})
	}
	w.table([]string{"", "of", "digest", "channel", "evidence", "at", ""}, rows)
}

func (w *mark) plan(p *Plan, steers []Steer) {
	w.p("## Plan\n")
	if p == nil {
		w.p("None yet.\n")
		return
	}
	w.p("Revision %d, digest %s.\n\n%s", p.Revision, code(p.Digest), quote(p.Summary))
	w.p("- may change: %s", codes(p.Scope.Write))
	w.p("- may change as tests: %s", codes(p.Scope.Tests))
	if len(p.Scope.Scratch) > 0 {
		w.p("- left out of the tree: %s", codes(p.Scope.Scratch))
	}
	for _, t := range p.Tasks {
		w.p("- task %s: %s (%s)", prose(t.ID), prose(t.Title), prose(strings.Join(t.Criteria, ", ")))
	}
	for _, n := range p.NotApplicable {
		w.p("- not applicable: %s: %s (instead: %s)", prose(n.Kind), prose(n.Because), prose(n.Instead))
	}
	for _, f := range p.BaselineFailures {
		w.p("- failed before the change, %s: %s", prose(f.Is), code(f.Test))
	}
	if len(p.RemovedTests) > 0 {
		w.p("- **tests that go away**: %s", codes(p.RemovedTests))
	}
	for _, r := range p.Risks {
		w.p("- risk: %s", prose(r))
	}
	w.p("- rollback: %s", prose(p.Rollback))
	for _, s := range steers {
		w.p("- steer %s through %s: %s; answered: %s", prose(s.ID), prose(s.Channel), prose(s.Text), prose(s.Answer))
	}
	w.p("")
}

func (w *mark) evidence(list []Evidence) {
	w.p("## Evidence\n")
	var rows [][]string
	for _, e := range list {
		exit := ""
		if e.Exit != nil {
			exit = fmt.Sprint(*e.Exit)
		}
		what := prose(e.Summary)
		if len(e.Argv) > 0 {
			what = code(commandLine(e.Argv))
		}
		rows = append(rows, []string{
			prose(e.ID), prose(fmt.Sprintf("%s %d", e.Node, e.Attempt)), prose(kindGate(e.Kind, e.Gate)), resultMark(e), prose(string(e.Witness)),
			what, exit, prose(counts(e.Tests)), prose(e.Standing), prose(e.Why),
		})
	}
	w.table([]string{"id", "node", "kind", "result", "witness", "what", "exit", "tests", "now", "why"}, rows)
	for _, e := range list {
		w.output(e)
	}
}

// output shows what a record's command printed, as a block of code.
func (w *mark) output(e Evidence) {
	o := e.Output
	if o == nil {
		return
	}
	w.p("### Output of %s\n", prose(e.ID))
	switch {
	case o.Missing != "":
		w.p("Not shown: %s\n", prose(o.Missing))
	case o.Head == "":
		w.p("None.\n")
	case o.Cut == 0:
		w.p("%s", fenced(o.Head))
	default:
		w.p("%s%d lines are left out here.\n\n%s", fenced(o.Head), o.Cut, fenced(o.Tail))
	}
}

func resultMark(e Evidence) string {
	if e.Result == "pass" || e.Result == "info" {
		return prose(string(e.Result))
	}
	return "**" + prose(string(e.Result)) + "**"
}

func (w *mark) findings(list []Finding) {
	w.p("## Findings\n")
	if len(list) == 0 {
		w.p("None.\n")
		return
	}
	var rows [][]string
	for _, f := range list {
		rows = append(rows, []string{prose(f.ID), prose(f.Severity), code(place(f)), prose(f.Title), prose(f.Kind), prose(f.Review), findingState(f)})
	}
	w.table([]string{"id", "severity", "where", "what", "review", "evidence", ""}, rows)
}

func place(f Finding) string {
	if f.Line == 0 {
		return f.Path
	}
	return fmt.Sprintf("%s:%d", f.Path, f.Line)
}

func findingState(f Finding) string {
	switch {
	case f.Resolved != "":
		return "resolved by " + prose(f.Resolved)
	case f.Severe():
		return "**open**"
	}
	return "open"
}

func (w *mark) asks(list []Ask) {
	w.p("## Asks and answers\n")
	if len(list) == 0 {
		w.p("None.\n")
		return
	}
	for _, a := range list {
		w.p("- %s (%s): %s", prose(a.ID), prose(a.Kind), prose(a.Question))
		w.p("  - %s", askEnd(a))
	}
	w.p("")
}

func askEnd(a Ask) string {
	switch {
	case a.Open:
		return "**open**"
	case a.Because != "":
		return "withdrawn: " + prose(a.Because)
	}
	return fmt.Sprintf("%s, through %s", prose(a.Answer), prose(a.Channel))
}

func (w *mark) changes(m Model) {
	w.p("## Changes\n")
	if !m.Changes.Known {
		w.p("Not known: %s\n", prose(m.Changes.Why))
		return
	}
	if len(m.Changes.Paths) == 0 {
		w.p("None.\n")
		return
	}
	for _, c := range m.Changes.Paths {
		w.p("- %s%s", code(c.Path), changeNotes(c))
	}
	w.p("")
}

func changeNotes(c Change) string {
	text := ""
	if c.Test {
		text += ", test"
	}
	if len(c.Tasks) > 0 {
		text += ", task " + prose(strings.Join(c.Tasks, ", "))
	}
	if c.Defines {
		text += ", **defines gates or CI**"
	}
	if c.Outside {
		text += ", **outside the scope**"
	}
	return text
}

func (w *mark) conditions(list []gate.Condition) {
	w.p("## Conditions of done\n")
	for _, c := range list {
		if c.Holds {
			w.p("- holds: %s", prose(c.Name))
		} else {
			w.p("- **open**: %s: %s", prose(c.Name), prose(c.Why))
		}
	}
	w.p("")
}

func (w *mark) usage(m Model) {
	if len(m.Usage) == 0 {
		return
	}
	w.p("## Calls and tokens\n")
	w.p("As far as hooks saw them; no evidence.\n")
	var rows [][]string
	for _, u := range m.Uses() {
		rows = append(rows, []string{prose(u.Node), prose(u.Agent), u.Calls, u.Reads, u.Took, prose(u.Model), u.In, u.Out, u.Cached})
	}
	w.table([]string{"node", "agent", "calls", "files read", "time in tools", "model", "tokens in", "out", "from the cache"}, rows)
}

func (w *mark) ledger(m Model) {
	w.p("## Ledger\n")
	w.p("%s", anchor(m.Ledger))
	if m.Delivery.Status == state.Done {
		w.p("\nThe head and the length let anybody see that the ledger was not cut or changed since.")
	}
}
