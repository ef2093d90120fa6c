package doctor

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/asterweave/asterweave/internal/config"
	"github.com/asterweave/asterweave/internal/provider"
)

// reachTimeout is for a remote to answer.
const reachTimeout = 10 * time.Second

// provider asks whether the provider answers, and with which rights. It asks for
// nothing but a branch's head, and writes nowhere.
func (x *examination) provider(ctx context.Context) {
	const name = "provider"
	which := x.providerName(ctx)
	if which != provider.Local {
		x.add(name, Warn, which+": unknown; this build does not read it. What will be read: whether it answers, who the token belongs to, and its scopes", "")
		x.add("protection", Warn, "unknown; this build does not read the rules of "+which, "look at the rules of the base branch by hand")
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

// providerName returns the delivery's provider, else the one that start would take.
func (x *examination) providerName(ctx context.Context) string {
	if x.state != nil && x.state.Delivery.Open() {
		return cmp.Or(x.state.Delivery.Provider, provider.Local)
	}
	data, there, err := x.atBase(ctx)
	if err != nil || !there {
		return provider.Local
	}
	c, problems := config.Parse(data)
	if len(problems) > 0 {
		return provider.Local
	}
	return cmp.Or(c.Provider, provider.Local)
}
