package report

import (
	"fmt"
	"strings"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/gate"
)

// Start and End enclose what Asterweave writes into a pull request's body, so that
// it can be found and replaced there. No text of others can hold them.
const (
	Start = bundle.AnchorStart
	End   = bundle.AnchorEnd
)

// Bounds of a pull request's body: providers cut or refuse long ones.
const (
	bodyRows = 60  // criteria and records each
	bodyText = 200 // columns of a text
)

// prBody returns what a pull request says about the delivery.
func prBody(m Model) string {
	w := &mark{}
	w.p("%s", Start)
	w.p("### Delivery %s\n", code(m.Delivery.ID))
	if m.Plan != nil {
		w.p("%s", quote(m.Plan.Summary))
	} else {
		w.p("%s", quote(m.Delivery.Goal))
	}
	if m.Delivery.Source != "" {
		w.p("Work item: %s\n", code(m.Delivery.Source))
	}
	w.bodyCriteria(m)
	w.bodyEvidence(m)
	w.bodyHumans(m)
	w.bodyFindings(m.Findings)
	w.p("%s", anchor(m.Ledger).Line())
	w.p("%s", End)
	return w.String()
}

// anchor is what bundle.ReadAnchor reads.
func anchor(l Ledger) bundle.Anchor {
	return bundle.Anchor{Events: l.Events, Bytes: l.Bytes, Head: l.Head}
}

func brief(s string) string { return prose(clip(document.OneLine(s), bodyText)) }

// left says how many rows a table leaves out.
func (w *mark) left(n int, what string) {
	if n > 0 {
		w.p("%d more %s are in the report.\n", n, what)
	}
}

func (w *mark) bodyCriteria(m Model) {
	var rows [][]string
	var soft, shut []Criterion
	for _, c := range m.Criteria {
		switch {
		case c.SoftFailure():
			soft = append(soft, c)
		case c.Verdict != gate.VerdictPass:
			shut = append(shut, c)
		}
		if len(rows) == bodyRows {
			continue
		}
		rests := strings.Join(c.Evidence, ", ")
		if rests == "" && c.Channel != "" && c.Verify == document.VerifyHuman {
			rests = "a human, through " + c.Channel
		}
		rows = append(rows, []string{"**" + prose(c.ID) + "**", prose(c.Hardness), brief(c.Text), verdictMark(c), prose(rests), prose(c.Discriminates)})
	}
	w.table([]string{"criterion", "", "", "verdict", "evidence", "discriminates"}, rows)
	w.left(len(m.Criteria)-len(rows), "criteria")
	for _, c := range soft {
		w.p("- **%s is SOFT and fails**: %s", prose(c.ID), brief(c.Text))
	}
	for _, c := range shut {
		w.p("- **%s is %s**: %s", prose(c.ID), prose(c.Verdict), brief(c.Why))
	}
	if len(soft)+len(shut) > 0 {
		w.p("")
	}
}

// bodyEvidence shows the records that count now and came from a look, not a word.
func (w *mark) bodyEvidence(m Model) {
	var rows [][]string
	more := 0
	for _, e := range m.Evidence {
		if e.Standing != gate.Current && e.Standing != gate.Info && e.Standing != AtBase || len(e.Argv) == 0 && !e.Kind.IsReview() {
			continue
		}
		if len(rows) == bodyRows {
			more++
			continue
		}
		result := resultMark(e)
		if e.Base {
			result = prose(string(e.Result)) + " at base"
		}
		what := brief(e.Summary)
		if len(e.Argv) > 0 {
			what = code(clip(commandLine(e.Argv), bodyText))
		}
		rows = append(rows, []string{prose(e.ID), prose(kindGate(e.Kind, e.Gate)), result, what, prose(counts(e.Tests))})
	}
	w.table([]string{"evidence", "kind", "result", "what", "tests"}, rows)
	w.left(more, "records")
}

func (w *mark) bodyHumans(m Model) {
	n := w.Len()
	for _, a := range m.Approvals {
		if a.InForce && a.Kind == "approval" {
			w.p("- approved: %s, digest %s, through %s", prose(a.About), code(short(a.Digest)), prose(who(a.Channel, a.By)))
		}
	}
	for _, x := range m.Exceptions {
		w.p("- **%s: %s** (%s) through %s", strings.ToUpper(prose(x.Kind)), prose(x.What), brief(x.Because), prose(who(x.By.Channel, x.By)))
	}
	for _, u := range m.Unstable {
		w.p("- **unstable**: %s failed (%s) and then passed (%s) on one tree", prose(u.Gate), prose(strings.Join(u.Failed, ", ")), prose(u.Passed))
	}
	failed := 0
	for _, a := range m.Path {
		if a.Signature != "" {
			failed++
		}
	}
	if failed > 0 {
		w.p("- %s on the way; the report says how", plural(failed, "attempt failed", "attempts failed"))
	}
	if w.Len() > n {
		w.p("")
	}
}

func (w *mark) bodyFindings(list []Finding) {
	n := w.Len()
	for _, f := range list {
		if f.Resolved == "" {
			w.p("- open finding %s (%s) in %s: %s", prose(f.ID), prose(f.Severity), code(place(f)), brief(f.Title))
		}
	}
	if w.Len() > n {
		w.p("")
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
