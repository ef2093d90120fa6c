package githubserver

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// rest answers a path. The caller holds the lock.
func (s *Server) rest(r *http.Request, path string) reply {
	var parts []string
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		p, err := url.PathUnescape(part)
		if err != nil {
			return failure(http.StatusBadRequest, "Problems parsing the path")
		}
		parts = append(parts, p)
	}
	switch {
	case len(parts) >= 3 && parts[0] == "repos":
		name := parts[1] + "/" + parts[2]
		if slices.ContainsFunc(s.former, func(f string) bool { return strings.EqualFold(f, name) }) && !strings.EqualFold(name, s.fullName()) {
			return s.moved(r, parts[3:])
		}
		if !strings.EqualFold(name, s.fullName()) {
			return notFound()
		}
		parts = parts[3:]
	case len(parts) >= 2 && parts[0] == "repositories" && parts[1] == strconv.FormatInt(s.o.ID, 10):
		parts = parts[2:]
	default:
		return notFound()
	}
	return s.repository(r, parts)
}

// moved is the answer under an old name.
func (s *Server) moved(r *http.Request, rest []string) reply {
	to := s.byID(r, rest)
	if r.URL.RawQuery != "" {
		to += "?" + r.URL.RawQuery
	}
	a := reply{status: http.StatusMovedPermanently, body: map[string]any{
		"message": "Moved Permanently", "url": to, "documentation_url": "https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects",
	}}
	a.header = http.Header{"Location": {to}}
	return a
}

// byID is the address of something under the repository's identifier.
func (s *Server) byID(r *http.Request, rest []string) string {
	prefix := ""
	if strings.HasPrefix(r.URL.Path, "/api/v3/") {
		prefix = "/api/v3"
	}
	to := fmt.Sprintf("http://%s%s/repositories/%d", r.Host, prefix, s.o.ID)
	for _, part := range rest {
		to += "/" + url.PathEscape(part)
	}
	return to
}

func (s *Server) repository(r *http.Request, parts []string) reply {
	at := func(i int) string {
		if i < len(parts) {
			return parts[i]
		}
		return ""
	}
	route := strings.Join(parts[:min(2, len(parts))], "/")
	switch {
	case len(parts) == 0:
		return ok(s.repositoryShape(r, true))
	case route == "pulls":
		return s.listPulls(r, parts)
	case at(0) == "pulls" && len(parts) == 2:
		n, _ := strconv.Atoi(at(1))
		if p := s.pull(n); p != nil {
			return ok(s.pullShape(r, p, true))
		}
	case at(0) == "rules" && at(1) == "branches" && len(parts) == 3:
		if s.denied["rules"] {
			return forbidden("metadata")
		}
		var rules []any
		for _, q := range s.rules {
			rules = append(rules, q)
		}
		if at(2) != s.o.Base {
			rules = nil
		}
		return s.page(r, parts, rules, func(items []any, _ int) any { return items })
	case at(0) == "branches" && len(parts) == 2:
		return s.branch(r, at(1))
	case at(0) == "branches" && at(2) == "protection" && len(parts) == 3:
		return s.protection(r, at(1))
	case at(0) == "commits" && len(parts) == 3:
		return s.commit(r, parts)
	case route == "git/commits" && len(parts) == 3:
		if s.tree(at(2)) != "" {
			return ok(s.commitShape(r, at(2)))
		}
	case route == "actions/runs" && len(parts) == 2:
		return s.workflowRuns(r, parts)
	case at(0) == "issues" && len(parts) == 2:
		return s.anIssue(r, at(1))
	case at(0) == "collaborators" && at(2) == "permission":
		role := s.permissions[at(1)]
		if role == "" {
			role = "read"
		}
		legacy := map[string]string{"maintain": "write", "triage": "read"}[role]
		if legacy == "" {
			legacy = role
		}
		user := s.userShape(r, at(1))
		user["role_name"] = role
		user["permissions"] = map[string]any{"pull": true, "triage": role != "read", "push": s.may(at(1)), "maintain": role == "maintain" || role == "admin", "admin": role == "admin"}
		return ok(map[string]any{"permission": legacy, "role_name": role, "user": user})
	}
	return notFound()
}

// page cuts a page out of a list and links the next one, through the repository's
// identifier as the service does.
func (s *Server) page(r *http.Request, parts []string, all []any, wrap func(items []any, total int) any) reply {
	q, size := r.URL.Query(), 30
	if n, err := strconv.Atoi(q.Get("per_page")); err == nil && n > 0 {
		size = min(n, 100)
	}
	page, err := strconv.Atoi(q.Get("page"))
	if err != nil || page < 1 {
		page = 1
	}
	from := min((page-1)*size, len(all))
	to := min(from+size, len(all))
	items := append([]any{}, all[from:to]...)
	a := ok(wrap(items, len(all)))
	if to < len(all) {
		q.Set("page", strconv.Itoa(page+1))
		next := s.byID(r, parts) + "?" + q.Encode()
		q.Set("page", strconv.Itoa((len(all)+size-1)/size))
		a.header = http.Header{"Link": {fmt.Sprintf("<%s>; rel=\"next\", <%s>; rel=\"last\"", next, s.byID(r, parts)+"?"+q.Encode())}}
	}
	return a
}

