package bundle_test

import (
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/state"
)

const (
	commit = "0123456789abcdef0123456789abcdef01234567"
	tree   = "89abcdef0123456789abcdef0123456789abcdef"
)

// sample is a statement in which every list has something in it.
func sample(t testing.TB) bundle.Statement {
	t.Helper()
	at := time.Date(2026, 3, 4, 12, 0, 0, 500, time.UTC)
	exit := 0
	text := "one event\nanother\n"
	l, err := bundle.Pack(strings.NewReader(text), 2, canon.Hash([]byte("head")))
	if err != nil {
		t.Fatal(err)
	}
	doc, out := []byte(`{"version":1}`), []byte("ok <b>\u2028 & 100 %\n")
	return bundle.Statement{
		Type: bundle.StatementType, PredicateType: bundle.PredicateType,
		Subject: []bundle.Subject{{Name: "work/<ü>", Digest: map[string]string{bundle.CommitDigest: commit}}},
		Predicate: bundle.Predicate{
			Delivery: bundle.Delivery{ID: "d-1", Goal: "make it \"good\" \u0007 €", GoalBy: "client", Provider: "local", Base: "main", StartedAt: at, Status: "active", Node: "test"},
			Graph:    canon.Hash(doc),
			World:    bundle.World{Tree: tree, Base: commit, Config: canon.Hash(nil)},
			Criteria: []bundle.Criterion{{ID: "AC-1", Hardness: "HARD", Digest: canon.Hash(nil), Verdict: "pass", Channel: "agent", Evidence: []string{"E1"}, Tree: tree}},
			Evidence: []evidence.Record{{
				ID: "E1", Seq: 7, Counts: true, Kind: evidence.UnitTest, Gate: "unit", Node: "test", Attempt: 1, Result: evidence.Pass, Summary: "1 test",
				Witness: evidence.Executed, Argv: []string{"go", "test"}, Exit: &exit, Tests: &evidence.Tests{Runner: "go", Unit: "test", Passed: 1, Known: true},
				Path: canon.Hash(out), By: evidence.By{Channel: "agent"}, World: evidence.World{Tree: tree}, At: at,
			}},
			Approvals: []state.Approval{{Digest: canon.Hash(nil), Base: "main", Tree: tree, Channel: "client", Record: "E1"}},
			Plan:      bundle.Plan{Digest: canon.Hash(doc), Revision: 1},
			Findings:  []bundle.Finding{{Finding: state.Finding{ID: "F1", Kind: "code-review", Severity: "Low", Path: "a.go", Title: "t", Tree: tree}, Open: true}},
			Failures:  []state.Failure{{Node: "test", Attempt: 1, Signature: "s", Tree: tree}},
			Waivers:   []state.Waived{{Kind: "scan", Because: "none"}},
			Bypasses:  []state.Bypass{{ID: "B1", Rule: "push", Reason: "r", Channel: "terminal", At: at, Until: at.Add(time.Minute)}},
			Ledger:    l,
			Documents: map[string][]byte{canon.Hash(doc): doc, canon.Hash(nil): {}},
			Outputs:   map[string][]byte{canon.Hash(out): out},
			LeftOut:   []bundle.LeftOut{{Digest: canon.Hash([]byte("x")), Bytes: 1, Because: "large"}},
			Trees:     map[string][]byte{tree: {0, 1, 0xff}},
			Tools:     map[string]string{"go": "go1.26"},
		},
	}
}

func encoded(t testing.TB, s bundle.Statement) string {
	t.Helper()
	payload, err := bundle.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(payload)
}
