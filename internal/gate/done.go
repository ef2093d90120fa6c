package gate

import (
	"fmt"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/graph"
)

// Condition is one thing that must hold before a delivery is done.
type Condition struct {
	Name  string `json:"condition"`
	Holds bool   `json:"holds"`
	Why   string `json:"why"`
}

// Done returns the conditions of the end, each judged now.
func (v View) Done() []Condition {
	return []Condition{
		v.donePassed(), v.doneCriteria(), v.doneGates(), v.doneFindings(), v.doneIdentifiers(),
		v.doneHead(), v.doneKinds("required checks and comments are settled", evidence.Pipeline, evidence.ReviewComments),
		v.doneKinds("the work item reflects the end", evidence.WorkItemUpdate),
	}
}

func condition(name string, against []string) Condition {
	return Condition{Name: name, Holds: len(against) == 0, Why: strings.Join(against, "; ")}
}

// donePassed demands that each node passed and that what it needed still holds. What
// analyze saw is the exception: it ends with a relevant move of the base and nothing
// leads back to it, while the plan and the approval, which end with such a move as
// well, are made again and have to be of the base as it is.
func (v View) donePassed() Condition {
	var against []string
	for _, n := range v.Graph.Nodes {
		if n.Name == graph.WorkItem && v.State.Running(n.Name) {
			continue // the step to done is its pass
		}
		if s := v.State.Nodes[n.Name].Status; s != "passed" {
			against = append(against, fmt.Sprintf("%s is %s", n.Name, s))
		}
	}
	for _, n := range v.Graph.Nodes {
		for _, need := range v.Shut(n) {
			if rule, _ := v.Graph.Rule(need.Kind); rule.Ends == "base" && need.State == Stale {
				continue
			}
			against = append(against, fmt.Sprintf("%s: %s is %s (%s)", n.Name, need.Name(), need.State, need.Why))
		}
	}
	return condition("every node passed its contract", against)
}

func (v View) doneCriteria() Condition {
	const name = "every criterion has a current verdict and no HARD one fails"
	if because, ok := v.waived(evidence.Acceptance); ok {
		return Condition{Name: name, Holds: true, Why: "waived by a human: " + because}
	}
	return condition(name, v.acceptance())
}

func (v View) doneGates() Condition {
	var against []string
	for _, g := range v.Gates() {
		if n := v.GateNeed(g); !n.Open() {
			against = append(against, fmt.Sprintf("gate %s is %s", g.ID, n.State))
		}
	}
	if len(v.Gates()) == 0 {
		against = append(against, "there are no gates")
	}
	return condition("every required gate passes in the current world", against)
}

func (v View) doneFindings() Condition {
	var against []string
	for _, f := range v.State.Findings {
		if f.Severe() {
			against = append(against, fmt.Sprintf("%s %s (%s)", f.ID, f.Title, f.Severity))
		}
	}
	return condition("no Critical or High finding is open", against)
}

func (v View) doneIdentifiers() Condition {
	var against []string
	if v.State.Approval == nil {
		against = append(against, "there is no approval")
	}
	if v.State.Submitted == nil || v.State.Submitted.URL == "" {
		against = append(against, "there is no pull request")
	}
	return condition("approval and pull-request identifiers exist", against)
}

func (v View) doneHead() Condition {
	var against []string
	switch s := v.State.Submitted; {
	case s == nil:
		against = append(against, "nothing was submitted")
	case v.Facts.World.Tree == "":
		against = append(against, v.unknownTree())
	case s.Tree != v.Facts.World.Tree:
		against = append(against, "the work tree differs from the submitted head")
	}
	return condition("the submitted head's tree is the tree of the evidence", against)
}

func (v View) doneKinds(name string, kinds ...evidence.Kind) Condition {
	var against []string
	for _, k := range kinds {
		if n := v.need(k, ""); !n.Open() {
			against = append(against, fmt.Sprintf("%s is %s (%s)", k, n.State, n.Why))
		}
	}
	return condition(name, against)
}
