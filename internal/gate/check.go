package gate

import (
	"fmt"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
)

// Check is what the binary itself looks at before a pass of a kind is stored.
type Check struct {
	// Typed reports whether `record` and `submit` may bring a pass of the kind. The
	// others come from a run, a human, a reviewer or a read, never from a sentence.
	Typed   bool
	Witness evidence.Witness
	By      string // the verb that brings it, where Typed is false
	// Problems returns what is missing; nil when the pass may be stored.
	Problems func(View) []string
}

// Checks returns the checks by the names that the graph uses.
func Checks() map[string]Check {
	return map[string]Check{
		"task":         {Typed: true, Witness: evidence.Document, Problems: checkTask},
		"repository":   {Typed: true, Witness: evidence.Document, Problems: checkRepository},
		"requirements": {Typed: true, Witness: evidence.Document, Problems: checkRequirements},
		"plan":         {Typed: true, Witness: evidence.Document, Problems: checkPlan},
		"change":       {Typed: true, Witness: evidence.Git, Problems: checkChange},
		"acceptance":   {Typed: true, Witness: evidence.Executed, Problems: View.acceptance},
		"run":          {By: "run"},
		"approval":     {By: "approve"},
		"review":       {By: "the reviewer's own verdict"},
		"read":         {By: "read"},
	}
}

func checkTask(v View) []string {
	if v.Facts.Spec == nil {
		return []string{"spec.json is not there"}
	}
	return texts(append(v.Facts.Spec.Check(), document.Coverage(*v.Facts.Spec, v.Facts.Task)...))
}

func checkRepository(v View) []string {
	if v.Facts.Manifest == nil {
		return []string{"context-manifest.json is not there"}
	}
	return texts(v.Facts.Manifest.Check(func(p string) bool { return v.Facts.PathExists[p] }))
}

func checkRequirements(v View) []string {
	if v.Facts.Spec == nil {
		return []string{"spec.json is not there"}
	}
	var out []string
	for _, q := range v.Facts.Spec.OpenQuestions() {
		out = append(out, "an open question: "+q)
	}
	if v.Facts.Spec.Task.Decisions == nil {
		out = append(out, "task.decisions is not there; an empty list is fine")
	}
	if v.Facts.Spec.Task.Assumptions == nil {
		out = append(out, "task.assumptions is not there; an empty list is fine")
	}
	for _, a := range v.State.Asks {
		if a.Kind == "decision" && a.Topic.Name == "" {
			out = append(out, fmt.Sprintf("ask %s has no answer: %s", a.ID, a.Question))
		}
	}
	return out
}

func checkPlan(v View) []string {
	if v.Facts.Plan == nil {
		return []string{"plan.json is not there"}
	}
	if v.Facts.Spec == nil {
		return []string{"spec.json is not there"}
	}
	return texts(v.Facts.Plan.Check(v.PlanContext()))
}

// PlanContext returns what a plan is checked against.
func (v View) PlanContext() document.PlanContext {
	c := document.PlanContext{ConfigGates: v.Facts.Config.Gates, Tracked: v.Facts.Tracked}
	if v.Facts.Spec != nil {
		c.Spec = *v.Facts.Spec
	}
	if b := v.State.Slots[string(evidence.Baseline)].Counts; b != nil {
		c.BaselineArgv = b.Argv
		if b.Tests != nil {
			c.BaselineFailing = b.Tests.Failing
		}
	}
	for _, s := range v.State.Steers {
		c.Steers = append(c.Steers, s.ID)
	}
	return c
}

func checkChange(v View) []string {
	if v.State.Approval == nil {
		return []string{"no plan is approved"}
	}
	own, known := v.Own()
	if !known {
		return []string{v.unknownTree()}
	}
	if len(own) == 0 {
		return []string{"nothing changed since start"}
	}
	n, _ := v.Graph.Node("implement")
	var out []string
	for _, p := range v.Violations(n) {
		out = append(out, p.String())
	}
	return out
}

func texts(problems []document.Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.String())
	}
	return out
}
