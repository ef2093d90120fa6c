package azuredevops

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// submission is a pull request with the three places that a head can be read from.
type submission struct {
	repository repository // of the remote; the source branch is in it
	pr         pullRequest
	last       int    // iteration
	head       string // of the last iteration
	tip        string // of the source branch, "" where it is gone
}

// PullRequest finds the pull request of the delivery's branch.
func (p *Provider) PullRequest(ctx context.Context, t provider.Target) (provider.Answer, error) {
	return p.read(ctx, t, "the pull request", func(ctx context.Context, s *session) (found, error) {
		sub, f, err := s.submission(ctx, t)
		if err != nil || f != nil {
			return settled(f), err
		}
		v := sub.judge()
		out := found{verdict: v, Head: t.Head, URL: s.page(sub.pr), Basis: sub.basis(), Summary: sub.summary(v), Body: sub.pr.Description}
		out.Signature = "pull-request/" + sub.pr.MergeStatus
		if sub.pr.Status == statusAbandoned {
			out.Signature = "pull-request/abandoned"
		}
		var c commit
		if err := s.get(ctx, s.inRepository(sub.repository, "the commit "+short(t.Head), "commits", t.Head), &c); err != nil {
			return out, err
		}
		if c.CommitID != t.Head || !isObject(c.TreeID) {
			return out, &ReadError{What: "the commit " + short(t.Head), Err: shape("it is another commit, or has no tree")}
		}
		out.Tree = c.TreeID
		return out, s.still(ctx, sub)
	})
}

func settled(f *found) found {
	if f == nil {
		return found{}
	}
	return *f
}

// judge says whether the pull request, which is of the submitted head, is as it should be.
func (u submission) judge() verdict {
	name := fmt.Sprintf("pull request %d", u.pr.ID)
	switch u.pr.Status {
	case statusCompleted:
		return pass(name)
	case statusAbandoned:
		return fail(name, "it was abandoned; somebody has to reactivate it, or to open another one")
	}
	switch u.pr.MergeStatus {
	case "succeeded": // says that there is no conflict, and nothing of policies
		return pass(name)
	case "queued", "notSet", "":
		return pending(name, "the service is still trying the merge")
	case "conflicts":
		return fail(name, "it conflicts with "+u.pr.TargetRefName)
	case "rejectedByPolicy":
		return fail(name, "a policy rejects the merge")
	case "failure":
		return unknown(name, "the service's own attempt to merge failed; its page says why")
	}
	return unknown(name, fmt.Sprintf("its merge status is %.40q, which is not known here", u.pr.MergeStatus))
}

func (u submission) summary(v verdict) string {
	parts := []string{fmt.Sprintf("pull request %d to %s is %s at %s", u.pr.ID, strings.TrimPrefix(u.pr.TargetRefName, "refs/heads/"), u.pr.Status, short(u.head))}
	if u.pr.IsDraft {
		parts = append(parts, "it is a draft")
	}
	if u.pr.AutoCompleteSetBy != nil {
		parts = append(parts, fmt.Sprintf("it will complete by itself when policies allow (set by %s)", u.pr.AutoCompleteSetBy.name()))
	}
	if u.pr.ForkSource != nil {
		parts = append(parts, "it comes from the fork "+u.pr.ForkSource.Repository.Name)
	}
	if v.Result == evidence.Pass && u.pr.Status == statusActive {
		parts = append(parts, "no conflict")
	}
	return strings.Join(parts, "; ")
}

func (u submission) basis() []any {
	return []any{map[string]any{"pullRequest": map[string]any{
		"id": u.pr.ID, "status": u.pr.Status, "mergeStatus": u.pr.MergeStatus, "isDraft": u.pr.IsDraft, "autoComplete": u.pr.AutoCompleteSetBy != nil,
		"source": u.pr.SourceRefName, "target": u.pr.TargetRefName, "project": u.pr.Repository.Project.ID, "repository": u.pr.Repository.ID,
		"iteration": u.last, "head": u.head, "tip": u.tip, "lastMergeSource": commitOf(u.pr.LastMergeSourceCommit),
	}}}
}

