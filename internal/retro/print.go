package retro

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/document"
)

// Bounds of texts on the screen, in runes.
const (
	maxGoal     = 200
	maxQuestion = 100
)

// Print writes it for people. Texts of others stay on their lines.
func Print(w io.Writer, r Retro) error {
	var b strings.Builder
	for _, d := range r.Deliveries {
		d.print(&b)
		b.WriteByte('\n')
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "skipped %s: %s\n", one(s.Path, maxGoal), one(s.Why, maxGoal))
	}
	r.Total.print(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (d Delivery) print(b *strings.Builder) {
	fmt.Fprintf(b, "%s  %s after %s\n", d.ID, d.Outcome, length(d.DurationMs))
	row(b, "goal", one(d.Goal, maxGoal))
	row(b, "reason", one(d.Reason, maxGoal))
	row(b, "attempts", attempts(d.Nodes))
	for _, f := range d.Failures {
		row(b, "failed", f.text())
	}
	for _, u := range d.Unstable {
		row(b, "unstable", fmt.Sprintf("%s failed (%s) and passed (%s) on one tree", one(u.Gate, maxQuestion), strings.Join(u.Failed, ", "), u.Passed))
	}
	for _, a := range d.Asks {
		how := "no answer"
		switch {
		case a.Open:
			how = "open"
		case a.Channel != "":
			how = "answered, " + one(a.Channel, maxQuestion)
		}
		row(b, "asked", fmt.Sprintf("%s %s, %s after %s: %s", a.ID, a.Kind, how, length(a.WaitedMs), one(a.Question, maxQuestion)))
	}
	row(b, "counts", counts(d.Refunds, d.Replans, d.Calls, d.CallMs))
}

func (t Total) print(b *strings.Builder) {
	if t.Deliveries == 0 {
		b.WriteString("no delivery has left a ledger here\n")
		return
	}
	fmt.Fprintf(b, "all %d: %s; %s, %s of it waiting for people\n", t.Deliveries, byName(t.Outcomes), length(t.DurationMs), length(t.WaitedMs))
	row(b, "attempts", attempts(t.Nodes))
	for _, f := range t.Failures {
		row(b, "failed", f.text())
	}
	row(b, "unstable", byName(t.Unstable))
	row(b, "asked", byName(t.Asks))
	row(b, "counts", counts(t.Refunds, t.Replans, t.Calls, t.CallMs))
}

func (f Failure) text() string {
	where := f.Node
	if f.Gate != "" {
		where += " " + f.Gate
	}
	return one(fmt.Sprintf("%d × %s: %s", f.Count, where, f.Signature), maxGoal)
}

func attempts(nodes []Node) string {
	var out []string
	for _, n := range nodes {
		text := fmt.Sprintf("%s %d", n.Node, n.Attempts)
		if n.Refunds > 0 {
			text += fmt.Sprintf(" (%d refunded)", n.Refunds)
		}
		out = append(out, text)
	}
	return one(strings.Join(out, ", "), 1000)
}

func counts(refunds, replans, calls int, ms int64) string {
	return fmt.Sprintf("%d refunds, %d replans, %d tool calls in %s", refunds, replans, calls, length(ms))
}

// byName lists counts, the names sorted.
func byName(m map[string]int) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%d %s", m[name], name))
	}
	return one(strings.Join(out, ", "), 1000)
}

func row(b *strings.Builder, name, text string) {
	if text != "" {
		fmt.Fprintf(b, "  %-9s %s\n", name, text)
	}
}

func length(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d >= time.Minute {
		return d.Round(time.Second).String()
	}
	return d.String()
}

// one makes one line of a text, with at most n runes.
func one(s string, n int) string {
	r := []rune(document.OneLine(s))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n-1]) + "…"
}
