package decide

import (
	"fmt"
	"slices"

	"github.com/asterweave/asterweave/internal/state"
)

// maxHolds is how often in a row a turn is kept from ending without progress. It lies
// well below the number at which a client overrides.
const maxHolds = 3

// Hold decides what happens when the conversation wants to end its turn: while the
// delivery is active and waits for nobody, the turn goes on. When that brought nothing
// several times in a row, the delivery pauses, so that a human looks.
func (d *Draft) Hold() (goOn bool, err error) {
	if d.State.Delivery.Status != state.Active || d.waits() {
		return false, nil
	}
	h := state.Hold{Mark: d.progress(), Count: 1}
	if last := d.State.Hold; last != nil && last.Mark == h.Mark {
		h.Count = last.Count + 1
	}
	if h.Count > maxHolds {
		reason := fmt.Sprintf("the turn ended %d times without progress at %s", h.Count, d.State.Node)
		return false, d.emit(state.Change{Paused: &state.PausedBy{Reason: reason, Idle: true}})
	}
	return true, d.emit(state.Change{Held: &h})
}

// waits reports whether an ask is open that the current node cannot go on without.
func (d *Draft) waits() bool {
	return slices.ContainsFunc(d.State.Asks, func(a state.Ask) bool {
		return a.Digest != "" || len(a.Blocks) == 0 || slices.Contains(a.Blocks, d.State.Node)
	})
}

// progress names how far the delivery is: another name means that something happened.
func (d *Draft) progress() string {
	c := d.State.Counts
	return fmt.Sprintf("%s %d %s, plan %d, %d records, %d asks, %d intents, %d findings", d.State.Node, d.State.Nodes[d.State.Node].Visits,
		d.State.Nodes[d.State.Node].Status, d.State.PlanRevision, c.Evidence, c.Asks, c.Intents, c.Findings)
}
