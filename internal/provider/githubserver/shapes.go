package githubserver

import (
	"fmt"
	"net/http"
	"strings"
)

// api is the address of the repository's REST resources.
func (s *Server) api(r *http.Request) string {
	return s.root(r) + "/repos/" + s.fullName()
}

func (s *Server) root(r *http.Request) string {
	prefix := ""
	if strings.HasPrefix(r.URL.Path, "/api/v3/") {
		prefix = "/api/v3"
	}
	return "http://" + r.Host + prefix
}

// web is the address of a page of the repository.
func (s *Server) web(page string) string {
	return strings.TrimSuffix(s.o.Web+"/"+s.fullName()+"/"+page, "/")
}

func (s *Server) pageOf(p *pull) string { return s.web(fmt.Sprintf("pull/%d", p.number)) }

// links adds addresses that nobody here follows.
func links(to map[string]any, base string, names string) map[string]any {
	for name := range strings.FieldsSeq(names) {
		to[name] = base + "/" + strings.TrimSuffix(name, "_url")
	}
	return to
}

func (s *Server) userShape(r *http.Request, login string) map[string]any {
	kind := "User"
	if strings.HasSuffix(login, "[bot]") {
		kind = "Bot"
	}
	if login == "" {
		login = "ghost"
	}
	u := s.root(r) + "/users/" + login
	return links(map[string]any{
		"login": login, "id": len(login), "node_id": "U_" + login, "gravatar_id": "", "site_admin": false, "type": kind, "url": u, "html_url": s.o.Web + "/" + login,
	}, u, "avatar_url events_url followers_url following_url gists_url organizations_url received_events_url repos_url starred_url subscriptions_url")
}

// repositoryShape is the minimal or, where it is asked for itself, the full form.
func (s *Server) repositoryShape(r *http.Request, full bool) map[string]any {
	u := s.api(r)
	shape := links(map[string]any{
		"id": s.o.ID, "node_id": fmt.Sprintf("R_%d", s.o.ID), "name": s.o.Name, "full_name": s.fullName(), "private": true, "fork": false,
		"owner": s.userShape(r, s.o.Owner), "description": nil, "url": u, "html_url": s.web(""),
	}, u, "archive_url assignees_url blobs_url branches_url collaborators_url comments_url commits_url compare_url contents_url contributors_url"+
		" deployments_url downloads_url events_url forks_url git_commits_url git_refs_url git_tags_url hooks_url issue_comment_url issue_events_url issues_url"+
		" keys_url labels_url languages_url merges_url milestones_url notifications_url pulls_url releases_url stargazers_url statuses_url subscribers_url"+
		" subscription_url tags_url teams_url trees_url")
	if !full {
		return shape
	}
	for k, v := range map[string]any{
		"default_branch": s.o.Base, "homepage": nil, "language": nil, "license": nil, "mirror_url": nil, "archived": false, "disabled": false,
		"forks": 0, "forks_count": 0, "open_issues": 0, "open_issues_count": 0, "size": 1, "stargazers_count": 0, "watchers": 0, "watchers_count": 0,
		"network_count": 0, "subscribers_count": 0, "has_downloads": true, "has_issues": true, "has_projects": false, "has_wiki": false, "has_pages": false, "has_discussions": false,
		"pushed_at": s.now(), "created_at": s.now(), "updated_at": s.now(),
		"permissions": map[string]any{"admin": false, "maintain": false, "push": false, "triage": false, "pull": true},
	} {
		shape[k] = v
	}
	return links(shape, u, "clone_url git_url ssh_url svn_url")
}

