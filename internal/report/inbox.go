package report

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/state"
)

// Inbox writes what waits for a human: each open ask with all that an answer rests
// on, and how to answer. What is to be approved is shown whole, its digest last.
func Inbox(w io.Writer, in Input, o Options) error {
	out := &screen{o: o}
	if len(in.View.State.Asks) == 0 {
		out.line("nothing waits for a human")
	}
	for i, a := range in.View.State.Asks {
		if i > 0 {
			out.line("\n" + strings.Repeat("-", width) + "\n")
		}
		if err := ask(out, in, a); err != nil {
			return err
		}
	}
	return out.flush(w)
}

// Question writes one open ask as Inbox does.
func Question(w io.Writer, in Input, a state.Ask, o Options) error {
	out := &screen{o: o}
	if err := ask(out, in, a); err != nil {
		return err
	}
	return out.flush(w)
}

func ask(out *screen, in Input, a state.Ask) error {
	out.wrapped(a.ID+"  ", fmt.Sprintf("%s, since %s", a.Kind, stamp(a.At)))
	out.wrapped("    ", a.Question)
	if len(a.Blocks) > 0 {
		out.wrapped("    ", "blocks "+strings.Join(a.Blocks, ", "))
	}
	if a.Tried != "" {
		out.wrapped("    tried: ", a.Tried)
	}
	if a.About != "" {
		out.line("")
		out.block("    ", a.About)
	}
	var err error
	switch a.Kind {
	case state.AskApproval:
		err = approval(out, in, a)
	case state.AskConfirmation:
		confirmation(out, in, a)
	}
	if err != nil {
		return err
	}
	out.line("")
	if a.Digest != "" {
		out.line("digest  " + a.Digest)
	}
	for _, l := range howTo(a) {
		out.wrapped("→ ", l)
	}
	if byComment(in.View.View, a) {
		out.wrapped("→ ", fmt.Sprintf("or write as a comment on the work item %s: /asterweave approve %s", in.View.State.Delivery.Source, a.Digest))
	}
	return nil
}

// howTo says how an ask is answered, by one who has just read it.
func howTo(a state.Ask) []string {
	if a.Digest == "" {
		return answers(engine.AskStatus{ID: a.ID, Kind: a.Kind, Options: a.Options, Digest: a.Digest})
	}
	no := "to have another plan: /asterweave:reject and a reason, or asterweave-state reject in that terminal"
	if a.Kind == state.AskConfirmation {
		no = "to keep it from leaving this machine: /asterweave:reject and a reason"
	}
	return []string{
		fmt.Sprintf("to agree: type /asterweave:approve %.8s in the client, or run asterweave-state approve in a terminal of your own and type these eight digits there", a.Digest),
		no,
	}
}

// approval shows what an approval is about: the goal with its channel, the plan, and
// the gates that the repository adds.
func approval(out *screen, in Input, a state.Ask) error {
	s, f := in.View.State, in.View.Facts
	if f.Spec == nil || f.Plan == nil {
		out.line("\n    the plan is not there, so it cannot be shown: do not approve it")
		return nil
	}
	now, err := (&decide.Draft{View: in.View.View}).ApprovalDigest()
	if err != nil {
		return err
	}
	prev, err := lastShown(in)
	if err != nil {
		return err
	}
	out.line("")
	out.line("Goal, through " + document.OneLine(s.Delivery.GoalBy) + ":")
	out.block("> ", s.Delivery.Goal)
	if s.Delivery.Source != "" {
		out.wrapped("Work item: ", s.Delivery.Source)
	}
	out.wrapped("Base branch: ", s.Delivery.Base)
	if s.Delivery.Remote != "" {
		out.wrapped("Remote: ", s.Delivery.Remote+" at "+s.Delivery.URL)
	}
	out.line("")
	out.WriteString(document.Readable(*f.Spec, *f.Plan, prev))
	if len(f.Config.Gates) > 0 {
		out.heading("## Gates that the repository's configuration adds\n")
		for _, g := range f.Config.Gates {
			out.line(document.OneLine(fmt.Sprintf("- %s (%s): %s", g.ID, g.Kind, commandLine(g.Command()))))
		}
	}
	programs(out, in)
	if now != a.Digest {
		out.line("")
		out.wrapped("", "THIS CHANGED since it was put up for approval, and can no longer be approved: reject it, so that it is planned and shown again")
	}
	return nil
}

// programs shows which files the gates run, and what humans waived before.
func programs(out *screen, in Input) {
	s := in.View.State
	if len(s.Surroundings.Settings) > 0 {
		out.heading("## Settings that steer runners, and are compared with\n")
		for _, name := range slices.Sorted(maps.Keys(s.Surroundings.Settings)) {
			out.line(document.OneLine(fmt.Sprintf("- %s=%s", name, s.Surroundings.Settings[name])))
		}
	}
	if len(s.Programs) > 0 {
		out.heading("## Programs that runs are compared with\n")
		for _, name := range slices.Sorted(maps.Keys(s.Programs)) {
			p := s.Programs[name]
			out.line(document.OneLine(fmt.Sprintf("- %s: %s (%.12s)", name, p.Path, p.Digest)))
		}
	}
	if w := in.View.Waivers(); len(w) > 0 {
		out.heading("## Waived before\n")
		for _, kind := range slices.Sorted(maps.Keys(w)) {
			out.line(document.OneLine(fmt.Sprintf("- %s: %s", kind, w[kind])))
		}
	}
}

// lastShown returns the plan that a human was asked to approve last, before this
// time; nil when there was none, or when it cannot be read. Revisions in between
// were never shown: a difference to them would hide what changed.
func lastShown(in Input) (*document.Plan, error) {
	if in.View.State.PriorPlan == "" {
		return nil, nil
	}
	h, err := readHistory(in)
	if err != nil || len(h.shown) < 2 {
		return nil, err
	}
	b, err := in.Artifact(h.shown[len(h.shown)-2])
	if err != nil {
		return nil, nil //nolint:nilerr // the whole plan is shown; the difference only helps
	}
	var p document.Plan
	if err := json.Unmarshal(b, &p); err != nil {
		return nil, nil //nolint:nilerr // likewise
	}
	return &p, nil
}

// confirmation shows the text that would leave the machine, and the commits.
func confirmation(out *screen, in Input, a state.Ask) {
	for _, it := range in.View.State.Intents {
		if it.Digest != a.Digest {
			continue
		}
		if it.Title != "" {
			out.line("")
			out.wrapped("    title: ", it.Title)
		}
		if it.Kind == decide.IntentReply {
			answered(out, in, it.Target)
		}
		if it.Body != "" {
			b, err := in.Artifact(it.Body)
			if err != nil {
				out.line("")
				out.wrapped("    ", "its text cannot be shown: "+err.Error()+"; do not confirm it")
			}
			out.line("\n    text:")
			out.block("    | ", strings.ToValidUTF8(string(b), "\uFFFD"))
		}
		if it.Kind != decide.IntentPR {
			continue
		}
		if it.Draft {
			out.line("\n    as a draft")
		}
		for _, c := range in.View.Facts.Commits {
			out.line("\n    commit:")
			out.block("    | ", c)
		}
	}
}
