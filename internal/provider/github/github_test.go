package github_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/github"
	"github.com/asterweave/asterweave/internal/provider/githubserver"
	"github.com/asterweave/asterweave/internal/provider/remote"
	"github.com/asterweave/asterweave/internal/provider/token"
)

func TestEndpoints(t *testing.T) {
	for host, want := range map[string][2]string{
		"github.com":       {"https://api.github.com", "https://api.github.com/graphql"},
		"acme.ghe.com":     {"https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql"},
		"127.0.0.1:8080":   {"http://127.0.0.1:8080/api/v3", "http://127.0.0.1:8080/api/graphql"},
		"localhost.corp":   {"https://localhost.corp/api/v3", "https://localhost.corp/api/graphql"},
		"ghe.corp.example": {"https://ghe.corp.example/api/v3", "https://ghe.corp.example/api/graphql"},
	} {
		e := github.EndpointOf(host)
		if got := [2]string{e.REST.String(), e.GraphQL.String()}; got != want {
			t.Errorf("%s: %v, want %v", host, got, want)
		}
	}
}

// An Enterprise Server has its API below a path, next pages included.
func TestEnterpriseServer(t *testing.T) {
	w := newServed(t)
	w.Submit(t)
	for i := range 120 {
		w.Server.Require(fmt.Sprintf("job (%d)", i), 0)
		w.Report(w.head, githubserver.Run{Name: fmt.Sprintf("job (%d)", i), Conclusion: "SUCCESS"})
	}
	target := w.Target(t)
	target.URL = "https://ghe.corp.example/acme/widgets.git"
	p := github.New(github.Options{
		Token: func(ctx context.Context, r remote.Repository) (token.Token, error) {
			return token.Find(ctx, []string{"GH_ENTERPRISE_TOKEN=" + canary, "GH_HOST=ghe.corp.example", "GH_TOKEN=ghp_another"}, r, nil)
		},
		Endpoint: func(string) github.Endpoint {
			return github.Endpoint{REST: w.base.JoinPath("api", "v3"), GraphQL: w.base.JoinPath("api", "graphql")}
		},
	})
	for _, read := range []string{pr, checks} {
		a, err := ask(p, read, target)
		if err != nil || a.Result != evidence.Pass || !strings.HasPrefix(a.Repository, "ghe.corp.example/") {
			t.Errorf("%s: %s, %s, %s, %v", read, a.Result, a.Because, a.Repository, err)
		}
	}
	for _, path := range w.Paths() {
		if strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "/api/v3/") {
			t.Errorf("asked for %s", path)
		}
	}
}

