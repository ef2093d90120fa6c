package engine

import (
	"context"
	"errors"

	"github.com/asterweave/asterweave/internal/audit"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// Verify checks the whole ledger: bytes, chain and anchor by the independent
// verifier, then that every event is legal after the one before and that the last
// event's state is the fold. It never writes.
func (e *Engine) Verify(ctx context.Context) (audit.Report, error) {
	anchor, err := anchorPath(e.repo)
	if err != nil {
		return audit.Report{}, err
	}
	s := state.New()
	report, err := audit.Verify(e.log.Path(), audit.Options{Anchor: anchor, Each: func(ev audit.Event) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		var damage *ledger.DamageError
		err := apply(s, ledger.Event{Seq: ev.Line, Type: ev.Type, Data: ev.Data})
		if errors.As(err, &damage) {
			return errors.New(damage.What) // the report names the line
		}
		if err != nil {
			return err
		}
		return checkFold(s, ev)
	}})
	return report, ledgerError(err)
}

// checkFold compares the fold's digest where it is worth its cost: at an event
// that moves the delivery. In between, the chain holds the digests.
func checkFold(s *state.State, ev audit.Event) error {
	if ev.Type == "tool" || ev.Type == "next" || ev.Type == ledger.Recovered {
		return nil
	}
	digest, _, err := s.Digest()
	if err != nil {
		return err
	}
	if digest != ev.State {
		return errors.New("its state is not the fold of the events up to it")
	}
	return nil
}

// Stale returns the gates whose evidence is not current, in the plan's order.
func (v View) Stale() []document.Gate {
	var out []document.Gate
	for _, g := range v.Gates() {
		if !v.GateNeed(g).Open() {
			out = append(out, g)
		}
	}
	return out
}

// Events calls fn for every event, in order.
func (e *Engine) Events(fn func(ledger.Event) error) error { return e.EventsAfter(0, fn) }

// EventsAfter calls fn for every event after a sequence number, in order.
func (e *Engine) EventsAfter(seq int64, fn func(ledger.Event) error) error {
	if !e.log.Exists() {
		return problem.New(problem.NoDelivery, "there is no delivery in this worktree", "start opens one")
	}
	return ledgerError(e.log.Scan(0, func(ev ledger.Event, _ int64) error {
		if ev.Seq <= seq {
			return nil
		}
		return fn(ev)
	}))
}
