package report

import (
	"fmt"
	"slices"

	"github.com/asterweave/asterweave/internal/gate"
)

// criteriaGates returns the gates that name a criterion, in the order of the gates.
func criteriaGates(m Model) []string {
	var out []string
	for _, g := range m.Gates {
		if slices.ContainsFunc(m.Criteria, func(c Criterion) bool { return cellOf(c, g.ID) != nil }) {
			out = append(out, g.ID)
		}
	}
	return out
}

func cellOf(c Criterion, gateID string) *Cell {
	for i := range c.Cells {
		if c.Cells[i].Gate == gateID {
			return &c.Cells[i]
		}
	}
	return nil
}

func (w *mark) criteria(m Model) {
	w.p("## Acceptance criteria\n")
	if len(m.Criteria) == 0 {
		w.p("None yet.\n")
		return
	}
	gates := criteriaGates(m)
	head := []string{"criterion", "", "", "verdict", "discriminates"}
	for _, g := range gates {
		head = append(head, prose(g))
	}
	var rows [][]string
	for _, c := range m.Criteria {
		row := []string{"**" + prose(c.ID) + "**", prose(c.Hardness), prose(c.Text), verdictMark(c), prose(c.Discriminates)}
		for _, g := range gates {
			row = append(row, cellText(cellOf(c, g)))
		}
		rows = append(rows, row)
	}
	w.table(head, rows)
	for _, c := range m.Criteria {
		if c.SoftFailure() {
			w.p("- **%s is SOFT and fails**: %s", prose(c.ID), prose(c.Text))
		}
		if c.Verdict == gate.VerdictStale {
			w.p("- %s is stale: %s", prose(c.ID), prose(c.Why))
		}
	}
	w.p("")
}

func verdictMark(c Criterion) string {
	text := c.Verdict
	if c.Verdict != gate.VerdictPass {
		text = "**" + prose(text) + "**"
	}
	if c.Verify == "human" && c.Channel != "" {
		text += " by a human (" + prose(c.Channel) + ")"
	}
	return text
}

// cellText says what a gate says about a criterion; what the verdict rests on is bold.
func cellText(c *Cell) string {
	switch {
	case c == nil:
		return ""
	case c.Evidence == "":
		return prose(c.State)
	case c.Cited:
		return fmt.Sprintf("**%s** %s", prose(c.Evidence), prose(c.State))
	}
	return prose(c.Evidence + " " + c.State)
}
