package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// ShortDigest is how many digits of a digest a human has to type at least.
const ShortDigest = 8

// digestOf names what a human agrees to.
func digestOf(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("digest: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// ApprovalDigest names what an approval is about: goal and its channel, plan with
// its scope, criteria, configuration, the base's name, the remote, the environment and
// programs that runs are compared with, and what humans waived before.
func (d *Draft) ApprovalDigest() (string, error) {
	del := d.State.Delivery
	return digestOf(struct {
		Goal, GoalBy, Source, Plan, Spec, Config, Base, Remote, URL, Steering string

		Programs map[string]state.Program
		Waivers  map[string]string
	}{
		Goal: del.Goal, GoalBy: del.GoalBy, Source: del.Source,
		Plan: d.State.Docs[state.DocPlan], Spec: d.State.Docs[state.DocSpec], Config: d.Facts.World.Config,
		Base: del.Base, Remote: del.Remote, URL: del.URL, Steering: d.State.Surroundings.Digest,
		Programs: d.State.Programs, Waivers: d.Waivers(),
	})
}

func (d *Draft) askApproval() error {
	digest, err := d.ApprovalDigest()
	if err != nil {
		return err
	}
	a := state.Ask{
		ID: d.askID(), Kind: state.AskApproval, Question: fmt.Sprintf("approve plan revision %d?", d.State.PlanRevision),
		Digest: digest, Blocks: []string{graph.Approve}, At: d.Now,
	}
	return d.emit(state.Change{Asked: &a})
}

// withdraw closes open asks of these kinds that something else has overtaken.
func (d *Draft) withdraw(because string, kinds ...string) error {
	for _, a := range slices.Clone(d.State.Asks) {
		if !slices.Contains(kinds, a.Kind) {
			continue
		}
		if err := d.emit(state.Change{Closed: &state.Closed{Ask: a.ID, Because: because}}); err != nil {
			return err
		}
	}
	return nil
}

// Approve answers the open approval or confirmation that bears the digest, of
// which at least the first ShortDigest digits are given.
func (d *Draft) Approve(digest string) error {
	if err := d.open(); err != nil {
		return err
	}
	if err := d.human("approve"); err != nil {
		return err
	}
	digest = strings.ToLower(strings.TrimSpace(digest))
	if len(digest) < ShortDigest || strings.Trim(digest, "0123456789abcdef") != "" {
		return problem.New(problem.Usage, fmt.Sprintf("%q is no digest: at least %d hex digits are due", digest, ShortDigest), "inbox shows the digest of what is to be approved")
	}
	for _, a := range d.State.Asks {
		if a.Digest == "" || !strings.HasPrefix(a.Digest, digest) {
			continue
		}
		if err := d.answering(a); err != nil {
			return err
		}
		switch a.Kind {
		case state.AskApproval:
			return d.approvePlan(a)
		case state.AskConfirmation:
			return d.confirm(a)
		}
	}
	if err := d.active(); err != nil {
		return err
	}
	return problem.New(problem.GateShut, fmt.Sprintf("nothing that is open bears the digest %s", digest), "inbox shows what is open now")
}

// answering resumes a delivery that this ask paused, and refuses while anything
// else pauses it.
func (d *Draft) answering(a state.Ask) error {
	if d.State.Delivery.PausedBy != a.ID {
		return d.active()
	}
	return d.emit(state.Change{Resumed: &state.Resumed{Reason: "ask " + a.ID + " is answered"}})
}

func (d *Draft) approvePlan(a state.Ask) error {
	now, err := d.ApprovalDigest()
	if err != nil {
		return err
	}
	if now != a.Digest {
		return problem.New(problem.GateShut, "what was to be approved has changed since it was shown", "reject leads to a new plan, which is shown again")
	}
	plan, _ := d.Graph.Node(graph.Plan)
	for _, n := range d.Shut(plan) {
		return problem.New(problem.GateShut, fmt.Sprintf("the plan is %s: %s", n.State, n.Why), "reject leads to a new plan, which is shown again")
	}
	approve, _ := d.Graph.Node(graph.Approve)
	if v := d.Violations(approve); len(v) > 0 {
		return problem.New(problem.GateShut, "the work tree changed before the approval: "+v[0].String(), "undo the named path yourself, then approve")
	}
	r, err := d.record(evidence.Record{
		Kind: evidence.Approval, Result: evidence.Pass, Summary: fmt.Sprintf("plan revision %d, digest %s", d.State.PlanRevision, a.Digest),
		Witness: evidence.Human, Counts: true, URL: d.word.URL, Proof: d.word.Proof,
	})
	if err != nil {
		return err
	}
	err = d.emitAll(
		state.Change{Approved: &state.Approval{
			Digest: a.Digest, Plan: d.State.Docs[state.DocPlan], Spec: d.State.Docs[state.DocSpec], Base: d.State.Delivery.Base,
			MergeBase: d.Facts.World.Base, Config: d.Facts.World.Config, Tree: d.Facts.World.Tree, Channel: d.By.Channel, Record: r.ID, URL: d.word.URL,
		}},
		state.Change{Closed: &state.Closed{Ask: a.ID, Answer: "approved", Channel: d.By.Channel}},
		state.Change{Completed: &state.Completed{Node: graph.Approve, Outcome: string(graph.Pass), To: graph.Implement}},
	)
	if err != nil {
		return err
	}
	return d.enter(graph.Implement, "")
}

func (d *Draft) confirm(a state.Ask) error {
	for _, in := range slices.Backward(d.State.Intents) { // one that is announced again has the same digest
		if in.Digest != a.Digest {
			continue
		}
		if in.Head != "" && in.Head != d.Facts.Head {
			return problem.New(problem.GateShut, "the head is another commit than the one that was shown", "intend announces it again, with a new digest")
		}
		return d.emitAll(
			state.Change{Confirmed: &state.Confirmed{Intent: in.ID, Channel: d.By.Channel, URL: d.word.URL, Proof: d.word.Proof}},
			state.Change{Closed: &state.Closed{Ask: a.ID, Answer: "confirmed", Channel: d.By.Channel}},
		)
	}
	return problem.New(problem.Conflict, "the announced write is not known any more", "intend announces it again")
}

// Reject leads back to plan; the reason is a steer that the new plan answers.
func (d *Draft) Reject(reason string) error {
	if err := d.open(); err != nil {
		return err
	}
	if err := d.human("reject"); err != nil {
		return err
	}
	if strings.TrimSpace(reason) == "" {
		return problem.New(problem.Usage, "a rejection needs a reason", "say with --reason what the plan has to do otherwise")
	}
	a, ok := d.State.AskAbout(state.AskConfirmation)
	if !ok {
		a, ok = d.State.AskAbout(state.AskApproval)
	}
	if !ok {
		if err := d.active(); err != nil {
			return err
		}
		return problem.New(problem.Conflict, "nothing waits for an approval", "steer gives a constraint at any time")
	}
	if err := d.answering(a); err != nil {
		return err
	}
	if err := d.emit(state.Change{Closed: &state.Closed{Ask: a.ID, Answer: "rejected: " + reason, Channel: d.By.Channel}}); err != nil {
		return err
	}
	if err := d.steer(reason); err != nil || a.Kind == state.AskConfirmation {
		return err
	}
	return d.replan()
}

// replan goes to plan by a human's word and begins the attempt.
func (d *Draft) replan() error {
	if err := d.withdraw("the plan is made anew", state.AskApproval, state.AskConfirmation); err != nil {
		return err
	}
	if err := d.emit(state.Change{Moved: &state.Moved{To: graph.Plan, Invalidate: d.from(graph.Plan), Reset: d.from(graph.Approve)}}); err != nil {
		return err
	}
	return d.enter(graph.Plan, "")
}

// Steer records a constraint that the plan has to answer.
func (d *Draft) Steer(text string) error {
	if err := d.open(); err != nil {
		return err
	}
	if err := d.human("steer"); err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return problem.New(problem.Usage, "a steer needs a text", "say the constraint in a sentence")
	}
	return d.steer(text)
}

func (d *Draft) steer(text string) error {
	return d.emit(state.Change{Steered: &state.Steer{ID: fmt.Sprintf("S%d", d.State.Counts.Steers+1), Text: strings.TrimSpace(text)}})
}
