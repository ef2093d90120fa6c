package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/asterweave/asterweave/internal/audit"
	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/state"
)

// lookChain holds that the ledger is whole: its bytes, each line, and the chain up to
// the head that the bundle names.
func (j *job) lookChain(context.Context) Check {
	if j.says == nil {
		return waits(CheckBundle)
	}
	l := j.says.Predicate.Ledger
	in, err := l.Unpack()
	if err != nil {
		return shut("export it anew", "%v", err)
	}
	report, err := audit.Read(in, audit.Options{MaxProblems: 1})
	switch {
	case err != nil:
		return shut("export it anew", "%v", err)
	case report.Damaged():
		return shut("verify shows where, on the machine that it was made on", "the ledger is damaged: %s", report.Problems[0])
	case report.Torn > 0:
		return shut("export it anew", "the ledger ends in %d bytes that are no event", report.Torn)
	case report.Events != l.Events || report.Head != l.Head:
		return shut("export it anew", "the ledger has %d events and the head %.12s, and the bundle says %d and %.12s", report.Events, report.Head, l.Events, l.Head)
	}
	j.verdict.Ledger = Ledger{Events: report.Events, Head: report.Head}
	return open("%d events, head %s", report.Events, report.Head)
}

// document returns a document of the bundle.
func (j *job) document(digest string) ([]byte, bool) {
	b, ok := j.says.Predicate.Documents[digest]
	return b, ok
}

// lookWalk holds that the ledger is a legal walk of a graph that this version has, up to
// where a pull request is due. The walk is the independent one.
func (j *job) lookWalk(ctx context.Context) Check {
	if j.verdict.Ledger.Events == 0 {
		return waits(CheckChain)
	}
	p := j.says.Predicate
	b, ok := j.document(p.Graph)
	if !ok {
		return shut("export it anew", "the graph %.12s that it names is not in the bundle", p.Graph)
	}
	if p.Graph != canon.Hash(graph.Embedded()) {
		return shut("use the version of asterweave-state that the delivery was made with", "it runs on the graph %.12s, which is not that of this version", p.Graph)
	}
	walk, err := audit.NewWalk(b, j.document)
	if err != nil {
		return shut("", "%v", err)
	}
	if c := j.scan(ctx, func(e audit.Event) error { return walk.Step(e) }); c.State != Open {
		return c
	}
	g, err := graph.Parse(b)
	if err != nil {
		return shut("", "%v", err)
	}
	for _, n := range g.Nodes {
		if n.Name == graph.SubmitPR {
			break
		}
		if !walk.Passed(n.Name) {
			return shut("go on with the delivery until "+graph.SubmitPR+", then export it anew", "%s has not passed", n.Name)
		}
	}
	if walk.Ended() == state.Aborted {
		return shut("", "the delivery was aborted")
	}
	return open("every node before %s has passed", graph.SubmitPR)
}

// scan goes through the ledger once more.
func (j *job) scan(ctx context.Context, each func(audit.Event) error) Check {
	in, err := j.says.Predicate.Ledger.Unpack()
	if err == nil {
		var report audit.Report
		report, err = audit.Read(in, audit.Options{MaxProblems: 1, Each: func(e audit.Event) error { return errors.Join(ctx.Err(), each(e)) }})
		if err == nil && report.Damaged() {
			return shut("", "%s", report.Problems[0])
		}
	}
	if err != nil {
		return shut("export it anew", "%v", err)
	}
	return open("")
}

// anchored says why a ledger that was anchored elsewhere is not the beginning of the
// bundle's, or is nil.
func (j *job) anchored(ctx context.Context, a bundle.Anchor) error {
	if last := j.verdict.Ledger.Events; a.Events < 1 || a.Events > last {
		return fmt.Errorf("it speaks of %d events, and the bundle has %d", a.Events, last)
	}
	found := ""
	if c := j.scan(ctx, func(e audit.Event) error {
		if e.Seq == a.Events {
			found = e.Hash
		}
		return nil
	}); c.State != Open {
		return errors.New(c.Reason)
	}
	if found != a.Head {
		return fmt.Errorf("event %d has the hash %.12s there and %.12s in the bundle", a.Events, a.Head, found)
	}
	return nil
}

// lookSummary holds that the fold of the ledger is what its events say, and that what
// the bundle lists follows from it.
func (j *job) lookSummary(ctx context.Context) Check {
	if j.verdict.Ledger.Events == 0 {
		return waits(CheckChain)
	}
	fold := state.New()
	var sum bundle.Summary
	if c := j.scan(ctx, func(e audit.Event) error {
		if e.Type == ledger.Recovered {
			return nil
		}
		changes, err := state.Decode(e.Data)
		if err == nil {
			err = j.noteApproval(fold, changes)
		}
		if err == nil {
			err = state.Fold(fold, state.Entry{Seq: e.Seq, At: e.At, Changes: changes})
		}
		if err != nil {
			return err
		}
		sum.Add(e.Seq, changes)
		if e.Type == "tool" || e.Type == "next" {
			return nil // many, and none of them moves the delivery; the next one's digest covers them
		}
		digest, _, err := fold.Digest()
		if err == nil && digest != e.State {
			err = errors.New("its state is not the fold of the events up to it")
		}
		return err
	}); c.State != Open {
		return c
	}
	follows := bundle.Predicate{World: j.says.Predicate.World}
	sum.Fill(&follows, fold)
	if differs := differs(follows, j.says.Predicate); differs != "" {
		return shut("export it anew", "what the bundle lists under %q does not follow from its ledger", differs)
	}
	for _, d := range sum.Documents {
		if _, ok := j.document(d); !ok {
			return shut("export it anew", "the document %.12s is not in the bundle", d)
		}
	}
	j.fold = fold
	return open("%d records, %d criteria, %d approvals follow from the ledger", len(sum.Evidence), len(follows.Criteria), len(sum.Approvals))
}

// noteApproval computes the digest of what was approved, from what was there before.
func (j *job) noteApproval(before *state.State, changes []state.Change) error {
	for _, c := range changes {
		if c.Approved == nil {
			continue
		}
		facts := &gate.Facts{World: evidence.World{Config: c.Approved.Config}}
		digest, err := (&decide.Draft{View: gate.View{State: before, Facts: facts}}).ApprovalDigest()
		if err != nil {
			return err
		}
		j.approved = digest
	}
	return nil
}

// differs names the first list that is not the same in both.
func differs(a, b bundle.Predicate) string {
	for _, f := range []struct {
		name string
		a, b any
	}{
		{"delivery", a.Delivery, b.Delivery},
		{"graph", a.Graph, b.Graph},
		{"world", a.World, b.World},
		{"criteria", a.Criteria, b.Criteria},
		{"evidence", a.Evidence, b.Evidence},
		{"approvals", a.Approvals, b.Approvals},
		{"plan", a.Plan, b.Plan},
		{"findings", a.Findings, b.Findings},
		{"failures", a.Failures, b.Failures},
		{"waivers", a.Waivers, b.Waivers},
		{"bypasses", a.Bypasses, b.Bypasses},
	} {
		x, xerr := json.Marshal(f.a)
		y, yerr := json.Marshal(f.b)
		if xerr != nil || yerr != nil || !bytes.Equal(x, y) {
			return f.name
		}
	}
	return ""
}

// Ledger is where the bundle's ledger ends.
type Ledger struct {
	Events int64  `json:"events"`
	Head   string `json:"head"`
}
