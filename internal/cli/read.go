package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// longestWait is how long a read waits at most; after it the delivery pauses anyway.
const longestWait = 24 * time.Hour

// readable are the things that read takes.
func readable() []string { return []string{"pr", "checks", "comments", "work-item", "approval"} }

func (a *app) readCommand() *cobra.Command {
	c := verb("read pr|checks|comments|work-item|approval", "read the provider back", cobra.ExactArgs(1), nil)
	wait := c.Flags().Duration("wait", 0, "how long to wait for checks that are still running")
	c.RunE = func(c *cobra.Command, args []string) error {
		kind, ok := map[string]evidence.Kind{
			"pr": evidence.PullRequest, "checks": evidence.Pipeline, "comments": evidence.ReviewComments, "work-item": evidence.WorkItemUpdate, "approval": evidence.Approval,
		}[args[0]]
		if !ok {
			return problem.New(problem.Usage, "unknown thing to read: "+args[0], "there are "+strings.Join(readable(), ", "))
		}
		if *wait < 0 || *wait > longestWait {
			return problem.New(problem.Usage, fmt.Sprintf("a wait of %s is not from 0 to %s", *wait, longestWait), "wait for less, and read again")
		}
		e, err := a.engine()
		if err != nil {
			return err
		}
		if kind == evidence.Approval {
			d, err := e.ReadApproval(c.Context(), a.by())
			if err != nil {
				return err
			}
			return a.next(d)
		}
		r, err := e.Read(c.Context(), engine.ReadRequest{Kind: kind, Wait: *wait, Progress: a.stderr, By: a.by()})
		if err != nil {
			return err
		}
		if err := a.readBack(e, r); err != nil {
			return err
		}
		switch r.Result {
		case evidence.Fail:
			return statusError(exitShut)
		case evidence.Unknown:
			return statusError(exitProvider)
		}
		return nil
	}
	c.ValidArgs = readable()
	return c
}

// dueWrite is a confirmed write that the read did not show.
type dueWrite struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Target string `json:"target"`
	// Missing are the parts of an update that no read has shown: state, comment.
	Missing []string `json:"missing,omitempty"`
}

// readBack answers with a record, and with the confirmed writes that are not there yet.
func (a *app) readBack(e *engine.Engine, r evidence.Record) error {
	s, err := e.Peek()
	if err != nil {
		return err
	}
	kind := map[evidence.Kind]string{
		evidence.PullRequest: decide.IntentPR, evidence.ReviewComments: decide.IntentReply, evidence.WorkItemUpdate: decide.IntentWorkItem,
	}[r.Kind]
	due := []dueWrite{}
	for _, in := range gate.Due(s, kind) {
		if superseded(s, in) {
			continue
		}
		d := dueWrite{ID: in.ID, Kind: in.Kind, Target: in.Target}
		if in.Kind == decide.IntentWorkItem {
			d.Missing = in.Missing()
		}
		due = append(due, d)
	}
	if a.json {
		a.answer(map[string]any{"ok": true, "evidence": r, "due": due})
		return nil
	}
	a.evidence(r)
	for _, d := range due {
		if r.Result == evidence.Unknown {
			a.say("%s may or may not have been written: write nothing, read again", d.ID)
			continue
		}
		what := d.ID
		if len(d.Missing) > 0 {
			what = fmt.Sprintf("the %s of %s", strings.Join(d.Missing, " and the "), d.ID)
		}
		a.say("%s is not there: write it once, then read again", what)
	}
	return nil
}

// superseded reports whether a later announcement of a pull request took its place.
func superseded(s *state.State, in state.Intent) bool {
	newest, ok := s.Intent(in.Kind)
	return in.Kind == decide.IntentPR && ok && newest.ID != in.ID
}
