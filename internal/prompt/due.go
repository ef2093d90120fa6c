package prompt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
)

// due names, for each need that is not met, the exact command that would meet it.
func due(v gate.View, n graph.Node) string {
	var b strings.Builder
	if !v.State.Running(n.Name) {
		b.WriteString("No attempt is under way. Begin one:\n  " + Program + " enter " + n.Name)
		if v.State.Retry != "" {
			b.WriteString(" --hypothesis T")
			fmt.Fprintf(&b, "\nT: in one sentence, what was wrong (%s) and what will be different; it must differ from earlier ones", v.State.Retry)
		}
		b.WriteByte('\n')
		return b.String()
	}
	shut := v.Shut(n)
	for _, need := range shut {
		fmt.Fprintf(&b, "- %s is %s (%s):\n  %s\n", need.Name(), need.State, clip(oneLine(need.Why), 300), command(v, need))
	}
	for _, p := range v.Violations(n) {
		fmt.Fprintf(&b, "- undo, or fail-replan: %s\n", oneLine(p.String()))
	}
	if n.Name == graph.Implement && (v.Facts.Branch == "" || v.Facts.Branch == v.State.Delivery.Base) {
		b.WriteString("- the work needs a branch of its own: git switch -c NAME\n")
	}
	if n.Name == graph.Intake {
		b.WriteString(foreseen(v))
	}
	if len(shut) == 0 {
		b.WriteString("Every need is met.\n")
	}
	fmt.Fprintf(&b, "Then: %s complete %s pass (submit with an outcome does both). Else: %s --reason T.\n", Program, n.Name, outcomes(n))
	return b.String()
}

// foreseen is what the repository lacks and only a later step would stumble over.
func foreseen(v gate.View) string {
	var b strings.Builder
	if v.Facts.Head == "" && v.Facts.World.Base == "" {
		b.WriteString("- tell the person: there is no commit here yet, so whatever is committed later counts as this delivery's change. " +
			"If files are here already, they end it, commit those first, and start again.\n")
	}
	if v.Facts.Remote == "" {
		b.WriteString("- tell the person: there is no Git remote, or none that can be told from others, and submit-pr needs one; a bare repository will do.\n")
	}
	return b.String()
}

func outcomes(n graph.Node) string {
	var out []string
	for _, o := range graph.Outcomes() {
		if _, ok := n.Outcomes[o]; ok && o != graph.Pass && o != graph.Abort {
			out = append(out, string(o))
		}
	}
	return strings.Join(out, ", ")
}

func command(v gate.View, need gate.Need) string {
	record := func(note string) string {
		return fmt.Sprintf("%s record --kind %s --result pass --summary T   (%s)", Program, need.Kind, note)
	}
	switch need.Kind {
	case evidence.Task:
		return record("after " + Program + " spec put FILE")
	case evidence.Repository:
		return record("after " + Program + " manifest put FILE")
	case evidence.Baseline:
		return Program + " run --kind baseline"
	case evidence.Requirements:
		return record("no open question in spec.json; decisions and assumptions are there")
	case evidence.Plan:
		return record("after " + Program + " plan put FILE")
	case evidence.Approval:
		return "a human's approval; " + Program + " inbox shows it"
	case evidence.Change:
		return record("summary: your self-review")
	case evidence.Acceptance:
		if need.Gate == "" {
			return judge(v) + record("when every criterion is judged")
		}
	case evidence.CodeReview:
		return review(need.Kind, "staff-reviewer")
	case evidence.SecurityReview:
		return review(need.Kind, "security-reviewer")
	case evidence.PullRequest:
		return submit(v)
	case evidence.Pipeline:
		return Program + " read checks --wait 20m"
	case evidence.ReviewComments:
		return comments(v)
	case evidence.WorkItemUpdate:
		return update(v)
	}
	id := covering(v, need)
	if id == "" {
		return fmt.Sprintf("%s complete %s fail-replan --reason T   (no gate covers it; a new plan adds one)", Program, v.State.Node)
	}
	return Program + " run --gate " + id
}

