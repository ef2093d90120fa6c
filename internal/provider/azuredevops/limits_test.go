package azuredevops_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider/azuredevops"
	"github.com/asterweave/asterweave/internal/provider/azureserver"
	"github.com/asterweave/asterweave/internal/provider/contract"
)

// Three hundred required builds are four pages of policies and three of builds; a
// thousand threads are one answer. The service allows about 200 units in five minutes, of which
// a plain request is less than one.
func TestManyChecksAndThreads(t *testing.T) {
	w := newAzure(t)
	w.Submit(t)
	w.Say(t, contract.Writer, "this one is open")
	w.server.Crowd(w.pull, 300, 999)
	p := w.Provider(t, time.Minute)

	before := w.Requests()
	a, err := p.Checks(t.Context(), w.Target(t))
	if err != nil || a.Result != evidence.Pass || !strings.Contains(a.Summary, "300 passed") {
		t.Fatalf("%s: %s (%s), %v", a.Result, a.Summary, a.Because, err)
	}
	if n := w.Requests() - before; n > 20 {
		t.Errorf("%d requests for 300 checks", n)
	} else {
		t.Logf("%d requests for 300 checks", n)
	}
	if lines := strings.Count(a.Proof, "\n") + 1; lines > 41 {
		t.Errorf("%d lines of proof", lines)
	}

	before = w.Requests()
	a, err = p.Comments(t.Context(), w.Target(t))
	if err != nil || a.Result != evidence.Fail || len(a.Comments) != 1000 {
		t.Fatalf("%s: %d comments (%s), %v", a.Result, len(a.Comments), a.Because, err)
	}
	if n := w.Requests() - before; n > 12 {
		t.Errorf("%d requests for 1,000 threads", n)
	} else {
		t.Logf("%d requests for 1,000 threads", n)
	}

	// The last one of the last page counts like the first.
	w.Check(t, "check-299", contract.Failing)
	if a, err = p.Checks(t.Context(), w.Target(t)); err != nil || a.Result != evidence.Fail || a.Signature != "pipeline/check-299" {
		t.Errorf("%s %s: %s, %v", a.Result, a.Signature, a.Because, err)
	}
	w.Check(t, "check-299", contract.Running)
	if a, err = p.Checks(t.Context(), w.Target(t)); err != nil || a.Result != evidence.Unknown || !a.Pending {
		t.Errorf("%s (pending %v): %s, %v", a.Result, a.Pending, a.Because, err)
	}
}

// A server of one's own may know only older versions of the API.
func TestOlderServer(t *testing.T) {
	for _, latest := range []string{"7.1", "7.0", "6.0", "5.1"} {
		repo := contract.NewRepository(t, "feature/cap")
		s := azureserver.New(azureserver.Options{Git: repo.Bare, Token: canary, Latest: latest, Collection: "tfs/DefaultCollection", Project: "Widgets"})
		front := httptest.NewServer(s)
		base, err := url.Parse(front.URL + "/tfs/DefaultCollection")
		if err != nil {
			t.Fatal(err)
		}
		w := &world{server: s, repo: repo, base: base, head: repo.Commit(t, "main"), inner: map[time.Duration]*http.Transport{}}
		w.Submit(t)
		w.Check(t, "unit", contract.Passing)
		x := w.Target(t)
		x.URL = "https://tfs.corp.example/tfs/DefaultCollection/Widgets/_git/widgets"
		// The token of a server counts where its address was named, which is not tested here.
		p := azuredevops.New(azuredevops.Options{Token: withServerToken, Collection: base})
		for _, what := range []string{"pull", "checks"} {
			a, err := read(t.Context(), p, what, x)
			if err != nil || a.Result != evidence.Pass {
				t.Errorf("API %s, %s: %s (%s), %v", latest, what, a.Result, a.Because, err)
			}
			if !strings.HasPrefix(a.URL, front.URL+"/tfs/DefaultCollection/Widgets/_git/widgets/pullrequest/") {
				t.Errorf("API %s: %s", latest, a.URL)
			}
		}
		front.Close()
	}
	repo := contract.NewRepository(t, "feature/cap")
	s := azureserver.New(azureserver.Options{Git: repo.Bare, Token: canary, Latest: "4.1"})
	front := httptest.NewServer(s)
	defer front.Close()
	w := &world{server: s, repo: repo, head: repo.Commit(t, "main"), inner: map[time.Duration]*http.Transport{}}
	w.base, _ = url.Parse(front.URL + "/acme")
	w.Submit(t)
	if a, err := w.Provider(t, time.Minute).PullRequest(t.Context(), w.Target(t)); err != nil || a.Result != evidence.Unknown || !strings.Contains(a.Because, "out of range") {
		t.Errorf("a server that is too old: %s (%s), %v", a.Result, a.Because, err)
	}
}

