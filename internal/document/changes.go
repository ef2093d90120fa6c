package document

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// changes writes what differs between two revisions of a plan.
func (w *readable) changes(prev, plan Plan) {
	w.heading("## Changed since the previous revision")
	before := w.Len()
	w.changedText("summary", prev.Summary, plan.Summary)
	w.changedSet("may change", prev.Scope.Write, plan.Scope.Write)
	w.changedSet("may change as tests", prev.Scope.Tests, plan.Scope.Tests)
	w.changedSet("scratch", prev.Scope.Scratch, plan.Scope.Scratch)
	w.changedTasks(prev.Tasks, plan.Tasks)
	w.changedGates(prev.Gates, plan.Gates)
	w.changedSet("not applicable", texts(prev.NotApplicable, notApplicableLine), texts(plan.NotApplicable, notApplicableLine))
	failure := func(f BaselineFailure) string { return f.Test + ": " + f.Is }
	w.changedSet("failed before the change", texts(prev.BaselineFailures, failure), texts(plan.BaselineFailures, failure))
	w.changedSet("tests that go away", prev.RemovedTests, plan.RemovedTests)
	w.changedText("state of the work item", endState(prev), endState(plan))
	w.changedSet("risks", prev.Risks, plan.Risks)
	w.changedText("rollback", prev.Rollback, plan.Rollback)
	answer := func(a Answer) string { return a.Steer + ": " + a.How }
	w.changedSet("answers", texts(prev.Answers, answer), texts(plan.Answers, answer))
	if w.Len() == before {
		w.item("nothing")
	}
}

func (w *readable) changedText(name, prev, now string) {
	if prev != now {
		w.item("%s: %s, was %s", name, shown(now), shown(prev))
	}
}

func (w *readable) changedSet(name string, prev, now []string) {
	added, removed := difference(now, prev), difference(prev, now)
	if len(added) > 0 {
		w.item("%s, added: %s", name, codes(added))
	}
	if len(removed) > 0 {
		w.item("%s, removed: %s", name, codes(removed))
	}
}

func (w *readable) changedTasks(prev, now []PlanTask) {
	old := map[string]PlanTask{}
	for _, t := range prev {
		old[t.ID] = t
	}
	for _, t := range now {
		o, ok := old[t.ID]
		delete(old, t.ID)
		switch {
		case !ok:
			w.item("task %s added: %s", prose(t.ID), prose(t.Title))
			continue
		case o.Title != t.Title:
			w.item("task %s: %s, was %s", prose(t.ID), shown(t.Title), shown(o.Title))
		}
		w.changedSet("task "+prose(t.ID)+" after", o.DependsOn, t.DependsOn)
		w.changedSet("task "+prose(t.ID)+" criteria", o.Criteria, t.Criteria)
		w.changedSet("task "+prose(t.ID)+" paths", o.Paths, t.Paths)
	}
	for _, id := range slices.Sorted(maps.Keys(old)) {
		w.item("task %s removed: %s", prose(id), prose(old[id].Title))
	}
}

func (w *readable) changedGates(prev, now []Gate) {
	old := map[string]Gate{}
	for _, g := range prev {
		old[g.ID] = g
	}
	for _, g := range now {
		o, ok := old[g.ID]
		delete(old, g.ID)
		if !ok {
			w.item("gate %s added: %s", prose(g.ID), code(commandLine(g.Command())))
			continue
		}
		if o.Digest() == g.Digest() {
			continue
		}
		name := "gate " + prose(g.ID)
		w.changedText(name+" kind", o.Kind, g.Kind)
		w.changedText(name+" command", commandLine(o.Command()), commandLine(g.Command()))
		w.changedText(name+" timeout", o.Timeout, g.Timeout)
		w.changedSet(name+" inputs", o.Inputs, g.Inputs)
		w.changedSet(name+" criteria", o.Criteria, g.Criteria)
		w.changedSet(name+" variables", variables(o), variables(g))
		w.changedSet(name+" tools", texts(o.Tools, commandLine), texts(g.Tools, commandLine))
		w.changedText(name+" counts", o.Counts, g.Counts)
		w.changedText(name+" capture", o.Capture, g.Capture)
		if !reflect.DeepEqual(o.Report, g.Report) {
			w.changedText(name+" report", reportText(o), reportText(g))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(old)) {
		w.item("gate %s removed: %s", prose(id), code(commandLine(old[id].Command())))
	}
}

func reportText(g Gate) string {
	if g.Report == nil {
		return ""
	}
	return g.Report.Format + " in " + g.Report.Path
}

func endState(p Plan) string {
	if p.WorkItem == nil {
		return ""
	}
	return p.WorkItem.State
}

// shown writes a value of a difference, which may be none.
func shown(s string) string {
	if strings.TrimSpace(s) == "" {
		return "nothing"
	}
	return code(s)
}

// difference returns what is in a and not in b.
func difference(a, b []string) []string {
	var out []string
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

func texts[T any](list []T, text func(T) string) []string {
	out := make([]string, 0, len(list))
	for _, v := range list {
		out = append(out, text(v))
	}
	return out
}
