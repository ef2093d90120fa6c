package azureserver

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

type pull struct {
	id             int
	status         string
	source, target string // refs
	title          string
	by             Person
	created        time.Time
	iterations     []string
	base           string // of the target at the newest iteration
	threads        []*thread
	votes          map[int]vote
	statuses       []map[string]any
	items          []int
	extra          map[string]any // fields that were set by hand
}

type vote struct {
	by    Person
	value int
}

type thread struct {
	id       int
	status   string
	comments []map[string]any
	file     string
	system   string // kind of thread that the service itself made
}

func (s *Server) next() int {
	s.ids++
	return s.ids
}

func (s *Server) stamp() string { return s.o.Now().UTC().Format("2006-01-02T15:04:05.0000000Z") }

// OpenPull opens a pull request between two branches, by their short names.
func (s *Server) OpenPull(source, target, title string, by Person) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &pull{
		id: 22 + len(s.pulls), status: "active", source: "refs/heads/" + source, target: "refs/heads/" + target, title: title, by: by,
		created: s.o.Now(), votes: map[int]vote{}, extra: map[string]any{},
	}
	s.pulls = append(s.pulls, p)
	s.follow()
	return p.id
}

// Set sets a field of a pull request by hand: isDraft, mergeStatus and the like.
func (s *Server) Set(id int, field string, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pull(id).extra[field] = value
}

// Complete merges a pull request as far as its record goes; branches are left alone.
func (s *Server) Complete(id int) { s.finish(id, "completed") }

// Abandon closes a pull request without a merge.
func (s *Server) Abandon(id int) { s.finish(id, "abandoned") }

func (s *Server) finish(id int, status string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follow()
	s.pull(id).status = status
}

// Say begins a thread, on a line of a file where there is one.
func (s *Server) Say(id int, by Person, file, text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pull(id)
	t := &thread{id: s.next(), status: "active", file: file}
	p.threads = append(p.threads, t)
	s.write(t, by, text, "text")
	return t.id
}

// Reply answers in a thread.
func (s *Server) Reply(id, thread int, by Person, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(s.thread(id, thread), by, text, "text")
}

// Settle gives a thread a status: active, pending, fixed, wontFix, closed, byDesign, unknown or "".
func (s *Server) Settle(id, thread int, status string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.thread(id, thread).status = status
}

// Vote votes, and the service says so in a thread of its own.
func (s *Server) Vote(id int, by Person, value int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pull(id)
	p.votes[by.ID] = vote{by, value}
	t := &thread{id: s.next(), system: "VoteUpdate"}
	p.threads = append(p.threads, t)
	s.write(t, by, fmt.Sprintf("%s voted %d", by.Name, value), "system")
}

// Post posts a status about the newest iteration, or about the pull request as a whole.
func (s *Server) Post(id int, genre, name, state string, whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follow()
	p := s.pull(id)
	v := map[string]any{
		"id": s.next(), "state": state, "context": map[string]any{"genre": genre, "name": name}, "creationDate": s.stamp(), "updatedDate": s.stamp(),
	}
	if !whole {
		v["iterationId"] = len(p.iterations)
	}
	p.statuses = append(p.statuses, v)
}

func (s *Server) write(t *thread, by Person, text, kind string) {
	t.comments = append(t.comments, map[string]any{
		"id": len(t.comments) + 1, "parentCommentId": min(len(t.comments), 1), "author": by.view(), "content": text, "publishedDate": s.stamp(),
		"lastUpdatedDate": s.stamp(), "commentType": kind, "isDeleted": false,
	})
}

// pull and thread are for set-up: what is not there is a mistake of the test.
func (s *Server) pull(id int) *pull {
	at := slices.IndexFunc(s.pulls, func(p *pull) bool { return p.id == id })
	if at < 0 {
		panic(fmt.Sprintf("there is no pull request %d", id))
	}
	return s.pulls[at]
}

func (s *Server) thread(id, thread int) *thread {
	p := s.pull(id)
	for _, t := range p.threads {
		if t.id == thread {
			return t
		}
	}
	panic(fmt.Sprintf("there is no thread %d in pull request %d", thread, id))
}

// follow lets active pull requests have what was pushed to their branches.
func (s *Server) follow() {
	for _, p := range s.pulls {
		h := s.head(p.source)
		if p.status != "active" || h == "" || len(p.iterations) > 0 && p.iterations[len(p.iterations)-1] == h {
			continue
		}
		p.iterations = append(p.iterations, h)
		p.base = s.head(p.target)
	}
}

func (p *pull) head() string {
	if len(p.iterations) == 0 {
		return ""
	}
	return p.iterations[len(p.iterations)-1]
}

// merged is the commit that a merge of the newest iteration would be.
func (p *pull) merged() string {
	h := p.head()
	if h == "" {
		return ""
	}
	return h[20:] + h[:20]
}

func (s *Server) repositoryView() map[string]any {
	return map[string]any{
		"id": RepositoryID, "name": s.o.Repository, "defaultBranch": "refs/heads/main",
		"project": map[string]any{"id": ProjectID, "name": s.o.Project, "state": "wellFormed", "visibility": "private"},
	}
}

