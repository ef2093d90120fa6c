package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asterweave/asterweave/internal/audit"
	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// Verify checks the whole ledger: bytes, chain and anchor by the independent
// verifier, then that every event is legal after the one before, by the fold and by the
// independent walk of the graph, that what it names is there as it was, and that its
// state is the fold. It never writes.
func (e *Engine) Verify(ctx context.Context) (audit.Report, error) {
	s := state.New()
	var (
		unread error       // an artifact that cannot be read is no damage
		walk   *audit.Walk // of the graph that the first event names
	)
	report, err := audit.Verify(e.log.Path(), audit.Options{Anchor: anchorPath(e.repo), Each: func(ev audit.Event) error {
		if err := ctx.Err(); err != nil || ev.Type == ledger.Recovered {
			return err
		}
		changes, err := state.Decode(ev.Data)
		if err == nil {
			err = state.Fold(s, state.Entry{Seq: ev.Line, At: ev.At, Changes: changes})
		}
		if err == nil {
			err = e.checkArtifacts(changes)
			var artifact *ledger.ArtifactError
			if err != nil && !errors.As(err, &artifact) {
				unread = err
			}
		}
		if err == nil {
			err = checkFold(s, ev)
		}
		if err == nil && walk == nil {
			walk, err = e.walk(s.Delivery.Graph)
		}
		if err == nil {
			err = walk.Step(ev)
		}
		return err
	}})
	if err = errors.Join(err, unread); err != nil || report.Damaged() {
		return report, ledgerError(err)
	}
	for _, b := range s.Bypasses {
		report.Warnings = append(report.Warnings, fmt.Sprintf("bypass: %s let through what the guard's rule %s stops until %s, by a human's word: %s", b.ID, b.Rule, b.Until.UTC().Format(time.RFC3339), b.Reason))
	}
	if c, _, err := e.readCache(); err == nil && c.Synced && c.Seq > report.Events {
		report.Problems = append(report.Problems, audit.Problem{What: fmt.Sprintf("the ledger ends at event %d, but state.json knows event %d", report.Events, c.Seq)})
	}
	return report, nil
}

// walk returns the independent walk of a graph.
func (e *Engine) walk(graph string) (*audit.Walk, error) {
	b, err := e.log.Artifact(graph)
	if err != nil {
		return nil, err
	}
	return audit.NewWalk(b, func(digest string) ([]byte, bool) {
		b, err := e.log.Artifact(digest)
		return b, err == nil
	})
}

// checkArtifacts holds that what the changes of an event name is there, unaltered.
func (e *Engine) checkArtifacts(changes []state.Change) error {
	for _, c := range changes {
		var named []string
		switch {
		case c.Started != nil:
			named = []string{c.Started.Delivery.Graph, c.Started.Delivery.Ambient}
		case c.Documented != nil:
			named = []string{c.Documented.Digest}
		case c.Recorded != nil:
			named = []string{c.Recorded.Path}
		case c.Intended != nil:
			named = []string{c.Intended.Body}
		}
		for _, digest := range named {
			if !canon.IsHash(digest) {
				continue // nothing, or a URL
			}
			if _, err := e.log.Artifact(digest); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkFold compares the fold's digest where it is worth its cost: at an event
// that moves the delivery. In between, the chain holds the digests.
func checkFold(s *state.State, ev audit.Event) error {
	if ev.Type == "tool" || ev.Type == "next" {
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
