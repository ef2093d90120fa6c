package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/state"
)

// States of a need.
const (
	Missing = "missing"
	Current = "current"
	Stale   = "stale"
	Failing = "failing"
	Info    = "info"
)

// Need is one thing that a node needs to pass, and how it stands.
type Need struct {
	Kind     evidence.Kind `json:"kind"`
	Gate     string        `json:"gate"`
	State    string        `json:"state"`
	Evidence string        `json:"evidence"`
	Why      string        `json:"why"`
}

// Open reports whether the need is met.
func (n Need) Open() bool { return n.State == Current || n.State == Info }

// Name returns "kind" or "kind gate".
func (n Need) Name() string {
	if n.Gate == "" {
		return string(n.Kind)
	}
	return string(n.Kind) + " " + n.Gate
}

// Needs returns what the node needs to pass, in the order of the graph.
func (v View) Needs(node graph.Node) []Need {
	var out []Need
	for _, k := range node.Requires {
		switch {
		case k == evidence.Acceptance:
			out = append(out, v.need(k, ""))
		case k.IsGate():
			out = append(out, v.gateNeeds(k, true)...)
		default:
			out = append(out, v.need(k, ""))
		}
	}
	for _, k := range node.PlanGates {
		out = append(out, v.gateNeeds(k, false)...)
	}
	return out
}

// gateNeeds returns one need for each gate of the kind. A required kind without a
// gate is missing, unless the plan says what covers its risk instead.
func (v View) gateNeeds(k evidence.Kind, required bool) []Need {
	var out []Need
	for _, g := range v.Gates() {
		if g.Kind == string(k) {
			out = append(out, v.need(k, g.ID))
		}
	}
	if len(out) > 0 || !required {
		return out
	}
	return []Need{v.notApplicable(k)}
}

// waived says why a human's word opens the kind. A waiver is about the plan that it
// was given under; one that was given before there was a plan, about none.
func (v View) waived(k evidence.Kind) (because string, ok bool) {
	w, given := v.State.Waivers[string(k)]
	return w.Because, given && (w.Plan == "" || w.Plan == v.State.Docs[state.DocPlan])
}

// Waivers returns the kinds that humans waived and why, as far as that still holds.
func (v View) Waivers() map[string]string {
	out := map[string]string{}
	for k := range v.State.Waivers {
		if because, ok := v.waived(evidence.Kind(k)); ok {
			out[k] = because
		}
	}
	return out
}

func (v View) notApplicable(k evidence.Kind) Need {
	n := Need{Kind: k, State: Missing, Why: "the plan has no gate of this kind"}
	rule, _ := v.Graph.Rule(k)
	if because, ok := v.waived(k); ok {
		return Need{Kind: k, State: Info, Why: "waived by a human: " + because}
	}
	if v.Facts.Plan == nil || !slices.Contains(rule.Info, "plan") {
		return n
	}
	for _, na := range v.Facts.Plan.NotApplicable {
		if na.Kind != string(k) {
			continue
		}
		g, ok := v.Gate(na.Instead)
		if !ok {
			n.Why = fmt.Sprintf("gate %s, which is to cover it, is not there", na.Instead)
			return n
		}
		instead := v.need(evidence.Kind(g.Kind), g.ID)
		n.Evidence = instead.Evidence
		if instead.State != Current {
			n.State, n.Why = instead.State, fmt.Sprintf("gate %s covers it and is %s", g.ID, instead.State)
			return n
		}
		n.State, n.Why = Info, na.Because
		return n
	}
	return n
}

// need says how one kind, or one gate of it, stands.
func (v View) need(k evidence.Kind, gateID string) Need {
	n := Need{Kind: k, Gate: gateID, State: Missing}
	rule, _ := v.Graph.Rule(k)
	if because, ok := v.waived(k); ok && slices.Contains(rule.Info, "waiver") {
		n.State, n.Why = Info, "waived by a human: "+because
		return n
	}
	slot := v.State.Slots[evidence.Record{Kind: k, Gate: gateID}.Key()]
	if slot.Counts == nil {
		n.Why = "nothing is recorded"
		if slot.Last != nil {
			n.Evidence = slot.Last.ID
			n.Why = fmt.Sprintf("%s (%s) opens nothing", slot.Last.Result, slot.Last.Witness)
			if slot.Last.Because != "" {
				n.Why += ": " + slot.Last.Because
			}
		}
		return n
	}
	r := *slot.Counts
	n.Evidence = r.ID
	if !rule.Accepts(r.Witness) {
		n.Why = fmt.Sprintf("the witness %q does not open it", r.Witness)
		return n
	}
	if why := v.stale(r); why != "" {
		n.State, n.Why = Stale, why
		return n
	}
	switch r.Result {
	case evidence.Pass:
		n.State = Current
	case evidence.Info:
		if !slices.Contains(rule.Info, "read") || r.Witness != evidence.ReadBack {
			n.Why = "an info does not open it"
			return n
		}
		n.State, n.Why = Info, r.Because
	default:
		n.State, n.Why = Failing, r.Summary
	}
	if k.IsReview() && n.State == Current {
		if why := v.openFindings(k); why != "" {
			n.State, n.Why = Failing, why
		}
	}
	return n
}

func (v View) openFindings(k evidence.Kind) string {
	var open []string
	for _, f := range v.State.Findings {
		if f.Kind == string(k) && f.Severe() {
			open = append(open, fmt.Sprintf("%s %s (%s)", f.ID, f.Title, f.Severity))
		}
	}
	if len(open) == 0 {
		return ""
	}
	return "open: " + strings.Join(open, "; ")
}

// Shut returns the needs of the node that are not met.
func (v View) Shut(node graph.Node) []Need {
	return slices.DeleteFunc(v.Needs(node), Need.Open)
}

// GateNeed says how the gate stands.
func (v View) GateNeed(g document.Gate) Need { return v.need(evidence.Kind(g.Kind), g.ID) }
