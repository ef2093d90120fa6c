// Package ci knows the CI systems that a verification runs under: what their events say
// about the pull request, and how they want to be told what was found. It is pure; the
// environment and the payload are passed in.
package ci

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/asterweave/asterweave/internal/provider"
)

// System is a CI system.
type System string

// The systems that are known.
const (
	None   System = ""
	GitHub System = "github-actions"  // https://docs.github.com/actions/reference/workflows-and-actions/variables
	Azure  System = "azure-pipelines" // https://learn.microsoft.com/azure/devops/pipelines/build/variables
)

// Event is what a run is about.
type Event struct {
	System   System
	Name     string // of the event: pull_request, …
	Provider string // of the pull request, "" where there is none
	Head     string // commit of the pull request, never a test merge; "" where the event does not say
	Base     string // branch that it goes into, "" where the event does not say
	Pull     string // URL of the pull request, "" where there is none
	Asking   provider.Asking
}

// UnsafeError says that a run has more rights than a verification of foreign work may.
type UnsafeError struct{ Event string }

func (e *UnsafeError) Error() string {
	return fmt.Sprintf("an event %q runs with the base branch's secrets and rights on work that nobody has looked at", e.Event)
}

// Read says what the run is about, from environment variables (name=value) and the
// payload that read returns. An environment of no CI system gives the zero Event.
func Read(environ []string, read func(path string) ([]byte, error)) (Event, error) {
	env := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	switch {
	case env["GITHUB_ACTIONS"] == "true":
		return readGitHub(env, read)
	case strings.EqualFold(env["TF_BUILD"], "true"):
		return readAzure(env)
	}
	return Event{}, nil
}

// payload is what is looked at in the payload of a GitHub event.
type payload struct {
	PullRequest struct {
		HTMLURL string `json:"html_url"`
		Head    struct {
			SHA string `json:"sha"`
		} `json:"head"`
		Base struct {
			Ref string `json:"ref"`
		} `json:"base"`
	} `json:"pull_request"`
	MergeGroup struct {
		BaseRef string `json:"base_ref"`
		HeadRef string `json:"head_ref"`
	} `json:"merge_group"`
	WorkflowRun struct {
		HeadSHA string `json:"head_sha"`
	} `json:"workflow_run"`
	After string `json:"after"`
}

func readGitHub(env map[string]string, read func(string) ([]byte, error)) (Event, error) {
	e := Event{
		System: GitHub, Name: env["GITHUB_EVENT_NAME"], Provider: provider.GitHub,
		Asking: provider.Asking{Run: env["GITHUB_RUN_ID"], Job: env["GITHUB_JOB"]},
	}
	b, err := read(env["GITHUB_EVENT_PATH"])
	if err != nil {
		return e, fmt.Errorf("the event's payload cannot be read: %w", err)
	}
	var p payload
	if err := json.Unmarshal(b, &p); err != nil {
		return e, fmt.Errorf("the event's payload cannot be read: %w", err)
	}
	switch e.Name {
	case "pull_request", "pull_request_review":
		e.Head, e.Base, e.Pull = p.PullRequest.Head.SHA, p.PullRequest.Base.Ref, p.PullRequest.HTMLURL
		if e.Head == "" {
			return e, fmt.Errorf("the payload of %s has no pull_request.head.sha", e.Name)
		}
	case "pull_request_target":
		return e, &UnsafeError{e.Name}
	case "merge_group":
		// The group's commit is a merge that no bundle can be about: the pull request's own
		// head is asked for.
		e.Base = strings.TrimPrefix(p.MergeGroup.BaseRef, "refs/heads/")
		number, ok := queued(p.MergeGroup.HeadRef)
		if !ok {
			return e, fmt.Errorf("the head_ref %.100q of the merge group names no pull request", p.MergeGroup.HeadRef)
		}
		e.Pull = fmt.Sprintf("%s/%s/pull/%d", env["GITHUB_SERVER_URL"], env["GITHUB_REPOSITORY"], number)
	case "workflow_run":
		e.Head = p.WorkflowRun.HeadSHA
	case "push":
		e.Head = p.After
	}
	return e, nil
}

// queued returns the number of the pull request in the ref of a merge queue,
// refs/heads/gh-readonly-queue/<base>/pr-<number>-<commit>.
func queued(ref string) (number int, ok bool) {
	i := strings.LastIndex(ref, "/pr-")
	if i < 0 {
		return 0, false
	}
	digits, _, ok := strings.Cut(ref[i+len("/pr-"):], "-")
	number, err := strconv.Atoi(digits)
	return number, ok && err == nil && number > 0
}

func readAzure(env map[string]string) (Event, error) {
	e := Event{System: Azure, Name: env["BUILD_REASON"], Asking: provider.Asking{Run: env["BUILD_BUILDID"], Job: env["BUILD_DEFINITIONNAME"]}}
	e.Head = env["SYSTEM_PULLREQUEST_SOURCECOMMITID"]
	e.Base = strings.TrimPrefix(env["SYSTEM_PULLREQUEST_TARGETBRANCH"], "refs/heads/")
	switch env["BUILD_REPOSITORY_PROVIDER"] {
	case "TfsGit":
		e.Provider = provider.AzureDevOps
		if id, uri := env["SYSTEM_PULLREQUEST_PULLREQUESTID"], env["BUILD_REPOSITORY_URI"]; id != "" && uri != "" {
			e.Pull = strings.TrimSuffix(uri, "/") + "/pullrequest/" + id
		}
	case "GitHub", "GitHubEnterprise":
		e.Provider = provider.GitHub
		if number, uri := env["SYSTEM_PULLREQUEST_PULLREQUESTNUMBER"], env["BUILD_REPOSITORY_URI"]; number != "" && uri != "" {
			e.Pull = strings.TrimSuffix(strings.TrimSuffix(uri, "/"), ".git") + "/pull/" + number
		}
	}
	if e.Name == "PullRequest" && e.Head == "" {
		return e, fmt.Errorf("SYSTEM_PULLREQUEST_SOURCECOMMITID is not set, so that the head of the pull request is not known")
	}
	return e, nil
}