// review names the delegation, and what a human does who reviews without a harness.
func review(k evidence.Kind, agent string) string {
	return fmt.Sprintf("delegate: %s next --agent %s   (outside of a client, a human reviews and, in a terminal, types record --kind %s --path FILE)", Program, agent, k)
}

// covering returns the gate whose run meets the need: its own, or the one that the
// plan names instead.
func covering(v gate.View, need gate.Need) string {
	if need.Gate == "" && v.Facts.Plan != nil {
		for _, na := range v.Facts.Plan.NotApplicable {
			if na.Kind == string(need.Kind) {
				return na.Instead
			}
		}
	}
	return need.Gate
}

func judge(v gate.View) string {
	var b strings.Builder
	for _, c := range v.State.Criteria {
		if verdict, _ := v.Verdict(c); verdict == gate.VerdictPass || verdict == gate.VerdictFail {
			continue
		}
		fmt.Fprintf(&b, "%s spec judge %s --verdict pass --expected %s --evidence %s\n  ", Program, c.ID, c.Digest, evidenceFor(v, c.ID))
	}
	return b.String()
}

func evidenceFor(v gate.View, criterion string) string {
	for _, g := range v.Gates() {
		for _, c := range g.Criteria {
			if n := v.GateNeed(g); c == criterion && n.State == gate.Current {
				return n.Evidence
			}
		}
	}
	return "ID"
}

// form is the submission to fill in for the node.
func form(v gate.View, n graph.Node) string {
	if !v.State.Running(n.Name) {
		return ""
	}
	sub := map[string]any{"outcome": "pass"}
	record := func(k evidence.Kind, summary string) {
		sub["records"] = []map[string]string{{"kind": string(k), "result": "pass", "summary": summary}}
	}
	switch n.Name {
	case graph.Intake:
		sub["documents"] = map[string]any{"spec": specForm()}
		record(evidence.Task, "…")
	case graph.Analyze:
		sub["documents"] = map[string]any{"manifest": map[string]any{
			"version": 1, "task": "…", "files": []string{"…"}, "tests": []string{"…"}, "commands": map[string]string{"test": "…"},
		}}
		record(evidence.Repository, "…")
	case graph.Challenge:
		record(evidence.Requirements, "what was challenged")
	case graph.Plan:
		sub["documents"] = map[string]any{"plan": planForm()}
		record(evidence.Plan, "…")
	case graph.Implement:
		record(evidence.Change, "self-review: …")
	case graph.Verify:
		sub["verdicts"] = verdictForm(v)
		record(evidence.Acceptance, "…")
	case graph.Comments:
		t := triageForm(v)
		if t == nil {
			return ""
		}
		delete(sub, "outcome")
		sub["documents"] = map[string]any{"triage": t}
	default:
		return ""
	}
	b, err := json.Marshal(sub)
	if err != nil {
		return ""
	}
	note := ""
	if n.Name == graph.Analyze {
		note = "\nFirst without an outcome; then " + Program + " run --kind baseline; then complete analyze pass."
	}
	return fmt.Sprintf("%s submit %s -   reads one JSON object, applied all or nothing:\n%s%s", Program, n.Name, b, note)
}

func specForm() document.Spec {
	return document.Spec{
		Version: 1,
		Task:    document.Task{Summary: "…", Constraints: []string{}, OutOfScope: []string{}, Decisions: []string{}, Assumptions: []string{}},
		Criteria: []document.Criterion{
			{ID: "AC-1", Text: "…", Hardness: document.Hard, Verify: "…", Refs: []string{}, Questions: []string{}},
		},
	}
}

func planForm() document.Plan {
	return document.Plan{
		Version: 1, Summary: "…", Scope: document.Scope{Write: []string{"…"}, Tests: []string{"…"}},
		Tasks:         []document.PlanTask{{ID: "T1", Title: "…", Criteria: []string{"AC-1"}}},
		Gates:         []document.Gate{{ID: "unit", Kind: string(evidence.UnitTest), Argv: []string{"…"}, Criteria: []string{"AC-1"}}},
		NotApplicable: []document.NotApplicable{{Kind: string(evidence.IntegrationTest), Because: "…", Instead: "unit"}},
		Risks:         []string{"…"}, Rollback: "…",
	}
}

