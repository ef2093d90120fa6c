package github

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/wire"
)

// remark is a comment of a thread, a conversation comment or a review, in the words of
// GraphQL.
type remark struct {
	ID          string `json:"id"`
	State       string `json:"state"`
	Author      *actor `json:"author"`
	Body        string `json:"body"`
	CreatedAt   string `json:"createdAt"`
	SubmittedAt string `json:"submittedAt"`
	URL         string `json:"url"`
	Mine        bool   `json:"viewerDidAuthor"`
	Commit      *struct {
		OID string `json:"oid"`
	} `json:"commit"`
}

// key names a remark for good.
func (m remark) key() string {
	if m.ID != "" {
		return m.ID
	}
	return m.URL
}

func (m remark) at() string {
	if m.CreatedAt != "" {
		return m.CreatedAt
	}
	return m.SubmittedAt
}

// connection is a page of a list.
type connection[T any] struct {
	TotalCount int      `json:"totalCount"`
	PageInfo   pageInfo `json:"pageInfo"`
	Nodes      []*T     `json:"nodes"`
}

// take returns what a page has, or an error where an entry is empty.
func (c *connection[T]) take(what string) ([]T, error) {
	if c == nil {
		return nil, &queryError{Operation: what, Kind: wire.Malformed, Message: "the list is not in the answer"}
	}
	var items []T
	for _, n := range c.Nodes {
		if n == nil {
			return nil, &queryError{Operation: what, Kind: wire.Malformed, Message: "an entry is empty"}
		}
		items = append(items, *n)
	}
	return items, nil
}

// thread is a review thread.
type thread struct {
	ID           string              `json:"id"`
	IsResolved   bool                `json:"isResolved"`
	IsOutdated   bool                `json:"isOutdated"`
	Path         string              `json:"path"`
	Line         int                 `json:"line"`
	OriginalLine int                 `json:"originalLine"`
	Comments     *connection[remark] `json:"comments"`
}

// said is all that was said on a pull request.
type said struct {
	viewer       string
	threads      []thread
	remarks      map[string][]remark // of each thread
	opinions     []remark            // that stand, of those who may write
	reviews      []remark
	conversation []remark
	requests     int // reviews that were asked for and not given
}

// Comments reads threads, the texts of reviews and the conversation. A thread that is not
// resolved is outstanding, outdated ones and those of bots included, and so is a request
// for changes that stands. It passes when none is.
func (p *Provider) Comments(ctx context.Context, t provider.Target) (provider.Answer, error) {
	r, err := p.begin(ctx, t)
	if err != nil {
		return provider.Answer{}, err
	}
	number, err := r.locate(ctx, t)
	if err != nil {
		return r.unknown(err), nil
	}
	if number == 0 {
		return r.unknown(fmt.Errorf("%s has no pull request of the branch %s", r.asked, t.Branch)), nil
	}
	s, err := r.said(ctx, number, t.Head)
	if err != nil {
		return r.unknown(err), nil
	}
	last, err := r.pull(ctx, number)
	if err != nil {
		return r.unknown(err), nil
	}
	comments := s.comments()
	decided := []any{last}
	for _, c := range comments {
		decided = append(decided, c)
	}
	a := r.answer(decided...)
	a.Head, a.URL, a.Comments = last.Head, last.URL, comments
	if why, wait := last.stands(t); why != "" {
		a.Result, a.Summary, a.Because, a.Pending = evidence.Unknown, "the pull request is not what was submitted", why, wait
		return a, nil
	}
	s.judge(&a, last)
	return a, nil
}

// judge sets result and summary from what is open.
func (s said) judge(a *provider.Answer, p pull) {
	threads, blocking, texts := 0, 0, 0
	var who []string
	for _, c := range a.Comments {
		switch {
		case c.Blocks:
			blocking++
		case c.Kind == provider.Thread && !c.Resolved:
			threads++
		case c.Kind != provider.Thread && !c.Own:
			texts++
			continue
		default:
			continue
		}
		name := c.Author
		if c.Bot {
			name += " (bot)"
		}
		if !slices.Contains(who, name) {
			who = append(who, name)
		}
	}
	a.Summary = fmt.Sprintf("%d comments: %d threads open, %d requests for changes stand, %d texts that cannot be resolved", len(a.Comments), threads, blocking, texts)
	for _, o := range s.opinions {
		if o.State == "APPROVED" && (o.Commit == nil || o.Commit.OID != p.Head) {
			a.Summary += fmt.Sprintf("; %s approved another commit than the submitted one", o.Author.login())
		}
	}
	if s.requests > 0 {
		a.Summary += fmt.Sprintf("; %d reviews were asked for and not given", s.requests)
	}
	if p.Decision != "" {
		a.Summary += "; review decision " + strings.ToLower(strings.ReplaceAll(p.Decision, "_", " "))
	}
	switch {
	case threads+blocking > 0:
		a.Result, a.Signature = evidence.Fail, "review-comments/open"
		a.Because = fmt.Sprintf("outstanding: %d threads and %d requests for changes, by %s", threads, blocking, strings.Join(who, ", "))
	case len(a.Comments) > 0:
		a.Result = evidence.Pass
	default:
		a.Result, a.Because = evidence.Info, "nobody commented on the pull request"
	}
}

