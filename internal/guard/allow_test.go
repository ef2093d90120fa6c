package guard

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestAllowances(t *testing.T) {
	const push = "git push -f origin asterweave/x"
	head, other := "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"
	base := situationAt("/w", nil)
	base.Confirmed.Head = head
	with := func(list ...Allowance) Situation {
		s := base
		s.Allowed = list
		return s
	}
	any1 := func(rule string) Situation { return with(Allowance{Rule: rule}) }
	for name, c := range map[string]struct {
		got  Verdict
		rule string
	}{
		"nothing":                     {base.Shell(push), RuleForce},
		"the rule":                    {any1(RuleForce).Shell(push), ""},
		"another rule":                {any1(RuleDelete).Shell(push), RuleForce},
		"the command":                 {with(Allowance{RuleForce, CommandDigest(push)}).Shell("  " + push + "\n"), ""},
		"another command":             {with(Allowance{RuleForce, CommandDigest(push)}).Shell(push + " && true"), RuleForce},
		"the rule of a plus sign":     {any1(RuleForce).Shell("git push origin +asterweave/x"), ""},
		"a plus sign to the base":     {any1(RuleForce).Shell("git push origin +asterweave/x:main"), RuleBase},
		"a deletion of the base":      {any1(RuleDelete).Shell("git push origin :main"), RuleBase},
		"of two rules one":            {any1(RuleForce).Shell(push + "; git reset --hard"), RuleDiscard},
		"an absolute rule":            {with(Allowance{RuleHuman, ""}, Allowance{RuleState, ""}).Shell("asterweave-state approve 12345678"), RuleHuman},
		"a file of the ledger":        {any1(RuleState).Write("Write", "/w/.claude/asterweave/ledger.jsonl"), RuleState},
		"a tool":                      {any1(RuleWorktree).Tool("EnterWorktree", json.RawMessage(`{}`)), ""},
		"a tool, for a command":       {with(Allowance{RuleWorktree, CommandDigest("")}).Tool("EnterWorktree", json.RawMessage(`{}`)), RuleWorktree},
		"a pushed ref":                {any1(RuleForce).Push([]RefUpdate{{LocalOID: head, RemoteRef: "refs/heads/asterweave/x", RemoteOID: other}}), ""},
		"a pushed ref, for a command": {with(Allowance{RuleForce, "x"}).Push([]RefUpdate{{LocalOID: head, RemoteRef: "refs/heads/asterweave/x", RemoteOID: other}}), ""},
		"a pushed ref to the base":    {any1(RuleForce).Push([]RefUpdate{{LocalOID: head, RemoteRef: "refs/heads/main", RemoteOID: other}}), RuleBase},
		"one ref of two":              {any1(RuleForce).Push([]RefUpdate{{LocalOID: head, RemoteRef: "refs/heads/asterweave/x", RemoteOID: other}, {LocalOID: head, RemoteRef: "refs/tags/v1"}}), RuleBranch},
		"from elsewhere":              {base.PushElsewhere([]RefUpdate{{LocalOID: head, RemoteRef: "refs/heads/x"}}), RuleElsewhere},
		"nothing from elsewhere":      {base.PushElsewhere(nil), ""},
		"from elsewhere, let through": {any1(RuleElsewhere).PushElsewhere([]RefUpdate{{LocalOID: head, RemoteRef: "refs/heads/x"}}), ""},
	} {
		if c.got.Rule != c.rule || (c.rule == "") != (c.got.Decision == Pass) {
			t.Errorf("%s: %v by %q: %s", name, c.got.Decision, c.got.Rule, c.got.Reason)
		}
	}
	// What is let through gets no more than the client's own rules.
	if v := any1(RuleForce).Shell("asterweave-state status && " + push); v.Decision != Pass {
		t.Errorf("beside a verb of the model: %v", v.Decision)
	}
	for _, rule := range Absolute() {
		if slices.Contains(Rules(), rule) {
			t.Errorf("%s is both", rule)
		}
	}
}

func TestPushToAnotherAddress(t *testing.T) {
	head := "1111111111111111111111111111111111111111"
	s := situationAt("/w", nil)
	s.Confirmed.Head, s.PushTo, s.Remote = head, "origin", "origin"
	refs := []RefUpdate{{LocalOID: head, RemoteRef: "refs/heads/asterweave/x"}}
	for _, c := range []struct {
		to   string
		urls []string
		rule string
	}{
		{"host/o/r", []string{"host/o/r"}, ""},
		{"host/o/r", []string{"host/o/other", "host/o/r"}, ""},
		{"evil/o/r", []string{"host/o/r"}, RuleConfirm},
		{"host/o/r", nil, ""},
	} {
		s.PushURL, s.Confirmed.URLs = c.to, c.urls
		if v := s.Push(refs); v.Rule != c.rule {
			t.Errorf("%s of %q: %q", c.to, c.urls, v.Rule)
		}
	}
	if v := s.Push(nil); v.Decision != Pass {
		t.Errorf("a push of nothing: %v", v)
	}
}
