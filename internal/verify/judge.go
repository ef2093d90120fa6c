package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/state"
)

// against collects what keeps a check from being open.
type against struct{ shut, unknown []string }

func (a *against) add(why string, unknown bool) {
	if unknown {
		a.unknown = append(a.unknown, why)
		return
	}
	a.shut = append(a.shut, why)
}

func (a *against) check(next string, good Check) Check {
	switch {
	case len(a.shut) > 0:
		return shut(next, "%s", strings.Join(a.shut, "; "))
	case len(a.unknown) > 0:
		return unknown(next, "%s", strings.Join(a.unknown, "; "))
	}
	return good
}

// isUnknown reports whether a need is shut because something could not be found out.
func isUnknown(n gate.Need) bool { return strings.HasPrefix(n.Why, "unknown: ") }

// lookEvidence holds that every kind that is due before a pull request is there, passes
// and is about this tree.
func (j *job) lookEvidence(context.Context) Check {
	if j.view == nil {
		return waits(CheckBase)
	}
	var bad against
	seen := 0
	for _, n := range j.view.Graph.Nodes {
		if n.Name == graph.SubmitPR {
			break
		}
		for _, need := range j.view.Needs(n) {
			rule, _ := j.view.Graph.Rule(need.Kind)
			switch {
			case need.Open():
				seen++
			case n.Name == graph.Approve, need.Kind == evidence.Acceptance: // have checks of their own
			case need.Gate == "" && need.Kind.IsGate() && need.State != gate.Missing: // another gate stands for it, and is judged itself
			case rule.Ends == "base" && need.State == gate.Stale: // what analyze saw ends with the base, and is made anew by a plan
			default:
				bad.add(fmt.Sprintf("%s is %s: %s", need.Name(), need.State, need.Why), isUnknown(need))
			}
		}
	}
	for _, g := range j.view.Gates() {
		r := j.view.State.Slots[evidence.Record{Kind: evidence.Kind(g.Kind), Gate: g.ID}.Key()].Counts
		if r != nil && len(g.Argv) > 0 && !slices.Equal(r.Argv, g.Argv) {
			bad.add(fmt.Sprintf("%s ran %q and the gate %s is %q", r.ID, r.Argv, g.ID, g.Argv), false)
		}
	}
	return bad.check("run what is not current again (refresh), then export it anew", open("%d kinds and gates are current", seen))
}

// lookScope holds the real difference from the base against the approved scope.
func (j *job) lookScope(ctx context.Context) Check {
	if j.view == nil || j.view.Facts.Plan == nil {
		return waits(CheckBase)
	}
	changes, err := j.objects.Changed(ctx, j.merge, j.head)
	if err != nil {
		return unknown(fullHistory, "what the pull request changes cannot be read: %v", err)
	}
	var outside []string
	for _, c := range changes {
		if !j.view.Facts.Plan.Scope.Allows(c.Path) {
			outside = append(outside, c.Path)
		}
	}
	switch {
	case len(changes) == 0:
		return shut("", "the pull request changes nothing")
	case len(outside) > 0:
		return shut("take these changes out, or widen the scope by a plan that a human approves", "outside of the approved scope: %s", some(outside))
	}
	return open("%d changed paths, all in the approved scope", len(changes))
}

// some names the first of many.
func some(list []string) string {
	const most = 10
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

// lookCriteria holds that every criterion has a verdict about this tree.
func (j *job) lookCriteria(context.Context) Check {
	if j.view == nil {
		return waits(CheckBase)
	}
	if because, ok := j.view.Waivers()[string(evidence.Acceptance)]; ok {
		return unknown("let a person say whether that is fine", "a human waived the verdicts: %s", because)
	}
	var bad against
	if len(j.fold.Criteria) == 0 {
		bad.add("there are no criteria", false)
	}
	soft := 0
	for _, c := range j.fold.Criteria {
		verdict, why := j.view.Verdict(c)
		switch {
		case verdict == gate.VerdictPass:
		case verdict == gate.VerdictFail && c.Hardness != document.Hard:
			soft++
		case verdict == gate.VerdictFail:
			bad.add(c.ID+" is HARD and fails", false)
		default:
			bad.add(fmt.Sprintf("%s has no verdict about this tree: %s", c.ID, why), strings.HasPrefix(why, "unknown: "))
		}
	}
	good := open("%d criteria are judged", len(j.fold.Criteria))
	if soft > 0 {
		good = open("%d criteria are judged, of which %d are SOFT and fail", len(j.fold.Criteria), soft)
	}
	return bad.check("judge them on the tree as it is, then export it anew", good)
}

// lookApproval holds that a human approved just this plan, through a channel that the
// base branch accepts.
func (j *job) lookApproval(context.Context) Check {
	if j.view == nil {
		return waits(CheckBase)
	}
	a := j.fold.Approval
	if a == nil {
		return shut("let a human approve the plan", "nobody approved the plan")
	}
	if a.Plan != j.fold.Docs[state.DocPlan] || a.Spec != j.fold.Docs[state.DocSpec] {
		return shut("let a human approve the plan in force", "the approval is about another plan, or other criteria")
	}
	switch {
	case j.view.Facts.World.Config != a.Config:
		return shut("let a human approve the plan again", "the repository's configuration changed since the approval")
	case j.approved != a.Digest:
		return shut("let a human approve the plan", "the approval bears the digest %.12s, and what it is said to be about has %.12s", a.Digest, j.approved)
	}
	accepted := j.policy.Approvals
	if len(accepted) > 0 && !slices.Contains(accepted, a.Channel) {
		return shut("let a human approve through "+strings.Join(accepted, " or "), "the approval came through %q, and the base branch accepts %s", a.Channel, strings.Join(accepted, ", "))
	}
	node, _ := j.view.Graph.Node(graph.Approve)
	var bad against
	for _, need := range j.view.Shut(node) {
		bad.add(fmt.Sprintf("%s is %s: %s", need.Name(), need.State, need.Why), isUnknown(need))
	}
	return bad.check("let a human approve the plan again", open("plan revision %d, digest %.12s, through %s", j.fold.PlanRevision, a.Digest, a.Channel))
}

// lookBypass shows what humans let through: whether that is fine is not ours to say.
func (j *job) lookBypass(context.Context) Check {
	if j.fold == nil {
		return waits(CheckSummary)
	}
	var through []string
	for _, b := range j.says.Predicate.Bypasses {
		through = append(through, fmt.Sprintf("%s: what the guard's rule %s stops, through %s: %s", b.ID, b.Rule, b.Channel, b.Reason))
	}
	for _, w := range j.says.Predicate.Waivers {
		through = append(through, fmt.Sprintf("the evidence of %s, by a human's word: %s", w.Kind, w.Because))
	}
	if len(through) > 0 {
		return unknown("let a person say whether that is fine", "a human let through %s", strings.Join(through, "; "))
	}
	return open("nothing was let through")
}
