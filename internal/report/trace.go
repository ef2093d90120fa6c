package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/state"
)

// Trace writes the descent of a delivery as a tree: work item or goal, criterion,
// task, change, evidence, pull request.
func Trace(w io.Writer, in Input, o Options) error {
	m, err := Build(in)
	if err != nil {
		return err
	}
	out := &screen{o: o}
	root := branch{text: "goal: " + m.Delivery.Goal}
	if m.Delivery.Source != "" {
		root = branch{text: "work item " + m.Delivery.Source, under: []branch{root}}
	}
	trunk := &root
	if len(root.under) > 0 {
		trunk = &root.under[0]
	}
	for _, c := range m.Criteria {
		trunk.under = append(trunk.under, traceCriterion(m, c))
	}
	if len(m.Criteria) == 0 {
		trunk.add("no acceptance criteria yet")
	}
	trunk.under = append(trunk.under, traceChanges(m)...)
	trunk.under = append(trunk.under, traceEnd(m)...)
	root.write(out, "", "")
	return out.flush(w)
}

// branch is a line of a tree and what hangs on it.
type branch struct {
	text  string
	under []branch
}

func (b *branch) add(format string, args ...any) {
	b.under = append(b.under, branch{text: fmt.Sprintf(format, args...)})
}

func (b branch) write(out *screen, first, further string) {
	own := further
	if len(b.under) > 0 {
		own += "│ "
	}
	out.hanging(first, pad(own, columns(further)+2), b.text)
	for i, u := range b.under {
		if i == len(b.under)-1 {
			u.write(out, further+"└─ ", further+"   ")
		} else {
			u.write(out, further+"├─ ", further+"│  ")
		}
	}
}

func traceCriterion(m Model, c Criterion) branch {
	text := fmt.Sprintf("%s %s %s", c.ID, c.Hardness, c.Verdict)
	if c.Verdict == gate.VerdictStale {
		text += " (" + c.Why + ")"
	}
	if c.Text != "" {
		text += ": " + c.Text
	}
	b := branch{text: text}
	named := false
	if m.Plan != nil {
		for _, t := range m.Plan.Tasks {
			if !slices.Contains(t.Criteria, c.ID) {
				continue
			}
			named = true
			task := branch{text: fmt.Sprintf("task %s: %s", t.ID, t.Title)}
			for _, ch := range m.Changes.Paths {
				if slices.Contains(ch.Tasks, t.ID) {
					task.add("change %s", ch.Path)
				}
			}
			b.under = append(b.under, task)
		}
	}
	if !named {
		b.add("no task yet")
	}
	b.under = append(b.under, traceEvidence(m, c)...)
	if c.Channel != "" && c.Verify == "human" {
		b.add("verdict by a human through %s", c.Channel)
	}
	return b
}

// traceEvidence shows what the verdict cites and the newest record of each gate
// that names the criterion; earlier ones share a line.
func traceEvidence(m Model, c Criterion) []branch {
	var shown []branch
	var earlier []string
	for i, e := range m.Evidence {
		if e.Gate == "" && !slices.Contains(c.Evidence, e.ID) || e.Gate != "" && !slices.Contains(e.Criteria, c.ID) {
			continue
		}
		cited := slices.Contains(c.Evidence, e.ID)
		newer := slices.ContainsFunc(m.Evidence[i+1:], func(n Evidence) bool { return n.Key() == e.Key() })
		if newer && !cited {
			earlier = append(earlier, fmt.Sprintf("%s %s %s", e.ID, e.Gate, e.Result))
			continue
		}
		text := "evidence " + evidenceLine(e)
		if cited {
			text += "; the verdict rests on it"
		}
		shown = append(shown, branch{text: text})
	}
	if len(shown) == 0 {
		shown = append(shown, branch{text: "no evidence yet"})
	}
	if len(earlier) > 0 {
		shown = append(shown, branch{text: "earlier: " + strings.Join(earlier, ", ")})
	}
	return shown
}

// evidenceLine is a record on one line.
func evidenceLine(e Evidence) string {
	parts := []string{fmt.Sprintf("%s %s: %s", e.ID, kindGate(e.Kind, e.Gate), e.Result)}
	if e.Base {
		parts[0] += " at base"
	}
	if len(e.Argv) > 0 {
		parts = append(parts, commandLine(e.Argv))
	} else if e.Summary != "" {
		parts = append(parts, e.Summary)
	}
	if e.Exit != nil {
		parts = append(parts, fmt.Sprintf("exit %d", *e.Exit))
	}
	if t := counts(e.Tests); t != "" {
		parts = append(parts, t)
	}
	if e.Standing != gate.Current && e.Standing != AtBase && e.Standing != string(e.Result) {
		parts = append(parts, e.Standing)
	}
	return strings.Join(parts, ", ")
}

// traceChanges shows what no task of a criterion names.
func traceChanges(m Model) []branch {
	if !m.Changes.Known {
		return []branch{{text: "changes are not known: " + m.Changes.Why}}
	}
	var under []branch
	for _, ch := range m.Changes.Paths {
		if len(ch.Tasks) > 0 {
			continue
		}
		text := ch.Path
		if ch.Outside {
			text += " (outside the scope)"
		}
		under = append(under, branch{text: text})
	}
	if len(under) == 0 {
		return nil
	}
	return []branch{{text: "changes that no task names", under: under}}
}

func traceEnd(m Model) []branch {
	var out []branch
	for _, a := range m.Approvals {
		if a.InForce {
			out = append(out, branch{text: fmt.Sprintf("%s of %s, digest %s, through %s", a.Kind, a.About, short(a.Digest), who(a.Channel, a.By))})
		}
	}
	for _, k := range []evidence.Kind{evidence.CodeReview, evidence.SecurityReview} {
		if e, ok := newest(m, k); ok {
			out = append(out, branch{text: evidenceLine(e)})
		}
	}
	pr := branch{text: "no pull request yet"}
	if m.PullRequest != nil {
		pr.text = fmt.Sprintf("pull request %s, head %s, tree %s", m.PullRequest.URL, short(m.PullRequest.Head), short(m.PullRequest.Tree))
		for _, k := range []evidence.Kind{evidence.PullRequest, evidence.Pipeline, evidence.ReviewComments, evidence.WorkItemUpdate} {
			if e, ok := newest(m, k); ok {
				pr.under = append(pr.under, branch{text: evidenceLine(e)})
			}
		}
	}
	out = append(out, pr)
	if m.Delivery.Status == state.Done || m.Delivery.Status == state.Aborted {
		out = append(out, branch{text: outcome(m.Delivery)})
	}
	return out
}

func newest(m Model, k evidence.Kind) (Evidence, bool) {
	for _, e := range slices.Backward(m.Evidence) {
		if e.Kind == k {
			return e, true
		}
	}
	return Evidence{}, false
}
