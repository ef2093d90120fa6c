package decide

import (
	"fmt"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// MaxGoal bounds the goal, in bytes.
const MaxGoal = 16 << 10

// Start opens a delivery and enters its first node. The tree has to be known:
// everything later is judged against it. chosen names what the caller
// asked for other than the repository has it, "base" or "provider": a human's choice.
func (d *Draft) Start(del state.Delivery, chosen []string) error {
	if d.State.Delivery.Open() {
		return problem.New(problem.Conflict, fmt.Sprintf("delivery %s is open in this worktree", d.State.Delivery.ID),
			"next goes on with it; another worktree can hold another delivery")
	}
	del.Goal = strings.TrimSpace(del.Goal)
	if del.Goal == "" {
		return problem.New(problem.Usage, "a delivery needs a goal", "say what is to be true at the end with --goal")
	}
	if len(del.Goal) > MaxGoal {
		return problem.New(problem.Invalid, fmt.Sprintf("the goal has %d bytes, at most %d are allowed", len(del.Goal), MaxGoal), "name a file or a work item for the details")
	}
	if d.Facts.World.Tree == "" {
		return problem.New(problem.Conflict, "the work tree cannot be read: "+strings.Join(d.Facts.TreeUnknown, "; "), "make these paths readable, or take them out of the work tree")
	}
	if del.AutoPR {
		if err := d.human("--auto-pr"); err != nil {
			return err
		}
	}
	if len(chosen) > 0 && !d.By.IsHuman() {
		return problem.New(problem.HumanOnly, fmt.Sprintf("another %s than the repository's own is a human's choice, and this call carries no human's word", strings.Join(chosen, " and ")),
			"start without it; or a human starts the delivery, or names it in "+document.ConfigPath+" on the base branch")
	}
	del.Status, del.StartedAt, del.GoalBy = state.Active, d.Now, d.By.Channel
	del.Tree, del.MergeBase, del.Commit = d.Facts.World.Tree, d.Facts.World.Base, d.Facts.Head
	del.Remote, del.URL, del.Transport, del.Trunk = d.Facts.Remote, d.Facts.URL, d.Facts.Transport, d.Facts.Trunk
	if err := d.emit(state.Change{Started: &state.Started{Delivery: del, Nodes: d.Graph.Names()}}); err != nil {
		return err
	}
	if err := d.pin(nil, d.Facts.Programs); err != nil {
		return err
	}
	return d.enter(d.Graph.Nodes[0].Name, "")
}
