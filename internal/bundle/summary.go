package bundle

import (
	"slices"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/state"
)

// Summary gathers from the changes of a ledger what a predicate lists. The zero Summary
// is that of an empty ledger.
type Summary struct {
	Evidence  []evidence.Record
	Approvals []state.Approval
	Findings  []Finding
	Failures  []state.Failure
	Waivers   []state.Waived
	Bypasses  []state.Bypass
	Documents []string // digests, each once
	Outputs   []string // digests of what runs and reads printed, each once
}

// Add takes the changes of the event with this sequence number.
func (s *Summary) Add(seq int64, changes []state.Change) {
	for _, c := range changes {
		switch {
		case c.Started != nil:
			s.document(c.Started.Delivery.Graph, c.Started.Delivery.Item)
		case c.Documented != nil:
			s.document(c.Documented.Digest)
		case c.Recorded != nil:
			r := *c.Recorded
			r.Seq = seq
			s.Evidence = append(s.Evidence, r)
			if r.Kind.IsReview() {
				s.document(r.Path)
			} else if canon.IsHash(r.Path) && !slices.Contains(s.Outputs, r.Path) {
				s.Outputs = append(s.Outputs, r.Path)
			}
		case c.Approved != nil:
			s.Approvals = append(s.Approvals, *c.Approved)
		case c.Reviewed != nil:
			s.reviewed(*c.Reviewed)
		case c.Completed != nil && c.Completed.Failure != nil:
			s.Failures = append(s.Failures, *c.Completed.Failure)
		case c.Waived != nil:
			s.Waivers = append(s.Waivers, *c.Waived)
		case c.Bypassed != nil:
			s.Bypasses = append(s.Bypasses, *c.Bypassed)
		}
	}
}

func (s *Summary) document(digests ...string) {
	for _, d := range digests {
		if canon.IsHash(d) && !slices.Contains(s.Documents, d) {
			s.Documents = append(s.Documents, d)
		}
	}
}

func (s *Summary) reviewed(r state.Reviewed) {
	for i, f := range s.Findings {
		if slices.Contains(r.Resolved, f.ID) {
			s.Findings[i].Open = false
		}
	}
	for _, f := range r.Opened {
		s.Findings = append(s.Findings, Finding{Finding: f, Open: true})
	}
}

// Fill puts what was gathered, and what the fold of the same ledger holds, into a
// predicate. Lists are never null.
func (s *Summary) Fill(p *Predicate, fold *state.State) {
	d := fold.Delivery
	p.Delivery = Delivery{
		ID: d.ID, Goal: d.Goal, GoalBy: d.GoalBy, Source: d.Source, Provider: d.Provider, Base: d.Base, Branch: fold.Branch,
		AutoPR: d.AutoPR, StartedAt: d.StartedAt, Status: d.Status, Node: fold.Node,
	}
	p.Graph = d.Graph
	p.Plan = Plan{Digest: fold.Docs[state.DocPlan], Revision: fold.PlanRevision}
	p.World.Plan, p.World.Spec = fold.Docs[state.DocPlan], fold.Docs[state.DocSpec]
	p.Criteria = []Criterion{}
	for _, c := range fold.Criteria {
		p.Criteria = append(p.Criteria, Criterion{
			ID: c.ID, Hardness: c.Hardness, Digest: c.Digest, Verdict: c.Verdict.Value, Channel: c.Verdict.Channel,
			Evidence: whole(c.Verdict.Evidence), Tree: c.Verdict.World.Tree,
		})
	}
	p.Evidence, p.Approvals, p.Findings = whole(s.Evidence), whole(s.Approvals), whole(s.Findings)
	p.Failures, p.Waivers, p.Bypasses = whole(s.Failures), whole(s.Waivers), whole(s.Bypasses)
}

// whole returns an empty list for nil, so that JSON has no null.
func whole[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
