package githubserver_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/provider/githubserver"
)

// The stand-in changes nothing over HTTP, and counts who tries.
func TestWritesAreRefusedAndCounted(t *testing.T) {
	s := githubserver.New(githubserver.Options{Git: t.TempDir(), Token: "t0ken"})
	ask := func(method, path, body, token string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Accept", "application/vnd.github+json")
		r.Header.Set("User-Agent", "test")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	for i, c := range [][3]string{
		{http.MethodPost, "/repos/acme/widgets/pulls", `{"title":"x"}`},
		{http.MethodPut, "/repos/acme/widgets/pulls/1/merge", ""},
		{http.MethodPatch, "/repos/acme/widgets/issues/1", `{"state":"closed"}`},
		{http.MethodDelete, "/repos/acme/widgets/git/refs/heads/main", ""},
		{http.MethodPost, "/graphql", `{"query":"mutation M { closeIssue(input: {issueId: \"1\"}) { clientMutationId } }","operationName":"M"}`},
	} {
		if w := ask(c[0], c[1], c[2], "t0ken"); w.Code != http.StatusMethodNotAllowed || s.Writes() != i+1 {
			t.Errorf("%s %s: %d, and %d are counted", c[0], c[1], w.Code, s.Writes())
		}
	}
	before := s.Writes()
	w := ask(http.MethodGet, "/repos/acme/widgets", "", "t0ken")
	etag := w.Header().Get("ETag")
	if w.Code != http.StatusOK || etag == "" || w.Header().Get("X-GitHub-Request-Id") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := ask(http.MethodGet, "/repos/acme/widgets", "", "another"); w.Code != http.StatusUnauthorized {
		t.Errorf("another token: %d", w.Code)
	}
	if w := ask(http.MethodPost, "/graphql", `{"query":"query Viewer { viewer { login } }","operationName":"Viewer"}`, "t0ken"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"agent"`) {
		t.Errorf("a query: %d %s", w.Code, w.Body)
	}
	if s.Writes() != before {
		t.Error("reads are counted as writes")
	}
}
