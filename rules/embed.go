// Package rules holds the house rules that prompts repeat where they matter, one
// markdown file a rule. A rule is a reminder, not the fence: each names the gate,
// hook or check that enforces it.
package rules

import (
	"embed"
	"strings"
)

// MaxBytes is the longest text that a rule may have.
const MaxBytes = 600

//go:embed *.md
var files embed.FS

// Names returns the names of the rules, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".md"))
	}
	return names
}

// Text returns the text of a rule, and whether there is such a rule.
func Text(name string) (string, bool) {
	text, err := files.ReadFile(name + ".md")
	if err != nil {
		return "", false
	}
	return string(text), true
}

// For returns the rules that belong into the prompt of a node, the most important
// first; none for an unknown node.
func For(node string) []string {
	switch node {
	case "intake", "challenge":
		return []string{"untrusted-content", "approvals"}
	case "analyze":
		return []string{"evidence", "untrusted-content"}
	case "plan":
		return []string{"approvals", "evidence"}
	case "approve":
		return []string{"approvals"}
	case "implement":
		return []string{"evidence", "git-safety"}
	case "test":
		return []string{"evidence"}
	case "verify":
		return []string{"evidence", "delegation"}
	case "review":
		return []string{"delegation", "untrusted-content"}
	case "submit-pr":
		return []string{"git-safety", "approvals"}
	case "monitor-pipeline":
		return []string{"evidence", "untrusted-content"}
	case "resolve-review-comments":
		return []string{"untrusted-content", "git-safety"}
	case "update-work-item":
		return []string{"approvals", "untrusted-content"}
	}
	return nil
}
