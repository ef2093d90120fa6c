package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/local"
	"github.com/asterweave/asterweave/internal/state"
	"github.com/asterweave/asterweave/internal/verify"
)

// forgery is one way to make a bundle say what is not so.
type forgery struct {
	name   string
	check  string // the first one that is not open
	reason string // a part of what it says
	state  string // "" is shut
	make   func(f *forger) []byte
	with   func(o *verify.Options, honest *forger)
}

// anchored is a forge that knows the pull request: where it is, and how far it says that
// the ledger was.
type anchored struct {
	*local.Provider
	head string
	body string
}

func (anchored) Name() string { return "a forge" }

func (a anchored) PullRequest(context.Context, provider.Target) (provider.Answer, error) {
	return provider.Answer{Result: evidence.Pass, Summary: "it is there", Head: a.head, Body: a.body}, nil
}

// held makes the pull request speak of the ledger as it honestly was.
func held(o *verify.Options, honest *forger) {
	l := honest.s.Predicate.Ledger
	o.System = "a forge"
	o.Providers = func(_ string, git provider.Git, run provider.RunGate) (provider.Provider, error) {
		a := bundle.Anchor{Events: l.Events, Bytes: l.Bytes, Head: l.Head}
		return anchored{local.New(git, run), honest.s.Commit(), bundle.AnchorStart + "\n" + a.Line() + "\n" + bundle.AnchorEnd + "\n"}, nil
	}
}

func again(o *verify.Options, _ *forger) { o.Rerun = true }

func shown(t *testing.T, v verify.Verdict) {
	t.Helper()
	for _, c := range v.Checks {
		t.Logf("%-8s %-13s %s", c.State, c.Name, c.Reason)
	}
}

// judge holds a verdict against what is called for: the check is the first that is not
// open, and the whole is not.
func (c forgery) judge(t *testing.T, v verify.Verdict) {
	t.Helper()
	want := c.state
	if want == "" {
		want = verify.Shut
	}
	i := slices.IndexFunc(v.Checks, func(k verify.Check) bool { return k.State != verify.Open })
	switch {
	case i < 0 || v.Open():
		t.Errorf("it came out open")
	case v.Checks[i].Name != c.check || v.Checks[i].State != want || !strings.Contains(v.Checks[i].Reason, c.reason):
		t.Errorf("%s is %s (%s); %s has to be %s with %q", v.Checks[i].Name, v.Checks[i].State, v.Checks[i].Reason, c.check, want, c.reason)
	default:
		return
	}
	shown(t, v)
}

// edit changes the payload's text before it is wrapped.
func edit(old, now string) func(*forger) []byte {
	return func(f *forger) []byte {
		payload, err := bundle.Encode(f.s)
		if err != nil {
			f.t.Fatal(err)
		}
		changed := strings.Replace(string(payload), old, now, 1)
		if changed == string(payload) {
			f.t.Fatalf("%q is not in it", old)
		}
		return wrapped(f.t, []byte(changed))
	}
}

// said changes the lists alone; the ledger stays.
func said(change func(p *bundle.Predicate)) func(*forger) []byte {
	return func(f *forger) []byte { change(&f.s.Predicate); return f.envelope() }
}

// told changes the ledger and everything that follows from it.
func told(change func(f *forger)) func(*forger) []byte {
	return func(f *forger) []byte { change(f); return f.seal().envelope() }
}

func forgeries(h *forger) []forgery {
	return slices.Concat(envelopes(), texts(), lists(), chains(h), cuts(h), records(), walks(), plans(), worlds())
}

func envelopes() []forgery {
	whole := func(fn func(e string) string) func(*forger) []byte {
		return func(f *forger) []byte { return []byte(fn(string(f.envelope()))) }
	}
	with := func(old, now string) func(*forger) []byte {
		return whole(func(e string) string { return strings.Replace(e, old, now, 1) })
	}
	out := []forgery{}
	for name, c := range map[string]struct {
		reason string
		make   func(*forger) []byte
	}{
		"no JSON":                     {"not one JSON value", func(*forger) []byte { return []byte("hello") }},
		"nothing":                     {"not one JSON value", func(*forger) []byte { return []byte{} }},
		"two envelopes in one":        {"not one JSON value", whole(func(e string) string { return e + e })},
		"a key twice in the envelope": {"occurs twice", with(`{"payloadType"`, `{"payload":"","payloadType"`)},
		"an unknown key in it":        {"unknown field", with(`{"payloadType"`, `{"more":1,"payloadType"`)},
		"another payload type":        {"payload type", with("vnd.in-toto+json", "vnd.other+json")},
		"base64 of URLs":              {"", with(`"payload":"`, `"payload":"_-`)},
		"base64 with white space":     {"payload", with(`"payload":"`, `"payload":"\n`)},
		"base64 with no padding":      {"", whole(func(e string) string { return strings.Replace(e, `"payload":"`, `"payload":"A`, 1) })},
		"a payload that is no text":   {"unknown field", whole(func(e string) string { return strings.Replace(e, `"payload":"`, `"payload":12,"x":"`, 1) })},
		"33 MiB":                      {"not one JSON value", func(*forger) []byte { return bytes.Repeat([]byte(" "), 33<<20) }},
		"33 MiB of a string":          {"more than", func(*forger) []byte { return []byte(`{"payload":"` + strings.Repeat("A", 33<<20) + `"}`) }},
		"a list nested 100,000 deep":  {"", func(*forger) []byte { return []byte(strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)) }},
		"an object nested 1,000 deep": {"", func(*forger) []byte { return []byte(strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000)) }},
		"a payload nested 1,000 deep": {"", func(f *forger) []byte {
			return wrapped(f.t, []byte(strings.Repeat("[", 1000)+strings.Repeat("]", 1000)))
		}},
		"a payload that is no object": {"", func(f *forger) []byte { return wrapped(f.t, []byte("[]")) }},
		"a payload that is no UTF-8":  {"UTF-8", func(f *forger) []byte { return wrapped(f.t, []byte("{\"a\":\"\xff\"}")) }},
		"an empty payload":            {"", func(f *forger) []byte { return wrapped(f.t, nil) }},
	} {
		out = append(out, forgery{name: "envelope: " + name, check: verify.CheckBundle, reason: c.reason, make: c.make})
	}
	return out
}

