package azuredevops

import (
	"slices"
	"strconv"
	"strings"

	"github.com/asterweave/asterweave/internal/provider"
)

// isBuild reports whether a build is the one that asks.
func isBuild(id int, a provider.Asking) bool { return a.Run != "" && strconv.Itoa(id) == a.Run }

// leaveOut takes out the build policies whose build is the one that asks: it ends after
// the answer.
func leaveOut(a provider.Asking, all []evaluation) (rest, own []evaluation) {
	for _, e := range all {
		if strings.EqualFold(e.Configuration.Type.ID, policyBuild) && e.Context != nil && isBuild(e.Context.BuildID, a) {
			own = append(own, e)
			continue
		}
		rest = append(rest, e)
	}
	return rest, own
}

// isOwn reports whether a name that the configuration requires is that of the asking
// build, and of nothing else that was reported.
func (w world) isOwn(reported []check, name string) bool {
	called := func(names []string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	}
	return slices.ContainsFunc(w.own, func(e evaluation) bool { return called(append(e.aliases(), e.name())) }) &&
		!slices.ContainsFunc(reported, func(c check) bool { return called(append(slices.Clone(c.Aliases), c.Name)) })
}
