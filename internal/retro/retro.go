// Package retro says what the ledgers of a worktree tell about its deliveries, the
// present one and those in the archive: how they went, where they failed, and how
// long they waited for people. It reads, takes no lock, and judges nothing.
package retro

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/report"
	"github.com/asterweave/asterweave/internal/state"
)

// Version is that of the shape below.
const Version = 1

// Retro is what all ledgers tell, the oldest delivery first.
type Retro struct {
	Version    int        `json:"version"`
	Deliveries []Delivery `json:"deliveries"`
	Skipped    []Skipped  `json:"skipped"` // ledgers that cannot be read
	Total      Total      `json:"total"`
}

// Skipped is a ledger that tells nothing.
type Skipped struct {
	Path string `json:"path"` // in the state folder
	Why  string `json:"why"`
}

// Delivery is how one delivery went. Durations are in milliseconds.
type Delivery struct {
	ID         string            `json:"id"`
	Goal       string            `json:"goal"`
	Archived   bool              `json:"archived"`
	Outcome    string            `json:"outcome"` // done or aborted; active or paused while it is open
	Reason     string            `json:"reason"`
	StartedAt  time.Time         `json:"startedAt"`
	LastAt     time.Time         `json:"lastAt"` // of the last event
	DurationMs int64             `json:"durationMs"`
	Nodes      []Node            `json:"nodes"` // in the order of their first attempts
	Failures   []Failure         `json:"failures"`
	Asks       []Ask             `json:"asks"`
	WaitedMs   int64             `json:"waitedMs"` // of all asks
	Unstable   []report.Unstable `json:"unstable"` // gates that failed and passed in one world
	Refunds    int               `json:"refunds"`
	Replans    int               `json:"replans"`
	Calls      int               `json:"calls"` // of tools, as the hooks saw them
	CallMs     int64             `json:"callMs"`
}

// Node is how often a node was tried.
type Node struct {
	Node     string `json:"node"`
	Attempts int    `json:"attempts"` // refunded ones included
	Refunds  int    `json:"refunds"`
	Calls    int    `json:"calls"`
}

// Failure is a way to fail, and how often it was gone.
type Failure struct {
	Node      string `json:"node"`
	Gate      string `json:"gate"` // "" where no gate failed
	Signature string `json:"signature"`
	Count     int    `json:"count"`
}

// Ask is a question to a person.
type Ask struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Question string `json:"question"`
	Open     bool   `json:"open"`
	Channel  string `json:"channel"`  // of the answer; "" where there was none
	WaitedMs int64  `json:"waitedMs"` // until it closed, or until the last event
}

// Read reads the ledgers in a state folder: its own, and those in its archive. One
// that cannot be read is skipped and named; there may be none.
func Read(folder string) Retro {
	r := Retro{Version: Version, Deliveries: []Delivery{}, Skipped: []Skipped{}}
	archive := filepath.Join(folder, "archive")
	entries, err := os.ReadDir(archive)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.Skipped = append(r.Skipped, Skipped{"archive", err.Error()})
	}
	for _, e := range entries {
		r.take(filepath.Join(archive, e.Name()), filepath.Join("archive", e.Name()), true)
	}
	if _, err := os.Lstat(filepath.Join(folder, ledger.FileName)); err == nil {
		r.take(folder, ledger.FileName, false)
	}
	slices.SortStableFunc(r.Deliveries, func(a, b Delivery) int {
		return cmp.Or(a.StartedAt.Compare(b.StartedAt), cmp.Compare(a.ID, b.ID))
	})
	r.Total = total(r.Deliveries)
	return r
}

func (r *Retro) take(dir, name string, archived bool) {
	d, err := read(dir)
	if err != nil {
		r.Skipped = append(r.Skipped, Skipped{name, err.Error()})
		return
	}
	d.Archived = archived
	r.Deliveries = append(r.Deliveries, d)
}

