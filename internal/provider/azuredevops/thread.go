package azuredevops

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// said are the words on a pull request, and what they come to without anybody's triage.
type said struct {
	Comments []provider.Comment
	verdict
}

// hear turns threads and votes into comments. own is the id of the identity that
// reads, page the pull request's page for people.
func hear(p pullRequest, threads []thread, own, page string) said {
	var s said
	var all []verdict
	settled, loose := 0, 0
	for _, t := range threads {
		c, v, ok := t.comment(own, page)
		if !ok {
			continue
		}
		s.Comments = append(s.Comments, c)
		switch {
		case c.Kind == provider.Conversation:
			loose++
		case v.Result == evidence.Pass:
			settled++
		}
		all = append(all, v)
	}
	for _, r := range p.Reviewers {
		c, v := r.vote(p, threads, page)
		if v.Result == evidence.Pass {
			continue
		}
		if c.ID != "" {
			s.Comments = append(s.Comments, c)
		}
		all = append(all, v)
	}
	s.verdict = worst(all)
	if len(all) == 0 {
		s.Result, s.Because = evidence.Info, "nobody has said anything on the pull request"
	}
	if loose > 0 && s.Result == evidence.Pass {
		s.Note = plural(loose, "remark has", "remarks have") + " no status that could be resolved"
	}
	return s
}

// comment returns a thread as a comment, and whether it is one: what the service
// itself says, and what was deleted, is none.
func (t thread) comment(own, page string) (provider.Comment, verdict, bool) {
	texts := slices.DeleteFunc(slices.Clone(t.Comments), func(c threadComment) bool {
		return c.IsDeleted || strings.EqualFold(c.Type, "system")
	})
	if t.IsDeleted || len(texts) == 0 {
		return provider.Comment{}, verdict{}, false
	}
	slices.SortStableFunc(texts, func(a, b threadComment) int { return cmp.Compare(a.ID, b.ID) })
	first := texts[0]
	c := provider.Comment{
		ID: strconv.Itoa(t.ID), Kind: provider.Thread, Author: first.Author.name(), Bot: first.Author.isService(), Own: strings.EqualFold(first.Author.ID, own),
		URL: fmt.Sprintf("%s?discussionId=%d", page, t.ID), Text: first.Content, At: cmp.Or(first.PublishedDate, t.PublishedDate).String(),
	}
	if t.Context != nil {
		c.Path = strings.TrimPrefix(t.Context.FilePath, "/")
		if at := cmp.Or(t.Context.RightFileStart, t.Context.LeftFileStart); at != nil {
			c.Line = at.Line
		}
	}
	for _, r := range texts[1:] {
		c.Replies = append(c.Replies, provider.Reply{
			ID: strconv.Itoa(r.ID), Author: r.Author.name(), Own: strings.EqualFold(r.Author.ID, own), Text: r.Content, At: r.PublishedDate.String(),
		})
	}
	name := fmt.Sprintf("thread %d of %s", t.ID, c.Author)
	switch t.Status {
	case "active", "pending":
		return c, fail(name, "it is "+t.Status), true
	case "fixed", "closed", "wontFix", "byDesign":
		c.Resolved = true
		return c, pass(name), true
	case "", "unknown":
		// Written without a status: nobody can resolve it, so that it is triaged and answered.
		c.Kind = provider.Conversation
		return c, pass(name), true
	}
	return c, unknown(name, fmt.Sprintf("its status is %.40q, which is not known here", t.Status)), true
}

// vote returns a vote that blocks as a comment. A group's vote is that of its members,
// who are listed as well.
func (r reviewer) vote(p pullRequest, threads []thread, page string) (provider.Comment, verdict) {
	name := "vote of " + r.name()
	var text string
	switch r.Vote {
	case 10, 5, 0:
		return provider.Comment{}, pass(name)
	case -5:
		text = "waits for the author"
	case -10:
		text = "rejected"
	default:
		return provider.Comment{}, unknown(name, fmt.Sprintf("it is %d, which is not known here", r.Vote))
	}
	if r.IsContainer && slices.ContainsFunc(p.Reviewers, func(m reviewer) bool { return !m.IsContainer && m.Vote < 0 }) {
		return provider.Comment{}, pass(name)
	}
	return provider.Comment{
		ID: "vote-" + r.ID, Kind: provider.ReviewBody, Author: r.name(), Bot: r.isService(), URL: page, Text: text, Blocks: true, At: r.voted(p, threads).String(),
	}, fail(name, text)
}

// voted is when the service last told of a vote of the reviewer, or else when the pull
// request was made: a vote itself has no date.
func (r reviewer) voted(p pullRequest, threads []thread) date {
	at := p.CreationDate
	for _, t := range threads {
		if kind, _ := t.Properties["CodeReviewThreadType"].Value.(string); kind != "VoteUpdate" {
			continue
		}
		for _, c := range t.Comments {
			if strings.EqualFold(c.Author.ID, r.ID) && c.PublishedDate.After(at.Time) {
				at = c.PublishedDate
			}
		}
	}
	return at
}
