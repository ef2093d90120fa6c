package azuredevops

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
)

// Types of policies. Two of them differ in a few digits only, so they are compared whole.
const (
	policyBuild             = "0609b952-1397-4640-95ec-e00a01b2c241"
	policyStatus            = "cbdc66da-9728-4af8-aada-9a5a32e4a226"
	policyMinimumReviewers  = "fa4e907d-c16b-4a4c-9dfa-4906e5d171dd"
	policyRequiredReviewers = "fd2167ab-b0be-447a-8ec8-39368250530e"
	policyComments          = "c6a1889d-b943-4856-b76f-9e46bb6b0df2"
	policyWorkItems         = "40e92b44-2fe1-4dd6-b3d8-74a9c21d0c6e"
	policyMergeStrategy     = "fa4e907d-c16b-4a4c-9dfa-4916e5d171ab"
)

// role is what a policy is to the verdict on the checks.
type role string

const (
	required role = "required" // has to be approved
	optional role = "optional" // advisory
	forUsers role = "people"   // waits for votes, resolved threads, links or the kind of merge, and for no check
	off      role = "off"      // disabled or deleted
)

// check is something that was reported, or has to be.
type check struct {
	verdict
	Role    role     `json:"role"`
	Aliases []string `json:"aliases,omitempty"` // names that a configuration may require it by
	Status  string   `json:"status"`            // in the words of the service
	Build   int      `json:"build,omitempty"`
	Nothing bool     `json:"nothing,omitempty"` // does not apply: a pass that shows nothing
}

// world is what evaluations are judged against.
type world struct {
	pr       int
	head     string // that was submitted, and is the last iteration's
	last     int    // iteration
	item     bool   // the delivery has a work item, whose link is judged where it is read
	statuses []status
	builds   map[int]build
	own      []evaluation // of the build that asks, which are left out
}

// role is that of the policy. One of a kind that is not known may be anything, and has
// to be approved like a check.
func (e evaluation) role() role {
	c := e.Configuration
	switch {
	case c.IsDeleted || c.IsEnabled != nil && !*c.IsEnabled:
		return off
	case c.IsBlocking != nil && !*c.IsBlocking:
		return optional
	case e.forUsers():
		return forUsers
	}
	return required
}

func (e evaluation) name() string {
	s := e.Configuration.Settings
	names := []string{s.DisplayName, s.DefaultDisplayName}
	if s.StatusName != "" {
		names = append(names, statusContext{s.StatusGenre, s.StatusName}.String())
	}
	if e.Context != nil {
		names = append(names, e.Context.BuildDefinitionName)
	}
	names = append(names, e.Configuration.Type.DisplayName)
	for _, n := range names {
		if n != "" {
			return n
		}
	}
	return fmt.Sprintf("policy %d", e.Configuration.ID)
}

// aliases are all names that the check is known by, in the order of name.
func (e evaluation) aliases() []string {
	s := e.Configuration.Settings
	all := []string{s.DisplayName, s.DefaultDisplayName}
	if s.StatusName != "" {
		all = append(all, statusContext{s.StatusGenre, s.StatusName}.String(), s.StatusName)
	}
	if e.Context != nil {
		all = append(all, e.Context.BuildDefinitionName)
	}
	return slices.DeleteFunc(all, func(n string) bool { return n == "" })
}

// judge says what an evaluation is worth for the submitted head.
func (w world) judge(e evaluation) check {
	c := check{Role: e.role(), Aliases: e.aliases(), Status: e.Status}
	if e.Context != nil {
		c.Build = e.Context.BuildID
	}
	c.verdict = w.evaluated(e)
	if c.Role == forUsers && (e.Status == "queued" || e.Status == "running" || e.Status == "rejected") {
		// Not a check: threads and votes are judged where comments are read, links where the
		// work item is, if the delivery has one.
		if w.item || !strings.EqualFold(e.Configuration.Type.ID, policyWorkItems) {
			c.verdict = pass(e.name())
			c.Note = "still open for people"
		} else {
			c.Because += "; it wants a work item linked with the pull request, and the delivery has none: somebody has to link one"
		}
	}
	// What is approved and is neither a build nor a status shows nothing of the head, and
	// neither does a status that does not apply.
	c.Nothing = e.Status == "notApplicable" || e.forUsers() || (!e.isCheck() || w.exempt(e)) && c.Result == evidence.Pass
	return c
}

// exempt reports whether the status that a policy waits for says that it does not apply.
func (w world) exempt(e evaluation) bool {
	s := e.Configuration.Settings
	at, ok := w.status(statusContext{s.StatusGenre, s.StatusName})
	return strings.EqualFold(e.Configuration.Type.ID, policyStatus) && ok && at.State == "notApplicable"
}

func (e evaluation) isCheck() bool {
	kind := e.Configuration.Type.ID
	return strings.EqualFold(kind, policyBuild) || strings.EqualFold(kind, policyStatus)
}

func (e evaluation) forUsers() bool {
	switch strings.ToLower(e.Configuration.Type.ID) {
	case policyMinimumReviewers, policyRequiredReviewers, policyComments, policyWorkItems, policyMergeStrategy:
		return true
	}
	return false
}

