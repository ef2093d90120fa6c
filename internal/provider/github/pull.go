package github

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	api "github.com/google/go-github/v62/github"

	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/wire"
)

// States of a pull request.
const (
	stateOpen   = "OPEN"
	stateClosed = "CLOSED"
	stateMerged = "MERGED"
)

// pull is a pull request as it stood at one moment.
type pull struct {
	Number      int    `json:"number"`
	URL         string `json:"url"`
	State       string `json:"state"`
	Draft       bool   `json:"isDraft"`
	UpdatedAt   string `json:"updatedAt"`
	HeadName    string `json:"headRefName"`
	Head        string `json:"headRefOid"`
	Base        string `json:"baseRefName"`
	BaseCommit  string `json:"baseRefOid"`
	CrossFork   bool   `json:"isCrossRepository"`
	Mergeable   string `json:"mergeable"`
	MergeState  string `json:"mergeStateStatus"`
	Decision    string `json:"reviewDecision"`
	DefaultBase string `json:"-"`

	HeadRef *struct {
		Target *struct {
			OID string `json:"oid"`
		} `json:"target"`
	} `json:"headRef"`
	TestMerge *struct {
		OID     string `json:"oid"`
		Parents struct {
			Nodes []struct {
				OID string `json:"oid"`
			} `json:"nodes"`
		} `json:"parents"`
	} `json:"potentialMergeCommit"`
	MergeCommit *struct {
		OID string `json:"oid"`
	} `json:"mergeCommit"`
	AutoMerge *struct {
		MergeMethod string `json:"mergeMethod"`
		EnabledBy   *struct {
			Login string `json:"login"`
		} `json:"enabledBy"`
	} `json:"autoMergeRequest"`
}

// tip is the commit of the head branch, "" where the branch is gone.
func (p pull) tip() string {
	if p.HeadRef == nil || p.HeadRef.Target == nil {
		return ""
	}
	return p.HeadRef.Target.OID
}

// testMerge is the commit that merges the head into the base for tests, "" where there
// is none of exactly these two.
func (p pull) testMerge() string {
	if p.TestMerge == nil || len(p.TestMerge.Parents.Nodes) != 2 {
		return ""
	}
	if n := p.TestMerge.Parents.Nodes; n[0].OID != p.BaseCommit || n[1].OID != p.Head {
		return ""
	}
	return p.TestMerge.OID
}

// pull reads the pull request.
func (r *reading) pull(ctx context.Context, number int) (pull, error) {
	var data struct {
		Repository *struct {
			DatabaseID       int64  `json:"databaseId"`
			NameWithOwner    string `json:"nameWithOwner"`
			IsArchived       bool   `json:"isArchived"`
			DefaultBranchRef *struct {
				Name string `json:"name"`
			} `json:"defaultBranchRef"`
			PullRequest *pull `json:"pullRequest"`
		} `json:"repository"`
	}
	const operation = "Pull"
	if err := r.query(ctx, operation, r.variables(number), &data); err != nil {
		return pull{}, err
	}
	if data.Repository == nil || data.Repository.PullRequest == nil {
		return pull{}, &queryError{Operation: operation, Kind: wire.NotFound, Message: fmt.Sprintf("no pull request %d in the answer", number)}
	}
	p := *data.Repository.PullRequest
	if p.Number != number || !isCommit(p.Head) || p.Base == "" {
		return pull{}, &queryError{Operation: operation, Kind: wire.Malformed, Message: "the answer names no pull request with that number, head and base"}
	}
	switch p.State {
	case stateOpen, stateClosed, stateMerged:
	default:
		return pull{}, &queryError{Operation: operation, Kind: wire.Malformed, Message: fmt.Sprintf("the state %q is not known", p.State)}
	}
	if d := data.Repository.DefaultBranchRef; d != nil {
		p.DefaultBase = d.Name
	}
	return p, r.confirm(data.Repository.DatabaseID, data.Repository.NameWithOwner)
}

// stands reports why a pull request does not show the commit that was submitted: what is
// said of another commit counts for nothing. wait: the service may still catch up.
func (p pull) stands(t provider.Target) (why string, wait bool) {
	tip := p.tip()
	switch {
	case p.HeadName != "" && t.Branch != "" && p.HeadName != t.Branch:
		return fmt.Sprintf("the pull request is of the branch %s, and the delivery's is %s", p.HeadName, t.Branch), false
	case p.Head != t.Head && tip == t.Head:
		return fmt.Sprintf("the branch is at the submitted %.12s, and the pull request still shows %.12s", t.Head, p.Head), p.State == stateOpen
	case p.Head != t.Head:
		return fmt.Sprintf("the pull request's head is %.12s, and %.12s was submitted", p.Head, t.Head), false
	case tip == "" && p.State != stateMerged:
		return "the pull request's branch is gone, so that its head cannot be held against it", false
	case tip != "" && tip != t.Head && p.State != stateMerged:
		return fmt.Sprintf("the branch is at %.12s, and %.12s was submitted", tip, t.Head), false
	}
	return "", false
}

// base compares the base with the delivery's, "" where they are the same.
func (p pull) otherBase(t provider.Target) string {
	want := strings.TrimPrefix(t.Base, "refs/heads/")
	if want == "" || want == p.Base {
		return ""
	}
	return fmt.Sprintf("the pull request goes to %s, and the delivery's base is %s", p.Base, want)
}

