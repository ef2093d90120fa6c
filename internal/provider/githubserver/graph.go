package githubserver

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// query is a GraphQL request.
type query struct {
	Query         string `json:"query"`
	OperationName string `json:"operationName"`
	Variables     struct {
		Owner  string `json:"owner"`
		Name   string `json:"name"`
		Number int    `json:"number"`
		SHA    string `json:"sha"`
		After  string `json:"after"`
		Thread string `json:"thread"`
	} `json:"variables"`
}

// reads reports whether the document has a query and nothing else at its beginning, which
// is enough for a server that only ever reads.
func (q query) reads() bool {
	for line := range strings.SplitSeq(q.Query, "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			return strings.HasPrefix(line, "query ")
		}
	}
	return false
}

type object = map[string]any

// graph answers a query. The caller holds the lock.
func (s *Server) graph(q query) reply {
	if q.OperationName == "Viewer" {
		return data(object{"viewer": object{"login": s.o.Agent}})
	}
	if q.OperationName == "Thread" {
		for _, p := range s.pulls {
			for _, t := range p.threads {
				if t.id == q.Variables.Thread {
					return data(object{"node": object{"__typename": "PullRequestReviewThread", "id": t.id, "comments": s.connection(s.commentShapes(t.comments), 100, q.Variables.After)}})
				}
			}
		}
		return data(object{"node": nil})
	}
	name := q.Variables.Owner + "/" + q.Variables.Name
	if !strings.EqualFold(name, s.fullName()) && !slices.ContainsFunc(s.former, func(f string) bool { return strings.EqualFold(f, name) }) {
		return graphError(object{"repository": nil}, "NOT_FOUND", fmt.Sprintf("Could not resolve to a Repository with the name '%s'.", name), "repository")
	}
	repository := object{"databaseId": s.o.ID, "nameWithOwner": s.fullName(), "isArchived": false, "defaultBranchRef": object{"name": s.o.Base}}
	switch q.OperationName {
	case "Contexts":
		return s.contexts(q, repository)
	case "ClosedBy", "Approvals":
		i := s.issue(q.Variables.Number)
		if i == nil || i.deleted {
			repository["issue"] = nil
			return graphError(object{"repository": repository}, "NOT_FOUND", fmt.Sprintf("Could not resolve to an Issue with the number of %d.", q.Variables.Number), "repository", "issue")
		}
		repository["issue"] = object{
			"number": i.number, "state": strings.ToUpper(i.state), "stateReason": orNil(strings.ToUpper(i.reason)),
			"closedByPullRequestsReferences": s.connection(s.closers(i), 100, q.Variables.After),
			"comments":                       s.connection(s.commentShapes(i.comments), 100, q.Variables.After),
		}
		return data(object{"repository": repository})
	}
	p := s.pull(q.Variables.Number)
	if p == nil {
		repository["pullRequest"] = nil
		return graphError(object{"repository": repository}, "NOT_FOUND", fmt.Sprintf("Could not resolve to a PullRequest with the number of %d.", q.Variables.Number), "repository", "pullRequest")
	}
	node := s.pullNode(p)
	s.lists(node, p, q)
	repository["pullRequest"] = node
	return data(object{"repository": repository})
}

func data(d object) reply { return ok(object{"data": d}) }

func graphError(d object, kind, message string, path ...any) reply {
	return ok(object{"data": d, "errors": []any{object{"type": kind, "path": path, "locations": []any{object{"line": 1, "column": 1}}, "message": message}}})
}

// connection cuts a page out of a list.
func (s *Server) connection(all []any, size int, after string) object {
	from := 0
	if after != "" {
		raw, _ := base64.StdEncoding.DecodeString(after) // what is no cursor begins at the beginning
		from, _ = strconv.Atoi(string(raw))
	}
	from = min(from, len(all))
	to := min(from+size, len(all))
	var cursor any
	if to > from {
		cursor = base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(to)))
	}
	return object{
		"totalCount": len(all), "pageInfo": object{"hasNextPage": to < len(all), "endCursor": cursor}, "nodes": append([]any{}, all[from:to]...),
	}
}

func (s *Server) actor(login string) any {
	switch {
	case login == "":
		return nil
	case strings.HasSuffix(login, "[bot]"):
		return object{"__typename": "Bot", "login": strings.TrimSuffix(login, "[bot]")}
	}
	return object{"__typename": "User", "login": login}
}

