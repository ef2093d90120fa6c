package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// cacheFile is the fold of the ledger; it can be deleted at any time.
const cacheFile = "state.json"

// cache is state.json. Fold holds the exact bytes that State is the digest of.
type cache struct {
	Seq    int64           `json:"seq"`
	Offset int64           `json:"offset"` // of the event's line
	Hash   string          `json:"hash"`
	State  string          `json:"state"`
	Synced bool            `json:"synced"` // the event was on the disk when this was written
	Fold   json.RawMessage `json:"fold"`
}

// load returns the fold of the ledger up to the tail. It uses the cache when the
// event that the cache names is there and has the digest of its fold, and folds on
// from it; else it folds everything. A cache ahead of the ledger is damage.
func (e *Engine) load(t ledger.Tail) (*state.State, error) {
	if t.Seq == 0 {
		return state.New(), nil
	}
	s, from, err := e.cached(t)
	if err != nil {
		return nil, err
	}
	skip := s != nil // the event at from is folded already
	if s == nil {
		s = state.New()
	}
	err = e.log.Scan(from, func(ev ledger.Event, _ int64) error {
		if skip {
			skip = false
			return nil
		}
		if ev.Seq > t.Seq {
			return errEnough
		}
		return apply(s, ev)
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	digest, _, err := s.Digest()
	if err != nil {
		return nil, err
	}
	if t.State != "" && digest != t.State {
		return nil, &ledger.DamageError{Line: t.Seq, What: "its state is not the fold of the events up to it"}
	}
	if git, ok := s.Programs[state.Git]; ok && s.Delivery.Open() {
		// Whoever puts another git first on PATH is not asked. One that is gone is looked
		// for there, and is not the one that was pinned.
		_ = e.repo.UseProgram(git.Path)
	}
	return s, nil
}

var errEnough = errors.New("enough")

// apply folds one event. What the ledger itself reports changes nothing.
func apply(s *state.State, ev ledger.Event) error {
	if ev.Type == ledger.Recovered {
		return nil
	}
	changes, err := state.Decode(ev.Data)
	if err == nil {
		err = state.Fold(s, state.Entry{Seq: ev.Seq, At: ev.At, By: ev.By, Changes: changes})
	}
	if err != nil {
		return &ledger.DamageError{Line: ev.Seq, What: err.Error()}
	}
	return nil
}

// cached returns the state of the cache and where its event lies, or no state when
// the cache cannot be used.
func (e *Engine) cached(t ledger.Tail) (*state.State, int64, error) {
	c, s, err := e.readCache()
	if err != nil || c.Seq > t.Seq && !c.Synced { // ahead and not synced: the power went before the counts were on the disk
		return nil, 0, nil //nolint:nilerr // what cannot be read is folded anew
	}
	if c.Seq > t.Seq {
		return nil, 0, &ledger.DamageError{Line: t.Seq, What: fmt.Sprintf("the ledger ends here, but state.json knows event %d", c.Seq)}
	}
	if !e.holds(c) {
		return nil, 0, nil // fold anew
	}
	return s, c.Offset, nil
}

// holds reports whether the event that the cache names is in the ledger.
func (e *Engine) holds(c cache) bool {
	ev, err := e.log.At(c.Offset)
	return err == nil && ev.Seq == c.Seq && ev.Hash == c.Hash && ev.State == c.State
}

// readCache returns the cache if it can be read and is what its digest says.
func (e *Engine) readCache() (cache, *state.State, error) {
	var c cache
	s := state.New()
	b, err := os.ReadFile(filepath.Join(e.log.Dir(), cacheFile))
	if err != nil {
		return c, s, err
	}
	if json.Unmarshal(b, &c) != nil || canon.Hash(c.Fold) != c.State || json.Unmarshal(c.Fold, s) != nil {
		return c, s, errors.New(cacheFile + " is not what was written")
	}
	return c, s, nil
}

// Cached returns the number of the event up to which the cache is the fold. The
// error says why a cache is not used; it is fs.ErrNotExist where there is none.
func (e *Engine) Cached() (int64, error) {
	c, _, err := e.readCache()
	if err == nil && !e.holds(c) {
		err = errors.New(cacheFile + " belongs to another ledger")
	}
	return c.Seq, err
}

// store writes the cache. Its failure never fails an append: the next load folds.
func (e *Engine) store(t ledger.Tail, fold []byte, synced bool) error {
	b, err := json.Marshal(cache{Seq: t.Seq, Offset: t.Offset, Hash: t.Hash, State: t.State, Synced: synced, Fold: fold})
	if err != nil {
		return fmt.Errorf("state.json: %w", err)
	}
	return e.disk().WriteCache(filepath.Join(e.log.Dir(), cacheFile), b)
}

// current returns the state without taking the lock.
func (e *Engine) current() (*state.State, ledger.Tail, error) {
	for look := 1; ; look++ {
		t, err := e.log.Tail()
		if err != nil {
			return nil, t, ledgerError(err)
		}
		if t.Seq == 0 {
			return nil, t, noDelivery()
		}
		s, err := e.load(t)
		var damage *ledger.DamageError
		if look == looks || !errors.As(err, &damage) {
			return s, t, ledgerError(err)
		}
	}
}

// looks is how often a reader looks before it says that something is damaged: a
// writer may have written between its reads of the ledger and of the cache.
const looks = 3

func noDelivery() error {
	return problem.New(problem.NoDelivery, "there is no delivery in this worktree", "start opens one")
}

// graphOf returns the graph that the delivery runs on to its end.
func (e *Engine) graphOf(s *state.State) (*graph.Graph, error) {
	if s.Delivery.Graph == "" {
		return graph.Parse(graph.Embedded())
	}
	b, err := e.log.Artifact(s.Delivery.Graph)
	if err != nil {
		return nil, problem.Wrap(problem.Ledger, err, "the graph that this delivery runs on is an artifact; doctor says what is missing")
	}
	return graph.Parse(b)
}
