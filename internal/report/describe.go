package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/state"
)

// describe says what a change did, in a few words.
func describe(c state.Change) string {
	for _, text := range []string{describeWalk(c), describeFact(c), describeHuman(c), describeAgent(c)} {
		if text != "" {
			return text
		}
	}
	return "a change of a kind that this version does not know"
}

// describeWalk is about where the delivery is.
func describeWalk(c state.Change) string {
	switch {
	case c.Started != nil:
		d := c.Started.Delivery
		return fmt.Sprintf("started %s on %s: %s", d.ID, d.Base, d.Goal)
	case c.Entered != nil:
		if c.Entered.Hypothesis != "" {
			return fmt.Sprintf("entered %s, hypothesis: %s", c.Entered.Node, c.Entered.Hypothesis)
		}
		return "entered " + c.Entered.Node
	case c.Completed != nil:
		return describeCompleted(*c.Completed)
	case c.Moved != nil:
		return "moved to " + c.Moved.To
	case c.Paused != nil:
		return "paused" + because(c.Paused.Reason)
	case c.Resumed != nil:
		return "resumed" + because(c.Resumed.Reason)
	case c.Ended != nil:
		return "ended as " + c.Ended.Status + because(c.Ended.Reason)
	case c.Granted != nil:
		return "one more attempt of " + c.Granted.Node
	}
	return ""
}

