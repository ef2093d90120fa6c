package azuredevops_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// scenario is what a recorded world has to come to, and why.
type scenario struct {
	file   string // of testdata/ado; a "+" lays a second one over it
	read   string // pull, checks, comments, item
	change func(r *replay, t *provider.Target)
	want   evidence.Result
	says   string // within the reason or the summary
	pends  bool
	why    string
}

func scenarios() []scenario {
	onlyFrom := func(name string) func(*replay, *provider.Target) {
		return func(_ *replay, t *provider.Target) { t.Required = []string{name} }
	}
	twoIterations := func(r *replay, _ *provider.Target) { r.iterations(headH2, headH) }
	named := func(r *replay, t *provider.Target) {
		t.PullRequest = r.front.URL + "/acme/Widgets%20App/_git/widgets/pullrequest/22"
	}
	ofFork := func(_ *replay, t *provider.Target) { t.URL = "https://dev.azure.com/acme/Dev/_git/widgets-fork" }
	return []scenario{
		// 6.6: a sign-in page with 203, a redirect to one, and 401 are no answer, whatever they look like.
		{"auth_203_signin_html", "pull", named, evidence.Unknown, "sign in", false, "203 with HTML is a sign-in page"},
		{"auth_203_signin_html", "checks", named, evidence.Unknown, "sign in", false, "the same of checks"},
		{"auth_203_signin_html", "comments", named, evidence.Unknown, "sign in", false, "the same of comments"},
		{"auth_203_signin_html", "item", named, evidence.Unknown, "sign in", false, "the same of the work item"},
		{"auth_302_signin", "pull", named, evidence.Unknown, "redirects to another place", false, "no redirect leaves the API's host"},
		{"auth_401_tf400813", "pull", named, evidence.Unknown, "TF400813", false, "the token is not accepted"},
		{"bom_json", "pull", nil, evidence.Pass, "active", false, "a byte order mark is possible"},
		{"throttle_200_retry_after", "pull", nil, evidence.Pass, "active", false, "Retry-After with 200 is a delayed answer and a good one"},
		{"throttle_429", "pull", named, evidence.Unknown, "TF400733", true, "429 is a refusal for now"},
		{"err_400_api_version_preview", "checks", nil, evidence.Unknown, "under preview", false, "a version that stays refused is no empty list"},
		{"err_404_pr", "pull", named, evidence.Unknown, "Code (Read)", false, "404 is absent or not visible: both are said"},
		{"err_404_pr", "checks", named, evidence.Unknown, "absent, or not to be seen", false, "the same of checks"},

		// 6.2: the pull request.
		{"pr_active", "pull", nil, evidence.Pass, "active", false, "source, last iteration and tip are the submitted head"},
		{"pr_active", "comments", nil, evidence.Fail, "waits for the author", false, "a vote of -5 waits for the author; the group's vote is not counted"},
		{"pr_active", "checks", nil, evidence.Unknown, "no policy requires", false, "votes are no checks, and an empty list is not green"},
		{"pr_succeeded_but_policy_blocked", "pull", nil, evidence.Pass, "no conflict", false, "mergeStatus succeeded means only that there is no conflict"},
		{"pr_succeeded_but_policy_blocked+evaluations_running_rejected_broken", "checks", nil, evidence.Fail, "rejected", false, "it says nothing about policies"},
		{"pr_draft_conflicts", "pull", nil, evidence.Fail, "conflicts with refs/heads/main", false, "a conflict has to be solved here"},
		{"pr_completed", "pull", nil, evidence.Pass, "completed", false, "it was merged with the submitted head"},
		{"pr_abandoned", "pull", nil, evidence.Fail, "abandoned", false, "nobody will merge it"},
		{"pr_abandoned+evaluations_green", "checks", nil, evidence.Unknown, "abandoned", false, "its checks count for nothing"},
		{"pr_autocomplete_set", "pull", nil, evidence.Pass, "complete by itself", false, "autoCompleteSetBy is told"},
		{"pr_source_moved", "pull", nil, evidence.Unknown, "a1a1a1a1a1a1", false, "lastMergeSourceCommit is not the live tip"},
		{"pr_source_moved+evaluations_green", "checks", nil, evidence.Unknown, "another commit", false, "green is of another head"},
		{"pr_merge_queued", "pull", nil, evidence.Unknown, "still trying the merge", true, "queued is being computed, and no failure"},
		{"pr_fork", "pull", nil, evidence.Fail, "nobody has opened", false, "the branch of that name in a fork is not the delivery's"},
		{"pr_fork", "pull", named, evidence.Unknown, "widgets-fork", false, "and a pull request of it is not the delivery's either"},
		{"pr_fork", "pull", ofFork, evidence.Pass, "from the fork widgets-fork", false, "the remote is the fork; the pull request lives in its parent"},
		{"pr_fork", "pull", func(r *replay, t *provider.Target) { named(r, t); ofFork(r, t) }, evidence.Pass, "from the fork widgets-fork", false, "the same, with the address of the pull request in the parent"},
		{"pr_fork+evaluations_green", "checks", ofFork, evidence.Pass, "1 passed", false, "policies are the target's: the artifact has the parent's project"},

		// 6.3: evaluations, builds, statuses.
		{"evaluations_green", "checks", nil, evidence.Pass, "1 passed", false, "every blocking record is approved; the build is of the head"},
		{"evaluations_build_for_older_source", "checks", nil, evidence.Unknown, "for the commit b2b2b2b2b2b2", true, "the context's source has to be the head; stale right after a push"},
		{"evaluations_build_expired", "checks", nil, evidence.Unknown, "expired", false, "isExpired is not valid"},
		{"evaluations_build_approved_but_not_current", "checks", nil, evidence.Pass, "before the target branch moved", false, "accepted by the policy, recorded as such"},
		{"evaluations_build_never_queued", "checks", nil, evidence.Unknown, "by hand only", false, "no context: never queued"},
		{"evaluations_running_rejected_broken", "checks", nil, evidence.Fail, "rejected", false, "rejected and broken fail, whatever else is running"},
		{"evaluations_optional_failed_disabled_deleted", "checks", nil, evidence.Fail, "CI", false, "none is required, so that all reported ones have to be good: design, section 10"},
		{"evaluations_green+evaluations_optional_failed_disabled_deleted", "checks", beside("evaluations_green"), evidence.Pass, "1 passed", false, "beside a required one that passes, advisory, disabled, deleted and inapplicable ones do not count"},
		{"evaluations_empty_wrong_artifact", "checks", nil, evidence.Unknown, "no policy requires", false, "an empty list is never green"},
		{"builds_for_pr+evaluations_green", "checks", nil, evidence.Pass, "1 passed", false, "the build succeeded, and is of the head"},
		{"builds_for_pr+evaluations_green", "checks", buildOf(556), evidence.Unknown, "only partially", false, "partiallySucceeded is never succeeded"},
		{"builds_for_pr+evaluations_green", "checks", buildOf(557), evidence.Unknown, "could not be read", false, "a build that is gone"},
		{"statuses_with_iterations", "checks", twoIterations, evidence.Unknown, "sec/scan: the status is pending", true, "the newest of the context, of the last iteration"},
		{"statuses_with_iterations", "checks", nil, evidence.Pass, "1 passed", false, "while iteration 1 is the last one, its status is the one; notApplicable exempts"},
		{"statuses_with_iterations", "checks", onlyFrom("lint"), evidence.Unknown, "does not apply", false, "a required one that is notApplicable shows nothing"},
		{"statuses_with_iterations", "checks", onlyFrom("deploy"), evidence.Unknown, "nobody has reported it", true, "a required one that never reports"},

		// 6.4: threads.
		{"threads_mixed", "comments", nil, evidence.Fail, "thread 2 of user2@example.com: it is active; thread 3 of user2@example.com: it is pending; vote of user4@example.com", false, "active and pending are outstanding; system and deleted ones are no comments"},

		// 6.5: the work item.
		{"workitem_101+workitem_refs", "item", nil, evidence.Pass, "Resolved", false, "linked from both sides, the GUID in capitals and escaped"},
		{"workitem_101+workitem_refs", "item", inState("Resolved"), evidence.Pass, "Resolved", false, "the state that the plan names"},
		{"workitem_101+workitem_refs", "item", inState("Completed"), evidence.Fail, "has to be Completed", false, "a category, mapped through the type's states"},
		{"workitem_101+workitem_refs", "item", inState("Done"), evidence.Unknown, "no state of a User Story", false, "states are of a process"},
		{"workitem_101", "item", nil, evidence.Unknown, "does not list the work item", false, "a link may dangle: verified from the pull request as well"},
		{"workitem_101+workitem_refs", "item", otherLink, evidence.Unknown, "does not name the pull request", false, "the link has another project's GUID"},
	}
}

