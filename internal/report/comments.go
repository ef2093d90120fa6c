package report

import (
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/state"
)

// comments shows the unresolved comments, how they were triaged and what they wait for.
func (w *mark) comments(list []engine.CommentStatus) {
	if len(list) == 0 {
		return
	}
	w.p("## Comments\n")
	for _, c := range list {
		w.p("- %s %s: %s", prose(c.Kind), code(c.ID), prose(commentText(c)))
	}
	w.p("")
}

func commentText(c engine.CommentStatus) string {
	text := "not triaged"
	if c.Class != "" {
		text = c.Class + " (" + c.Because + ")"
	}
	if c.Waits == "" {
		return text + ", handled"
	}
	return text + ", waits for " + c.Waits + ": " + c.Why
}

func statusComments(out *screen, list []engine.CommentStatus) {
	if len(list) == 0 {
		return
	}
	out.heading("comments")
	for i, c := range list {
		if i == aboutLines {
			out.line("  the report has the others")
			break
		}
		out.wrapped("  ", c.Kind+" "+c.ID+": "+commentText(c))
	}
}

// answered shows the comment that a reply is about, so that who confirms it knows.
func answered(out *screen, in Input, id string) {
	for _, c := range in.View.Facts.Said {
		if c.ID != id {
			continue
		}
		out.line("")
		out.wrapped("    in answer to ", strings.TrimSpace(c.Author+" "+c.URL)+":")
		out.block("    > ", c.Text)
		for _, r := range c.Replies {
			out.wrapped("    ", r.Author+":")
			out.block("    > ", r.Text)
		}
	}
}

// byComment reports whether a comment on the work item can answer the ask.
func byComment(v gate.View, a state.Ask) bool {
	d, takes := v.State.Delivery, v.Facts.Config.Approvals
	return a.Digest != "" && d.Source != "" && d.Provider != provider.Local && (len(takes) == 0 || slices.Contains(takes, evidence.ChannelProvider))
}
