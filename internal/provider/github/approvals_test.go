package github_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/github"
	"github.com/asterweave/asterweave/internal/provider/githubserver"
	"github.com/asterweave/asterweave/internal/provider/remote"
	"github.com/asterweave/asterweave/internal/provider/token"
)

// Whose issue it is makes nobody a writer of the repository that the delivery is for.
func TestWhoMayWriteElsewhereApprovesNothing(t *testing.T) {
	w := newServed(t)
	w.Submit(t)
	evil := githubserver.New(githubserver.Options{Git: w.repo.Bare, Token: canary, Scopes: "repo", Owner: "evil", Name: "own", ID: 666, Now: then})
	evil.Grant("mallory", "admin")
	evil.Grant("writer", "read")
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(raw))
		if strings.Contains(r.URL.Path, "/repos/evil/") || bytes.Contains(raw, []byte(`"owner":"evil"`)) {
			evil.ServeHTTP(rw, r)
			return
		}
		w.ServeHTTP(rw, r)
	}))
	t.Cleanup(front.Close)
	w.base.Host = strings.TrimPrefix(front.URL, "http://")
	number := evil.NewIssue("mallory", "A cap", "Refunds have a cap.")
	evil.Comment(number, "mallory", "/asterweave approve 0123456789abcdef")
	evil.Comment(number, "writer", "/asterweave approve 0123456789abcdef")
	target := w.Target(t)
	target.Source = "evil/own#1"
	p := github.New(github.Options{
		Token: found,
		Endpoint: func(string) github.Endpoint {
			return github.Endpoint{REST: w.base, GraphQL: w.base.JoinPath("graphql")}
		},
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	got, err := p.Approvals(t.Context(), target)
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if !strings.Contains(got[0].Refused, "mallory has the permission read") || got[1].Refused != "" {
		t.Errorf("%+v", got)
	}
}

// Two hosts have accounts of their own: one name may be two people.
func TestAnIssueAtAnotherHostApprovesNothing(t *testing.T) {
	w := newServed(t)
	w.Submit(t)
	w.Item(t, "A cap", "Refunds have a cap.")
	w.Comment(t, "writer", "/asterweave approve 0123456789abcdef")
	target := w.Target(t)
	target.Source = "https://ghe.corp.example/acme/widgets/issues/" + strings.TrimPrefix(target.Source, "acme/widgets#")
	p := github.New(github.Options{
		Token: func(ctx context.Context, _ remote.Repository) (token.Token, error) {
			return found(ctx, remote.Repository{Provider: provider.GitHub, Host: "github.com", Known: true})
		},
		Endpoint: func(string) github.Endpoint {
			return github.Endpoint{REST: w.base, GraphQL: w.base.JoinPath("graphql")}
		},
	})
	if got, err := p.Approvals(t.Context(), target); err == nil || len(got) > 0 || !strings.Contains(err.Error(), "another host") {
		t.Errorf("%+v, %v", got, err)
	}
}

// What the service says of an error goes into records and prompts, and has a bound there.
func TestAnEndlessMessage(t *testing.T) {
	w := newWorld(t, "")
	w.override["Pull"] = `{"errors":[{"type":"FORBIDDEN","message":"` + strings.Repeat("never, ", 1<<17) + `"}]}`
	a, err := w.client().PullRequest(t.Context(), target())
	if err != nil || a.Result != evidence.Unknown || len(a.Because) > 1000 || !strings.Contains(a.Because, "never, ") {
		t.Errorf("%s, %d bytes, %v", a.Result, len(a.Because), err)
	}
}