// submission finds the pull request and binds it to the head. What already decides the
// read (no pull request, another head) is returned as found.
func (s *session) submission(ctx context.Context, t provider.Target) (submission, *found, error) {
	var u submission
	if !isObject(t.Head) {
		return u, nil, fmt.Errorf("%.60q is no commit", t.Head)
	}
	if _, err := s.me(ctx); err != nil {
		return u, nil, err
	}
	if err := s.get(ctx, s.repository(), &u.repository); err != nil {
		return u, nil, err
	}
	s.identity = identityOf(u.repository)
	if t.Repository != "" && t.Repository != s.identity {
		return u, nil, fmt.Errorf("the remote's name now stands for another repository (%s) than the one that was read first (%s)", s.identity, t.Repository)
	}
	none, err := s.find(ctx, &u, t)
	if none != nil || err != nil {
		return u, none, err
	}
	if err := s.heads(ctx, &u); err != nil {
		return u, nil, err
	}
	if u.head != t.Head || u.pr.Status == statusActive && u.tip != t.Head {
		return u, &found{
			verdict: unknown("head", fmt.Sprintf("the pull request is at %s, its branch at %s, and the delivery at %s", short(u.head), short(u.tip), short(t.Head))),
			Summary: fmt.Sprintf("pull request %d is at another commit", u.pr.ID), Head: u.head, URL: s.page(u.pr), Basis: u.basis(),
		}, nil
	}
	if m := commitOf(u.pr.LastMergeSourceCommit); m != t.Head && u.pr.Status == statusActive {
		return u, &found{
			verdict: pending("head", fmt.Sprintf("the service last tried to merge %s, and the delivery is at %s", cmp.Or(short(m), "nothing"), short(t.Head))),
			Summary: fmt.Sprintf("pull request %d has not caught up with its branch", u.pr.ID), Head: t.Head, URL: s.page(u.pr), Basis: u.basis(),
		}, nil
	}
	return u, nil, nil
}

// find reads the pull request that was read before, or the one of the branch. Where the
// remote is a fork, it may lie in the fork's parent.
func (s *session) find(ctx context.Context, u *submission, t provider.Target) (*found, error) {
	source := "refs/heads/" + t.Branch
	for _, into := range []*repository{&u.repository, u.repository.Parent} {
		if into == nil {
			continue
		}
		id := s.numberIn(*into, t.PullRequest)
		if id == 0 {
			continue
		}
		if err := s.pullRequest(ctx, *into, id, &u.pr); err != nil {
			return nil, err
		}
		if !strings.EqualFold(u.pr.source().ID, u.repository.ID) || u.pr.SourceRefName != source {
			return nil, fmt.Errorf("pull request %d is of %s in the repository %s, and the delivery's branch is %s in %s", id, u.pr.SourceRefName, u.pr.source().Name, source, u.repository.Name)
		}
		return nil, nil
	}
	var candidates []pullRequest
	for _, status := range []string{statusActive, "all"} {
		for _, into := range []*repository{&u.repository, u.repository.Parent} {
			if into == nil {
				continue
			}
			some, err := s.search(ctx, *into, u.repository, source, status)
			if err != nil {
				return nil, err
			}
			candidates = append(candidates, some...)
		}
		if len(candidates) > 0 {
			break
		}
	}
	target := "refs/heads/" + t.Base
	here := slices.DeleteFunc(slices.Clone(candidates), func(p pullRequest) bool { return p.TargetRefName != target })
	switch {
	case len(here) > 1 && here[0].Status == statusActive:
		return nil, fmt.Errorf("there are %d open pull requests from %s to %s: %d and %d among them; one has to be abandoned", len(here), source, target, here[0].ID, here[1].ID)
	case len(here) > 0:
		// Of several that are closed the newest counts, which the service lists first.
		newest := slices.MaxFunc(here, func(a, b pullRequest) int { return a.ID - b.ID })
		return nil, s.pullRequest(ctx, newest.Repository, newest.ID, &u.pr)
	case len(candidates) > 0 && candidates[0].Status == statusActive:
		return &found{
			verdict: fail("pull request", fmt.Sprintf("pull request %d goes to %s and not to %s", candidates[0].ID, candidates[0].TargetRefName, target)),
			Summary: "the branch's pull request has another target", Head: t.Head, URL: s.page(candidates[0]), Signature: "pull-request/other-target",
		}, nil
	}
	tip, err := s.tip(ctx, u.repository, source)
	if err != nil {
		return nil, err
	}
	if tip == "" {
		return &found{
			verdict: fail("pull request", "the branch "+t.Branch+" was not pushed"), Summary: fmt.Sprintf("branch %s is not on %s", t.Branch, t.Remote),
			Head: t.Head, Signature: "pull-request/not-pushed",
		}, nil
	}
	return &found{
		verdict: fail("pull request", "nobody has opened one"), Summary: fmt.Sprintf("there is no pull request from %s to %s", t.Branch, t.Base),
		Head: t.Head, Signature: "pull-request/not-opened",
	}, nil
}

