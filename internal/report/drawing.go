package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/state"
)

// Measures of the drawing, in its own units: a unit is a pixel where there is room.
const (
	rowHeight  = 40
	boxHeight  = 28
	boxWidth   = 254
	laneWidth  = 24
	cornerOf   = 7 // radius of a return's corners
	besideNode = 6 // how far from the middle of a box a return leaves and arrives
)

// drawing is the graph as a column of nodes, with the ways back as arcs beside it.
type drawing struct {
	Width, Height int
	Nodes         []drawnNode
	Edges         []drawnEdge // from a node to the next one
	Arcs          []drawnArc
	Told          string // the same in words
}

// drawnNode is a box. The last one is the end, and no node.
type drawnNode struct {
	Name, State, Note string // State: passed, failed, paused, running, pending
	Y, H, W           int
	Now               bool
}

// Middle is where its text stands.
func (n drawnNode) Middle() int { return n.Y + n.H/2 }

type drawnEdge struct {
	Y1, Y2 int
	Taken  bool
}

// drawnArc is a way that is not the one to the next node.
type drawnArc struct {
	From, To     string
	Times        int
	Bad          bool // it failed; else a human led there
	Path         string
	TipY         int
	LabelX, Mid  int
	from, to     int
	lane         int
	first, final int // rows that it passes
}

// draw lays the graph out, and the path on it.
func draw(m Model) drawing {
	d := drawing{}
	rows := map[string]int{}
	visits := map[string]int{}
	for _, a := range m.Path {
		visits[a.Node]++
	}
	ended := m.Delivery.Status == state.Done || m.Delivery.Status == state.Aborted
	for i, n := range m.Nodes {
		rows[n.Name] = i
		box := drawnNode{Name: n.Name, State: n.Status, Y: i*rowHeight + 1, H: boxHeight, W: boxWidth, Now: !ended && n.Name == m.Delivery.Node}
		box.Note = visitNote(visits[n.Name], box.Now)
		d.Nodes = append(d.Nodes, box)
	}
	end := drawnNode{Name: state.Done, State: state.NodePending, Y: len(m.Nodes)*rowHeight + 1, H: boxHeight, W: boxWidth}
	switch m.Delivery.Status {
	case state.Done:
		end.State = state.NodePassed
	case state.Aborted:
		end.Name, end.State = state.Aborted, state.NodeFailed
	}
	rows[""] = len(d.Nodes)
	d.Nodes = append(d.Nodes, end)
	d.Height = end.Y + end.H + 1
	taken := map[int]bool{}
	d.ways(m, rows, taken)
	for i := range m.Nodes {
		d.Edges = append(d.Edges, drawnEdge{Y1: i*rowHeight + boxHeight + 1, Y2: (i+1)*rowHeight + 1, Taken: taken[i]})
	}
	d.lanes()
	d.Told = told(m, d)
	return d
}

func visitNote(visits int, now bool) string {
	switch {
	case now && visits > 1:
		return fmt.Sprintf("now, visit %d", visits)
	case now:
		return "now"
	case visits > 1:
		return fmt.Sprintf("%d visits", visits)
	}
	return ""
}

// ways gathers the steps from visit to visit: those to the next node, and the others.
func (d *drawing) ways(m Model, rows map[string]int, taken map[int]bool) {
	for i, a := range m.Path {
		to := a.To
		if i+1 < len(m.Path) {
			to = m.Path[i+1].Node
		} else if a.Outcome == "" || to == "" && m.Delivery.Status != state.Done && m.Delivery.Status != state.Aborted {
			continue // it has led nowhere yet
		}
		from, known := rows[a.Node]
		target, there := rows[to]
		passed := a.Outcome == string(graph.Pass)
		switch {
		case !known || !there:
		case target == from && i+1 == len(m.Path):
		case target == from+1 && passed:
			taken[from] = true
		default:
			d.arc(from, target, !passed && a.Outcome != "moved")
		}
	}
}

func (d *drawing) arc(from, to int, bad bool) {
	for i, a := range d.Arcs {
		if a.from == from && a.to == to && a.Bad == bad {
			d.Arcs[i].Times++
			return
		}
	}
	d.Arcs = append(d.Arcs, drawnArc{
		From: d.Nodes[from].Name, To: d.Nodes[to].Name, Times: 1, Bad: bad, from: from, to: to, first: min(from, to), final: max(from, to),
	})
}

// lanes gives each arc the innermost lane in which it meets no other, short ones first.
func (d *drawing) lanes() {
	slices.SortStableFunc(d.Arcs, func(a, b drawnArc) int { return cmp.Compare(a.final-a.first, b.final-b.first) })
	lanes := 0
	for i := range d.Arcs {
		a := &d.Arcs[i]
		for slices.ContainsFunc(d.Arcs[:i], func(b drawnArc) bool { return b.lane == a.lane && b.first <= a.final && a.first <= b.final }) {
			a.lane++
		}
		lanes = max(lanes, a.lane+1)
		y1, y2 := d.Nodes[a.from].Middle(), d.Nodes[a.to].Middle()
		if a.to <= a.from {
			y1, y2 = y1-besideNode, y2+besideNode
		} else {
			y1, y2 = y1+besideNode, y2-besideNode
		}
		if a.to == a.from {
			y1, y2 = y1+2*besideNode, y2-2*besideNode
		}
		r := cornerOf
		if y2 > y1 {
			r = -r
		}
		if a.to == a.from {
			r = besideNode
		}
		x := boxWidth + (a.lane+1)*laneWidth
		c := max(r, -r)
		a.Path = fmt.Sprintf("M%d %dH%dQ%d %d %d %dV%dQ%d %d %d %dH%d", boxWidth+1, y1, x-c, x, y1, x, y1-r, y2+r, x, y2, x-c, y2, boxWidth+7)
		a.TipY, a.LabelX, a.Mid = y2, x, (y1+y2)/2
		if a.to == a.from {
			a.LabelX += laneWidth / 2 // beside it: the loop is no taller than the label
		}
	}
	d.Width = boxWidth + max(lanes, 1)*laneWidth + laneWidth
}

// told says in words what the drawing shows.
func told(m Model, d drawing) string {
	where := m.Delivery.Status
	if n := m.Delivery.Node; n != "" {
		where += " at " + n
	}
	s := fmt.Sprintf("%d nodes in a column, %d visits; %s.", len(m.Nodes), len(m.Path), where)
	var back []string
	for _, a := range d.Arcs {
		back = append(back, fmt.Sprintf("from %s to %s %s", a.From, a.To, times(a.Times)))
	}
	if len(back) > 0 {
		s += " Ways back: " + strings.Join(back, "; ") + "."
	}
	return s
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