func texts() []forgery {
	out := []forgery{}
	for name, c := range map[string]struct{ reason, old, now string }{
		"a key twice in the statement":   {"occurs twice", `{"_type":`, `{"_type":"x","_type":`},
		"a key twice in the predicate":   {"occurs twice", `"autoPr":false`, `"autoPr":true,"autoPr":false`},
		"a key twice in a record":        {"occurs twice", `"exit":0`, `"exit":1,"exit":0`},
		"a key twice by an escape":       {"occurs twice", `"exit":0`, `"\u0065xit":1,"exit":0`},
		"a key of other letters":         {"unknown field", `"exit":0`, `"Exit":0`},
		"an unknown key":                 {"unknown field", `"autoPr":false`, `"autoPr":false,"more":1`},
		"white space":                    {"RFC 8785", `{"_type"`, `{ "_type"`},
		"an escape that is not due":      {"RFC 8785", `"autoPr"`, `"\u0061utoPr"`},
		"a number spelled otherwise":     {"whole number", `"exit":0`, `"exit":0.0`},
		"a list that is null":            {"", `"bypasses":[]`, `"bypasses":null`},
		"a list left out":                {"missing or null", `"bypasses":[],"criteria"`, `"criteria"`},
		"a document that is another one": {"is not what its name says", `"documents":{"`, `"documents":{"` + strings.Repeat("0", 64) + `":"AAAA","`},
	} {
		out = append(out, forgery{name: "text: " + name, check: verify.CheckBundle, reason: c.reason, make: edit(c.old, c.now)})
	}
	for name, c := range map[string][2]string{
		"an unknown version":        {"delivery/v1", "delivery/v2"},
		"another predicate":         {"https://github.com/asterweave/asterweave/delivery/v1", "https://slsa.dev/provenance/v1"},
		"another statement version": {"in-toto.io/Statement/v1", "in-toto.io/Statement/v2"},
	} {
		out = append(out, forgery{name: "text: " + name, check: verify.CheckBundle, reason: "does not know", state: verify.Unknown, make: edit(c[0], c[1])})
	}
	return out
}