func (w world) evaluated(e evaluation) verdict {
	name, build := e.name(), strings.EqualFold(e.Configuration.Type.ID, policyBuild)
	if e.Configuration.IsBlocking == nil || e.Configuration.IsEnabled == nil {
		return unknown(name, "the answer does not say whether the policy is enabled and blocking")
	}
	switch e.Status {
	case "notApplicable":
		return pass(name)
	case "approved":
		switch {
		case build:
			return w.built(e)
		case strings.EqualFold(e.Configuration.Type.ID, policyStatus):
			return w.posted(e)
		}
		return pass(name)
	case "rejected", "broken":
		if build && e.Context != nil && e.Context.LastMergeSourceCommitID != "" && e.Context.LastMergeSourceCommitID != w.head {
			return w.stale(e)
		}
		return fail(name, "the policy's evaluation is "+e.Status)
	case "queued", "running":
		switch {
		case !build:
			return pending(name, "the policy's evaluation is "+e.Status)
		case e.Context != nil && e.Context.IsExpired:
			return unknown(name, fmt.Sprintf("build %d has expired; somebody has to queue it again", e.Context.BuildID))
		case e.Context == nil || e.Context.BuildID == 0:
			if e.Configuration.Settings.ManualQueueOnly {
				return unknown(name, "no build was queued, and the policy has it queued by hand only")
			}
			return pending(name, "no build was queued yet")
		}
		return pending(name, fmt.Sprintf("build %d is %s", e.Context.BuildID, e.Status))
	}
	return unknown(name, fmt.Sprintf("the policy's evaluation has the status %.40q, which is not known here", e.Status))
}

// built judges an approved build: it has to be about the head, still valid, and whole.
func (w world) built(e evaluation) verdict {
	name, c := e.name(), e.Context
	switch {
	case c == nil || c.BuildID == 0 || c.LastMergeSourceCommitID == "":
		return unknown(name, "it is approved, and the answer does not say which build of which commit did it")
	case c.LastMergeSourceCommitID != w.head:
		return w.stale(e)
	case c.IsExpired:
		return unknown(name, fmt.Sprintf("build %d has expired; somebody has to queue it again", c.BuildID))
	}
	b, ok := w.builds[c.BuildID]
	if !ok {
		return unknown(name, fmt.Sprintf("build %d could not be read: it is gone, or the token may not read builds (Build: read)", c.BuildID))
	}
	v := b.judge(name)
	if v.Result != evidence.Pass {
		return v
	}
	if sha := b.TriggerInfo["pr.sourceSha"]; sha != "" && sha != w.head {
		return unknown(name, fmt.Sprintf("build %d is of the commit %s", b.ID, short(sha)))
	}
	if c.BuildIsNotCurrent {
		v.Note = fmt.Sprintf("build %d ran before the target branch moved; the policy accepts it", c.BuildID)
	}
	return v
}

func (w world) stale(e evaluation) verdict {
	because := fmt.Sprintf("it is %s for the commit %s and not for %s", e.Status, short(e.Context.LastMergeSourceCommitID), short(w.head))
	if e.Configuration.Settings.ManualQueueOnly {
		return unknown(e.name(), because+"; somebody has to queue a build")
	}
	return pending(e.name(), because)
}

// posted judges an approved status policy: the policy may accept a status of an
// earlier iteration, or of the pull request as a whole, which says nothing of the head.
func (w world) posted(e evaluation) verdict {
	s := e.Configuration.Settings
	at, ok := w.status(statusContext{s.StatusGenre, s.StatusName})
	if !ok {
		return unknown(e.name(), fmt.Sprintf("the policy is approved, and nobody posted a status about the submitted head (iteration %d)", w.last))
	}
	v := at.judge()
	v.Name = e.name()
	return v
}

func (b build) judge(name string) verdict {
	switch b.Status {
	case "completed":
	case "inProgress", "notStarted", "postponed", "cancelling":
		return pending(name, fmt.Sprintf("build %d is %s", b.ID, b.Status))
	default:
		return unknown(name, fmt.Sprintf("build %d has the status %.40q, which is not known here", b.ID, b.Status))
	}
	switch b.Result {
	case "succeeded":
		return pass(name)
	case "partiallySucceeded":
		return unknown(name, fmt.Sprintf("build %d succeeded only partially: some of its steps failed; a person has to look at it", b.ID))
	case "failed":
		return fail(name, fmt.Sprintf("build %d failed", b.ID))
	case "canceled":
		return unknown(name, fmt.Sprintf("build %d was canceled; somebody has to queue it again", b.ID))
	}
	return unknown(name, fmt.Sprintf("build %d has the result %.40q, which is not known here", b.ID, b.Result))
}

// artifact is the identity that evaluations of a pull request are stored under. It is
// made of the id of the project, not its name, and is not the pull request's own artifactId:
// with either of these the answer would be an empty list.
func artifact(p pullRequest) string {
	return fmt.Sprintf("vstfs:///CodeReview/CodeReviewId/%s/%d", p.Repository.Project.ID, p.ID)
}

// sameArtifact compares identities, which services escape and write in capitals as they like.
func sameArtifact(a, b string) bool {
	ua, errA := url.PathUnescape(a)
	ub, errB := url.PathUnescape(b)
	return errA == nil && errB == nil && strings.EqualFold(ua, ub)
}
