package decide

import (
	"fmt"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// PutTriage stores what comments ask for. Those that it does not name keep what was
// said of them before; one that is named again with the same class keeps the time
// of its triage, so that what addressed it since still does.
func (d *Draft) PutTriage(t document.Triage, digest string) error {
	if err := d.active(); err != nil {
		return err
	}
	if !d.State.Running(graph.Comments) {
		return problem.New(problem.GateShut, "comments are triaged while "+graph.Comments+" is under way", "next says what is due")
	}
	if d.State.Comments == nil || d.State.Submitted == nil {
		return problem.New(problem.GateShut, "no comments were read", "read comments first")
	}
	problems := t.Check()
	items := map[string]state.Triage{}
	for i, one := range t.Items {
		c, ok := d.State.Comments.Comment(one.ID)
		if !ok {
			problems = append(problems, document.Problem{Field: fmt.Sprintf("items[%d].id", i), What: fmt.Sprintf("%q is no unresolved comment that was read", one.ID)})
			continue
		}
		now := state.Triage{Class: one.Class, Because: strings.TrimSpace(one.Because), Said: c.Said, Head: d.State.Submitted.Head, Plan: d.State.Docs[state.DocPlan]}
		if old, known := d.State.Triage[one.ID]; known && old.Said == now.Said && old.Class == now.Class {
			now.Head, now.Plan = old.Head, old.Plan
		}
		items[one.ID] = now
	}
	if err := refuse("triage.json", problems); err != nil {
		return err
	}
	return d.emit(state.Change{Triaged: &state.Triaged{Digest: digest, Items: items}})
}