func (s *Server) pullShape(r *http.Request, p *pull, whole bool) map[string]any {
	u := fmt.Sprintf("%s/pulls/%d", s.api(r), p.number)
	side := func(ref, sha string) map[string]any {
		return map[string]any{"label": s.o.Owner + ":" + ref, "ref": ref, "sha": sha, "user": s.userShape(r, s.o.Owner), "repo": s.repositoryShape(r, true)}
	}
	state, merged, auto := "closed", any(nil), any(nil)
	if p.state == "OPEN" {
		state = "open"
	}
	if p.testMerge() != "" {
		merged = p.testMerge()
	}
	if p.autoMerge != "" {
		auto = map[string]any{"enabled_by": s.userShape(r, p.autoMerge), "merge_method": "squash", "commit_title": p.title, "commit_message": ""}
	}
	related := map[string]any{}
	for _, name := range []string{"comments", "commits", "statuses", "html", "issue", "review_comments", "review_comment", "self"} {
		related[name] = map[string]any{"href": u + "/" + name}
	}
	shape := links(map[string]any{
		"id": p.number + 1000, "node_id": fmt.Sprintf("PR_%d", p.number), "number": p.number, "url": u, "html_url": s.pageOf(p), "state": state, "locked": false, "draft": p.draft,
		"title": p.title, "body": p.body, "user": s.userShape(r, p.author), "labels": []any{}, "assignee": nil, "milestone": nil, "author_association": "CONTRIBUTOR",
		"created_at": p.at, "updated_at": p.at, "closed_at": orNil(p.closeAt), "merged_at": orNil(p.mergedAt), "merge_commit_sha": merged, "auto_merge": auto,
		"head": side(p.branch, p.head), "base": side(p.base, p.baseCommit), "_links": related,
	}, u, "comments_url commits_url diff_url issue_url patch_url review_comment_url review_comments_url statuses_url")
	if whole {
		for k, v := range map[string]any{
			"merged": p.state == "MERGED", "mergeable": any(nil), "mergeable_state": strings.ToLower(p.mergeState()), "merged_by": nil, "maintainer_can_modify": false,
			"additions": 1, "deletions": 0, "changed_files": 1, "comments": len(p.comments), "commits": 1, "review_comments": len(p.threads),
		} {
			shape[k] = v
		}
		if p.state == "OPEN" {
			shape["mergeable"] = !p.conflicts
		}
	}
	return shape
}

