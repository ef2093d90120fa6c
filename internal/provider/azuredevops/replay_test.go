package azuredevops_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/azuredevops"
)

// The scenarios' names for commits and ids.
var (
	headH   = strings.Repeat("a1", 20)
	headH2  = strings.Repeat("b2", 20)
	treeOfH = strings.Repeat("e7", 20)
)

const (
	projectID  = "0bdb0000-0000-4000-8000-000000000001"
	repoID     = "a2900000-0000-4000-8000-000000000002"
	forkID     = "f0f00000-0000-4000-8000-000000000000"
	forkOwner  = "99990000-0000-4000-8000-000000000000"
	thePull    = "/git/repositories/" + repoID + "/pullRequests/22"
	evaluation = "/policy/evaluations"
)

// answer is a recorded one.
type answer struct {
	Status   int               `json:"status"`
	Headers  map[string]string `json:"headers"`
	Body     json.RawMessage   `json:"body"`
	BodyText *string           `json:"body_text"`
}

// replay answers with scenarios over a world in which all is well: pull request 22 of
// feature/x at H, with nothing else on it. Answers of one path come in their order, and
// the last one stays.
type replay struct {
	t        *testing.T
	answers  map[string][]answer // by path below _apis, in lower case
	builds   map[int]json.RawMessage
	front    *httptest.Server
	other    *httptest.Server
	elsewh   int
	writes   int
	paths    []string
	slept    []time.Duration
	noID     bool        // answers name no request
	header   http.Header // of the last request
	redirect bool
}

func newReplay(t *testing.T, scenarios ...string) *replay {
	t.Helper()
	r := &replay{t: t, answers: map[string][]answer{}, builds: map[int]json.RawMessage{}}
	r.front = httptest.NewServer(http.HandlerFunc(r.serve))
	r.other = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { r.elsewh++ }))
	t.Cleanup(r.front.Close)
	t.Cleanup(r.other.Close)
	project := map[string]any{"id": projectID, "name": "Widgets App"}
	repo := map[string]any{"id": repoID, "name": "widgets", "project": project}
	r.set("/git/repositories/widgets", repo)
	r.set("/git/repositories/widgets-fork", map[string]any{"id": forkID, "name": "widgets-fork", "isFork": true, "project": map[string]any{"id": forkOwner, "name": "Dev"}, "parentRepository": repo})
	for _, id := range []string{repoID, forkID} {
		r.set("/git/repositories/"+id+"/refs", list(map[string]any{"name": "refs/heads/feature/x2", "objectId": headH2}, map[string]any{"name": "refs/heads/feature/x", "objectId": headH}))
		r.set("/git/repositories/"+id+"/commits/"+headH, map[string]any{"commitId": headH, "treeId": treeOfH})
		r.set("/git/repositories/"+id+"/pullrequests", list())
	}
	r.iterations(headH)
	for _, part := range []string{"/statuses", "/threads", "/workitems"} {
		r.set(thePull+part, list())
	}
	r.set(evaluation, list())
	r.set("/connectiondata", map[string]any{"authenticatedUser": map[string]any{"id": "00000007-0000-4000-8000-000000000000", "providerDisplayName": "Agent"}})
	r.set("/wit/workitemtypes/user story/states", list(
		map[string]any{"name": "New", "category": "Proposed"}, map[string]any{"name": "Active", "category": "InProgress"},
		map[string]any{"name": "Resolved", "category": "Resolved"}, map[string]any{"name": "Closed", "category": "Completed"}, map[string]any{"name": "Removed", "category": "Removed"}))
	r.set("/wit/workitems/101/comments", map[string]any{"totalCount": 0, "count": 0, "comments": []any{}})
	r.load("pr_active")
	r.load("builds_for_pr")
	for _, s := range scenarios {
		r.load(s)
	}
	return r
}

func list(values ...any) map[string]any {
	if values == nil {
		values = []any{}
	}
	return map[string]any{"count": len(values), "value": values}
}

// iterations sets the heads that were pushed, the last one last.
func (r *replay) iterations(heads ...string) {
	var all []any
	for i, h := range heads {
		all = append(all, map[string]any{"id": i + 1, "sourceRefCommit": map[string]any{"commitId": h}, "reason": "push"})
	}
	r.set(thePull+"/iterations", list(all...))
}

func (r *replay) set(path string, body any) {
	r.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	r.answers[strings.ToLower(path)] = []answer{{Status: http.StatusOK, Body: b}}
}

