package azuredevops

import (
	"fmt"
	"slices"
)

func (c statusContext) String() string {
	if c.Genre == "" {
		return c.Name
	}
	return c.Genre + "/" + c.Name
}

// status returns the newest status of a context in the last iteration.
func (w world) status(c statusContext) (newest status, ok bool) {
	for _, s := range w.statuses {
		if s.Context == c && s.IterationID == w.last && (!ok || s.ID > newest.ID) {
			newest, ok = s, true
		}
	}
	return newest, ok
}

func (s status) judge() verdict {
	name := s.Context.String()
	switch s.State {
	case "succeeded", "notApplicable":
		return pass(name)
	case "failed", "error":
		return fail(name, "the status is "+s.State)
	case "pending", "notSet":
		return pending(name, "the status is "+s.State)
	case "partiallySucceeded":
		return unknown(name, "the status is partiallySucceeded; a person has to look at it")
	}
	return unknown(name, fmt.Sprintf("the status has the state %.40q, which is not known here", s.State))
}

// reported judges each context that ever had a status on the pull request, in order of
// their names. A status that has no iteration outlives pushes, and one of an earlier iteration
// is of another commit: neither is a good sign for the head.
func (w world) reported() []check {
	seen := map[statusContext]bool{}
	var all []check
	for _, s := range w.statuses {
		if seen[s.Context] {
			continue
		}
		seen[s.Context] = true
		c := check{Role: optional, Aliases: []string{s.Context.String(), s.Context.Name}}
		if now, ok := w.status(s.Context); ok {
			c.verdict, c.Status, c.Nothing = now.judge(), now.State, now.State == "notApplicable"
			all = append(all, c)
			continue
		}
		newest := s
		for _, other := range w.statuses {
			if other.Context == s.Context && other.ID > newest.ID {
				newest = other
			}
		}
		c.Status = newest.State
		switch {
		case newest.State == "notApplicable":
			c.verdict, c.Nothing = pass(s.Context.String()), true
		case newest.IterationID == 0:
			c.verdict = unknown(s.Context.String(), fmt.Sprintf("the status is %.40s for the pull request as a whole, and nobody says for which commit", newest.State))
		default:
			c.verdict = pending(s.Context.String(), fmt.Sprintf("the status is %.40s for iteration %d, and there is none for iteration %d", newest.State, newest.IterationID, w.last))
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b check) int {
		switch {
		case a.Name < b.Name:
			return -1
		case a.Name > b.Name:
			return 1
		}
		return 0
	})
	return all
}
