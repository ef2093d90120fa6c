// Package github reads deliveries back from GitHub: github.com, ghe.com and Enterprise
// Server.
//
// What it knows about verdicts is in docs/github.md. REST is asked for what REST alone
// tells, and decoded into go-github's types; GraphQL is asked with the documents in
// queries. Optional fields have documents of their own, since a server that does not know
// a field refuses the whole document.
package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/remote"
	"github.com/asterweave/asterweave/internal/provider/token"
	"github.com/asterweave/asterweave/internal/provider/wire"
)

// Options are what a provider is made from.
type Options struct {
	// Token finds the credential for the host that a repository lies at. It is sent to that
	// host's API and nowhere else.
	Token func(ctx context.Context, r remote.Repository) (token.Token, error)
	// Endpoint says where a host answers; nil for EndpointOf.
	Endpoint func(host string) Endpoint
	// Agent is the User-Agent, which GitHub demands.
	Agent string

	Inner http.RoundTripper                          // nil for the transport's own
	Sleep func(context.Context, time.Duration) error // nil waits for real
	Now   func() time.Time                           // nil is the clock
}

// Provider reads GitHub. Its reads are made one after the other, as GitHub asks.
type Provider struct {
	options Options

	mu       sync.Mutex
	services map[string]*service
}

// New returns a provider.
func New(o Options) *Provider {
	if o.Endpoint == nil {
		o.Endpoint = EndpointOf
	}
	if o.Agent == "" {
		o.Agent = "asterweave"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = provider.Sleep
	}
	return &Provider{options: o, services: map[string]*service{}}
}

// Name implements provider.Provider.
func (p *Provider) Name() string { return provider.GitHub }

// service is a host with the one credential for it. It lives as long as the provider, so
// that a later read can be answered with "not modified".
type service struct {
	host      string
	token     token.Token
	endpoint  Endpoint
	transport *wire.Transport
	client    *http.Client
	now       func() time.Time
	sleep     func(context.Context, time.Duration) error
}

// service returns the way to a host.
func (p *Provider) service(ctx context.Context, repo remote.Repository) (*service, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	host := strings.ToLower(repo.Host)
	if s := p.services[host]; s != nil {
		return s, nil
	}
	credential, err := p.options.Token(ctx, repo)
	if err != nil {
		return nil, err
	}
	s := &service{host: host, token: credential, endpoint: p.options.Endpoint(host), now: p.options.Now, sleep: p.options.Sleep}
	s.transport = wire.New(wire.Options{
		Base:      s.endpoint.REST,
		GraphQL:   s.endpoint.GraphQL,
		Authorize: credential.Authorize,
		Header: http.Header{
			"Accept":               {"application/vnd.github+json"},
			"User-Agent":           {p.options.Agent},
			"X-Github-Api-Version": {"2022-11-28"},
		},
		Inner: p.options.Inner,
		Sleep: p.options.Sleep,
		Now:   p.options.Now,
		Accept: func(resp *http.Response) error {
			if resp.Header.Get("X-Github-Request-Id") == "" && resp.StatusCode != http.StatusNotModified {
				return errors.New("it has no request id")
			}
			return nil
		},
	})
	s.client = s.transport.Client()
	p.services[host] = s
	return s, nil
}

// begin starts a read about the repository of the remote.
func (p *Provider) begin(ctx context.Context, t provider.Target) (*reading, error) {
	repo, err := repositoryOf(t)
	if err != nil {
		return nil, err
	}
	return p.reading(ctx, repo, t.Repository)
}

func (p *Provider) reading(ctx context.Context, repo remote.Repository, pinned string) (*reading, error) {
	s, err := p.service(ctx, repo)
	if err != nil {
		return nil, err
	}
	return &reading{service: s, owner: repo.Owner, name: repo.Name, asked: repo.Owner + "/" + repo.Name, pinned: pinned, mark: len(s.transport.Proofs())}, nil
}

// repositoryOf is the repository that the remote names.
func repositoryOf(t provider.Target) (remote.Repository, error) {
	repo, err := remote.Parse(t.URL)
	if err != nil {
		return remote.Repository{}, err
	}
	if repo.Host == "" || repo.Owner == "" || repo.Name == "" {
		return remote.Repository{}, fmt.Errorf("the remote %s names no repository of GitHub", t.Remote)
	}
	return repo, nil
}

// item starts a read about the repository of the work item, and returns its number.
func (p *Provider) item(ctx context.Context, t provider.Target) (*reading, int, error) {
	near, err := remote.Parse(t.URL)
	if err != nil {
		return nil, 0, err
	}
	i, err := remote.ParseItem(t.Source, near)
	if err != nil {
		return nil, 0, err
	}
	if i.Provider != provider.GitHub {
		return nil, 0, fmt.Errorf("the work item %s is not at GitHub", t.Source)
	}
	pinned := ""
	if near.Host == i.Host && strings.EqualFold(near.Owner+"/"+near.Name, i.Owner+"/"+i.Name) {
		pinned = t.Repository
	}
	r, err := p.reading(ctx, i.Repository, pinned)
	return r, i.Number, err
}
