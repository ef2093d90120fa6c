package azuredevops

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// linkOf is the address of a pull request within a work item's links. The project in
// it is the pull request's, which need not be the work item's.
func linkOf(p pullRequest) string {
	return fmt.Sprintf("vstfs:///Git/PullRequestId/%s/%s/%d", p.Repository.Project.ID, p.Repository.ID, p.ID)
}

// linksTo reports whether the work item has a link to the pull request.
func (w workItem) linksTo(p pullRequest) bool {
	return slices.ContainsFunc(w.Relations, func(r relation) bool {
		u, err := url.PathUnescape(r.URL)
		return err == nil && r.Rel == "ArtifactLink" && strings.EqualFold(u, linkOf(p))
	})
}

// linked judges the link from both sides: each of them can dangle.
func linked(w workItem, p pullRequest, listed []workItemRef) verdict {
	name := fmt.Sprintf("link of work item %d and pull request %d", w.ID, p.ID)
	item := w.linksTo(p)
	request := slices.ContainsFunc(listed, func(r workItemRef) bool { return r.ID == strconv.Itoa(w.ID) })
	switch {
	case item && request:
		return pass(name)
	case item:
		return unknown(name, "the work item names the pull request, and the pull request does not list the work item")
	case request:
		return unknown(name, "the pull request lists the work item, and the work item does not name the pull request")
	}
	return fail(name, "neither names the other")
}

// categories are what the states of all processes come to.
func categories() []string {
	return []string{"Proposed", "InProgress", "Resolved", "Completed", "Removed"}
}

// inState judges the work item's state. wanted is the name of a state of its type, or
// a category of states, or empty where any state will do but a removed one.
func (w workItem) inState(states []workItemState, wanted string) verdict {
	kind, now := w.field("System.WorkItemType"), w.field("System.State")
	name := fmt.Sprintf("state of work item %d", w.ID)
	at := slices.IndexFunc(states, func(s workItemState) bool { return strings.EqualFold(s.Name, now) })
	if at < 0 {
		return unknown(name, fmt.Sprintf("it is %.40q, which is none of the states of a %s", now, kind))
	}
	category := states[at].Category
	if !slices.Contains(categories(), category) {
		return unknown(name, fmt.Sprintf("it is %s, of the category %.40q, which is not known here", now, category))
	}
	v := pass(name)
	v.Note = fmt.Sprintf("%s (%s)", now, category)
	isState := slices.ContainsFunc(states, func(s workItemState) bool { return strings.EqualFold(s.Name, wanted) })
	isCategory := slices.ContainsFunc(categories(), func(c string) bool { return strings.EqualFold(c, wanted) })
	switch {
	case wanted == "" && category == "Removed":
		return fail(name, "it was removed")
	case wanted == "", isState && strings.EqualFold(now, wanted), !isState && isCategory && strings.EqualFold(category, wanted):
		return v
	case isState || isCategory:
		return fail(name, fmt.Sprintf("it is %s (%s) and has to be %s", now, category, wanted))
	}
	return unknown(name, fmt.Sprintf("it has to be %.40q, which is no state of a %s: there are %s", wanted, kind, stateNames(states)))
}

// words are other words for the state that the work item is in: its category, unless
// that is also the name of a state of the type, which means that state alone.
func (w workItem) words(states []workItemState) []string {
	now := w.field("System.State")
	at := slices.IndexFunc(states, func(s workItemState) bool { return strings.EqualFold(s.Name, now) })
	if at < 0 || !slices.Contains(categories(), states[at].Category) {
		return nil
	}
	category := states[at].Category
	if slices.ContainsFunc(states, func(s workItemState) bool { return strings.EqualFold(s.Name, category) }) {
		return nil
	}
	return []string{category}
}

func stateNames(states []workItemState) string {
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}

// text is what the work item asks for, as people read it. Its fields depend on its type.
func (w workItem) text() string {
	var parts []string
	for _, f := range []struct{ name, head string }{
		{"System.Description", ""},
		{"Microsoft.VSTS.TCM.ReproSteps", "Steps to reproduce"},
		{"Microsoft.VSTS.Common.AcceptanceCriteria", "Acceptance criteria"},
	} {
		t := plain(w.field(f.name))
		if t == "" {
			continue
		}
		if f.head != "" {
			t = f.head + ":\n" + t
		}
		parts = append(parts, t)
	}
	return strings.Join(parts, "\n\n")
}
