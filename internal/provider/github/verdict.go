package github

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// facts is all that a verdict about checks is made from.
type facts struct {
	Head      string       `json:"head"`
	Required  requirements `json:"required"`
	Entries   []entry      `json:"-"`                    // of the head, and of the test merge where there is one
	Unread    []string     `json:"unread,omitempty"`     // sources of requirements that could not be read
	Others    []string     `json:"otherGates,omitempty"` // gates of the branch that have no name to look for
	Awaiting  []string     `json:"awaiting,omitempty"`   // suites that a maintainer has to let run
	Notes     []string     `json:"notes,omitempty"`      // what a reader has to know, and what decides nothing
	Strict    bool         `json:"strict,omitempty"`     // the branch has to be up to date with its base
	Untold    bool         `json:"untold,omitempty"`     // whether it has to could not be read
	Conflicts bool         `json:"conflicts,omitempty"`  // workflows of the pull request do not run then
	Open      bool         `json:"open"`

	// MergeState is mergeStateStatus. GitHub says BEHIND where the branch has to be up to
	// date and is not, and UNKNOWN while it has not looked yet.
	MergeState string `json:"mergeState"`

	Fresh bool `json:"fresh,omitempty"` // the pull request changed a moment ago

	// Configured: the configuration lists required checks, so that the set is complete
	// even where a source could not be read.
	Configured bool `json:"configured,omitempty"`

	Asking provider.Asking `json:"asking,omitzero"` // whose own check is left out
}

// judged is a requirement with what was found for it.
type judged struct {
	requirement
	Bucket bucket  `json:"verdict"`
	Why    string  `json:"why,omitempty"`
	Found  []entry `json:"found,omitempty"`
}

// ruling is what follows from the facts.
type ruling struct {
	Result    evidence.Result
	Summary   string
	Because   string
	Signature string
	Pending   bool
	// Unreported: nothing is required, and nothing was reported.
	Unreported bool
	Checks     []judged
}

// rule decides. It passes only where the set of required checks is known, each of them
// is good and nothing was left unread.
func (f facts) rule() ruling {
	entries := newest(f.Entries)
	required := slices.Clone(f.Required)
	for _, e := range entries {
		if e.Required {
			required.add(e.Name, 0, fromIsRequired)
		}
	}
	entries, required, own := leaveOut(f.Asking, entries, required)
	var r ruling
	for _, q := range required {
		r.Checks = join(r.Checks, q.judge(entries))
	}
	none := len(required) == 0
	if none {
		for _, e := range entries {
			r.Checks = append(r.Checks, judged{requirement: requirement{Name: e.Name, App: e.App}, Bucket: e.bucket(), Why: e.word(), Found: []entry{e}})
		}
	}
	r.Summary = fmt.Sprintf("%.12s: %s", f.Head, tally(r.Checks, none))
	if len(own) > 0 {
		r.Summary += fmt.Sprintf("; without %q, which is the job that asks", f.Asking.Job)
	}
	f.decide(&r, none)
	if r.Pending && len(own) == 0 {
		_, rest := split(r.Checks)
		if why := waitsForItself(f.Asking, rest); why != "" {
			r.Because, r.Pending = r.Because+"; "+why, false
		}
	}
	for _, part := range []struct {
		label string
		what  []string
	}{{"not verified: other gates of the branch: ", f.Others}, {"", f.Notes}} {
		if len(part.what) > 0 {
			r.Summary += "; " + part.label + strings.Join(part.what, ", ")
		}
	}
	return r
}

// decide sets result, reason, signature and whether waiting helps.
func (f facts) decide(r *ruling, none bool) {
	r.Result = evidence.Unknown
	bad, rest := split(r.Checks)
	switch {
	case len(bad) > 0:
		r.Result, r.Because = evidence.Fail, "failed: "+list(bad)
		r.Signature = signature(bad)
		if skipped := in(r.Checks, notRun); len(skipped) > 0 {
			r.Because += "; skipped, so that nothing ran: " + list(skipped)
		}
	case f.behind():
		r.Result, r.Signature = evidence.Fail, "pipeline/behind"
		r.Because = "the branch has to be up to date with its base and is behind it; bring the base's commits into the branch"
	case none && len(f.Unread) > 0:
		r.Because = f.incomplete()
	case none && len(f.Awaiting) > 0:
		r.Because = f.awaiting()
	case none && len(r.Checks) == 0:
		r.Pending, r.Unreported = f.Open && f.Fresh, true
		r.Because = "no check is required, in the branch's rules or in the configuration, and none was reported; requiredChecks in the configuration names those that count"
	case none && len(except(rest, notRun)) == 0 && len(in(r.Checks, good)) == 0:
		r.Because = "no check is required, and those that were reported did not run: " + list(r.Checks)
	case len(rest) > 0 && !none, len(except(rest, notRun)) > 0:
		r.Because, r.Pending = f.open(rest)
	case len(f.Unread) > 0 && !f.Configured:
		r.Because = f.incomplete()
	case f.Open && f.Strict && (f.MergeState == "UNKNOWN" || f.MergeState == ""):
		r.Because, r.Pending = "the branch has to be up to date with its base, and GitHub has not found out yet whether it is", true
	default:
		r.Result = evidence.Pass
	}
}

// behind reports whether the branch lacks commits of a base that wants it up to date. A
// conflict is with a commit that the branch lacks.
func (f facts) behind() bool {
	return f.Open && (f.MergeState == "BEHIND" && (f.Strict || f.Untold) || f.Strict && f.Conflicts)
}

