package evidence_test

import (
	"testing"

	"github.com/asterweave/asterweave/internal/evidence"
)

// TestKindsBelongToOneFamily: a record comes from a run, a reviewer, a read, or from
// what the binary validates; never from two of them.
func TestKindsBelongToOneFamily(t *testing.T) {
	seen := map[evidence.Kind]bool{}
	for _, k := range evidence.Kinds() {
		if seen[k] {
			t.Errorf("%s is there twice", k)
		}
		seen[k] = true
		families := 0
		for _, in := range []bool{k.IsGate(), k.IsReview()} {
			if in {
				families++
			}
		}
		if families > 1 || k.IsTest() && !k.IsGate() {
			t.Errorf("%s belongs to %d families, test %v", k, families, k.IsTest())
		}
	}
	if len(seen) != 21 || len(evidence.Results()) != 4 {
		t.Errorf("%d kinds, %d results", len(seen), len(evidence.Results()))
	}
}

func TestHumansHaveTheirChannels(t *testing.T) {
	for channel, want := range map[string]bool{
		evidence.ChannelClient: true, evidence.ChannelTerminal: true, evidence.ChannelProvider: true,
		"agent": false, "cli": false, "hook": false, "": false, "Client": false, "auto-pr": false,
	} {
		if got := (evidence.By{Channel: channel, Identity: "dev"}).IsHuman(); got != want {
			t.Errorf("%q: %v", channel, got)
		}
	}
}

func TestKey(t *testing.T) {
	for want, r := range map[string]evidence.Record{
		"task":                {Kind: evidence.Task},
		"unit-test/unit":      {Kind: evidence.UnitTest, Gate: "unit"},
		"unit-test/unit@base": {Kind: evidence.UnitTest, Gate: "unit", Base: true},
		"note@base":           {Kind: evidence.Note, Base: true},
	} {
		if got := r.Key(); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

func TestExecuted(t *testing.T) {
	if n := (evidence.Tests{Passed: 2, Failed: 1, Skipped: 4}).Executed(); n != 3 {
		t.Errorf("%d executed", n)
	}
}
