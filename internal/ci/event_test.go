package ci_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/ci"
	"github.com/asterweave/asterweave/internal/provider"
)

const (
	head  = "1111111111111111111111111111111111111111"
	merge = "2222222222222222222222222222222222222222"
	group = "3333333333333333333333333333333333333333"
	url   = "https://github.com/acme/widgets/pull/104"
)

// github is the environment of a run with a payload of testdata, or the JSON itself.
func github(event, payload string) []string {
	path := payload
	if !strings.HasPrefix(payload, "{") {
		path = filepath.Join("testdata", payload)
	}
	return []string{
		"GITHUB_ACTIONS=true", "GITHUB_EVENT_NAME=" + event, "GITHUB_EVENT_PATH=" + path, "GITHUB_SHA=" + merge, "GITHUB_REF=refs/pull/104/merge",
		"GITHUB_RUN_ID=9000", "GITHUB_JOB=verify", "GITHUB_SERVER_URL=https://github.com", "GITHUB_REPOSITORY=acme/widgets",
	}
}

// read reads a file, or takes what is a payload as it stands.
func read(path string) ([]byte, error) {
	if strings.HasPrefix(path, "{") {
		return []byte(path), nil
	}
	return os.ReadFile(path)
}

func TestGitHubEvents(t *testing.T) {
	asking := provider.Asking{Run: "9000", Job: "verify"}
	for _, c := range []struct {
		event, payload string
		want           ci.Event
	}{
		{"pull_request", "pull_request_opened.json", ci.Event{Head: head, Base: "main", Pull: url}},
		{"pull_request", "pull_request_synchronize.json", ci.Event{Head: head, Base: "main", Pull: url}},
		{"pull_request", "pull_request_reopened.json", ci.Event{Head: head, Base: "release/1.x", Pull: url}},
		{"pull_request", "pull_request_fork.json", ci.Event{Head: head, Base: "main", Pull: url}},
		// A run that is started again has the payload of then: the head of then, which the
		// provider's answer shows to be stale.
		{"pull_request", "pull_request_rerun.json", ci.Event{Head: "4444444444444444444444444444444444444444", Base: "main", Pull: url}},
		{"pull_request_review", "pull_request_review.json", ci.Event{Head: head, Base: "main", Pull: url}},
		{"merge_group", "merge_group.json", ci.Event{Base: "main", Pull: url}},
		{"push", "push.json", ci.Event{Head: head}},
		{"workflow_run", "workflow_run_fork.json", ci.Event{Head: head, Privileged: true}},
		{"workflow_run", "workflow_run.json", ci.Event{Head: head, Base: "main", Pull: url, Privileged: true}},
		{"workflow_dispatch", "workflow_dispatch.json", ci.Event{}},
		{"schedule", `{"schedule":"0 0 * * *"}`, ci.Event{}},
	} {
		c.want.System, c.want.Name, c.want.Provider, c.want.Asking = ci.GitHub, c.event, provider.GitHub, asking
		got, err := ci.Read(github(c.event, c.payload), read)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.payload, got, err, c.want)
		}
	}
}

func TestGitHubPayloadsThatSayNoHead(t *testing.T) {
	for _, c := range []struct{ event, payload string }{
		{"pull_request", `{}`},
		{"pull_request", `{"pull_request":null}`},
		{"pull_request", `{"pull_request":{"head":{"sha":"` + head + `"}}}`},
		{"pull_request", `{"pull_request":{"head":{"sha":"main\n::error::x"},"base":{"ref":"main"}}}`},
		{"pull_request", `{"pull_request":`},
		{"pull_request", "not-there.json"},
		{"workflow_run", `{"workflow_run":{}}`},
		{"push", `{"after":"0000000000000000000000000000000000000000","deleted":true}`},
		{"push", `{}`},
		{"merge_group", `{}`},
		{"merge_group", groupOf("refs/heads/main", "refs/heads/gh-readonly-queue/main/pr-104")},
		{"merge_group", groupOf("refs/heads/main", "refs/heads/gh-readonly-queue/main/pr-0-"+group)},
		{"merge_group", groupOf("refs/heads/main", "refs/heads/gh-readonly-queue/other/pr-104-"+group)},
		{"merge_group", groupOf("refs/heads/main", "refs/heads/gh-readonly-queue/main/pr-1/pr-104-"+group)},
		{"merge_group", groupOf("refs/heads/main", "refs/heads/feature/pr-104-"+group)},
		{"merge_group", groupOf("refs/heads/main", "refs/heads/gh-readonly-queue/main/pr-104-main")},
	} {
		got, err := ci.Read(github(c.event, c.payload), read)
		if err == nil {
			t.Errorf("%s %s: %+v", c.event, c.payload, got)
		}
	}
}

