package rules

import "testing"

func TestEveryNodeHasRulesAndEveryRuleANode(t *testing.T) {
	used := map[string]bool{}
	for _, node := range []string{
		"intake", "analyze", "challenge", "plan", "approve", "implement", "test", "verify", "review",
		"submit-pr", "monitor-pipeline", "resolve-review-comments", "update-work-item",
	} {
		names := For(node)
		if len(names) == 0 {
			t.Errorf("%s: no rule", node)
		}
		for _, n := range names {
			if _, ok := Text(n); !ok {
				t.Errorf("%s: rule %q does not exist", node, n)
			}
			used[n] = true
		}
	}
	for _, n := range Names() {
		if !used[n] {
			t.Errorf("rule %q is delivered at no node", n)
		}
	}
	if got := For("nowhere"); got != nil {
		t.Errorf("For(nowhere) = %v, want none", got)
	}
}

func TestTextOfUnknownRules(t *testing.T) {
	for _, name := range []string{"", "nothing", "../agents/architect", "embed.go"} {
		if text, ok := Text(name); ok {
			t.Errorf("Text(%q) = %q, want none", name, text)
		}
	}
}
