package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// Shown is a text that a read saw, written by the identity that reads.
type Shown struct {
	Target string // comment, "" for the work item
	Text   string // digest, made as that of an intent's text
}

// intentNode returns the node at which a kind of write is announced.
func intentNode(kind string) string {
	return map[string]string{IntentPR: graph.SubmitPR, IntentReply: graph.Comments, IntentWorkItem: graph.WorkItem}[kind]
}

// announced refuses a reply or an update that cannot be read back, that answers
// nothing, or that may have been written already.
func (d *Draft) announced(in state.Intent) error {
	for _, old := range d.State.Intents {
		if old.Kind != in.Kind || old.Target != in.Target || old.Text != in.Text || old.Dropped {
			continue
		}
		if old.Due() {
			return problem.New(problem.Conflict, fmt.Sprintf("%s announces the same, is confirmed, and may have been written", old.ID), readOf(in.Kind)+" tells whether it is there; next says what follows")
		}
		if old.Settled && in.Body != "" {
			return problem.New(problem.Conflict, fmt.Sprintf("this text was written and read back as %s", old.ID), "it is not written twice; next says what is due")
		}
	}
	if in.Kind == IntentReply {
		return d.answers(in)
	}
	switch {
	case d.State.Delivery.Source == "":
		return problem.New(problem.GateShut, "the delivery has no work item", readOf(in.Kind)+" records that")
	case strings.TrimSpace(in.Target) == "" && in.Body == "":
		return problem.New(problem.Usage, "an update sets a state, or says something", "say the state with --state, or name a file with --comment")
	}
	return nil
}

// answers refuses a reply to what is not there, or to what a reply does not handle yet.
func (d *Draft) answers(in state.Intent) error {
	if in.Body == "" {
		return problem.New(problem.Usage, "a reply has a text", "name a file with --body")
	}
	c := d.State.Comments
	if c == nil {
		return problem.New(problem.GateShut, "no comments were read", "read comments first")
	}
	if _, ok := c.Comment(in.Target); !ok {
		if c.More > 0 {
			return nil
		}
		return problem.New(problem.Usage, fmt.Sprintf("%q is no unresolved comment that was read", in.Target), "read comments names them")
	}
	for _, o := range d.Outstanding() {
		if o.ID != in.Target {
			continue
		}
		switch o.Step {
		case gate.StepTriage:
			return problem.New(problem.GateShut, fmt.Sprintf("%s: %s", in.Target, o.Why), "triage it first: triage put FILE")
		case gate.StepImplement, gate.StepReplan:
			return problem.New(problem.GateShut, fmt.Sprintf("%s asks for a change: %s", in.Target, o.Why), "next says which outcome leads there; the reply comes after it")
		}
	}
	return nil
}

// readOf is the command that reads back a kind of write.
func readOf(kind string) string {
	return map[string]string{IntentPR: "read pr", IntentReply: "read comments", IntentWorkItem: "read work-item"}[kind]
}

// Due returns the announced writes of a kind that were confirmed and not read back.
func (d *Draft) Due(kind string) []state.Intent { return gate.Due(d.State, kind) }

// settle ends the writes that a read shows. A sighting is one however the read ended.
func (d *Draft) settle(in Read) error {
	kind := map[evidence.Kind]string{evidence.ReviewComments: IntentReply, evidence.WorkItemUpdate: IntentWorkItem}[in.Kind]
	for _, due := range d.Due(kind) {
		if due.Kind == IntentReply && !in.shows(due.Target, due.Text) {
			continue
		}
		if due.Kind == IntentWorkItem {
			if missing, _ := in.lacks(due); len(missing) > 0 {
				if err := d.settleParts(due, missing); err != nil {
					return err
				}
				continue
			}
		}
		if err := d.emit(state.Change{Settled: &state.Settled{Intent: due.ID}}); err != nil {
			return err
		}
	}
	return nil
}

func (in Read) shows(target, text string) bool {
	for _, s := range in.Shown {
		if s.Target == target && s.Text == text {
			return true
		}
	}
	return false
}

// settleParts notes what the read shows of an update that it does not show whole: who
// goes on writes the rest alone.
func (d *Draft) settleParts(due state.Intent, missing []string) error {
	for _, part := range due.Missing() {
		if slices.Contains(missing, part) {
			continue
		}
		if err := d.emit(state.Change{Settled: &state.Settled{Intent: due.ID, Part: part}}); err != nil {
			return err
		}
	}
	return nil
}

// lacks returns the parts of an announced update that neither this read nor an earlier
// one shows, and why the first of them counts as missing.
func (in Read) lacks(due state.Intent) (missing []string, why string) {
	for _, part := range due.Missing() {
		var reason string
		switch {
		case part == state.PartComment && !in.shows("", due.Text):
			reason = "the work item does not show the comment"
		case part == state.PartState && in.State == "":
			reason = "the state of the work item was not found out"
		case part == state.PartState && !in.is(due.Target):
			reason = fmt.Sprintf("the work item is %q and not %q", in.State, due.Target)
		default:
			continue
		}
		missing = append(missing, part)
		why = cmp.Or(why, reason)
	}
	return missing, why
}

// is reports whether the work item is in a state, by any word for it.
func (in Read) is(state string) bool {
	return slices.ContainsFunc(append([]string{in.State}, in.States...), func(s string) bool { return strings.EqualFold(s, state) })
}

// demandUpdate keeps an update open that was confirmed and is not there yet.
func (d *Draft) demandUpdate(in Read, r *evidence.Record) {
	if r.Result != evidence.Pass && r.Result != evidence.Info {
		return
	}
	for _, due := range d.Due(IntentWorkItem) {
		if _, why := in.lacks(due); why != "" {
			r.Result, r.Because, r.Counts = evidence.Fail, due.ID+" was confirmed, and "+why, true
			r.Signature = "work-item-update/not-written"
		}
	}
}

// judgeComments takes down what was read and says what it comes to: fail while one is
// outstanding. What the provider itself holds against the pull request stays.
func (d *Draft) judgeComments(in Read, r *evidence.Record) error {
	if in.Comments == nil || r.Result == evidence.Unknown {
		return nil
	}
	if err := d.emit(state.Change{Commented: in.Comments}); err != nil {
		return err
	}
	if why := d.OutstandingText(); why != "" {
		r.Result, r.Because, r.Counts = evidence.Fail, why, true
		r.Summary = fmt.Sprintf("%d of %d comments are outstanding: %s", len(d.Outstanding())+in.Comments.More, in.Comments.Total, why)
		r.Signature = "review-comments/" + outstandingKey(d.Outstanding())
		return nil
	}
	if r.Result == evidence.Fail && len(in.Comments.Items) > 0 {
		r.Result, r.Because, r.Signature = evidence.Pass, "", ""
		r.Summary = fmt.Sprintf("%d comments, none outstanding", in.Comments.Total)
	}
	return nil
}

// outstandingKey names a set of comments and what was said in them.
func outstandingKey(list []gate.Outstanding) string {
	var said []string
	for _, o := range list {
		said = append(said, o.ID+" "+o.Said)
	}
	digest, err := digestOf(said)
	if err != nil {
		return "outstanding"
	}
	return digest[:12]
}