func inState(s string) func(*replay, *provider.Target) {
	return func(_ *replay, t *provider.Target) { t.State = s }
}

// beside puts the evaluations of another scenario before those that are there.
func beside(name string) func(*replay, *provider.Target) {
	return func(r *replay, _ *provider.Target) {
		now := r.answers[evaluation][0].Body
		r.load(name)
		merged := strings.Replace(string(r.answers[evaluation][0].Body), `"value":[`, `"value":[`+strings.ReplaceAll(inner(string(now)), "284f0000-", "284f0001-")+",", 1)
		r.answers[evaluation][0].Body = []byte(strings.NewReplacer(`,"count":4`, "", `"count":4,`, "").Replace(merged))
	}
}

// inner is the content of a list.
func inner(s string) string {
	return s[strings.Index(s, "[")+1 : strings.LastIndex(s, "]")]
}

func buildOf(id int) func(*replay, *provider.Target) {
	return func(r *replay, _ *provider.Target) {
		a := &r.answers[evaluation][0]
		a.Body = []byte(strings.Replace(string(a.Body), `"buildId":555`, fmt.Sprintf(`"buildId":%d`, id), 1))
	}
}

func otherLink(r *replay, _ *provider.Target) {
	a := &r.answers["/wit/workitems/101"][0]
	a.Body = []byte(strings.Replace(string(a.Body), "0BDB0000-", "0BDB0001-", 1))
}

