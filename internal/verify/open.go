package verify

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/config"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/gitrepo"
)

// AllowedSigners is where the base branch lists whose signatures count, in the format
// of ssh-keygen(1), ALLOWED SIGNERS.
const AllowedSigners = ".claude/asterweave.allowed_signers"

const fullHistory = "fetch the whole history of head and base (fetch-depth: 0)"

// lookHead holds that the checkout is the head, clean, and that the base is there.
func (j *job) lookHead(ctx context.Context) Check {
	h, err := j.repo.Head(ctx)
	switch {
	case err != nil:
		return unknown("check the head of the pull request out", "the checkout's head cannot be read: %v", err)
	case h.Unborn:
		return shut("check the head of the pull request out", "the checkout has no commit")
	}
	want := j.o.Head
	if want == "" {
		want = h.Commit
	}
	j.verdict.Commit = want
	if want != h.Commit {
		return shut("check the head itself out: with actions/checkout, ref: ${{ github.event.pull_request.head.sha }}",
			"the checkout is at %.12s, a test merge or another commit, and the pull request's head is %.12s", h.Commit, want)
	}
	tree, err := j.filesTree(ctx)
	switch {
	case err != nil || len(tree.Unknown) > 0:
		return unknown("check it out again", "the files of the checkout cannot be compared with the commit: %v %s", err, strings.Join(tree.Unknown, "; "))
	case tree.ID != h.Tree:
		return shut("verify before anything else is done in the checkout", "the files of the checkout are not those of the commit %.12s", h.Commit)
	}
	if c := j.findBase(ctx, h); c.State != Open {
		return c
	}
	j.head, j.tree = h.Commit, h.Tree
	return open("the checkout is the head %.12s, and the base is %s at %.12s", h.Commit, j.verdict.Base, j.baseTip)
}

// filesTree computes the tree of the checkout's files, and leaves nothing there.
func (j *job) filesTree(ctx context.Context) (gitrepo.Tree, error) {
	scratch, err := os.MkdirTemp("", "asterweave-verify-")
	if err != nil {
		return gitrepo.Tree{}, err
	}
	defer func() { _ = os.RemoveAll(scratch) }() // what stays behind is the system's to clean
	return j.repo.Tree(ctx, gitrepo.TreeOptions{StateDir: scratch, Fresh: true})
}

// findBase finds the base branch, where it and the head part, and its policy.
func (j *job) findBase(ctx context.Context, h gitrepo.Head) Check {
	remote, base := j.o.Remote, j.o.Base
	if remote == "" {
		var err error
		if remote, err = j.repo.Remote(ctx); err != nil {
			return unknown("", "the remote cannot be found: %v", err)
		}
	}
	if base == "" {
		// Nothing but what the remote says: the branch that is checked out is not its own base.
		var err error
		if base, err = j.repo.RemoteHead(ctx, remote); err != nil || base == "" {
			return unknown("name the base branch with --base", "the base branch is not known: the remote %q names none here", remote)
		}
	}
	j.o.Remote, j.verdict.Base = remote, base
	ref, err := j.repo.BaseRef(ctx, remote, base)
	if err == nil {
		j.baseTip, err = j.repo.CommitOf(ctx, ref)
	}
	if err != nil {
		return unknown(fullHistory, "the base branch %s is not here: %v", base, err)
	}
	if j.merge, err = j.repo.MergeBase(ctx, h, remote, base); err != nil {
		return unknown(fullHistory, "where %.12s and %s part is not known: %v", h.Commit, base, err)
	}
	b, there, err := j.objects.File(ctx, j.baseTip, document.ConfigPath)
	if err != nil {
		return unknown(fullHistory, "%s of the base branch cannot be read: %v", document.ConfigPath, err)
	}
	if there {
		var problems []document.Problem
		if j.policy, problems = config.Parse(b); len(problems) > 0 {
			return shut("correct it on the base branch", "%s of the base branch is not valid: %s", document.ConfigPath, problems[0])
		}
	}
	if j.allowed, _, err = j.objects.File(ctx, j.baseTip, AllowedSigners); err != nil {
		return unknown(fullHistory, "%s of the base branch cannot be read: %v", AllowedSigners, err)
	}
	return open("")
}

