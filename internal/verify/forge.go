package verify

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// ask finds the provider of the pull request and what is asked about, once. Which one it
// is follows from the event, the base branch and the remote, never from the bundle.
func (j *job) ask(ctx context.Context) (provider.Provider, provider.Target, error) {
	if j.forge != nil {
		return j.forge, j.target, nil
	}
	url := ""
	if j.o.Remote != "" {
		var err error
		if url, err = j.repo.RemoteURL(ctx, j.o.Remote); err != nil {
			return nil, provider.Target{}, err
		}
	}
	p, err := j.o.Providers(cmp.Or(j.o.System, j.policy.Provider, engine.Forge(url)), j.repo, j.engine.CleanGate(j.view.Facts))
	if err != nil {
		return nil, provider.Target{}, err
	}
	j.forge, j.target = p, provider.Target{
		Remote: j.o.Remote, URL: url, Branch: j.fold.Branch, Base: j.verdict.Base, Head: j.head, Source: j.fold.Delivery.Source,
		Required: j.policy.RequiredChecks, PullRequest: j.o.Pull, Asking: j.o.Asking,
	}
	return j.forge, j.target, nil
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
	patience := provider.Patience{For: j.o.Wait, Now: j.o.Now}
	if j.o.Progress != nil {
		patience.Progress = func(text string) { j.o.Progress(CheckChecks + ": " + text) }
	}
	a, _ := patience.Ask(ctx, func(ctx context.Context) (provider.Answer, error) { return p.Checks(ctx, t) }, func(because string) provider.Answer {
		return provider.Answer{Result: evidence.Unknown, Summary: "the provider could not be read", Because: because}
	})
	return said(a, nil)
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
