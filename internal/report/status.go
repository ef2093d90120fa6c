package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/state"
)

// Status writes how a delivery stands, for people: at most 100 columns wide.
func Status(w io.Writer, s engine.Status, o Options) error {
	out := &screen{o: o}
	statusHead(out, s)
	statusBypasses(out, s.Bypasses)
	out.heading("path")
	statusPath(out, s)
	statusNeeds(out, s)
	statusCriteria(out, s.Criteria)
	statusComments(out, s.Comments)
	statusAsks(out, s.Asks)
	statusDone(out, s)
	return out.flush(w)
}

func statusHead(out *screen, s engine.Status) {
	d := s.Delivery
	text := d.ID + " is " + d.Status
	if n, ok := current(s); ok {
		text += fmt.Sprintf(" at %s, attempt %d of %d", n.Name, n.Attempts, n.Budget)
	}
	out.wrapped("delivery  ", text)
	if d.Reason != "" {
		out.wrapped("because   ", d.Reason)
	}
	out.wrapped("goal      ", d.Goal)
	if d.Source != "" {
		out.wrapped("source    ", d.Source)
	}
	text = d.Provider
	if d.AutoPR {
		text += "; the pull request needs no confirmation (--auto-pr)"
	}
	out.wrapped("provider  ", text)
	if d.PlanRevision > 0 {
		out.line(fmt.Sprintf("plan      revision %d", d.PlanRevision))
	}
	out.line(fmt.Sprintf("ledger    %d events, head %s", s.Ledger.Seq, short(s.Ledger.Hash)))
}

// statusBypasses comes first: it is what a reader must not miss.
func statusBypasses(out *screen, list []state.Bypass) {
	if len(list) == 0 {
		return
	}
	out.heading("bypass")
	for _, b := range list {
		out.wrapped("  ✗ "+b.ID+" ", bypassWhat(b))
		out.wrapped("      ", "because "+b.Reason+", through "+b.Channel)
	}
}

func current(s engine.Status) (engine.NodeStatus, bool) {
	for _, n := range s.Nodes {
		if n.Name == s.Delivery.Node {
			return n, true
		}
	}
	return engine.NodeStatus{}, false
}

// sign is how a node stands, in one column.
func sign(n engine.NodeStatus, here bool) string {
	switch {
	case here:
		return "▶"
	case n.Status == state.NodePassed:
		return "✓"
	case n.Status == state.NodeFailed:
		return "✗"
	case n.Status == state.NodePaused:
		return "‖"
	}
	return "·"
}

func statusPath(out *screen, s engine.Status) {
	line, used := " ", 1
	for _, n := range s.Nodes {
		here := n.Name == s.Delivery.Node
		text := sign(n, here) + " " + n.Name
		if here || n.Attempts > 1 {
			text += fmt.Sprintf(" %d/%d", n.Attempts, n.Budget)
		}
		if here && n.Status != state.NodeRunning {
			text += " " + n.Status
		}
		room := columns(text) + 4 // a sign takes two columns more in ASCII
		if used+room > width {
			out.line(line)
			line, used = " ", 1
		}
		line, used = line+" "+text+" ", used+room
	}
	out.line(line)
}

func statusNeeds(out *screen, s engine.Status) {
	n, ok := current(s)
	if !ok || len(n.Needs) == 0 {
		return
	}
	out.heading("needs of " + n.Name)
	for _, need := range n.Needs {
		out.row("  ", []int{7, 24, 4}, need.State, need.Name(), need.Evidence, need.Why)
	}
}

func statusCriteria(out *screen, list []engine.CriterionStatus) {
	if len(list) == 0 {
		return
	}
	out.heading("criteria")
	wide := 4
	for _, c := range list {
		wide = min(max(wide, columns(c.ID)), 24)
	}
	for _, c := range list {
		out.row("  ", []int{wide, 4, 5}, c.ID, c.Hardness, c.Verdict, "discriminates: "+c.Discriminates)
	}
}

// aboutLines bounds what status shows of an ask; inbox shows all of it.
const aboutLines = 6

func statusAsks(out *screen, list []engine.AskStatus) {
	if len(list) == 0 {
		return
	}
	out.heading("open asks")
	for _, a := range list {
		head := fmt.Sprintf("  %s %s", a.ID, a.Kind)
		if len(a.Blocks) > 0 {
			head += ", blocks " + strings.Join(a.Blocks, ", ")
		}
		out.line(head)
		out.wrapped("    ", a.Question)
		about := strings.Split(a.About, "\n")
		for i, l := range about {
			if i == aboutLines {
				out.line(fmt.Sprintf("      and %d more lines; inbox shows them", len(about)-i))
				break
			}
			if l != "" {
				out.wrapped("      ", l)
			}
		}
		for _, l := range answers(a) {
			out.wrapped("    → ", l)
		}
	}
}

// answers says how a human answers an ask. A slash command is typed by a human and
// means nothing to a shell, so that nothing here helps an agent that pastes it.
func answers(a engine.AskStatus) []string {
	switch a.Kind {
	case state.AskApproval, state.AskConfirmation:
		what := "rejects it and asks for another plan"
		if a.Kind == state.AskConfirmation {
			what = "keeps it from leaving this machine"
		}
		return []string{
			fmt.Sprintf("read it whole: asterweave-state inbox; then a human types /asterweave:approve %.8s in the client, or asterweave-state approve in a terminal of their own", a.Digest),
			"/asterweave:reject and a reason " + what,
		}
	case state.AskCredential:
		return []string{fmt.Sprintf("put it in place yourself, then a human types /asterweave:reply %s and that it is there; never the secret itself", a.ID)}
	}
	text := fmt.Sprintf("a human types /asterweave:reply %s and the answer in the client, or asterweave-state reply %s in a terminal of their own", a.ID, a.ID)
	if len(a.Options) > 0 {
		return []string{"answers: " + strings.Join(a.Options, " | "), text}
	}
	return []string{text}
}

func statusDone(out *screen, s engine.Status) {
	var open []gate.Condition
	for _, c := range s.Done {
		if !c.Holds {
			open = append(open, c)
		}
	}
	switch {
	case s.Delivery.Status == state.Done:
		out.heading("done")
		if len(open) == 0 {
			return
		}
		out.line("  the world has changed since; these would not hold now:")
	case len(open) == 0:
		return
	default:
		out.heading(fmt.Sprintf("before done (%d of %d hold)", len(s.Done)-len(open), len(s.Done)))
	}
	for _, c := range open {
		first, more, cut := strings.Cut(c.Why, "; ")
		if cut {
			first = fmt.Sprintf("%s; and %d more", clip(first, 120), 1+strings.Count(more, "; "))
		}
		out.wrapped("  ", c.Name)
		out.wrapped("    ", first)
	}
}
