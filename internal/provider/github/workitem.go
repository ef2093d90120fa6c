package github

import (
	"context"
	"fmt"
	"slices"
	"strings"

	api "github.com/google/go-github/v62/github"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/wire"
)

// issue reads an issue and makes sure that it is the one that was asked for: a number may
// be a pull request's, and a transferred issue answers from another repository.
func (r *reading) issue(ctx context.Context, number int) (*api.Issue, error) {
	var i api.Issue
	path := r.path("/issues/%d", number)
	_, err := r.get(ctx, path, &i)
	switch {
	case kindOf(err) == wire.Gone:
		return nil, fmt.Errorf("the issue %s/%s#%d was deleted: %w", r.owner, r.name, number, err)
	case err != nil:
		return nil, err
	case i.IsPullRequest():
		return nil, fmt.Errorf("%s/%s#%d is a pull request and no issue", r.owner, r.name, number)
	case i.GetNumber() == 0 || i.GetState() == "":
		return nil, fmt.Errorf("GET %s: the answer is no issue", path)
	case i.GetNumber() != number:
		return nil, fmt.Errorf("the issue %s/%s#%d was transferred: %s answers", r.owner, r.name, number, i.GetHTMLURL())
	}
	if name := homeOf(&i); name != "" && !strings.EqualFold(name, r.owner+"/"+r.name) {
		r.elsewhere = name
	}
	return &i, nil
}

// homeOf is the "owner/name" that an issue says it lies in, "" where it says none.
func homeOf(i *api.Issue) string {
	_, name, _ := strings.Cut(i.GetRepositoryURL(), "/repos/")
	return name
}

// stateOf is the state with its reason: closed alone does not mean done.
func stateOf(i *api.Issue) string {
	if reason := i.GetStateReason(); reason != "" {
		return i.GetState() + " (" + reason + ")"
	}
	return i.GetState()
}

// wordsOf are the words by which somebody may have asked for the state that an issue has.
func wordsOf(i *api.Issue) []string {
	words := []string{i.GetState()}
	if reason := i.GetStateReason(); reason != "" {
		words = append(words, reason, strings.ReplaceAll(reason, "_", " "))
	}
	return words
}

// reached compares an issue's state with the one that the plan names.
func reached(i *api.Issue, want string) (bool, error) {
	want = strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(want)))
	state, reason := i.GetState(), i.GetStateReason()
	if state != "open" && state != "closed" {
		return false, fmt.Errorf("the state %q of the issue is not known", state)
	}
	switch want {
	case "":
		return true, nil
	case "open", "closed":
		return state == want, nil
	case "completed", "not_planned", "duplicate":
		if state == "closed" && !slices.Contains([]string{"completed", "not_planned", "duplicate"}, reason) {
			return false, fmt.Errorf("the issue is closed for the reason %q, which is not known here, and the plan wants %s", reason, want)
		}
		return state == "closed" && reason == want, nil
	case "reopened":
		return state == "open" && reason == want, nil
	}
	return false, fmt.Errorf("the plan wants the state %q, and an issue has open, reopened, closed, completed, not_planned or duplicate", want)
}

