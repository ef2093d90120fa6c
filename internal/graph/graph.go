// Package graph holds the delivery graph as data: nodes, what each needs to
// pass, where each outcome leads, and which witnesses each evidence kind accepts.
//
// There is no expression language: a check is the name of a Go function of
// package gate, and a test of that package checks the names in both directions.
package graph

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/asterweave/asterweave/internal/evidence"
)

//go:embed delivery.json
var embedded []byte

// Outcome is the typed edge by which an attempt ends.
type Outcome string

// The outcomes.
const (
	Pass               Outcome = "pass"
	FailRetryable      Outcome = "fail-retryable"
	FailReplan         Outcome = "fail-replan"
	Blocked            Outcome = "blocked"
	NeedsHuman         Outcome = "needs-human"
	PolicyDenied       Outcome = "policy-denied"
	SecurityEscalation Outcome = "security-escalation"
	Abort              Outcome = "abort"
)

// Outcomes returns every outcome.
func Outcomes() []Outcome {
	return []Outcome{Pass, FailRetryable, FailReplan, Blocked, NeedsHuman, PolicyDenied, SecurityEscalation, Abort}
}

// Targets of an edge that are no node.
const (
	ToPause    = "@pause"    // the delivery waits, at the same node
	ToSecurity = "@security" // the delivery waits at review for a remediation
	ToAbort    = "@abort"    // the delivery ends without success
	ToDone     = "@done"     // the delivery ends
)

// Names of nodes that the rules speak of.
const (
	Intake    = "intake"
	Analyze   = "analyze"
	Challenge = "challenge"
	Plan      = "plan"
	Approve   = "approve"
	Implement = "implement"
	Test      = "test"
	Verify    = "verify"
	Review    = "review"
	SubmitPR  = "submit-pr"
	Monitor   = "monitor-pipeline"
	Comments  = "resolve-review-comments"
	WorkItem  = "update-work-item"
)

// Write is what a node may change in the work tree.
type Write string

// The write policies. All but WriteScope and WriteTests demand the tree of the entry.
const (
	WriteNothing   Write = "nothing"
	WriteReadOnly  Write = "read-only"
	WriteStateOnly Write = "state-only"
	WriteScope     Write = "scope" // the approved plan's scope.write and scope.tests
	WriteTests     Write = "tests" // the approved plan's scope.tests
	WriteAsEntry   Write = "as-entry"
)

// Node is one step of the graph.
type Node struct {
	Name      string             `json:"name"`
	Requires  []evidence.Kind    `json:"requires"`
	PlanGates []evidence.Kind    `json:"planGates"` // kinds of which each gate of plan and configuration must pass
	Attempts  int                `json:"attempts"`
	Write     Write              `json:"write"`
	Agent     []string           `json:"agent"` // empty: the main conversation, or a human
	Outcomes  map[Outcome]string `json:"outcomes"`
}

// Rule says which witnesses a kind accepts and what ends its currency.
type Rule struct {
	Kind      evidence.Kind      `json:"kind"`
	Witnesses []evidence.Witness `json:"witnesses"`
	Check     string             `json:"check"` // made when a pass is recorded
	Ends      string             `json:"ends"`  // what ends its currency
	Info      []string           `json:"info"`  // when an info opens it: waiver, plan, read
}

// Accepts reports whether a record with this witness may open the kind.
func (r Rule) Accepts(w evidence.Witness) bool { return slices.Contains(r.Witnesses, w) }

// Graph is one version of the delivery graph.
type Graph struct {
	Version int    `json:"version"`
	Nodes   []Node `json:"nodes"`
	Kinds   []Rule `json:"kinds"`
}

// Embedded returns the bytes of the graph of this build.
func Embedded() []byte { return bytes.Clone(embedded) }

// Parse reads a graph and checks that it hangs together: edges lead to nodes,
// each required kind has a rule, each node can be reached and left.
func Parse(data []byte) (*Graph, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var g Graph
	if err := dec.Decode(&g); err != nil {
		return nil, fmt.Errorf("delivery graph: %w", err)
	}
	return &g, g.check()
}

func (g *Graph) check() error {
	if g.Version != 1 {
		return fmt.Errorf("delivery graph: version %d is not known", g.Version)
	}
	seen := map[string]bool{}
	for _, n := range g.Nodes {
		if seen[n.Name] {
			return fmt.Errorf("delivery graph: node %q occurs twice", n.Name)
		}
		seen[n.Name] = true
	}
	for _, n := range g.Nodes {
		if n.Attempts < 1 {
			return fmt.Errorf("delivery graph: node %q has no attempts", n.Name)
		}
		for o, to := range n.Outcomes {
			if !slices.Contains(Outcomes(), o) {
				return fmt.Errorf("delivery graph: node %q has the unknown outcome %q", n.Name, o)
			}
			if !seen[to] && !slices.Contains([]string{ToPause, ToSecurity, ToAbort, ToDone}, to) {
				return fmt.Errorf("delivery graph: %s of node %q leads to %q, which is not there", o, n.Name, to)
			}
		}
		if _, ok := n.Outcomes[Pass]; !ok {
			return fmt.Errorf("delivery graph: node %q cannot pass", n.Name)
		}
		for _, k := range slices.Concat(n.Requires, n.PlanGates) {
			if _, ok := g.Rule(k); !ok {
				return fmt.Errorf("delivery graph: node %q requires %q, which has no rule", n.Name, k)
			}
		}
	}
	return g.checkOrder()
}

// checkOrder holds that passing every node from the first visits each once, in file order.
func (g *Graph) checkOrder() error {
	for i, n := range g.Nodes {
		want := ToDone
		if i+1 < len(g.Nodes) {
			want = g.Nodes[i+1].Name
		}
		if n.Outcomes[Pass] != want {
			return fmt.Errorf("delivery graph: pass of node %q leads to %q, not to %q", n.Name, n.Outcomes[Pass], want)
		}
	}
	return nil
}

// Node returns the node with this name.
func (g *Graph) Node(name string) (Node, bool) {
	i := g.Index(name)
	if i < 0 {
		return Node{}, false
	}
	return g.Nodes[i], true
}

// Index returns the position of the node in the order of passing, or -1.
func (g *Graph) Index(name string) int {
	return slices.IndexFunc(g.Nodes, func(n Node) bool { return n.Name == name })
}

// Names returns the names of the nodes in the order of passing.
func (g *Graph) Names() []string {
	out := make([]string, len(g.Nodes))
	for i, n := range g.Nodes {
		out[i] = n.Name
	}
	return out
}

// Budgets returns how many attempts each node has.
func (g *Graph) Budgets() map[string]int {
	out := map[string]int{}
	for _, n := range g.Nodes {
		out[n.Name] = n.Attempts
	}
	return out
}

// After reports whether node a comes at or after node b.
func (g *Graph) After(a, b string) bool { return g.Index(a) >= g.Index(b) }

// Rule returns the rule of a kind.
func (g *Graph) Rule(k evidence.Kind) (Rule, bool) {
	i := slices.IndexFunc(g.Kinds, func(r Rule) bool { return r.Kind == k })
	if i < 0 {
		return Rule{}, false
	}
	return g.Kinds[i], true
}

// Owner returns the node whose exit needs the kind: its requires, else its plan gates.
func (g *Graph) Owner(k evidence.Kind) (string, bool) {
	for _, n := range g.Nodes {
		if slices.Contains(n.Requires, k) || slices.Contains(n.PlanGates, k) {
			return n.Name, true
		}
	}
	return "", false
}
