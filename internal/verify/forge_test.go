package verify_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/state"
)

// event is a line of a ledger, taken apart. Its fields stand in the order of the format.
type event struct {
	V       int             `json:"v"`
	Seq     int64           `json:"seq"`
	At      string          `json:"at"`
	Type    string          `json:"type"`
	Node    string          `json:"node"`
	Attempt int             `json:"attempt"`
	By      evidence.By     `json:"by"`
	Cause   string          `json:"cause"`
	Data    json.RawMessage `json:"data"`
	State   string          `json:"state"`
	Prev    string          `json:"prev"`

	changes []state.Change
}

// forger holds a bundle that can be changed at every layer and sealed again, so that it
// is wrong only where it is meant to be.
type forger struct {
	t      testing.TB
	s      bundle.Statement
	events []event
	keep   bool // the digests of the fold are left as they are
}

// from takes a statement apart.
func from(t testing.TB, payload []byte) *forger {
	t.Helper()
	s, err := bundle.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Predicate.Ledger.Unpack()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	f := &forger{t: t, s: s}
	for line := range bytes.Lines(text) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.changes, err = state.Decode(e.Data); err != nil {
			t.Fatal(err)
		}
		f.events = append(f.events, e)
	}
	return f
}

// find returns the first change, from an event on, that fits, and its event.
func (f *forger) find(fits func(state.Change) bool) (*event, *state.Change) {
	f.t.Helper()
	for i := range f.events {
		for j := range f.events[i].changes {
			if c := &f.events[i].changes[j]; fits(*c) {
				return &f.events[i], c
			}
		}
	}
	f.t.Fatal("there is no such change")
	return nil, nil
}

// record returns the newest record of a kind.
func (f *forger) record(kind evidence.Kind) *evidence.Record {
	f.t.Helper()
	var found *evidence.Record
	for i := range f.events {
		for j := range f.events[i].changes {
			if r := f.events[i].changes[j].Recorded; r != nil && r.Kind == kind {
				found = r
			}
		}
	}
	if found == nil {
		f.t.Fatalf("there is no %s", kind)
	}
	return found
}

// completed returns the end of the first attempt of a node with this outcome.
func (f *forger) completed(node, outcome string) (*event, *state.Completed) {
	f.t.Helper()
	e, c := f.find(func(c state.Change) bool {
		return c.Completed != nil && c.Completed.Node == node && c.Completed.Outcome == outcome
	})
	return e, c.Completed
}

// insert puts an event with these changes behind another one.
func (f *forger) insert(after *event, by evidence.By, kind string, changes ...state.Change) {
	f.t.Helper()
	i := slices.IndexFunc(f.events, func(e event) bool { return e.Seq == after.Seq })
	one := event{V: 1, At: after.At, Type: kind, Node: after.Node, Attempt: after.Attempt, By: by, Cause: "test", changes: changes}
	f.events = slices.Insert(f.events, i+1, one)
}

// renumber gives the records ids in their order again.
func (f *forger) renumber() {
	n := 0
	names := map[string]string{}
	for i := range f.events {
		for j := range f.events[i].changes {
			if r := f.events[i].changes[j].Recorded; r != nil {
				n++
				was := r.ID
				r.ID = fmt.Sprintf("E%d", n)
				names[was] = r.ID
			}
		}
	}
	for i := range f.events {
		for j := range f.events[i].changes {
			c := &f.events[i].changes[j]
			switch {
			case c.Approved != nil:
				c.Approved.Record = names[c.Approved.Record]
			case c.Reviewed != nil:
				c.Reviewed.Review.Record = names[c.Reviewed.Review.Record]
			case c.Judged != nil:
				for k, id := range c.Judged.Verdict.Evidence {
					c.Judged.Verdict.Evidence[k] = names[id]
				}
			}
		}
	}
}