// An approval in a repository that took over the name is none.
func TestApprovalsElsewhere(t *testing.T) {
	w := newServed(t)
	w.Submit(t)
	w.Item(t, "A cap", "Refunds have a cap.")
	w.Comment(t, "writer", "/asterweave approve 0123456789abcdef")
	target := w.Target(t)
	target.Repository = "github.com/repositories/2"
	if got, err := w.Provider(t, time.Minute).Approvals(t.Context(), target); err == nil || len(got) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A server that does not know a field has no such thing: the rest still tells.
func TestFieldsThatAServerDoesNotKnow(t *testing.T) {
	unknown := func(field string) string {
		return `{"errors":[{"path":["query","repository","pullRequest","` + field + `"],"extensions":{"code":"undefinedField"},"message":"Field '` + field + `' doesn't exist on type 'PullRequest'"}]}`
	}
	w := newWorld(t, "")
	w.override["Queue"], w.override["Rule"] = unknown("mergeQueueEntry"), unknown("refUpdateRule")
	a, err := w.client().Checks(t.Context(), target())
	if err != nil || a.Result != evidence.Pass {
		t.Errorf("%s, %s, %v", a.Result, a.Because, err)
	}
	w.override["Pull"] = unknown("isDraft") // this one is no option
	if a, err = w.client().Checks(t.Context(), target()); err != nil || a.Result != evidence.Unknown || a.Pending {
		t.Errorf("%s, pending %v, %s, %v", a.Result, a.Pending, a.Because, err)
	}
}

func TestNothingIsRequired(t *testing.T) {
	w := newServed(t)
	w.Submit(t)
	read := func() provider.Answer {
		t.Helper()
		a, err := w.Provider(t, time.Minute).Checks(t.Context(), w.Target(t))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	w.Report(w.head, githubserver.Run{Name: "docs", Conclusion: "SKIPPED"})
	if a := read(); a.Result != evidence.Unknown {
		t.Errorf("all were skipped: %s", a.Result)
	}
	w.Report(w.head, githubserver.Run{Name: "unit", Conclusion: "SUCCESS"})
	if a := read(); a.Result != evidence.Pass || !strings.Contains(a.Summary, "none of which is required") {
		t.Errorf("one is good: %s, %s", a.Result, a.Summary)
	}
	w.Await(w.head)
	if a := read(); a.Result != evidence.Unknown || !strings.Contains(a.Because, "maintainer has to approve") {
		t.Errorf("others wait for a maintainer: %s, %s", a.Result, a.Because)
	}
	w.Report(w.head, githubserver.Run{Name: "lint", Conclusion: "TIMED_OUT"})
	if a := read(); a.Result != evidence.Fail || a.Signature != "pipeline/lint" {
		t.Errorf("one failed: %s, %s", a.Result, a.Signature)
	}
}

// Strict mode: a branch that is behind its base has checks of something else.
func TestStrict(t *testing.T) {
	w := newServed(t)
	w.Submit(t)
	w.Rule("required_status_checks", map[string]any{
		"strict_required_status_checks_policy": true, "do_not_enforce_on_create": false,
		"required_status_checks": []any{map[string]any{"context": "unit"}},
	})
	w.Report(w.head, githubserver.Run{Name: "unit", Conclusion: "SUCCESS"})
	for state, want := range map[string]evidence.Result{"BEHIND": evidence.Fail, "BLOCKED": evidence.Pass} {
		w.MergeState(w.pull, state)
		a, err := w.Provider(t, time.Minute).Checks(t.Context(), w.Target(t))
		if err != nil || a.Result != want || state == "BLOCKED" && !strings.Contains(a.Summary, "merge is blocked") {
			t.Errorf("%s: %s, %s, %v", state, a.Result, a.Summary, err)
		}
	}
}

// What people say in a review's text and in the conversation is told, with our answers.
func TestTextsThatCannotBeResolved(t *testing.T) {
	w := newServed(t)
	w.Submit(t)
	read := func() provider.Answer {
		t.Helper()
		a, err := w.Provider(t, time.Minute).Comments(t.Context(), w.Target(t))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	w.Review(w.pull, "writer", "CHANGES_REQUESTED", "")
	w.Review(w.pull, "writer", "COMMENTED", "see the summary")
	w.Server.Comment(w.pull, "helper[bot]", "coverage is 80 %")
	a := read()
	if a.Result != evidence.Fail || len(a.Comments) != 3 || !a.Comments[0].Blocks || a.Comments[1].Text != "see the summary" || !a.Comments[2].Bot {
		t.Fatalf("%s: %+v", a.Result, a.Comments)
	}
	w.Server.Comment(w.pull, "agent", "> "+a.Comments[2].URL+"\n\nIt was 79 % before.")
	w.Server.Comment(w.pull, "agent", "> "+a.Comments[1].URL+"\n\nDone.")
	w.Server.Comment(w.pull, "agent", "On my own account.")
	var kinds []string
	for _, c := range read().Comments {
		kinds = append(kinds, c.Kind+" by "+c.Author)
		for _, r := range c.Replies {
			kinds = append(kinds, "reply by "+r.Author)
		}
	}
	want := []string{"review by writer", "review by writer", "reply by agent", "conversation by helper", "reply by agent", "conversation by agent"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
	w.Review(w.pull, "writer", "APPROVED", "")
	if a = read(); a.Result != evidence.Pass {
		t.Errorf("the approval took the request back: %s, %s", a.Result, a.Because)
	}
}

// Two open pull requests of one branch are told apart by their base, or not at all.
func TestAdoption(t *testing.T) {
	w := newServed(t)
	w.Submit(t)
	w.Open(w.repo.Branch, "release", "The same for a release", "")
	a, err := w.Provider(t, time.Minute).PullRequest(t.Context(), w.Target(t))
	if err != nil || a.Result != evidence.Pass || a.URL != w.URL(w.pull) {
		t.Errorf("%s, %s, %v", a.Result, a.URL, err)
	}
	w.Open(w.repo.Branch, "main", "And again", "") // which GitHub itself does not let happen
	if a, err = w.Provider(t, time.Minute).PullRequest(t.Context(), w.Target(t)); err != nil || a.Result != evidence.Unknown {
		t.Errorf("two into one base: %s, %v", a.Result, err)
	}
}

func TestOldPullRequestsOfTheBranchName(t *testing.T) {
	w := newServed(t)
	w.Submit(t)
	w.Server.Close(w.pull)
	w.repo.Push(t)
	target := w.Target(t)
	target.Head = w.repo.Commit(t, w.repo.Branch)
	a, err := w.Provider(t, time.Minute).PullRequest(t.Context(), target)
	if err != nil || a.Result != evidence.Fail || a.Signature != "pull-request/none" {
		t.Errorf("%s, %s, %v", a.Result, a.Summary, err)
	}
}

func TestRenamed(t *testing.T) {
	w := newServed(t)
	w.Submit(t)
	w.Check(t, "unit", "passing")
	first, err := w.Provider(t, time.Minute).PullRequest(t.Context(), w.Target(t))
	if err != nil {
		t.Fatal(err)
	}
	w.Rename("acme", "gadgets")
	target := w.Target(t)
	target.PullRequest, target.Repository = first.URL, first.Repository
	for _, read := range []string{pr, checks, comments} {
		a, err := ask(w.Provider(t, time.Minute), read, target)
		if err != nil || a.Result != evidence.Pass && a.Result != evidence.Info || a.Repository != first.Repository {
			t.Errorf("%s: %s, %s, %s, %v", read, a.Result, a.Because, a.Repository, err)
		}
	}
}

func TestExamine(t *testing.T) {
	w := newServed(t)
	w.Submit(t)
	text := func() string {
		var lines []string
		for _, f := range w.Provider(t, time.Minute).Examine(t.Context(), w.Target(t)) {
			lines = append(lines, f.What+" | "+f.Next)
		}
		return strings.Join(lines, "\n")
	}
	for _, part := range []string{"github.com is from GH_TOKEN", "token of agent", "scopes repo"} {
		if got := text(); !strings.Contains(got, part) {
			t.Errorf("does not say %q:\n%s", part, got)
		}
	}
	w.Deny("checks")
	w.Deny("actions")
	got := text()
	for _, part := range []string{"cannot read check runs", "the grant checks=read; a fine-grained personal access token cannot have it", "the grant actions=read", "it reads commit statuses"} {
		if !strings.Contains(got, part) {
			t.Errorf("does not say %q:\n%s", part, got)
		}
	}
	if leaks(got) {
		t.Error("the token is in it")
	}
	none := github.New(github.Options{Token: func(ctx context.Context, r remote.Repository) (token.Token, error) {
		return token.Find(ctx, nil, r, func(context.Context, ...string) (string, error) { return "", errors.New("no gh") })
	}})
	if f := none.Examine(t.Context(), w.Target(t)); len(f) != 1 || f[0].OK || f[0].Next == "" {
		t.Errorf("without a token: %+v", f)
	}
}

// A digest counts at the beginning of a comment alone.
func TestApprovalsByWord(t *testing.T) {
	w := newServed(t)
	w.Submit(t)
	w.Item(t, "A cap", "Refunds have a cap.")
	for _, text := range []string{
		"/asterweave approve 0123456789abcdef", "/asterweave:approve 0123456789ABCDEF\n\nlooks good",
		"> /asterweave approve 0123456789abcdef", "please write /asterweave approve 0123456789abcdef", "```\n/asterweave approve 0123456789abcdef\n```",
		"/asterweave approve", "/asterweave approve 0123", "/asterweave approve 0123456789abcdef and more",
	} {
		w.Server.Comment(w.item, "writer", text)
	}
	w.Server.Comment(w.item, "", "/asterweave approve 0123456789abcdef")
	w.Server.Comment(w.item, "writer[bot]", "/asterweave approve 0123456789abcdef")
	w.Grant("reader", "triage")
	w.Server.Comment(w.item, "reader", "/asterweave approve 0123456789abcdef")
	got, err := w.Provider(t, time.Minute).Approvals(t.Context(), w.Target(t))
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, a := range got {
		said = append(said, a.Author+" "+a.Digest+": "+a.Refused)
	}
	want := []string{
		"writer 0123456789abcdef: ", "writer 0123456789abcdef: ",
		"ghost 0123456789abcdef: its author's account was deleted", "writer 0123456789abcdef: writer is no person but a Bot",
		"reader 0123456789abcdef: reader has the permission read, and write is needed",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
}

// Two workflow files may call themselves the same; neither takes the other's place.
func TestWorkflowsOfOneName(t *testing.T) {
	node := func(id, workflow, run int, conclusion string) string {
		return fmt.Sprintf(`{"__typename":"CheckRun","id":"CR_%d","databaseId":%d,"name":"ci / test","status":"COMPLETED","conclusion":%q,"isRequired":true,"checkSuite":{"databaseId":%d,"app":{"databaseId":15368,"slug":"github-actions"},"status":"COMPLETED","workflowRun":{"databaseId":%d,"event":"pull_request","workflow":{"databaseId":%d,"name":"ci"}}}}`, id, id, conclusion, run, run, workflow)
	}
	for _, c := range []struct {
		second int
		want   evidence.Result
	}{{1, evidence.Pass}, {2, evidence.Fail}} {
		w := newWorld(t, "")
		w.override["Contexts"] = `{"data":{"repository":{"databaseId":1,"object":{"oid":"` + head + `","statusCheckRollup":{"contexts":{"totalCount":2,"pageInfo":{"hasNextPage":false},"nodes":[` +
			node(10, 1, 9001, "FAILURE") + "," + node(20, c.second, 9002, "SUCCESS") + `]}}}}}}`
		a, err := w.client().Checks(t.Context(), target())
		if err != nil || a.Result != c.want {
			t.Errorf("second run of workflow %d: %s, %s, %v", c.second, a.Result, a.Because, err)
		}
	}
}

// What changed between the first answer and the last one makes the verdict that of neither.
func TestChangedWhileItWasRead(t *testing.T) {
	for name, change := range map[string][2]string{
		"head":  {`"headRefOid":"` + head, `"headRefOid":"` + other},
		"tip":   {`"target":{"oid":"` + head, `"target":{"oid":"` + other},
		"base":  {`"baseRefName":"main"`, `"baseRefName":"release"`},
		"state": {`"OPEN"`, `"CLOSED"`},
		"draft": {`"isDraft":false`, `"isDraft":true`},
	} {
		for _, read := range []string{pr, checks} {
			w := newWorld(t, "")
			pulls := 0
			w.fault = func(n int, _ http.ResponseWriter, _ *http.Request) bool {
				if w.seen[n].Operation == "Pull" {
					pulls++
				}
				if pulls == 2 {
					w.override["Pull"] = with(w.background["Pull"], change[0], change[1])
				}
				return false
			}
			a, err := ask(w.client(), read, target())
			if err != nil || a.Result != evidence.Unknown || a.Summary != "moved while it was being read" || w.override["Pull"] == w.background["Pull"] {
				t.Errorf("%s, %s: %s, %s, %s, %v", name, read, a.Result, a.Summary, a.Because, err)
			}
		}
	}
}

// What an answer says of another commit, or without its whole, counts for nothing.
func TestForeignAnswers(t *testing.T) {
	const suites = "GET /repos/acme/widgets/commits/" + head + "/check-suites?per_page=100"
	rest := func(path string) string { return "GET /repos/acme/widgets/" + path }
	runs := rest("commits/" + head + "/check-runs?filter=latest&per_page=100")
	statuses := rest("commits/" + head + "/status?per_page=100")
	workflows := rest("actions/runs?head_sha=" + head + "&per_page=100")
	for _, c := range []struct{ read, key, old, now string }{
		{checks, "Queue", `"headRefOid":"` + head, `"headRefOid":"` + other},
		{checks, suites, head, other},
		{checks, suites, `"total_count":1`, `"total_count":2`},
		{checks, runs, head, other},
		{checks, runs, `"total_count":1`, `"total_count":2`},
		{checks, statuses, head, other},
		{checks, statuses, `"total_count":0`, `"total_count":1`},
		{checks, workflows, `"head_sha":"` + head, `"head_sha":"` + other},
		{checks, workflows, `"total_count":1`, `"total_count":2`},
		{comments, "Threads", `"headRefOid":"` + head, `"headRefOid":"` + other},
		{comments, "Opinions", `"headRefOid":"` + head, `"headRefOid":"` + other},
		{comments, "Reviews", `"headRefOid":"` + head, `"headRefOid":"` + other},
		{comments, "Conversation", `"headRefOid":"` + head, `"headRefOid":"` + other},
		{comments, "Pull", `"target":{"oid":"` + head, `"target":{"oid":"` + other},
		{item, "Closing", `"headRefOid":"` + head, `"headRefOid":"` + other},
		{item, "Pull", `"target":{"oid":"` + head, `"target":{"oid":"` + other},
		{pr, rest("pulls/7"), head, other},
		{pr, rest("pulls/7"), `"ref":"main"`, `"ref":"release"`},
		{pr, rest("git/commits/" + head), head, other},
	} {
		w := newWorld(t, "")
		x := target()
		if strings.Contains(c.key, "/check-runs") || strings.Contains(c.key, "/status") || strings.Contains(c.key, "/actions/") {
			restOnly(w)
			x.Required = []string{"ci / test"}
		}
		for _, broken := range []bool{false, true} {
			if broken {
				from := w.override[c.key]
				if from == "" {
					from = w.background[c.key]
				}
				if w.override[c.key] = with(from, c.old, c.now); w.override[c.key] == from {
					t.Fatalf("%s has no %s", c.key, c.old)
				}
			}
			a, err := ask(w.client(), c.read, x)
			if err != nil || broken && a.Result != evidence.Unknown || !broken && a.Result != evidence.Pass && a.Result != evidence.Info {
				t.Errorf("%s %s, broken %v: %s, %s, %v", c.key, c.now, broken, a.Result, a.Because, err)
			}
		}
	}
}

// A thread whose comments are cut may have an open one beyond the cut.
func TestThreadThatIsNotWhole(t *testing.T) {
	w := newWorld(t, "threads_mixed", "Threads")
	w.scenario[0].Response.Body = []byte(strings.ReplaceAll(string(w.scenario[0].Response.Body), `"isResolved": false`, `"isResolved": true`))
	if a, err := w.client().Comments(t.Context(), target()); err != nil || a.Result != evidence.Pass {
		t.Fatalf("%s, %s, %v", a.Result, a.Because, err)
	}
	body := string(w.scenario[0].Response.Body)
	i := strings.Index(body, `"comments"`)
	w.scenario[0].Response.Body = []byte(body[:i] + strings.Replace(body[i:], `"totalCount": 1`, `"totalCount": 2`, 1))
	if a, err := w.client().Comments(t.Context(), target()); err != nil || a.Result != evidence.Unknown || !strings.Contains(a.Because, "1 of 2 comments") {
		t.Errorf("%s, %s, %v", a.Result, a.Because, err)
	}
}

// Each real answer names its request; one that does not comes from somebody else.
func TestAnswersWithoutARequestID(t *testing.T) {
	w := newWorld(t, "")
	w.silent = true
	for _, read := range []string{pr, checks, comments, item} {
		if a, err := ask(w.client(), read, target()); err != nil || a.Result != evidence.Unknown || !strings.Contains(a.Because, "request id") {
			t.Errorf("%s: %s, %s, %v", read, a.Result, a.Because, err)
		}
	}
}

// A list that is shorter than it says of itself is not whole, whatever is in it.
func TestListsThatAreNotWhole(t *testing.T) {
	for operation, read := range map[string]string{"Contexts": checks, "Threads": comments, "Opinions": comments, "Reviews": comments, "Conversation": comments, "Closing": item, "ClosedBy": item} {
		for _, change := range []*strings.Replacer{
			strings.NewReplacer(`"totalCount":0,"pageInfo"`, `"totalCount":3,"pageInfo"`, `"totalCount":1,"pageInfo"`, `"totalCount":3,"pageInfo"`),
			strings.NewReplacer(`"hasNextPage":false,"endCursor":null`, `"hasNextPage":true,"endCursor":null`, `"hasNextPage":false,"endCursor":"MQ"`, `"hasNextPage":true,"endCursor":null`),
			strings.NewReplacer(`"hasNextPage":false,"endCursor":null`, `"hasNextPage":true,"endCursor":"MQ"`, `"hasNextPage":false,"endCursor":"MQ"`, `"hasNextPage":true,"endCursor":"MQ"`), // the same page for ever
		} {
			w := newWorld(t, "")
			w.override[operation] = change.Replace(w.background[operation])
			if w.override[operation] == w.background[operation] {
				t.Fatalf("%s is as it was", operation)
			}
			a, err := ask(w.client(), read, target())
			if err != nil || a.Result != evidence.Unknown {
				t.Errorf("%s: %s, %s, %v", operation, a.Result, a.Because, err)
			}
		}
	}
}