func groupOf(base, ref string) string {
	return fmt.Sprintf(`{"merge_group":{"base_ref":%q,"head_ref":%q}}`, base, ref)
}

// A base branch may have in its name what parts the number off.
func TestMergeGroupOfABaseWithSlashes(t *testing.T) {
	base := "release/pr-7-x"
	got, err := ci.Read(github("merge_group", groupOf("refs/heads/"+base, "refs/heads/gh-readonly-queue/"+base+"/pr-104-"+group)), read)
	if err != nil || got.Pull != url || got.Base != base {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestPullRequestTargetIsRefused(t *testing.T) {
	var unsafe *ci.UnsafeError
	if _, err := ci.Read(github("pull_request_target", "pull_request_opened.json"), read); !errors.As(err, &unsafe) {
		t.Errorf("%v", err)
	}
}

func TestAzureRuns(t *testing.T) {
	asking := provider.Asking{Run: "501", Job: "widgets-verify"}
	all := []string{"TF_BUILD=True", "BUILD_BUILDID=501", "BUILD_DEFINITIONNAME=widgets-verify", "BUILD_SOURCEVERSION=" + merge}
	for name, c := range map[string]struct {
		env  []string
		want ci.Event
	}{
		"pull request of Azure Repos": {
			[]string{
				"BUILD_REASON=PullRequest", "BUILD_REPOSITORY_PROVIDER=TfsGit", "BUILD_REPOSITORY_URI=https://acme@dev.azure.com/acme/Widgets%20App/_git/widgets",
				"SYSTEM_PULLREQUEST_PULLREQUESTID=22", "SYSTEM_PULLREQUEST_SOURCECOMMITID=" + head, "SYSTEM_PULLREQUEST_SOURCEBRANCH=refs/heads/fix/1",
				"SYSTEM_PULLREQUEST_TARGETBRANCH=refs/heads/main", "BUILD_SOURCEBRANCH=refs/pull/22/merge",
			},
			ci.Event{Name: "PullRequest", Provider: provider.AzureDevOps, Head: head, Base: "main", Pull: "https://dev.azure.com/acme/Widgets%20App/_git/widgets/pullrequest/22"},
		},
		"pull request of GitHub": {
			[]string{
				"BUILD_REASON=PullRequest", "BUILD_REPOSITORY_PROVIDER=GitHub", "BUILD_REPOSITORY_URI=https://github.com/acme/widgets",
				"SYSTEM_PULLREQUEST_PULLREQUESTID=1873421", "SYSTEM_PULLREQUEST_PULLREQUESTNUMBER=104", "SYSTEM_PULLREQUEST_SOURCECOMMITID=" + head,
				"SYSTEM_PULLREQUEST_TARGETBRANCH=main", "SYSTEM_PULLREQUEST_ISFORK=True", "BUILD_SOURCEBRANCH=refs/pull/104/merge",
			},
			ci.Event{Name: "PullRequest", Provider: provider.GitHub, Head: head, Base: "main", Pull: url},
		},
		"by hand": {
			[]string{"BUILD_REASON=Manual", "BUILD_REPOSITORY_PROVIDER=TfsGit", "BUILD_REPOSITORY_URI=https://dev.azure.com/acme/Widgets/_git/widgets"},
			ci.Event{Name: "Manual", Provider: provider.AzureDevOps},
		},
	} {
		c.want.System, c.want.Asking = ci.Azure, asking
		if got, err := ci.Read(append(all, c.env...), read); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, c.want)
		}
	}
	for _, sha := range []string{"", "$(System.PullRequest.SourceCommitId)", "main"} {
		if got, err := ci.Read(append(all, "BUILD_REASON=PullRequest", "SYSTEM_PULLREQUEST_SOURCECOMMITID="+sha), read); err == nil {
			t.Errorf("a pull request with the head %q: %+v", sha, got)
		}
	}
}

func TestNoSystem(t *testing.T) {
	for _, env := range [][]string{nil, {"CI=true"}, {"GITHUB_ACTIONS=false", "TF_BUILD="}} {
		if got, err := ci.Read(env, read); err != nil || got != (ci.Event{}) {
			t.Errorf("%q: %+v, %v", env, got, err)
		}
	}
}
