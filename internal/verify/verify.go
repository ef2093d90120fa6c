// Package verify decides, on a clean checkout of a pull request's head, whether the
// bundle that came along shows a delivery of just that head. It trusts the checkout's
// objects, the base branch and the provider's answers, and nothing that the head or the
// bundle say about themselves.
package verify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/config"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/state"
)

// States of a check. Unknown never counts as open.
const (
	Open    = "open"
	Shut    = "shut"
	Unknown = "unknown"
)

// Names of the checks.
const (
	CheckHead       = "head"
	CheckBundle     = "bundle"
	CheckSignature  = "signature"
	CheckChain      = "chain"
	CheckWalk       = "walk"
	CheckSummary    = "summary"
	CheckSubject    = "subject"
	CheckBase       = "base"
	CheckEvidence   = "evidence"
	CheckScope      = "scope"
	CheckCriteria   = "criteria"
	CheckApproval   = "approval"
	CheckBypass     = "bypass"
	CheckPull       = "pull-request"
	CheckChecks     = "checks"
	CheckReviews    = "reviews"
	CheckProtection = "protection"
	CheckRerun      = "rerun"
)

// step is a check and how it is looked at.
type step struct {
	name string
	look func(*job, context.Context) Check
}

// steps returns the checks, in their order.
func steps() []step {
	return []step{
		{CheckHead, (*job).lookHead},
		{CheckBundle, (*job).lookBundle},
		{CheckSignature, (*job).lookSignature},
		{CheckChain, (*job).lookChain},
		{CheckWalk, (*job).lookWalk},
		{CheckSummary, (*job).lookSummary},
		{CheckSubject, (*job).lookSubject},
		{CheckBase, (*job).lookBase},
		{CheckEvidence, (*job).lookEvidence},
		{CheckScope, (*job).lookScope},
		{CheckCriteria, (*job).lookCriteria},
		{CheckApproval, (*job).lookApproval},
		{CheckBypass, (*job).lookBypass},
		{CheckPull, (*job).lookPull},
		{CheckChecks, (*job).lookChecks},
		{CheckReviews, (*job).lookReviews},
		{CheckProtection, (*job).lookProtection},
		{CheckRerun, (*job).lookRerun},
	}
}

// Names returns the names of the checks, in their order.
func Names() []string {
	var out []string
	for _, s := range steps() {
		out = append(out, s.name)
	}
	return out
}

// Check is one thing that was looked at.
type Check struct {
	Name    string `json:"name"`
	State   string `json:"state"` // open, shut, unknown
	Reason  string `json:"reason"`
	Next    string `json:"next,omitempty"`    // what makes it open, where that is known
	RestsOn string `json:"restsOn,omitempty"` // the check that it waits for, where it was not looked at
	Allowed bool   `json:"allowed,omitempty"` // unknown, and let through by the caller's word
}

// Verdict is all that was looked at.
type Verdict struct {
	Commit   string   `json:"commit"`
	Base     string   `json:"base"` // branch
	Delivery string   `json:"delivery"`
	Checks   []Check  `json:"checks"`
	Rerun    []Rerun  `json:"rerun,omitempty"`
	Signers  []string `json:"signers,omitempty"`
	Ledger   Ledger   `json:"ledger"`
}

// Open reports whether every check is open, or unknown and let through.
func (v Verdict) Open() bool {
	return !slices.ContainsFunc(v.Checks, func(c Check) bool { return c.State != Open && !c.Allowed })
}

// Options of a verification.
type Options struct {
	Root     string        // of the checkout
	Head     string        // commit that the pull request is at; "" takes the checkout's
	Base     string        // branch that it goes into; "" takes the remote's default
	Remote   string        // that the base was fetched from; "" selects as Git does
	Pull     string        // URL of the pull request, or its number; "" where it is not known
	Envelope []byte        // nil takes the note of the head
	Delivery string        // id, where the note holds bundles of several
	Rerun    bool          // run the gates again
	Wait     time.Duration // how long to wait for required checks that are under way; 0 asks once
	Allow    []string
	Asking   provider.Asking // the job that asks, which is left out of what it waits for
	System   string          // provider that the event came from, "" for none

	Now       func() time.Time
	Progress  func(text string) // told while it waits; nil for nobody
	Environ   []string
	Schema    func(payload []byte) error // of statements; nil where there is none
	Providers engine.Providers
	// Signers says who signed a payload, by the keys that allowed lists in OpenSSH's
	// format, or for each signature why it counts for nothing.
	Signers func(s bundle.Signed, allowed []byte, now time.Time) (who, refused []string)
}

// job is one verification under way. What a later check needs of an earlier one is nil
// or empty where that is not open.
type job struct {
	o       Options
	engine  *engine.Engine
	repo    *gitrepo.Repo
	objects *gitrepo.Objects
	verdict Verdict

	head     string // commit
	tree     string // of it
	baseTip  string // commit
	merge    string // merge base
	policy   config.Config
	allowed  []byte // signers
	sent     bundle.Signed
	says     *bundle.Statement
	view     *gate.View // the fold of its ledger, in the world of this checkout
	fold     *state.State
	approved string            // digest of what the newest approval was about, computed anew
	forge    provider.Provider // nil until it is asked
	target   provider.Target
}

// Run verifies. The error is about what kept it from looking at anything at all; what
// is wrong with the delivery is in the verdict.
func Run(ctx context.Context, o Options) (Verdict, error) {
	e, err := engine.Open(engine.Options{Root: o.Root, Now: o.Now, Environ: o.Environ, Providers: o.Providers})
	if err != nil {
		return Verdict{}, err
	}
	repo, err := gitrepo.Open(o.Root)
	if err != nil {
		return Verdict{}, err
	}
	j := &job{o: o, engine: e, repo: repo, objects: repo.Objects()}
	defer func() { _ = j.objects.Close() }() // what it could not read was said in an answer
	for _, c := range steps() {
		if c.name == CheckRerun && !o.Rerun {
			continue
		}
		one := c.look(j, ctx)
		if err := ctx.Err(); err != nil {
			return j.verdict, fmt.Errorf("verify: %w", err)
		}
		one.Name = c.name
		one.Allowed = one.State == Unknown && slices.Contains(o.Allow, c.name)
		j.verdict.Checks = append(j.verdict.Checks, one)
	}
	return j.verdict, nil
}

func open(format string, args ...any) Check {
	return Check{State: Open, Reason: fmt.Sprintf(format, args...)}
}

func shut(next, format string, args ...any) Check {
	return Check{State: Shut, Reason: fmt.Sprintf(format, args...), Next: next}
}

func unknown(next, format string, args ...any) Check {
	return Check{State: Unknown, Reason: fmt.Sprintf(format, args...), Next: next}
}

// waits is the answer of a check that rests on one that is not open.
func waits(on string) Check {
	c := unknown("", "it rests on the check %s, which is not open", on)
	c.RestsOn = on
	return c
}