// lists are edits of what the bundle lists, which its ledger does not bear out.
func lists() []forgery {
	out := []forgery{}
	add := func(name, reason string, change func(p *bundle.Predicate)) {
		out = append(out, forgery{name: "list: " + name, check: verify.CheckSummary, reason: reason, make: said(change)})
	}
	run := func(p *bundle.Predicate) *evidence.Record {
		i := slices.IndexFunc(p.Evidence, func(r evidence.Record) bool { return r.Kind == evidence.UnitTest && r.Result == evidence.Pass })
		return &p.Evidence[i]
	}
	add("a count", "evidence", func(p *bundle.Predicate) { run(p).Tests.Passed = 200 })
	add("a failed count", "evidence", func(p *bundle.Predicate) { run(p).Tests.Failed = 1 })
	add("an exit status", "evidence", func(p *bundle.Predicate) { one := 1; run(p).Exit = &one })
	add("an argv", "evidence", func(p *bundle.Predicate) { run(p).Argv = []string{"make", "test"} })
	add("a result", "evidence", func(p *bundle.Predicate) { p.Evidence[0].Result = evidence.Fail })
	add("a summary", "evidence", func(p *bundle.Predicate) { run(p).Summary = "all tests pass" })
	add("a witness", "evidence", func(p *bundle.Predicate) { p.Evidence[0].Witness = evidence.Human })
	add("a kind", "evidence", func(p *bundle.Predicate) { run(p).Kind = evidence.Scan })
	add("a gate", "evidence", func(p *bundle.Predicate) { run(p).Gate = "all" })
	add("a tree", "evidence", func(p *bundle.Predicate) { run(p).World.Tree = strings.Repeat("a", 40) })
	add("a time", "evidence", func(p *bundle.Predicate) { run(p).At = run(p).At.Add(time.Hour) })
	add("a record dropped", "evidence", func(p *bundle.Predicate) { p.Evidence = p.Evidence[1:] })
	add("a record added", "evidence", func(p *bundle.Predicate) { p.Evidence = append(p.Evidence, p.Evidence[0]) })
	add("records in another order", "evidence", func(p *bundle.Predicate) { slices.Reverse(p.Evidence) })
	add("a failure dropped", "failures", func(p *bundle.Predicate) { p.Failures = []state.Failure{} })
	add("another signature of a failure", "failures", func(p *bundle.Predicate) { p.Failures[0].Signature = "flaky" })
	add("a verdict", "criteria", func(p *bundle.Predicate) { p.Criteria[0].Verdict = "fail" })
	add("a criterion that is soft", "criteria", func(p *bundle.Predicate) { p.Criteria[0].Hardness = document.Soft })
	add("a criterion dropped", "criteria", func(p *bundle.Predicate) { p.Criteria = p.Criteria[:1] })
	add("what a verdict cites", "criteria", func(p *bundle.Predicate) { p.Criteria[0].Evidence = []string{"E1"} })
	add("an approval through another channel", "approvals", func(p *bundle.Predicate) { p.Approvals[0].Channel = evidence.ChannelTerminal })
	add("an approval of something else", "approvals", func(p *bundle.Predicate) { p.Approvals[0].Plan = strings.Repeat("a", 64) })
	add("an approval dropped", "approvals", func(p *bundle.Predicate) { p.Approvals = []state.Approval{} })
	add("a finding closed", "findings", func(p *bundle.Predicate) { p.Findings[0].Open = false })
	add("a finding dropped", "findings", func(p *bundle.Predicate) { p.Findings = []bundle.Finding{} })
	add("a finding of another severity", "findings", func(p *bundle.Predicate) { p.Findings[0].Severity = "Critical" })
	add("a bypass that nobody gave", "bypasses", func(p *bundle.Predicate) { p.Bypasses = append(p.Bypasses, state.Bypass{ID: "B1"}) })
	add("a waiver that nobody gave", "waivers", func(p *bundle.Predicate) { p.Waivers = append(p.Waivers, state.Waived{Kind: "scan"}) })
	add("another plan", "plan", func(p *bundle.Predicate) { p.Plan.Digest = p.Graph })
	add("another revision", "plan", func(p *bundle.Predicate) { p.Plan.Revision = 2 })
	add("another goal", "delivery", func(p *bundle.Predicate) { p.Delivery.Goal = "another" })
	add("another one's goal", "delivery", func(p *bundle.Predicate) { p.Delivery.GoalBy = "agent" })
	add("another work item", "delivery", func(p *bundle.Predicate) { p.Delivery.Source = "o/r#1" })
	add("another status", "delivery", func(p *bundle.Predicate) { p.Delivery.Status = state.Done })
	add("another node", "delivery", func(p *bundle.Predicate) { p.Delivery.Node = "" })
	add("confirmed beforehand", "delivery", func(p *bundle.Predicate) { p.Delivery.AutoPR = true })
	add("another plan in force", "world", func(p *bundle.Predicate) { p.World.Plan = p.Graph })
	add("a document left out", "is not in the bundle", func(p *bundle.Predicate) {
		for digest := range p.Documents {
			if digest != p.Graph && digest != p.Plan.Digest {
				delete(p.Documents, digest)
				return
			}
		}
	})
	return out
}

