// Package rules holds the house rules that prompts repeat where they matter, one
// markdown file a rule. A rule is a reminder, not the fence: behind each sentence
// stands what enforces it, a need of the graph, a rule of the guard, a hook, or a
// test that holds it.
package rules

import (
	"embed"
	"strings"
)

// Bounds of a rule, in bytes.
const (
	MaxBytes = 600 // of its text
	MaxHead  = 100 // of its first line
)

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

// Head returns the first line of a rule, which says it in short; "" for an unknown one.
func Head(name string) string {
	text, _ := Text(name)
	head, _, _ := strings.Cut(text, "\n")
	return head
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