func describeCompleted(c state.Completed) string {
	text := fmt.Sprintf("%s ended with %s", c.Node, c.Outcome)
	if c.To != "" && c.To != c.Node {
		text += " → " + c.To
	}
	if c.Failure != nil {
		text += ", signature " + c.Failure.Signature
	}
	if c.Refund {
		text += ", attempt given back"
	}
	return text + because(c.Reason)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// describeFact is about what was seen.
func describeFact(c state.Change) string {
	switch {
	case c.Pinned != nil:
		return fmt.Sprintf("fixed the environment and %d programs that runs are compared with", len(c.Pinned.Programs))
	case c.Recorded != nil:
		r := c.Recorded
		text := fmt.Sprintf("%s %s: %s", r.ID, kindGate(r.Kind, r.Gate), r.Result)
		if r.Base {
			text += " at base"
		}
		if !r.Counts && !r.Base {
			text += ", opens nothing"
		}
		return text + because(r.Summary)
	case c.Documented != nil:
		return fmt.Sprintf("stored %s %s", c.Documented.Name, short(c.Documented.Digest))
	case c.Judged != nil:
		text := fmt.Sprintf("judged %s: %s", c.Judged.Criterion, c.Judged.Verdict.Value)
		if len(c.Judged.Verdict.Evidence) > 0 {
			text += " by " + strings.Join(c.Judged.Verdict.Evidence, ", ")
		}
		return text
	case c.Intended != nil:
		return fmt.Sprintf("%s announced: %s, digest %s", c.Intended.ID, c.Intended.Kind, short(c.Intended.Digest))
	case c.Commented != nil:
		return fmt.Sprintf("read %d comments, %d unresolved", c.Commented.Total, len(c.Commented.Items)+c.Commented.More)
	case c.Triaged != nil:
		var what []string
		for _, id := range slices.Sorted(maps.Keys(c.Triaged.Items)) {
			what = append(what, id+" "+c.Triaged.Items[id].Class)
		}
		return fmt.Sprintf("triaged %d comments: %s", len(what), strings.Join(what, ", "))
	case c.Settled != nil:
		if c.Settled.Part != "" {
			return fmt.Sprintf("the %s of %s was written and read back", c.Settled.Part, c.Settled.Intent)
		}
		return c.Settled.Intent + " was written and read back"
	case c.Submitted != nil:
		return fmt.Sprintf("submitted %s as %s", short(c.Submitted.Head), c.Submitted.URL)
	case c.Reviewed != nil:
		text := fmt.Sprintf("%s: %s", c.Reviewed.Kind, c.Reviewed.Review.Verdict)
		for _, f := range c.Reviewed.Opened {
			text += fmt.Sprintf(", %s %s %s", f.ID, f.Severity, f.Title)
		}
		if len(c.Reviewed.Resolved) > 0 {
			text += ", resolved " + strings.Join(c.Reviewed.Resolved, ", ")
		}
		return text
	}
	return ""
}

// describeHuman is about asks and a human's words.
func describeHuman(c state.Change) string {
	switch {
	case c.Asked != nil:
		text := fmt.Sprintf("%s asks (%s): %s", c.Asked.ID, c.Asked.Kind, c.Asked.Question)
		if c.Asked.Digest != "" {
			text += " digest " + short(c.Asked.Digest)
		}
		return text
	case c.Closed != nil:
		if c.Closed.Because != "" {
			return fmt.Sprintf("%s withdrawn: %s", c.Closed.Ask, c.Closed.Because)
		}
		return fmt.Sprintf("%s answered through %s: %s", c.Closed.Ask, c.Closed.Channel, c.Closed.Answer)
	case c.Analysed != nil:
		return c.Analysed.Ask + " got the failure analyst's report"
	case c.Approved != nil:
		return fmt.Sprintf("approved %s through %s (%s)", short(c.Approved.Digest), c.Approved.Channel, c.Approved.Record)
	case c.Confirmed != nil:
		return fmt.Sprintf("%s confirmed through %s", c.Confirmed.Intent, c.Confirmed.Channel)
	case c.Steered != nil:
		return fmt.Sprintf("steer %s: %s", c.Steered.ID, c.Steered.Text)
	case c.Waived != nil:
		return "WAIVED " + c.Waived.Kind + because(c.Waived.Because)
	case c.Bypassed != nil:
		return "BYPASS " + c.Bypassed.ID + ": " + bypassWhat(*c.Bypassed) + because(c.Bypassed.Reason)
	case c.Unhooked != nil:
		return "UNHOOKED: " + unhookedWhat(*c.Unhooked)
	case c.Accepted != nil:
		return "accepted " + acceptedWhat(*c.Accepted)
	}
	return ""
}

// bypassWhat says what the guard let through.
func bypassWhat(b state.Bypass) string {
	of := "anything"
	if b.Command != "" {
		of = b.Command
	}
	return fmt.Sprintf("the guard's rule %s, for %s, until %s", b.Rule, of, stamp(b.Until))
}

func unhookedWhat(u state.Unhooked) string {
	return "the installed hook that judges pushes is taken away from " + u.Folder
}

// describeAgent is about what a harness said.
func describeAgent(c state.Change) string {
	switch {
	case c.Held != nil:
		return fmt.Sprintf("kept the turn from ending, %d in a row without progress", c.Held.Count)
	case c.Leased != nil:
		return fmt.Sprintf("session %s drives until %s", c.Leased.Session, stamp(c.Leased.Until))
	case c.Tool != nil:
		text := "tool " + c.Tool.Tool
		if c.Tool.AgentType != "" {
			text += " by " + c.Tool.AgentType
		}
		if len(c.Tool.Files) > 0 {
			text += ": " + strings.Join(slices.Sorted(maps.Keys(c.Tool.Files)), ", ")
		}
		return text
	case c.Heard != nil:
		return "a human spoke in the conversation"
	case c.Used != nil:
		var sum state.Tokens
		for _, u := range c.Used.Uses {
			sum.Add(u.Tokens)
		}
		text := fmt.Sprintf("%d messages, tokens: %d in, %d out, %d from the cache", sum.Messages, sum.Input+sum.CacheWrite, sum.Output, sum.CacheRead)
		if c.Used.AgentType != "" {
			text += ", by " + c.Used.AgentType
		}
		return text
	case c.SentBack != nil:
		return "verdict sent back to " + c.SentBack.AgentID + because(c.SentBack.Because)
	case c.Prompted != nil:
		text := fmt.Sprintf("prompt of %d bytes, digest %s", c.Prompted.Size, short(c.Prompted.Digest))
		if c.Prompted.Agent != "" {
			text += ", for " + c.Prompted.Agent
		}
		return text
	}
	return ""
}

func acceptedWhat(c state.Accepted) string {
	var what []string
	if c.Digest != "" {
		what = append(what, fmt.Sprintf("%.20s", c.Digest))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Programs)) {
		what = append(what, fmt.Sprintf("%s as %s (%.12s)", name, c.Programs[name].Path, c.Programs[name].Digest))
	}
	if len(c.Surroundings) > 0 {
		what = append(what, "as they are: "+strings.Join(slices.Sorted(maps.Keys(c.Surroundings)), ", "))
	}
	return strings.Join(what, ", ")
}
