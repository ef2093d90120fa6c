package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// Kinds of intents.
const (
	IntentPR       = "pr"
	IntentReply    = "reply"
	IntentWorkItem = "work-item"
)

// AutoPR is the channel of a confirmation that a human waived at start.
const AutoPR = "auto-pr"

// Intend announces an external write and opens its confirmation. What leaves the
// machine is fixed by one digest: head, commits, branch, remote, base and text.
func (d *Draft) Intend(in state.Intent) (state.Intent, *state.Ask, error) {
	if err := d.active(); err != nil {
		return in, nil, err
	}
	where := intentNode(in.Kind)
	if !d.State.Running(where) {
		return in, nil, problem.New(problem.GateShut, fmt.Sprintf("%s is announced while %s is under way", in.Kind, where), "next says what is due")
	}
	due := d.announced
	if in.Kind == IntentPR {
		due = func(state.Intent) error { return d.ready(&in) }
	}
	err := due(in)
	if err != nil {
		return in, nil, err
	}
	if in.Digest, err = digestOf(struct {
		Delivery string
		Intent   state.Intent
		Commits  []string
	}{d.State.Delivery.ID, in, d.Facts.Commits}); err != nil {
		return in, nil, err
	}
	in.ID = fmt.Sprintf("I%d", d.State.Counts.Intents+1)
	if err := d.withdraw("another write is announced", state.AskConfirmation); err != nil {
		return in, nil, err
	}
	if err := d.emit(state.Change{Intended: &in}); err != nil {
		return in, nil, err
	}
	if d.State.Delivery.AutoPR && in.Kind == IntentPR && d.foreseen(in) {
		in.Confirmed, in.Channel = true, AutoPR
		return in, nil, d.emit(state.Change{Confirmed: &state.Confirmed{Intent: in.ID, Channel: AutoPR}})
	}
	a := state.Ask{ID: d.askID(), Kind: state.AskConfirmation, Question: question(in), About: d.leaves(in), Digest: in.Digest, Blocks: []string{where}, At: d.Now}
	return in, &a, d.emit(state.Change{Asked: &a})
}

// foreseen reports whether a human who waived the confirmation at start knew where
// the pull request goes: to the same remote, reached in the same way.
func (d *Draft) foreseen(in state.Intent) bool {
	del := d.State.Delivery
	return in.Remote == del.Remote && in.URL == del.URL && !d.OtherTransport()
}

func question(in state.Intent) string {
	switch in.Kind {
	case IntentPR:
		return fmt.Sprintf("push %s to %s and open the pull request %q?", in.Branch, in.Remote, in.Title)
	case IntentReply:
		return fmt.Sprintf("reply to thread %s?", in.Target)
	default:
		return fmt.Sprintf("set the work item to %q?", in.Target)
	}
}

// leaves shows what is about to leave the machine.
func (d *Draft) leaves(in state.Intent) string {
	var b strings.Builder
	if in.Kind == IntentPR {
		fmt.Fprintf(&b, "head %s\nbranch %s, base %s\nremote %s\n", in.Head, in.Branch, in.Base, in.URL)
		if !slices.Equal(in.Push, []string{in.URL}) {
			fmt.Fprintf(&b, "pushed to %s\n", strings.Join(in.Push, ", "))
		}
		if del := d.State.Delivery; !d.foreseen(in) && del.Remote != "" {
			fmt.Fprintf(&b, "NOT as at start: the remote was %s at %s, or was reached otherwise\n", del.Remote, del.URL)
		}
		if len(in.Reached) > 0 {
			fmt.Fprintf(&b, "settings that decide how it is reached: %s\n", strings.Join(in.Reached, ", "))
		}
		for _, c := range d.Facts.Commits {
			fmt.Fprintf(&b, "commit: %s\n", strings.SplitN(c, "\n", 2)[0])
		}
	}
	if t, ok := d.State.Triage[in.Target]; ok && in.Kind == IntentReply {
		fmt.Fprintf(&b, "triaged as %s: %s\n", t.Class, document.OneLine(t.Because))
	}
	if in.Kind == IntentWorkItem {
		fmt.Fprintf(&b, "work item %s\n", document.OneLine(d.State.Delivery.Source))
	}
	if in.Body == "" {
		b.WriteString("no text")
		return b.String()
	}
	fmt.Fprintf(&b, "text: artifact %s", in.Body)
	return b.String()
}

