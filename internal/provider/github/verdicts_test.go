package github_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/github"
	"github.com/asterweave/asterweave/internal/provider/remote"
	"github.com/asterweave/asterweave/internal/provider/token"
)

// reads of the interface that give an answer.
const (
	pr       = "PullRequest"
	checks   = "Checks"
	comments = "Comments"
	item     = "WorkItem"
)

// found is a token as the environment gives it.
func found(ctx context.Context, r remote.Repository) (token.Token, error) {
	return token.Find(ctx, []string{"GH_TOKEN=" + canary}, r, nil)
}

// client returns a provider that asks the world.
func (w *world) client() *github.Provider {
	base, _ := url.Parse(w.server.URL)
	return github.New(github.Options{
		Token:    found,
		Endpoint: func(string) github.Endpoint { return github.Endpoint{REST: base, GraphQL: base.JoinPath("graphql")} },
		Sleep:    func(context.Context, time.Duration) error { return nil },
		Now:      func() time.Time { return time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC) },
	})
}

func target() provider.Target {
	return provider.Target{
		Remote: "origin", URL: "https://github.com/acme/widgets.git", Branch: "feature/x", Base: "main", Head: head,
		Source: "acme/widgets#42", PullRequest: "https://github.com/acme/widgets/pull/7", State: "completed",
	}
}

func ask(p provider.Provider, read string, t provider.Target) (provider.Answer, error) {
	return askWith(context.Background(), p, read, t)
}

func askWith(ctx context.Context, p provider.Provider, read string, t provider.Target) (provider.Answer, error) {
	switch read {
	case pr:
		return p.PullRequest(ctx, t)
	case checks:
		return p.Checks(ctx, t)
	case comments:
		return p.Comments(ctx, t)
	}
	return p.WorkItem(ctx, t)
}

// row is what a scenario has to give.
type row struct {
	scenario   string
	read       string
	operations string // queries that the scenario answers
	change     func(*world, *provider.Target)
	result     evidence.Result
	pending    bool
	says       string // in Summary or Because; several parts are separated by |
	also       func(*testing.T, *world, provider.Answer)
}

// Queries that the scenarios of a kind hold the data of.
const (
	ofPull    = "Pull Contexts Queue Rule"
	ofThreads = "Threads"
	ofReviews = "Opinions"
	all       = "*"
)

