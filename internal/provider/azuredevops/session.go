package azuredevops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/remote"
	"github.com/asterweave/asterweave/internal/provider/token"
	"github.com/asterweave/asterweave/internal/provider/wire"
)

// session is one read: its requests, and the proofs of their answers.
type session struct {
	collection *url.URL // of the API and of the pages
	place      remote.Repository
	project    string
	identity   string // of the repository, once it was read
	self       string // id of the identity whose token it is, once it was read
	transport  *wire.Transport
	client     *http.Client
	token      token.Token
	sleep      func(context.Context, time.Duration) error
	now        func() time.Time
	release    int           // index of the version of the API that the service accepts
	rest       time.Duration // that the service wants before the next request
}

// open prepares a read of the repository that a remote's URL means.
func (p *Provider) open(ctx context.Context, raw string) (*session, error) {
	place, err := remote.Parse(raw)
	if err != nil {
		return nil, err
	}
	if place.Provider != provider.AzureDevOps {
		return nil, fmt.Errorf("the remote is no repository of Azure DevOps")
	}
	s := &session{place: place, project: place.Project, sleep: p.o.Sleep, now: p.o.Now}
	if s.collection, err = p.collection(place); err != nil {
		return nil, err
	}
	if s.token, err = p.o.Token(ctx, place); err != nil {
		return nil, err
	}
	header := http.Header{"User-Agent": {"asterweave"}, "Accept": {"application/json"}}
	if !p.o.Redirect {
		header.Set("X-TFS-FedAuthRedirect", "Suppress")
	}
	s.transport = wire.New(wire.Options{
		Base: s.collection, Authorize: s.token.Authorize, Header: header, Inner: p.o.Inner, Sleep: p.o.Sleep, Now: p.o.Now, Accept: accept,
	})
	s.client = s.transport.Client()
	return s, nil
}

// accept refuses what the service itself would not say: each of its answers names the
// request. A page to sign in is left to wire.Check, which knows it.
func accept(resp *http.Response) error {
	if resp.StatusCode != http.StatusOK {
		return nil
	}
	for _, name := range []string{"ActivityId", "X-VSS-E2EID", "X-TFS-Session"} {
		if resp.Header.Get(name) != "" {
			return nil
		}
	}
	return errors.New("it names no request")
}

func (s *session) repository() resource {
	return resource{what: "the repository " + s.place.Name, project: s.project, path: []string{"git", "repositories", s.place.Name}, query: url.Values{"includeParent": {"true"}}, grant: grantCode}
}

// inRepository names a part of a repository by its id. The project is the remote's for
// its own repository; a fork's parent has another one.
func (s *session) inRepository(in repository, what string, path ...string) resource {
	project := in.Project.ID
	if in.Project.Name != "" {
		project = in.Project.Name
	}
	if strings.EqualFold(s.project, in.Project.ID) {
		project = s.project
	}
	return resource{what: what, project: project, path: append([]string{"git", "repositories", in.ID}, path...), grant: grantCode}
}

func (s *session) ofPull(pr pullRequest, what, part string) resource {
	return s.inRepository(pr.Repository, what, "pullRequests", strconv.Itoa(pr.ID), part)
}

func identityOf(r repository) string { return strings.ToLower(r.Project.ID + "/" + r.ID) }

// page is the address of a pull request for people.
func (s *session) page(pr pullRequest) string {
	return s.collection.JoinPath(url.PathEscape(pr.Repository.Project.Name), "_git", url.PathEscape(pr.Repository.Name), "pullrequest", strconv.Itoa(pr.ID)).String()
}

func (s *session) itemPage(w workItem) string {
	return s.collection.JoinPath(url.PathEscape(w.field("System.TeamProject")), "_workitems", "edit", strconv.Itoa(w.ID)).String()
}

// numberIn returns the number of a pull request from the address of its page, or 0 where
// that is no page of the repository.
func (s *session) numberIn(r repository, page string) int {
	prefix := strings.TrimSuffix(s.page(pullRequest{Repository: r}), "0")
	if len(page) <= len(prefix) || !strings.EqualFold(page[:len(prefix)], prefix) {
		return 0
	}
	n, err := strconv.Atoi(page[len(prefix):])
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func (s *session) lines() string { return wire.Lines(s.transport.Proofs(), proofLines) }

// anonymous is the id of nobody: a public project answers those whom it does not know.
const anonymous = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"

// me reads whose token it is. Each read begins with it: a public project answers those
// whom it does not know as well, and may leave policies out.
func (s *session) me(ctx context.Context) (connection, error) {
	var c connection
	err := s.get(ctx, resource{what: "the identity of the token", path: []string{"connectionData"}, preview: alwaysPreview, grant: grantNone}, &c)
	if err == nil {
		s.self = c.AuthenticatedUser.ID
	}
	return c, err
}

// reader names the identity whose token it is, once it was read.
func (s *session) reader() string { return s.place.Host + "/" + strings.ToLower(s.self) }

func (c connection) check() error {
	switch id := c.AuthenticatedUser.ID; {
	case strings.EqualFold(id, anonymous):
		return errors.New("the service takes the request for an anonymous one: the token is not valid, or has expired")
	case !isGUID(id):
		return shape("it does not say whose token it is")
	}
	return nil
}

// source is a work item's name taken apart.
type source struct {
	organisation, project string
	number                int
}

func (s *session) source(text string) (source, error) {
	item, err := remote.ParseItem(text, s.place)
	if err != nil {
		return source{}, err
	}
	if item.Provider != provider.AzureDevOps || !strings.EqualFold(item.Host, s.place.Host) || !strings.EqualFold(item.Owner, s.place.Owner) {
		return source{}, fmt.Errorf("the work item %s lies at another place than the repository, which the token is for", item)
	}
	return source{organisation: item.Owner, project: item.Project, number: item.Number}, nil
}

// collection is the address of what holds the projects.
func (p *Provider) collection(place remote.Repository) (*url.URL, error) {
	if p.o.Collection != nil {
		u := *p.o.Collection
		return &u, nil
	}
	address := "https://" + place.Host
	if host, _, _ := strings.Cut(place.Host, "/"); remote.Loopback(host) {
		address = "http://" + place.Host // nothing of it leaves the machine
	}
	if place.Host == "dev.azure.com" {
		address += "/" + url.PathEscape(place.Owner)
	}
	return url.Parse(address)
}
