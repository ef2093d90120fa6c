package github

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/asterweave/asterweave/internal/provider"
)

// asks reports whether an entry is of the workflow run that asks. Pipelines of Azure that
// report to GitHub name their build in the address alone.
func (e entry) asks(a provider.Asking) bool {
	if e.Kind != checkRun || a.Run == "" {
		return false
	}
	if e.WorkflowRun != 0 {
		return strconv.FormatInt(e.WorkflowRun, 10) == a.Run
	}
	u, err := url.Parse(e.URL)
	return err == nil && (strings.Contains(u.Path, "/actions/runs/"+a.Run+"/job/") || strings.HasSuffix(u.Path, "/_build/results") && u.Query().Get("buildId") == a.Run)
}

// leaveOut takes the asking job's own check out of entries and requirements: it ends
// after the answer. A name stays required of everybody else who reports it, and of the
// App that it has to come from. The entries are the newest of each group, so that no
// earlier run of the same job takes its place.
func leaveOut(a provider.Asking, entries []entry, required requirements) (rest []entry, others requirements, own []entry) {
	for _, e := range entries {
		if e.asks(a) && e.Name == a.Job {
			own = append(own, e)
			continue
		}
		rest = append(rest, e)
	}
	others = slices.DeleteFunc(slices.Clone(required), func(q requirement) bool {
		isOwn := slices.ContainsFunc(own, func(e entry) bool { return e.Name == q.Name && (q.App == 0 || q.App == e.App) })
		return isOwn && !slices.ContainsFunc(rest, func(e entry) bool { return e.Name == q.Name })
	})
	return rest, others, own
}

// waitsForItself says that what is waited for may be the asking job: its run has a check
// that has not ended, and none has the name that it gives itself.
func waitsForItself(a provider.Asking, rest []judged) string {
	for _, j := range rest {
		for _, e := range j.Found {
			if e.asks(a) && !e.done() {
				return fmt.Sprintf("the run that asks has the check %q, which has not ended, and none that is called %q: --job names the check that the asking job itself reports", e.Name, a.Job)
			}
		}
	}
	return ""
}
