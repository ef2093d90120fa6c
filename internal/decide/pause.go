package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// Options of asks that the binary makes.
const (
	OneMore = "one more attempt"
	Replan  = "replan"
	AbortIt = "abort"
	GoOn    = "go on"
	Accept  = "accept"
	Refuse  = "refuse"
	Fix     = "fix"
	Waive   = "waive " // followed by a kind
)

// maxIdle is how many pauses in a row may bring no new fact.
const maxIdle = 3

// pauseNode ends the attempt and waits for a human.
func (d *Draft) pauseNode(n graph.Node, o graph.Outcome, reason string) error {
	if strings.TrimSpace(reason) == "" {
		return problem.New(problem.Usage, fmt.Sprintf("%s needs a reason", o), "say with --reason what is needed to go on")
	}
	c := state.Completed{Node: n.Name, Outcome: string(o), Reason: reason, To: n.Name, Refund: d.failure(n, "").Evidence == ""}
	idle := !d.newFact(n.Name)
	i := slices.IndexFunc(d.State.Asks, func(a state.Ask) bool { return slices.Contains(a.Blocks, n.Name) })
	// What waits for an approval or a confirmation goes on with it, as the attempt that it is.
	if i < 0 || d.State.Asks[i].Digest == "" {
		if err := d.emit(state.Change{Completed: &c}); err != nil {
			return err
		}
	}
	if i >= 0 {
		return d.emit(state.Change{Paused: &state.PausedBy{Reason: reason, Ask: d.State.Asks[i].ID, Idle: idle}})
	}
	options := append([]string{GoOn}, d.ways(n.Name)...)
	return d.pauseAsk(state.Ask{
		Kind: state.AskDecision, Question: fmt.Sprintf("%s is %s: %s", n.Name, o, reason), About: d.blocker(n.Name),
		Options: options, Topic: state.Topic{Name: state.TopicBlocked, Node: n.Name},
	}, idle)
}

// pauseForBudget waits for a human to grant one more attempt, with the blocker report.
func (d *Draft) pauseForBudget(name string) error {
	return d.pauseAsk(state.Ask{
		Kind:     state.AskDecision,
		Question: fmt.Sprintf("%s has used its %d attempts; what now?", name, d.Budget(name)),
		About:    d.blocker(name), Options: append([]string{OneMore}, d.ways(name)...),
		Topic: state.Topic{Name: state.TopicBudget, Node: name},
	}, false)
}

// pauseStopped waits because the same failure came again and nothing changed.
func (d *Draft) pauseStopped(failed, to string, f state.Failure) error {
	return d.pauseAsk(state.Ask{
		Kind:     state.AskDecision,
		Question: fmt.Sprintf("%s failed again with %s although nothing that matters changed; what now?", failed, f.Signature),
		About:    d.blocker(failed) + "\nrecommended: the failure-analyst's report, then a change that its class calls for",
		Options:  append([]string{OneMore}, d.ways(failed)...),
		Topic:    state.Topic{Name: state.TopicStopped, Node: to},
	}, false)
}

func (d *Draft) pauseAsk(a state.Ask, idle bool) error {
	a.ID, a.At = d.askID(), d.Now
	if err := d.emit(state.Change{Asked: &a}); err != nil {
		return err
	}
	return d.emit(state.Change{Paused: &state.PausedBy{Reason: a.Question, Ask: a.ID, Idle: idle}})
}

