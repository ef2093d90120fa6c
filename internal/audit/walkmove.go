package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// walkGraph is what a walk has to know of a delivery graph.
type walkGraph struct {
	Nodes []walkGraphNode `json:"nodes"`
	Kinds []walkKind      `json:"kinds"`
}

type walkGraphNode struct {
	Name      string            `json:"name"`
	Requires  []string          `json:"requires"`
	PlanGates []string          `json:"planGates"`
	Attempts  int               `json:"attempts"`
	Outcomes  map[string]string `json:"outcomes"`
}

type walkKind struct {
	Kind      string   `json:"kind"`
	Witnesses []string `json:"witnesses"`
	Info      []string `json:"info"`
}

func (g walkGraph) index(node string) int {
	return slices.IndexFunc(g.Nodes, func(n walkGraphNode) bool { return n.Name == node })
}

func (g walkGraph) kind(name string) (walkKind, bool) {
	i := slices.IndexFunc(g.Kinds, func(k walkKind) bool { return k.Kind == name })
	if i < 0 {
		return walkKind{}, false
	}
	return g.Kinds[i], true
}

// owner returns the node whose need the kind is.
func (g walkGraph) owner(kind string) string {
	for _, n := range g.Nodes {
		if slices.Contains(n.Requires, kind) || slices.Contains(n.PlanGates, kind) {
			return n.Name
		}
	}
	return ""
}

func (w *Walk) enter(body json.RawMessage) error {
	var c struct {
		Node string `json:"node"`
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return err
	}
	i := w.graph.index(c.Node)
	switch {
	case i < 0 || c.Node != w.node:
		return fmt.Errorf("%q is entered while %q is due", c.Node, w.node)
	case w.running:
		return fmt.Errorf("%s is under way already", c.Node)
	case w.paused != "":
		return errors.New("the delivery is paused")
	}
	n := w.nodes[c.Node]
	n.attempts++
	n.visits++
	w.running = true
	if budget := w.graph.Nodes[i].Attempts + n.granted; n.attempts > budget {
		return fmt.Errorf("attempt %d of %s is over its %d", n.attempts, c.Node, budget)
	}
	return nil
}

// walkCompleted is how an attempt ends.
type walkCompleted struct {
	Node       string          `json:"node"`
	Outcome    string          `json:"outcome"`
	To         string          `json:"to"`
	Refund     bool            `json:"refund"`
	Reset      []string        `json:"reset"`
	Invalidate []string        `json:"invalidate"`
	Failure    json.RawMessage `json:"failure"`
}

func (w *Walk) complete(s step, body json.RawMessage) error {
	var c walkCompleted
	if err := json.Unmarshal(body, &c); err != nil {
		return err
	}
	if c.Node != w.node || !w.running {
		return fmt.Errorf("no attempt of %q is under way", c.Node)
	}
	n := w.graph.Nodes[w.graph.index(c.Node)]
	edge, ok := n.Outcomes[c.Outcome]
	if !ok {
		return fmt.Errorf("%s cannot end with %q", c.Node, c.Outcome)
	}
	to := map[string]string{"@done": "", "@pause": c.Node, "@security": "review", "@abort": c.Node}
	want, special := to[edge]
	if !special {
		want = edge
	}
	if c.To != want {
		return fmt.Errorf("%s of %s leads to %q and not to %q", c.Outcome, c.Node, want, c.To)
	}
	if c.Refund {
		if edge != "@pause" {
			return fmt.Errorf("%s gives no attempt back", c.Outcome)
		}
		w.nodes[c.Node].attempts--
	}
	if c.Outcome == "pass" {
		if err := w.pass(s, n); err != nil {
			return fmt.Errorf("%s cannot pass: %w", c.Node, err)
		}
	}
	w.running = false
	w.nodes[c.Node].passed = c.Outcome == "pass"
	switch {
	case special && edge != "@security" || c.Outcome == "pass":
		if len(c.Invalidate)+len(c.Reset) > 0 {
			return fmt.Errorf("%s gives nothing back", c.Outcome)
		}
	case c.To == c.Node:
		if !slices.Equal(c.Invalidate, []string{c.Node}) || len(c.Reset) > 0 {
			return fmt.Errorf("it keeps evidence, or gives attempts back: %s begins anew", c.Node)
		}
		w.since(s.Seq, c.Node)
	case edge != "@security":
		if err := w.back(s.Seq, c.To, c.Node, c.Outcome, c.Invalidate, c.Reset); err != nil {
			return err
		}
	}
	w.node = c.To
	return nil
}

