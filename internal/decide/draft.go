// Package decide holds the rules of a delivery: which command is legal in which
// state, and what it changes. It is pure; the clock and the facts are passed in.
//
// A Draft works on a copy of the state. Each decision appends changes and folds
// them into the copy at once, so that decisions can be put together (a
// submission) and the whole either becomes one event or nothing.
package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// Draft is a transaction under way.
type Draft struct {
	gate.View
	Now     time.Time
	Seq     int64 // of the event that this becomes
	By      evidence.By
	Changes []state.Change

	word Comment // that approves, where one does
}

// New returns a draft on a copy of s.
func New(s *state.State, g *graph.Graph, f *gate.Facts, seq int64, now time.Time, by evidence.By) (*Draft, error) {
	c, err := s.Clone()
	if err != nil {
		return nil, err
	}
	return &Draft{View: gate.View{State: c, Graph: g, Facts: f}, Now: now, Seq: seq, By: by}, nil
}

func (d *Draft) emit(c state.Change) error {
	if err := state.Fold(d.State, state.Entry{Seq: d.Seq, At: d.Now, By: d.By, Changes: []state.Change{c}}); err != nil {
		return problem.Wrap(problem.Conflict, err, "run status to see where the delivery is")
	}
	d.Changes = append(d.Changes, c)
	return nil
}

func (d *Draft) emitAll(list ...state.Change) error {
	for _, c := range list {
		if err := d.emit(c); err != nil {
			return err
		}
	}
	return nil
}

// Event returns the node and attempt that the event is about.
func (d *Draft) Event() (node string, attempt int) {
	return d.State.Node, d.State.Nodes[d.State.Node].Visits
}

// active refuses everything but a delivery that is under way.
func (d *Draft) active() error {
	switch d.State.Delivery.Status {
	case state.Active:
		return nil
	case state.Paused:
		return problem.New(problem.Conflict, "the delivery is paused: "+d.State.Delivery.Reason, d.pausedHint())
	}
	return d.open()
}

func (d *Draft) open() error {
	if d.State.Delivery.Open() {
		return nil
	}
	return problem.New(problem.NoDelivery, "the delivery is "+d.State.Delivery.Status, "start opens another one")
}

func (d *Draft) pausedHint() string {
	switch by := d.State.Delivery.PausedBy; by {
	case state.PausedByProvider:
		return "resume when the provider has had time to answer"
	case "":
		return "a human can resume it"
	default:
		return fmt.Sprintf("a human has to answer ask %s; inbox shows it", by)
	}
}

// human refuses every channel that does not carry a human's word.
func (d *Draft) human(verb string) error {
	if d.By.IsHuman() {
		return nil
	}
	return problem.New(problem.HumanOnly, verb+" is a human's verb and this call carries no human's word",
		"a human types it in the client, or in a terminal of their own")
}

func (d *Draft) node(name string) (graph.Node, error) {
	n, ok := d.Graph.Node(name)
	if !ok {
		return n, problem.New(problem.Usage, fmt.Sprintf("unknown node %q", name), "the nodes are "+strings.Join(d.Graph.Names(), ", "))
	}
	return n, nil
}

func (d *Draft) askID() string      { return fmt.Sprintf("A%d", d.State.Counts.Asks+1) }
func (d *Draft) evidenceID() string { return fmt.Sprintf("E%d", d.State.Counts.Evidence+1) }

// record completes a record with what every record has, and emits it.
func (d *Draft) record(r evidence.Record) (evidence.Record, error) {
	r.ID = d.evidenceID()
	r.Node, r.Attempt = d.Event()
	r.By, r.At = d.By, d.Now
	env := r.World.Env
	if r.World.Tree == "" {
		r.World = d.Facts.World
		if env != "" {
			r.World.Env = env
		}
	}
	if err := d.emit(state.Change{Recorded: &r}); err != nil {
		return evidence.Record{}, err
	}
	r.Seq = d.Seq
	return r, nil
}

// from returns the names of the nodes at and after the named one.
func (d *Draft) from(node string) []string {
	return slices.Clone(d.Graph.Names()[d.Graph.Index(node):])
}

// between returns the names of the nodes strictly between two.
func (d *Draft) between(a, b string) []string {
	i, j := d.Graph.Index(a), d.Graph.Index(b)
	if i+1 >= j {
		return nil
	}
	return slices.Clone(d.Graph.Names()[i+1 : j])
}
