package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/azuredevops"
	"github.com/asterweave/asterweave/internal/provider/azureserver"
	"github.com/asterweave/asterweave/internal/provider/github"
	"github.com/asterweave/asterweave/internal/provider/githubserver"
	"github.com/asterweave/asterweave/internal/provider/remote"
	"github.com/asterweave/asterweave/internal/provider/token"
)

// The size of a pull request that is read whole, and how late each answer to it is where
// answers are slow.
const (
	crowdChecks  = 300
	crowdThreads = 1000
	crowdSmall   = 10 // part of it that it is compared with
	crowdDelay   = 50 * time.Millisecond
)

// crowd is a stand-in of a service with a pull request that takes pages to read.
type crowd struct {
	server   interface{ Requests() int }
	provider func() provider.Provider // a new one, which has read nothing yet
	target   provider.Target
	late     *time.Duration // how late answers are
	close    func()
}

// forge is a service that is measured.
type forge struct {
	name                     string
	open                     func(git, head string, checks, threads int) (*crowd, error)
	checksLimit, threadLimit float64 // requests
}

func crowdRows(dir string) ([]row, error) {
	git := filepath.Join(dir, "crowd")
	if err := repository(git, programs{}, false); err != nil {
		return nil, err
	}
	if err := in(git, nil, "git", "branch", "cap"); err != nil {
		return nil, err
	}
	out, err := output(git, "git", "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, f := range []forge{
		{name: "GitHub", open: gitHubCrowd, checksLimit: 20, threadLimit: 20},
		{name: "Azure DevOps", open: azureCrowd, checksLimit: 20, threadLimit: 12},
	} {
		got, err := f.rows(filepath.Join(git, ".git"), strings.TrimSpace(out))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		rows = append(rows, got...)
	}
	return rows, nil
}

func (f forge) rows(git, head string) ([]row, error) {
	large, err := f.open(git, head, crowdChecks, crowdThreads)
	if err != nil {
		return nil, err
	}
	defer large.close()
	small, err := f.open(git, head, crowdChecks/crowdSmall, crowdThreads/crowdSmall)
	if err != nil {
		return nil, err
	}
	defer small.close()

	var counts []float64
	for _, read := range []func(provider.Provider) error{large.checks, large.threads} {
		before := large.server.Requests()
		if err := read(large.provider()); err != nil {
			return nil, err
		}
		counts = append(counts, float64(large.server.Requests()-before))
	}
	few, err := peak(func() error { return small.both(small.provider()) })
	if err != nil {
		return nil, err
	}
	many, err := peak(func() error { return large.both(large.provider()) })
	if err != nil {
		return nil, err
	}
	held, err := large.held()
	if err != nil {
		return nil, err
	}
	waited, err := large.slow()
	if err != nil {
		return nil, err
	}
	return []row{
		{what: f.name + ": requests for 300 required checks", value: counts[0], unit: " ", bar: f.checksLimit, exact: true},
		{what: f.name + ": requests for 1,000 threads", value: counts[1], unit: " ", bar: f.threadLimit, exact: true},
		{what: f.name + ": heap while both are read / while a tenth is read", value: many / few, unit: "x", bar: 5},
		{what: f.name + ": heap held after seven reads of both - after two", value: held, unit: "MB", bar: 4, exact: true},
		{what: f.name + ": time with answers 50 ms late / the sum of delays", value: waited, unit: "x", bar: 2},
	}, nil
}

func (c *crowd) checks(p provider.Provider) error {
	return passed(p.Checks(context.Background(), c.target))
}

func (c *crowd) threads(p provider.Provider) error {
	return passed(p.Comments(context.Background(), c.target))
}

func (c *crowd) both(p provider.Provider) error { return errors.Join(c.checks(p), c.threads(p)) }

// passed is an error unless all was read: whatever is missing is no pass.
func passed(a provider.Answer, err error) error {
	if err == nil && a.Result != evidence.Pass {
		err = fmt.Errorf("%s: %s (%s)", a.Result, a.Summary, a.Because)
	}
	return err
}

// held returns how much more a provider that polls holds after seven reads than after
// two, in MB.
func (c *crowd) held() (float64, error) {
	p := c.provider()
	var after []float64
	for _, reads := range []int{2, 5} {
		for range reads {
			if err := c.both(p); err != nil {
				return 0, err
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		after = append(after, float64(m.HeapAlloc))
	}
	return (after[1] - after[0]) / (1 << 20), nil
}

// slow returns how long a read takes when every answer is late, in sums of the delays.
func (c *crowd) slow() (float64, error) {
	*c.late = crowdDelay
	defer func() { *c.late = 0 }()
	before, began := c.server.Requests(), time.Now()
	err := c.both(c.provider())
	return ratio(time.Since(began), crowdDelay*time.Duration(c.server.Requests()-before)), err
}

// serve lets answers be late.
func serve(inner http.Handler) (base *url.URL, late *time.Duration, end func(), err error) {
	late = new(time.Duration)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(*late)
		inner.ServeHTTP(w, r)
	}))
	base, err = url.Parse(front.URL)
	return base, late, front.Close, err
}

// credential is accepted by the stand-ins alone.
const credential = "stand-in"

// credentials finds it, as if a variable held it.
func credentials(name string) func(context.Context, remote.Repository) (token.Token, error) {
	return func(ctx context.Context, r remote.Repository) (token.Token, error) {
		return token.Find(ctx, []string{name + "=" + credential}, r, nil)
	}
}

func gitHubCrowd(git, head string, checks, threads int) (*crowd, error) {
	s := githubserver.New(githubserver.Options{Git: git, Token: credential})
	s.Crowd(s.Open("cap", "main", "A cap", "Refunds have a cap."), checks, threads)
	base, late, end, err := serve(s)
	if err != nil {
		return nil, err
	}
	return &crowd{
		server: s, late: late, close: end,
		target: provider.Target{Remote: "origin", URL: "https://github.com/acme/widgets.git", Branch: "cap", Base: "main", Head: head},
		provider: func() provider.Provider {
			return github.New(github.Options{
				Token: credentials("GH_TOKEN"),
				Endpoint: func(string) github.Endpoint {
					return github.Endpoint{REST: base, GraphQL: base.JoinPath("graphql")}
				},
			})
		},
	}, nil
}

func azureCrowd(git, head string, checks, threads int) (*crowd, error) {
	s := azureserver.New(azureserver.Options{Git: git, Token: credential})
	s.Crowd(s.OpenPull("cap", "main", "A cap", azureserver.Agent()), checks, threads)
	base, late, end, err := serve(s)
	if err != nil {
		return nil, err
	}
	return &crowd{
		server: s, late: late, close: end,
		target: provider.Target{Remote: "origin", URL: "https://dev.azure.com/acme/Widgets%20App/_git/widgets", Branch: "cap", Base: "main", Head: head},
		provider: func() provider.Provider {
			return azuredevops.New(azuredevops.Options{Token: credentials("AZURE_DEVOPS_EXT_PAT"), Collection: base.JoinPath("acme")})
		},
	}, nil
}
