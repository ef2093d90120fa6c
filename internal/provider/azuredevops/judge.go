package azuredevops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
)

// judgement is the verdict on the checks of a head, and what it was made of.
type judgement struct {
	verdict
	Checks []check
	Rule   string // which of the checks count
	// Unreported: nothing is required, and nothing was reported.
	Unreported bool
	Summary    string
}

// decide combines what the policies say with what the configuration requires. Where
// neither requires a check, all that were reported for the head have to be good, and
// there has to be one: a list that is empty is no good sign.
//
// others are builds of the branch that no policy asked for.
func (w world) decide(evaluations []evaluation, others []check, requiredNames []string) judgement {
	var j judgement
	var counted, besides []verdict
	for _, e := range evaluations {
		c := w.judge(e)
		j.Checks = append(j.Checks, c)
		switch {
		case c.Role == required && !c.Nothing:
			counted = append(counted, c.verdict)
		case c.Role == required, c.Role == forUsers:
			besides = append(besides, c.verdict) // has to be good, and is no check by itself
		}
	}
	j.Checks = append(append(j.Checks, w.reported()...), others...)
	j.Rule = "required by policy"
	for _, name := range requiredNames {
		j.Rule = "required by policy or configuration"
		if w.isOwn(j.Checks, name) {
			continue
		}
		counted = append(counted, named(j.Checks, name))
	}
	if len(counted) == 0 {
		j.Rule = "all that were reported, as none is required"
		for _, c := range j.Checks {
			if c.Role == optional && !c.Nothing {
				counted = append(counted, c.verdict)
			}
		}
	}
	j.verdict = worst(append(slices.Clone(counted), besides...))
	if len(counted) == 0 && j.Result == evidence.Pass {
		j.Unreported = true
		j.Result, j.Because = evidence.Unknown, "no policy requires a check on the target branch, none is named in the configuration, and nobody has reported one for this head"
	}
	counts := map[evidence.Result]int{}
	for _, v := range counted {
		counts[v.Result]++
	}
	j.Summary = fmt.Sprintf("%s (%s): %d passed, %d failed, %d unknown",
		plural(len(counted), "check", "checks"), j.Rule, counts[evidence.Pass], counts[evidence.Fail], counts[evidence.Unknown])
	if len(w.own) > 0 {
		j.Summary += fmt.Sprintf("; without %q, which is the build that asks", w.own[0].name())
	}
	if j.Note != "" {
		j.Summary += "; " + j.Note
	}
	return j
}

// named judges the checks that a configuration requires by a name.
func named(all []check, name string) verdict {
	var found []verdict
	shows := false
	for _, c := range all {
		if c.Role == off || c.Role == forUsers || !slices.ContainsFunc(append(c.Aliases, c.Name), func(n string) bool { return strings.EqualFold(n, name) }) {
			continue
		}
		found = append(found, c.verdict)
		shows = shows || !c.Nothing
	}
	if len(found) == 0 {
		return pending(name, "the configuration requires it, and nobody has reported it for this head")
	}
	v := worst(found)
	v.Name = name
	if !shows && v.Result == evidence.Pass {
		return unknown(name, "the configuration requires it, and it does not apply to this pull request")
	}
	return v
}