// replace puts another document in the place of one, under its own digest, wherever the
// ledger names it.
func (f *forger) replace(digest string, edit func(string) string) {
	f.t.Helper()
	text := edit(string(f.s.Predicate.Documents[digest]))
	now := canon.Hash([]byte(text))
	if now == digest {
		f.t.Fatal("the document did not change")
	}
	delete(f.s.Predicate.Documents, digest)
	f.s.Predicate.Documents[now] = []byte(text)
	for i := range f.events {
		b, err := json.Marshal(state.Data{Changes: f.events[i].changes})
		if err == nil {
			f.events[i].changes, err = state.Decode([]byte(strings.ReplaceAll(string(b), digest, now)))
		}
		if err != nil {
			f.t.Fatal(err)
		}
	}
}

// seal makes a ledger of the events, as whoever has no key can, and the lists that follow
// from it.
func (f *forger) seal() *forger {
	f.t.Helper()
	fold := state.New()
	var sum bundle.Summary
	var text bytes.Buffer
	prev := strings.Repeat("0", 64)
	for i := range f.events {
		e := &f.events[i]
		e.Seq, e.Prev = int64(i+1), prev
		b, err := json.Marshal(state.Data{Changes: e.changes})
		if err != nil {
			f.t.Fatal(err)
		}
		e.Data = b
		at, err := timeOf(e.At)
		if err != nil {
			f.t.Fatal(err)
		}
		// A forger goes on where the fold cannot.
		if state.Fold(fold, state.Entry{Seq: e.Seq, At: at, By: e.By, Changes: e.changes}) == nil && !f.keep {
			if e.State, _, err = fold.Digest(); err != nil {
				f.t.Fatal(err)
			}
			e.Node, e.Attempt = fold.Node, fold.Nodes[fold.Node].Visits
		}
		sum.Add(e.Seq, e.changes)
		line := sealed(f.t, *e)
		prev = string(line[len(line)-66 : len(line)-2])
		text.Write(line)
		text.WriteByte('\n')
	}
	f.pack(text.Bytes(), prev)
	sum.Fill(&f.s.Predicate, fold)
	return f
}

// sealed is a line with its hash.
func sealed(t testing.TB, e event) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		t.Fatal(err)
	}
	body := bytes.TrimSuffix(bytes.TrimSpace(b.Bytes()), []byte("}"))
	hash := sha256.Sum256(body)
	return append(body, []byte(`,"hash":"`+hex.EncodeToString(hash[:])+`"}`)...)
}

func (f *forger) pack(text []byte, head string) {
	f.t.Helper()
	l, err := bundle.Pack(bytes.NewReader(text), int64(len(f.events)), head)
	if err != nil {
		f.t.Fatal(err)
	}
	f.s.Predicate.Ledger = l
}

// envelope is what travels.
func (f *forger) envelope() []byte {
	f.t.Helper()
	payload, err := bundle.Encode(f.s)
	if err != nil {
		f.t.Fatal(err)
	}
	return wrapped(f.t, payload)
}

func wrapped(t testing.TB, payload []byte) []byte {
	t.Helper()
	b, err := bundle.Wrap(payload)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// copied shares nothing with the forger that a forgery changes.
func (f *forger) copied(t testing.TB) *forger {
	t.Helper()
	g := &forger{t: t}
	b, err := json.Marshal(f.s)
	if err == nil {
		err = json.Unmarshal(b, &g.s)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range f.events {
		changes, err := state.Decode(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		e.changes = changes
		g.events = append(g.events, e)
	}
	return g
}

// text is the ledger's bytes.
func (f *forger) text() []byte {
	f.t.Helper()
	in, err := f.s.Predicate.Ledger.Unpack()
	if err != nil {
		f.t.Fatal(err)
	}
	b, err := io.ReadAll(in)
	if err != nil {
		f.t.Fatal(err)
	}
	return b
}

func timeOf(s string) (t time.Time, err error) { return time.Parse(time.RFC3339Nano, s) }