// load lays a scenario over what is there.
func (r *replay) load(name string) {
	r.t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "ado", name+".json"))
	if err != nil {
		r.t.Fatal(err)
	}
	text := strings.NewReplacer("{{base}}", r.front.URL, "{{other}}", r.other.URL, "{{now+60}}", "1999999999").Replace(string(b))
	var all []struct {
		Request struct {
			Method, Path string
		}
		Response answer
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		r.t.Fatal(err)
	}
	fresh := map[string]bool{}
	for _, one := range all {
		u, err := url.Parse(one.Request.Path)
		if err != nil || one.Request.Method != http.MethodGet {
			r.t.Fatalf("%s: %s %s: %v", name, one.Request.Method, one.Request.Path, err)
		}
		_, path, ok := strings.Cut(strings.ToLower(u.Path), "/_apis")
		if !ok {
			r.t.Fatalf("%s: %s", name, one.Request.Path)
		}
		if id, ok := strings.CutPrefix(path, "/build/builds/"); ok {
			n, err := strconv.Atoi(id)
			if err != nil {
				r.t.Fatal(err)
			}
			r.builds[n] = one.Response.Body
			continue
		}
		if !fresh[path] {
			fresh[path], r.answers[path] = true, nil
		}
		if one.Response.Body != nil {
			var b bytes.Buffer
			if err := json.Compact(&b, one.Response.Body); err != nil {
				r.t.Fatal(err)
			}
			one.Response.Body = b.Bytes()
		}
		r.answers[path] = append(r.answers[path], one.Response)
		if path == strings.ToLower(thePull) && one.Response.Status == http.StatusOK && one.Response.Body != nil && len(r.answers[path]) == 1 {
			for _, id := range []string{repoID, forkID} {
				r.set("/git/repositories/"+id+"/pullrequests", list(one.Response.Body))
			}
		}
	}
}

func (r *replay) serve(w http.ResponseWriter, q *http.Request) {
	r.paths, r.header = append(r.paths, q.URL.RequestURI()), q.Header
	if q.Method != http.MethodGet {
		r.writes++
	}
	_, path, _ := strings.Cut(strings.ToLower(q.URL.Path), "/_apis")
	if !r.noID {
		w.Header().Set("ActivityId", "00000000-0000-0000-0000-000000000000")
	}
	if path == "/build/builds" {
		w.Header().Set("Content-Type", "application/json")
		var found []any
		for _, id := range strings.Split(q.URL.Query().Get("buildIds"), ",") {
			if n, err := strconv.Atoi(id); err == nil && r.builds[n] != nil {
				found = append(found, r.builds[n])
			}
		}
		if branch := r.answers["/build/builds?"]; len(branch) > 0 && q.URL.Query().Get("branchName") != "" {
			_, _ = w.Write(branch[0].Body)
			return
		}
		_ = json.NewEncoder(w).Encode(list(found...))
		return
	}
	all := r.answers[path]
	if len(all) == 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprintf(w, `{"message":"the scenario has no %s"}`, path)
		return
	}
	a := all[0]
	if len(all) > 1 {
		r.answers[path] = all[1:]
	}
	body := []byte(a.Body)
	if a.BodyText != nil {
		body = []byte(*a.BodyText)
	}
	if status := q.URL.Query().Get("searchCriteria.status"); status != "" && status != "all" {
		body = filtered(body, func(v map[string]any) bool { return v["status"] == status })
	}
	if skip, _ := strconv.Atoi(q.URL.Query().Get("$skip")); skip > 0 && a.Status == http.StatusOK {
		body = filtered(body, func(map[string]any) bool { skip--; return skip < 0 })
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8; api-version=7.1")
	for k, v := range a.Headers {
		if !r.noID || k != "activityid" && k != "x-vss-e2eid" {
			w.Header().Set(k, v)
		}
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(body)
}

func filtered(body []byte, keep func(map[string]any) bool) []byte {
	var l struct {
		Value []map[string]any `json:"value"`
	}
	if json.Unmarshal(body, &l) != nil {
		return body
	}
	l.Value = slices.DeleteFunc(l.Value, func(v map[string]any) bool { return !keep(v) })
	all := []any{}
	for _, v := range l.Value {
		all = append(all, v)
	}
	b, err := json.Marshal(list(all...))
	if err != nil {
		panic(err)
	}
	return b
}

func (r *replay) provider() *azuredevops.Provider {
	base, err := url.Parse(r.front.URL + "/acme")
	if err != nil {
		r.t.Fatal(err)
	}
	return azuredevops.New(azuredevops.Options{
		Token:      withToken,
		Collection: base,
		Redirect:   r.redirect,
		Sleep: func(_ context.Context, d time.Duration) error {
			r.slept = append(r.slept, d)
			return nil
		},
	})
}

func target() provider.Target {
	return provider.Target{
		Remote: "origin", URL: "https://dev.azure.com/acme/Widgets%20App/_git/widgets", Branch: "feature/x", Base: "main", Head: headH, Source: "acme/Widgets App#101",
	}
}