// WorkItem reads the issue: it has to have the state that the plan names, and to be linked
// with the pull request, as either of them tells it. A mention is no link.
func (p *Provider) WorkItem(ctx context.Context, t provider.Target) (provider.Answer, error) {
	if t.Source == "" {
		return provider.Answer{Result: evidence.Info, Summary: "no work item", Because: "the delivery has no work item", Head: t.Head, Proof: "nothing to ask for"}, nil
	}
	item, number, err := p.item(ctx, t)
	if err != nil {
		return provider.Answer{}, err
	}
	i, err := item.issue(ctx, number)
	if err != nil {
		return item.unknown(err), nil
	}
	is, err := reached(i, t.State)
	if err != nil {
		return item.unknown(err), nil
	}
	notes, err := item.notes(ctx, number)
	if err != nil {
		return item.unknown(err), nil
	}
	r, err := p.begin(ctx, t)
	if err != nil {
		return provider.Answer{}, err
	}
	if r.service == item.service {
		r.mark = item.mark
	} else {
		r.before = item.proofs()
	}
	pr, err := r.locate(ctx, t)
	if err != nil {
		return r.unknown(err), nil
	}
	if pr == 0 {
		return r.unknown(fmt.Errorf("%s has no pull request of the branch %s that the issue could be linked with", r.asked, t.Branch)), nil
	}
	l, err := r.link(ctx, pr, item, number)
	if err != nil {
		return r.unknown(err), nil
	}
	if item.elsewhere != "" && !strings.EqualFold(item.elsewhere, item.owner+"/"+item.name) {
		return r.unknown(fmt.Errorf("the issue %s was transferred: %s answers", t.Source, i.GetHTMLURL())), nil
	}
	last, err := r.pull(ctx, pr)
	if err != nil {
		return r.unknown(err, l), nil
	}
	if why, wait := last.stands(t); why != "" {
		a := r.unknown(fmt.Errorf("%w: %s", errMoved, why), l)
		a.Pending = wait
		return a, nil
	}
	if l.Head != last.Head || l.Base != last.Base {
		return r.unknown(fmt.Errorf("%w: it was %.12s into %s and is %.12s into %s", errMoved, l.Head, l.Base, last.Head, last.Base), l), nil
	}
	a := r.answer(map[string]any{"issue": i.GetHTMLURL(), "state": stateOf(i), "wanted": t.State, "link": l})
	a.Head, a.URL, a.State, a.States = t.Head, i.GetHTMLURL(), stateOf(i), wordsOf(i)
	for _, n := range notes {
		a.Comments = append(a.Comments, provider.Comment{
			ID: n.key(), Kind: provider.Conversation, Author: n.Author.login(), Bot: n.Author.bot(), Own: n.Mine, URL: n.URL, Text: n.Body, At: n.at(),
		})
	}
	a.Summary = fmt.Sprintf("issue %s/%s#%d is %s", item.owner, item.name, number, stateOf(i))
	switch {
	case !is:
		a.Result, a.Signature = evidence.Fail, "work-item/state"
		a.Because = fmt.Sprintf("the issue is %s, and the plan wants %s", stateOf(i), t.State)
	case l.There():
		a.Result = evidence.Pass
		a.Summary += " and linked with the pull request"
	case l.Base != l.DefaultBase:
		a.Result = evidence.Unknown
		a.Because = fmt.Sprintf("GitHub links by words of the description only where the base is the default branch %s, and it is %s; somebody has to link the issue in the pull request's sidebar", l.DefaultBase, l.Base)
	default:
		a.Result, a.Signature = evidence.Fail, "work-item/link"
		a.Because = fmt.Sprintf("the pull request #%d and the issue are not linked; a line like \"Closes %s/%s#%d\" in its description does it", pr, item.owner, item.name, number)
	}
	return a, nil
}

// link is what the two sides tell of each other.
type link struct {
	FromPull    bool   `json:"fromPullRequest"`
	FromIssue   bool   `json:"fromIssue"`
	Head        string `json:"head"`
	Base        string `json:"base"`
	DefaultBase string `json:"defaultBase"`
}

// There reports whether either side tells of it.
func (l link) There() bool { return l.FromPull || l.FromIssue }

// numbered is an issue or pull request at the other end.
type numbered struct {
	Number     int `json:"number"`
	Repository *struct {
		DatabaseID    int64  `json:"databaseId"`
		NameWithOwner string `json:"nameWithOwner"`
	} `json:"repository"`
}

// is reports whether it is that number of that repository.
func (n numbered) is(r *reading, number int) bool {
	if n.Number != number || n.Repository == nil {
		return false
	}
	if r.id != 0 && n.Repository.DatabaseID != 0 {
		return r.id == n.Repository.DatabaseID
	}
	return strings.EqualFold(n.Repository.NameWithOwner, r.owner+"/"+r.name)
}