// ways lists the answers that always help: another plan, a waiver, the end.
func (d *Draft) ways(name string) []string {
	var out []string
	if d.Graph.After(name, graph.Approve) {
		out = append(out, Replan)
	}
	n, _ := d.Graph.Node(name)
	for _, need := range d.Shut(n) {
		rule, _ := d.Graph.Rule(need.Kind)
		if w := Waive + string(need.Kind); slices.Contains(rule.Info, "waiver") && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return append(out, AbortIt)
}

// blocker is the report that a human decides on: attempts, failures, what is missing.
func (d *Draft) blocker(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d of %d attempts used", name, d.State.Nodes[name].Attempts, d.Budget(name))
	for _, f := range d.State.Failures {
		fmt.Fprintf(&b, "\n%s attempt %d failed with %s", f.Node, f.Attempt, f.Signature)
		if f.Evidence != "" {
			fmt.Fprintf(&b, " (%s)", f.Evidence)
		}
		if f.Reason != "" {
			fmt.Fprintf(&b, ": %s", f.Reason)
		}
	}
	n, _ := d.Graph.Node(name)
	for _, need := range d.Shut(n) {
		fmt.Fprintf(&b, "\nmissing: %s (%s)", need.Name(), need.Why)
	}
	return b.String()
}

// newFact reports whether this attempt brought evidence that counts.
func (d *Draft) newFact(name string) bool {
	since := d.State.Nodes[name].EnteredSeq
	for _, slot := range d.State.Slots {
		if slot.Counts != nil && slot.Counts.Seq > since {
			return true
		}
	}
	return false
}

// escalate holds the delivery at review until a human records a remediation.
func (d *Draft) escalate(n graph.Node, reason string) error {
	if strings.TrimSpace(reason) == "" {
		return problem.New(problem.Usage, "security-escalation needs a reason", "say with --reason what the danger is")
	}
	c := state.Completed{Node: n.Name, Outcome: string(graph.SecurityEscalation), Reason: reason, To: graph.Review}
	if err := d.emit(state.Change{Completed: &c}); err != nil {
		return err
	}
	return d.pauseAsk(state.Ask{
		Kind: state.AskDecision, Question: "security: " + reason, About: d.blocker(n.Name),
		Options: []string{Fix, Replan, AbortIt}, Topic: state.Topic{Name: state.TopicSecurity, Node: n.Name},
	}, false)
}

// Pause lets the delivery wait; the attempt stays under way.
func (d *Draft) Pause(reason string, wait bool) error {
	if err := d.active(); err != nil {
		return err
	}
	if strings.TrimSpace(reason) == "" {
		return problem.New(problem.Usage, "a pause needs a reason", "say with --reason what it waits for")
	}
	idle := !d.newFact(d.State.Node)
	if idle && d.State.Idle+1 >= maxIdle {
		return d.pauseAsk(state.Ask{
			Kind: state.AskDecision, Question: fmt.Sprintf("%d pauses brought nothing new (%s); what now?", d.State.Idle+1, reason),
			About: d.blocker(d.State.Node), Options: append([]string{GoOn}, d.ways(d.State.Node)...),
			Topic: state.Topic{Name: state.TopicBlocked, Node: d.State.Node},
		}, idle)
	}
	return d.emit(state.Change{Paused: &state.PausedBy{Reason: reason, Idle: idle, Wait: wait}})
}

// Resume lets a paused delivery go on. One that an ask paused goes on by its answer.
func (d *Draft) Resume() error {
	if err := d.open(); err != nil {
		return err
	}
	if d.State.Delivery.Status != state.Paused {
		return problem.New(problem.Conflict, "the delivery is not paused", "next says what is due")
	}
	switch by := d.State.Delivery.PausedBy; by {
	case state.PausedByProvider:
	case "":
		if err := d.human("resume"); err != nil {
			return err
		}
	default:
		return problem.New(problem.Conflict, fmt.Sprintf("ask %s paused the delivery and has no answer", by), "inbox shows it; its answer resumes")
	}
	return d.resumed("")
}

// resumed lets the delivery go on. Where a human said so, turns that end without progress
// are counted anew: else the next one would pause at once.
func (d *Draft) resumed(reason string) error {
	if err := d.emit(state.Change{Resumed: &state.Resumed{Reason: reason}}); err != nil || !d.By.IsHuman() || d.State.Hold == nil {
		return err
	}
	return d.emit(state.Change{Heard: &state.Heard{}})
}

// Abort ends the delivery without success.
func (d *Draft) Abort(reason string) error {
	if err := d.open(); err != nil {
		return err
	}
	if err := d.human("abort"); err != nil {
		return err
	}
	if strings.TrimSpace(reason) == "" {
		return problem.New(problem.Usage, "an abort needs a reason", "say it with --reason")
	}
	return d.emit(state.Change{Ended: &state.Ended{Status: state.Aborted, Reason: reason}})
}