// back leads to an earlier node: what was recorded for it and for those behind it
// counts no more, and those between begin anew. The event has to say the same.
func (w *Walk) back(seq int64, to, from, outcome string, invalidate, reset []string) error {
	i, j := w.graph.index(to), w.graph.index(from)
	if i < 0 || j < i {
		return fmt.Errorf("it leads forward from %s to %s", from, to)
	}
	var after, between []string
	for k, n := range w.graph.Nodes {
		if k >= i {
			after = append(after, n.Name)
		}
		if k > i && (k < j || outcome == "fail-replan") {
			between = append(between, n.Name)
		}
	}
	if !slices.Equal(invalidate, after) {
		return fmt.Errorf("it keeps evidence: %s begin anew", strings.Join(after, ", "))
	}
	for _, name := range reset {
		if !slices.Contains(between, name) {
			return fmt.Errorf("it gives %s its attempts back", name)
		}
		w.nodes[name].attempts, w.nodes[name].granted = 0, 0
	}
	w.since(seq, after...)
	return nil
}

func (w *Walk) since(seq int64, nodes ...string) {
	for _, name := range nodes {
		w.nodes[name].since, w.nodes[name].passed = seq, false
	}
}

// move is a human's word that leads back between two attempts.
func (w *Walk) move(s step, body json.RawMessage) error {
	var c struct {
		To         string   `json:"to"`
		Reset      []string `json:"reset"`
		Invalidate []string `json:"invalidate"`
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return err
	}
	if !s.human() {
		return errors.New("nobody but a human leads back like this")
	}
	w.running = false
	from, outcome := w.node, "moved"
	if c.To == "plan" {
		outcome = "fail-replan"
	}
	if err := w.back(s.Seq, c.To, from, outcome, c.Invalidate, c.Reset); err != nil {
		return err
	}
	w.node = c.To
	return nil
}

// word is an ask, an answer, or something that only a human says.
func (w *Walk) word(s step, name string, body json.RawMessage) error {
	var c struct {
		ID      string `json:"id"`
		Ask     string `json:"ask"`
		Because string `json:"because"`
		Channel string `json:"channel"`
		Reason  string `json:"reason"`
		Node    string `json:"node"`
		Kind    string `json:"kind"`
		Plan    string `json:"plan"`
		Wait    bool   `json:"wait"`
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return err
	}
	switch name {
	case "asked":
		if w.asks[c.ID] || c.ID == "" {
			return fmt.Errorf("ask %q is open already", c.ID)
		}
		w.asks[c.ID] = true
		return nil
	case "closed":
		if !w.asks[c.Ask] {
			return fmt.Errorf("ask %q is not open", c.Ask)
		}
		delete(w.asks, c.Ask)
		if c.Because != "" {
			return nil // overtaken, not answered
		}
		if !s.human() || c.Channel != s.channel {
			return errors.New("nobody but a human answers")
		}
		return nil
	case "paused":
		w.paused = "?"
		if c.Wait {
			w.paused = "@provider"
		} else if c.Ask != "" {
			w.paused = c.Ask
		}
		return nil
	case "resumed":
		if w.paused == "" {
			return errors.New("it is not paused")
		}
		if w.paused != "@provider" && !s.human() {
			return errors.New("nobody but a human lets it go on")
		}
		w.paused = ""
		return nil
	}
	if !s.human() {
		return errors.New("nobody but a human says that")
	}
	switch name {
	case "granted":
		if w.nodes[c.Node] == nil {
			return fmt.Errorf("there is no node %q", c.Node)
		}
		w.nodes[c.Node].granted++
	case "waived":
		k, ok := w.graph.kind(c.Kind)
		if !ok || !slices.Contains(k.Info, "waiver") {
			return fmt.Errorf("%q cannot be waived", c.Kind)
		}
		early := c.Plan == "" && w.graph.index(w.graph.owner(c.Kind)) <= w.graph.index("plan")
		if c.Plan != w.planID && !early {
			return errors.New("it waives under another plan")
		}
		w.waived[c.Kind] = c.Plan
	}
	return nil
}

// intent is an external write: announced by whom it may, confirmed by a human.
func (w *Walk) intent(s step, name string, body json.RawMessage) error {
	var c struct {
		ID      string `json:"id"`
		Kind    string `json:"kind"`
		Intent  string `json:"intent"`
		Channel string `json:"channel"`
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return err
	}
	if name == "intended" {
		w.intents[c.ID] = c.Kind
		return nil
	}
	if _, ok := w.intents[c.Intent]; !ok {
		return fmt.Errorf("%q was not announced", c.Intent)
	}
	delete(w.intents, c.Intent)
	if c.Channel == "auto-pr" && w.auto || s.human() && c.Channel == s.channel {
		return nil
	}
	return errors.New("nobody but a human confirms")
}
