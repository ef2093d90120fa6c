package decide

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// Complete ends the attempt that is under way with an outcome.
func (d *Draft) Complete(name, outcome, reason string) error {
	n, err := d.node(name)
	if err != nil {
		return err
	}
	o := graph.Outcome(outcome)
	if !slices.Contains(graph.Outcomes(), o) {
		return problem.New(problem.Usage, fmt.Sprintf("unknown outcome %q", outcome), "the outcomes are "+list(graph.Outcomes()))
	}
	if err := d.active(); err != nil {
		return err
	}
	if d.State.Node != name {
		return problem.New(problem.Conflict, fmt.Sprintf("the current node is %s, not %s", d.State.Node, name), "next says what is due")
	}
	if !d.State.Running(name) {
		return problem.New(problem.Conflict, fmt.Sprintf("no attempt of %s is under way", name), "enter begins one")
	}
	to, ok := n.Outcomes[o]
	if !ok {
		return problem.New(problem.Usage, fmt.Sprintf("%s cannot end with %s", name, o), "it can end with "+list(outcomesOf(n)))
	}
	switch o {
	case graph.Pass:
		return d.pass(n, to, reason)
	case graph.FailRetryable:
		return d.failRetryable(n, to, reason)
	case graph.FailReplan:
		return d.failReplan(n, reason)
	case graph.SecurityEscalation:
		return d.escalate(n, reason)
	case graph.Abort:
		return d.Abort(reason)
	default:
		return d.pauseNode(n, o, reason)
	}
}

func (d *Draft) pass(n graph.Node, to, reason string) error {
	if n.Name == graph.Approve {
		return problem.New(problem.HumanOnly, "approve passes by a human's approval and by nothing else", "the turn ends here; inbox shows what is to be approved")
	}
	if err := d.shut(n); err != nil {
		return err
	}
	c := state.Completed{Node: n.Name, Outcome: string(graph.Pass), Reason: reason, To: to}
	if n.Name == graph.Implement {
		if err := d.branch(); err != nil {
			return err
		}
		c.Branch = d.Facts.Branch
	}
	if to == graph.ToDone {
		c.To = ""
		if err := d.emit(state.Change{Completed: &c}); err != nil {
			return err
		}
		return d.emit(state.Change{Ended: &state.Ended{Status: state.Done}})
	}
	if err := d.emit(state.Change{Completed: &c}); err != nil {
		return err
	}
	return d.enter(to, "")
}

// shut refuses a pass while a need, a path, an ask or an end condition is against it.
func (d *Draft) shut(n graph.Node) error {
	var against []string
	for _, need := range d.Shut(n) {
		against = append(against, fmt.Sprintf("%s is %s (%s)", need.Name(), need.State, need.Why))
	}
	violations := d.Violations(n)
	for _, v := range violations {
		against = append(against, v.String())
	}
	for _, a := range d.State.Asks {
		if slices.Contains(a.Blocks, n.Name) {
			against = append(against, fmt.Sprintf("ask %s has no answer: %s", a.ID, a.Question))
		}
	}
	against = append(against, d.unapproved(n)...)
	if n.Outcomes[graph.Pass] == graph.ToDone {
		for _, c := range d.Done() {
			if !c.Holds {
				against = append(against, c.Name+": "+c.Why)
			}
		}
	}
	if len(against) == 0 {
		return nil
	}
	hint := "next names the command for each missing need"
	if len(violations) > 0 {
		hint = "undo the named paths yourself, or widen the scope by fail-replan"
	}
	return problem.New(problem.GateShut, fmt.Sprintf("%s cannot pass: %s", n.Name, strings.Join(against, "; ")), hint)
}

// unapproved says, for nodes that work under an approval, why it no longer holds.
func (d *Draft) unapproved(n graph.Node) []string {
	if !d.Graph.After(n.Name, graph.Implement) {
		return nil
	}
	var out []string
	if len(d.Facts.ConfigProblems) > 0 {
		out = append(out, document.ConfigPath+" is not valid: "+joinProblems(d.Facts))
	}
	approve, _ := d.Graph.Node(graph.Approve)
	for _, need := range d.Shut(approve) {
		out = append(out, fmt.Sprintf("the approval is %s (%s); fail-replan asks for another", need.State, need.Why))
	}
	return out
}

// branch refuses to fix the delivery's branch on the base or a detached head.
func (d *Draft) branch() error {
	switch d.Facts.Branch {
	case "":
		return problem.New(problem.GateShut, "implement cannot pass: the head is detached", "create a branch for the delivery and switch to it; uncommitted work comes along")
	case d.State.Delivery.Base, d.State.Delivery.Trunk:
		return problem.New(problem.GateShut, fmt.Sprintf("implement cannot pass: the work is on the base branch or the remote's default branch, %s", d.Facts.Branch),
			"create a branch for the delivery and switch to it; uncommitted work comes along")
	}
	return nil
}

