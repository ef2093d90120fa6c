package azureserver

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Types of policies.
const (
	Build     = "0609b952-1397-4640-95ec-e00a01b2c241"
	Status    = "cbdc66da-9728-4af8-aada-9a5a32e4a226"
	Reviewers = "fa4e907d-c16b-4a4c-9dfa-4906e5d171dd"
	Threads   = "c6a1889d-b943-4856-b76f-9e46bb6b0df2"
	Links     = "40e92b44-2fe1-4dd6-b3d8-74a9c21d0c6e"
)

type policy struct {
	id       int
	kind     string
	name     string
	blocking bool
	status   string         // of policies that are no build's
	runs     map[string]int // newest builds, by the commit that they are of
}

type buildRun struct {
	id             int
	policy         *policy // nil for one of the branch
	name           string
	commit         string
	branch         string
	status, result string
}

// Require makes a build a condition of merging.
func (s *Server) Require(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.build(name)
}

func (s *Server) build(name string) *policy {
	at := slices.IndexFunc(s.policies, func(p *policy) bool { return p.name == name })
	if at >= 0 {
		return s.policies[at]
	}
	p := &policy{id: 10 + len(s.policies), kind: Build, name: name, blocking: true, runs: map[string]int{}}
	s.policies = append(s.policies, p)
	return p
}

// Policy makes a policy of another kind, whose evaluation has a status from now on.
func (s *Server) Policy(kind, name, status string, blocking bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.policies = append(s.policies, &policy{id: 10 + len(s.policies), kind: kind, name: name, blocking: blocking, status: status})
}

// Run reports a required build of the newest commit of a branch: status inProgress or
// completed, result succeeded, partiallySucceeded, failed or canceled.
func (s *Server) Run(branch, name, status, result string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.build(name)
	c := s.head("refs/heads/" + branch)
	b := &buildRun{id: 500 + len(s.builds), policy: p, name: name, commit: c, status: status, result: result}
	s.builds = append(s.builds, b)
	p.runs[c] = b.id
}

// Newest returns the build that was reported last under a name, 0 for none.
func (s *Server) Newest(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range slices.Backward(s.builds) {
		if b.name == name {
			return b.id
		}
	}
	return 0
}

// RunBranch reports a build of a branch that no policy asked for.
func (s *Server) RunBranch(branch, name, status, result string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ref := "refs/heads/" + branch
	s.builds = append(s.builds, &buildRun{id: 500 + len(s.builds), name: name, commit: s.head(ref), branch: ref, status: status, result: result})
}

func (s *Server) evaluations(q url.Values, _ []string) (int, any) {
	artifact, err := url.PathUnescape(q.Get("artifactId"))
	prefix := "vstfs:///CodeReview/CodeReviewId/" + ProjectID + "/"
	id, found := strings.CutPrefix(strings.ToLower(artifact), strings.ToLower(prefix))
	n, notNumber := strconv.Atoi(id)
	at := slices.IndexFunc(s.pulls, func(p *pull) bool { return p.id == n })
	if err != nil || !found || notNumber != nil || at < 0 {
		return 200, values(nil) // of what does not exist, the service knows no evaluation
	}
	var all []any
	for _, p := range s.policies {
		all = append(all, s.evaluation(p, s.pulls[at]))
	}
	if s.most == 0 {
		return 200, values(all)
	}
	return 200, values(page(all, q, s.most))
}

func (s *Server) evaluation(p *policy, on *pull) map[string]any {
	settings := map[string]any{"scope": []any{map[string]any{"refName": on.target, "matchKind": "Exact", "repositoryId": RepositoryID}}}
	status := p.status
	var context map[string]any
	switch p.kind {
	case Build:
		settings["buildDefinitionId"], settings["displayName"], settings["manualQueueOnly"] = p.id, p.name, false
		status = "queued"
		if id := p.runs[on.head()]; id != 0 {
			b := s.builds[id-500]
			context = map[string]any{
				"lastMergeSourceCommitId": b.commit, "lastMergeTargetCommitId": on.base, "lastMergeCommitId": on.merged(), "buildId": id,
				"buildDefinitionId": p.id, "buildDefinitionName": p.name, "buildIsNotCurrent": false, "isExpired": false,
			}
			switch {
			case b.status != "completed":
				status = "running"
			case b.result == "succeeded" || b.result == "partiallySucceeded":
				status = "approved"
			default:
				status = "rejected"
			}
		}
	case Status:
		genre, name, _ := strings.Cut(p.name, "/")
		settings["statusGenre"], settings["statusName"] = genre, name
	}
	v := map[string]any{
		"configuration": map[string]any{
			"isEnabled": true, "isBlocking": p.blocking, "isDeleted": false, "id": p.id, "revision": 1, "settings": settings,
			"type": map[string]any{"id": p.kind, "displayName": p.name},
		},
		"artifactId":   fmt.Sprintf("vstfs:///CodeReview/CodeReviewId/%s%%2f%d", ProjectID, on.id),
		"evaluationId": fmt.Sprintf("284f0000-0000-4000-8000-%012d", p.id), "status": status, "startedDate": s.stamp(),
	}
	if context != nil {
		v["context"] = context
	}
	return v
}

func (s *Server) listBuilds(q url.Values, _ []string) (int, any) {
	var all []any
	ids := strings.Split(q.Get("buildIds"), ",")
	for _, b := range slices.Backward(s.builds) {
		branch := b.branch
		if b.policy != nil {
			branch = "refs/pull/0/merge"
			for _, p := range s.pulls {
				if slices.Contains(p.iterations, b.commit) {
					branch = fmt.Sprintf("refs/pull/%d/merge", p.id)
				}
			}
		}
		if q.Get("buildIds") != "" && !slices.Contains(ids, strconv.Itoa(b.id)) || q.Get("branchName") != "" && q.Get("branchName") != branch {
			continue
		}
		v := map[string]any{
			"id": b.id, "buildNumber": strconv.Itoa(b.id), "status": b.status, "sourceBranch": branch, "sourceVersion": b.commit,
			"definition": map[string]any{"id": 1, "name": b.name}, "triggerInfo": map[string]any{},
		}
		if b.policy != nil {
			v["definition"] = map[string]any{"id": b.policy.id, "name": b.name}
			v["triggerInfo"] = map[string]any{"pr.sourceSha": b.commit}
		}
		if b.status == "completed" {
			v["result"] = b.result
		}
		all = append(all, v)
	}
	return 200, values(page(all, q, 1000))
}