func (s *Server) commentShapes(comments []*comment) []any {
	var all []any
	for _, c := range comments {
		state := "SUBMITTED"
		if c.pending {
			state = "PENDING"
			if c.author != s.o.Agent {
				continue // a draft is its author's alone
			}
		}
		all = append(all, object{
			"id": c.id, "state": state, "author": s.actor(c.author), "body": c.body, "createdAt": c.at, "lastEditedAt": orNil(c.edited), "includesCreatedEdit": c.edited != "",
			"isMinimized": false, "url": c.url, "viewerDidAuthor": c.author == s.o.Agent,
		})
	}
	return all
}

func (s *Server) reviewShapes(reviews []*review) []any {
	var all []any
	for _, r := range reviews {
		all = append(all, object{
			"id": r.id, "state": r.state, "author": s.actor(r.author), "body": r.body, "submittedAt": r.at, "commit": object{"oid": r.commit},
			"authorCanPushToRepository": s.may(r.author), "url": r.url, "viewerDidAuthor": r.author == s.o.Agent,
		})
	}
	return all
}

// opinions are the newest approvals and requests for changes of those who may write.
func (s *Server) opinions(p *pull) []*review {
	var all []*review
	for _, r := range p.reviews {
		if r.state == "COMMENTED" || !s.may(r.author) {
			continue
		}
		all = slices.DeleteFunc(all, func(o *review) bool { return o.author == r.author })
		all = append(all, r)
	}
	return all
}

func (s *Server) threadShapes(p *pull) []any {
	var all []any
	for _, t := range p.threads {
		line := any(t.line)
		if t.outdated {
			line = nil
		}
		var by any
		if t.resolved {
			by = object{"login": "writer"}
		}
		all = append(all, object{
			"id": t.id, "isResolved": t.resolved, "isOutdated": t.outdated, "path": t.path, "line": line, "originalLine": t.line, "subjectType": "LINE", "resolvedBy": by,
			"comments": s.connection(s.commentShapes(t.comments), 20, ""),
		})
	}
	return all
}

func (s *Server) closers(i *issue) []any {
	var all []any
	for _, p := range s.pulls {
		if slices.Contains(s.closes(p), i.number) {
			all = append(all, object{"number": p.number, "url": s.pageOf(p), "state": p.state, "repository": object{"databaseId": s.o.ID, "nameWithOwner": s.fullName()}})
		}
	}
	return all
}

// lists adds the lists that a query is about, at its cursor.
func (s *Server) lists(node object, p *pull, q query) {
	after := q.Variables.After
	switch q.OperationName {
	case "Closing":
		var closing []any
		for _, n := range s.closes(p) {
			closing = append(closing, object{"number": n, "url": s.web(fmt.Sprintf("issues/%d", n)), "repository": object{"databaseId": s.o.ID, "nameWithOwner": s.fullName()}})
		}
		node["closingIssuesReferences"] = s.connection(closing, 100, after)
	case "Threads":
		node["reviewThreads"] = s.connection(s.threadShapes(p), 100, after)
	case "Opinions":
		var requests []any
		for range p.requested {
			requests = append(requests, object{"asCodeOwner": false, "requestedReviewer": nil})
		}
		node["latestOpinionatedReviews"] = s.connection(s.reviewShapes(s.opinions(p)), 100, after)
		node["reviewRequests"] = object{"totalCount": len(requests), "nodes": requests}
	case "Reviews":
		node["reviews"] = s.connection(s.reviewShapes(p.reviews), 100, after)
	case "Conversation":
		node["comments"] = s.connection(s.commentShapes(p.comments), 100, after)
	}
}

