package report

import (
	"cmp"
	"fmt"
	"time"
)

// Use is a row of the table of what was counted: an agent in a node, and one model.
// Further models of the same agent have rows in which only the tokens are filled in.
type Use struct {
	Node, Agent, Calls, Reads, Took, Model, In, Out, Cached string
}

// Uses returns the rows of what was counted.
func (m Model) Uses() []Use {
	var out []Use
	for _, u := range m.Usage {
		row := Use{Node: u.Node, Agent: cmp.Or(u.Agent, "main conversation"), Calls: fmt.Sprint(u.Calls), Reads: fmt.Sprint(u.Reads)}
		if u.Failed > 0 {
			row.Calls += fmt.Sprintf(" (%d failed)", u.Failed)
		}
		row.Took = lasted(time.Duration(u.DurationMs) * time.Millisecond)
		if len(u.Models) == 0 {
			out = append(out, row)
		}
		for i, t := range u.Models {
			if i > 0 {
				row = Use{}
			}
			row.Model, row.In, row.Out, row.Cached = t.Model, fmt.Sprint(t.Input+t.CacheWrite), fmt.Sprint(t.Output), fmt.Sprint(t.CacheRead)
			out = append(out, row)
		}
	}
	return out
}
