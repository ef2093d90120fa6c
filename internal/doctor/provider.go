package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asterweave/asterweave/internal/config"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/provider"
)

// reachTimeout is for a remote to answer.
const reachTimeout = 10 * time.Second

// forgeTimeout is for a forge to answer some ten questions.
const forgeTimeout = 30 * time.Second

// provider asks whether the provider answers, and with which rights. It asks for
// nothing but a branch's head, and writes nowhere.
func (x *examination) provider(ctx context.Context) {
	const name = "provider"
	which := x.providerName(ctx)
	if which != provider.Local {
		x.forge(ctx, which)
		return
	}
	remote, err := x.repo.Remote(ctx)
	if err == nil && remote == "" {
		x.add("protection", Warn, "unknown, since there is no remote", "add one before submit-pr")
		x.add(name, Warn, "local: there is no remote that could be asked", "add one before submit-pr")
		return
	}
	x.add("protection", Warn, "unknown; a plain Git remote does not say what it refuses", "refuse forced pushes and deletions at the remote: receive.denyNonFastForwards and receive.denyDeletes")
	base := ""
	if err == nil {
		remote = x.baseRemote(remote)
		base, err = x.base(ctx)
	}
	if err == nil {
		ctx, cancel := context.WithTimeoutCause(ctx, reachTimeout, fmt.Errorf("no answer in %s", reachTimeout))
		defer cancel()
		var head string
		if head, err = x.repo.LsRemote(ctx, remote, base); err == nil && head == "" {
			x.add(name, Warn, fmt.Sprintf("local: %s answers, and has no branch %s", remote, base), "push the base branch, or name another when the next delivery starts")
			return
		}
	}
	if err != nil {
		x.add(name, Warn, "local: the remote does not answer: "+err.Error(), "git ls-remote says more; submit-pr needs an answer")
		return
	}
	x.ok(name, "local: %s answers; no token is needed", remote)
}

// forge asks a forge what the token at hand lets it read.
func (x *examination) forge(ctx context.Context, which string) {
	const name = "provider"
	p, err := x.o.Providers(which, x.repo, nil)
	if err != nil {
		x.add(name, Warn, err.Error(), "name another in .claude/asterweave.json")
		return
	}
	t, err := x.target(ctx)
	if err != nil {
		x.add(name, Warn, which+": "+err.Error(), "git remote --verbose says where the remote is")
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, forgeTimeout, fmt.Errorf("no answer in %s", forgeTimeout))
	defer cancel()
	protection := false
	for _, f := range p.Examine(ctx, t) {
		about := cmp.Or(f.About, name)
		protection = protection || about == provider.Protection
		if f.OK {
			x.ok(about, "%s: %s", which, f.What)
		} else {
			x.add(about, Warn, which+": "+f.What, f.Next)
		}
	}
	if !protection {
		x.add(provider.Protection, Warn, "unknown; "+which+" did not say what it refuses", "look at the rules of the base branch by hand")
	}
}

// target is the remote as a provider is asked about it.
func (x *examination) target(ctx context.Context) (provider.Target, error) {
	remote, err := x.repo.Remote(ctx)
	if err != nil {
		return provider.Target{}, err
	}
	t := provider.Target{Remote: x.baseRemote(remote)}
	if t.Remote == "" {
		return t, errors.New("there is no remote")
	}
	if t.URL, err = x.repo.RemoteURL(ctx, t.Remote); err != nil {
		return t, err
	}
	if x.state != nil && x.state.Delivery.Open() {
		t.Branch, t.Source = x.state.Branch, x.state.Delivery.Source
		if s := x.state.Submitted; s != nil {
			t.Head, t.PullRequest = s.Head, s.URL
		}
	}
	t.Base, err = x.base(ctx)
	return t, err
}

// providerName returns the delivery's provider, else the one that start would take.
func (x *examination) providerName(ctx context.Context) string {
	if x.state != nil && x.state.Delivery.Open() {
		return cmp.Or(x.state.Delivery.Provider, provider.Local)
	}
	usual := provider.Local
	if t, err := x.target(ctx); err == nil {
		usual = engine.Forge(t.URL)
	}
	data, there, err := x.atBase(ctx)
	if err != nil || !there {
		return usual
	}
	c, problems := config.Parse(data)
	if len(problems) > 0 {
		return usual
	}
	return cmp.Or(c.Provider, usual)
}
