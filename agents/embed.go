// Package agents holds the roles that a delivery's nodes are worked by, one
// markdown file a role. The files are the only source: Claude Code loads them as
// agents of the plugin, and the binary puts their bodies into the prompts that it
// composes.
//
// A body says what the role is, what it may touch, its steps, the exact output
// and when to stop. It is at most MaxBodyBytes long, so that a prompt has room
// for the rest.
package agents

import (
	"embed"
	"strings"
)

// MaxBodyBytes is the longest body that an agent may have.
const MaxBodyBytes = 1800

//go:embed *.md
var files embed.FS

// Names returns the names of the agents, sorted.
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

// Body returns the text of an agent without its front matter, and whether there
// is such an agent. The name is that of the file without ".md".
func Body(name string) (string, bool) {
	text, err := files.ReadFile(name + ".md")
	if err != nil {
		return "", false
	}
	return withoutFrontMatter(string(text)), true
}

// withoutFrontMatter cuts the block between the two lines "---" at the start.
// Text without such a block is returned as it is.
func withoutFrontMatter(text string) string {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return text
	}
	_, body, ok := strings.Cut(rest, "\n---\n")
	if !ok {
		return text
	}
	return strings.TrimLeft(body, "\n")
}
