package github

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// Checks reads the required checks of the submitted commit. What was reported is read by
// the commit and never by the branch, also for the test merge, and the pull request is
// looked at again after the last of it.
func (p *Provider) Checks(ctx context.Context, t provider.Target) (provider.Answer, error) {
	r, err := p.begin(ctx, t)
	if err != nil {
		return provider.Answer{}, err
	}
	number, err := r.locate(ctx, t)
	if err != nil {
		return r.unknown(err), nil
	}
	if number == 0 {
		return r.unknown(fmt.Errorf("%s has no pull request of the branch %s", r.asked, t.Branch)), nil
	}
	first, err := r.pull(ctx, number)
	if err != nil {
		return r.unknown(err), nil
	}
	if why, wait := standsFor(first, t); why != "" {
		a := r.answer(first)
		a.Head, a.URL = first.Head, first.URL
		a.Result, a.Summary, a.Because, a.Pending = evidence.Unknown, "the pull request is not what was submitted", why, wait
		return a, nil
	}
	f, err := r.gather(ctx, first, t)
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
	f.MergeState = last.MergeState
	f.Conflicts = last.Mergeable == "CONFLICTING"
	f.Fresh = last.fresh(r.now())
	f.Notes = append(f.Notes, last.told()...)
	v := f.rule()
	if v.Result == evidence.Pass && last.MergeState == "BLOCKED" {
		v.Summary += "; GitHub says the merge is blocked: by reviews, another gate or a rule that cannot be seen"
	}
	decided := []any{last, f}
	for _, j := range v.Checks {
		decided = append(decided, j)
	}
	a := r.answer(decided...)
	a.Head, a.URL = t.Head, last.URL+"/checks"
	a.Result, a.Because, a.Signature, a.Pending, a.Unreported = v.Result, v.Because, v.Signature, v.Pending, v.Unreported
	a.Summary = v.Summary
	return a, nil
}

// standsFor is why checks of a pull request are not those of the submission.
func standsFor(p pull, t provider.Target) (why string, wait bool) {
	if p.State == stateClosed {
		return "the pull request was closed without being merged", false
	}
	if why, wait = p.stands(t); why != "" {
		return why, wait
	}
	return p.otherBase(t), false
}

// gather reads everything that the verdict is made from.
func (r *reading) gather(ctx context.Context, p pull, t provider.Target) (facts, error) {
	d, err := r.demands(ctx, p.Number, p.Base)
	if err != nil {
		return facts{}, err
	}
	f := facts{Head: p.Head, Required: d.required, Unread: d.unread, Others: d.others, Notes: d.notes, Strict: d.strict, Untold: d.untold || len(d.unread) > 0, Open: p.State == stateOpen, Configured: len(t.Required) > 0, Asking: t.Asking}
	for _, name := range t.Required {
		f.Required.add(name, 0, fromConfiguration)
	}
	var blind string
	if f.Entries, blind, err = r.reported(ctx, p.Number, p.Head); err != nil {
		return facts{}, err
	}
	if blind != "" {
		f.Unread = append(f.Unread, blind)
	}
	if f.Configured && len(f.Unread) > 0 {
		f.Notes = append(f.Notes, "the configuration's list stands for what could not be read of the rules: "+strings.Join(f.Unread, "; "))
	}
	if f.Awaiting, err = r.awaiting(ctx, p.Head, slices.ContainsFunc(f.Entries, func(e entry) bool { return e.Kind == checkRun })); err != nil {
		return facts{}, err
	}
	queue, err := r.queue(ctx, p)
	if err != nil {
		return facts{}, err
	}
	if queue != "" {
		f.Notes = append(f.Notes, queue)
	}
	if test := p.testMerge(); test != "" {
		merged, blind, err := r.reported(ctx, p.Number, test)
		if err != nil {
			return facts{}, err
		}
		if blind != "" && !slices.Contains(f.Unread, blind) {
			f.Unread = append(f.Unread, blind)
		}
		if len(merged) > 0 {
			f.Notes = append(f.Notes, fmt.Sprintf("%d of them on the test merge %.12s", len(merged), test))
		}
		f.Entries = append(f.Entries, merged...)
	}
	return f, nil
}

// queue reads the merge queue. Its checks are of the group's commit and gate the merge;
// they never stand for those of the head.
func (r *reading) queue(ctx context.Context, p pull) (string, error) {
	var data struct {
		Repository *struct {
			PullRequest *struct {
				HeadRefOid string `json:"headRefOid"`
				In         bool   `json:"isInMergeQueue"`
				Enabled    bool   `json:"isMergeQueueEnabled"`
				Entry      *struct {
					State      string `json:"state"`
					HeadCommit *struct {
						OID string `json:"oid"`
					} `json:"headCommit"`
				} `json:"mergeQueueEntry"`
			} `json:"pullRequest"`
		} `json:"repository"`
	}
	err := r.query(ctx, "Queue", r.variables(p.Number), &data)
	switch {
	case undefined(err):
		return "", nil // a server without a merge queue
	case err != nil:
		return "", err
	case data.Repository == nil || data.Repository.PullRequest == nil:
		return "", fmt.Errorf("query Queue: the answer has no pull request")
	case data.Repository.PullRequest.HeadRefOid != p.Head:
		return "", fmt.Errorf("%w: the head was %.12s and is %.12s", errMoved, p.Head, data.Repository.PullRequest.HeadRefOid)
	}
	q := data.Repository.PullRequest
	switch {
	case q.In && q.Entry != nil && q.Entry.HeadCommit != nil:
		return fmt.Sprintf("it is in the merge queue (%s), whose own checks are of the group %.12s and not counted here", q.Entry.State, q.Entry.HeadCommit.OID), nil
	case q.In:
		return "it is in the merge queue, whose own checks are not counted here", nil
	case q.Enabled:
		return "the base has a merge queue, whose own checks come later", nil
	}
	return "", nil
}
