package guard

import (
	"slices"
	"strings"
)

// notesRef holds the evidence that travels with a branch.
const notesRef = "refs/notes/asterweave"

// RefUpdate is a line of what Git's pre-push hook reads, and the facts about it.
type RefUpdate struct {
	LocalRef  string
	LocalOID  string
	RemoteRef string
	RemoteOID string

	Known       bool // the remote's object is here
	FastForward bool // the remote's object is an ancestor of the local one
}

// Push judges the refs that Git is about to send from the delivery's worktree. A push
// without refs sends nothing.
func (s Situation) Push(refs []RefUpdate) Verdict {
	var all []Verdict
	for _, r := range refs {
		all = append(all, s.update(r)...)
	}
	if len(refs) > 0 {
		all = append(all, s.destinationOf()...)
	}
	return s.strictest(all)
}

// PushElsewhere judges a push from another repository that goes where the delivery goes,
// or into its repository, while the delivery is open.
func (s Situation) PushElsewhere(refs []RefUpdate) Verdict {
	if len(refs) == 0 {
		return Verdict{}
	}
	return s.strictest([]Verdict{deny(RuleElsewhere, "the push is not from the delivery's worktree, and goes to the delivery's repository", "push from the worktree of the delivery")})
}

// strictest returns the strictest of the verdicts that nobody let through, of equal ones
// the first.
func (s Situation) strictest(all []Verdict) Verdict {
	var out Verdict
	for _, v := range all {
		if v.Decision > out.Decision && !s.letsPush(v.Rule) {
			out = v
		}
	}
	return s.settle(out)
}

// update judges one ref by every rule.
func (s Situation) update(r RefUpdate) []Verdict {
	var out []Verdict
	branch, isBranch := strings.CutPrefix(r.RemoteRef, "refs/heads/")
	gone := none(r.LocalOID)
	if gone {
		out = append(out, deny(RuleDelete, clip(r.RemoteRef)+" would be deleted", hintPush))
	}
	if isBranch && s.guarded(branch) {
		out = append(out, deny(RuleBase, clip(branch)+" is a branch that only a merged pull request changes", hintPush))
	}
	switch {
	case gone || none(r.RemoteOID):
	case !r.Known:
		out = append(out, deny(RuleForce, "the commit of "+clip(r.RemoteRef)+" is not known here, and could be taken away", "fetch, and build on what is there"))
	case !r.FastForward:
		out = append(out, forced("a push that does not build on "+clip(r.RemoteRef)))
	}
	if r.RemoteRef != notesRef && (!isBranch || s.Branch == "" || branch != s.Branch) {
		out = append(out, deny(RuleBranch, clip(r.RemoteRef)+" is not the delivery's branch", hintPush))
	}
	switch {
	case s.Confirmed == nil:
		out = append(out, deny(RuleConfirm, "no push is confirmed", "announce the pull request with asterweave-state intend pr, and wait for a person to confirm it"))
	case isBranch && !gone && s.Confirmed.Head != r.LocalOID:
		out = append(out, deny(RuleConfirm, "the commit is not the one that a person confirmed", "announce the pull request with asterweave-state intend pr once more"))
	}
	return out
}

// destinationOf judges where Git pushes to.
func (s Situation) destinationOf() []Verdict {
	switch {
	case s.PushTo != "" && s.Remote != "" && s.PushTo != s.Remote:
		return []Verdict{deny(RuleBranch, "this is not the remote of the delivery, "+s.Remote, hintPush)}
	case s.PushURL != "" && s.Confirmed != nil && len(s.Confirmed.URLs) > 0 && !slices.Contains(s.Confirmed.URLs, s.PushURL):
		return []Verdict{deny(RuleConfirm, "the push goes to another address than the one that a person confirmed", "announce the pull request with asterweave-state intend pr once more")}
	}
	return nil
}

// none reports whether an object id stands for no object.
func none(oid string) bool { return strings.Trim(oid, "0") == "" }