// chains are ledgers that were changed by somebody who did not seal every layer again.
func chains(h *forger) []forgery {
	out := []forgery{}
	add := func(name, check, reason string, forged func(f *forger) []byte) {
		out = append(out, forgery{name: "chain: " + name, check: check, reason: reason, make: forged})
	}
	for i := range h.events {
		add(fmt.Sprintf("a byte of event %d", i+1), verify.CheckChain, "hash does not fit", func(f *forger) []byte {
			lines := bytes.SplitAfter(f.text(), []byte("\n"))
			lines[i] = bytes.Replace(lines[i], []byte(`,"data":{"changes":[{"`), []byte(`,"data":{"changes":[{"x`), 1)
			_, head, _ := strings.Cut(string(lines[len(lines)-2]), `,"hash":"`)
			f.pack(bytes.Join(lines, nil), head[:64])
			return f.envelope()
		})
		add(fmt.Sprintf("event %d sealed alone", i+1), verify.CheckChain, "", func(f *forger) []byte {
			f.events[i].Cause = "another"
			var b bytes.Buffer
			for _, e := range f.events {
				b.Write(append(sealed(f.t, e), '\n'))
			}
			f.pack(b.Bytes(), f.s.Predicate.Ledger.Head)
			return f.envelope()
		})
	}
	l := func(name, check, reason string, change func(l *bundle.Ledger)) {
		add(name, check, reason, func(f *forger) []byte { change(&f.s.Predicate.Ledger); return f.envelope() })
	}
	l("another head", verify.CheckChain, "the bundle says", func(l *bundle.Ledger) { l.Head = strings.Repeat("a", 64) })
	l("another length", verify.CheckChain, "the bundle says", func(l *bundle.Ledger) { l.Events++ })
	l("fewer bytes", verify.CheckChain, "has not the", func(l *bundle.Ledger) { l.Bytes-- })
	l("more bytes", verify.CheckChain, "has not the", func(l *bundle.Ledger) { l.Bytes++ })
	l("another digest", verify.CheckChain, "digest", func(l *bundle.Ledger) { l.Digest = strings.Repeat("a", 64) })
	l("too many bytes", verify.CheckChain, "may have", func(l *bundle.Ledger) { l.Bytes = bundle.MaxLedger + 1 })
	l("another format", verify.CheckChain, "format 2", func(l *bundle.Ledger) { l.Format = 2 })
	l("no gzip", verify.CheckChain, "unpacked", func(l *bundle.Ledger) { l.Gzip = []byte("hello") })
	l("gzip that is cut", verify.CheckChain, "", func(l *bundle.Ledger) { l.Gzip = l.Gzip[:len(l.Gzip)/2] })
	l("no ledger", verify.CheckBundle, "missing or null", func(l *bundle.Ledger) { *l = bundle.Ledger{Format: 1} })
	add("a bomb", verify.CheckChain, "has not the", func(f *forger) []byte {
		bytesThen := f.s.Predicate.Ledger.Bytes
		f.pack(append(f.text(), bytes.Repeat([]byte("0"), 200<<20)...), f.s.Predicate.Ledger.Head)
		f.s.Predicate.Ledger.Bytes = bytesThen
		return f.envelope()
	})
	add("a torn end", verify.CheckChain, "no event", func(f *forger) []byte {
		f.pack(append(f.text(), []byte(`{"v":1,"seq":`)...), f.s.Predicate.Ledger.Head)
		return f.envelope()
	})
	out = append(out, forgery{name: "chain: a count, with the fold as it was", check: verify.CheckSummary, reason: "not the fold", make: told(func(f *forger) {
		f.keep = true
		f.record(evidence.UnitTest).Tests.Passed = 200
	})})
	out = append(out, forgery{name: "chain: a summary, with the fold as it was", check: verify.CheckSummary, reason: "not the fold", make: told(func(f *forger) {
		f.keep = true
		f.record(evidence.CodeReview).Summary = "perfect"
	})})
	return out
}

// cuts take away what came last. Where the pull request is due already, only what was said
// of the ledger elsewhere shows it.
func cuts(h *forger) []forgery {
	out := []forgery{}
	due := slices.IndexFunc(h.events, func(e event) bool { return e.Node == graph.SubmitPR }) + 1
	for n := 1; n < len(h.events); n++ {
		c := forgery{name: fmt.Sprintf("cut behind event %d", n), check: verify.CheckWalk, reason: "has not passed"}
		if n >= due {
			c.check, c.reason, c.with = verify.CheckPull, "another ledger", held
		}
		c.make = told(func(f *forger) { f.events = f.events[:n] })
		out = append(out, c)
	}
	return append(out,
		forgery{
			name: "the failed attempt, taken out whole", check: verify.CheckPull, reason: "another ledger", with: held,
			make: told(func(f *forger) {
				e, _ := f.completed(graph.Test, "fail-retryable")
				end := slices.IndexFunc(f.events, func(o event) bool { return o.Seq == e.Seq })
				begin := slices.IndexFunc(f.events, func(o event) bool { return o.Node == graph.Test }) // implement passed for the first time
				f.events = slices.Delete(f.events, begin, end+2)
				f.renumber()
			}),
		},
		forgery{
			name: "everything told anew", check: verify.CheckPull, reason: "another ledger", with: held,
			make: told(func(f *forger) { f.record(evidence.CodeReview).Summary = "another" }),
		},
	)
}

func agentSays(e *event) { e.By = agent() }

