package document

import (
	"slices"
	"strings"
)

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