// moved holds a second look against the first.
func (p pull) moved(then pull) error {
	switch {
	case p.Head != then.Head:
		return fmt.Errorf("%w: the head was %.12s and is %.12s", errMoved, p.Head, then.Head)
	case p.tip() != then.tip():
		return fmt.Errorf("%w: the branch was at %.12s and is at %.12s", errMoved, p.tip(), then.tip())
	case p.Base != then.Base:
		return fmt.Errorf("%w: the base was %s and is %s", errMoved, p.Base, then.Base)
	case p.State != then.State || p.Draft != then.Draft:
		return fmt.Errorf("%w: the pull request was %s and is %s", errMoved, p.standing(), then.standing())
	}
	return nil
}

func (p pull) standing() string {
	text := strings.ToLower(p.State)
	if p.Draft {
		text += " draft"
	}
	return text
}

// told is what a person has to know of a pull request besides its head.
func (p pull) told() []string {
	var told []string
	if p.Draft {
		told = append(told, "it is a draft")
	}
	if p.State == stateMerged {
		told = append(told, "it is merged")
	}
	if p.AutoMerge != nil {
		by := ""
		if p.AutoMerge.EnabledBy != nil {
			by = " by " + p.AutoMerge.EnabledBy.Login
		}
		told = append(told, "auto-merge is on"+by+": it merges by itself as soon as nothing holds it")
	}
	if p.CrossFork {
		told = append(told, "it comes from a fork")
	}
	return told
}

// fresh reports whether it changed a moment ago, so that what follows a push may be on its way.
func (p pull) fresh(now time.Time) bool {
	at, err := time.Parse(time.RFC3339, p.UpdatedAt)
	return err == nil && now.Sub(at) < 3*time.Minute
}

// address is what the URL of a pull request names.
type address struct {
	owner, name string
	number      int
}

// addressOf reads the URL of a pull request.
func addressOf(text string) (address, error) {
	u, err := url.Parse(text)
	if err == nil {
		if m := regexp.MustCompile(`^/([^/]+)/([^/]+)/pull/([0-9]{1,9})$`).FindStringSubmatch(strings.TrimSuffix(u.Path, "/")); m != nil {
			n, _ := strconv.Atoi(m[3])
			return address{owner: m[1], name: m[2], number: n}, nil
		}
	}
	return address{}, fmt.Errorf("%q is no URL of a pull request", text)
}

// locate returns the number of the delivery's pull request: the one that was read
// before, else the one that the head branch has. Its repository becomes the read's.
// It returns 0 where a whole list shows none.
func (r *reading) locate(ctx context.Context, t provider.Target) (int, error) {
	if t.PullRequest != "" {
		a, err := addressOf(t.PullRequest)
		if err != nil {
			return 0, err
		}
		r.owner, r.name = a.owner, a.name
		return a.number, nil
	}
	head := r.owner
	n, err := r.find(ctx, head, t)
	if n != 0 || err != nil {
		return n, err
	}
	var repo api.Repository
	if _, err := r.get(ctx, r.path(""), &repo); err != nil {
		return 0, err
	}
	if repo.GetID() == 0 || repo.GetFullName() == "" {
		return 0, fmt.Errorf("GET /repos/%s/%s: the answer names no repository", r.owner, r.name)
	}
	parent := repo.GetParent()
	if !repo.GetFork() || parent.GetFullName() == "" {
		return 0, r.confirm(repo.GetID(), repo.GetFullName())
	}
	r.owner, r.name, _ = strings.Cut(parent.GetFullName(), "/")
	if n, err = r.find(ctx, head, t); n == 0 && err == nil {
		r.owner, r.name, _ = strings.Cut(repo.GetFullName(), "/")
	}
	return n, err
}

// find looks for the pull request of the branch: an open one, else a merged or closed one
// of the very commit. Earlier pull requests of a branch name that is used again are not it.
func (r *reading) find(ctx context.Context, owner string, t provider.Target) (int, error) {
	query := url.Values{"head": {owner + ":" + t.Branch}, "state": {"all"}, "per_page": {strconv.Itoa(pageSize)}}
	var open, toBase, ended []int
	err := pages(ctx, r, r.path("/pulls")+"?"+query.Encode(), func(page []*api.PullRequest) error {
		for _, p := range page {
			if p.GetNumber() == 0 || p.GetHead().GetRef() == "" || p.GetState() == "" {
				return fmt.Errorf("GET %s: an entry is no pull request", r.path("/pulls"))
			}
			from := p.GetHead().GetUser().GetLogin()
			if p.GetHead().GetRef() != t.Branch || from != "" && !strings.EqualFold(from, owner) {
				continue // a filter that was not understood answers with all
			}
			switch {
			case p.GetState() == "open":
				open = append(open, p.GetNumber())
				if p.GetBase().GetRef() == strings.TrimPrefix(t.Base, "refs/heads/") {
					toBase = append(toBase, p.GetNumber())
				}
			case p.GetHead().GetSHA() == t.Head:
				ended = append(ended, p.GetNumber())
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return 0, err
	case len(open) == 1:
		return open[0], nil
	case len(toBase) == 1:
		return toBase[0], nil
	case len(open) > 1:
		return 0, fmt.Errorf("the branch %s has %d open pull requests (%v), and the base %s does not tell them apart", t.Branch, len(open), open, t.Base)
	case len(ended) > 0:
		return ended[0], nil // newest first
	}
	return 0, nil
}
