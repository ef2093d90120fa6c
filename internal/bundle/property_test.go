package bundle_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"pgregory.net/rapid"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/state"
)

// drawn has any text, number and time in the places where a statement has them.
func drawn(t *rapid.T) bundle.Statement {
	text := rapid.String()
	hash := rapid.Map(text, func(s string) string { return canon.Hash([]byte(s)) })
	number := rapid.Int64Range(-(1<<53)+1, 1<<53-1)
	at := rapid.Map(rapid.Int64Range(0, 1<<62), func(n int64) time.Time { return time.Unix(0, n).UTC() })
	blobs := rapid.Map(rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 0, 3), func(list [][]byte) map[string][]byte {
		m := map[string][]byte{}
		for _, b := range list {
			b = append([]byte{}, b...)
			m[canon.Hash(b)] = b
		}
		return m
	})
	record := rapid.Custom(func(t *rapid.T) evidence.Record {
		r := evidence.Record{
			ID: text.Draw(t, "id"), Seq: number.Draw(t, "seq"), Kind: evidence.Kind(text.Draw(t, "kind")), Summary: text.Draw(t, "summary"),
			Argv: rapid.SliceOf(text).Draw(t, "argv"), World: evidence.World{Tree: text.Draw(t, "tree")}, At: at.Draw(t, "at"), DurationMs: number.Draw(t, "took"),
		}
		if rapid.Bool().Draw(t, "ended") {
			exit := int(number.Draw(t, "exit"))
			r.Exit = &exit
			r.Tests = &evidence.Tests{Runner: text.Draw(t, "runner"), Passed: exit}
		}
		return r
	})
	lines := strings.Repeat(text.Draw(t, "ledger")+"\n", rapid.IntRange(0, 3).Draw(t, "lines"))
	l, err := bundle.Pack(strings.NewReader(lines), number.Draw(t, "events"), hash.Draw(t, "head"))
	if err != nil {
		t.Fatal(err)
	}
	digits := rapid.SampledFrom([]int{40, 64}).Draw(t, "digits")
	return bundle.Statement{
		Type: bundle.StatementType, PredicateType: bundle.PredicateType,
		Subject: []bundle.Subject{{Name: text.Draw(t, "name"), Digest: map[string]string{bundle.CommitDigest: hash.Draw(t, "commit")[:digits]}}},
		Predicate: bundle.Predicate{
			Delivery:  bundle.Delivery{Goal: text.Draw(t, "goal"), StartedAt: at.Draw(t, "started"), AutoPR: rapid.Bool().Draw(t, "auto")},
			Criteria:  []bundle.Criterion{{ID: text.Draw(t, "criterion"), Evidence: append([]string{}, rapid.SliceOf(text).Draw(t, "rests on")...)}},
			Evidence:  append([]evidence.Record{}, rapid.SliceOfN(record, 0, 3).Draw(t, "records")...),
			Findings:  []bundle.Finding{{Finding: state.Finding{Line: int(number.Draw(t, "line"))}, Open: rapid.Bool().Draw(t, "open")}},
			Approvals: []state.Approval{}, Failures: []state.Failure{}, Waivers: []state.Waived{{Because: text.Draw(t, "because")}},
			Bypasses: []state.Bypass{{At: at.Draw(t, "from"), Until: at.Draw(t, "until")}}, Ledger: l,
			Documents: blobs.Draw(t, "documents"), Outputs: blobs.Draw(t, "outputs"), LeftOut: []bundle.LeftOut{}, Trees: blobs.Draw(t, "trees"),
			Tools: rapid.MapOf(text, text).Draw(t, "tools"),
		},
	}
}

// TestEncodeThenDecodeIsTheIdentity, and so is Wrap then Open.
func TestEncodeThenDecodeIsTheIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawn(t)
		payload, err := bundle.Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		signature := dsse.Signature{KeyID: rapid.String().Draw(t, "keyid"), Sig: rapid.String().Draw(t, "sig")}
		line, err := bundle.Wrap(payload, signature)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := bundle.Open(line)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(bundle.Signed{Payload: payload, Signatures: []dsse.Signature{signature}}, opened); d != "" {
			t.Fatal(d)
		}
		got, err := bundle.Decode(opened.Payload)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	})
}

// TestOneByteMakesAnotherStatementOrNone: no byte of a payload can change without the
// statement changing, or ending to be one.
func TestOneByteMakesAnotherStatementOrNone(t *testing.T) {
	want := sample(t)
	payload := []byte(encoded(t, want))
	rapid.Check(t, func(t *rapid.T) {
		b := append([]byte{}, payload...)
		i := rapid.IntRange(0, len(b)-1).Draw(t, "at")
		b[i] ^= rapid.ByteRange(1, 255).Draw(t, "bits")
		if got, err := bundle.Decode(b); err == nil && cmp.Equal(want, got, cmpopts.EquateEmpty()) {
			t.Fatalf("%q in place of %q changed nothing", b[i], payload[i])
		}
	})
}