func (s *Server) listPulls(r *http.Request, parts []string) reply {
	q := r.URL.Query()
	var all []any
	for _, p := range slices.Backward(s.pulls) {
		if head := q.Get("head"); head != "" && head != s.o.Owner+":"+p.branch {
			continue
		}
		if state := q.Get("state"); state != "all" && (state == "closed") == (p.state == "OPEN") {
			continue
		}
		all = append(all, s.pullShape(r, p, false))
	}
	return s.page(r, parts, all, func(items []any, _ int) any { return items })
}

func (s *Server) branch(r *http.Request, name string) reply {
	tip := s.tip(name)
	if tip == "" {
		return failure(http.StatusNotFound, "Branch not found")
	}
	contexts, checks := s.classicShape()
	level := "off"
	isProtected := name == s.o.Base && s.isProtected
	if isProtected {
		level = "non_admins"
	} else {
		contexts, checks = []any{}, []any{}
	}
	self := s.api(r) + "/branches/" + url.PathEscape(name)
	return ok(map[string]any{
		"name": name, "commit": s.branchCommitShape(r, tip), "_links": map[string]any{"html": s.web("tree/" + name), "self": self},
		"protected": isProtected || name == s.o.Base && len(s.rules) > 0,
		"protection": map[string]any{
			"enabled":                isProtected,
			"required_status_checks": map[string]any{"enforcement_level": level, "contexts": contexts, "checks": checks},
		},
		"protection_url": self + "/protection",
	})
}

// protection is what an administrator may read; this token is none.
func (s *Server) protection(_ *http.Request, name string) reply {
	if name != s.o.Base || !s.isProtected {
		return failure(http.StatusNotFound, "Branch not protected")
	}
	return notFound()
}

func (s *Server) classicShape() (contexts, checks []any) {
	contexts, checks = []any{}, []any{}
	for _, c := range s.classic {
		contexts = append(contexts, c.name)
		var app any
		if c.app != 0 {
			app = c.app
		}
		checks = append(checks, map[string]any{"context": c.name, "app_id": app})
	}
	return contexts, checks
}

// commit answers what was reported for a commit or a branch.
func (s *Server) commit(r *http.Request, parts []string) reply {
	sha := parts[1]
	if tip := s.tip(sha); tip != "" {
		sha = tip
	}
	if s.tree(sha) == "" && !s.isTestMerge(sha) {
		return failure(http.StatusUnprocessableEntity, "No commit found for SHA: "+sha)
	}
	switch parts[2] {
	case "check-runs":
		if s.denied["checks"] {
			return forbidden("checks")
		}
		var runs []any
		for _, p := range s.reports {
			if p.isRun && p.commit == sha {
				runs = append(runs, s.runShape(r, p))
			}
		}
		return s.page(r, parts, runs, func(items []any, total int) any {
			return map[string]any{"total_count": total, "check_runs": items}
		})
	case "check-suites":
		if s.denied["checks"] {
			return forbidden("checks")
		}
		return s.page(r, parts, s.suites(r, sha), func(items []any, total int) any {
			return map[string]any{"total_count": total, "check_suites": items}
		})
	case "status":
		if s.denied["statuses"] {
			return forbidden("statuses")
		}
		var all []any
		state := "pending"
		for _, p := range s.reports {
			if !p.isRun && p.commit == sha {
				all = append(all, s.statusShape(r, p))
				state = strings.ToLower(p.state)
			}
		}
		return s.page(r, parts, all, func(items []any, total int) any {
			return map[string]any{
				"state": state, "sha": sha, "total_count": total, "statuses": items, "repository": s.repositoryShape(r, false),
				"commit_url": s.api(r) + "/commits/" + sha, "url": s.api(r) + "/commits/" + sha + "/status",
			}
		})
	}
	return notFound()
}

func (s *Server) isTestMerge(sha string) bool {
	return slices.ContainsFunc(s.pulls, func(p *pull) bool { return p.testMerge() == sha })
}

func (s *Server) suites(r *http.Request, sha string) []any {
	var all []any
	for _, p := range s.reports {
		if p.isRun && p.commit == sha {
			all = append(all, s.suiteShape(r, sha, p.suite, p.status, p.conclusion, 1))
		}
	}
	if slices.Contains(s.awaiting, sha) {
		all = append(all, s.suiteShape(r, sha, 1<<20, "COMPLETED", "ACTION_REQUIRED", 0))
	}
	return all
}

func (s *Server) workflowRuns(r *http.Request, parts []string) reply {
	if s.denied["actions"] {
		return forbidden("actions")
	}
	sha := r.URL.Query().Get("head_sha")
	var all []any
	for _, p := range s.reports {
		if p.run != 0 && (sha == "" || p.commit == sha) {
			all = append(all, s.workflowRunShape(r, p))
		}
	}
	return s.page(r, parts, all, func(items []any, total int) any {
		return map[string]any{"total_count": total, "workflow_runs": items}
	})
}

func (s *Server) anIssue(r *http.Request, number string) reply {
	n, _ := strconv.Atoi(number)
	i := s.issue(n)
	switch {
	case i != nil && i.deleted:
		return failure(http.StatusGone, "This issue was deleted")
	case i != nil:
		return ok(s.issueShape(r, i))
	case s.pull(n) != nil:
		p := s.pull(n)
		shape := s.issueShape(r, &issue{number: n, author: p.author, title: p.title, body: p.body, state: "open", at: p.at})
		shape["pull_request"] = map[string]any{"url": s.api(r) + "/pulls/" + number, "html_url": s.pageOf(p), "diff_url": s.pageOf(p) + ".diff", "patch_url": s.pageOf(p) + ".patch"}
		return ok(shape)
	}
	return notFound()
}
