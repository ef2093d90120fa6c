package azuredevops

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/provider"
)

// pushedWithin is how recent a push has to be to show that its author may write to the
// repository.
const pushedWithin = 90 * 24 * time.Hour

// Approvals reads the comments on the work item that approve.
//
// The service tells nobody but administrators who may write to a repository. So an author
// counts as one who may when the service has a push of theirs to it, not long ago; of anyone else
// it could not be found out, and the approval counts for nothing.
func (p *Provider) Approvals(ctx context.Context, t provider.Target) ([]provider.Approval, error) {
	s, err := p.open(ctx, t.URL)
	if err != nil {
		return nil, err
	}
	src, err := s.source(t.Source)
	if err != nil {
		return nil, err
	}
	if _, err := s.me(ctx); err != nil {
		return nil, err
	}
	var repo repository
	if err := s.get(ctx, s.repository(), &repo); err != nil {
		return nil, err
	}
	if id := identityOf(repo); t.Repository != "" && t.Repository != id {
		return nil, fmt.Errorf("the remote's name now stands for another repository (%s) than the one that was read first (%s)", id, t.Repository)
	}
	all, err := s.itemComments(ctx, src)
	if err != nil {
		return nil, err
	}
	var out []provider.Approval
	doubts := map[string]string{}
	for _, c := range all {
		digest, rejects := c.approved()
		if digest == "" || c.IsDeleted {
			continue
		}
		a := provider.Approval{
			Rejects: rejects, Author: c.CreatedBy.name(), Digest: digest, At: c.CreatedDate.String(), Refused: c.flaw(s.self, rejects), Reader: s.reader(),
			URL: fmt.Sprintf("%s#%d", s.itemPage(workItem{ID: src.number, Fields: map[string]any{"System.TeamProject": src.project}}), c.ID),
		}
		if a.Refused == "" {
			why, ok := doubts[c.CreatedBy.ID]
			if !ok {
				why = s.doubt(ctx, repo, c.CreatedBy)
				doubts[c.CreatedBy.ID] = why
			}
			a.Refused = why
		}
		out = append(out, a)
	}
	for i := range out {
		out[i].Proof = s.lines()
	}
	return out, nil
}

// doubt says why it is not known that somebody may write to the repository, or is "".
func (s *session) doubt(ctx context.Context, repo repository, who identity) string {
	const could = "whether its author may write to the repository could not be found out: "
	r := s.inRepository(repo, "the pushes of "+who.name(), "pushes")
	r.query = url.Values{"searchCriteria.pusherId": {who.ID}, "$top": {"1"}}
	var l list[push]
	if err := s.get(ctx, r, &l); err != nil {
		return could + err.Error()
	}
	now := s.now()
	for _, p := range l.Value {
		if !strings.EqualFold(p.PushedBy.ID, who.ID) {
			return could + "the service answered with pushes of somebody else"
		}
		if p.Date.After(now.Add(-pushedWithin)) && p.Date.Before(now.Add(time.Hour)) {
			return ""
		}
	}
	return could + fmt.Sprintf("there is no push of %s to it in the last %d days", who.name(), int(pushedWithin.Hours()/24))
}

// itemComments reads the comments on a work item, oldest first, to the last one. Those
// that were deleted are among them: whether the service counts them is not documented, and
// with them no list that is whole can look shorter than the count.
func (s *session) itemComments(ctx context.Context, src source) ([]itemComment, error) {
	r := resource{
		what: fmt.Sprintf("the comments on work item %d", src.number), project: src.project,
		path: []string{"wit", "workItems", strconv.Itoa(src.number), "comments"}, query: url.Values{"order": {"asc"}, "$top": {"200"}, "includeDeleted": {"true"}},
		preview: commentsPreview, grant: grantWork,
	}
	var all []itemComment
	var tokens []string
	for {
		var c itemComments
		if err := s.get(ctx, r, &c); err != nil {
			return nil, err
		}
		for _, one := range c.Comments {
			if one.WorkItemID != 0 && one.WorkItemID != src.number {
				return nil, &ReadError{What: r.what, Err: shape("a comment is on work item %d", one.WorkItemID)}
			}
		}
		all = append(all, c.Comments...)
		if c.ContinuationToken == "" {
			if c.TotalCount != nil && len(all) < *c.TotalCount {
				return nil, &ReadError{What: r.what, Err: shape("it says %d comments and has %d", *c.TotalCount, len(all))}
			}
			return all, nil
		}
		if slices.Contains(tokens, c.ContinuationToken) || len(tokens) == 50 {
			return nil, &ReadError{What: r.what, Err: shape("its pages do not end")}
		}
		tokens = append(tokens, c.ContinuationToken)
		r.query.Set("continuationToken", c.ContinuationToken)
	}
}

func (c itemComments) check() error {
	if c.Comments == nil {
		return shape("it has no list in it")
	}
	if c.Count != len(c.Comments) {
		return shape("it says %d comments and has %d", c.Count, len(c.Comments))
	}
	return nil
}

func commentsPreview(release string) string {
	if release == "7.1" {
		return "-preview.4"
	}
	return "-preview.3"
}
