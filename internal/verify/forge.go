package verify

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// ask returns the provider of the pull request and what is asked about. Which one it is
// follows from the event, the base branch and the remote, never from the bundle.
func (j *job) ask(ctx context.Context) (provider.Provider, provider.Target, error) {
	url := ""
	if j.o.Remote != "" {
		var err error
		if url, err = j.repo.RemoteURL(ctx, j.o.Remote); err != nil {
			return nil, provider.Target{}, err
		}
	}
	d := j.fold.Delivery
	t := provider.Target{
		Remote: j.o.Remote, URL: url, Branch: j.fold.Branch, Base: j.verdict.Base, Head: j.head, Source: d.Source,
		Required: j.policy.RequiredChecks, PullRequest: j.o.Pull, Asking: j.o.Asking,
	}
	name := cmp.Or(j.o.System, j.policy.Provider, engine.Forge(url))
	p, err := j.o.Providers(name, j.repo, j.engine.CleanGate(j.view.Facts))
	return p, t, err
}

// said turns an answer of a provider into a check.
func said(a provider.Answer, err error) Check {
	const next = "doctor says what can be read with the token at hand"
	switch {
	case err != nil:
		return unknown(next, "%v", err)
	case a.Result == evidence.Pass || a.Result == evidence.Info:
		return open("%s", a.Summary)
	case a.Result == evidence.Fail:
		return shut("", "%s", detail(a))
	}
	return unknown(next, "%s", detail(a))
}

func detail(a provider.Answer) string {
	return strings.TrimSuffix(a.Summary+": "+a.Because, ": ")
}

// lookPull holds that the pull request is at this head now, which the payload of an
// event that is run again cannot say, and that it anchors this ledger.
func (j *job) lookPull(ctx context.Context) Check {
	if j.view == nil {
		return waits(CheckBase)
	}
	p, t, err := j.ask(ctx)
	if err != nil {
		return unknown("", "%v", err)
	}
	a, err := p.PullRequest(ctx, t)
	if err == nil && a.Head != "" && a.Head != j.head {
		return shut("run the job for the pull request as it is now", "the event is stale: the pull request is at %.12s, and the checkout at %.12s", a.Head, j.head)
	}
	c := said(a, err)
	if c.State != Open {
		return c
	}
	anchor, err := bundle.ReadAnchor(a.Body)
	switch {
	case err != nil && strings.Contains(a.Body, bundle.AnchorStart):
		return shut("renew its text with report --format pr-body", "%v", err)
	case err != nil && p.Name() == provider.Local:
		return c
	case err != nil:
		c.Reason += "; its text does not say how far the ledger was"
		return c
	}
	if err := j.anchored(ctx, anchor); err != nil {
		return shut("export the delivery that the pull request speaks of, or renew its text with report --format pr-body", "the pull request speaks of another ledger: %v", err)
	}
	c.Reason += fmt.Sprintf("; its text holds the ledger fast up to event %d", anchor.Events)
	return c
}

// lookChecks reads the required checks again.
func (j *job) lookChecks(ctx context.Context) Check {
	if j.view == nil {
		return waits(CheckBase)
	}
	p, t, err := j.ask(ctx)
	switch {
	case err != nil:
		return unknown("", "%v", err)
	case p.Name() == provider.Local && j.o.Rerun:
		return open("the remote has no pipeline; the gates that run again here stand for it")
	case p.Name() == provider.Local:
		return unknown("verify with --rerun", "the remote has no pipeline, and the gates were not run again")
	}
	return said(j.await(ctx, func(ctx context.Context) (provider.Answer, error) { return p.Checks(ctx, t) }))
}

// await asks until the provider's answer is final, or the wait ends, at the pace at
// which a delivery's own reads wait. Without a wait it asks once.
func (j *job) await(ctx context.Context, ask func(context.Context) (provider.Answer, error)) (provider.Answer, error) {
	until := j.o.Now().Add(j.o.Wait)
	for asked := 0; ; asked++ {
		a, err := ask(ctx)
		if err != nil || j.o.Wait == 0 || a.Result != evidence.Unknown || !a.Pending && a.RetryAfter == 0 {
			return a, err
		}
		d := engine.Pause(asked, a)
		if d >= until.Sub(j.o.Now()) {
			a.Because = fmt.Sprintf("the wait of %s ended without an answer; last: %s", j.o.Wait, a.Because)
			return a, nil
		}
		if j.o.Progress != nil {
			j.o.Progress(fmt.Sprintf("%s: %s; asking again in %s", CheckChecks, a.Because, d.Round(time.Second)))
		}
		if err := j.sleep(ctx, d); err != nil {
			return a, err
		}
	}
}

func (j *job) sleep(ctx context.Context, d time.Duration) error {
	if j.o.Sleep != nil {
		return j.o.Sleep(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// lookReviews reads what reviewers said.
func (j *job) lookReviews(ctx context.Context) Check {
	if j.view == nil {
		return waits(CheckBase)
	}
	p, t, err := j.ask(ctx)
	if err != nil {
		return unknown("", "%v", err)
	}
	return said(p.Comments(ctx, t))
}

// lookProtection holds that the base branch is protected.
func (j *job) lookProtection(ctx context.Context) Check {
	if j.view == nil {
		return waits(CheckBase)
	}
	p, t, err := j.ask(ctx)
	if err != nil {
		return unknown("", "%v", err)
	}
	if p.Name() == provider.Local {
		return open("a remote without a service has no branch protection to be read")
	}
	var good []string
	for _, f := range p.Examine(ctx, t) {
		switch {
		case f.About != provider.Protection:
		case !f.OK:
			return unknown(f.Next, "%s", f.What)
		default:
			good = append(good, f.What)
		}
	}
	if len(good) == 0 {
		return unknown("doctor says what can be read with the token at hand", "the provider says nothing about the rules of %s", j.verdict.Base)
	}
	return open("%s", strings.Join(good, "; "))
}
