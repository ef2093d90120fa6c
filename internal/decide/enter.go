package decide

import (
	"fmt"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// Enter begins an attempt of the current node, after a failure or a pause.
func (d *Draft) Enter(name, hypothesis string) error {
	if err := d.active(); err != nil {
		return err
	}
	if _, err := d.node(name); err != nil {
		return err
	}
	if d.State.Node != name {
		return problem.New(problem.Conflict, fmt.Sprintf("the current node is %s, not %s", d.State.Node, name), "next says what is due")
	}
	if d.State.Running(name) {
		return problem.New(problem.Conflict, fmt.Sprintf("%s is under way already", name), "next says what it still needs")
	}
	if err := d.hypothesis(name, hypothesis); err != nil {
		return err
	}
	return d.enter(name, hypothesis)
}

// hypothesis demands, after a failure, a guess that was not tried under the same signature.
func (d *Draft) hypothesis(node, text string) error {
	if d.State.Retry == "" {
		return nil
	}
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	if text == "" {
		return problem.New(problem.GateShut, fmt.Sprintf("the last attempt failed with %s and %s needs a hypothesis", d.State.Retry, node),
			"say in one sentence what was wrong and what will be different, with --hypothesis")
	}
	for _, f := range d.State.Failures {
		if f.Signature == d.State.Retry && strings.Join(strings.Fields(strings.ToLower(f.Hypothesis)), " ") == text {
			return problem.New(problem.GateShut, fmt.Sprintf("this hypothesis was tried in attempt %d and failed with the same signature %s", f.Attempt, f.Signature),
				"state one that differs")
		}
	}
	return nil
}

// enter begins the attempt, or pauses the delivery when the budget is used up.
func (d *Draft) enter(name, hypothesis string) error {
	n, err := d.node(name)
	if err != nil {
		return err
	}
	if d.Graph.After(name, graph.Implement) && len(d.Facts.ConfigProblems) > 0 {
		return problem.New(problem.GateShut, document.ConfigPath+" shuts "+name+": "+joinProblems(d.Facts), "correct each named field")
	}
	if d.State.Nodes[name].Attempts >= d.Budget(name) {
		return d.pauseForBudget(name)
	}
	if err := d.emit(state.Change{Entered: &state.Entered{Node: name, Tree: d.Facts.World.Tree, Hypothesis: hypothesis}}); err != nil {
		return err
	}
	if n.Name == graph.Approve {
		return d.askApproval()
	}
	return nil
}

func joinProblems(f *gate.Facts) string {
	var out []string
	for _, p := range f.ConfigProblems {
		out = append(out, p.String())
	}
	return strings.Join(out, "; ")
}
