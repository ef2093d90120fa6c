package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/engine"
)

// walked is a delivery over four nodes, of visits as "node outcome".
func walked(status, node string, visits ...string) Model {
	m := Model{Delivery: Delivery{DeliveryStatus: engine.DeliveryStatus{Status: status, Node: node}}}
	for _, n := range []string{"plan", "implement", "test", "review"} {
		m.Nodes = append(m.Nodes, engine.NodeStatus{Name: n, Status: "pending"})
	}
	for _, v := range visits {
		n, outcome, _ := strings.Cut(v, " ")
		m.Path = append(m.Path, Attempt{Node: n, Outcome: outcome})
	}
	return m
}

func TestDrawing(t *testing.T) {
	for _, c := range []struct {
		name  string
		model Model
		taken string // edges, from the top
		arcs  []string
		notes string
	}{
		{"straight", walked("done", "", "plan pass", "implement pass", "test pass", "review pass"), "1111", nil, "|||"},
		{"nothing yet", walked("active", "plan", "plan "), "0000", nil, "now|||"},
		{
			"retries", walked("active", "implement", "plan pass", "implement pass", "test fail-retryable", "implement pass", "test fail-retryable", "implement "), "1100",
			[]string{"test>implement 2 true lane 0"},
			"|now, visit 3|2 visits|",
		},
		{
			"replan around a retry", walked("active", "plan", "plan pass", "implement pass", "test fail-retryable", "implement pass", "test pass", "review fail-replan", "plan "), "1110",
			[]string{"test>implement 1 true lane 0", "review>plan 1 true lane 1"},
			"now, visit 2|2 visits|2 visits|",
		},
		{"again at the same node", walked("active", "implement", "plan fail-retryable", "plan pass", "implement "), "1000", []string{"plan>plan 1 true lane 0"}, "2 visits|now||"},
		{"moved by a human", walked("active", "plan", "plan pass", "implement pass", "test moved", "plan "), "1100", []string{"test>plan 1 false lane 0"}, "now, visit 2|||"},
		{"ended without success", walked("aborted", "test", "plan pass", "implement pass", "test abort"), "1100", []string{"test>aborted 1 true lane 0"}, "|||"},
		{
			"apart", walked("active", "test", "plan fail-retryable", "plan pass", "implement pass", "test fail-retryable", "test "), "1100",
			[]string{"plan>plan 1 true lane 0", "test>test 1 true lane 0"},
			"2 visits||now, visit 2|",
		},
	} {
		d := draw(c.model)
		taken, notes := "", []string{}
		for _, e := range d.Edges {
			taken += map[bool]string{true: "1", false: "0"}[e.Taken]
		}
		for _, n := range d.Nodes[:len(d.Nodes)-1] {
			notes = append(notes, n.Note)
		}
		var arcs []string
		for _, a := range d.Arcs {
			arcs = append(arcs, fmt.Sprintf("%s>%s %d %v lane %d", a.From, a.To, a.Times, a.Bad, a.lane))
			if a.LabelX+cornerOf > d.Width || a.TipY > d.Height || a.Mid > d.Height {
				t.Errorf("%s: the arc from %s to %s leaves the drawing", c.name, a.From, a.To)
			}
			if !strings.Contains(d.Told, fmt.Sprintf("from %s to %s %s", a.From, a.To, times(a.Times))) {
				t.Errorf("%s: the words do not tell of the arc from %s to %s: %s", c.name, a.From, a.To, d.Told)
			}
		}
		if taken != c.taken || strings.Join(arcs, ", ") != strings.Join(c.arcs, ", ") || strings.Join(notes, "|") != c.notes {
			t.Errorf("%s: edges %s, arcs %q, notes %q; not %s, %q, %q", c.name, taken, arcs, notes, c.taken, c.arcs, c.notes)
		}
	}
}
