package engine_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/export"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/schema"
	"github.com/asterweave/asterweave/internal/state"
)

// TestADeliveryAsABundle: what is exported is what the schema and docs/bundle.md say, holds
// the ledger whole, and says nothing that does not follow from it.
func TestADeliveryAsABundle(t *testing.T) {
	p := newPlace(t)
	p.toImplement()
	p.complete("fail-retryable")
	p.enter("it was the other line")
	p.toSubmit("good")
	for _, outputs := range []bool{false, true} {
		s, err := export.Statement(t.Context(), p.engine(), export.Request{Outputs: outputs, Version: "1.2.3"})
		p.ok(err)
		payload, err := bundle.Encode(s)
		p.ok(err)
		if err := schema.New().Validate(schema.Bundle, payload); err != nil {
			t.Error(err)
		}
		back, err := bundle.Decode(payload)
		p.ok(err)
		if d := cmp.Diff(s, back, cmpopts.EquateEmpty()); d != "" {
			t.Error(d)
		}
		if back.Commit() != p.git("rev-parse", "HEAD") || back.Predicate.World.Tree != p.git("rev-parse", "HEAD^{tree}") ||
			back.Predicate.World.Base != p.git("merge-base", "HEAD", "main") || back.Subject[0].Name != "work" {
			t.Errorf("%+v %+v", back.Subject, back.Predicate.World)
		}
		p.follows(back)
		q := back.Predicate
		if len(q.Approvals) != 1 || len(q.Criteria) != 1 || q.Criteria[0].Verdict != "pass" || len(q.Failures) != 1 || q.Plan.Revision != 1 || q.Tools["asterweave-state"] != "1.2.3" {
			t.Errorf("%+v", q)
		}
		if outputs != (len(q.Outputs) > 0) || outputs != (len(q.LeftOut) == 0) {
			t.Errorf("%d outputs, %+v left out", len(q.Outputs), q.LeftOut)
		}
	}
}

// follows reads the ledger out of the bundle, and holds the lists against it.
func (p *place) follows(s bundle.Statement) {
	p.t.Helper()
	r, err := s.Predicate.Ledger.Unpack()
	p.ok(err)
	text, err := io.ReadAll(r)
	p.ok(err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	last := lines[len(lines)-1]
	if int64(len(lines)) != s.Predicate.Ledger.Events || !strings.Contains(last, `"hash":"`+s.Predicate.Ledger.Head+`"}`) {
		p.t.Errorf("%d lines, %+v", len(lines), s.Predicate.Ledger)
	}
	fold, err := p.engine().Peek()
	p.ok(err)
	var sum bundle.Summary
	for _, line := range lines {
		var ev struct {
			Seq  int64
			Type string
			Data json.RawMessage
		}
		p.ok(json.Unmarshal([]byte(line), &ev))
		changes, err := state.Decode(ev.Data)
		p.ok(err)
		sum.Add(ev.Seq, changes)
	}
	want := s
	sum.Fill(&want.Predicate, fold)
	if d := cmp.Diff(want, s, cmpopts.EquateEmpty()); d != "" {
		p.t.Error(d)
	}
	named := map[string]bool{}
	for _, d := range sum.Documents {
		if _, there := s.Predicate.Documents[d]; !there {
			p.t.Errorf("the document %s is not there", d)
		}
	}
	for d := range s.Predicate.Outputs {
		named[d] = true
	}
	for _, l := range s.Predicate.LeftOut {
		named[l.Digest] = true
	}
	for _, r := range s.Predicate.Evidence {
		if _, document := s.Predicate.Documents[r.Path]; canon.IsHash(r.Path) && !document && !named[r.Path] {
			p.t.Errorf("%s: what it printed is neither there nor left out", r.ID)
		}
	}
	if _, there := s.Predicate.Documents[s.Predicate.Graph]; !there || s.Predicate.Graph != canon.Hash(graph.Embedded()) {
		p.t.Error("the graph is not there")
	}
}

// TestNoBundleOfAnotherTree: a bundle is about a commit, and what differs from it has
// none.
func TestNoBundleOfAnotherTree(t *testing.T) {
	p := newPlace(t)
	p.toImplement()
	p.write("notes.txt", "not committed\n")
	_, err := export.Statement(t.Context(), p.engine(), export.Request{})
	var shut *problem.Error
	if !errors.As(err, &shut) || shut.Code != problem.GateShut || !strings.Contains(err.Error(), "differs from the head") {
		t.Error(err)
	}
}