// records are evidence that is not what it says.
func records() []forgery {
	out := []forgery{}
	add := func(name, check, reason string, change func(f *forger)) {
		out = append(out, forgery{name: "record: " + name, check: check, reason: reason, make: told(change)})
	}
	one, zero := 1, 0
	failed := func(f *forger) *evidence.Record {
		_, c := f.find(func(c state.Change) bool { return c.Recorded != nil && c.Recorded.Result == evidence.Fail })
		return c.Recorded
	}
	add("a failure that is a pass", verify.CheckWalk, "did not end with status 0", func(f *forger) { failed(f).Result = evidence.Pass })
	add("a failure that is a pass, with status 0", verify.CheckWalk, "tests failed", func(f *forger) {
		failed(f).Result, failed(f).Exit = evidence.Pass, &zero
	})
	add("a pass with status 1", verify.CheckWalk, "status 0", func(f *forger) { f.record(evidence.UnitTest).Exit = &one })
	add("a pass without a status", verify.CheckWalk, "status 0", func(f *forger) { f.record(evidence.UnitTest).Exit = nil })
	add("a pass of no test", verify.CheckWalk, "no test", func(f *forger) { f.record(evidence.UnitTest).Tests.Passed = 0 })
	add("a pass of nobody knows how many", verify.CheckWalk, "nobody knows", func(f *forger) { f.record(evidence.UnitTest).Tests = nil })
	add("a pass of nothing", verify.CheckWalk, "nothing was run", func(f *forger) { f.record(evidence.UnitTest).Argv = nil })
	add("a pass that was stated", verify.CheckWalk, "witness", func(f *forger) { f.record(evidence.UnitTest).Witness = evidence.Stated })
	add("a build that a human saw", verify.CheckWalk, "witness", func(f *forger) { f.record(evidence.Build).Witness = evidence.Human })
	add("a run on the base", verify.CheckWalk, "base", func(f *forger) { f.record(evidence.UnitTest).Base = true })
	add("an info", verify.CheckWalk, "info", func(f *forger) { f.record(evidence.UnitTest).Result = evidence.Info })
	add("an unknown", verify.CheckWalk, "result", func(f *forger) { f.record(evidence.UnitTest).Result = evidence.Unknown })
	add("one that counts no more", verify.CheckWalk, "no unit-test unit", func(f *forger) {
		for i := range f.events {
			for _, c := range f.events[i].changes {
				if c.Recorded != nil && c.Recorded.Kind == evidence.UnitTest {
					c.Recorded.Counts = false
				}
			}
		}
	})
	add("of another node", verify.CheckWalk, "recorded in", func(f *forger) { f.record(evidence.UnitTest).Node = graph.Review })
	add("by somebody else", verify.CheckWalk, "says that it is by", func(f *forger) { f.record(evidence.UnitTest).By = human() })
	add("out of order", verify.CheckWalk, "out of order", func(f *forger) { f.record(evidence.UnitTest).ID = "E99" })
	add("about another tree", verify.CheckEvidence, "notes.txt changed", func(f *forger) {
		f.record(evidence.UnitTest).World.Tree = f.record(evidence.Baseline).World.Tree
	})
	out = append(out, forgery{name: "record: about a tree that nobody has", check: verify.CheckEvidence, reason: "cannot be compared", state: verify.Unknown, make: told(func(f *forger) {
		f.record(evidence.UnitTest).World.Tree = strings.Repeat("a", 40)
	})})
	add("a review of another tree", verify.CheckWalk, "the verdict", func(f *forger) { f.record(evidence.CodeReview).World.Tree = f.record(evidence.Baseline).World.Tree })
	add("a review and its verdict of another tree", verify.CheckEvidence, "notes.txt changed", func(f *forger) {
		tree := f.record(evidence.Baseline).World.Tree
		f.record(evidence.CodeReview).World.Tree = tree
		_, c := f.find(func(c state.Change) bool { return c.Reviewed != nil && c.Reviewed.Kind == string(evidence.CodeReview) })
		c.Reviewed.Review.Tree = tree
	})
	add("a verdict on another tree", verify.CheckCriteria, "notes.txt changed", func(f *forger) {
		_, c := f.find(func(c state.Change) bool { return c.Judged != nil })
		c.Judged.Verdict.World.Tree = f.record(evidence.Baseline).World.Tree
	})
	add("another command", verify.CheckEvidence, "and the gate unit is", func(f *forger) { f.record(evidence.UnitTest).Argv = []string{"true"} })
	add("another gate's definition", verify.CheckEvidence, "definition", func(f *forger) { f.record(evidence.UnitTest).GateDef = strings.Repeat("a", 64) })
	add("another plan", verify.CheckEvidence, "plan.json changed", func(f *forger) { f.record(evidence.Plan).World.Plan = strings.Repeat("a", 64) })
	add("a gate before the approval", verify.CheckWalk, "not approved", func(f *forger) {
		r := *f.record(evidence.UnitTest)
		r.ID, r.Node, r.Attempt, r.By = "E9", graph.Approve, 1, agent()
		e, _ := f.completed(graph.Plan, "pass")
		n := 0
		for _, o := range f.events[:e.Seq] {
			for _, c := range o.changes {
				if c.Recorded != nil {
					n++
				}
			}
		}
		r.ID = fmt.Sprintf("E%d", n+1)
		f.insert(e, agent(), "run", state.Change{Recorded: &r})
		f.renumber()
	})
	for name, change := range map[string]func(r *evidence.Record){
		"200 tests":    func(r *evidence.Record) { r.Tests.Passed = 200 },
		"one test":     func(r *evidence.Record) { r.Tests.Passed = 1 },
		"another unit": func(r *evidence.Record) { r.Tests.Passed = 3 },
	} {
		out = append(out, forgery{
			name: "record: one more with a valid chain, of " + name, check: verify.CheckRerun, reason: "passed and 0 failed here", with: again,
			make: told(func(f *forger) {
				r := *f.record(evidence.UnitTest)
				tests := *r.Tests
				r.Tests = &tests
				r.ID, r.Node, r.Attempt, r.By = fmt.Sprintf("E%d", len(f.s.Predicate.Evidence)+1), graph.SubmitPR, 1, agent()
				change(&r)
				f.insert(&f.events[len(f.events)-1], agent(), "run", state.Change{Recorded: &r})
			}),
		})
	}
	return out
}