func verdictForm(v gate.View) []document.VerdictInput {
	out := []document.VerdictInput{}
	for _, c := range v.State.Criteria {
		out = append(out, document.VerdictInput{ID: c.ID, Verdict: gate.VerdictPass, Expected: c.Digest, Evidence: []string{evidenceFor(v, c.ID)}})
	}
	return out
}

// Delegation returns the prompt for one agent, ours or the one that the repository
// routes the node to: criteria, repository facts, the assignment, constraints and the
// output contract.
func Delegation(v gate.View, t Texts, agent string) (string, bool) {
	body, own := t.Agent(agent)
	if !own {
		var ok bool
		if body, ok = routed(v, t, agent); !ok {
			return "", false
		}
	}
	task := header(v)
	task.title = "Assignment"
	sections := []section{
		{title: "Role and output contract", body: body, limit: 2000, shown: "the agent's own page has the rest", fixed: true},
		{title: "Repository", body: loads(v, agent), limit: 300, shown: document.ConfigPath + " at the base"},
		{title: "Acceptance", body: acceptance(v), limit: 900, shown: Program + " spec list"},
		{title: "Context manifest", body: manifest(v), limit: 700, shown: Program + " manifest show"},
		task,
		item(v, v.State.Node),
		assignment(v, v.State.Node),
		{title: "Changed files", body: changed(v), limit: 1200, shown: "git diff " + v.State.Delivery.Base},
		{title: "Constraints", body: constraints(v, agent), limit: 500, shown: Program + " log"},
	}
	last := section{title: "What is due", limit: 2000, shown: Program + " status", fixed: true}
	switch agent {
	case "staff-reviewer":
		last.title, last.body = "What to return", reviewForm(v, evidence.CodeReview)
	case "security-reviewer":
		last.title, last.body = "What to return", reviewForm(v, evidence.SecurityReview)
	case "failure-analyst":
		last.title, last.body = "Failures", failures(v)
	default:
		if n, _ := v.Graph.Node(v.State.Node); own || !judges(n) {
			last.body = due(v, n)
		}
	}
	sections = append(sections, last)
	return render(sections), true
}

// constraints are what people said. A reviewer gets what they gave on their own: the
// text of a question is the asker's, and may hold the author's reasons or another
// reviewer's findings.
func constraints(v gate.View, agent string) string {
	if agent == "staff-reviewer" || agent == "security-reviewer" {
		return steers(v)
	}
	return humans(v)
}

func changed(v gate.View) string {
	own, known := v.Own()
	if !known {
		return ""
	}
	for _, p := range v.Facts.Changed[v.Facts.World.Base] { // committed before start
		if !slices.Contains(own, p) {
			own = append(own, p)
		}
	}
	for i, p := range own {
		own[i] = oneLine(p)
	}
	return strings.Join(own, "\n")
}

// reviewForm lists the open findings of the kind and the block to end with. It
// says nothing of other reviewers or of the implementer's reasons.
func reviewForm(v gate.View, k evidence.Kind) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Open each changed file with Read; a printed diff does not count, and what was deleted needs none. The tree under review is %s.\n", v.Facts.World.Tree)
	block := document.Review{
		Version: 1, Kind: string(k), Verdict: "pass|fail", Tree: v.Facts.World.Tree, Summary: "…", Resolved: []string{},
		Findings: []document.Finding{{Severity: "Critical|High|Medium|Low", Path: "…", Line: 1, Title: "…", Detail: "…"}},
	}
	data, err := json.Marshal(block)
	if err != nil {
		return ""
	}
	fmt.Fprintf(&b, "End with exactly one fenced block; findings may be empty, resolved names open findings that the change ended:\n```json\n%s\n```\n", data)
	for _, f := range v.State.Findings {
		if f.Kind == string(k) {
			fmt.Fprintf(&b, "open finding %s (%s) %s:%d %s\n", f.ID, f.Severity, oneLine(f.Path), f.Line, oneLine(f.Title))
		}
	}
	return b.String()
}
