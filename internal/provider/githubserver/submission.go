package githubserver

import (
	"fmt"
	"slices"
	"strings"
)

// pull is a pull request.
type pull struct {
	number            int
	branch, base      string
	author            string
	title, body       string
	head, baseCommit  string
	state             string // OPEN, CLOSED, MERGED
	draft, conflicts  bool
	autoMerge         string // who turned it on
	queued            bool
	at                string
	decision          string
	threads           []*thread
	reviews           []*review
	requested         int
	comments          []*comment
	linked            []int // issues that somebody linked by hand
	mergeStateStatus  string
	mergedAt, closeAt string
}

// report is a check run or a commit status.
type report struct {
	id, suite, run      int
	commit, name, state string // state in the words of GraphQL, of a status
	status, conclusion  string // of a run
	workflow, event     string
	app                 int64
	slug, by            string
	isRun               bool
}

type classicCheck struct {
	name string
	app  int64
}

// follow lets open pull requests see where their branches are. The caller holds the lock.
func (s *Server) follow() {
	for _, p := range s.pulls {
		if p.state != "OPEN" {
			continue
		}
		if tip := s.tip(p.branch); tip != "" && tip != p.head {
			p.head, p.at = tip, s.now()
		}
		if tip := s.tip(p.base); tip != "" {
			p.baseCommit = tip
		}
	}
}

// Open opens a pull request and returns its number.
func (s *Server) Open(branch, base, title, body string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &pull{number: len(s.pulls) + len(s.issues) + 1, branch: branch, base: base, author: s.o.Agent, title: title, body: body, state: "OPEN", at: s.now()}
	s.pulls = append(s.pulls, p)
	s.follow()
	return p.number
}

// URL returns the page of a pull request.
func (s *Server) URL(number int) string {
	return fmt.Sprintf("%s/%s/pull/%d", s.o.Web, s.fullName(), number)
}

// change changes a pull request; without such a number it does nothing.
func (s *Server) change(number int, with func(*pull)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follow()
	if p := s.pull(number); p != nil {
		with(p)
		p.at = s.now()
	}
}

func (s *Server) pull(number int) *pull {
	if i := slices.IndexFunc(s.pulls, func(p *pull) bool { return p.number == number }); i >= 0 {
		return s.pulls[i]
	}
	return nil
}

// Describe replaces the description, where "Closes #1" links an issue.
func (s *Server) Describe(number int, body string) {
	s.change(number, func(p *pull) { p.body = body })
}

// Close closes a pull request without merging it.
func (s *Server) Close(number int) {
	s.change(number, func(p *pull) { p.state, p.closeAt = "CLOSED", s.now() })
}

// Merge marks a pull request as merged and closes the issues that it names.
func (s *Server) Merge(number int) {
	s.change(number, func(p *pull) {
		p.state, p.mergedAt, p.closeAt = "MERGED", s.now(), s.now()
		for _, n := range s.closes(p) {
			if i := s.issue(n); i != nil {
				i.state, i.reason = "closed", "completed"
			}
		}
	})
}

// Draft makes a pull request a draft, or ready.
func (s *Server) Draft(number int, draft bool) { s.change(number, func(p *pull) { p.draft = draft }) }

// Retarget gives a pull request another base.
func (s *Server) Retarget(number int, base string) {
	s.change(number, func(p *pull) { p.base = base; p.baseCommit = s.tip(base) })
}

// AutoMerge turns auto-merge on.
func (s *Server) AutoMerge(number int, by string) {
	s.change(number, func(p *pull) { p.autoMerge = by })
}

// Conflict lets a pull request conflict with its base: there is no test merge then.
func (s *Server) Conflict(number int) { s.change(number, func(p *pull) { p.conflicts = true }) }

// MergeState sets mergeStateStatus, CLEAN until then.
func (s *Server) MergeState(number int, state string) {
	s.change(number, func(p *pull) { p.mergeStateStatus = state })
}

// Queue puts a pull request into the merge queue.
func (s *Server) Queue(number int) { s.change(number, func(p *pull) { p.queued = true }) }

