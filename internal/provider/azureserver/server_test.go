package azureserver_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/provider/azureserver"
	"github.com/asterweave/asterweave/internal/provider/contract"
)

func TestServer(t *testing.T) {
	repo := contract.NewRepository(t, "feature/cap")
	s := azureserver.New(azureserver.Options{Git: repo.Bare, Token: "secret"})
	front := httptest.NewServer(s)
	defer front.Close()
	const pulls = "/acme/Widgets%20App/_apis/git/repositories/widgets/pullrequests"
	ask := func(method, path string, change func(http.Header)) (int, string, map[string]any) {
		t.Helper()
		r, err := http.NewRequest(method, front.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer secret")
		r.Header.Set("Accept", "application/json")
		if change != nil {
			change(r.Header)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var v map[string]any
		_ = json.NewDecoder(resp.Body).Decode(&v) // a page is no JSON
		return resp.StatusCode, resp.Header.Get("ActivityId"), v
	}
	for _, c := range []struct {
		name, method, path string
		change             func(http.Header)
		want               int
	}{
		{"a list", "GET", pulls + "?api-version=7.1", nil, 200},
		{"no version", "GET", pulls, nil, 400},
		{"a version that is too new", "GET", pulls + "?api-version=7.2", nil, 400},
		{"a plain version of a preview", "GET", "/acme/Widgets%20App/_apis/policy/evaluations?artifactId=x&api-version=7.1", nil, 400},
		{"another project", "GET", strings.Replace(pulls, "Widgets", "Others", 1) + "?api-version=7.1", nil, 404},
		{"another repository", "GET", strings.Replace(pulls, "/widgets/", "/others/", 1) + "?api-version=7.1", nil, 404},
		{"no token", "GET", pulls + "?api-version=7.1", func(h http.Header) { h.Del("Authorization") }, 203},
		{"another token", "GET", pulls + "?api-version=7.1", func(h http.Header) {
			h.Set("Authorization", "Bearer other")
			h.Set("X-TFS-FedAuthRedirect", "Suppress")
		}, 401},
		{"no Accept", "GET", pulls + "?api-version=7.1", func(h http.Header) { h.Del("Accept") }, 406},
		{"a write", "POST", pulls + "?api-version=7.1", nil, 405},
		{"another write", "PATCH", pulls + "/22?api-version=7.1", nil, 405},
	} {
		status, id, _ := ask(c.method, c.path, c.change)
		if status != c.want || id == "" {
			t.Errorf("%s: %d (%q), want %d", c.name, status, id, c.want)
		}
	}
	if s.Writes() != 2 {
		t.Errorf("%d writes, want 2", s.Writes())
	}

	first := repo.Push(t)
	id := s.OpenPull("feature/cap", "main", "A cap", azureserver.Agent())
	second := repo.Push(t)
	_, _, v := ask("GET", pulls+"/22/iterations?api-version=7.1", nil)
	var got []string
	all, _ := v["value"].([]any)
	for _, one := range all {
		i, _ := one.(map[string]any)
		c, _ := i["sourceRefCommit"].(map[string]any)
		commit, _ := c["commitId"].(string)
		got = append(got, commit)
	}
	if id != 22 || len(got) != 2 || got[0] != first || got[1] != second {
		t.Errorf("pull request %d has the iterations %q, want %q", id, got, []string{first, second})
	}
}
