package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Allowance is what a person let through for a time: what a rule says about one command,
// or about anything. Git's own hook sees no command, and goes by the rule alone.
type Allowance struct {
	Rule    string
	Command string // CommandDigest of the one command; empty for any
}

// CommandDigest names the text of a command, without the blanks around it: its SHA-256,
// in hex.
func CommandDigest(text string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(text)))
	return hex.EncodeToString(sum[:])
}

// Rules returns the rules that a person may let something through of.
func Rules() []string {
	return []string{
		RuleForce, RuleDelete, RuleBase, RuleBranch, RuleConfirm, RuleElsewhere, RuleHooks, RuleConfig, RulePlumbing, RuleSkip, RuleDiscard, RuleProvider,
		RuleClient, RuleWorktree, RuleInline, RuleScope, RuleUnresolved,
	}
}

// Absolute returns the rules that nothing is let through of: they hold who speaks, and
// the record of what was said.
func Absolute() []string {
	return []string{RuleHuman, RuleMarker, RuleTerminal, RuleAgents, RuleState, RuleGitFolder}
}

// lets reports whether a person let through what the rule says about the command with
// that digest, about anything with "".
func (s *Situation) lets(rule, digest string) bool {
	return slices.Contains(Rules(), rule) && slices.ContainsFunc(s.Allowed, func(a Allowance) bool {
		return a.Rule == rule && (a.Command == "" || a.Command == digest)
	})
}

// letsPush is lets for Git's own hook.
func (s *Situation) letsPush(rule string) bool {
	return slices.Contains(Rules(), rule) && slices.ContainsFunc(s.Allowed, func(a Allowance) bool { return a.Rule == rule })
}