// ready completes a pull request's intent and refuses what cannot be read back.
func (d *Draft) ready(in *state.Intent) error {
	switch {
	case strings.TrimSpace(in.Title) == "":
		return problem.New(problem.Usage, "a pull request needs a title", "say it with --title")
	case d.Facts.Remote == "":
		return problem.New(problem.GateShut, "there is no remote to push to", "add one with git remote; a bare repository will do")
	case d.Facts.URL == "":
		return problem.New(problem.GateShut, fmt.Sprintf("the remote %s, which the delivery began with, is not there", d.Facts.Remote), "add it again as it was; git remote lists what is there")
	case d.Facts.Branch == "" || d.Facts.Branch != d.State.Branch:
		return problem.New(problem.GateShut, fmt.Sprintf("the current branch is not the delivery's branch %q", d.State.Branch), "switch to it")
	case d.Facts.World.Tree == "":
		return problem.New(problem.GateShut, "the work tree cannot be read: "+strings.Join(d.Facts.TreeUnknown, "; "), "make these paths readable")
	case d.Facts.HeadTree != d.Facts.World.Tree:
		return problem.New(problem.GateShut, "the head commit is not the work tree that was verified and reviewed", "commit the work as it is; git status names what is missing")
	}
	in.Head, in.Branch, in.Remote, in.URL, in.Base = d.Facts.Head, d.Facts.Branch, d.Facts.Remote, d.Facts.URL, d.State.Delivery.Base
	in.Push, in.Transport, in.Reached = d.Facts.Push, d.Facts.Transport, d.Facts.Reached
	return nil
}

// Read is what a provider answered.
type Read struct {
	Kind      evidence.Kind
	Result    evidence.Result
	Summary   string
	Because   string
	Head      string // commit that the answer is about
	Tree      string // its tree
	Remote    string // URL of the remote that was asked
	URL       string
	Proof     string
	Path      string // artifact
	Signature string

	Repository string          // identity of the one that answered
	Comments   *state.Comments // nil where none were read
	Shown      []Shown
	State      string   // of the work item
	States     []string // other words for it
}

// Readable refuses a read that cannot be about anything yet.
func (d *Draft) Readable(kind evidence.Kind) error {
	if err := d.active(); err != nil {
		return err
	}
	if d.State.Branch == "" || !d.Graph.After(d.State.Node, graph.SubmitPR) {
		return problem.New(problem.GateShut, "there is nothing to read back before submit-pr", "next says what is due")
	}
	return nil
}

// StoreRead records what was read back.
func (d *Draft) StoreRead(in Read) (evidence.Record, error) {
	if err := d.active(); err != nil {
		return evidence.Record{}, err
	}
	r := evidence.Record{
		Kind: in.Kind, Result: in.Result, Summary: in.Summary, Because: in.Because, Witness: evidence.ReadBack,
		Head: in.Head, URL: in.URL, Proof: in.Proof, Path: in.Path, Signature: in.Signature,
	}
	rule, _ := d.Graph.Rule(in.Kind)
	r.Counts = in.Result != evidence.Unknown && (in.Result != evidence.Info || slices.Contains(rule.Info, "read"))
	if why := d.notOurs(in); why != "" && r.Result != evidence.Fail {
		r.Result, r.Because, r.Counts = evidence.Unknown, why, false
	}
	if in.Kind == evidence.WorkItemUpdate {
		d.demandUpdate(in, &r)
	}
	if err := d.judgeComments(in, &r); err != nil {
		return evidence.Record{}, err
	}
	r, err := d.record(r)
	if err != nil {
		return r, err
	}
	if in.Kind != evidence.PullRequest {
		return r, d.settle(in)
	}
	if r.Result != evidence.Pass {
		return r, nil
	}
	return r, d.emit(state.Change{Submitted: &state.Submitted{Head: in.Head, Tree: in.Tree, URL: in.URL, Repository: in.Repository}})
}

// confirmed reports whether a person confirmed that the head of an answer goes to the
// remote that was asked, reached as it is now.
func (d *Draft) confirmed(in Read) bool {
	return slices.ContainsFunc(d.State.Intents, func(i state.Intent) bool {
		return i.Kind == IntentPR && i.Confirmed && i.Head == in.Head && i.Branch == d.State.Branch &&
			i.Remote == d.Facts.Remote && i.URL == d.Facts.URL && i.URL == in.Remote && i.Transport == d.Facts.Transport
	})
}

// notOurs says why an answer, even a good one, is not about this delivery's submission.
func (d *Draft) notOurs(in Read) string {
	if s := d.State.Submitted; s != nil && in.Repository != "" && s.Repository != "" && in.Repository != s.Repository {
		return "another repository answered than the one that was read first, under the same name"
	}
	if in.Kind != evidence.PullRequest {
		if d.State.Submitted == nil {
			return "no pull request has been read back"
		}
		if in.Head != d.State.Submitted.Head {
			return "it is about another head than the submitted one"
		}
		if !d.confirmed(in) {
			return "the remote, or how it is reached, is another one than was confirmed for the pull request"
		}
		return ""
	}
	if in.Result != evidence.Pass {
		return ""
	}
	switch {
	case !d.confirmed(in):
		return "this head was pushed without a confirmed intent, or the remote or how it is reached is another one than was confirmed"
	case in.Head != d.Facts.Head:
		return "its head is not the delivery's head"
	case in.Tree != d.Facts.World.Tree:
		return "its head's tree is not the work tree"
	}
	for _, name := range []string{graph.Verify, graph.Review} {
		n, _ := d.Graph.Node(name)
		for _, need := range d.Shut(n) {
			return fmt.Sprintf("its tree is not the one that %s was about: %s is %s (%s)", name, need.Name(), need.State, need.Why)
		}
	}
	return ""
}