// walks are ways through the graph that there are not.
func walks() []forgery {
	out := []forgery{}
	add := func(name, reason string, change func(f *forger)) {
		out = append(out, forgery{name: "walk: " + name, check: verify.CheckWalk, reason: reason, make: told(change)})
	}
	for _, node := range []string{graph.Intake, graph.Analyze, graph.Challenge, graph.Plan, graph.Implement, graph.Test, graph.Verify} {
		add(node+" leads to submit-pr", "leads to", func(f *forger) { _, c := f.completed(node, "pass"); c.To = graph.SubmitPR })
		add(node+" ends in a way that it has not", "cannot end", func(f *forger) { _, c := f.completed(node, "pass"); c.Outcome = "skipped" })
		add(node+" gives its attempt back", "gives no attempt back", func(f *forger) { _, c := f.completed(node, "pass"); c.Refund = true })
		add(node+" invalidates", "gives nothing back", func(f *forger) { _, c := f.completed(node, "pass"); c.Invalidate = []string{node} })
	}
	add("evidence is kept when the work goes back", "keeps evidence", func(f *forger) {
		_, c := f.completed(graph.Test, "fail-retryable")
		c.Invalidate = nil
	})
	add("some evidence is kept when the work goes back", "keeps evidence", func(f *forger) {
		_, c := f.completed(graph.Test, "fail-retryable")
		c.Invalidate = c.Invalidate[1:]
	})
	add("attempts are given back when the work goes back", "attempts back", func(f *forger) {
		_, c := f.completed(graph.Test, "fail-retryable")
		c.Reset = []string{graph.Test}
	})
	add("the work goes forward when it fails", "leads to", func(f *forger) {
		_, c := f.completed(graph.Test, "fail-retryable")
		c.To = graph.Verify
	})
	add("too many attempts", "is over its", func(f *forger) {
		for range 2 {
			f.insert(&f.events[0], agent(), "complete",
				state.Change{Completed: &state.Completed{Node: graph.Intake, Outcome: "fail-retryable", Reason: "x", To: graph.Intake, Invalidate: []string{graph.Intake}}},
				state.Change{Entered: &state.Entered{Node: graph.Intake}})
		}
	})
	add("entered while it runs", "under way already", func(f *forger) {
		e, _ := f.completed(graph.Intake, "pass")
		f.insert(e, agent(), "enter", state.Change{Entered: &state.Entered{Node: graph.Analyze}})
	})
	add("another node entered", "is due", func(f *forger) {
		e, _ := f.completed(graph.Intake, "pass")
		f.insert(e, agent(), "enter", state.Change{Entered: &state.Entered{Node: graph.Review}})
	})
	add("done before its time", "has passed", func(f *forger) {
		f.insert(&f.events[len(f.events)-1], agent(), "complete", state.Change{Ended: &state.Ended{Status: state.Done}})
	})
	add("aborted by an agent", "nobody but a human", func(f *forger) {
		f.insert(&f.events[len(f.events)-1], agent(), "abort", state.Change{Ended: &state.Ended{Status: state.Aborted}})
	})
	add("aborted", "was aborted", func(f *forger) {
		f.insert(&f.events[len(f.events)-1], human(), "abort", state.Change{Ended: &state.Ended{Status: state.Aborted}})
	})
	add("going on behind the end", "the delivery is aborted", func(f *forger) {
		last := &f.events[len(f.events)-1]
		f.insert(last, agent(), "enter", state.Change{Heard: &state.Heard{}})
		f.insert(last, human(), "abort", state.Change{Ended: &state.Ended{Status: state.Aborted}})
	})
	add("started twice", "started already", func(f *forger) {
		_, c := f.find(func(c state.Change) bool { return c.Started != nil })
		f.insert(&f.events[0], agent(), "start", state.Change{Started: c.Started})
	})
	add("nothing started", "is not in the bundle", func(f *forger) { f.events = f.events[1:] })
	add("a tool call that completes", "cannot do that", func(f *forger) { e, _ := f.completed(graph.Test, "pass"); e.Type = "tool" })
	add("a prompt that records", "cannot do that", func(f *forger) {
		e, _ := f.find(func(c state.Change) bool { return c.Recorded != nil && c.Recorded.Kind == evidence.UnitTest })
		e.Type = "next"
	})
	add("approved by an agent", "human", func(f *forger) {
		e, c := f.find(func(c state.Change) bool { return c.Approved != nil })
		agentSays(e)
		c.Approved.Channel = "agent"
		f.record(evidence.Approval).By = agent()
	})
	add("approved by an agent that says it is a human", "by", func(f *forger) {
		e, _ := f.find(func(c state.Change) bool { return c.Approved != nil })
		agentSays(e)
	})
	add("approved before there is a plan", "another plan", func(f *forger) {
		_, c := f.find(func(c state.Change) bool { return c.Approved != nil })
		c.Approved.Plan = ""
	})
	add("other criteria approved", "another plan, or other criteria", func(f *forger) {
		_, c := f.find(func(c state.Change) bool { return c.Approved != nil })
		c.Approved.Spec = strings.Repeat("a", 64)
	})
	add("approved without a record", "record is not there", func(f *forger) {
		_, c := f.find(func(c state.Change) bool { return c.Approved != nil })
		c.Approved.Record = "E1"
	})
	add("approved in implement", "but in approve", func(f *forger) {
		_, c := f.find(func(c state.Change) bool { return c.Approved != nil })
		e, _ := f.completed(graph.Approve, "pass")
		f.insert(e, human(), "approve", state.Change{Approved: c.Approved})
	})
	add("a plan stored in implement", "a plan is stored in implement", func(f *forger) {
		_, c := f.find(func(c state.Change) bool { return c.Documented != nil && c.Documented.Name == state.DocPlan })
		e, _ := f.completed(graph.Approve, "pass")
		f.insert(e, agent(), "put", state.Change{Documented: c.Documented})
	})
	add("an answer by an agent", "nobody but a human answers", func(f *forger) {
		e, _ := f.completed(graph.Intake, "pass")
		f.insert(e, agent(), "reply", state.Change{Closed: &state.Closed{Ask: "A9", Answer: "yes", Channel: "client"}})
		f.insert(e, agent(), "ask", state.Change{Asked: &state.Ask{ID: "A9", Kind: state.AskDecision, Question: "?"}})
	})
	last := func(f *forger) *event { return &f.events[len(f.events)-1] }
	for name, c := range map[string]state.Change{
		"a waiver":             {Waived: &state.Waived{Kind: "unit-test", Because: "slow"}},
		"one more attempt":     {Granted: &state.Granted{Node: graph.Test}},
		"other programs":       {Accepted: &state.Accepted{Digest: "x"}},
		"what the guard stops": {Bypassed: &state.Bypass{ID: "B1", Rule: "force"}},
		"a constraint":         {Steered: &state.Steer{ID: "S1", Text: "x"}},
		"the hooks taken away": {Unhooked: &state.Unhooked{Folder: "x"}},
	} {
		add("by an agent: "+name, "nobody but a human", func(f *forger) { f.insert(last(f), agent(), "human", c) })
	}
	add("moved by an agent", "nobody but a human", func(f *forger) {
		f.insert(last(f), agent(), "moved", state.Change{Moved: &state.Moved{To: graph.Plan}})
	})
	add("resumed by an agent", "nobody but a human", func(f *forger) {
		f.insert(last(f), agent(), "resume", state.Change{Resumed: &state.Resumed{}})
		f.insert(last(f), agent(), "pause", state.Change{Paused: &state.PausedBy{Reason: "x"}})
		f.events[len(f.events)-1], f.events[len(f.events)-2] = f.events[len(f.events)-2], f.events[len(f.events)-1]
	})
	add("confirmed by an agent", "nobody but a human confirms", func(f *forger) {
		e, _ := f.find(func(c state.Change) bool { return c.Confirmed != nil })
		agentSays(e)
		e.changes = slices.DeleteFunc(e.changes, func(c state.Change) bool { return c.Closed != nil })
	})
	add("confirmed beforehand without a word", "nobody but a human confirms", func(f *forger) {
		e, c := f.find(func(c state.Change) bool { return c.Confirmed != nil })
		agentSays(e)
		c.Confirmed.Channel = "auto-pr"
		e.changes = slices.DeleteFunc(e.changes, func(c state.Change) bool { return c.Closed != nil })
	})
	add("review waived", "cannot be waived", func(f *forger) {
		f.insert(last(f), human(), "reply", state.Change{Waived: &state.Waived{Kind: "code-review", Because: "x"}})
	})
	for name, edit := range map[string][2]string{
		"more attempts":   {`"attempts": 3`, `"attempts": 30`},
		"no unit test":    {`["unit-test", "integration-test"]`, `["integration-test"]`},
		"another edge":    {`"pass": "test"`, `"pass": "submit-pr"`},
		"another witness": {`{"kind": "unit-test", "witnesses": ["executed"]`, `{"kind": "unit-test", "witnesses": ["executed", "stated"]`},
	} {
		add("a graph with "+name, "not that of this version", func(f *forger) {
			f.replace(f.s.Predicate.Graph, func(g string) string { return strings.Replace(g, edit[0], edit[1], 1) })
		})
	}
	add("a graph that is not there", "is not in the bundle", func(f *forger) { delete(f.s.Predicate.Documents, f.s.Predicate.Graph) })
	return out
}

