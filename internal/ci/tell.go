package ci

import (
	"fmt"
	"io"
	"strings"

	"github.com/asterweave/asterweave/internal/verify"
)

// maxAnnotations is how many errors, and how many warnings, GitHub shows of a step; the
// rest it drops without a word.
const maxAnnotations = 10

// Annotate writes the commands by which a system shows at the pull request what is not
// open: an error for what is shut, a warning for what is unknown.
func (e Event) Annotate(w io.Writer, v verify.Verdict) {
	shown := map[string]int{}
	for _, c := range v.Checks {
		if c.State == verify.Open || c.RestsOn != "" { // what it rests on is shown
			continue
		}
		kind := "error"
		if c.State == verify.Unknown {
			kind = "warning"
		}
		if shown[kind]++; shown[kind] > maxAnnotations {
			continue // the summary has them all
		}
		text := c.Reason
		if c.Next != "" {
			text += " — next: " + c.Next
		}
		switch e.System {
		case GitHub:
			fmt.Fprintf(w, "::%s title=%s::%s\n", kind, property("asterweave: "+c.Name+" is "+c.State), message(text))
		case Azure:
			fmt.Fprintf(w, "##vso[task.logissue type=%s;code=%s;]%s\n", kind, vso(c.Name), vso(c.Name+" is "+c.State+": "+text))
		}
	}
}

// maxSummary is how much a step may write as a summary, in bytes; more is dropped whole.
const maxSummary = 1 << 20

// Summary is the verdict as Markdown, shorter than what a step may write: rows that do
// not fit are counted.
func Summary(v verify.Verdict) string {
	var b strings.Builder
	title, allowed := "every check is open", 0
	for _, c := range v.Checks {
		if c.Allowed {
			allowed++
		}
	}
	switch {
	case !v.Open():
		title = "not every check is open"
	case allowed > 0:
		title = fmt.Sprintf("open, with %d unknown let through", allowed)
	}
	fmt.Fprintf(&b, "### Delivery %s: %s\n\n", cell(v.Delivery), title)
	fmt.Fprintf(&b, "Commit `%s`, base %s, ledger of %d events with the head `%s`.\n\n", hex(v.Commit), cell(v.Base), v.Ledger.Events, hex(v.Ledger.Head))
	b.WriteString("| | check | why |\n|---|---|---|\n")
	for _, c := range v.Checks {
		why := cell(c.Reason)
		switch {
		case c.Allowed:
			why += " **Let through by the job's own word.**"
		case c.State != verify.Open && c.Next != "":
			why += " Next: " + cell(c.Next) + "."
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", mark(c), cell(c.Name), why)
	}
	if len(v.Rerun) > 0 {
		b.WriteString("\n| | gate that ran again | named by | |\n|---|---|---|---|\n")
	}
	for i, r := range v.Rerun {
		row := fmt.Sprintf("| %s | %s (%s) | %s | %s |\n", mark(verify.Check{State: r.State}), cell(r.Gate), cell(r.Kind), cell(r.From), cell(r.Reason))
		if b.Len()+len(row) > maxSummary-100 {
			fmt.Fprintf(&b, "| | and %d more | | |\n", len(v.Rerun)-i)
			break
		}
		b.WriteString(row)
	}
	return b.String()
}

func mark(c verify.Check) string {
	switch c.State {
	case verify.Open:
		return "🟢 open"
	case verify.Shut:
		return "🔴 shut"
	}
	return "🟡 unknown"
}

// hex returns a text if it is one of hex digits, as ids and digests are.
func hex(s string) string {
	if strings.Trim(s, "0123456789abcdef") != "" {
		return "?"
	}
	return s
}

// UploadSummary returns the command by which Azure Pipelines takes a summary from a file.
func UploadSummary(path string) string {
	return "##vso[task.uploadsummary]" + strings.NewReplacer("%", "%AZP25", "\r", "%0D", "\n", "%0A").Replace(path)
}
