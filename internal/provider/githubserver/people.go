package githubserver

import (
	"fmt"
	"slices"
)

type issue struct {
	number        int
	author        string
	title, body   string
	state, reason string
	deleted       bool
	at            string
	comments      []*comment
}

type comment struct {
	id               string
	author, body, at string
	edited           string
	pending          bool
	url              string
}

type thread struct {
	id                 string
	path               string
	line               int
	resolved, outdated bool
	comments           []*comment
}

type review struct {
	comment
	state, commit string
}

// NewIssue opens an issue and returns its number.
func (s *Server) NewIssue(author, title, body string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := &issue{number: len(s.pulls) + len(s.issues) + 1, author: author, title: title, body: body, state: "open", at: s.now()}
	s.issues = append(s.issues, i)
	return i.number
}

// SetIssue sets the state of an issue and its reason: completed, not_planned, duplicate,
// reopened, or none.
func (s *Server) SetIssue(number int, state, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.issue(number); i != nil {
		i.state, i.reason = state, reason
	}
}

// DeleteIssue leaves nothing of an issue but that it was there.
func (s *Server) DeleteIssue(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.issue(number); i != nil {
		i.deleted = true
	}
}

func (s *Server) issue(number int) *issue {
	if i := slices.IndexFunc(s.issues, func(i *issue) bool { return i.number == number }); i >= 0 {
		return s.issues[i]
	}
	return nil
}

// Grant gives somebody a permission: read, triage, write, maintain, admin. Who has none
// may read.
func (s *Server) Grant(login, permission string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.permissions[login] = permission
}

func (s *Server) comment(number int, page, anchor, author, body string) *comment {
	id := s.id()
	return &comment{
		id: fmt.Sprintf("C_%d", id), author: author, body: body, at: s.now(),
		url: fmt.Sprintf("%s/%s/%s/%d#%s%d", s.o.Web, s.fullName(), page, number, anchor, id),
	}
}

// Comment writes a comment on an issue, or in a pull request's conversation. A login
// that ends in [bot] is an App's; "" is a deleted account. It returns an id for Edit.
func (s *Server) Comment(number int, author, body string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.issue(number); i != nil {
		c := s.comment(number, "issues", "issuecomment-", author, body)
		i.comments = append(i.comments, c)
		return c.id
	}
	p := s.pull(number)
	c := s.comment(number, "pull", "issuecomment-", author, body)
	p.comments = append(p.comments, c)
	return c.id
}

// Edit changes a comment of Comment.
func (s *Server) Edit(id, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range s.issues {
		for _, c := range i.comments {
			if c.id == id {
				c.body, c.edited = body, s.now()
			}
		}
	}
	for _, p := range s.pulls {
		for _, c := range p.comments {
			if c.id == id {
				c.body, c.edited = body, s.now()
			}
		}
	}
}

// Thread begins a review thread on a line and returns its id.
func (s *Server) Thread(number int, author, path string, line int, body string) string {
	id := ""
	s.change(number, func(p *pull) {
		t := &thread{id: fmt.Sprintf("PRRT_%d", s.id()), path: path, line: line}
		t.comments = append(t.comments, s.comment(number, "pull", "discussion_r", author, body))
		p.threads = append(p.threads, t)
		id = t.id
	})
	return id
}

// Reply answers in a thread, with a draft where it is pending.
func (s *Server) Reply(id, author, body string, pending bool) {
	s.onThread(id, func(p *pull, t *thread) {
		c := s.comment(p.number, "pull", "discussion_r", author, body)
		c.pending = pending
		t.comments = append(t.comments, c)
	})
}

// Resolve resolves a thread.
func (s *Server) Resolve(id string) { s.onThread(id, func(_ *pull, t *thread) { t.resolved = true }) }

// Outdate lets a thread be about lines that are no longer there.
func (s *Server) Outdate(id string) { s.onThread(id, func(_ *pull, t *thread) { t.outdated = true }) }

func (s *Server) onThread(id string, with func(*pull, *thread)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pulls {
		for _, t := range p.threads {
			if t.id == id {
				with(p, t)
			}
		}
	}
}

// Review submits a review: APPROVED, CHANGES_REQUESTED or COMMENTED. It returns its id.
func (s *Server) Review(number int, author, state, body string) string {
	id := ""
	s.change(number, func(p *pull) {
		r := &review{comment: *s.comment(number, "pull", "pullrequestreview-", author, body), state: state, commit: p.head}
		p.reviews = append(p.reviews, r)
		id = r.id
		switch state {
		case "APPROVED", "CHANGES_REQUESTED":
			p.decision = state
		}
	})
	return id
}

// Dismiss dismisses a review.
func (s *Server) Dismiss(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pulls {
		for _, r := range p.reviews {
			if r.id == id {
				r.state, p.decision = "DISMISSED", "REVIEW_REQUIRED"
			}
		}
	}
}

// RequestReviews asks for a number of reviews that nobody has given.
func (s *Server) RequestReviews(number, n int) { s.change(number, func(p *pull) { p.requested = n }) }

// may reports whether somebody may write.
func (s *Server) may(login string) bool {
	return slices.Contains([]string{"write", "maintain", "admin"}, s.permissions[login])
}
