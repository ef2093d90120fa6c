package document

import (
	"slices"
	"strings"
)

// PlanContext is what a plan is checked against.
type PlanContext struct {
	Spec            Spec
	BaselineArgv    []string // command of the baseline; empty when there was none
	BaselineFailing []string // names of the tests that failed in it
	Steers          []string // ids that the plan has to answer
	ConfigGates     []Gate   // gates that the configuration demands besides the plan's
	Tracked         []string // paths of the base tree, so that no scratch glob hides one; may be empty
}

// Gate returns the gate of the plan with this id.
func (p Plan) Gate(id string) (Gate, bool) {
	i := slices.IndexFunc(p.Gates, func(g Gate) bool { return g.ID == id })
	if i < 0 {
		return Gate{}, false
	}
	return p.Gates[i], true
}

// Check returns what a schema cannot say about a plan: that it covers the spec,
// hangs together, stays inside the work tree and answers what it was asked.
func (p Plan) Check(in PlanContext) []Problem {
	c := planChecker{plan: p, in: in, gates: map[string]Gate{}, criteria: map[string]bool{}}
	for _, g := range in.ConfigGates {
		c.gates[g.ID] = g
	}
	for _, k := range in.Spec.Criteria {
		c.criteria[k.ID] = true
	}
	c.version(p.Version)
	c.text("summary", p.Summary)
	c.scope()
	c.tasks()
	c.planGates()
	c.notApplicable()
	c.testKinds()
	c.coverage()
	c.baseline()
	c.removedTests()
	c.answers()
	if p.WorkItem != nil {
		c.text("workItem.state", p.WorkItem.State)
	}
	if len(p.Risks) == 0 {
		c.add("risks", "there is none; say at least what would go wrong first")
	}
	c.texts("risks", p.Risks)
	c.text("rollback", p.Rollback)
	return c.problems
}

type planChecker struct {
	checker
	plan     Plan
	in       PlanContext
	gates    map[string]Gate // in force: of the configuration and of the plan
	criteria map[string]bool
}

func (c *planChecker) planGates() {
	config := map[string]bool{}
	for _, g := range c.in.ConfigGates {
		config[g.ID] = true
	}
	seen := map[string]int{}
	for i, g := range c.plan.Gates {
		field := item("gates", i)
		c.problems = append(c.problems, g.Check(field)...)
		c.known(field+".criteria", g.Criteria)
		switch first, twice := seen[g.ID]; {
		case config[g.ID]:
			c.add(field+".id", "%s is a gate of the configuration, which a plan cannot redefine", g.ID)
		case twice:
			c.add(field+".id", "%s is also the id of gates[%d]", g.ID, first)
		default:
			seen[g.ID] = i
			c.gates[g.ID] = g
		}
	}
}

func (c *planChecker) notApplicable() {
	seen := map[string]bool{}
	for i, n := range c.plan.NotApplicable {
		field := item("notApplicable", i)
		c.oneOf(field+".kind", n.Kind, kindIntegration, kindBaseline)
		if seen[n.Kind] {
			c.add(field+".kind", "%s is there twice", clip(n.Kind, 80))
		}
		seen[n.Kind] = true
		c.text(field+".because", n.Because)
		_, known := c.gates[n.Instead]
		switch {
		case n.Kind == kindBaseline && n.Instead == "":
		case n.Instead == "":
			c.add(field+".instead", "is empty; name the gate that covers the risk")
		case !known:
			c.add(field+".instead", "there is no gate %q", clip(n.Instead, 80))
		}
		if n.Kind != kindBaseline && c.hasKind(n.Kind) {
			c.add(field+".kind", "%s is called not applicable, but there is a gate of this kind", n.Kind)
		}
	}
}

// kindBaseline is the entry of notApplicable that says why no gate has the
// command of the baseline.
const kindBaseline = "baseline"

func (c *planChecker) hasKind(kind string) bool {
	for _, g := range c.gates {
		if g.Kind == kind {
			return true
		}
	}
	return false
}

func (c *planChecker) saysWhyNot(kind string) bool {
	return slices.ContainsFunc(c.plan.NotApplicable, func(n NotApplicable) bool { return n.Kind == kind })
}

func (c *planChecker) testKinds() {
	for _, kind := range []string{kindUnit, kindIntegration} {
		switch {
		case c.hasKind(kind) || kind == kindIntegration && c.saysWhyNot(kind):
		case kind == kindIntegration:
			c.add("gates", "there is no gate of kind %s, and notApplicable does not say why", kind)
		default:
			c.add("gates", "there is no gate of kind %s", kind)
		}
	}
}

// coverage demands a task and a gate for each criterion; what a human judges
// needs no gate.
func (c *planChecker) coverage() {
	byTask, byGate := map[string]bool{}, map[string]bool{}
	for _, t := range c.plan.Tasks {
		for _, id := range t.Criteria {
			byTask[id] = true
		}
	}
	for _, g := range c.gates {
		for _, id := range g.Criteria {
			byGate[id] = true
		}
	}
	for _, k := range c.in.Spec.Criteria {
		if !byTask[k.ID] {
			c.add("tasks", "no task names criterion %s", k.ID)
		}
		if !byGate[k.ID] && k.Verify != VerifyHuman {
			c.add("gates", "no gate names criterion %s", k.ID)
		}
	}
}

func (c *planChecker) baseline() {
	if argv := c.in.BaselineArgv; len(argv) > 0 && !c.saysWhyNot(kindBaseline) {
		same := false
		for _, g := range c.gates {
			same = same || g.Matches(argv)
		}
		if !same {
			c.add("gates", "none runs the command of the baseline, %s, and notApplicable does not say why (kind baseline)", commandLine(argv))
		}
	}
	called := map[string]string{}
	for i, f := range c.plan.BaselineFailures {
		field := item("baselineFailures", i)
		c.text(field+".test", f.Test)
		c.oneOf(field+".is", f.Is, "fix", "known")
		if is, twice := called[f.Test]; twice && is != f.Is {
			c.add(field+".is", "%s is called %s and %s", clip(f.Test, 80), is, f.Is)
		}
		called[f.Test] = f.Is
	}
	for _, name := range c.in.BaselineFailing {
		if _, ok := called[name]; !ok {
			c.add("baselineFailures", "%s failed before the change; call it fix or known", clip(OneLine(name), 200))
		}
	}
}

func (c *planChecker) removedTests() {
	c.texts("removedTests", c.plan.RemovedTests)
}

func (c *planChecker) answers() {
	answered := map[string]bool{}
	for i, a := range c.plan.Answers {
		field := item("answers", i)
		c.text(field+".steer", a.Steer)
		c.text(field+".how", a.How)
		answered[a.Steer] = answered[a.Steer] || strings.TrimSpace(OneLine(a.How)) != ""
	}
	for _, id := range c.in.Steers {
		if !answered[id] {
			c.add("answers", "steer %s has no answer", id)
		}
	}
}
