package azuredevops_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/azuredevops"
	"github.com/asterweave/asterweave/internal/provider/azureserver"
	"github.com/asterweave/asterweave/internal/provider/contract"
	"github.com/asterweave/asterweave/internal/provider/remote"
	"github.com/asterweave/asterweave/internal/provider/token"
)

func TestContract(t *testing.T) { contract.Test(t, newWorld) }

// world is the stand-in with the bare repository that it serves.
type world struct {
	server *azureserver.Server
	repo   *contract.Repository
	base   *url.URL
	other  *httptest.Server // another host, which nothing may be sent to
	seen   int
	head   string
	pull   int
	item   int
	inner  map[time.Duration]*http.Transport
}

const canary = "canary-0123456789abcdefghijklmnopqrstuvwxyz"

func withToken(ctx context.Context, r remote.Repository) (token.Token, error) {
	return token.Find(ctx, []string{"AZURE_DEVOPS_EXT_PAT=" + canary}, r, nil)
}

func withServerToken(ctx context.Context, r remote.Repository) (token.Token, error) {
	return token.Find(ctx, []string{"AZURE_DEVOPS_EXT_PAT=" + canary, "AZURE_DEVOPS_ORG_SERVICE_URL=https://tfs.corp.example/tfs/DefaultCollection"}, r, nil)
}

func withOtherToken(ctx context.Context, r remote.Repository) (token.Token, error) {
	return token.Find(ctx, []string{"SYSTEM_ACCESSTOKEN=expired"}, r, nil)
}

func withNoToken(ctx context.Context, r remote.Repository) (token.Token, error) {
	return token.Find(ctx, nil, r, func(context.Context, ...string) (string, error) { return "", context.Canceled })
}

func newWorld(t *testing.T) contract.World { return newAzure(t) }

func newAzure(t *testing.T) *world {
	w := &world{repo: contract.NewRepository(t, "feature/cap"), inner: map[time.Duration]*http.Transport{}}
	w.server = azureserver.New(azureserver.Options{Git: w.repo.Bare, Token: canary})
	front := httptest.NewServer(w.server)
	t.Cleanup(front.Close)
	w.other = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { w.seen++ }))
	t.Cleanup(func() {
		w.other.Close()
		if w.seen > 0 {
			t.Errorf("%d requests went to another host", w.seen)
		}
	})
	base, err := url.Parse(front.URL + "/acme")
	if err != nil {
		t.Fatal(err)
	}
	w.base, w.head = base, w.repo.Commit(t, "main")
	w.server.Pushed(azureserver.Writer())
	return w
}

func (w *world) Provider(_ *testing.T, patience time.Duration) provider.Provider {
	if w.inner[patience] == nil {
		w.inner[patience] = &http.Transport{ResponseHeaderTimeout: patience}
	}
	return azuredevops.New(azuredevops.Options{
		Token:      withToken,
		Collection: w.base,
		Inner:      w.inner[patience],
		Sleep:      func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
}

func (w *world) Can(contract.Ability) bool { return true }

func (w *world) Target(*testing.T) provider.Target {
	t := provider.Target{
		Remote: "origin", URL: "https://dev.azure.com/acme/Widgets%20App/_git/widgets", Branch: w.repo.Branch, Base: "main", Head: w.head,
	}
	if w.item > 0 {
		t.Source = fmt.Sprintf("acme/Widgets App#%d", w.item)
	}
	return t
}

func (w *world) Tree(t *testing.T, commit string) string { return w.repo.Commit(t, commit+"^{tree}") }

func (w *world) Submit(t *testing.T) {
	w.head = w.repo.Push(t)
	if w.pull == 0 {
		w.pull = w.server.OpenPull(w.repo.Branch, "main", "A cap", azureserver.Agent())
		w.server.Set(w.pull, "description", contract.Text)
	}
}

func (w *world) Asking(_ *testing.T, name string) provider.Asking {
	return provider.Asking{Run: strconv.Itoa(w.server.Newest(name)), Job: name}
}

func (w *world) Push(t *testing.T) { w.repo.Push(t) }
func (w *world) Close(*testing.T)  { w.server.Abandon(w.pull) }

func (w *world) Check(_ *testing.T, name string, s contract.State) {
	switch s {
	case contract.Passing:
		w.server.Run(w.repo.Branch, name, "completed", "succeeded")
	case contract.Failing:
		w.server.Run(w.repo.Branch, name, "completed", "failed")
	case contract.Running:
		w.server.Run(w.repo.Branch, name, "inProgress", "")
	}
}

func (w *world) Require(_ *testing.T, name string) { w.server.Require(name) }

func person(p contract.Person) azureserver.Person {
	switch p {
	case contract.Agent:
		return azureserver.Agent()
	case contract.Writer:
		return azureserver.Writer()
	}
	return azureserver.Stranger()
}

func (w *world) Say(_ *testing.T, who contract.Person, text string) string {
	return strconv.Itoa(w.server.Say(w.pull, person(who), "file.txt", text))
}

func (w *world) Reply(t *testing.T, id string, who contract.Person, text string) {
	w.server.Reply(w.pull, number(t, id), person(who), text)
}

func (w *world) Resolve(t *testing.T, id string) { w.server.Settle(w.pull, number(t, id), "fixed") }

func (w *world) Item(_ *testing.T, title, text string) {
	w.item = w.server.AddItem("User Story", title, text)
}

func (w *world) Link(*testing.T) { w.server.Link(w.item, w.pull) }

func (w *world) Finish(*testing.T) string {
	w.server.Move(w.item, "Closed")
	return "Closed"
}

func (w *world) Comment(_ *testing.T, who contract.Person, text string) string {
	return strconv.Itoa(w.server.Comment(w.item, person(who), text))
}

func (w *world) Edit(t *testing.T, id, text string) {
	w.server.EditComment(w.item, number(t, id), azureserver.Writer(), text)
}

func (w *world) Break(t *testing.T, f contract.Fault, n int, only bool) {
	if f == contract.Moved {
		w.server.After(n, func() { w.repo.Push(t) })
		return
	}
	w.server.Break(string(f), n, only, w.other.URL)
}

func (w *world) Repair(*testing.T) { w.server.Repair() }
func (w *world) Requests() int     { return w.server.Requests() }
func (w *world) Writes() int       { return w.server.Writes() }
func (w *world) Token() string     { return canary }

func number(t *testing.T, id string) int {
	t.Helper()
	n, err := strconv.Atoi(id)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