// plans are agreed upon and then are others.
func plans() []forgery {
	out := []forgery{}
	edits := map[string][2]string{
		"a wider scope":                {`"write":["notes.txt","README.md"]`, `"write":["**"]`},
		"a gate that is true":          {`"argv":["sh","build.sh"]`, `"argv":["true"]`},
		"a gate that counts by status": {`"argv":["sh","test.sh"]`, `"argv":["sh","test.sh"],"counts":"exit"`},
		"fewer inputs":                 {`"inputs":["*.sh","notes.txt"]`, `"inputs":["*.sh"]`},
		"another summary":              {"make it good", "make it better"},
	}
	for name, e := range edits {
		out = append(out, forgery{
			name: "plan: " + name + " after the approval", check: verify.CheckApproval, reason: "bears the digest", make: told(func(f *forger) {
				f.replace(f.s.Predicate.Plan.Digest, func(p string) string { return strings.Replace(p, e[0], e[1], 1) })
				for i := range f.events { // and evidence that fits it
					for _, c := range f.events[i].changes {
						f.fit(c.Recorded)
					}
				}
			}),
		})
	}
	spec := func(f *forger) string { return f.s.Predicate.World.Spec }
	out = append(out, forgery{name: "plan: other criteria after the approval", check: verify.CheckApproval, reason: "bears the digest", make: told(func(f *forger) {
		f.replace(spec(f), func(s string) string { return strings.Replace(s, "it can be built", "it can be seen", 1) })
	})})
	for name, change := range map[string]func(d *state.Delivery){
		"another goal":       func(d *state.Delivery) { d.Goal = "REQ-1: something else" },
		"a goal of an agent": func(d *state.Delivery) { d.GoalBy = "agent" },
		"another remote":     func(d *state.Delivery) { d.URL = "https://forge.example.com/x.git" },
		"another work item":  func(d *state.Delivery) { d.Source = "o/r#9" },
	} {
		out = append(out, forgery{name: "plan: " + name + " than was approved", check: verify.CheckApproval, reason: "bears the digest", make: told(func(f *forger) {
			_, c := f.find(func(c state.Change) bool { return c.Started != nil })
			change(&c.Started.Delivery)
		})})
	}
	return out
}

