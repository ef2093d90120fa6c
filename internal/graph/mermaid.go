package graph

import (
	"fmt"
	"strings"
)

// Mermaid returns the graph as a Mermaid flowchart, for docs/architecture.md.
func (g *Graph) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	for _, n := range g.Nodes {
		kinds := make([]string, 0, len(n.Requires)+len(n.PlanGates))
		for _, k := range n.Requires {
			kinds = append(kinds, string(k))
		}
		for _, k := range n.PlanGates {
			kinds = append(kinds, string(k)+" gates")
		}
		fmt.Fprintf(&b, "  %s[\"%s<br/>%s\"]\n", id(n.Name), n.Name, strings.Join(kinds, ", "))
	}
	b.WriteString("  done([done])\n")
	for _, n := range g.Nodes {
		for _, o := range []Outcome{Pass, FailRetryable, FailReplan} {
			to, ok := n.Outcomes[o]
			if !ok || to == n.Name {
				continue
			}
			arrow := "-->"
			if o != Pass {
				arrow = "-. " + string(o) + " .->"
			}
			fmt.Fprintf(&b, "  %s %s %s\n", id(n.Name), arrow, id(strings.TrimPrefix(to, "@")))
		}
	}
	return b.String()
}

func id(node string) string { return strings.ReplaceAll(node, "-", "_") }
