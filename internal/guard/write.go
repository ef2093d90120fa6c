package guard

import (
	"path/filepath"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
)

// Write judges a file that a tool is about to write or take away. What the approved plan
// lets the step change is allowed: a person said yes to it already.
func (s Situation) Write(tool, path string) Verdict {
	if path == "" || strings.ContainsRune(path, 0) {
		return s.settle(unresolved("the file that " + clip(tool) + " writes"))
	}
	e := &env{dir: place{path: s.Cwd, known: s.Cwd != ""}}
	p, full := e.at(path, s.Home)
	if v := s.settle(s.protects(p, full, false, false, false)); v.Decision != Pass {
		return v
	}
	return s.settle(s.policy(p, full))
}

// policy judges a path by what the node may change. Outside of the worktree it has
// no opinion.
func (s Situation) policy(p string, full bool) Verdict {
	if !full || !within(s.Root, p) || p == s.Root {
		return Verdict{}
	}
	rel := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(p, s.Root), "/"))
	if document.InScope(s.Scope.Scratch, rel) {
		return Verdict{}
	}
	if strings.HasSuffix(s.AgentType, "reviewer") {
		return deny(RuleScope, "a reviewer changes no files of the worktree", "say in the verdict what is to be changed")
	}
	switch s.Policy {
	case PolicyNothing, PolicyReadOnly, PolicyStateOnly, PolicyAsEntry:
		return deny(RuleScope, "this step changes no files of the worktree", "write notes and documents outside of the worktree; asterweave-state next says what is due")
	case PolicyScope:
		if !s.Scope.Allows(rel) {
			return deny(RuleScope, "the approved plan does not let this file be changed", "stay in the plan's scope, or complete the step with fail-replan and name the file in the next plan")
		}
		return Verdict{Decision: Allow, Rule: RuleScope}
	case PolicyTests:
		if !(document.Scope{Tests: s.Scope.Tests}).Allows(rel) {
			return deny(RuleScope, "this step changes tests only", "complete the step with fail-retryable to change other files")
		}
		return Verdict{Decision: Allow, Rule: RuleScope}
	}
	return Verdict{}
}