// read tells of the ledger in one folder.
func read(dir string) (Delivery, error) {
	w := walk{nodes: map[string]int{}, failures: map[Failure]int{}}
	log := ledger.Open(dir, ledger.Options{})
	past, err := report.PastOf(func(fn func(ledger.Event) error) error {
		return log.Scan(0, func(ev ledger.Event, _ int64) error {
			if err := w.event(ev); err != nil {
				return err
			}
			return fn(ev)
		})
	})
	switch {
	case err != nil:
		return Delivery{}, err
	case w.d.ID == "":
		return Delivery{}, errors.New("there is no delivery in it")
	}
	return w.delivery(past), nil
}

// walk counts what passes by.
type walk struct {
	d        Delivery
	nodes    map[string]int // → index in d.Nodes
	failures map[Failure]int
}

func (w *walk) event(ev ledger.Event) error {
	if ev.Type == ledger.Recovered {
		return nil
	}
	changes, err := state.Decode(ev.Data)
	if err != nil {
		return err
	}
	w.d.LastAt = ev.At
	for _, c := range changes {
		w.change(ev, c)
	}
	return nil
}

func (w *walk) change(ev ledger.Event, c state.Change) {
	switch {
	case c.Started != nil:
		s := c.Started.Delivery
		w.d.ID, w.d.Goal, w.d.Outcome, w.d.StartedAt = s.ID, s.Goal, state.Active, ev.At
	case c.Entered != nil:
		w.node(c.Entered.Node).Attempts++
	case c.Completed != nil:
		w.completed(*c.Completed)
	case c.Moved != nil && c.Moved.To == graph.Plan:
		w.d.Replans++
	case c.Paused != nil:
		w.d.Outcome, w.d.Reason = state.Paused, c.Paused.Reason
	case c.Resumed != nil:
		w.d.Outcome, w.d.Reason = state.Active, ""
	case c.Ended != nil:
		w.d.Outcome, w.d.Reason = c.Ended.Status, c.Ended.Reason
	case c.Tool != nil:
		w.d.Calls++
		w.d.CallMs += c.Tool.DurationMs
		if ev.Node != "" {
			w.node(ev.Node).Calls++
		}
	}
}

func (w *walk) completed(c state.Completed) {
	if c.Refund {
		w.d.Refunds++
		w.node(c.Node).Refunds++
	}
	if c.Outcome == string(graph.FailReplan) {
		w.d.Replans++
	}
	if f := c.Failure; f != nil {
		w.failures[Failure{Node: f.Node, Gate: f.Gate, Signature: f.Signature}]++
	}
}

// node returns the node's counts; good until the next call.
func (w *walk) node(name string) *Node {
	i, ok := w.nodes[name]
	if !ok {
		i = len(w.d.Nodes)
		w.nodes[name] = i
		w.d.Nodes = append(w.d.Nodes, Node{Node: name})
	}
	return &w.d.Nodes[i]
}

func (w *walk) delivery(past report.Past) Delivery {
	d := w.d
	d.DurationMs = d.LastAt.Sub(d.StartedAt).Milliseconds()
	if d.Nodes == nil {
		d.Nodes = []Node{}
	}
	d.Failures, d.Unstable, d.Asks = counted(w.failures), past.Unstable, []Ask{}
	for _, a := range past.Asks {
		until := a.ClosedAt
		if a.Open {
			until = d.LastAt
		}
		waited := until.Sub(a.At).Milliseconds()
		d.WaitedMs += waited
		d.Asks = append(d.Asks, Ask{ID: a.ID, Kind: a.Kind, Question: a.Question, Open: a.Open, Channel: a.Channel, WaitedMs: waited})
	}
	return d
}

// counted lists failures, the most frequent first.
func counted(m map[Failure]int) []Failure {
	out := []Failure{}
	for f, n := range m {
		f.Count = n
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Gate, b.Gate), cmp.Compare(a.Signature, b.Signature))
	})
	return out
}