// said reads all of it, page by page.
func (r *reading) said(ctx context.Context, number int, head string) (said, error) {
	s := said{remarks: map[string][]remark{}}
	var who struct {
		Viewer *actor `json:"viewer"`
	}
	if err := r.query(ctx, "Viewer", nil, &who); err != nil {
		return said{}, err
	}
	if who.Viewer == nil || who.Viewer.Login == "" {
		return said{}, &queryError{Operation: "Viewer", Kind: wire.Malformed, Message: "the answer does not say whose token it is"}
	}
	s.viewer = who.Viewer.Login
	if err := r.threads(ctx, number, head, &s); err != nil {
		return said{}, err
	}
	for _, l := range []struct {
		operation string
		into      *[]remark
	}{{"Opinions", &s.opinions}, {"Reviews", &s.reviews}, {"Conversation", &s.conversation}} {
		if err := r.remarks(ctx, number, head, l.operation, &s, l.into); err != nil {
			return said{}, err
		}
	}
	return s, nil
}

// discussion is the part of a pull request's answer that holds one of its lists.
type discussion struct {
	HeadRefOid string              `json:"headRefOid"`
	Threads    *connection[thread] `json:"reviewThreads"`
	Opinions   *connection[remark] `json:"latestOpinionatedReviews"`
	Reviews    *connection[remark] `json:"reviews"`
	Comments   *connection[remark] `json:"comments"`
	Requests   *struct {
		TotalCount int `json:"totalCount"`
	} `json:"reviewRequests"`
}

// discussion asks for a page of one of the lists.
func (r *reading) discussion(ctx context.Context, operation string, number int, head string, after any) (discussion, error) {
	var data struct {
		Repository *struct {
			PullRequest *discussion `json:"pullRequest"`
		} `json:"repository"`
	}
	variables := r.variables(number)
	variables["after"] = after
	if err := r.query(ctx, operation, variables, &data); err != nil {
		return discussion{}, err
	}
	if data.Repository == nil || data.Repository.PullRequest == nil {
		return discussion{}, &queryError{Operation: operation, Kind: wire.NotFound, Message: fmt.Sprintf("no pull request %d in the answer", number)}
	}
	d := *data.Repository.PullRequest
	if d.HeadRefOid != head {
		return discussion{}, fmt.Errorf("%w: the pull request's head is %.12s, and %.12s was submitted", errMoved, d.HeadRefOid, head)
	}
	return d, nil
}

func (r *reading) threads(ctx context.Context, number int, head string, s *said) error {
	const operation = "Threads"
	return follow("review threads", func(after any) (int, int, pageInfo, error) {
		d, err := r.discussion(ctx, operation, number, head, after)
		if err != nil {
			return 0, 0, pageInfo{}, err
		}
		page, err := d.Threads.take(operation)
		if err != nil {
			return 0, 0, pageInfo{}, err
		}
		for _, t := range page {
			first, err := t.Comments.take(operation)
			if err != nil {
				return 0, 0, pageInfo{}, err
			}
			if t.ID == "" {
				return 0, 0, pageInfo{}, &queryError{Operation: operation, Kind: wire.Malformed, Message: "a thread has no identifier"}
			}
			all := first
			if t.Comments.PageInfo.HasNextPage {
				if all, err = r.thread(ctx, t, first); err != nil {
					return 0, 0, pageInfo{}, err
				}
			} else if len(first) != t.Comments.TotalCount {
				return 0, 0, pageInfo{}, fmt.Errorf("thread %s: %d of %d comments were told; the list is not whole", t.ID, len(first), t.Comments.TotalCount)
			}
			t.Comments = nil
			s.threads = append(s.threads, t)
			s.remarks[t.ID] = all
		}
		return len(page), d.Threads.TotalCount, d.Threads.PageInfo, nil
	})
}

// thread reads the comments of a thread beyond those that came with it.
func (r *reading) thread(ctx context.Context, t thread, all []remark) ([]remark, error) {
	const operation = "Thread"
	info, seen := t.Comments.PageInfo, len(all)
	first := true
	err := follow("thread "+t.ID, func(after any) (int, int, pageInfo, error) {
		if first { // the page that is there already
			first = false
			return seen, t.Comments.TotalCount, info, nil
		}
		var data struct {
			Node *thread `json:"node"`
		}
		if err := r.query(ctx, operation, map[string]any{"thread": t.ID, "after": after}, &data); err != nil {
			return 0, 0, pageInfo{}, err
		}
		if data.Node == nil || data.Node.ID != t.ID {
			return 0, 0, pageInfo{}, &queryError{Operation: operation, Kind: wire.Malformed, Message: "the answer is not about that thread"}
		}
		page, err := data.Node.Comments.take(operation)
		if err != nil {
			return 0, 0, pageInfo{}, err
		}
		all = append(all, page...)
		return len(page), data.Node.Comments.TotalCount, data.Node.Comments.PageInfo, nil
	})
	return all, err
}