// pullNode is a pull request without its lists.
func (s *Server) pullNode(p *pull) object {
	var ref, merge, auto, entry, decision any
	if tip := s.tip(p.branch); tip != "" {
		ref = object{"target": object{"oid": tip}}
	}
	if sha := p.testMerge(); sha != "" {
		merge = object{"oid": sha, "parents": object{"nodes": []any{object{"oid": p.baseCommit}, object{"oid": p.head}}}}
	}
	if p.autoMerge != "" {
		auto = object{"enabledAt": p.at, "mergeMethod": "SQUASH", "enabledBy": object{"login": p.autoMerge}}
	}
	if p.queued {
		entry = object{"state": "AWAITING_CHECKS", "position": 1, "headCommit": object{"oid": testMerge("queue", p.head)}}
	}
	if p.decision != "" {
		decision = p.decision
	}
	mergeable := "MERGEABLE"
	if p.conflicts {
		mergeable = "CONFLICTING"
	}
	var base any
	if s.tip(p.base) != "" {
		var rule any
		if p.base == s.o.Base && s.isProtected {
			contexts, _ := s.classicShape()
			rule = object{"pattern": p.base, "requiredStatusCheckContexts": contexts, "requiresConversationResolution": false, "requiredApprovingReviewCount": nil}
		}
		base = object{"name": p.base, "refUpdateRule": rule}
	}
	return object{
		"id": fmt.Sprintf("PR_%d", p.number), "number": p.number, "url": s.pageOf(p), "state": p.state, "isDraft": p.draft, "merged": p.state == "MERGED", "updatedAt": p.at,
		"headRefName": p.branch, "headRefOid": p.head, "baseRefName": p.base, "baseRefOid": p.baseCommit, "isCrossRepository": false,
		"headRepository": object{"nameWithOwner": s.fullName()}, "headRef": ref, "mergeable": mergeable, "mergeStateStatus": p.mergeState(), "reviewDecision": decision,
		"potentialMergeCommit": merge, "mergeCommit": nil, "autoMergeRequest": auto,
		"isInMergeQueue": p.queued, "isMergeQueueEnabled": p.queued, "mergeQueueEntry": entry, "baseRef": base,
	}
}

// contexts are what was reported for a commit, with what GitHub says is required of it.
func (s *Server) contexts(q query, repository object) reply {
	sha := q.Variables.SHA
	if s.tree(sha) == "" && !s.isTestMerge(sha) {
		repository["object"] = nil
		return data(object{"repository": repository})
	}
	required := map[string]bool{}
	for _, c := range s.classic {
		required[c.name] = true
	}
	for _, name := range s.required() {
		required[name] = true
	}
	var nodes []any
	for _, p := range s.reports {
		if p.commit == sha {
			nodes = append(nodes, s.contextNode(p, required[p.name]))
		}
	}
	var rollup any
	if len(nodes) > 0 {
		rollup = object{"contexts": s.connection(nodes, 100, q.Variables.After)}
	}
	repository["object"] = object{"oid": sha, "statusCheckRollup": rollup}
	if (s.denied["checks"] || s.denied["rollup"]) && len(nodes) > 0 {
		list := rollup.(object)["contexts"].(object)
		var errors []any
		for i := range list["nodes"].([]any) {
			list["nodes"].([]any)[i] = nil
			errors = append(errors, object{
				"type": "FORBIDDEN", "path": []any{"repository", "object", "statusCheckRollup", "contexts", "nodes", i},
				"locations": []any{object{"line": 1, "column": 1}}, "message": "Resource not accessible by personal access token",
			})
		}
		return ok(object{"data": object{"repository": repository}, "errors": errors})
	}
	return data(object{"repository": repository})
}

func (s *Server) contextNode(p *report, required bool) object {
	if !p.isRun {
		return object{
			"__typename": "StatusContext", "id": fmt.Sprintf("SC_%d", p.id), "context": p.name, "state": p.state, "targetUrl": "https://ci.example.com/1", "createdAt": s.now(),
			"creator": s.actor(p.by), "isRequired": required,
		}
	}
	var workflow, end any
	if p.run != 0 {
		workflow = object{"databaseId": p.run, "event": p.event, "workflow": object{"databaseId": len(p.workflow), "name": p.workflow}}
	}
	if p.status == "COMPLETED" {
		end = s.now()
	}
	return object{
		"__typename": "CheckRun", "id": fmt.Sprintf("CR_%d", p.id), "databaseId": p.id, "name": p.name, "status": p.status, "conclusion": orNil(p.conclusion), "startedAt": s.now(), "completedAt": end,
		"detailsUrl": s.details(p), "isRequired": required,
		"checkSuite": object{"databaseId": p.suite, "status": p.status, "conclusion": orNil(p.conclusion), "app": object{"databaseId": p.app, "slug": p.slug}, "workflowRun": workflow},
	}
}
