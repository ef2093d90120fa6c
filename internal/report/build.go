package report

import (
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/state"
)

// Build puts together what a report says.
func Build(in Input) (Model, error) {
	h, err := readHistory(in)
	if err != nil {
		return Model{}, err
	}
	v, s := in.View, in.View.State
	m := Model{
		Version: ModelVersion,
		Delivery: Delivery{
			DeliveryStatus: engine.Delivery(v.View), GoalChannel: s.Delivery.GoalBy, Base: s.Delivery.Base, Branch: s.Branch,
			StartedAt: s.Delivery.StartedAt, LastAt: v.Tail.At,
		},
		World: World{World: v.Facts.World, Head: v.Facts.Head, Unknown: v.Facts.TreeUnknown},
		Nodes: engine.StatusOf(v).Nodes, Path: list(h.path), Approvals: list(h.approvals), Findings: list(h.findings), Asks: list(h.asks),
		Steers: list(h.steers), Exceptions: list(h.exceptions), Unstable: unstable(h.evidence), Done: v.Done(), Changes: changes(v.View), Comments: engine.Comments(v.View), Usage: engine.Usages(v.View),
		Ledger: Ledger{Events: v.Tail.Seq, Bytes: v.Tail.End, Head: v.Tail.Hash},
	}
	m.approvals(s)
	if p := v.Facts.Plan; p != nil {
		m.Plan = &Plan{Plan: *p, Revision: s.PlanRevision, Digest: s.Docs[state.DocPlan]}
		for i, st := range m.Steers {
			m.Steers[i].Answer = answerTo(*p, st.ID)
		}
	}
	m.Gates, m.Criteria, m.Evidence = gates(v.View), criteria(v.View), standings(v.View, h.evidence)
	if p := s.Submitted; p != nil {
		m.PullRequest = &PullRequest{URL: p.URL, Head: p.Head, Tree: p.Tree}
	}
	return m, nil
}

// list returns a list that encodes as [] when it is empty.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// approvals marks those that are in force: the state knows the newest of each.
func (m *Model) approvals(s *state.State) {
	for i, a := range m.Approvals {
		switch a.Kind {
		case state.AskApproval:
			m.Approvals[i].InForce = s.Approval != nil && s.Approval.Record == a.Evidence
		default:
			m.Approvals[i].InForce = slices.ContainsFunc(s.Intents, func(in state.Intent) bool { return in.Digest == a.Digest && in.Confirmed })
		}
	}
}

func answerTo(p document.Plan, steer string) string {
	for _, a := range p.Answers {
		if a.Steer == steer {
			return a.How
		}
	}
	return ""
}

func gates(v gate.View) []Gate {
	out := []Gate{}
	for i, g := range v.Gates() {
		n := v.GateNeed(g)
		from := "configuration"
		if v.Facts.Plan != nil && i < len(v.Facts.Plan.Gates) {
			from = "plan"
		}
		out = append(out, Gate{ID: g.ID, Kind: g.Kind, Command: commandLine(g.Command()), From: from, State: n.State, Evidence: n.Evidence, Why: n.Why})
	}
	return out
}

func criteria(v gate.View) []Criterion {
	out := []Criterion{}
	for _, c := range v.State.Criteria {
		verdict, why := v.Verdict(c)
		k := Criterion{
			ID: c.ID, Hardness: c.Hardness, Digest: c.Digest, Verdict: verdict, Why: why, Channel: c.Verdict.Channel,
			Evidence: strs(c.Verdict.Evidence), Discriminates: v.Discriminates(c), Refs: []string{}, Cells: []Cell{},
		}
		if v.Facts.Spec != nil {
			if d, ok := v.Facts.Spec.Criterion(c.ID); ok {
				k.Text, k.Verify, k.Refs = d.Text, d.Verify, strs(d.Refs)
			}
		}
		for _, g := range v.Gates() {
			if slices.Contains(g.Criteria, c.ID) {
				n := v.GateNeed(g)
				k.Cells = append(k.Cells, Cell{Gate: g.ID, State: n.State, Evidence: n.Evidence, Cited: slices.Contains(k.Evidence, n.Evidence)})
			}
		}
		out = append(out, k)
	}
	return out
}

// standings says of each record what it is worth now.
func standings(v gate.View, records []evidence.Record) []Evidence {
	needs := map[string]gate.Need{}
	for _, n := range v.Graph.Nodes {
		for _, need := range v.Needs(n) {
			if need.Evidence != "" {
				needs[need.Evidence] = need
			}
		}
	}
	for _, g := range v.Gates() {
		if need := v.GateNeed(g); need.Evidence != "" {
			needs[need.Evidence] = need
		}
	}
	out := []Evidence{}
	for _, r := range records {
		e := Evidence{Record: r, Standing: OpensNothing, Why: r.Because}
		need, used := needs[r.ID]
		switch {
		case r.Base:
			e.Standing = AtBase
		case used && need.State != gate.Missing:
			e.Standing, e.Why = need.State, need.Why
		case r.Counts:
			e.Standing = Superseded
		}
		out = append(out, e)
	}
	return out
}

func changes(v gate.View) Changes {
	c := Changes{Paths: []Change{}}
	paths, known := v.Own()
	if !known {
		c.Why = "the tree is not known"
		if len(v.Facts.TreeUnknown) > 0 {
			c.Why = "the tree cannot be computed: " + strings.Join(v.Facts.TreeUnknown, "; ")
		}
		return c
	}
	c.Known = true
	for _, p := range paths {
		ch := Change{Path: p, Defines: document.GateDefining(p), Outside: true, Tasks: []string{}}
		if plan := v.Facts.Plan; plan != nil {
			ch.Outside, ch.Test = !plan.Scope.Allows(p), document.InScope(plan.Scope.Tests, p)
			for _, t := range plan.Tasks {
				if document.InScope(t.Paths, p) {
					ch.Tasks = append(ch.Tasks, t.ID)
				}
			}
		}
		c.Paths = append(c.Paths, ch)
	}
	return c
}