// search lists pull requests from a branch of a repository into another or the same one.
func (s *session) search(ctx context.Context, into, from repository, source, status string) ([]pullRequest, error) {
	r := s.inRepository(into, "the pull requests of "+source, "pullrequests")
	r.query = url.Values{"searchCriteria.sourceRefName": {source}, "searchCriteria.sourceRepositoryId": {from.ID}, "searchCriteria.status": {status}}
	all, err := collect(ctx, s, r, func(p pullRequest) string { return strconv.Itoa(p.ID) })
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if err := p.check(); err != nil {
			return nil, &ReadError{What: r.what, Err: err}
		}
	}
	// A fork's branch of the same name is somebody else's.
	return slices.DeleteFunc(all, func(p pullRequest) bool {
		return !strings.EqualFold(p.source().ID, from.ID) || !strings.EqualFold(p.Repository.ID, into.ID) || p.SourceRefName != source
	}), nil
}

func (s *session) pullRequest(ctx context.Context, into repository, id int, pr *pullRequest) error {
	r := s.inRepository(into, fmt.Sprintf("pull request %d", id), "pullRequests", strconv.Itoa(id))
	var now pullRequest // what is not in this answer must not stay from an earlier one
	if err := s.get(ctx, r, &now); err != nil {
		return err
	}
	if now.ID != id || !strings.EqualFold(now.Repository.ID, into.ID) {
		return &ReadError{What: r.what, Err: shape("it is another pull request")}
	}
	*pr = now
	return nil
}

// heads reads the iterations and the tip of the branch, in this order: what was pushed
// in between is in the second one alone, and so is seen.
func (s *session) heads(ctx context.Context, u *submission) error {
	r := s.ofPull(u.pr, "the iterations of the pull request", "iterations")
	var all list[iteration]
	if err := s.get(ctx, r, &all); err != nil {
		return err
	}
	u.last, u.head = 0, ""
	for _, i := range all.Value {
		if i.ID > u.last {
			u.last, u.head = i.ID, commitOf(i.SourceRefCommit)
		}
	}
	if !isObject(u.head) {
		return &ReadError{What: r.what, Err: shape("there is no iteration, or the last one has no commit")}
	}
	var err error
	u.tip, err = s.tip(ctx, u.pr.source(), u.pr.SourceRefName)
	return err
}

func (s *session) tip(ctx context.Context, in repository, name string) (string, error) {
	r := s.inRepository(in, "the branch "+name, "refs")
	r.query = url.Values{"filter": {strings.TrimPrefix(name, "refs/")}}
	var all list[ref]
	if err := s.get(ctx, r, &all); err != nil {
		return "", err
	}
	for _, found := range all.Value {
		if found.Name != name { // the filter is a prefix
			continue
		}
		if !isObject(found.ObjectID) {
			return "", &ReadError{What: r.what, Err: shape("it has no commit")}
		}
		return found.ObjectID, nil
	}
	return "", nil
}

// still reads again, after all else, what the verdict is bound to.
func (s *session) still(ctx context.Context, u submission) error {
	now := u
	if err := s.pullRequest(ctx, u.pr.Repository, u.pr.ID, &now.pr); err != nil {
		return err
	}
	if err := s.heads(ctx, &now); err != nil {
		return err
	}
	if now.head != u.head || now.last != u.last || now.tip != u.tip {
		return fmt.Errorf("the branch moved from %s to %s while it was read", short(u.head), short(cmp.Or(now.tip, now.head)))
	}
	// A merge that was queued may be done by now; only one that was good may not be so any more.
	if now.pr.Status != u.pr.Status || now.pr.TargetRefName != u.pr.TargetRefName || now.pr.IsDraft != u.pr.IsDraft || u.pr.MergeStatus == "succeeded" && now.pr.MergeStatus != u.pr.MergeStatus {
		return fmt.Errorf("the pull request changed while it was read: it is %s to %s now, its merge %s", now.pr.Status, now.pr.TargetRefName, now.pr.MergeStatus)
	}
	return nil
}
