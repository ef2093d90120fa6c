// Package config reads .claude/asterweave.json, by which a repository tightens
// deliveries: it routes nodes to its own agents and skills, adds gates, redaction
// patterns and required checks, lowers budgets, and says which approvals CI
// accepts. It can never loosen anything.
//
// What is wrong with a file is reported all at once, each problem with the path
// of its field. The package knows no schema compiler, so that hooks can use it;
// schemas/asterweave.schema.json says the same to editors.
package config

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// Bounds of a configuration.
const (
	maxGates    = 64
	maxRoutes   = 64
	maxPatterns = 64
	maxPattern  = 1000 // bytes of one redaction pattern
	maxChecks   = 200
	maxArgs     = 256
	maxText     = 256 // bytes of a name
)

// Config is a configuration with the digest of the bytes it was read from.
type Config struct {
	document.Config
	Digest string // SHA-256 in hex; "" where there is no file
}

// Parse reads a configuration. When there are problems, the Config holds what
// could be read, for display alone.
func Parse(data []byte) (Config, []document.Problem) {
	c := Config{Digest: canon.Hash(data)}
	if err := canon.Strict(data, document.MaxBytes); err != nil {
		return c, []document.Problem{{What: err.Error()}}
	}
	tree, problems := read(data, &c.Config)
	if tree {
		problems = merge(problems, check(c.Config))
	}
	return c, problems
}

// merge adds problems of later checks; a field whose shape is wrong has been
// named already.
func merge(shape, later []document.Problem) []document.Problem {
	named := map[string]bool{}
	for _, p := range shape {
		named[p.Field] = true
	}
	for _, p := range later {
		if !named[p.Field] {
			shape = append(shape, p)
		}
	}
	return shape
}

// Check returns what is wrong with the configuration in its surroundings: nodes
// that the graph does not have, budgets above the graph's, agents and skills that
// are not there. budgets holds the attempts of each node of the graph; exists is
// asked for paths relative to the tree that the configuration was read from.
func (c Config) Check(budgets map[string]int, exists func(path string) bool) []document.Problem {
	var l list
	for _, node := range slices.Sorted(maps.Keys(c.Budgets)) {
		field := join("budgets", node)
		switch limit, known := budgets[node]; {
		case !known:
			l.add(field, "the graph has no such node")
		case c.Budgets[node] > limit:
			l.add(field, "%d is more than the graph's %d; a configuration can only lower it", c.Budgets[node], limit)
		}
	}
	for _, node := range slices.Sorted(maps.Keys(c.Routes)) {
		field := join("routes", node)
		if _, known := budgets[node]; !known {
			l.add(field, "the graph has no such node")
		}
		r := c.Routes[node]
		if path := AgentPath(r.Agent); r.Agent != "" && name(r.Agent) && !exists(path) {
			l.add(field+".agent", "there is no %s", path)
		}
		for i, s := range r.Skills {
			if path := SkillPath(s); name(s) && !exists(path) {
				l.add(item(field+".skills", i), "there is no %s", path)
			}
		}
	}
	return l
}

// AgentPath returns where the definition of a project's agent lies.
func AgentPath(name string) string { return ".claude/agents/" + name + ".md" }

// SkillPath returns where the definition of a project's skill lies.
func SkillPath(name string) string { return ".claude/skills/" + name + "/SKILL.md" }

// check returns what is wrong with the configuration on its own.
func check(c document.Config) []document.Problem {
	var l list
	if c.Version != 1 {
		l.add("version", "is %d; this program reads version 1", c.Version)
	}
	if c.Provider != "" {
		l.oneOf("provider", c.Provider, provider.GitHub, provider.AzureDevOps, provider.Local)
	}
	if c.Base != "" && !branch(c.Base) {
		l.add("base", "%q is no name of a branch", short(c.Base))
	}
	l.argv("test", c.Test)
	l.routes(c.Routes)
	l.gates(c.Gates)
	l.words("requiredChecks", c.RequiredChecks, maxChecks)
	l.patterns(c.Redact)
	for _, node := range slices.Sorted(maps.Keys(c.Budgets)) {
		if c.Budgets[node] < 1 {
			l.add(join("budgets", node), "is %d; a node needs at least one attempt", c.Budgets[node])
		}
	}
	if c.Approvals != nil && len(c.Approvals) == 0 {
		l.add("approvals", "is empty; name at least one channel")
	}
	l.words("approvals", c.Approvals, maxChecks)
	for i, a := range c.Approvals {
		l.oneOf(item("approvals", i), a, evidence.ChannelClient, evidence.ChannelTerminal, evidence.ChannelProvider)
	}
	if c.Unsigned != "" {
		l.oneOf("unsigned", c.Unsigned, "allow", "refuse")
	}
	return l
}