func rows() []row {
	source := func(n string) func(*world, *provider.Target) {
		return func(w *world, t *provider.Target) {
			t.Source = "acme/widgets#" + n
			for _, operation := range []string{"Approvals", "ClosedBy"} {
				w.override[operation] = strings.ReplaceAll(w.background[operation], `"number":42`, `"number":`+n)
			}
			w.override["Closing"] = strings.ReplaceAll(w.background["Closing"], `"number":42`, `"number":`+n)
		}
	}
	rest := func(w *world, _ *provider.Target) { restOnly(w) }
	// classic protection that readers are not told of, and nothing that names a check but a ruleset
	hidden := func(w *world, _ *provider.Target) {
		w.override["GET /repos/acme/widgets/branches/main"] = `{"name":"main","protected":true}`
		w.override["Rule"] = strings.Replace(w.background["Rule"], `{"pattern":"main","requiredStatusCheckContexts":["ci / test"],"requiresConversationResolution":true,"requiredApprovingReviewCount":1}`, "null", 1)
		w.override["GET /repos/acme/widgets/rules/branches/main?per_page=100"] = `[{"type":"required_status_checks","ruleset_source":"acme/widgets","parameters":{"required_status_checks":[{"context":"ci / test"}]}}]`
	}
	return []row{
		// 1.2: SUCCESS passes; a skipped check that is not required decides nothing. 1.4: the status counts beside the run.
		{scenario: "pr_green", read: checks, operations: ofPull, result: evidence.Pass, says: "2 required checks, 2 good"},
		// 3: headRefOid, tip and submitted commit are the same, the tree is that of the commit.
		{scenario: "pr_green", read: pr, operations: ofPull, result: evidence.Pass, says: "#7 of feature/x into main is open", also: func(t *testing.T, _ *world, a provider.Answer) {
			if a.Head != head || a.Tree != treeName || a.URL != "https://github.com/acme/widgets/pull/7" || a.Repository != "github.com/repositories/1" {
				t.Errorf("head %s, tree %s, URL %s, repository %s", a.Head, a.Tree, a.URL, a.Repository)
			}
		}},
		// 1.1: isRequired cannot show what never reported (11.1); 1.2: required but absent is missing.
		{scenario: "pr_expected_missing", read: checks, operations: ofPull, result: evidence.Unknown, pending: true, says: `not reported: "ci / test"`},
		// 1.1: zero checks are no green (11.4); just after a push nothing has reported yet.
		{scenario: "pr_no_rollup_yet", read: checks, operations: ofPull, result: evidence.Unknown, pending: true, says: `not reported: "ci / test"`},
		// 1.3: a queued re-run has no start and is the newest all the same (11.17).
		{scenario: "pr_rerun_queued", read: checks, operations: ofPull, result: evidence.Unknown, pending: true, says: `not finished: "ci / test" (QUEUED`},
		// 1.3: by workflow run and check run id, the new success stands.
		{scenario: "pr_rerun_old_failure_new_success", read: checks, operations: ofPull, result: evidence.Pass},
		// 1.3: the end says nothing about order (11.17); the cancelled run is superseded (11.3).
		{scenario: "pr_late_finishing_old_run", read: checks, operations: ofPull, result: evidence.Pass},
		// 1.3: the key has the workflow in it (11.2): all of one name have to be good.
		{scenario: "pr_same_name_two_workflows", read: checks, operations: ofPull, result: evidence.Fail, says: `"build" (FAILURE in windows)`},
		// 1.2: a run and a status of one required name are both required.
		{scenario: "pr_check_and_status_same_name", read: checks, operations: ofPull, result: evidence.Fail, says: `"ci" (FAILURE)`},
		// 1.1: pinned to App 15368, so neither another App's run nor a status will do (11.21).
		{scenario: "pr_wrong_app", read: checks, operations: ofPull, result: evidence.Unknown, says: "not by the App|required from App 15368"},
		// 1.2: skipped because its dependency failed is success for GitHub (11.11); here the dependency is required as well.
		{scenario: "pr_skipped_required", read: checks, operations: ofPull, result: evidence.Fail, says: `failed: "ci / test"|nothing ran: "ci / summary"`},
		{scenario: "pr_skipped_required", read: checks, operations: ofPull, change: func(w *world, _ *provider.Target) { // and where it is not
			w.override["GET /repos/acme/widgets/branches/main"] = `{"name":"main","protected":false}`
			w.operations = []string{"Pull", "Contexts", "Queue"}
			w.override["Rule"] = strings.Replace(w.background["Rule"], `["ci / test"]`, `["ci / summary"]`, 1)
		}, result: evidence.Unknown, says: `nothing ran: "ci / summary"`},
		// 1.2: a skipped matrix reports one unexpanded name, the required ones never come (11.12).
		{scenario: "pr_matrix_unexpanded", read: checks, operations: ofPull, result: evidence.Unknown, says: `not reported: "ci / test"|unexpanded name`},
		// 1.2, the table whole: CANCELLED, STALE, STARTUP_FAILURE and ACTION_REQUIRED are failures.
		{scenario: "pr_conclusions_all", read: checks, operations: ofPull, result: evidence.Fail, says: `"r-failure"|"r-cancelled"|"r-timed_out"|"r-action_required"|"r-stale"|"r-startup_failure"|"s-error"|"s-failure"|2 good, 2 skipped, 7 pending, 1 missing, 8 failed`},
		// 1.2: in progress with a conclusion contradicts itself (11.19).
		{scenario: "pr_frozen_status_with_conclusion", read: checks, operations: ofPull, result: evidence.Unknown, pending: true, says: `not finished and yet with a conclusion: "ci / test"`},
		// 1.5: the checks are of a1, and the head is b2.
		{scenario: "pr_head_moved", read: checks, operations: ofPull, result: evidence.Unknown, says: "head is b2b2b2b2b2b2, and a1a1a1a1a1a1 was submitted"},
		{scenario: "pr_head_moved", read: pr, operations: ofPull, change: func(w *world, _ *provider.Target) {
			w.override["GET /repos/acme/widgets/pulls/7"] = strings.ReplaceAll(w.background["GET /repos/acme/widgets/pulls/7"], head, other)
		}, result: evidence.Unknown, says: "head is b2b2b2b2b2b2, and a1a1a1a1a1a1 was submitted"},
		// 1.5: the record is at a1, the branch at b2 (11.20).
		{scenario: "pr_recorded_head_lags_branch", read: checks, operations: ofPull, result: evidence.Unknown, says: "the branch is at b2b2b2b2b2b2"},
		{scenario: "pr_recorded_head_lags_branch", read: pr, operations: ofPull, result: evidence.Unknown, says: "the branch is at b2b2b2b2b2b2"},
		// 3: no head repository and no branch: no crash (11.23), and nothing to hold the head against.
		{scenario: "pr_fork_deleted", read: checks, operations: ofPull, result: evidence.Unknown, says: "branch is gone"},
		{scenario: "pr_fork_deleted", read: pr, operations: ofPull, result: evidence.Unknown, says: "branch is gone|comes from a fork"},
		// 3: after the merge headRefOid stays and the branch may be gone; 1.7: MERGED with H is fine.
		{scenario: "pr_merged_branch_deleted", read: checks, operations: ofPull, result: evidence.Pass, says: "it is merged"},
		{scenario: "pr_merged_branch_deleted", read: pr, operations: ofPull, result: evidence.Pass, says: "it is merged"},
		// 3: auto-merge is surfaced; the check is on its way.
		{scenario: "pr_auto_merge_enabled", read: checks, operations: ofPull, result: evidence.Unknown, pending: true, says: "auto-merge is on by dev|not finished"},
		{scenario: "pr_auto_merge_enabled", read: pr, operations: ofPull, result: evidence.Pass, says: "auto-merge is on by dev"},
		// 1.6: the head's checks gate the entry; the group's commit is told and stands for nothing.
		{scenario: "pr_merge_queue", read: checks, operations: ofPull, result: evidence.Pass, says: "merge queue (AWAITING_CHECKS)|group f6f6f6f6f6f6"},
		// 4: with another base than the default branch no closing reference exists (11.24).
		{scenario: "pr_non_default_base_no_closing_refs", read: item, operations: "Closing Pull", change: func(w *world, t *provider.Target) {
			t.Base = "release/1.0"
			w.override["ClosedBy"] = strings.Replace(w.background["ClosedBy"], `"totalCount":1,"pageInfo":{"hasNextPage":false,"endCursor":"MQ"},"nodes":[{"number":7,"url":"https://github.com/acme/widgets/pull/7","state":"OPEN","repository":{"databaseId":1,"nameWithOwner":"acme/widgets"}}]`, `"totalCount":0,"pageInfo":{"hasNextPage":false,"endCursor":null},"nodes":[]`, 1)
		}, result: evidence.Unknown, says: "default branch main, and it is release/1.0"},
		// 3: the required set is that of the base of today.
		{scenario: "pr_non_default_base_no_closing_refs", read: checks, operations: ofPull, result: evidence.Unknown, says: "goes to release/1.0, and the delivery's base is main"},
		{scenario: "pr_non_default_base_no_closing_refs", read: checks, operations: ofPull, change: func(_ *world, t *provider.Target) { t.Base = "release/1.0" }, result: evidence.Unknown, says: "the base release/1.0 is not there"},
		// 1.4: the failure is on the second page (11.14).
		{scenario: "pr_contexts_two_pages", read: checks, operations: ofPull, result: evidence.Fail, says: `"ci / test" (FAILURE`},

		// 5.1: contexts are forbidden, and so are check runs (11.5).
		{scenario: "graphql_fine_grained_pat_forbidden_contexts", read: checks, operations: "Contexts", change: func(w *world, _ *provider.Target) {
			w.override["GET /repos/acme/widgets/commits/"+head+"/check-runs?filter=latest&per_page=100"] = "403\n" + `{"message":"Resource not accessible by personal access token"}`
			w.override["GET /repos/acme/widgets/actions/runs?head_sha="+head+"&per_page=100"] = `{"total_count":0,"workflow_runs":[]}`
		}, result: evidence.Unknown, says: "Resource not accessible by personal access token|no fine-grained personal access token can read checks"},
		// 5.2: GraphQL's primary limit comes with 200.
		{scenario: "graphql_rate_limited_200", read: checks, operations: all, result: evidence.Unknown, pending: true, says: "rate-limited"},
		{scenario: "graphql_secondary_200", read: checks, operations: all, result: evidence.Unknown, pending: true, says: "secondary rate limit|try again in 1m0s"},
		// 5.1: absent or not visible: both are said.
		{scenario: "graphql_not_found", read: checks, operations: all, result: evidence.Unknown, says: "not-found|this token may not see it"},
		// 5.2: longer than 10 s is a 502 with HTML.
		{scenario: "graphql_502_html", read: checks, operations: all, result: evidence.Unknown, pending: true, says: "502"},
		// 5.2: partial data with an error is no answer.
		{scenario: "graphql_resource_limits_partial", read: checks, operations: ofPull, result: evidence.Unknown, pending: true, says: "Resource limits"},

		// 2: resolved 1, open 2, outdated 3, of a bot 4, of a ghost 5; 6 is a draft.
		{scenario: "threads_mixed", read: comments, operations: ofThreads, result: evidence.Fail, says: "4 threads|ghost|helper-bot (bot)", also: func(t *testing.T, _ *world, a provider.Answer) {
			if len(a.Comments) != 5 || !a.Comments[0].Resolved || !a.Comments[2].Outdated || a.Comments[2].Line != 3 || !a.Comments[3].Bot || a.Comments[4].Author != "ghost" {
				t.Errorf("%+v", a.Comments)
			}
		}},
		// 1.4, 2: the only open one is on the second page.
		{scenario: "threads_unresolved_on_page_2", read: comments, operations: ofThreads, result: evidence.Fail, says: "1 threads"},
		// 2: a later comment does not take back a request for changes (11.22).
		{scenario: "reviews_changes_requested_then_commented", read: comments, operations: ofReviews, result: evidence.Fail, says: "1 requests for changes, by rev"},
		// 2: an approval of another commit is told, and nobody commented.
		{scenario: "reviews_approval_on_old_commit", read: comments, operations: ofReviews, result: evidence.Info, says: "rev approved another commit"},
		// 2: a deleted account still asks for changes (11.23).
		{scenario: "reviews_ghost_author", read: comments, operations: ofReviews, result: evidence.Fail, says: "by ghost"},
		// 2: requestedReviewer may be null.
		{scenario: "reviews_requested_team_pending", read: comments, operations: ofReviews, result: evidence.Info, says: "2 reviews were asked for and not given"},

		// 5.2, 5.4: 401 and 403 are no answers; single sign-on is named.
		{scenario: "rest_401_bad_credentials", read: pr, result: evidence.Unknown, says: "unauthorized|Bad credentials"},
		{scenario: "rest_403_sso", read: pr, result: evidence.Unknown, says: "forbidden|single sign-on"},
		// 5.1: REST names the grant.
		{scenario: "rest_403_fine_grained_checks", read: checks, change: rest, result: evidence.Unknown, says: "checks=read|no fine-grained personal access token can read checks|one sees: ci not finished"},
		// 1.1: classic protection is invisible to rules; here a second name is required that nobody reported (11.10).
		{scenario: "rest_branch_classic_as_reader", read: checks, result: evidence.Unknown, pending: true, says: `not reported: "ci/legacy"`},
		// 1.1: protected without protection is protected by rulesets alone.
		{scenario: "rest_branch_ruleset_only", read: checks, change: func(w *world, _ *provider.Target) {
			w.override["GET /repos/acme/widgets/rules/branches/main?per_page=100"] = `[{"type":"required_status_checks","ruleset_source":"acme","parameters":{"required_status_checks":[{"context":"ci / test","integration_id":15368}]}}]`
		}, result: evidence.Pass},
		// 1.4: fewer runs than the total are a list that is not whole.
		{scenario: "rest_check_runs_total_mismatch", read: checks, change: rest, result: evidence.Unknown, says: "1 of 2 check runs"},
		// 1.4: the failure is on the second page, which lies under /repositories/{id} (11.14).
		{scenario: "rest_check_runs_two_pages", read: checks, change: rest, result: evidence.Fail, says: `failed: "ci / test"`, also: func(t *testing.T, w *world, _ provider.Answer) {
			if w.count("/repositories/1/commits/") != 1 {
				t.Error("the next page was not asked for as it was named")
			}
		}},
		// 1.2: suites wait for a maintainer, and there is no run at all (11.18).
		{scenario: "rest_check_suites_action_required", read: checks, change: func(w *world, _ *provider.Target) { restOnly(w) }, result: evidence.Unknown, says: `not reported: "ci / test"|maintainer has to approve`},
		// 1.2, 1.5: the test merge has checks, and they have to pass too (11.25).
		{scenario: "rest_checks_on_merge_commit", read: checks, change: rest, result: evidence.Fail, says: `failed: "ci / test"|1 of them on the test merge d4d4d4d4d4d4`},
		// 1.2: the combined state is pending where there is no status, and is not looked at (11.15).
		{scenario: "rest_combined_status_empty_is_pending", read: checks, change: func(w *world, t *provider.Target) {
			restOnly(w)
			t.Required = []string{"ci / test"}
		}, result: evidence.Pass, says: "1 required checks, 1 good"},
		// 1.1: REST does not tell isRequired, and a source that was not read leaves the set open.
		{scenario: "rest_combined_status_empty_is_pending", read: checks, change: rest, result: evidence.Unknown, says: "not known whole: isRequired"},
		// 4: closed alone does not mean done.
		{scenario: "rest_issue_variants", read: item, change: source("42"), result: evidence.Pass, says: "closed (completed)"},
		{scenario: "rest_issue_variants", read: item, change: source("43"), result: evidence.Fail, says: "closed (not_planned)"},
		{scenario: "rest_issue_variants", read: item, change: source("44"), result: evidence.Fail, says: "closed (duplicate)"},
		{scenario: "rest_issue_variants", read: item, change: source("45"), result: evidence.Fail, says: "open (reopened)"},
		{scenario: "rest_issue_variants", read: item, change: source("46"), result: evidence.Unknown, says: "deleted"},
		{scenario: "rest_issue_variants", read: item, change: source("47"), result: evidence.Unknown, says: "/repositories/2/issues/3"},
		{scenario: "rest_issue_variants", read: item, change: source("7"), result: evidence.Unknown, says: "is a pull request"},
		// 5.2: both limits, with 403 and with 429, with a header, with a date or with words alone (11.8).
		{scenario: "rest_primary_403", read: pr, result: evidence.Unknown, pending: true, says: "rate-limited"},
		{scenario: "rest_primary_429", read: pr, result: evidence.Unknown, pending: true, says: "rate-limited"},
		{scenario: "rest_secondary_403_bare", read: pr, result: evidence.Unknown, pending: true, says: "rate-limited"},
		{scenario: "rest_secondary_403_retry_after", read: pr, result: evidence.Unknown, pending: true, says: "rate-limited|1m0s"},
		{scenario: "rest_secondary_429_retry_after", read: pr, result: evidence.Unknown, pending: true, says: "rate-limited|1m0s"},
		// 1.1: only the text tells a branch without protection from a token without rights.
		{scenario: "rest_protection_404_not_protected", read: checks, change: hidden, result: evidence.Pass},
		{scenario: "rest_protection_404_no_admin", read: checks, change: hidden, result: evidence.Unknown, says: "not known whole: branch protection"},
		{scenario: "rest_protection_404_no_admin", read: checks, change: func(w *world, t *provider.Target) { // 1.1: unless the configuration lists them
			hidden(w, t)
			t.Required = []string{"ci / test"}
		}, result: evidence.Pass, says: "the configuration's list stands for"},
		{scenario: "rest_protection_403_plan", read: checks, change: hidden, result: evidence.Unknown, says: "Upgrade to GitHub Pro|no token can read it: requiredChecks in the configuration settles it"},
		{scenario: "rest_protection_403_plan", read: checks, change: func(w *world, t *provider.Target) { // and it does
			hidden(w, t)
			t.Required = []string{"ci / test"}
		}, result: evidence.Pass, says: "the configuration's list stands for"},
		// 5.3: a second look is confirmed by 304, and both are recorded (11.27).
		{scenario: "rest_pull_304", read: pr, result: evidence.Pass, says: "not known yet", also: func(t *testing.T, w *world, a provider.Answer) {
			if !strings.Contains(a.Proof, "/pulls/7 304 ") || !strings.Contains(a.Proof, "/pulls/7 200 ") {
				t.Errorf("the proof has not both answers:\n%s", a.Proof)
			}
		}},
		// 3: mergeable null is asked for again; it is neither a conflict nor none (11.26).
		{scenario: "rest_pull_mergeable_null_then_true", read: pr, result: evidence.Pass, says: "merge state blocked", also: func(t *testing.T, w *world, _ provider.Answer) {
			if n := w.count("/repos/acme/widgets/pulls/7"); n != 2 {
				t.Errorf("asked %d times", n)
			}
		}},
		// 5.4: no token and no request at another host (11.7).
		{scenario: "rest_redirect_other_host", read: pr, result: evidence.Unknown, says: "redirect"},
		// 3: 301 to /repositories/{id} is followed, the name of today is told.
		{scenario: "rest_repo_renamed_301", read: pr, change: func(_ *world, t *provider.Target) {
			t.URL, t.PullRequest = "https://github.com/acme/old-name.git", "https://github.com/acme/old-name/pull/7"
		}, result: evidence.Pass, says: "acme/old-name is now acme/widgets"},
		// 3: and it is the repository that was read first.
		{scenario: "rest_repo_renamed_301", read: pr, change: func(_ *world, t *provider.Target) {
			t.URL, t.PullRequest, t.Repository = "https://github.com/acme/old-name.git", "https://github.com/acme/old-name/pull/7", "github.com/repositories/2"
		}, result: evidence.Unknown, says: "another repository answers"},
		// 1.4: the required checks are on the second page (11.9).
		{scenario: "rest_rules_two_pages", read: checks, result: evidence.Unknown, pending: true, says: `not reported: "ci/legacy"`},
		// 1.1: rule types that nobody knows lose nothing; workflows is a gate that is not verified.
		{scenario: "rest_rules_unknown_types", read: checks, result: evidence.Unknown, pending: true, says: `not reported: "ci/legacy"|copilot_code_review|code_quality|workflows`},
		{scenario: "rest_rules_unknown_types", read: checks, change: func(w *world, _ *provider.Target) { // and with ci/legacy there
			w.override["Contexts"] = strings.Replace(strings.Replace(w.background["Contexts"], `"totalCount":1`, `"totalCount":2`, 1), `"nodes":[`,
				`"nodes":[{"__typename":"StatusContext","id":"SC_1","context":"ci/legacy","state":"SUCCESS","isRequired":true},`, 1)
		}, result: evidence.Pass, says: "not verified: other gates of the branch: copilot_code_review, code_quality, pull_request, merge_queue, workflows"},
		// 1.5: the rule is strict: BEHIND is not up to date, nor is a conflict, and UNKNOWN is not known yet.
		{scenario: "rest_rules_unknown_types", read: checks, change: merging("BEHIND", "MERGEABLE"), result: evidence.Fail, says: "is behind it"},
		{scenario: "rest_rules_unknown_types", read: checks, change: merging("DIRTY", "CONFLICTING"), result: evidence.Fail, says: "is behind it"},
		{scenario: "rest_rules_unknown_types", read: checks, change: merging("UNKNOWN", "UNKNOWN"), result: evidence.Unknown, pending: true, says: "up to date"},
		// 1.1: readers are not told whether classic protection is strict; 1.5: GitHub's BEHIND is.
		{read: checks, change: merging("BEHIND", "MERGEABLE"), result: evidence.Fail, says: "is behind it"},
		{read: checks, change: func(w *world, t *provider.Target) { // not strict, as an administrator reads it
			merging("BEHIND", "MERGEABLE")(w, t)
			w.override["GET /repos/acme/widgets/branches/main"] = `{"name":"main","protected":true}`
			w.override["GET /repos/acme/widgets/branches/main/protection"] = `{"url":"https://api.github.com/repos/acme/widgets/branches/main/protection","required_status_checks":{"strict":false,"contexts":["ci / test"],"checks":[{"context":"ci / test","app_id":-1}]}}`
		}, result: evidence.Pass, says: "1 required checks, 1 good"},
		{read: checks, change: func(w *world, t *provider.Target) { // and strict
			merging("BEHIND", "MERGEABLE")(w, t)
			w.override["GET /repos/acme/widgets/branches/main"] = `{"name":"main","protected":true}`
			w.override["GET /repos/acme/widgets/branches/main/protection"] = `{"url":"https://api.github.com/repos/acme/widgets/branches/main/protection","required_status_checks":{"strict":true,"contexts":["ci / test"],"checks":[]}}`
		}, result: evidence.Fail, says: "is behind it"},
		// 1.1: classic protection that does not say what it requires was not read.
		{read: checks, change: branch(`{"enabled":true}`), result: evidence.Unknown, says: "which checks classic protection requires"},
		{read: checks, change: branch(`{"required_status_checks":{"contexts":["ci / test"],"checks":[]}}`), result: evidence.Unknown, says: "whether classic protection is on"},
		// 1.1: a name in contexts alone is required as well.
		{read: checks, change: branch(`{"enabled":true,"required_status_checks":{"contexts":["ci / test","ci/legacy"],"checks":[{"context":"ci / test","app_id":15368}]}}`), result: evidence.Unknown, pending: true, says: `not reported: "ci/legacy"`},
		// 1.1: each source counts, and one that was not read leaves the set open.
		{read: checks, change: func(w *world, _ *provider.Target) {
			w.override["Rule"] = `{"errors":[{"type":"FORBIDDEN","message":"Resource not accessible by integration"}]}`
		}, result: evidence.Unknown, says: "not known whole: refUpdateRule"},
		{read: checks, change: func(w *world, _ *provider.Target) {
			w.override["GET /repos/acme/widgets/rules/branches/main?per_page=100"] = "403\n" + `{"message":"Resource not accessible by integration"}`
		}, result: evidence.Unknown, says: "not known whole: rulesets"},
		{read: checks, change: nodes(run("ci / test", "SUCCESS"), `{"__typename":"StatusContext","id":"SC_1","context":"only here","state":"FAILURE","isRequired":true}`), result: evidence.Fail, says: `failed: "only here"`},
		// 1.4: a list of rules has no total: a last page that is full, or is not the last one, is not whole.
		{read: checks, change: func(w *world, _ *provider.Target) {
			w.override["GET /repos/acme/widgets/rules/branches/main?per_page=100"] = "[" + strings.Repeat(`{"type":"deletion"},`, 99) + `{"type":"deletion"}]`
		}, result: evidence.Unknown, says: "the last page is full"},
		{scenario: "rest_rules_two_pages", read: checks, change: func(w *world, _ *provider.Target) {
			w.scenario[0].Response.Headers["link"] = strings.Replace(w.scenario[0].Response.Headers["link"], `rel="next"`, `rel="nothing"`, 1)
		}, result: evidence.Unknown, says: "1 of 2 pages"},
		// 1.2: words that are not known are never good, of a run, of its conclusion and of a status.
		{read: checks, change: nodes(run("ci / test", "FROBNICATED")), result: evidence.Unknown, says: "in a state that is not known"},
		{read: checks, change: nodes(strings.Replace(run("ci / test", "SUCCESS"), "COMPLETED", "FROBNICATED", 1)), result: evidence.Unknown, says: "in a state that is not known"},
		{read: checks, change: nodes(run("ci / test", "SUCCESS"), `{"__typename":"StatusContext","id":"SC_1","context":"s","state":"FROBNICATED","isRequired":true}`), result: evidence.Unknown, says: "in a state that is not known"},
		{read: checks, change: nodes(run("ci / test", "NEUTRAL")), result: evidence.Unknown, says: "nothing ran"},
		// 1.3: neither another event nor another App supersedes a run, and the numbers of workflow runs go before those of runs.
		{read: checks, change: nodes(with(run("ci / test", "FAILURE"), `"event":"pull_request"`, `"event":"push"`), with(run("ci / test", "SUCCESS"), `"databaseId":9001`, `"databaseId":9002`)), result: evidence.Fail, says: `failed: "ci / test"`},
		{read: checks, change: func(w *world, t *provider.Target) {
			branch(`{"enabled":true,"required_status_checks":{"contexts":["ci / test"],"checks":[{"context":"ci / test","app_id":-1}]}}`)(w, t)
			nodes(with(run("ci / test", "FAILURE"), "15368", "99999"), with(run("ci / test", "SUCCESS"), `"databaseId":9001`, `"databaseId":9002`))(w, t)
		}, result: evidence.Fail, says: `failed: "ci / test"`},
		{read: checks, change: nodes(with(run("ci / test", "FAILURE"), `"databaseId":9001`, `"databaseId":9002`), with(run("ci / test", "SUCCESS"), `"databaseId":100`, `"databaseId":300`)), result: evidence.Fail, says: `failed: "ci / test"`},
		// 1.3: what has not ended is the newest, also where an older workflow run was started again.
		{read: checks, change: nodes(with(with(run("ci / test", "SUCCESS"), `"status":"COMPLETED","conclusion":"SUCCESS"`, `"status":"QUEUED","conclusion":null`), `"databaseId":100`, `"databaseId":300`), with(run("ci / test", "SUCCESS"), `"databaseId":9001`, `"databaseId":9002`)), result: evidence.Unknown, pending: true, says: `not finished: "ci / test" (QUEUED`},
		// 1.1: that nothing is required is known only where all was read: else nothing stands for the checks.
		{read: checks, change: func(w *world, t *provider.Target) {
			nodes()(w, t)
			w.override["GET /repos/acme/widgets/branches/main"] = `{"name":"main","protected":false}`
			w.override["Rule"] = regexp.MustCompile(`"refUpdateRule":\{[^}]*\}`).ReplaceAllString(w.background["Rule"], `"refUpdateRule":null`)
			w.override["GET /repos/acme/widgets/rules/branches/main?per_page=100"] = "403\n" + `{"message":"Resource not accessible by integration"}`
		}, result: evidence.Unknown, says: "not known whole: rulesets", also: func(t *testing.T, _ *world, a provider.Answer) {
			if a.Unreported {
				t.Error("it says that nothing is required")
			}
		}},
		// 1.1: -1 is any App, and so a status will do.
		{read: checks, change: func(w *world, t *provider.Target) {
			branch(`{"enabled":true,"required_status_checks":{"contexts":["ci / test"],"checks":[{"context":"ci / test","app_id":-1}]}}`)(w, t)
			nodes(`{"__typename":"StatusContext","id":"SC_1","context":"ci / test","state":"SUCCESS","isRequired":true}`)(w, t)
		}, result: evidence.Pass, says: "1 good"},
		// 1.5: a test merge of other parents is of something else.
		{read: checks, change: func(w *world, _ *provider.Target) {
			w.override["Pull"] = strings.Replace(w.background["Pull"], `"nodes":[{"oid":"`+baseTip, `"nodes":[{"oid":"`+other, 1)
			w.override["Contexts "+merge] = strings.ReplaceAll(strings.Replace(w.background["Contexts"], "SUCCESS", "FAILURE", 1), head, merge)
		}, result: evidence.Pass, says: "1 good"},
		// 1.5: an answer about another commit or repository is none.
		{read: checks, change: func(w *world, _ *provider.Target) {
			w.override["Contexts"] = strings.ReplaceAll(w.background["Contexts"], head, other)
		}, result: evidence.Unknown, says: "not about the commit"},
		{read: checks, change: func(w *world, _ *provider.Target) {
			w.override["Contexts"] = strings.Replace(w.background["Contexts"], `"databaseId":1,`, `"databaseId":2,`, 1)
		}, result: evidence.Unknown, says: "repository 2 answered"},
		// 1.3, 1.5: a newer run on the test merge does not supersede that of the head.
		{read: checks, change: func(w *world, t *provider.Target) {
			nodes(run("ci / test", "FAILURE"))(w, t)
			w.override["Contexts "+merge] = with(strings.ReplaceAll(w.background["Contexts"], head, merge), `"databaseId":9001`, `"databaseId":9002`)
		}, result: evidence.Fail, says: `failed: "ci / test"`},
		// 1.1: of two rules about one name the one with the App holds, wherever it is written.
		{read: checks, change: func(w *world, t *provider.Target) {
			nodes(with(run("ci / test", "SUCCESS"), "15368", "99999"))(w, t)
			w.override["GET /repos/acme/widgets/rules/branches/main?per_page=100"] = `[{"type":"required_status_checks","ruleset_source":"acme","parameters":{"required_status_checks":[{"context":"ci / test"}]}}]`
		}, result: evidence.Unknown, says: "required from App 15368"},
		// 1.1, 1.2: an empty list is no green: of checks, and of suites where there are runs.
		{read: checks, change: nodes(), result: evidence.Unknown, pending: true, says: `not reported: "ci / test"`},
		{read: checks, change: func(w *world, _ *provider.Target) {
			w.override["GET /repos/acme/widgets/commits/"+head+"/check-suites?per_page=100"] = `{"total_count":0,"check_suites":[]}`
		}, result: evidence.Unknown, says: "no check suite was told"},
		// 5.1: single sign-on may leave parts out of an answer with 200.
		{read: checks, change: func(w *world, _ *provider.Target) {
			w.fault = func(_ int, rw http.ResponseWriter, r *http.Request) bool {
				if strings.Contains(r.URL.Path, "/rules/") {
					rw.Header().Set("X-GitHub-SSO", "partial-results; organizations=21955855")
				}
				return false
			}
		}, result: evidence.Unknown, says: "parts are left out of the answer|single sign-on"},
		// 2: null is not none.
		{read: comments, change: null("Threads", "reviewThreads"), result: evidence.Unknown, says: "not in the answer"},
		{read: comments, change: null("Opinions", "latestOpinionatedReviews"), result: evidence.Unknown, says: "not in the answer"},
		{read: comments, change: null("Reviews", "reviews"), result: evidence.Unknown, says: "not in the answer"},
		{read: comments, change: null("Conversation", "comments"), result: evidence.Unknown, says: "not in the answer"},
		{read: item, change: null("Closing", "closingIssuesReferences"), result: evidence.Unknown, says: "not in the answer"},
		{read: item, change: null("ClosedBy", "closedByPullRequestsReferences"), result: evidence.Unknown, says: "not in the answer"},
		// 1.7: what was closed without a merge has no checks to speak of.
		{read: checks, change: func(w *world, _ *provider.Target) {
			w.override["Pull"] = strings.Replace(w.background["Pull"], `"OPEN"`, `"CLOSED"`, 1)
		}, result: evidence.Unknown, says: "closed without being merged"},
		// 2: a review in a word that is not known may stand against it.
		{scenario: "reviews_ghost_author", read: comments, operations: ofReviews, change: func(w *world, _ *provider.Target) {
			w.scenario[0].Response.Body = []byte(strings.Replace(string(w.scenario[0].Response.Body), "CHANGES_REQUESTED", "FROBNICATED", 1))
		}, result: evidence.Unknown, says: "not known"},
		// 4: a reason that is not known, or not told, is none of those that the plan may want.
		{read: item, change: func(w *world, _ *provider.Target) {
			w.override["GET /repos/acme/widgets/issues/42"] = strings.Replace(w.background["GET /repos/acme/widgets/issues/42"], `"completed"`, "null", 1)
		}, result: evidence.Unknown, says: "closed for the reason"},
	}
}

