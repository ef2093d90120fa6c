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

func (c *planChecker) scope() {
	s := c.plan.Scope
	before := len(c.problems)
	if len(s.Write) == 0 {
		c.add("scope.write", "is empty; name what the delivery may change")
	}
	c.scopeGlobs("scope.write", s.Write)
	c.scopeGlobs("scope.tests", s.Tests)
	c.scopeGlobs("scope.scratch", s.Scratch)
	if len(c.problems) == before {
		c.scratch()
	}
}

// scratch refuses globs that would take source out of the tree, and so out of
// everything that evidence is about.
func (c *planChecker) scratch() {
	s := c.plan.Scope
	var source []string
	for _, g := range slices.Concat(s.Write, s.Tests) {
		for _, one := range expand(g) {
			source = append(source, sample(one))
		}
	}
	for i, g := range s.Scratch {
		name, exact := literal(g)
		if exact && GateDefining(name) {
			c.add(item("scope.scratch", i), "%s defines gates or CI; scratch files are left out of the tree", g)
			continue
		}
		hides := func(path string) bool { return InScope([]string{g}, path) }
		switch at := slices.IndexFunc(c.in.Tracked, hides); {
		case at >= 0:
			c.add(item("scope.scratch", i), "%q matches %s, which is tracked; scratch files are left out of the tree", g, c.in.Tracked[at])
		case slices.ContainsFunc(source, hides):
			c.add(item("scope.scratch", i), "%q matches what the delivery may change; scratch files are left out of the tree", g)
		}
	}
}

func (c *planChecker) scopeGlobs(field string, list []string) {
	before := len(c.problems)
	c.globs(field, list)
	if len(c.problems) > before {
		return
	}
	for i, g := range list {
		if catchAll(g) {
			c.add(item(field, i), "%q matches every file; name folders or kinds of files", g)
			continue
		}
		for _, one := range expand(g) {
			_, exact := literal(one)
			switch {
			case protected(fixed(one)):
				c.add(item(field, i), "%q lies in a folder that belongs to Git or to the state of deliveries", g)
			case !exact && GateDefining(sample(one)):
				c.add(item(field, i), "%q is a pattern for files that define gates or CI; name each of them literally", g)
			default:
				continue
			}
			break
		}
	}
}

func (c *planChecker) tasks() {
	if len(c.plan.Tasks) == 0 {
		c.add("tasks", "there is none")
	}
	index := map[string]int{}
	for i, t := range c.plan.Tasks {
		field := item("tasks", i)
		if !criterionID(t.ID) {
			c.add(field+".id", "%q is no identifier such as T1", clip(t.ID, 80))
		}
		if first, twice := index[t.ID]; twice {
			c.add(field+".id", "%s is also the id of tasks[%d]", t.ID, first)
		} else {
			index[t.ID] = i
		}
		c.text(field+".title", t.Title)
		c.known(field+".criteria", t.Criteria)
		c.globs(field+".paths", t.Paths)
	}
	broken := false
	for i, t := range c.plan.Tasks {
		for j, d := range t.DependsOn {
			if _, ok := index[d]; !ok {
				broken = true
				c.add(item(item("tasks", i)+".dependsOn", j), "there is no task %q", clip(d, 80))
			}
		}
	}
	if !broken && len(index) == len(c.plan.Tasks) {
		if cycle := c.cycle(index); cycle != nil {
			c.add(item("tasks", index[cycle[0]])+".dependsOn", "depends on itself: %s", strings.Join(cycle, " → "))
		}
	}
}

// known demands that each id is a criterion of the spec.
func (c *planChecker) known(field string, ids []string) {
	for i, id := range ids {
		if !c.criteria[id] {
			c.add(item(field, i), "there is no criterion %q", clip(id, 80))
		}
	}
}

// cycle returns the ids of a circle of dependencies, the first one again at its
// end, or nil. It keeps its own stack: a chain may be as long as the plan.
func (c *planChecker) cycle(index map[string]int) []string {
	const (
		unseen = iota
		open
		done
	)
	state := make([]int, len(c.plan.Tasks))
	next := make([]int, len(c.plan.Tasks))
	for root := range c.plan.Tasks {
		if state[root] != unseen {
			continue
		}
		stack := []int{root}
		state[root] = open
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			deps := c.plan.Tasks[at].DependsOn
			if next[at] == len(deps) {
				state[at] = done
				stack = stack[:len(stack)-1]
				continue
			}
			to := index[deps[next[at]]]
			next[at]++
			switch state[to] {
			case unseen:
				state[to] = open
				stack = append(stack, to)
			case open:
				var ids []string
				for _, i := range stack[slices.Index(stack, to):] {
					ids = append(ids, c.plan.Tasks[i].ID)
				}
				return append(ids, c.plan.Tasks[to].ID)
			}
		}
	}
	return nil
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
