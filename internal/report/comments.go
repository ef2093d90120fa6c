package report

import "github.com/asterweave/asterweave/internal/engine"

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