func (p *pull) mergeState() string {
	switch {
	case p.mergeStateStatus != "":
		return p.mergeStateStatus
	case p.state != "OPEN":
		return "UNKNOWN"
	case p.conflicts:
		return "DIRTY"
	}
	return "CLEAN"
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (s *Server) commitShape(r *http.Request, sha string) map[string]any {
	u := s.api(r) + "/git/commits/" + sha
	who := map[string]any{"name": "Dev", "email": "dev@example.com", "date": s.now()}
	return map[string]any{
		"sha": sha, "node_id": "C_" + sha, "url": u, "html_url": s.web("commit/" + sha), "author": who, "committer": who, "message": "a commit",
		"tree": map[string]any{"sha": s.tree(sha), "url": s.api(r) + "/git/trees/" + s.tree(sha)}, "parents": []any{},
		"verification": map[string]any{"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil},
	}
}

// branchCommitShape is a commit as a branch has it.
func (s *Server) branchCommitShape(r *http.Request, sha string) map[string]any {
	u := s.api(r) + "/commits/" + sha
	return map[string]any{
		"sha": sha, "node_id": "C_" + sha, "url": u, "html_url": s.web("commit/" + sha), "comments_url": u + "/comments", "author": s.userShape(r, "dev"), "committer": s.userShape(r, "dev"), "parents": []any{},
		"commit": map[string]any{
			"url": u, "message": "a commit", "comment_count": 0, "author": map[string]any{"name": "Dev", "email": "dev@example.com", "date": s.now()}, "committer": map[string]any{"name": "Dev", "email": "dev@example.com", "date": s.now()},
			"tree": map[string]any{"sha": s.tree(sha), "url": s.api(r) + "/git/trees/" + s.tree(sha)},
		},
	}
}

func (s *Server) appShape(r *http.Request, p *report) map[string]any {
	return map[string]any{
		"id": p.app, "slug": p.slug, "node_id": fmt.Sprintf("A_%d", p.app), "owner": s.userShape(r, "apps"), "name": p.slug, "description": "", "external_url": s.o.Web,
		"html_url": s.o.Web + "/apps/" + p.slug, "created_at": s.now(), "updated_at": s.now(), "permissions": map[string]any{"checks": "write"}, "events": []any{},
	}
}

// details is the page of a run: that of its job, for Actions.
func (s *Server) details(p *report) string {
	if p.run == 0 {
		return s.web(fmt.Sprintf("runs/%d", p.id))
	}
	return s.web(fmt.Sprintf("actions/runs/%d/job/%d", p.run, p.id))
}

func (s *Server) runShape(r *http.Request, p *report) map[string]any {
	u := fmt.Sprintf("%s/check-runs/%d", s.api(r), p.id)
	var end any
	if p.status == "COMPLETED" {
		end = s.now()
	}
	return map[string]any{
		"id": p.id, "node_id": fmt.Sprintf("CR_%d", p.id), "name": p.name, "head_sha": p.commit, "url": u, "html_url": s.web(fmt.Sprintf("runs/%d", p.id)), "details_url": s.details(p),
		"status": strings.ToLower(p.status), "conclusion": orNil(strings.ToLower(p.conclusion)), "started_at": s.now(), "completed_at": end, "external_id": "",
		"check_suite": map[string]any{"id": p.suite}, "app": s.appShape(r, p), "pull_requests": []any{},
		"output": map[string]any{"title": nil, "summary": nil, "text": nil, "annotations_count": 0, "annotations_url": u + "/annotations"},
	}
}

func (s *Server) suiteShape(r *http.Request, sha string, id int, status, conclusion string, runs int) map[string]any {
	u := fmt.Sprintf("%s/check-suites/%d", s.api(r), id)
	who := map[string]any{"name": "Dev", "email": "dev@example.com"}
	return map[string]any{
		"id": id, "node_id": fmt.Sprintf("CS_%d", id), "head_branch": nil, "head_sha": sha, "status": strings.ToLower(status), "conclusion": orNil(strings.ToLower(conclusion)),
		"url": u, "before": nil, "after": sha, "created_at": s.now(), "updated_at": s.now(), "app": s.appShape(r, &report{app: Actions, slug: "github-actions"}),
		"head_commit": map[string]any{"id": sha, "tree_id": s.tree(sha), "message": "a commit", "timestamp": s.now(), "author": who, "committer": who},
		"repository":  s.repositoryShape(r, false), "latest_check_runs_count": runs, "check_runs_url": u + "/check-runs", "pull_requests": []any{},
	}
}

func (s *Server) statusShape(r *http.Request, p *report) map[string]any {
	return map[string]any{
		"id": p.id, "node_id": fmt.Sprintf("SC_%d", p.id), "state": strings.ToLower(p.state), "context": p.name, "description": nil, "target_url": "https://ci.example.com/1",
		"avatar_url": nil, "url": s.api(r) + "/statuses/" + p.commit, "created_at": s.now(), "updated_at": s.now(),
	}
}

func (s *Server) workflowRunShape(r *http.Request, p *report) map[string]any {
	u := fmt.Sprintf("%s/actions/runs/%d", s.api(r), p.run)
	return links(map[string]any{
		"id": p.run, "node_id": fmt.Sprintf("WR_%d", p.run), "name": p.workflow, "head_branch": nil, "run_number": 1, "run_attempt": 1, "display_title": p.workflow, "event": p.event,
		"status": strings.ToLower(p.status), "conclusion": orNil(strings.ToLower(p.conclusion)), "head_sha": p.commit, "path": ".github/workflows/" + p.workflow + ".yml", "workflow_id": len(p.workflow),
		"check_suite_id": p.suite, "url": u, "html_url": s.web(fmt.Sprintf("actions/runs/%d", p.run)), "created_at": s.now(), "updated_at": s.now(), "head_commit": nil,
		"head_repository": s.repositoryShape(r, false), "repository": s.repositoryShape(r, false), "pull_requests": []any{},
	}, u, "jobs_url logs_url check_suite_url cancel_url rerun_url artifacts_url workflow_url")
}

func (s *Server) issueShape(r *http.Request, i *issue) map[string]any {
	u := fmt.Sprintf("%s/issues/%d", s.api(r), i.number)
	return links(map[string]any{
		"id": i.number + 2000, "node_id": fmt.Sprintf("I_%d", i.number), "number": i.number, "url": u, "html_url": s.web(fmt.Sprintf("issues/%d", i.number)), "repository_url": s.api(r),
		"title": i.title, "body": i.body, "state": i.state, "state_reason": orNil(i.reason), "locked": false, "user": s.userShape(r, i.author), "labels": []any{}, "assignee": nil, "assignees": []any{}, "milestone": nil,
		"comments": len(i.comments), "created_at": i.at, "updated_at": i.at, "closed_at": nil, "author_association": "MEMBER",
	}, u, "comments_url events_url labels_url")
}