// Link links an issue by hand.
func (s *Server) Link(number, issue int) {
	s.change(number, func(p *pull) { p.linked = append(p.linked, issue) })
}

// closes are the issues that a pull request is linked with: by hand, and by words of its
// description where it goes to the default branch.
func (s *Server) closes(p *pull) []int {
	numbers := slices.Clone(p.linked)
	if p.base != s.o.Base {
		return numbers
	}
	for _, i := range s.issues {
		for _, name := range []string{fmt.Sprintf("closes #%d", i.number), fmt.Sprintf("closes %s#%d", strings.ToLower(s.fullName()), i.number)} {
			text := strings.ToLower(p.body) + " "
			if at := strings.Index(text, name); at >= 0 && !strings.ContainsRune("0123456789", rune(text[at+len(name)])) && !slices.Contains(numbers, i.number) {
				numbers = append(numbers, i.number)
			}
		}
	}
	return numbers
}

// Require makes a check required by a ruleset, from an App or, with 0, from any source.
func (s *Server) Require(name string, app int64) {
	check := map[string]any{"context": name}
	if app != 0 {
		check["integration_id"] = app
	}
	s.Rule("required_status_checks", map[string]any{
		"strict_required_status_checks_policy": false, "do_not_enforce_on_create": false, "required_status_checks": []any{check},
	})
}

// Rule adds a rule to the base's ruleset.
func (s *Server) Rule(kind string, parameters map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := map[string]any{"type": kind, "ruleset_source_type": "Repository", "ruleset_source": s.fullName(), "ruleset_id": len(s.rules) + 1}
	if parameters != nil {
		r["parameters"] = parameters
	}
	s.rules = append(s.rules, r)
}

// Protect makes a check required by classic protection.
func (s *Server) Protect(name string, app int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isProtected = true
	s.classic = append(s.classic, classicCheck{name: name, app: app})
}

// Run is a check run as a workflow or another App reports it. Status and Conclusion are
// in the words of GraphQL; a run without a Conclusion has not ended.
type Run struct {
	Name, Status, Conclusion string
	Workflow, Event          string // "" for "ci" and "pull_request", of Actions
	App                      int64  // 0 for Actions
	In                       int    // workflow run that it is a job of; 0 for a new one
}

// Report reports a run of a commit, in a new suite and workflow run, as a re-run does,
// and returns the workflow run, 0 for another App's.
func (s *Server) Report(commit string, r Run) (run int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.App == 0 {
		r.App = Actions
	}
	p := &report{id: s.id(), suite: s.id(), commit: commit, name: r.Name, status: r.Status, conclusion: r.Conclusion, app: r.App, slug: "app", isRun: true}
	if p.status == "" {
		p.status = "COMPLETED"
	}
	if r.App == Actions {
		p.slug, p.run, p.workflow, p.event = "github-actions", s.id(), "ci", "pull_request"
		if r.Workflow != "" {
			p.workflow = r.Workflow
		}
		if r.Event != "" {
			p.event = r.Event
		}
		if r.In != 0 {
			p.run = r.In
		}
	}
	s.reports = append(s.reports, p)
	return p.run
}

// Status sets a commit status, in the words of GraphQL; the newest of a context counts.
func (s *Server) Status(commit, context, state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reports = slices.DeleteFunc(s.reports, func(p *report) bool { return !p.isRun && p.commit == commit && p.name == context })
	s.reports = append(s.reports, &report{id: s.id(), commit: commit, name: context, state: state, by: "ci"})
}

// Await lets the workflows of a commit wait for a maintainer.
func (s *Server) Await(commit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awaiting = append(s.awaiting, commit)
}

// Head returns the commit of a pull request.
func (s *Server) Head(number int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follow()
	if p := s.pull(number); p != nil {
		return p.head
	}
	return ""
}

// TestMerge returns the commit that merges a pull request for tests, "" for none.
func (s *Server) TestMerge(number int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follow()
	if p := s.pull(number); p != nil {
		return p.testMerge()
	}
	return ""
}

func (p *pull) testMerge() string {
	if p.conflicts || p.state != "OPEN" {
		return ""
	}
	return testMerge(p.baseCommit, p.head)
}
