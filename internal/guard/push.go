package guard

import "strings"

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

// Push judges the refs that Git is about to send. A push without refs sends nothing.
func (s Situation) Push(refs []RefUpdate) Verdict {
	var out Verdict
	for _, r := range refs {
		if v := s.update(r); v.Decision > out.Decision {
			out = v
		}
	}
	if len(refs) > 0 && out.Decision == Pass && s.PushTo != "" && s.Remote != "" && s.PushTo != s.Remote {
		out = deny(RuleBranch, "this is not the remote of the delivery, "+s.Remote, hintPush)
	}
	return s.settle(out)
}

func (s Situation) update(r RefUpdate) Verdict {
	branch, isBranch := strings.CutPrefix(r.RemoteRef, "refs/heads/")
	switch {
	case none(r.LocalOID):
		return deny(RuleDelete, clip(r.RemoteRef)+" would be deleted", hintPush)
	case isBranch && s.guarded(branch):
		return deny(RuleBase, clip(branch)+" is a branch that only a merged pull request changes", hintPush)
	case !none(r.RemoteOID) && !r.Known:
		return deny(RuleForce, "the commit of "+clip(r.RemoteRef)+" is not known here, and could be taken away", "fetch, and build on what is there")
	case !none(r.RemoteOID) && !r.FastForward:
		return forced("a push that does not build on " + clip(r.RemoteRef))
	case r.RemoteRef != notesRef && (!isBranch || s.Branch == "" || branch != s.Branch):
		return deny(RuleBranch, clip(r.RemoteRef)+" is not the delivery's branch", hintPush)
	case s.Confirmed == nil:
		return deny(RuleConfirm, "no push is confirmed", "announce the pull request with asterweave-state intend pr, and wait for a person to confirm it")
	case isBranch && s.Confirmed.Head != r.LocalOID:
		return deny(RuleConfirm, "the commit is not the one that a person confirmed", "announce the pull request with asterweave-state intend pr once more")
	}
	return Verdict{}
}

// none reports whether an object id stands for no object.
func none(oid string) bool { return strings.Trim(oid, "0") == "" }
