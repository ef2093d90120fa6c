// Package local is the provider that needs no network: the pull request is the
// delivery's branch on a Git remote, and the pipeline is the gates run in a clean
// clone of the submitted head.
package local

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// Provider reads a bare remote.
type Provider struct {
	git provider.Git
	run provider.RunGate
}

// New returns a provider on a repository.
func New(git provider.Git, run provider.RunGate) *Provider { return &Provider{git: git, run: run} }

// Name implements provider.Provider.
func (p *Provider) Name() string { return provider.Local }

// PullRequest asks the remote itself which commit the delivery's branch is at.
func (p *Provider) PullRequest(ctx context.Context, t provider.Target) (provider.Answer, error) {
	head, err := p.git.LsRemote(ctx, t.Remote, t.Branch)
	if err != nil {
		return provider.Answer{}, err
	}
	if head == "" {
		return provider.Answer{Result: evidence.Fail, Summary: fmt.Sprintf("branch %s is not on %s", t.Branch, t.Remote), Signature: "pull-request/not-pushed"}, nil
	}
	a := provider.Answer{Head: head, URL: fmt.Sprintf("local:%s#%s@%s", t.Remote, t.Branch, head), Proof: "ls-remote " + t.Remote + " refs/heads/" + t.Branch + " " + head}
	if head != t.Head {
		a.Result, a.Summary = evidence.Unknown, "the remote branch is at another commit"
		a.Because = fmt.Sprintf("%s is at %.12s and the delivery at %.12s", t.Branch, head, t.Head)
		return a, nil
	}
	if a.Tree, err = p.git.TreeOf(ctx, head); err != nil {
		return provider.Answer{}, err
	}
	a.Result, a.Summary = evidence.Pass, fmt.Sprintf("branch %s on %s is at %.12s", t.Branch, t.Remote, head)
	return a, nil
}

// Checks clones the submitted head from the remote and runs the gates there.
func (p *Provider) Checks(ctx context.Context, t provider.Target) (provider.Answer, error) {
	dir, err := os.MkdirTemp("", "asterweave-pipeline-")
	if err != nil {
		return provider.Answer{}, fmt.Errorf("pipeline: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // what stays behind is the system's to clean
	if err := p.git.CloneAt(ctx, t.Remote, t.Branch, t.Head, dir); err != nil {
		return provider.Answer{}, err
	}
	a := provider.Answer{Head: t.Head, URL: fmt.Sprintf("local:%s#%s@%s/pipeline", t.Remote, t.Branch, t.Head), Proof: "clean clone of " + t.Head}
	if len(t.Gates) == 0 {
		a.Result, a.Summary, a.Because = evidence.Unknown, "there are no gates to run", "the plan and the configuration name none"
		return a, nil
	}
	var out bytes.Buffer
	a.Result = evidence.Pass
	for _, g := range t.Gates {
		r := p.run(ctx, dir, g)
		fmt.Fprintf(&out, "== gate %s: %s\n%s\n", g.ID, r.Summary, r.Output)
		if r.Result == evidence.Pass {
			continue
		}
		if a.Result == evidence.Pass || a.Result == evidence.Unknown && r.Result == evidence.Fail {
			a.Result, a.Signature = r.Result, r.Signature
			a.Because = fmt.Sprintf("gate %s: %s", g.ID, r.Summary)
		}
	}
	a.Output = out.Bytes()
	a.Summary = fmt.Sprintf("%d gates in a clean clone of %.12s: %s", len(t.Gates), t.Head, a.Result)
	return a, nil
}

// Comments reports that a bare remote has no place for comments.
func (p *Provider) Comments(_ context.Context, t provider.Target) (provider.Answer, error) {
	return provider.Answer{Result: evidence.Info, Summary: "no review comments", Because: "a bare remote has no place for comments", Head: t.Head, Proof: "local provider"}, nil
}

// WorkItem reports that there is no work item.
func (p *Provider) WorkItem(_ context.Context, t provider.Target) (provider.Answer, error) {
	a := provider.Answer{Result: evidence.Info, Summary: "no work item", Because: "the delivery has no work item", Head: t.Head, Proof: "local provider"}
	if t.Source != "" {
		a.Result, a.Because = evidence.Unknown, fmt.Sprintf("the local provider cannot read the work item %s", t.Source)
	}
	return a, nil
}

// Item reports that there is nothing to start from.
func (p *Provider) Item(_ context.Context, t provider.Target) (provider.Item, error) {
	return provider.Item{}, fmt.Errorf("the local provider cannot read the work item %s", t.Source)
}

// Approvals reports none: there is no place to write one.
func (p *Provider) Approvals(context.Context, provider.Target) ([]provider.Approval, error) {
	return nil, nil
}

// Examine reports that a bare remote needs no token.
func (p *Provider) Examine(_ context.Context, t provider.Target) []provider.Finding {
	if t.Remote == "" {
		return []provider.Finding{{OK: true, What: "there is no remote; the local provider needs one from submit-pr on", Next: ""}}
	}
	return []provider.Finding{{OK: true, What: fmt.Sprintf("the local provider reads the Git remote %s and needs no token", t.Remote)}}
}