// run is a check run of the background, by another name and with another conclusion.
func run(name, conclusion string) string {
	all := background()["Contexts"]
	one := all[strings.Index(all, `{"__typename"`):strings.LastIndex(all, "]")]
	return with(with(one, "ci / test", name), `"conclusion":"SUCCESS"`, `"conclusion":"`+conclusion+`"`)
}

func with(text, old, now string) string { return strings.Replace(text, old, now, 1) }

// nodes makes these the ones that were reported for the head.
func nodes(list ...string) func(*world, *provider.Target) {
	return func(w *world, _ *provider.Target) {
		w.override["Contexts"] = fmt.Sprintf(`{"data":{"repository":{"databaseId":1,"object":{"oid":%q,"statusCheckRollup":{"contexts":{"totalCount":%d,"pageInfo":{"hasNextPage":false},"nodes":[%s]}}}}}}`, head, len(list), strings.Join(list, ","))
	}
}

// null leaves a list out of a query's answer.
func null(operation, list string) func(*world, *provider.Target) {
	return func(w *world, _ *provider.Target) {
		now := w.background[operation]
		i := strings.Index(now, `"`+list+`":`) + len(list) + 3
		end := strings.Index(now[i:], "]}") + 2
		w.override[operation] = now[:i] + "null" + now[i+end:]
	}
}

