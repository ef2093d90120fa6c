package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// Ask opens a question that only a human can answer. It blocks the named nodes
// (the current one, where none is named) and nothing else.
func (d *Draft) Ask(kind, question, tried string, blocks []string) (state.Ask, error) {
	if err := d.active(); err != nil {
		return state.Ask{}, err
	}
	if kind != state.AskDecision && kind != state.AskCredential {
		return state.Ask{}, problem.New(problem.Usage, fmt.Sprintf("unknown kind of ask %q", kind), "the kinds are decision and credential; the others are opened by the binary")
	}
	if strings.TrimSpace(question) == "" {
		return state.Ask{}, problem.New(problem.Usage, "an ask needs a question", "say it with --question")
	}
	if len(blocks) == 0 {
		blocks = []string{d.State.Node}
	}
	for _, b := range blocks {
		if _, err := d.node(b); err != nil {
			return state.Ask{}, err
		}
	}
	a := state.Ask{ID: d.askID(), Kind: kind, Question: strings.TrimSpace(question), Tried: tried, Blocks: blocks, At: d.Now}
	return a, d.emit(state.Change{Asked: &a})
}

// Reply answers an ask. Where the binary made the ask it has options, and only an
// equal answer is one.
func (d *Draft) Reply(id, text string) error {
	if err := d.open(); err != nil {
		return err
	}
	if err := d.human("reply"); err != nil {
		return err
	}
	a, ok := d.State.Ask(id)
	if !ok {
		return problem.New(problem.Usage, fmt.Sprintf("ask %q is not open", id), "inbox shows the open ones")
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return problem.New(problem.Usage, "an answer needs a text", "say it after the ask's id")
	case a.Kind == state.AskApproval || a.Kind == state.AskConfirmation:
		return problem.New(problem.Usage, a.ID+" is answered by approve or reject", "inbox shows its digest")
	case len(a.Options) > 0 && !slices.Contains(a.Options, text):
		return problem.New(problem.Usage, fmt.Sprintf("%q is none of the answers to %s", text, a.ID), "they are: "+strings.Join(a.Options, ", "))
	}
	paused := d.State.Delivery.PausedBy == a.ID
	if err := d.emit(state.Change{Closed: &state.Closed{Ask: a.ID, Answer: text, Channel: d.By.Channel}}); err != nil {
		return err
	}
	if paused {
		if err := d.resumed("ask " + a.ID + " is answered"); err != nil {
			return err
		}
	}
	return d.effect(a, text)
}

// effect does what an option of the binary's own asks means.
func (d *Draft) effect(a state.Ask, answer string) error {
	switch {
	case a.Topic.Name == "":
		return nil
	case answer == OneMore || answer == GoOn:
		return d.grant(a.Topic.Node)
	case answer == Replan:
		if err := d.grantFor(graph.Plan); err != nil {
			return err
		}
		return d.replan()
	case answer == AbortIt:
		return d.emit(state.Change{Ended: &state.Ended{Status: state.Aborted, Reason: "answer to " + a.ID}})
	case answer == Fix:
		if err := d.withdraw("the work goes back to implement", state.AskConfirmation); err != nil {
			return err
		}
		if err := d.grantFor(graph.Implement); err != nil {
			return err
		}
		return d.emit(state.Change{Moved: &state.Moved{To: graph.Implement, Invalidate: d.from(graph.Implement), Reset: d.between(graph.Implement, graph.Review)}})
	case strings.HasPrefix(answer, Waive):
		if err := d.waive(a, evidence.Kind(strings.TrimPrefix(answer, Waive))); err != nil {
			return err
		}
		return d.grant(a.Topic.Node)
	case answer == Accept:
		return d.accept(a.Topic)
	case a.Topic.Name == state.TopicVerdict:
		return d.humanVerdict(a, answer)
	}
	return nil
}

// waive opens a kind. What is due after the plan is waived for this plan alone: the
// next one may bring other gates.
func (d *Draft) waive(a state.Ask, k evidence.Kind) error {
	w := state.Waived{Kind: string(k), Because: "answer to " + a.ID + ": " + a.Question}
	if owner, _ := d.Graph.Owner(k); d.Graph.After(owner, graph.Plan) {
		w.Plan = d.State.Docs[state.DocPlan]
	}
	return d.emit(state.Change{Waived: &w})
}

// grant gives one more attempt to the node and, where the budget of the node that
// is current is used up too, to that.
func (d *Draft) grant(name string) error {
	for _, n := range []string{name, d.State.Node} {
		if err := d.grantFor(n); err != nil {
			return err
		}
	}
	return nil
}

func (d *Draft) grantFor(node string) error {
	if d.State.Nodes[node].Attempts < d.Budget(node) || d.State.Running(node) {
		return nil
	}
	return d.emit(state.Change{Granted: &state.Granted{Node: node}})
}

func (d *Draft) humanVerdict(a state.Ask, answer string) error {
	c, ok := d.State.Criterion(a.Topic.Criterion)
	if !ok || c.Digest != a.Topic.Digest {
		return problem.New(problem.Conflict, a.Topic.Criterion+" changed since the question was put", "it is asked again when it is judged again")
	}
	value := gate.VerdictFail
	if answer == gate.VerdictPass {
		value = gate.VerdictPass
	}
	return d.verdict(c, value, nil, nil)
}