// Without the header the service shows a page to sign in, and with it 401; neither passes.
func TestTokenThatIsNotAccepted(t *testing.T) {
	for _, redirect := range []bool{false, true} {
		w := newAzure(t)
		w.Submit(t)
		p := azuredevops.New(azuredevops.Options{Token: withOtherToken, Collection: w.base, Redirect: redirect})
		a, err := p.PullRequest(t.Context(), w.Target(t))
		if err != nil || a.Result != evidence.Unknown || !strings.Contains(a.Because, "unauthorized") {
			t.Errorf("redirect %v: %s (%s), %v", redirect, a.Result, a.Because, err)
		}
		if found := p.Examine(t.Context(), w.Target(t)); len(found) != 1 || found[0].OK || found[0].Next == "" {
			t.Errorf("redirect %v: %+v", redirect, found)
		}
	}
}

func TestNoToken(t *testing.T) {
	w := newAzure(t)
	w.Submit(t)
	p := azuredevops.New(azuredevops.Options{Token: withNoToken, Collection: w.base})
	a, err := p.Checks(t.Context(), w.Target(t))
	if err != nil || a.Result != evidence.Unknown || !strings.Contains(a.Because, "AZURE_DEVOPS_EXT_PAT") {
		t.Errorf("%s (%s), %v", a.Result, a.Because, err)
	}
	if found := p.Examine(t.Context(), w.Target(t)); len(found) != 1 || found[0].OK || !strings.Contains(found[0].Next, "Work Items (Read)") {
		t.Errorf("%+v", found)
	}
	if w.Requests() != 0 {
		t.Errorf("%d requests without a token", w.Requests())
	}
}

// What a grant is missing for is said, with the grant.
func TestMissingGrants(t *testing.T) {
	for scope, grant := range map[string]string{"code": "Code (Read)", "build": "Build (Read)", "work": "Work Items (Read)"} {
		w := newAzure(t)
		w.Submit(t)
		w.Check(t, "unit", contract.Passing)
		w.Item(t, "A cap", "")
		w.Link(t)
		w.server.Deny(scope)
		p := w.Provider(t, time.Minute)
		bad := 0
		for _, f := range p.Examine(t.Context(), w.Target(t)) {
			if !f.OK {
				bad++
				if !strings.Contains(f.Next, grant) {
					t.Errorf("%s: %+v", scope, f)
				}
			}
		}
		if bad != 1 {
			t.Errorf("%s: %d bad findings", scope, bad)
		}
		a, err := read(t.Context(), p, map[string]string{"code": "pull", "build": "checks", "work": "item"}[scope], w.Target(t))
		if err != nil || a.Result != evidence.Unknown || !strings.Contains(a.Because, grant) {
			t.Errorf("%s: %s (%s), %v", scope, a.Result, a.Because, err)
		}
	}
}

func TestBadAddress(t *testing.T) {
	w := newAzure(t)
	for _, u := range []string{"", "https://github.com/acme/widgets", "/srv/git/widgets.git"} {
		x := w.Target(t)
		x.URL = u
		if a, err := w.Provider(t, time.Minute).PullRequest(t.Context(), x); err == nil {
			t.Errorf("%q: %+v", u, a)
		}
	}
}
