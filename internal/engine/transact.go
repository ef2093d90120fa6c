package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// cacheEvery bounds how many counts are folded on from the cache.
const cacheEvery = 32

// call describes a transaction.
type call struct {
	verb  string
	cause string // what made it, "hook subagent-stop" say
	by    By
	want  want // what the decision has to know of the world
	async bool // not synced: counts, no facts
}

// transact takes the lock, reads the world, lets fn decide and appends what it
// decided as one event. When fn changes nothing, nothing is written.
func (e *Engine) transact(ctx context.Context, c call, fn func(*decide.Draft) error) (*decide.Draft, error) {
	if !e.log.Exists() {
		return nil, noDelivery() // and no state folder either
	}
	w, err := e.log.Lock(ctx)
	if err != nil {
		return nil, ledgerError(err)
	}
	defer w.Close()
	t := w.Tail()
	if t.Seq == 0 {
		return nil, noDelivery()
	}
	s, err := e.load(t)
	if err != nil {
		return nil, ledgerError(err)
	}
	g, err := e.graphOf(s)
	if err != nil {
		return nil, err
	}
	f := &gate.Facts{}
	if n, ok := g.Node(s.Node); ok && n.Outcomes[graph.Pass] == graph.ToDone {
		c.want.fresh = true // what is cached about the tree has no say in the end
	}
	if !c.async {
		if f, err = e.facts(ctx, s, c.want); err != nil {
			return nil, err
		}
	}
	return e.commit(w, c, s, g, f, fn)
}

func (e *Engine) commit(w *ledger.Writer, c call, s *state.State, g *graph.Graph, f *gate.Facts, fn func(*decide.Draft) error) (*decide.Draft, error) {
	now := e.o.Now().UTC().Round(0)
	seq, at := w.Next(now)
	d, err := decide.New(s, g, f, seq, now, c.by)
	if err != nil {
		return nil, err
	}
	if err := fn(d); err != nil {
		return nil, err
	}
	if len(d.Changes) == 0 {
		return d, nil
	}
	if d.State.Delivery.Status == state.Done {
		if err := e.whole(); err != nil {
			return nil, err
		}
	}
	data, err := e.encode(f, d.Changes)
	if err != nil {
		return nil, err
	}
	// What is folded is what was stored, so that a later fold finds the same.
	after, err := s.Clone()
	if err != nil {
		return nil, err
	}
	changes, err := state.Decode(data)
	if err != nil {
		return nil, err
	}
	if err := state.Fold(after, state.Entry{Seq: seq, At: at, By: d.By, Changes: changes}); err != nil {
		return nil, problem.Wrap(problem.Conflict, err, "status shows where the delivery is")
	}
	digest, fold, err := after.Digest()
	if err != nil {
		return nil, err
	}
	node, attempt := d.Event()
	_, err = w.Append(ledger.Draft{Type: c.verb, Node: node, Attempt: attempt, By: d.By, Cause: c.cause, Data: data, State: digest, At: now}, !c.async)
	var anchor *ledger.AnchorError
	if err != nil && !errors.As(err, &anchor) {
		return nil, appendError(err)
	}
	d.State = after
	if !c.async || seq%cacheEvery == 0 {
		_ = e.store(w.Tail(), fold, !c.async) // a cache that lags is folded on from
	}
	if err != nil {
		return d, problem.Wrap(problem.Failed, err, "the event is stored; doctor says what is wrong with the anchor")
	}
	return d, nil
}

// whole checks the whole ledger before the step to done.
func (e *Engine) whole() error {
	r, err := e.Verify(context.Background())
	if err != nil {
		return err
	}
	if r.Damaged() {
		return problem.New(problem.Ledger, "the ledger is damaged: "+r.Problems[0].String(), "verify lists what is wrong; a delivery on a damaged ledger is not done")
	}
	return nil
}

func appendError(err error) error {
	var size *ledger.SizeError
	if errors.As(err, &size) {
		return problem.Wrap(problem.Invalid, err, "put long texts into a file and name it")
	}
	return problem.Wrap(problem.Failed, fmt.Errorf("nothing was recorded: %w", err), "make room or repair the disk, then do it again")
}

// encode returns the changes as the data of an event, without secrets.
func (e *Engine) encode(f *gate.Facts, changes []state.Change) ([]byte, error) {
	b, err := json.Marshal(state.Data{Changes: changes})
	if err != nil {
		return nil, fmt.Errorf("event data: %w", err)
	}
	r, err := redactor(f)
	if err != nil {
		return nil, err
	}
	return redactJSON(r, b)
}

func (e *Engine) disk() durable.Disk { return durable.Disk{FS: e.o.FS} }

// copyOut writes a document for people to read. The ledger names the artifact that
// counts; a copy that cannot be written fails nothing.
func (e *Engine) copyOut(name string, data []byte) {
	_ = e.disk().WriteCache(filepath.Join(e.log.Dir(), name), data)
}