// open says what is not good yet, and whether it may become so by itself.
func (f facts) open(rest []judged) (because string, wait bool) {
	var parts []string
	wait = f.Open
	for _, k := range []struct {
		bucket bucket
		text   string
		waits  bool
	}{
		{odd, "in a state that is not known", false},
		{wrongSource, "reported, but not by the App that the rule names", false},
		{inconsistent, "not finished and yet with a conclusion", true},
		{missing, "required and not reported", true},
		{pending, "not finished", true},
		{notRun, "skipped: GitHub lets that merge, but nothing ran", false},
	} {
		if of := in(rest, k.bucket); len(of) > 0 {
			parts = append(parts, k.text+": "+list(of))
			wait = wait && k.waits
		}
	}
	lost := in(rest, missing)
	if len(lost) > 0 {
		if len(f.Awaiting) > 0 {
			parts, wait = append(parts, f.awaiting()), false
		}
		if f.Conflicts {
			parts, wait = append(parts, "the pull request conflicts with its base, and GitHub runs no pull_request workflow then"), false
		}
		if u := unexpanded(f.Entries); u != "" {
			parts, wait = append(parts, fmt.Sprintf("a skipped matrix job reported its unexpanded name %q, so its required names will not come", u)), false
		}
	}
	if len(f.Unread) > 0 && !f.Configured {
		parts = append(parts, f.incomplete())
	}
	return strings.Join(parts, "; "), wait
}

// incomplete says what settles it. A plan without protected branches refuses every token.
func (f facts) incomplete() string {
	unread, next := strings.Join(f.Unread, "; "), "a token that may read it, or requiredChecks in the configuration, settles it"
	if strings.Contains(unread, "Upgrade to GitHub") {
		next = "on this plan no token can read it: requiredChecks in the configuration settles it"
	}
	return "the set of required checks is not known whole: " + unread + "; " + next
}

func (f facts) awaiting() string {
	return "a maintainer has to approve the workflows of this pull request before they run: " + strings.Join(f.Awaiting, ", ")
}

// judge finds the entries of a requirement and takes the worst of them.
func (q requirement) judge(entries []entry) judged {
	j := judged{requirement: q, Bucket: missing}
	stranger := ""
	for _, e := range entries {
		if e.Name != q.Name {
			continue
		}
		if q.App != 0 && (e.Kind != checkRun || e.App != q.App) {
			stranger = e.source()
			continue
		}
		j.Found = append(j.Found, e)
		if b := e.bucket(); len(j.Found) == 1 || b > j.Bucket {
			j.Bucket, j.Why = b, e.word()
			if e.Workflow != "" {
				j.Why += " in " + e.Workflow
			}
		}
	}
	if len(j.Found) == 0 && stranger != "" {
		j.Bucket, j.Why = wrongSource, fmt.Sprintf("from %s, required from App %d", stranger, q.App)
	}
	return j
}

// join adds a verdict to a list with one for each name: the worse one stands.
func join(checks []judged, j judged) []judged {
	i := slices.IndexFunc(checks, func(o judged) bool { return o.Name == j.Name })
	if i < 0 {
		return append(checks, j)
	}
	from := append(slices.Clone(checks[i].From), j.From...)
	if j.Bucket > checks[i].Bucket {
		checks[i] = j
	}
	slices.Sort(from)
	checks[i].From = slices.Compact(from)
	return checks
}

// source says who reported an entry.
func (e entry) source() string {
	if e.Kind == statusContext {
		return fmt.Sprintf("a commit status by %q", e.By)
	}
	return fmt.Sprintf("App %d (%s)", e.App, e.AppSlug)
}

// split parts what failed from what is not good in another way.
func split(checks []judged) (bad, rest []judged) {
	for _, j := range checks {
		switch j.Bucket {
		case good:
		case failed:
			bad = append(bad, j)
		default:
			rest = append(rest, j)
		}
	}
	return bad, rest
}

func in(checks []judged, b bucket) []judged {
	return slices.DeleteFunc(slices.Clone(checks), func(j judged) bool { return j.Bucket != b })
}

func except(checks []judged, b bucket) []judged {
	return slices.DeleteFunc(slices.Clone(checks), func(j judged) bool { return j.Bucket == b })
}

// unexpanded returns the name of a matrix job that was skipped before its names were made.
func unexpanded(entries []entry) string {
	for _, e := range entries {
		if e.bucket() == notRun && strings.Contains(e.Name, "${{") {
			return e.Name
		}
	}
	return ""
}

// shown bounds how many names a text lists.
const shown = 8

// list names checks with why.
func list(checks []judged) string {
	var parts []string
	for i, j := range checks {
		if i == shown {
			parts = append(parts, fmt.Sprintf("and %d more", len(checks)-shown))
			break
		}
		part := fmt.Sprintf("%q", j.Name)
		if j.Why != "" {
			part += " (" + j.Why + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// tally counts the verdicts.
func tally(checks []judged, none bool) string {
	what := "required checks"
	if none {
		what = "checks, none of which is required"
	}
	text := fmt.Sprintf("%d %s", len(checks), what)
	for b := good; b <= failed; b++ {
		if n := len(in(checks, b)); n > 0 {
			text += fmt.Sprintf(", %d %s", n, b)
		}
	}
	return text
}

// signature names a failure by the checks that failed, so that the same ones are the same.
func signature(bad []judged) string {
	var names []string
	for _, j := range bad {
		if !slices.Contains(names, j.Name) {
			names = append(names, j.Name)
		}
	}
	slices.Sort(names)
	if len(names) > shown {
		names = append(names[:shown], fmt.Sprintf("+%d", len(names)-shown))
	}
	return "pipeline/" + strings.Join(names, ",")
}
