package engine

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/state"
)

// Status is the answer of `status --json`, without its "ok".
type Status struct {
	Delivery DeliveryStatus    `json:"delivery"`
	Nodes    []NodeStatus      `json:"nodes"`
	Criteria []CriterionStatus `json:"criteria"`
	Asks     []AskStatus       `json:"asks"`
	Done     []gate.Condition  `json:"done"`
	Usage    []Usage           `json:"usage"`
	Ledger   LedgerStatus      `json:"ledger"`
	Comments []CommentStatus   `json:"comments,omitempty"` // unresolved ones of the last read
	Bypasses []state.Bypass    `json:"bypasses,omitempty"` // all that a human let through, expired ones too
}

// Usage is what an agent did and used in a node, as far as hooks saw it; no evidence.
type Usage struct {
	Node       string       `json:"node"`
	Agent      string       `json:"agent"` // "" for the main conversation
	Calls      int          `json:"calls"`
	Failed     int          `json:"failed"` // of the calls
	Reads      int          `json:"reads"`  // files opened with Read, each call counted
	DurationMs int64        `json:"durationMs"`
	Models     []ModelUsage `json:"models"`
}

// ModelUsage is what one model used.
type ModelUsage struct {
	Model string `json:"model"`
	state.Tokens
}

// DeliveryStatus is the delivery as a whole.
type DeliveryStatus struct {
	ID           string `json:"id"`
	Goal         string `json:"goal"`
	Source       string `json:"source"`
	Provider     string `json:"provider"`
	AutoPR       bool   `json:"autoPr"`
	Status       string `json:"status"`
	Node         string `json:"node"`
	PlanRevision int    `json:"planRevision"`
	Reason       string `json:"reason"`
}

// NodeStatus is one node with its needs.
type NodeStatus struct {
	Name     string      `json:"name"`
	Status   string      `json:"status"`
	Attempts int         `json:"attempts"`
	Budget   int         `json:"budget"`
	Needs    []gate.Need `json:"needs"`
}

// CriterionStatus is one criterion with its verdict.
type CriterionStatus struct {
	ID            string `json:"id"`
	Hardness      string `json:"hardness"`
	Verdict       string `json:"verdict"`
	Digest        string `json:"digest"`
	Discriminates string `json:"discriminates"`
}

// AskStatus is an open ask.
type AskStatus struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"`
	Question string   `json:"question"`
	About    string   `json:"about"`
	Options  []string `json:"options"`
	Digest   string   `json:"digest"`
	Blocks   []string `json:"blocks"`
}

// CommentStatus is an unresolved comment on the pull request.
type CommentStatus struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Class   string `json:"class"`   // of its triage, "" while it is not triaged
	Because string `json:"because"` // of its triage
	Waits   string `json:"waits"`   // triage, implement, replan, reply, wait; "" when it is handled
	Why     string `json:"why"`
}

// Comments returns the unresolved comments, in the provider's order.
func Comments(v gate.View) []CommentStatus {
	if v.State.Comments == nil {
		return nil
	}
	waits := map[string]gate.Outstanding{}
	for _, o := range v.Outstanding() {
		waits[o.ID] = o
	}
	var out []CommentStatus
	for _, c := range v.State.Comments.Items {
		t, o := v.State.Triage[c.ID], waits[c.ID]
		out = append(out, CommentStatus{ID: c.ID, Kind: c.Kind, Class: t.Class, Because: t.Because, Waits: o.Step, Why: o.Why})
	}
	return out
}

// LedgerStatus is where the ledger ends.
type LedgerStatus struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// StatusOf returns how the delivery stands.
func StatusOf(v View) Status {
	s := Status{
		Delivery: Delivery(v.View), Criteria: Criteria(v.View), Nodes: []NodeStatus{}, Asks: []AskStatus{}, Done: v.Done(),
		Usage: Usages(v.View), Ledger: LedgerStatus{Seq: v.Tail.Seq, Hash: v.Tail.Hash}, Comments: Comments(v.View), Bypasses: v.State.Bypasses,
	}
	for _, n := range v.Graph.Nodes {
		st := v.State.Nodes[n.Name]
		s.Nodes = append(s.Nodes, NodeStatus{Name: n.Name, Status: st.Status, Attempts: st.Attempts, Budget: v.Budget(n.Name), Needs: v.Needs(n)})
	}
	for _, a := range v.State.Asks {
		s.Asks = append(s.Asks, AskStatus{ID: a.ID, Kind: a.Kind, Question: a.Question, About: a.About, Options: list(a.Options), Digest: a.Digest, Blocks: list(a.Blocks)})
	}
	return s
}

// Delivery returns the delivery part of a status.
func Delivery(v gate.View) DeliveryStatus {
	d := v.State.Delivery
	return DeliveryStatus{
		ID: d.ID, Goal: d.Goal, Source: d.Source, Provider: d.Provider, AutoPR: d.AutoPR, Status: d.Status,
		Node: v.State.Node, PlanRevision: v.State.PlanRevision, Reason: d.Reason,
	}
}

// Criteria returns the criteria part of a status.
func Criteria(v gate.View) []CriterionStatus {
	out := []CriterionStatus{}
	for _, c := range v.State.Criteria {
		verdict, _ := v.Verdict(c)
		out = append(out, CriterionStatus{ID: c.ID, Hardness: c.Hardness, Verdict: verdict, Digest: c.Digest, Discriminates: v.Discriminates(c)})
	}
	return out
}

// Usages returns what was counted, in the order of the nodes.
func Usages(v gate.View) []Usage {
	out := []Usage{}
	place := map[string]int{}
	for i, n := range v.Graph.Nodes {
		place[n.Name] = i
	}
	for key, use := range v.State.Tools {
		node, agent := state.UseKey(key)
		u := Usage{Node: node, Agent: agent, Calls: use.Calls, Failed: use.Failed, Reads: use.Reads, DurationMs: use.DurationMs, Models: []ModelUsage{}}
		for _, model := range slices.Sorted(maps.Keys(use.Models)) {
			u.Models = append(u.Models, ModelUsage{Model: model, Tokens: use.Models[model]})
		}
		out = append(out, u)
	}
	slices.SortFunc(out, func(a, b Usage) int {
		return cmp.Or(cmp.Compare(place[a.Node], place[b.Node]), strings.Compare(a.Agent, b.Agent))
	})
	return out
}

func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
