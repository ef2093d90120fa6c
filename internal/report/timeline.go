package report

import (
	"fmt"
	"slices"
	"time"
)

// visit is an attempt with what was recorded and decided in its time.
type visit struct {
	Attempt
	Evidence []Evidence
	Marks    []humanMark
}

// humanMark is something that a human said or let through.
type humanMark struct {
	At   time.Time
	Text string
	Let  bool // it would have been shut
}

// Failed reports whether it ended in something else than a pass or a human's word.
func (v visit) Failed() bool { return v.Outcome != "" && v.Outcome != "pass" && v.Outcome != "moved" }

// timeline returns the visits in order. What happened between two visits is told with
// the first of them.
func timeline(m Model) []visit {
	marks := humanMarks(m)
	var out []visit
	for i, a := range m.Path {
		v := visit{Attempt: a}
		for _, e := range m.Evidence {
			if e.Node == a.Node && e.Attempt == a.Attempt {
				v.Evidence = append(v.Evidence, e)
			}
		}
		// A word that ends a visit is of the same moment as the next one's beginning.
		for len(marks) > 0 && (i+1 == len(m.Path) || !marks[0].At.After(m.Path[i+1].Began)) {
			v.Marks = append(v.Marks, marks[0])
			marks = marks[1:]
		}
		out = append(out, v)
	}
	return out
}

// humanMarks returns what humans said, the oldest first.
func humanMarks(m Model) []humanMark {
	var out []humanMark
	for _, a := range m.Approvals {
		out = append(out, humanMark{At: a.At, Text: fmt.Sprintf("%s of %s through %s, digest %s", a.Kind, a.About, who(a.Channel, a.By), short(a.Digest))})
	}
	for _, s := range m.Steers {
		out = append(out, humanMark{At: s.At, Text: fmt.Sprintf("steer %s through %s: %s", s.ID, s.Channel, s.Text)})
	}
	for _, x := range m.Exceptions {
		out = append(out, humanMark{At: x.At, Text: fmt.Sprintf("%s: %s (%s)", x.Kind, x.What, x.Because), Let: true})
	}
	slices.SortStableFunc(out, func(a, b humanMark) int { return a.At.Compare(b.At) })
	return out
}
