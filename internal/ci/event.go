// Package ci knows the CI systems that a verification runs under: what their events say
// about the pull request, and how they want to be told what was found. It is pure; the
// environment and the payload are passed in.
package ci

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
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

	// Privileged: the run has the rights and secrets of the base branch, so that nothing
	// of the head may be run in it.
	Privileged bool
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
		HeadSHA      string `json:"head_sha"`
		PullRequests []struct {
			Number int `json:"number"`
			Head   struct {
				SHA string `json:"sha"`
			} `json:"head"`
			Base struct {
				Ref string `json:"ref"`
			} `json:"base"`
		} `json:"pull_requests"` // empty for those of forks
	} `json:"workflow_run"`
	After   string `json:"after"`
	Deleted bool   `json:"deleted"`
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
	if err := e.about(p, env["GITHUB_SERVER_URL"]+"/"+env["GITHUB_REPOSITORY"]); err != nil {
		return e, err
	}
	if e.Head != "" && !commit.MatchString(e.Head) {
		return e, fmt.Errorf("the payload of %s names the head %.60q, which is no commit", e.Name, e.Head)
	}
	return e, nil
}

// about fills in what the payload says. Events that are not known here say nothing: the
// checkout's commit is the head then.
func (e *Event) about(p payload, repository string) error {
	switch e.Name {
	case "pull_request", "pull_request_review", "pull_request_review_comment":
		e.Head, e.Base, e.Pull = p.PullRequest.Head.SHA, p.PullRequest.Base.Ref, p.PullRequest.HTMLURL
		if e.Head == "" || e.Base == "" {
			return fmt.Errorf("the payload of %s has no pull_request.head.sha and pull_request.base.ref", e.Name)
		}
	case "pull_request_target":
		return &UnsafeError{e.Name}
	case "merge_group":
		// The group's commit is a merge that no bundle can be about: the pull request's own
		// head is asked for.
		e.Base = strings.TrimPrefix(p.MergeGroup.BaseRef, branches)
		number, ok := queued(p.MergeGroup.HeadRef, e.Base)
		if !ok {
			return fmt.Errorf("the head_ref %.100q of the merge group names no pull request into %.100q", p.MergeGroup.HeadRef, e.Base)
		}
		e.Pull = pullURL(repository, number)
	case "workflow_run":
		e.Privileged = true
		e.Head = p.WorkflowRun.HeadSHA
		if e.Head == "" {
			return fmt.Errorf("the payload of %s has no workflow_run.head_sha", e.Name)
		}
		if of := p.WorkflowRun.PullRequests; len(of) == 1 && of[0].Head.SHA == e.Head {
			e.Base, e.Pull = of[0].Base.Ref, pullURL(repository, of[0].Number)
		}
	case "push":
		e.Head = p.After
		if p.Deleted || strings.Trim(p.After, "0") == "" {
			return fmt.Errorf("the push took a branch away, and left no commit to verify")
		}
	}
	return nil
}

const branches = "refs/heads/"

var commit = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

func pullURL(repository string, number int) string {
	return fmt.Sprintf("%s/pull/%d", repository, number)
}

// queued returns the number of the pull request in the ref of a merge queue,
// refs/heads/gh-readonly-queue/<base>/pr-<number>-<commit>.
func queued(ref, base string) (number int, ok bool) {
	rest, ok := strings.CutPrefix(ref, branches+"gh-readonly-queue/"+base+"/pr-")
	digits, at, cut := strings.Cut(rest, "-")
	number, err := strconv.Atoi(digits)
	return number, ok && cut && base != "" && err == nil && number > 0 && commit.MatchString(at)
}

func readAzure(env map[string]string) (Event, error) {
	e := Event{System: Azure, Name: env["BUILD_REASON"], Asking: provider.Asking{Run: env["BUILD_BUILDID"], Job: env["BUILD_DEFINITIONNAME"]}}
	e.Head = env["SYSTEM_PULLREQUEST_SOURCECOMMITID"]
	e.Base = strings.TrimPrefix(env["SYSTEM_PULLREQUEST_TARGETBRANCH"], branches)
	uri := withoutUser(env["BUILD_REPOSITORY_URI"])
	switch env["BUILD_REPOSITORY_PROVIDER"] {
	case "TfsGit":
		e.Provider = provider.AzureDevOps
		if id := env["SYSTEM_PULLREQUEST_PULLREQUESTID"]; id != "" && uri != "" {
			e.Pull = strings.TrimSuffix(uri, "/") + "/pullrequest/" + id
		}
	case "GitHub", "GitHubEnterprise":
		e.Provider = provider.GitHub
		if number := env["SYSTEM_PULLREQUEST_PULLREQUESTNUMBER"]; number != "" && uri != "" {
			e.Pull = strings.TrimSuffix(strings.TrimSuffix(uri, "/"), ".git") + "/pull/" + number
		}
	}
	switch {
	case e.Name == "PullRequest" && e.Head == "":
		return e, fmt.Errorf("SYSTEM_PULLREQUEST_SOURCECOMMITID is not set, so that the head of the pull request is not known")
	case e.Head != "" && !commit.MatchString(e.Head):
		return e, fmt.Errorf("SYSTEM_PULLREQUEST_SOURCECOMMITID is %.60q, which is no commit", e.Head)
	}
	return e, nil
}

// withoutUser takes the user out of a URL, which Azure Repos has in its clone URLs. A
// text that is no URL names nothing.
func withoutUser(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return ""
	}
	u.User = nil
	return u.String()
}
