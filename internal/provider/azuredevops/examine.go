package azuredevops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/token"
)

// Examine says whose token it is and tries one read for each grant that is needed.
func (p *Provider) Examine(ctx context.Context, t provider.Target) []provider.Finding {
	s, err := p.open(ctx, t.URL)
	if err != nil {
		if errors.Is(err, token.ErrNone) {
			return []provider.Finding{{What: err.Error(), Next: fmt.Sprintf("put a personal access token with %s, %s and %s into AZURE_DEVOPS_EXT_PAT", grantCode, grantBuild, grantWork)}}
		}
		return []provider.Finding{{What: err.Error(), Next: "look at the remote's URL"}}
	}
	host := s.collection.Host
	me, err := s.me(ctx)
	if err != nil {
		return []provider.Finding{{What: fmt.Sprintf("%v: %v", s.token, err), Next: "make a new token for this organization or collection"}}
	}
	found := []provider.Finding{{OK: true, What: fmt.Sprintf("%v belongs to %s", s.token, cmp.Or(me.AuthenticatedUser.ProviderDisplayName, me.AuthenticatedUser.ID))}}
	builds := s.buildList("builds", url.Values{})
	builds.query.Set("$top", "1")
	for _, probe := range []struct {
		r    resource
		into any
		what string
	}{
		{s.repository(), new(repository), "pull requests, policies, statuses and threads"},
		{builds, new(list[build]), "the results of builds"},
		{resource{what: "types of work items", project: s.project, path: []string{"wit", "workitemtypes"}, grant: grantWork}, new(list[workItemState]), "work items"},
	} {
		if err := s.get(ctx, probe.r, probe.into); err != nil {
			found = append(found, provider.Finding{What: fmt.Sprintf("%s cannot be read from %s: %v", probe.what, host, err), Next: "give the token the grant " + probe.r.grant})
			continue
		}
		found = append(found, provider.Finding{OK: true, What: fmt.Sprintf("%s can be read from %s (%s)", probe.what, host, probe.r.grant)})
	}
	return found
}
