package document

import "slices"

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