// fit gives a record the definition that its gate has in the plan.
func (f *forger) fit(r *evidence.Record) {
	if r == nil || r.Gate == "" {
		return
	}
	for _, b := range f.s.Predicate.Documents {
		var p document.Plan
		if json.Unmarshal(b, &p) != nil {
			continue
		}
		for _, g := range p.Gates {
			if g.ID == r.Gate {
				r.GateDef, r.Argv = g.Digest(), g.Argv
			}
		}
	}
}

// worlds are bundles of something else than what is here.
func worlds() []forgery {
	other := strings.Repeat("b", 40)
	return []forgery{
		{name: "world: another commit", check: verify.CheckSubject, reason: "the bundle is about", make: func(f *forger) []byte {
			f.s.Subject[0].Digest[bundle.CommitDigest] = other
			return f.envelope()
		}},
		{name: "world: a digest of another kind", check: verify.CheckBundle, reason: "exactly one commit", make: func(f *forger) []byte {
			f.s.Subject[0].Digest = map[string]string{"sha1": f.s.Commit()}
			return f.envelope()
		}},
		{name: "world: another tree", check: verify.CheckSubject, reason: "tree", make: said(func(p *bundle.Predicate) { p.World.Tree = other })},
		{name: "world: another branch's name", check: verify.CheckSubject, reason: "branch", make: func(f *forger) []byte {
			f.s.Subject[0].Name = "other"
			return f.envelope()
		}},
		{name: "world: another base", check: verify.CheckSubject, reason: "pull request for", make: told(func(f *forger) {
			_, c := f.find(func(c state.Change) bool { return c.Started != nil })
			c.Started.Delivery.Base = "release"
		})},
		{name: "world: an old event", check: verify.CheckPull, reason: "stale", make: (*forger).envelope, with: func(o *verify.Options, honest *forger) {
			held(o, honest)
			inner := o.Providers
			o.Providers = func(name string, git provider.Git, run provider.RunGate) (provider.Provider, error) {
				p, err := inner(name, git, run)
				a := p.(anchored)
				a.head = other
				return a, err
			}
		}},
		{name: "world: a test merge is checked out", check: verify.CheckHead, reason: "test merge", make: (*forger).envelope, with: func(o *verify.Options, _ *forger) { o.Head = other }},
		{name: "world: a pull request of two anchors", check: verify.CheckPull, reason: "", make: (*forger).envelope, with: func(o *verify.Options, honest *forger) {
			held(o, honest)
			inner := o.Providers
			o.Providers = func(name string, git provider.Git, run provider.RunGate) (provider.Provider, error) {
				p, err := inner(name, git, run)
				a := p.(anchored)
				a.body += a.body
				return a, err
			}
		}},
	}
}

// TestForged: no forgery comes out open, and each is shut for its own reason.
func TestForged(t *testing.T) {
	h := honest(t)
	clone := h.cloned()
	s := h.exported()
	payload, err := bundle.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	truth := from(t, payload)
	if v := run(t, options(clone), truth.copied(t).seal().envelope()); v.Checks[14].Name != verify.CheckChecks || !allOpenBut(v, verify.CheckChecks) {
		shown(t, v)
		t.Fatal("what is sealed again without a change has to be open")
	}
	all := forgeries(truth)
	if len(all) < 200 {
		t.Errorf("there are %d forgeries", len(all))
	}
	seen := map[string]bool{}
	for _, c := range all {
		if seen[c.name] {
			t.Errorf("%s is there twice", c.name)
		}
		seen[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := options(clone)
			if c.with != nil {
				c.with(&o, truth)
			}
			c.judge(t, run(t, o, c.make(truth.copied(t))))
		})
	}
	t.Logf("%d forgeries", len(seen))
}

func run(t *testing.T, o verify.Options, envelope []byte) verify.Verdict {
	t.Helper()
	o.Envelope = envelope
	v, err := verify.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// allOpenBut reports whether every check is open but these.
func allOpenBut(v verify.Verdict, names ...string) bool {
	for _, c := range v.Checks {
		if (c.State == verify.Open) == slices.Contains(names, c.Name) {
			return false
		}
	}
	return canon.IsHash(v.Ledger.Head)
}