func (l *list) argv(field string, argv []string) {
	if argv == nil {
		return
	}
	switch {
	case len(argv) == 0:
		l.add(field, "is empty")
	case len(argv) > maxArgs:
		l.add(field, "%d words are more than %d", len(argv), maxArgs)
	case strings.TrimSpace(argv[0]) == "":
		l.add(item(field, 0), "is empty")
	case slices.ContainsFunc(argv, func(a string) bool { return strings.ContainsRune(a, 0) }):
		l.add(field, "holds a NUL character")
	}
}

func (l *list) routes(routes map[string]document.Route) {
	if len(routes) > maxRoutes {
		l.add("routes", "%d are more than %d", len(routes), maxRoutes)
		return
	}
	for _, node := range slices.Sorted(maps.Keys(routes)) {
		r := routes[node]
		field := join("routes", node)
		if r.Agent == "" && len(r.Skills) == 0 {
			l.add(field, "names neither an agent nor a skill")
		}
		if r.Agent != "" && !name(r.Agent) {
			l.add(field+".agent", "%q is no name of an agent", short(r.Agent))
		}
		for i, s := range r.Skills {
			if !name(s) {
				l.add(item(field+".skills", i), "%q is no name of a skill", short(s))
			}
		}
	}
}

func (l *list) gates(gates []document.Gate) {
	if len(gates) > maxGates {
		l.add("gates", "%d are more than %d", len(gates), maxGates)
		return
	}
	seen := map[string]int{}
	for i, g := range gates {
		field := item("gates", i)
		*l = append(*l, g.Check(field)...)
		if first, twice := seen[g.ID]; twice {
			l.add(field+".id", "%q is also the id of gates[%d]", short(g.ID), first)
		} else {
			seen[g.ID] = i
		}
	}
}

// words demands texts that differ.
func (l *list) words(field string, words []string, limit int) {
	if len(words) > limit {
		l.add(field, "%d are more than %d", len(words), limit)
		return
	}
	for i, s := range words {
		switch {
		case document.OneLine(s) == "":
			l.add(item(field, i), "is empty")
		case len(s) > maxText:
			l.add(item(field, i), "is longer than %d bytes", maxText)
		case slices.Index(words, s) < i:
			l.add(item(field, i), "%q is there twice", short(s))
		}
	}
}

func (l *list) patterns(patterns []string) {
	if len(patterns) > maxPatterns {
		l.add("redact", "%d are more than %d", len(patterns), maxPatterns)
		return
	}
	for i, p := range patterns {
		field := item("redact", i)
		if len(p) > maxPattern {
			l.add(field, "is longer than %d bytes", maxPattern)
			continue
		}
		switch re, err := regexp.Compile(p); {
		case err != nil:
			l.add(field, "%s", err)
		case re.MatchString(""):
			l.add(field, "%q matches the empty text", short(p))
		}
	}
}

// branch reports whether s can be the name of a branch and not be taken for an
// option or a range by git.
func branch(s string) bool {
	if len(s) > maxText || strings.HasPrefix(s, "-") || strings.HasPrefix(s, "/") || strings.HasSuffix(s, "/") ||
		strings.HasSuffix(s, ".") || strings.HasSuffix(s, ".lock") || strings.Contains(s, "..") || strings.Contains(s, "//") ||
		strings.Contains(s, "@{") || strings.Contains(s, "/.") || s[0] == '.' || s == "@" {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) })
}

// name reports whether s is one file name of letters, digits and ._-.
func name(s string) bool {
	if s == "" || len(s) > 64 || s[0] == '.' || s[0] == '-' {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-", r)
	})
}

// read decodes data as far as its shape allows, and returns everything that is
// wrong with the shape. It reports false when data is no object at all.
func read(data []byte, into *document.Config) (bool, []document.Problem) {
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		// The text is known to be JSON.
		return false, []document.Problem{{What: "a number in it is too large"}}
	}
	var l list
	if !l.prune("", tree, typeOf[document.Config]()) {
		return false, l
	}
	sound, err := json.Marshal(tree)
	if err == nil {
		err = json.Unmarshal(sound, into)
	}
	if err != nil {
		l.add("", "%s", err)
		return false, l
	}
	return true, l
}