func read(ctx context.Context, p provider.Provider, what string, t provider.Target) (provider.Answer, error) {
	switch what {
	case "pull":
		return p.PullRequest(ctx, t)
	case "checks":
		return p.Checks(ctx, t)
	case "comments":
		return p.Comments(ctx, t)
	}
	return p.WorkItem(ctx, t)
}

func TestScenarios(t *testing.T) {
	used := map[string]bool{}
	for i, s := range scenarios() {
		t.Run(fmt.Sprintf("%02d %s %s", i, s.file, s.read), func(t *testing.T) {
			files := strings.Split(s.file, "+")
			for _, f := range files {
				used[f+".json"] = true
			}
			r := newReplay(t, files...)
			x := target()
			if s.change != nil {
				s.change(r, &x)
			}
			a, err := read(t.Context(), r.provider(), s.read, x)
			if err != nil {
				t.Fatal(err)
			}
			if a.Result != s.want || a.Pending != s.pends || !strings.Contains(a.Summary+" "+a.Because, s.says) {
				t.Errorf("%s: %s (pending %v)\nsummary: %s\nbecause: %s\nwant %s (pending %v), saying %q", s.why, a.Result, a.Pending, a.Summary, a.Because, s.want, s.pends, s.says)
			}
			if a.Result == evidence.Pass && (a.Head != headH || s.read == "pull" && a.Tree != treeOfH) {
				t.Errorf("head %s, tree %s", a.Head, a.Tree)
			}
			if r.writes > 0 || r.elsewh > 0 {
				t.Errorf("%d writes, %d requests to another host", r.writes, r.elsewh)
			}
			if strings.Contains(fmt.Sprintf("%+v %s", a, a.Output), canary) {
				t.Error("the token is in the answer")
			}
		})
	}
	files, err := os.ReadDir("testdata/ado")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 30 {
		t.Errorf("%d scenarios, want 30", len(files))
	}
	for _, f := range files {
		if !used[f.Name()] {
			t.Errorf("no row is about %s", f.Name())
		}
	}
}

func TestMergeQueuedThenDone(t *testing.T) {
	r := newReplay(t, "pr_merge_queued")
	first, err := r.provider().PullRequest(t.Context(), target())
	if err != nil {
		t.Fatal(err)
	}
	second, err := r.provider().PullRequest(t.Context(), target())
	if err != nil {
		t.Fatal(err)
	}
	if first.Result != evidence.Unknown || !first.Pending || second.Result != evidence.Pass {
		t.Errorf("queued: %+v\nthen: %+v", first, second)
	}
}

func TestThreadsMixed(t *testing.T) {
	r := newReplay(t, "threads_mixed")
	a, err := r.provider().Comments(t.Context(), target())
	if err != nil {
		t.Fatal(err)
	}
	how := map[[2]bool]string{{false, false}: "open", {true, false}: "resolved", {false, true}: "blocks"}
	var got []string
	for _, c := range a.Comments {
		got = append(got, fmt.Sprintf("%s %s %s", c.ID, c.Kind, how[[2]bool{c.Resolved, c.Blocks}]))
	}
	want := []string{
		"2 thread open", "3 thread open", "4 thread resolved", "5 thread resolved", "6 thread resolved", "7 thread resolved",
		"10 conversation open", "11 conversation open", "vote-00000004-0000-4000-8000-000000000000 review blocks",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if c := a.Comments[0]; c.Path != "a.go" || c.Line != 3 || c.At != "2026-01-10T09:10:00Z" || c.Author != "user2@example.com" || !strings.HasSuffix(c.URL, "/Widgets%20App/_git/widgets/pullrequest/22?discussionId=2") {
		t.Errorf("%+v", c)
	}
}

// The artifact of evaluations is made of the id of the pull request's project.
func TestArtifact(t *testing.T) {
	r := newReplay(t, "evaluations_green")
	if _, err := r.provider().Checks(t.Context(), target()); err != nil {
		t.Fatal(err)
	}
	const want = "api-version=7.1-preview.1&artifactId=vstfs%3A%2F%2F%2FCodeReview%2FCodeReviewId%2F" + projectID + "%2F22"
	if !slices.ContainsFunc(r.paths, func(p string) bool { return strings.Contains(p, want) }) {
		t.Errorf("no request with %s in %q", want, r.paths)
	}
}

func TestRetryAfterOfAGoodAnswer(t *testing.T) {
	r := newReplay(t, "throttle_200_retry_after")
	if _, err := r.provider().PullRequest(t.Context(), target()); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(r.slept, 5*time.Second) {
		t.Errorf("it waited %v, and was asked to wait 5s", r.slept)
	}
}
