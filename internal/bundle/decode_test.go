package bundle_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/evidence"
)

func TestAStatementComesBack(t *testing.T) {
	want := sample(t)
	got, err := bundle.Decode([]byte(encoded(t, want)))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	if got.Commit() != commit {
		t.Error(got.Commit())
	}
}

// TestTheSpelling: the parts of RFC 8785 that a statement can meet, written by hand.
func TestTheSpelling(t *testing.T) {
	text := encoded(t, sample(t))
	for _, want := range []string{
		`{"_type":"https://in-toto.io/Statement/v1","predicate":{"approvals":[{"base":"main","channel":"client","digest":`,
		`"goal":"make it \"good\" \u0007 €"`, `"name":"work/<ü>"`, `"startedAt":"2026-03-04T12:00:00.0000005Z"`,
		`"exit":0`, `"predicateType":"https://github.com/asterweave/asterweave/delivery/v1","subject":[{"digest":{"gitCommit":"` + commit + `"}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %.400s", want, text)
		}
	}
}

func TestStatementsThatAreRefused(t *testing.T) {
	honest := encoded(t, sample(t))
	doc := canon.Hash([]byte(`{"version":1}`))
	swap := func(old, with string) string {
		if strings.Count(honest, old) == 0 {
			t.Fatalf("%q is not in the statement", old)
		}
		return strings.Replace(honest, old, with, 1)
	}
	const spelling = "not spelled as RFC 8785"
	for what, tt := range map[string]struct{ text, want string }{
		"a space":                   {swap(`,"predicate":`, `, "predicate":`), spelling},
		"a line end behind it":      {honest + "\n", spelling},
		"keys in another order":     {swap(`"name":"work/<ü>"}`, `"name":"work/<ü>"`+`}`) + " ", spelling},
		"a letter escaped":          {swap(`"goal":"make`, `"goal":"m\u0061ke`), spelling},
		"an escape in capitals":     {swap(`\u0007`, `\u0007\u001F`), spelling},
		"a solidus escaped":         {swap(`work/`, `work\/`), spelling},
		"a number as a float":       {swap(`"events":2`, `"events":2.0`), "events"},
		"a number with exponent":    {swap(`"events":2`, `"events":2e0`), "events"},
		"a negative zero":           {swap(`"exit":0`, `"exit":-0`), spelling},
		"a number past 2^53":        {swap(`"seq":7`, `"seq":9007199254740993`), "2^53"},
		"a key twice":               {swap(`"goal":`, `"goal":"other","goal":`), "goal occurs twice"},
		"a key twice, escaped":      {swap(`"goal":`, `"go\u0061l":"other","goal":`), "goal occurs twice"},
		"a key twice, deep":         {swap(`"unit":"test"`, `"unit":"test","unit":"test"`), "unit occurs twice"},
		"an unknown key":            {swap(`"goal":`, `"extra":1,"goal":`), "unknown field predicate.delivery.extra"},
		"a key in capitals":         {swap(`"goal":`, `"Goal":`), "unknown field predicate.delivery.Goal"},
		"a key that is missing":     {swap(`"goalBy":"client",`, ``), spelling},
		"an optional key, empty":    {swap(`"gate":"unit"`, `"gate":""`), spelling},
		"null for a list":           {swap(`"waivers":[{"because":"none","kind":"scan"}]`, `"waivers":null`), "missing or null"},
		"null for a text":           {swap(`"source":""`, `"source":null`), spelling},
		"null for a document":       {swap(`"`+canon.Hash(nil)+`":""`, `"`+canon.Hash(nil)+`":null`), "not what its name says"},
		"null for a tree":           {swap(`"`+tree+`":"AAH/"`, `"`+tree+`":null`), "is null"},
		"null for evidence":         {swap(`"evidence":["E1"]`, `"evidence":null`), "AC-1"},
		"a time in another zone":    {swap(`12:00:00.0000005Z","status"`, `13:00:00.0000005+01:00","status"`), "the time"},
		"a time with zeros behind":  {swap(`00.0000005Z`, `00.000000500Z`), spelling},
		"bytes in URL-safe base64":  {swap(`"AAH/"`, `"AAH_"`), "base64"},
		"bytes with a line end":     {swap(`"AAH/"`, `"AAH\n/"`), spelling},
		"bytes with unused bits":    {swap(`"AAH/"`, `"AB=="`), spelling},
		"another document":          {swap(`"`+doc+`":"eyJ2ZXJzaW9uIjoxfQ=="`, `"`+doc+`":"eyJ2ZXJzaW9uIjoyfQ=="`), "not what its name says"},
		"another output":            {swap(`"outputs":{"`, `"outputs":{"0000000000000000000000000000000000000000000000000000000000000000":"","`), "not what its name says"},
		"no subject":                {swap(honest[strings.Index(honest, `"subject":`):], `"subject":[]}`), "exactly one commit"},
		"two subjects":              {swap(`"subject":[`, `"subject":[{"digest":{"gitCommit":"`+commit+`"},"name":"x"},`), "exactly one commit"},
		"another kind of digest":    {swap(`"gitCommit":`, `"sha1":`), "exactly one commit"},
		"two digests":               {swap(`"gitCommit":`, `"gitBlob":"`+commit+`","gitCommit":`), "exactly one commit"},
		"a commit in capitals":      {swap(commit+`"},"name"`, strings.ToUpper(commit)+`"},"name"`), "exactly one commit"},
		"half a commit":             {swap(commit+`"},"name"`, commit[:20]+`"},"name"`), "exactly one commit"},
		"not UTF-8":                 {swap("€", "\xe2\x82"), "not UTF-8"},
		"a lone surrogate":          {swap("€", `\ud800`), "statement"},
		"nested 1000 deep":          {swap(`"leftOut":[`, `"leftOut":[`+strings.Repeat("[", 1000)+strings.Repeat("]", 1000)+`,`), "nested deeper"},
		"another type of value":     {swap(`"revision":1`, `"revision":"1"`), "revision"},
		"a byte order mark":         {"\ufeff" + honest, "not one JSON value"},
		"cut":                       {honest[:len(honest)-1], "not one JSON value"},
		"nothing":                   {"", "not one JSON value"},
		"too long":                  {honest + strings.Repeat(" ", bundle.MaxPayload), "more than the"},
		"a number of another range": {swap(`"seq":7`, `"seq":99999999999999999999`), "seq"},
	} {
		t.Run(what, func(t *testing.T) {
			_, err := bundle.Decode([]byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%.400v, want %q", err, tt.want)
			}
		})
	}
}

// TestAnotherVersionIsNotRead: nothing else of it is looked at, so that a reader can say
// that it is too old and not that the bundle is forged.
func TestAnotherVersionIsNotRead(t *testing.T) {
	for kind, text := range map[string]string{
		"https://github.com/asterweave/asterweave/delivery/v2": `{"_type":"https://in-toto.io/Statement/v1","predicateType":"https://github.com/asterweave/asterweave/delivery/v2","predicate":{"new":[1.5]}}`,
		"https://in-toto.io/Statement/v2":                      `{"_type":"https://in-toto.io/Statement/v2","predicateType":"https://github.com/asterweave/asterweave/delivery/v1"}`,
		"https://slsa.dev/provenance/v1":                       `{ "_type":"https://in-toto.io/Statement/v1","predicateType":"https://slsa.dev/provenance/v1"}`,
		"":                                                     `{}`,
	} {
		_, err := bundle.Decode([]byte(text))
		var v *bundle.VersionError
		if !errors.As(err, &v) || v.Type != kind {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		if want := fmt.Sprintf("%q", kind); !strings.Contains(v.Error(), want) {
			t.Error(v.Error())
		}
	}
	// A text that two readers read differently is of no version.
	var v *bundle.VersionError
	if _, err := bundle.Decode([]byte(`{"_type":"x","_type":"y"}`)); err == nil || errors.As(err, &v) {
		t.Error(err)
	}
}

// TestEncodeRefusesWhatIsTooLong instead of writing what nobody reads.
func TestEncodeRefusesWhatIsTooLong(t *testing.T) {
	s := sample(t)
	s.Predicate.Trees[tree] = make([]byte, bundle.MaxPayload)
	if _, err := bundle.Encode(s); err == nil || !strings.Contains(err.Error(), "more than the") {
		t.Error(err)
	}
	s = sample(t)
	s.Predicate.Evidence = append(s.Predicate.Evidence, evidence.Record{DurationMs: 1<<53 + 1})
	if _, err := bundle.Encode(s); err == nil || !strings.Contains(err.Error(), "2^53") {
		t.Errorf("a number was changed silently: %v", err)
	}
}
