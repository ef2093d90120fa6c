package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	api "github.com/google/go-github/v62/github"

	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/token"
	"github.com/asterweave/asterweave/internal/provider/wire"
)

// Examine asks once for everything that the reads need and says what came of it.
func (p *Provider) Examine(ctx context.Context, t provider.Target) []provider.Finding {
	r, err := p.begin(ctx, t)
	switch {
	case errors.Is(err, token.ErrNone):
		return []provider.Finding{{What: err.Error(), Next: "set one of these variables, or sign in with gh auth login"}}
	case err != nil:
		return []provider.Finding{{What: "the repository at GitHub is not known: " + err.Error(), Next: "give the remote a URL that names the repository"}}
	}
	found := []provider.Finding{{OK: true, What: fmt.Sprintf("the token for %s is from %s", r.host, r.token.Source)}}

	var who struct {
		Viewer *actor `json:"viewer"`
	}
	if err := r.query(ctx, "Viewer", nil, &who); err != nil || who.Viewer == nil {
		found = append(found, lacks("whose token it is", err))
	} else {
		found = append(found, provider.Finding{OK: true, What: "it is the token of " + who.Viewer.Login})
	}
	var repo api.Repository
	header, err := r.get(ctx, r.path(""), &repo)
	if err != nil || repo.GetID() == 0 {
		return append(found, lacks("the repository "+r.asked, err))
	}
	kind := "; a fine-grained or an App's token, whose grants no answer lists"
	if scopes, classic := header["X-Oauth-Scopes"]; classic {
		kind = "; a classic token with the scopes " + strings.Join(scopes, ", ")
		if strings.Join(scopes, "") == "" {
			kind = "; a classic token without scopes, which reads what is public"
		}
	}
	found = append(found, provider.Finding{OK: true, What: "it reads the repository " + repo.GetFullName() + kind})
	if err := r.confirm(repo.GetID(), repo.GetFullName()); err != nil {
		return append(found, lacks("the repository that was read before", err))
	}
	if now := r.renamed(); now != "" {
		found = append(found, provider.Finding{What: now, Next: "set the remote's URL to the new name"})
	}
	base := strings.TrimPrefix(t.Base, "refs/heads/")
	if base == "" {
		base = repo.GetDefaultBranch()
	}
	return append(found, r.reach(ctx, base)...)
}

// reach tries each of the reads on what is always there: the base branch and the lists.
func (r *reading) reach(ctx context.Context, base string) []provider.Finding {
	var found []provider.Finding
	commit := url.PathEscape(base)
	for _, q := range []struct{ what, path string }{
		{"pull requests", r.path("/pulls") + "?state=open&per_page=1"},
		{"the rules of " + base, r.path("/rules/branches/%s", base) + "?per_page=1"},
		{"the branch " + base, r.path("/branches/%s", base)},
		{"check runs", r.path("/commits/") + commit + "/check-runs?per_page=1"},
		{"check suites", r.path("/commits/") + commit + "/check-suites?per_page=1"},
		{"commit statuses", r.path("/commits/") + commit + "/status?per_page=1"},
		{"workflow runs", r.path("/actions/runs") + "?per_page=1"},
	} {
		var answer json.RawMessage
		if _, err := r.get(ctx, q.path, &answer); err != nil {
			found = append(found, lacks(q.what, err))
		} else {
			found = append(found, provider.Finding{OK: true, What: "it reads " + q.what})
		}
	}
	return found
}

// lacks is a finding about something that cannot be read.
func lacks(what string, err error) provider.Finding {
	if err == nil {
		return provider.Finding{What: "cannot read " + what + ": the answer does not say it", Next: "try again later"}
	}
	f := provider.Finding{What: "cannot read " + what + ": " + err.Error(), Next: "try again later"}
	var w *wire.Error
	errors.As(err, &w)
	switch kind := kindOf(err); {
	case w != nil && w.Grant != "":
		f.Next = "give the token the grant " + w.Grant
		if strings.Contains(w.Grant, "checks") {
			f.Next += "; a fine-grained personal access token cannot have it: use a classic token with repo, or an App's token"
		}
	case kind == wire.Unauthorized:
		f.Next = "renew the token"
	case kind == wire.Forbidden, kind == wire.NotFound:
		f.Next = "see whether the name is right and whether the token may read it"
	}
	return f
}