// branch makes this what readers see of classic protection.
func branch(protection string) func(*world, *provider.Target) {
	return func(w *world, _ *provider.Target) {
		w.override["GET /repos/acme/widgets/branches/main"] = `{"name":"main","protected":true,"protection":` + protection + `}`
	}
}

// merging sets mergeStateStatus and mergeable, and has ci/legacy reported good.
func merging(state, mergeable string) func(*world, *provider.Target) {
	return func(w *world, t *provider.Target) {
		nodes(run("ci / test", "SUCCESS"), `{"__typename":"StatusContext","id":"SC_1","context":"ci/legacy","state":"SUCCESS","isRequired":false}`)(w, t)
		w.override["Pull"] = with(with(w.background["Pull"], "CLEAN", state), `"MERGEABLE"`, `"`+mergeable+`"`)
	}
}

func TestVerdicts(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows() {
		seen[r.scenario] = true
		t.Run(r.scenario+"/"+r.read, func(t *testing.T) {
			w := newWorld(t, r.scenario, strings.Fields(r.operations)...)
			target := target()
			if r.change != nil {
				r.change(w, &target)
			}
			p := w.client()
			a, err := ask(p, r.read, target)
			if err != nil {
				t.Fatal(err)
			}
			if a.Result != r.result || a.Pending != r.pending {
				t.Errorf("%s, pending %v; want %s, pending %v", a.Result, a.Pending, r.result, r.pending)
			}
			for _, part := range strings.Split(r.says, "|") {
				if !strings.Contains(a.Summary+"\n"+a.Because, part) {
					t.Errorf("does not say %q", part)
				}
			}
			if r.also != nil {
				r.also(t, w, a)
			}
			switch a.Result {
			case evidence.Pass:
				if a.Because != "" || a.Proof == "" {
					t.Errorf("a pass with because %q and proof %q", a.Because, a.Proof)
				}
			case evidence.Fail:
				if a.Signature == "" {
					t.Error("a failure without a signature")
				}
			case evidence.Unknown:
				if a.Because == "" {
					t.Error("unknown without a reason")
				}
			}
			w.honest(t, a)
			if t.Failed() || testing.Verbose() {
				t.Logf("summary: %s\nbecause: %s\nproof:\n%s", a.Summary, a.Because, a.Proof)
			}
		})
	}
	files, err := filepath.Glob("testdata/scenarios/*.json")
	if err != nil || len(files) != 58 {
		t.Fatalf("%d scenarios, %v", len(files), err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".json"); !seen[name] {
			t.Errorf("%s has no row", name)
		}
	}
}

// honest makes sure that nothing was written, that the token reached no second host, and
// that no text has it.
func (w *world) honest(t *testing.T, a provider.Answer) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.seen {
		if s.Method != http.MethodGet && (s.Method != http.MethodPost || s.Operation == "") {
			t.Errorf("wrote: %s %s", s.Method, s.Path)
		}
		if s.Authorization != "Bearer "+canary {
			t.Errorf("%s %s came with %q", s.Method, s.Path, s.Authorization)
		}
	}
	if len(w.strayed) > 0 {
		t.Errorf("another host was asked: %+v", w.strayed)
	}
	if leaks(a.Summary + a.Because + a.Proof + a.URL + string(a.Output)) {
		t.Error("the answer has the token in it")
	}
}
