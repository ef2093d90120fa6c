package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Walk checks that the events of a delivery are a legal walk of its graph: that it
// moves along edges, within its attempts, that each node passes on records of the kinds
// that it needs, and that what only a human can say came through a human's channel. It
// was written from docs/ledger-format.md and docs/bundle.md, and from the graph itself.
//
// What it cannot see is the world: whether a record is about the tree that it names.
type Walk struct {
	graph     walkGraph
	digest    string
	documents func(digest string) ([]byte, bool)

	started bool
	ended   string // done, aborted
	node    string
	running bool
	paused  string // the ask that paused it, "?" for none, "@provider"; "" while it goes on
	nodes   map[string]*walkNode
	plan    walkPlan
	planID  string
	specID  string
	records int
	newest  map[string]walkRecord // that count, by kind and gate
	known   map[string]bool       // ids of criteria
	asks    map[string]bool       // open ones
	waived  map[string]string     // kind → plan that it was waived under, "" for before any
	approve walkApproval
	auto    bool
	intents map[string]string // id → kind of those that are not confirmed
}

// walkNode is how a node stands.
type walkNode struct {
	attempts int // charged ones
	visits   int
	granted  int
	since    int64 // records up to this event count no more
	passed   bool
}

type walkApproval struct {
	Plan    string `json:"plan"`
	Spec    string `json:"spec"`
	Channel string `json:"channel"`
	Record  string `json:"record"`
}

// NewWalk returns a walk of this graph. documents gives the stored documents, of which
// the plans matter, by their digests.
func NewWalk(graph []byte, documents func(digest string) ([]byte, bool)) (*Walk, error) {
	sum := sha256.Sum256(graph)
	w := &Walk{
		digest: hex.EncodeToString(sum[:]), documents: documents, nodes: map[string]*walkNode{}, newest: map[string]walkRecord{},
		known: map[string]bool{}, asks: map[string]bool{}, waived: map[string]string{}, intents: map[string]string{},
	}
	if err := json.Unmarshal(graph, &w.graph); err != nil {
		return nil, fmt.Errorf("the graph cannot be read: %w", err)
	}
	if len(w.graph.Nodes) == 0 {
		return nil, errors.New("the graph has no nodes")
	}
	for _, n := range w.graph.Nodes {
		w.nodes[n.Name] = &walkNode{}
	}
	return w, nil
}

// Passed reports whether the node has passed and nothing led back before it since.
func (w *Walk) Passed(node string) bool { return w.nodes[node] != nil && w.nodes[node].passed }

// Ended returns done or aborted, "" while the delivery is open.
func (w *Walk) Ended() string { return w.ended }

// step is one event while it is walked.
type step struct {
	Event
	channel string
	changes []map[string]json.RawMessage
	at      int // index of the change
}

// human reports whether the event carries a human's word.
func (s step) human() bool {
	return s.channel == "client" || s.channel == "terminal" || s.channel == "provider"
}

// Step takes the next event. The error says what is not legal about it; the walk is of
// no use after one.
func (w *Walk) Step(e Event) error {
	if e.Type == "recovered" {
		return nil
	}
	s := step{Event: e}
	var by struct {
		Channel string `json:"channel"`
	}
	var data struct {
		Changes []map[string]json.RawMessage `json:"changes"`
	}
	if err := errors.Join(json.Unmarshal(e.By, &by), json.Unmarshal(e.Data, &data)); err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	s.channel, s.changes = by.Channel, data.Changes
	for i, c := range s.changes {
		if len(c) != 1 {
			return fmt.Errorf("change %d has %d effects instead of one", i+1, len(c))
		}
		s.at = i
		for name, body := range c {
			if err := w.change(s, name, body); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	if w.started && e.Node != w.node {
		return fmt.Errorf("says that it is at %q and is at %q", e.Node, w.node)
	}
	return nil
}

// observed are the changes that hooks make; no other change may be in such an event.
func observed(eventType string) (change []string, is bool) {
	switch eventType {
	case "tool":
		return []string{"tool"}, true
	case "usage":
		return []string{"used"}, true
	case "heard":
		return []string{"heard"}, true
	case "lease":
		return []string{"leased"}, true
	case "next":
		return []string{"prompted"}, true
	}
	return nil, false
}

func (w *Walk) change(s step, name string, body json.RawMessage) error {
	if only, is := observed(s.Type); is && !slices.Contains(only, name) {
		return fmt.Errorf("an event of type %s cannot do that", s.Type)
	}
	if name != "started" {
		switch {
		case !w.started:
			return errors.New("nothing has started")
		case w.ended != "":
			return fmt.Errorf("the delivery is %s", w.ended)
		}
	}
	switch name {
	case "started":
		return w.start(body)
	case "entered":
		return w.enter(body)
	case "completed":
		return w.complete(s, body)
	case "moved":
		return w.move(s, body)
	case "recorded":
		return w.record(s, body)
	case "documented":
		return w.document(body)
	case "approved":
		return w.approved(s, body)
	case "asked", "closed", "paused", "resumed", "granted", "waived", "accepted", "bypassed", "unhooked", "steered":
		return w.word(s, name, body)
	case "intended", "confirmed":
		return w.intent(s, name, body)
	case "submitted":
		if w.node != "submit-pr" || !w.running {
			return errors.New("nothing is submitted but in submit-pr")
		}
		return nil
	case "judged":
		return w.judged(body)
	case "reviewed":
		return w.reviewed(s, body)
	case "ended":
		return w.end(s, body)
	case "pinned", "analysed", "leased", "held", "heard", "tool", "used", "sentBack", "prompted", "commented", "triaged", "settled":
		return nil // moves nothing, and no node passes on it
	}
	return errors.New("this verifier does not know it")
}

func (w *Walk) start(body json.RawMessage) error {
	var c struct {
		Delivery struct {
			Graph  string `json:"graph"`
			AutoPR bool   `json:"autoPr"`
		} `json:"delivery"`
		Nodes []string `json:"nodes"`
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return err
	}
	var names []string
	for _, n := range w.graph.Nodes {
		names = append(names, n.Name)
	}
	switch {
	case w.started:
		return errors.New("it has started already")
	case c.Delivery.Graph != w.digest:
		return errors.New("it runs on another graph than the one that is given")
	case !slices.Equal(names, c.Nodes):
		return errors.New("its nodes are not those of its graph")
	}
	w.started, w.node, w.auto = true, names[0], c.Delivery.AutoPR
	return nil
}

func (w *Walk) end(s step, body json.RawMessage) error {
	var c struct {
		Status string `json:"status"`
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return err
	}
	switch c.Status {
	case "done":
		last := w.graph.Nodes[len(w.graph.Nodes)-1].Name
		if w.node != "" || !w.Passed(last) {
			return fmt.Errorf("it is done before %s has passed", last)
		}
	case "aborted":
		if !s.human() {
			return errors.New("nobody but a human aborts")
		}
	default:
		return fmt.Errorf("%q is no end", c.Status)
	}
	w.ended = c.Status
	return nil
}