func (d *Draft) failRetryable(n graph.Node, to, reason string) error {
	f := d.failure(n, reason)
	if f.Evidence == "" && strings.TrimSpace(reason) == "" {
		return problem.New(problem.Usage, "no failing evidence is recorded in this attempt, so a reason is due", "say with --reason what failed")
	}
	stopped := d.repeats(f)
	c := state.Completed{Node: n.Name, Outcome: string(graph.FailRetryable), Reason: reason, To: to, Failure: &f}
	if to == n.Name {
		c.Invalidate = []string{n.Name}
	} else {
		c.Invalidate, c.Reset = d.from(to), d.between(to, n.Name)
	}
	if err := d.emit(state.Change{Completed: &c}); err != nil {
		return err
	}
	if to != n.Name {
		if err := d.withdraw("the work goes back to "+to, state.AskConfirmation); err != nil {
			return err
		}
	}
	if stopped {
		return d.pauseStopped(n.Name, to, f)
	}
	for _, name := range []string{n.Name, to} {
		if d.State.Nodes[name].Attempts >= d.Budget(name) {
			return d.pauseForBudget(name)
		}
	}
	return nil
}

// failure names what failed in this attempt: the newest failing record of a kind
// that some node needs. One that was only stated never hides one that was seen,
// since the signature is not the model's to choose.
func (d *Draft) failure(n graph.Node, reason string) state.Failure {
	v := d.State.Nodes[n.Name]
	f := state.Failure{
		Node: n.Name, Attempt: v.Visits, Reason: reason, Tree: d.Facts.World.Tree, Plan: d.State.Docs[state.DocPlan],
		Env: d.Facts.World.Env, Hypothesis: d.hypothesisUnderTest(n.Name), Signature: n.Name + "/no-evidence",
	}
	var best evidence.Record
	for _, key := range slices.Sorted(maps.Keys(d.State.Slots)) {
		slot := d.State.Slots[key]
		for _, r := range []*evidence.Record{slot.Counts, slot.Last} {
			if r == nil || r.Node != n.Name || r.Attempt != v.Visits || r.Result != evidence.Fail || r.Base {
				continue
			}
			if _, needed := d.Graph.Owner(r.Kind); !needed || best.Counts && !r.Counts || best.Counts == r.Counts && r.Seq < best.Seq {
				continue
			}
			best = *r
		}
	}
	if best.ID == "" {
		return f
	}
	f.Evidence, f.Gate, f.Signature, f.Env = best.ID, best.Gate, best.Signature, best.World.Env
	if f.Signature == "" {
		f.Signature = n.Name + "/" + best.Key()
	}
	return f
}

func (d *Draft) hypothesisUnderTest(node string) string {
	if h := d.State.Nodes[node].Hypothesis; h != "" {
		return h
	}
	return d.State.Nodes[graph.Implement].Hypothesis
}

// repeats reports whether the same failure came again although nothing that
// matters to it changed: the failing gate's inputs, the plan, the environment.
func (d *Draft) repeats(f state.Failure) bool {
	for _, old := range slices.Backward(d.State.Failures) {
		if old.Signature != f.Signature {
			continue
		}
		if old.Plan != f.Plan || old.Env != f.Env {
			return false
		}
		paths, known := d.Facts.Changed[old.Tree]
		if !known {
			return false
		}
		g, ok := d.Gate(f.Gate)
		return !slices.ContainsFunc(paths, func(p string) bool { return !ok || gate.Watches(g, p) })
	}
	return false
}

func (d *Draft) failReplan(n graph.Node, reason string) error {
	if strings.TrimSpace(reason) == "" {
		return problem.New(problem.Usage, "fail-replan needs a reason", "say with --reason what the plan has to do otherwise")
	}
	c := state.Completed{Node: n.Name, Outcome: string(graph.FailReplan), Reason: reason, To: graph.Plan}
	c.Invalidate, c.Reset = d.from(graph.Plan), d.from(graph.Approve)
	f := d.failure(n, reason)
	if f.Evidence != "" {
		c.Failure = &f
	}
	if err := d.emit(state.Change{Completed: &c}); err != nil {
		return err
	}
	if err := d.withdraw("the plan is made anew", state.AskApproval, state.AskConfirmation); err != nil {
		return err
	}
	if d.State.Nodes[graph.Plan].Attempts >= d.Budget(graph.Plan) {
		return d.pauseForBudget(graph.Plan)
	}
	return nil
}

func outcomesOf(n graph.Node) []graph.Outcome {
	return slices.DeleteFunc(graph.Outcomes(), func(o graph.Outcome) bool { _, ok := n.Outcomes[o]; return !ok })
}

func list[T ~string](words []T) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return strings.Join(out, ", ")
}
