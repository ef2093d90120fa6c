package verify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
)

// Who names a gate.
const (
	FromBase = "base"      // the configuration of the base branch
	FromPlan = "plan only" // the approved plan and nobody else: the model proposed it
)

// Rerun is a gate that was run again.
type Rerun struct {
	Gate   string          `json:"gate"`
	Kind   string          `json:"kind"`
	From   string          `json:"from"` // base, plan only
	State  string          `json:"state"`
	Reason string          `json:"reason"`
	Exit   *int            `json:"exit,omitempty"`
	Tests  *evidence.Tests `json:"tests,omitempty"`
}

// lookRerun runs the gates of the base's configuration and of the approved plan in a
// clean checkout, in an environment without secrets, and compares.
func (j *job) lookRerun(ctx context.Context) Check {
	if j.view == nil || j.view.Facts.Plan == nil {
		return waits(CheckBase)
	}
	parent, err := os.MkdirTemp("", "asterweave-rerun-")
	if err != nil {
		return unknown("", "there is no room for a checkout: %v", err)
	}
	defer func() { _ = os.RemoveAll(parent) }() // what stays behind is the system's to clean
	dir := filepath.Join(parent, filepath.Base(j.o.Root))
	if _, err := j.repo.CheckoutAt(ctx, j.head, dir); err != nil {
		return unknown("", "the head cannot be checked out once more: %v", err)
	}
	for _, g := range j.policy.Gates {
		j.verdict.Rerun = append(j.verdict.Rerun, j.again(ctx, dir, g, FromBase))
	}
	for _, g := range j.view.Facts.Plan.Gates {
		named := func(c document.Gate) bool { return c.ID == g.ID }
		if !slices.ContainsFunc(j.policy.Gates, named) { // the base's word is the one that counts
			j.verdict.Rerun = append(j.verdict.Rerun, j.again(ctx, dir, g, FromPlan))
		}
	}
	var bad against
	only := 0
	for _, r := range j.verdict.Rerun {
		if r.State != Open {
			bad.add(fmt.Sprintf("%s (%s): %s", r.Gate, r.From, r.Reason), r.State == Unknown)
		}
		if r.From == FromPlan {
			only++
		}
	}
	if len(j.verdict.Rerun) == 0 {
		return unknown("name gates in "+document.ConfigPath+" on the base branch", "there is no gate to run")
	}
	return bad.check("run the gate in a clean clone to see what it prints, mend it and export anew",
		open("%d gates ran again and ended as recorded; %d of them only the plan names", len(j.verdict.Rerun), only))
}

// again runs one gate and compares it with its record.
func (j *job) again(ctx context.Context, dir string, g document.Gate, from string) Rerun {
	out := j.engine.CleanGate(j.view.Facts)(ctx, dir, g)
	r := Rerun{Gate: g.ID, Kind: g.Kind, From: from, State: Shut, Exit: out.Exit, Tests: out.Tests}
	was := j.fold.Slots[evidence.Record{Kind: evidence.Kind(g.Kind), Gate: g.ID}.Key()].Counts
	switch {
	case out.Result == evidence.Unknown, out.Exit == nil:
		r.State, r.Reason = Unknown, out.Summary
	case out.Result != evidence.Pass:
		r.Reason = "it fails here: " + out.Summary
	case was == nil:
		r.State, r.Reason = Open, "it passes; the delivery has no record of it"
	case was.Exit == nil || *was.Exit != *out.Exit:
		r.Reason = fmt.Sprintf("it ended with status %d here, which is not what %s says", *out.Exit, was.ID)
	default:
		r.State, r.Reason = otherCounts(was, out.Tests)
	}
	return r
}

// otherCounts compares how many tests passed and failed.
func otherCounts(was *evidence.Record, now *evidence.Tests) (state, reason string) {
	switch then := was.Tests; {
	case then == nil && now == nil, then != nil && now != nil && !then.Known && !now.Known:
		return Open, "it passes, as " + was.ID + " says"
	case then == nil || now == nil || then.Known != now.Known || then.Runner != now.Runner || then.Unit != now.Unit:
		return Unknown, "its tests cannot be compared with those of " + was.ID
	case then.Passed != now.Passed || then.Failed != now.Failed:
		return Shut, fmt.Sprintf("%d passed and %d failed here, and %s says %d and %d", now.Passed, now.Failed, was.ID, then.Passed, then.Failed)
	}
	return Open, fmt.Sprintf("%d passed, as %s says", now.Passed, was.ID)
}