func (s *Server) pullView(p *pull) map[string]any {
	reviewers := []any{}
	for _, v := range p.votes {
		r := v.by.view()
		r["vote"], r["hasDeclined"], r["isRequired"] = v.value, false, false
		reviewers = append(reviewers, r)
	}
	view := map[string]any{
		"repository": s.repositoryView(), "pullRequestId": p.id, "codeReviewId": p.id, "status": p.status, "createdBy": p.by.view(),
		"creationDate": p.created.UTC().Format("2006-01-02T15:04:05.0000000Z"), "title": p.title, "sourceRefName": p.source, "targetRefName": p.target,
		"mergeStatus": "succeeded", "isDraft": false, "lastMergeSourceCommit": map[string]any{"commitId": p.head()},
		"lastMergeTargetCommit": map[string]any{"commitId": p.base}, "lastMergeCommit": map[string]any{"commitId": p.merged()},
		"reviewers": reviewers, "supportsIterations": true, "artifactId": fmt.Sprintf("vstfs:///Git/PullRequestId/%s%%2f%s%%2f%d", ProjectID, RepositoryID, p.id),
	}
	for k, v := range p.extra {
		view[k] = v
	}
	return view
}

func (s *Server) repository(q url.Values, path []string) (int, any) {
	if len(path) < 3 || !strings.EqualFold(path[2], s.o.Repository) && !strings.EqualFold(path[2], RepositoryID) {
		return failure(404, "GitRepositoryNotFoundException", "TF401019: The Git repository does not exist or you do not have permissions for the operation you are attempting.")
	}
	if len(path) == 3 {
		return 200, s.repositoryView()
	}
	switch what := strings.ToLower(path[3]); {
	case what == "refs":
		return 200, values(s.heads(q.Get("filter")))
	case what == "pushes":
		return 200, values(s.pushesOf(q))
	case what == "commits" && len(path) == 5:
		if t := s.tree(path[4]); t != "" {
			return 200, map[string]any{"commitId": path[4], "treeId": t, "parents": []any{}}
		}
		return failure(404, "GitCommitDoesNotExistException", "TF401175: The version descriptor could not be resolved.")
	case what == "pullrequests" && len(path) == 4:
		return 200, values(page(s.search(q), q, 1000))
	case what == "pullrequests":
		return s.partOfPull(path[4:])
	}
	return failure(404, "VssResourceNotFoundException", "no such resource of a repository")
}

func (s *Server) search(q url.Values) []any {
	var all []any
	for _, p := range slices.Backward(s.pulls) {
		status := q.Get("searchCriteria.status")
		if status == "" {
			status = "active"
		}
		if (status == "all" || status == p.status) && matches(q, "sourceRefName", p.source) && matches(q, "targetRefName", p.target) && matches(q, "sourceRepositoryId", RepositoryID) {
			all = append(all, s.pullView(p))
		}
	}
	return all
}

func matches(q url.Values, criterion, value string) bool {
	want := q.Get("searchCriteria." + criterion)
	return want == "" || strings.EqualFold(want, value)
}

func (s *Server) partOfPull(path []string) (int, any) {
	id, err := strconv.Atoi(path[0])
	at := slices.IndexFunc(s.pulls, func(p *pull) bool { return p.id == id })
	if err != nil || at < 0 {
		return failure(404, "GitPullRequestNotFoundException", "TF401180: The requested pull request was not found.")
	}
	p := s.pulls[at]
	if len(path) == 1 {
		return 200, s.pullView(p)
	}
	var all []any
	switch strings.ToLower(strings.Join(path[1:], "/")) {
	case "iterations":
		for i, c := range p.iterations {
			all = append(all, map[string]any{"id": i + 1, "sourceRefCommit": map[string]any{"commitId": c}, "targetRefCommit": map[string]any{"commitId": p.base}, "reason": "push"})
		}
	case "statuses":
		for _, v := range p.statuses {
			all = append(all, v)
		}
	case "threads":
		for _, t := range p.threads {
			all = append(all, t.view())
		}
	case "workitems":
		for _, i := range p.items {
			all = append(all, map[string]any{"id": strconv.Itoa(i), "url": fmt.Sprintf("https://stand-in.example/_apis/wit/workItems/%d", i)})
		}
	default:
		return failure(404, "VssResourceNotFoundException", "no such part of a pull request")
	}
	return 200, values(all)
}

func (t *thread) view() map[string]any {
	v := map[string]any{
		"id": t.id, "comments": t.comments, "publishedDate": t.comments[0]["publishedDate"], "lastUpdatedDate": t.comments[0]["lastUpdatedDate"],
		"isDeleted": false, "threadContext": nil, "pullRequestThreadContext": nil, "properties": nil,
	}
	if t.status != "" {
		v["status"] = t.status
	}
	if t.file != "" {
		v["threadContext"] = map[string]any{"filePath": "/" + t.file, "rightFileStart": map[string]any{"line": 1, "offset": 1}, "rightFileEnd": map[string]any{"line": 1, "offset": 2}}
	}
	if t.system != "" {
		v["properties"] = map[string]any{"CodeReviewThreadType": map[string]any{"$type": "System.String", "$value": t.system}}
	}
	return v
}

// Pushed tells the server who pushed; Git alone does not know.
func (s *Server) Pushed(by Person) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pushes = append(s.pushes, map[string]any{"pushId": len(s.pushes) + 1, "date": s.stamp(), "pushedBy": by.view()})
}

func (s *Server) pushesOf(q url.Values) []any {
	var all []any
	for _, p := range slices.Backward(s.pushes) {
		id, _ := p["pushedBy"].(map[string]any)["id"].(string)
		if matches(q, "pusherId", id) {
			all = append(all, p)
		}
	}
	return page(all, q, 100)
}
