package rules

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTextIsBoundedAndNamesWhatEnforcesIt(t *testing.T) {
	want := []string{"approvals", "delegation", "evidence", "git-safety", "untrusted-content"}
	if got := Names(); !slices.Equal(got, want) {
		t.Fatalf("Names() = %v, want %v", got, want)
	}
	pkg := regexp.MustCompile("`(internal/[a-z]+)`")
	for _, name := range want {
		text, ok := Text(name)
		if !ok {
			t.Errorf("%s: no text", name)
		}
		if len(text) > MaxBytes {
			t.Errorf("%s: %d bytes, at most %d", name, len(text), MaxBytes)
		}
		_, by, found := strings.Cut(text, "\nEnforced by: ")
		if !found {
			t.Errorf("%s: does not say what enforces it", name)
		}
		packages := pkg.FindAllStringSubmatch(by, -1)
		if len(packages) == 0 {
			t.Errorf("%s: names no package that enforces it", name)
		}
		for _, m := range packages {
			sources, err := filepath.Glob(filepath.Join("..", m[1], "*.go"))
			if err != nil || len(sources) == 0 {
				t.Errorf("%s: says that %s enforces it, which has no source", name, m[1])
			}
		}
	}
}

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
