// Package azuredevops reads a delivery back from Azure DevOps, Services or Server: the
// pull request and its iterations, policies, statuses and builds, threads and votes, and the
// work item.
//
// It asks with plain reads over package wire. What could not be read, or is not known
// here, is unknown, and unknown is never a pass.
package azuredevops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/remote"
	"github.com/asterweave/asterweave/internal/provider/token"
	"github.com/asterweave/asterweave/internal/provider/wire"
)

// Options say how the service is reached.
type Options struct {
	// Token finds the token for a repository's host; an error says where one was looked for.
	// It is sent to the scheme and host of the collection alone.
	Token func(ctx context.Context, r remote.Repository) (token.Token, error)
	// Collection replaces the address of the organisation or collection that the remote's
	// URL means: for a server whose API is reached under another name. Nil keeps it.
	Collection *url.URL
	// Redirect leaves the header out that turns the page for signing in into an error; there
	// are tenants with conditional access that answer it with one.
	Redirect bool

	Inner http.RoundTripper                          // nil: one of our own
	Sleep func(context.Context, time.Duration) error // nil: real
	Now   func() time.Time                           // nil: real
}

// Provider implements provider.Provider.
type Provider struct{ o Options }

// New returns a provider.
func New(o Options) *Provider {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = provider.Sleep
	}
	return &Provider{o: o}
}

// Name implements provider.Provider.
func (p *Provider) Name() string { return provider.AzureDevOps }

// found is what a read came to, before it is an answer.
type found struct {
	verdict
	Summary   string
	Head      string
	Tree      string
	URL       string
	Signature string
	State     string // of the work item
	States    []string
	Comments  []provider.Comment
	Body      string // of the pull request
	// Unreported: no check is required and none was reported.
	Unreported bool
	Basis      []any // what it was decided from, for the artifact
}

// read turns what a read came to, or why it came to nothing, into an answer.
func (p *Provider) read(ctx context.Context, t provider.Target, what string, ask func(context.Context, *session) (found, error)) (provider.Answer, error) {
	s, err := p.open(ctx, t.URL)
	if err != nil {
		if errors.Is(err, token.ErrNone) {
			return provider.Answer{Result: evidence.Unknown, Summary: what + " could not be read", Because: err.Error(), Head: t.Head}, nil
		}
		return provider.Answer{}, err
	}
	f, err := ask(ctx, s)
	if err != nil {
		f.verdict, f.Summary = unknown(what, err.Error()), what+" could not be read"
		f.Pending = waits(err)
		if f.Head == "" {
			f.Head = t.Head
		}
	}
	proofs := s.transport.Proofs()
	a := provider.Answer{
		Result: f.Result, Summary: f.Summary, Because: f.Because, Pending: f.Pending, Head: f.Head, Tree: f.Tree, URL: f.URL, Body: f.Body, Comments: f.Comments,
		Proof: wire.Lines(proofs, proofLines), Repository: s.identity, State: f.State, States: f.States, Unreported: f.Unreported,
	}
	if f.Result == evidence.Fail {
		a.Signature = f.Signature
	}
	a.Output, err = output(proofs, f)
	if err != nil {
		return provider.Answer{}, fmt.Errorf("what was read could not be kept: %w", err)
	}
	return a, nil
}

const proofLines = 40

// waits reports whether asking again makes sense without anybody acting: the service
// was busy. A timeout of the whole read is the caller's own.
func waits(err error) bool {
	var we *wire.Error
	return errors.As(err, &we) && (we.Kind == wire.RateLimited || we.Kind == wire.Unavailable)
}