// link asks both sides. Neither is enough alone: a closing word counts from the pull
// request, a manual link may be told by the issue.
func (r *reading) link(ctx context.Context, pr int, item *reading, number int) (link, error) {
	var l link
	var issues, pulls []numbered
	err := follow("issues of the pull request", func(after any) (int, int, pageInfo, error) {
		var data struct {
			Repository *struct {
				DatabaseID       int64 `json:"databaseId"`
				DefaultBranchRef *struct {
					Name string `json:"name"`
				} `json:"defaultBranchRef"`
				PullRequest *struct {
					HeadRefOid  string                `json:"headRefOid"`
					BaseRefName string                `json:"baseRefName"`
					Closing     *connection[numbered] `json:"closingIssuesReferences"`
				} `json:"pullRequest"`
			} `json:"repository"`
		}
		const operation = "Closing"
		variables := r.variables(pr)
		variables["after"] = after
		if err := r.query(ctx, operation, variables, &data); err != nil {
			return 0, 0, pageInfo{}, err
		}
		if data.Repository == nil || data.Repository.PullRequest == nil || data.Repository.DefaultBranchRef == nil {
			return 0, 0, pageInfo{}, &queryError{Operation: operation, Kind: wire.NotFound, Message: fmt.Sprintf("no pull request %d in the answer", pr)}
		}
		if err := r.confirm(data.Repository.DatabaseID, ""); err != nil {
			return 0, 0, pageInfo{}, err
		}
		q := data.Repository.PullRequest
		l.Head, l.Base, l.DefaultBase = q.HeadRefOid, q.BaseRefName, data.Repository.DefaultBranchRef.Name
		page, err := q.Closing.take(operation)
		if err != nil {
			return 0, 0, pageInfo{}, err
		}
		issues = append(issues, page...)
		return len(page), q.Closing.TotalCount, q.Closing.PageInfo, nil
	})
	if err != nil {
		return link{}, err
	}
	err = follow("pull requests of the issue", func(after any) (int, int, pageInfo, error) {
		var data struct {
			Repository *struct {
				DatabaseID    int64  `json:"databaseId"`
				NameWithOwner string `json:"nameWithOwner"`
				Issue         *struct {
					Number   int                   `json:"number"`
					ClosedBy *connection[numbered] `json:"closedByPullRequestsReferences"`
				} `json:"issue"`
			} `json:"repository"`
		}
		const operation = "ClosedBy"
		variables := item.variables(number)
		variables["after"] = after
		if err := item.query(ctx, operation, variables, &data); err != nil {
			return 0, 0, pageInfo{}, err
		}
		if data.Repository == nil || data.Repository.Issue == nil || data.Repository.Issue.Number != number {
			return 0, 0, pageInfo{}, &queryError{Operation: operation, Kind: wire.NotFound, Message: fmt.Sprintf("no issue %d in the answer", number)}
		}
		if err := item.confirm(data.Repository.DatabaseID, data.Repository.NameWithOwner); err != nil {
			return 0, 0, pageInfo{}, err
		}
		page, err := data.Repository.Issue.ClosedBy.take(operation)
		if err != nil {
			return 0, 0, pageInfo{}, err
		}
		pulls = append(pulls, page...)
		return len(page), data.Repository.Issue.ClosedBy.TotalCount, data.Repository.Issue.ClosedBy.PageInfo, nil
	})
	if err != nil {
		return link{}, err
	}
	for _, n := range issues {
		l.FromPull = l.FromPull || n.is(item, number)
	}
	for _, n := range pulls {
		l.FromIssue = l.FromIssue || n.is(r, pr)
	}
	return l, nil
}

// Item reads the issue to start from.
func (p *Provider) Item(ctx context.Context, t provider.Target) (provider.Item, error) {
	r, number, err := p.item(ctx, t)
	if err != nil {
		return provider.Item{}, err
	}
	i, err := r.issue(ctx, number)
	if err != nil {
		return provider.Item{}, err
	}
	if r.elsewhere != "" { // renamed, or transferred with its number: what answers is what is worked on
		r.owner, r.name, _ = strings.Cut(r.elsewhere, "/")
	}
	a := r.answer()
	return provider.Item{
		Source: fmt.Sprintf("%s/%s#%d", r.owner, r.name, number), Title: i.GetTitle(), Text: i.GetBody(),
		State: stateOf(i), URL: i.GetHTMLURL(), Proof: a.Proof,
	}, nil
}
