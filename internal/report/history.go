package report

import (
	"fmt"
	"slices"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/state"
)

// history is what the ledger tells beyond the state: all that the fold forgets.
type history struct {
	path       []Attempt
	visits     map[string]int
	evidence   []evidence.Record
	approvals  []Approval
	intents    map[string]state.Intent
	findings   []Finding
	asks       []Ask
	steers     []Steer
	exceptions []Exception
	plan       string // digest of the newest
	revision   int
	shown      []string // plans by the asks that showed them
}

func readHistory(in Input) (*history, error) {
	h := &history{visits: map[string]int{}, intents: map[string]state.Intent{}}
	err := in.Events(func(ev ledger.Event) error {
		if ev.Type == ledger.Recovered {
			return nil // the ledger's own
		}
		changes, err := state.Decode(ev.Data)
		if err != nil {
			return fmt.Errorf("event %d: %w", ev.Seq, err)
		}
		for _, c := range changes {
			h.add(ev, c)
		}
		return nil
	})
	return h, err
}

func (h *history) add(ev ledger.Event, c state.Change) {
	switch {
	case c.Started != nil:
		if c.Started.Delivery.AutoPR {
			h.except(ev, Exception{Kind: "auto-pr", What: "confirmation of the pull request", Because: "waived at start with --auto-pr"})
		}
	case c.Entered != nil, c.Completed != nil, c.Moved != nil, c.Paused != nil, c.Resumed != nil, c.Ended != nil:
		h.walk(ev, c)
	case c.Recorded != nil:
		r := *c.Recorded
		r.Seq = ev.Seq
		h.evidence = append(h.evidence, r)
	case c.Documented != nil && c.Documented.Name == state.DocPlan:
		h.revision++
		h.plan = c.Documented.Digest
	case c.Asked != nil, c.Closed != nil, c.Analysed != nil:
		h.question(ev, c)
	case c.Approved != nil:
		h.approved(ev, *c.Approved)
	case c.Intended != nil:
		h.intents[c.Intended.ID] = *c.Intended
	case c.Confirmed != nil:
		h.confirmed(ev, *c.Confirmed)
	case c.Steered != nil:
		h.steers = append(h.steers, Steer{ID: c.Steered.ID, Text: c.Steered.Text, Channel: ev.By.Channel, At: ev.At})
	case c.Reviewed != nil:
		h.reviewed(*c.Reviewed)
	case c.Granted != nil:
		h.except(ev, Exception{Kind: "attempt", What: "one more attempt of " + c.Granted.Node, Because: "a human's answer"})
	case c.Waived != nil:
		h.except(ev, Exception{Kind: "waiver", What: c.Waived.Kind, Because: c.Waived.Because})
	case c.Bypassed != nil:
		h.except(ev, Exception{Kind: "bypass", What: bypassWhat(*c.Bypassed), Because: c.Bypassed.Reason})
	case c.Unhooked != nil:
		h.except(ev, Exception{Kind: "hook", What: unhookedWhat(*c.Unhooked), Because: "a human's word"})
	case c.Accepted != nil:
		h.except(ev, Exception{Kind: "environment", What: "runs with " + acceptedWhat(*c.Accepted), Because: "a human accepted what differs from the baseline"})
	}
}

func (h *history) except(ev ledger.Event, x Exception) {
	x.By, x.At = ev.By, ev.At
	h.exceptions = append(h.exceptions, x)
}

// walk follows the attempts, and the pauses in or after each.
func (h *history) walk(ev ledger.Event, c state.Change) {
	if e := c.Entered; e != nil {
		h.visits[e.Node]++
		h.path = append(h.path, Attempt{Node: e.Node, Attempt: h.visits[e.Node], Began: ev.At, Hypothesis: e.Hypothesis, Pauses: []Pause{}})
		return
	}
	if len(h.path) == 0 {
		return
	}
	a := &h.path[len(h.path)-1]
	running := a.Outcome == ""
	switch {
	case c.Completed != nil:
		a.Ended, a.Outcome, a.To, a.Reason, a.Refunded = ev.At, c.Completed.Outcome, c.Completed.To, c.Completed.Reason, c.Completed.Refund
		if f := c.Completed.Failure; f != nil {
			a.Signature, a.Evidence = f.Signature, f.Evidence
		}
	case c.Moved != nil && running && c.Moved.To != a.Node:
		a.Ended, a.Outcome, a.To, a.Reason = ev.At, "moved", c.Moved.To, "a human's word"
	case c.Paused != nil:
		a.Pauses = append(a.Pauses, Pause{At: ev.At, Reason: c.Paused.Reason, Ask: c.Paused.Ask})
	case c.Resumed != nil && len(a.Pauses) > 0:
		a.Pauses[len(a.Pauses)-1].Resumed = ev.At
	case c.Ended != nil:
		if running {
			a.Ended, a.Outcome, a.Reason = ev.At, c.Ended.Status, c.Ended.Reason
		}
		for i := range h.asks {
			if h.asks[i].Open {
				h.asks[i].Open, h.asks[i].Because, h.asks[i].ClosedAt = false, "the delivery ended", ev.At
			}
		}
	}
}

func (h *history) question(ev ledger.Event, c state.Change) {
	if a := c.Asked; a != nil {
		h.asks = append(h.asks, Ask{
			ID: a.ID, Kind: a.Kind, Question: a.Question, About: a.About, Tried: a.Tried, Options: strs(a.Options), At: ev.At, Open: true,
		})
		if a.Kind == state.AskApproval {
			h.shown = append(h.shown, h.plan)
		}
		return
	}
	id := ""
	if c.Closed != nil {
		id = c.Closed.Ask
	} else {
		id = c.Analysed.Ask
	}
	i := slices.IndexFunc(h.asks, func(a Ask) bool { return a.ID == id })
	if i < 0 {
		return
	}
	if c.Analysed != nil {
		h.asks[i].About = c.Analysed.About
		return
	}
	a := &h.asks[i]
	a.Open, a.Answer, a.Channel, a.Because, a.ClosedAt = false, c.Closed.Answer, c.Closed.Channel, c.Closed.Because, ev.At
}

func (h *history) approved(ev ledger.Event, a state.Approval) {
	h.approvals = append(h.approvals, Approval{
		Kind: state.AskApproval, About: fmt.Sprintf("plan revision %d", h.revision), Digest: a.Digest, Channel: a.Channel, By: ev.By, At: ev.At, Evidence: a.Record,
	})
}

func (h *history) confirmed(ev ledger.Event, c state.Confirmed) {
	in := h.intents[c.Intent]
	about := in.Kind
	switch in.Kind {
	case "pr":
		about = fmt.Sprintf("pull request %q of %s at %.12s", in.Title, in.Branch, in.Head)
	case "reply", "work-item":
		about = in.Kind + " " + in.Target
	}
	h.approvals = append(h.approvals, Approval{Kind: state.AskConfirmation, About: about, Digest: in.Digest, Channel: c.Channel, By: ev.By, At: ev.At})
}

func (h *history) reviewed(c state.Reviewed) {
	review := c.Review.Record
	for _, id := range c.Resolved {
		if i := slices.IndexFunc(h.findings, func(f Finding) bool { return f.ID == id }); i >= 0 {
			h.findings[i].Resolved = review
		}
	}
	for _, f := range c.Opened {
		h.findings = append(h.findings, Finding{ID: f.ID, Kind: f.Kind, Severity: f.Severity, Path: f.Path, Line: f.Line, Title: f.Title, Review: review})
	}
}

// strs returns a list that encodes as [] when it is empty.
func strs(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
