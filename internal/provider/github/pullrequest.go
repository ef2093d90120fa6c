package github

import (
	"context"
	"fmt"
	"strings"
	"time"

	api "github.com/google/go-github/v62/github"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// PullRequest reads the pull request of the delivery's branch. It passes where its head,
// the tip of its branch and the submitted commit are the same, it goes to the delivery's
// base and is open or merged.
func (p *Provider) PullRequest(ctx context.Context, t provider.Target) (provider.Answer, error) {
	r, err := p.begin(ctx, t)
	if err != nil {
		return provider.Answer{}, err
	}
	number, err := r.locate(ctx, t)
	if err != nil {
		return r.unknown(err), nil
	}
	if number == 0 {
		a := r.answer()
		a.Result, a.Signature = evidence.Fail, "pull-request/none"
		a.Summary = fmt.Sprintf("%s has no pull request of the branch %s", r.asked, t.Branch)
		return a, nil
	}
	plain, err := r.plain(ctx, number)
	if err != nil {
		return r.unknown(err), nil
	}
	first, err := r.pull(ctx, number)
	if err != nil {
		return r.unknown(err), nil
	}
	tree, err := r.tree(ctx, first.Head)
	if err != nil {
		return r.unknown(err, first), nil
	}
	last, err := r.pull(ctx, number)
	if err != nil {
		return r.unknown(err, first), nil
	}
	if err := first.moved(last); err != nil {
		return r.unknown(err, first, last), nil
	}
	if sha, base := plain.GetHead().GetSHA(), plain.GetBase().GetRef(); sha != last.Head || base != last.Base {
		return r.unknown(fmt.Errorf("%w: it was %.12s into %s and is %.12s into %s", errMoved, sha, base, last.Head, last.Base), first, last), nil
	}
	a := r.answer(last)
	a.Head, a.Tree, a.URL, a.Body = last.Head, tree, last.URL, plain.GetBody()
	told := last.told()
	if now := r.renamed(); now != "" {
		told = append(told, now)
	}
	told = append(told, merges(plain)...)
	a.Summary = fmt.Sprintf("pull request #%d of %s into %s is %s at %.12s", last.Number, last.HeadName, last.Base, last.standing(), last.Head)
	if len(told) > 0 {
		a.Summary += "; " + strings.Join(told, "; ")
	}
	a.Result, a.Because, a.Signature, a.Pending = last.verdict(t)
	return a, nil
}

// verdict holds the pull request against what was submitted.
func (p pull) verdict(t provider.Target) (result evidence.Result, because, signature string, wait bool) {
	if p.State == stateClosed && p.Head == t.Head {
		return evidence.Fail, "the pull request was closed without being merged", "pull-request/closed", false
	}
	if why, wait := p.stands(t); why != "" {
		return evidence.Unknown, why, "", wait
	}
	if why := p.otherBase(t); why != "" {
		return evidence.Fail, why, "pull-request/base", false
	}
	return evidence.Pass, "", "", false
}

// plain reads the pull request as REST tells it, which alone says whether it conflicts.
// GitHub works that out when it is first asked, so that a missing answer is asked for
// again a few times; it decides nothing, and is told.
func (r *reading) plain(ctx context.Context, number int) (*api.PullRequest, error) {
	path := r.path("/pulls/%d", number)
	for wait := time.Second; ; wait *= 2 {
		var pr api.PullRequest
		if _, err := r.get(ctx, path, &pr); err != nil {
			return nil, err
		}
		if pr.GetNumber() != number || !isCommit(pr.GetHead().GetSHA()) || pr.GetBase().GetRef() == "" || pr.GetBase().GetRepo().GetID() == 0 {
			return nil, fmt.Errorf("GET %s: the answer names no pull request with that number, head and base", path)
		}
		if err := r.confirm(pr.GetBase().GetRepo().GetID(), pr.GetBase().GetRepo().GetFullName()); err != nil {
			return nil, err
		}
		path = r.path("/pulls/%d", number) // by its name of today
		if pr.Mergeable != nil || pr.GetState() != "open" || wait > 4*time.Second {
			return &pr, nil
		}
		if err := r.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// merges says what REST tells of merging.
func merges(pr *api.PullRequest) []string {
	if pr.GetState() != "open" {
		return nil
	}
	var told []string
	switch {
	case pr.Mergeable == nil:
		told = append(told, "whether it conflicts with its base is not known yet")
	case !pr.GetMergeable():
		told = append(told, "it conflicts with its base")
	}
	if s := pr.GetMergeableState(); s != "" && s != "unknown" {
		told = append(told, "merge state "+s)
	}
	return told
}

// tree reads the tree of a commit.
func (r *reading) tree(ctx context.Context, commit string) (string, error) {
	var c api.Commit
	path := r.path("/git/commits/%s", commit)
	if _, err := r.get(ctx, path, &c); err != nil {
		return "", err
	}
	if c.GetSHA() != commit || !isCommit(c.GetTree().GetSHA()) {
		return "", fmt.Errorf("GET %s: the answer names no tree of that commit", path)
	}
	return c.GetTree().GetSHA(), nil
}
