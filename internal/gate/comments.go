package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/state"
)

// Steps that an outstanding comment waits for.
const (
	StepTriage    = "triage"
	StepImplement = "implement" // a change, by fail-retryable
	StepReplan    = "replan"    // another plan, by fail-replan
	StepReply     = "reply"
	StepWait      = "wait" // for its author
)

// Outstanding is a comment that is not handled, and what it waits for.
type Outstanding struct {
	state.Comment
	Class string // "" while it is not triaged
	Step  string
	Why   string
}

// Outstanding returns the comments that were read last and are not handled, in the
// provider's order. One is handled when it is resolved, or when our reply, read
// back, is the newest text in it and, where it asks for a change, names a commit of
// the submitted head that came after its triage. A review that asks for changes
// stands until the provider says otherwise.
func (v View) Outstanding() []Outstanding {
	if v.State.Comments == nil {
		return nil
	}
	var out []Outstanding
	for _, c := range v.State.Comments.Items {
		o := v.outstanding(c)
		if o.Step == "" && c.Blocks {
			o.Step, o.Why = StepWait, "the review that asks for changes stands until its author looks again"
		}
		if o.Step != "" {
			out = append(out, o)
		}
	}
	return out
}

func (v View) outstanding(c state.Comment) Outstanding {
	o := Outstanding{Comment: c}
	t, ok := v.State.Triage[c.ID]
	switch {
	case !ok:
		o.Step, o.Why = StepTriage, "it is not triaged"
		return o
	case t.Said != c.Said:
		o.Step, o.Why = StepTriage, "others wrote in it since it was triaged"
		return o
	}
	o.Class = t.Class
	if t.Class != state.Informational {
		after := v.Facts.After[t.Head]
		switch {
		case t.Class == state.ChangesBehaviour && t.Plan == v.State.Docs[state.DocPlan]:
			o.Step, o.Why = StepReplan, "it changes behaviour, and the plan is the one that it was about"
			return o
		case len(after) == 0:
			o.Step, o.Why = StepImplement, "no commit was submitted since it was triaged"
			return o
		case c.Ours && !namesOne(c.Names, after):
			o.Step, o.Why = StepReply, "the reply names no commit that was submitted since it was triaged"
			return o
		}
	}
	if !c.Ours {
		o.Step, o.Why = StepReply, "nothing that we said is the newest in it"
	}
	return o
}

// namesOne reports whether one of the words begins the id of one of the commits.
func namesOne(words, commits []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.ContainsFunc(commits, func(c string) bool { return strings.HasPrefix(c, w) })
	})
}

// OutstandingText says in a sentence what is outstanding, "" when nothing is.
func (v View) OutstandingText() string {
	list := v.Outstanding()
	var parts []string
	for i, o := range list {
		if i == 5 {
			parts = append(parts, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s: %s", o.Kind, o.ID, o.Why))
	}
	if c := v.State.Comments; c != nil && c.More > 0 {
		parts = append(parts, fmt.Sprintf("%d more unresolved than are kept", c.More))
	}
	return strings.Join(parts, "; ")
}
