package github_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/contract"
	"github.com/asterweave/asterweave/internal/provider/github"
	"github.com/asterweave/asterweave/internal/provider/githubserver"
)

func TestContract(t *testing.T) {
	contract.Test(t, func(t *testing.T) contract.World { return newServed(t) })
}

// served is the stand-in with the bare repository that it serves.
type served struct {
	*githubserver.Server
	repo     *contract.Repository
	base     *url.URL
	other    *httptest.Server // another host, which nothing may be sent to
	head     string
	pull     int
	item     int
	required []string // by the configuration
	inner    map[time.Duration]*http.Transport
	runs     map[string]int // workflow runs that reported last, by the name of the check
}

// then is the stand-in's time: long before the provider's, so that nothing is fresh.
func then() time.Time { return time.Date(2026, 1, 10, 10, 0, 0, 0, time.UTC) }

func newServed(t *testing.T) *served {
	t.Helper()
	w := &served{repo: contract.NewRepository(t, "feature/cap"), inner: map[time.Duration]*http.Transport{}, runs: map[string]int{}}
	w.Server = githubserver.New(githubserver.Options{Git: w.repo.Bare, Token: canary, Scopes: "repo", Now: then})
	front := httptest.NewServer(checked(t, w.Server))
	t.Cleanup(front.Close)
	var strayed atomic.Int32
	w.other = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	t.Cleanup(func() {
		w.other.Close()
		if n := strayed.Load(); n > 0 {
			t.Errorf("%d requests went to another host", n)
		}
	})
	base, err := url.Parse(front.URL)
	if err != nil {
		t.Fatal(err)
	}
	w.base, w.head = base, w.repo.Commit(t, "main")
	w.Grant("writer", "maintain")
	return w
}

func (w *served) Provider(_ *testing.T, patience time.Duration) provider.Provider {
	if w.inner[patience] == nil {
		w.inner[patience] = &http.Transport{ResponseHeaderTimeout: patience}
	}
	return github.New(github.Options{
		Token: found,
		Endpoint: func(string) github.Endpoint {
			return github.Endpoint{REST: w.base, GraphQL: w.base.JoinPath("graphql")}
		},
		Inner: w.inner[patience],
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
}

func (w *served) Can(contract.Ability) bool { return true }

func (w *served) Target(*testing.T) provider.Target {
	t := provider.Target{Remote: "origin", URL: "https://github.com/acme/widgets.git", Branch: w.repo.Branch, Base: "main", Head: w.head, Required: w.required}
	if w.item != 0 {
		t.Source = fmt.Sprintf("acme/widgets#%d", w.item)
	}
	return t
}

func (w *served) Tree(t *testing.T, commit string) string { return w.repo.Commit(t, commit+"^{tree}") }

func (w *served) Submit(t *testing.T) {
	w.head = w.repo.Push(t)
	if w.pull == 0 {
		w.pull = w.Open(w.repo.Branch, "main", "A cap", contract.Text)
	}
}

func (w *served) Push(t *testing.T) { w.repo.Push(t) }

func (w *served) Close(*testing.T) { w.Server.Close(w.pull) }

func (w *served) Check(t *testing.T, name string, s contract.State) {
	w.Require(t, name)
	if w.pull == 0 {
		return
	}
	run := map[contract.State]githubserver.Run{
		contract.Passing: {Status: "COMPLETED", Conclusion: "SUCCESS"},
		contract.Failing: {Status: "COMPLETED", Conclusion: "FAILURE"},
		contract.Running: {Status: "IN_PROGRESS"},
	}[s]
	run.Name = name
	w.Finished(w.repo.Commit(t, w.repo.Branch), name)
	w.runs[name] = w.Report(w.repo.Commit(t, w.repo.Branch), run)
}

func (w *served) Asking(_ *testing.T, name string) provider.Asking {
	return provider.Asking{Run: strconv.Itoa(w.runs[name]), Job: name}
}

func (w *served) Require(_ *testing.T, name string) {
	for _, known := range w.Required() {
		if known == name {
			return
		}
	}
	w.Server.Require(name, githubserver.Actions)
}

func (w *served) Say(_ *testing.T, who contract.Person, text string) string {
	return w.Thread(w.pull, string(who), "file.txt", 1, text)
}

func (w *served) Reply(_ *testing.T, id string, who contract.Person, text string) {
	w.Server.Reply(id, string(who), text, false)
}

func (w *served) Resolve(_ *testing.T, id string) { w.Server.Resolve(id) }

func (w *served) Item(_ *testing.T, title, text string) {
	w.item = w.NewIssue("writer", title, text)
}

func (w *served) Link(*testing.T) {
	w.Describe(w.pull, fmt.Sprintf("Refunds have a cap.\n\nCloses #%d\n", w.item))
}

func (w *served) Finish(*testing.T) string {
	w.SetIssue(w.item, "closed", "completed")
	return "completed"
}

func (w *served) Comment(_ *testing.T, who contract.Person, text string) string {
	return w.Server.Comment(w.item, string(who), text)
}

func (w *served) Edit(_ *testing.T, id, text string) { w.Server.Edit(id, text) }

func (w *served) Break(t *testing.T, f contract.Fault, n int, only bool) {
	if f == contract.Moved {
		w.After(n, func() { w.repo.Push(t) })
		return
	}
	kind := map[contract.Fault]string{contract.Stalled: "timeout"}[f]
	if kind == "" {
		kind = string(f)
	}
	w.Server.Break(kind, n, only, w.other.URL)
}

func (w *served) Repair(*testing.T) { w.Server.Repair() }

func (w *served) Token() string { return canary }
