package github

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	api "github.com/google/go-github/v62/github"

	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/wire"
)

// note is a comment on an issue.
type note struct {
	remark
	LastEditedAt string `json:"lastEditedAt"`
	Edited       bool   `json:"includesCreatedEdit"`
}

// digestOf returns the digest that a comment approves or rejects, "" where it does neither. The
// words have to stand at its beginning, so that a quote, an example or a block of code
// approves nothing. Behind a rejection a reason may stand.
func digestOf(body string) (digest string, rejects bool) {
	m := regexp.MustCompile(`(?i)^(?:[ \t]*\r?\n)* {0,3}/asterweave[ :](?:approve[ \t]+([0-9a-f]{8,64})[ \t]*(?:\r?\n|$)|reject[ \t]+([0-9a-f]{8,64})\b)`).FindStringSubmatch(body)
	if m == nil {
		return "", false
	}
	return strings.ToLower(m[1] + m[2]), m[2] != ""
}

// Approvals reads the comments on the issue that approve a digest. One counts when it was
// never edited, and when its author may write to the repository, is no bot and is not
// the identity that reads.
func (p *Provider) Approvals(ctx context.Context, t provider.Target) ([]provider.Approval, error) {
	if t.Source == "" {
		return nil, nil
	}
	r, number, err := p.item(ctx, t)
	if err != nil {
		return nil, err
	}
	viewer, err := r.viewer(ctx)
	if err != nil {
		return nil, err
	}
	notes, err := r.notes(ctx, number)
	if err != nil {
		return nil, err
	}
	home, err := p.home(ctx, t, r)
	if err != nil {
		return nil, err
	}
	var approvals []provider.Approval
	for _, n := range notes {
		digest, rejects := digestOf(n.Body)
		if digest == "" {
			continue
		}
		a := provider.Approval{Rejects: rejects, Author: n.Author.login(), Digest: digest, URL: n.URL, At: n.CreatedAt, Reader: r.host + "/" + viewer}
		a.Refused = home.refuses(ctx, n, viewer, rejects)
		approvals = append(approvals, a)
	}
	proof := r.answer().Proof
	for i := range approvals {
		approvals[i].Proof = proof
	}
	return approvals, nil
}

// home is the reading of the remote's repository, which item may be of as well.
func (p *Provider) home(ctx context.Context, t provider.Target, item *reading) (*reading, error) {
	home, err := p.begin(ctx, t)
	if err != nil {
		return nil, err
	}
	if home.service != item.service {
		return nil, fmt.Errorf("the issue %s lies at another host than the repository, and nobody knows who there may write here", t.Source)
	}
	if strings.EqualFold(home.asked, item.asked) {
		return item, nil
	}
	var repo api.Repository
	if _, err := home.get(ctx, home.path(""), &repo); err != nil {
		return nil, err
	}
	if repo.GetID() == 0 {
		return nil, fmt.Errorf("GET %s: the answer is no repository", home.path(""))
	}
	return home, home.confirm(repo.GetID(), repo.GetFullName())
}

// viewer is the login whose token it is.
func (r *reading) viewer(ctx context.Context) (string, error) {
	var who struct {
		Viewer *actor `json:"viewer"`
	}
	if err := r.query(ctx, "Viewer", nil, &who); err != nil {
		return "", err
	}
	if who.Viewer == nil || who.Viewer.Login == "" {
		return "", &queryError{Operation: "Viewer", Kind: wire.Malformed, Message: "the answer does not say whose token it is"}
	}
	return who.Viewer.Login, nil
}

// notes reads all comments of the issue.
func (r *reading) notes(ctx context.Context, number int) ([]note, error) {
	const operation = "Approvals"
	var notes []note
	err := follow("comments of the issue", func(after any) (int, int, pageInfo, error) {
		var data struct {
			Repository *struct {
				DatabaseID    int64  `json:"databaseId"`
				NameWithOwner string `json:"nameWithOwner"`
				Issue         *struct {
					Number   int               `json:"number"`
					Comments *connection[note] `json:"comments"`
				} `json:"issue"`
			} `json:"repository"`
		}
		variables := r.variables(number)
		variables["after"] = after
		if err := r.query(ctx, operation, variables, &data); err != nil {
			return 0, 0, pageInfo{}, err
		}
		if data.Repository == nil || data.Repository.Issue == nil || data.Repository.Issue.Number != number {
			return 0, 0, pageInfo{}, &queryError{Operation: operation, Kind: wire.NotFound, Message: fmt.Sprintf("no issue %d in the answer", number)}
		}
		if err := r.confirm(data.Repository.DatabaseID, data.Repository.NameWithOwner); err != nil {
			return 0, 0, pageInfo{}, err
		}
		page, err := data.Repository.Issue.Comments.take(operation)
		if err != nil {
			return 0, 0, pageInfo{}, err
		}
		notes = append(notes, page...)
		return len(page), data.Repository.Issue.Comments.TotalCount, data.Repository.Issue.Comments.PageInfo, nil
	})
	return notes, err
}

// refuses says why an approval counts for nothing, "" where it counts. A rejection may
// have been edited: whoever else did that may write here as well.
func (r *reading) refuses(ctx context.Context, n note, viewer string, rejects bool) string {
	switch {
	case n.Author == nil:
		return "its author's account was deleted"
	case n.Author.Typename != "User":
		return fmt.Sprintf("%s is no person but a %s", n.Author.Login, n.Author.Typename)
	case n.Mine || sameLogin(n.Author.Login, viewer):
		return "it is by " + viewer + ", the identity that the agent uses itself"
	case !rejects && (n.LastEditedAt != "" || n.Edited):
		return "it was edited"
	case n.Author.Login == "" || n.CreatedAt == "" || n.URL == "":
		return "the answer does not say by whom, when and where it was written"
	}
	var level api.RepositoryPermissionLevel
	path := r.path("/collaborators/%s/permission", n.Author.Login)
	if _, err := r.get(ctx, path, &level); err != nil {
		return "whether its author may write could not be found out: " + err.Error()
	}
	if level.User != nil && !strings.EqualFold(level.GetUser().GetLogin(), n.Author.Login) {
		return "whether its author may write could not be found out: the answer is about somebody else"
	}
	switch role := level.GetPermission(); role {
	case "admin", "write", "maintain":
		return ""
	case "":
		return "whether its author may write could not be found out: the answer has no permission"
	default:
		return fmt.Sprintf("%s has the permission %s, and write is needed", n.Author.Login, role)
	}
}