// lookBundle holds that there is one bundle that can be read.
func (j *job) lookBundle(ctx context.Context) Check {
	if j.head == "" {
		return waits(CheckHead)
	}
	envelopes := [][]byte{bytes.TrimSpace(j.o.Envelope)}
	if j.o.Envelope == nil {
		note, err := j.repo.Note(ctx, bundle.NotesRef, j.head)
		switch {
		case err != nil:
			return unknown("fetch "+bundle.NotesRef+" from the remote", "the note of %.12s cannot be read: %v", j.head, err)
		case note == nil:
			return shut("export the delivery with --note and push "+bundle.NotesRef+" with the branch; here, fetch that ref before",
				"%.12s has no note under %s", j.head, bundle.NotesRef)
		}
		envelopes = bytes.Split(bytes.TrimSpace(note), []byte("\n"))
	}
	return j.choose(envelopes)
}

// choose takes the longest bundle of the delivery. Of several deliveries one has to be
// named: which of them the pull request is about is not ours to guess.
func (j *job) choose(envelopes [][]byte) Check {
	deliveries := map[string]bool{}
	var bad error
	for _, e := range envelopes {
		sent, s, err := read(e, j.o)
		if err != nil {
			bad = err
			continue
		}
		p := s.Predicate
		if j.o.Delivery != "" && p.Delivery.ID != j.o.Delivery {
			continue
		}
		deliveries[p.Delivery.ID] = true
		if j.says == nil || j.says.Predicate.Ledger.Events < p.Ledger.Events {
			j.says, j.sent = &s, sent
		}
	}
	var version *bundle.VersionError
	switch {
	case bad != nil && (j.says == nil || len(envelopes) == 1):
		j.says = nil
		if errors.As(bad, &version) {
			return unknown("use a version of asterweave-state that knows it", "%v", bad)
		}
		return shut("export it anew", "the bundle cannot be read: %v", bad)
	case j.says == nil:
		return shut("", "there is no bundle of the delivery %s", j.o.Delivery)
	case len(deliveries) > 1:
		j.says = nil
		return unknown("name one with --delivery", "the note holds bundles of %d deliveries", len(deliveries))
	}
	j.verdict.Delivery = j.says.Predicate.Delivery.ID
	return open("delivery %s, %d events", j.verdict.Delivery, j.says.Predicate.Ledger.Events)
}

func read(envelope []byte, o Options) (bundle.Signed, bundle.Statement, error) {
	sent, err := bundle.Open(envelope)
	if err != nil {
		return sent, bundle.Statement{}, err
	}
	s, err := bundle.Decode(sent.Payload)
	if err == nil && o.Schema != nil {
		err = o.Schema(sent.Payload)
	}
	return sent, s, err
}

// lookSignature holds the signatures against those whom the base branch lists.
func (j *job) lookSignature(context.Context) Check {
	if j.says == nil {
		return waits(CheckBundle)
	}
	const list = "list the key in " + AllowedSigners + " on the base branch, by a change of its own"
	if len(j.sent.Signatures) == 0 {
		switch {
		case j.policy.Unsigned == "refuse" || j.policy.Unsigned == "" && len(j.allowed) > 0:
			return shut("export it with --sign", "the bundle is not signed, and the base branch asks for it")
		case j.policy.Unsigned == "allow":
			return open("the bundle is not signed; the base branch allows that")
		}
		return open("the bundle is not signed; the base branch neither lists signers nor says \"unsigned\":\"refuse\"")
	}
	who, refused := j.o.Signers(j.sent, j.allowed, j.o.Now())
	j.verdict.Signers = who
	switch {
	case len(who) == 0 && len(j.allowed) == 0 && j.policy.Unsigned != "refuse":
		return open("the bundle is signed, and the base branch lists no signers: it counts as not signed, which is allowed (%s)", strings.Join(refused, "; "))
	case len(who) == 0:
		return shut(list, "no signature counts: %s", strings.Join(refused, "; "))
	}
	return open("signed by %s; that says which account, not that a person did it", strings.Join(who, ", "))
}