// remarks reads one of the lists of plain remarks.
func (r *reading) remarks(ctx context.Context, number int, head, operation string, s *said, into *[]remark) error {
	return follow(strings.ToLower(operation), func(after any) (int, int, pageInfo, error) {
		d, err := r.discussion(ctx, operation, number, head, after)
		if err != nil {
			return 0, 0, pageInfo{}, err
		}
		list := d.Comments
		switch operation {
		case "Opinions":
			list = d.Opinions
			if d.Requests == nil {
				return 0, 0, pageInfo{}, &queryError{Operation: operation, Kind: wire.Malformed, Message: "the answer does not say whose review was asked for"}
			}
			s.requests = d.Requests.TotalCount
		case "Reviews":
			list = d.Reviews
		}
		page, err := list.take(operation)
		if err != nil {
			return 0, 0, pageInfo{}, err
		}
		for _, m := range page {
			if operation != "Conversation" && !reviewState(m.State) {
				return 0, 0, pageInfo{}, &queryError{Operation: operation, Kind: wire.Malformed, Message: fmt.Sprintf("the state %q of a review is not known", m.State)}
			}
		}
		*into = append(*into, page...)
		return len(page), list.TotalCount, list.PageInfo, nil
	})
}

// reviewState reports whether a review's state is known: in another word one could stand
// against the pull request unseen.
func reviewState(s string) bool {
	return slices.Contains([]string{"APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED", "PENDING"}, s)
}

// own reports whether a remark is by the identity that reads.
func (s said) own(m remark) bool {
	return m.Mine || m.Author != nil && sameLogin(m.Author.Login, s.viewer)
}

// sameLogin compares logins; an App's has a suffix in some places and none in others.
func sameLogin(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(a, "[bot]"), strings.TrimSuffix(b, "[bot]"))
}

func (s said) comment(kind string, m remark) provider.Comment {
	return provider.Comment{ID: m.key(), Kind: kind, Author: m.Author.login(), Bot: m.Author.bot(), Own: s.own(m), URL: m.URL, Text: m.Body, At: m.at()}
}

func (s said) reply(m remark) provider.Reply {
	return provider.Reply{ID: m.key(), Author: m.Author.login(), Own: s.own(m), Text: m.Body, At: m.at()}
}

// comments are the neutral form of it: threads, then reviews, then the conversation, each
// in its own order.
func (s said) comments() []provider.Comment {
	var all []provider.Comment
	for _, t := range s.threads {
		var c provider.Comment
		for _, m := range s.remarks[t.ID] {
			switch {
			case m.State == "PENDING": // a draft, which its author alone sees
			case c.ID == "":
				c = s.comment(provider.Thread, m)
				c.ID, c.Path, c.Line, c.Resolved, c.Outdated = t.ID, t.Path, t.Line, t.IsResolved, t.IsOutdated
				if c.Line == 0 {
					c.Line = t.OriginalLine
				}
			default:
				c.Replies = append(c.Replies, s.reply(m))
			}
		}
		if c.ID != "" {
			all = append(all, c)
		}
	}
	return append(all, s.spoken()...)
}

// spoken are the texts that cannot be resolved. A comment of our own that quotes the URL
// of an earlier one is a reply to it and no item of its own.
func (s said) spoken() []provider.Comment {
	stands := map[string]bool{}
	for _, o := range s.opinions {
		stands[o.key()] = o.State == "CHANGES_REQUESTED"
	}
	var all []provider.Comment
	known := map[string]bool{}
	for _, m := range slices.Concat(s.reviews, s.opinions) {
		if known[m.key()] || m.Body == "" && !stands[m.key()] {
			continue
		}
		known[m.key()] = true
		c := s.comment(provider.ReviewBody, m)
		c.Blocks, c.Resolved = stands[m.key()], m.State == "DISMISSED"
		all = append(all, c)
	}
	for _, m := range s.conversation {
		answers := false
		for i := range all {
			if all[i].URL != "" && quotes(m.Body, all[i].URL) {
				all[i].Replies = append(all[i].Replies, s.reply(m))
				answers = true
			}
		}
		if !answers || !s.own(m) {
			all = append(all, s.comment(provider.Conversation, m))
		}
	}
	return all
}

// quotes reports whether a text has a URL in it, and not one that merely begins like it.
func quotes(text, url string) bool {
	for {
		i := strings.Index(text, url)
		if i < 0 {
			return false
		}
		text = text[i+len(url):]
		if text == "" || text[0] < '0' || text[0] > '9' {
			return true
		}
	}
}
