package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
)

// currencies maps the names of a rule's "ends" to the functions that say why a
// record is no longer about the current world; "" means that it still is.
func currencies() map[string]func(View, evidence.Record) string {
	return map[string]func(View, evidence.Record) string{
		"coverage": endsCoverage,
		"base":     endsBase,
		"spec":     endsSpec,
		"plan":     endsPlan,
		"approval": endsApproval,
		"source":   endsSource,
		"gate":     endsGate,
		"verdicts": endsVerdicts,
		"tree":     endsTree,
		"head":     endsHead,
	}
}

// stale says why the record counts no more, or "".
func (v View) stale(r evidence.Record) string {
	rule, ok := v.Graph.Rule(r.Kind)
	if !ok {
		return "its kind opens nothing"
	}
	if owner, ok := v.Graph.Owner(r.Kind); ok && r.Seq <= v.State.Nodes[owner].Since {
		return "it is from before the last return"
	}
	if ambient := r.Gate != "" || rule.Ends == "tree"; ambient && r.World.Ambient != v.Facts.World.Ambient {
		return "a file that was untracked at start changed"
	}
	if r.Gate != "" {
		return endsGate(v, r)
	}
	ends, ok := currencies()[rule.Ends]
	if !ok {
		return fmt.Sprintf("unknown: the graph names the currency %q, which is not known", rule.Ends)
	}
	return ends(v, r)
}

func endsCoverage(v View, _ evidence.Record) string {
	if v.Facts.Spec == nil {
		return "there is no spec.json"
	}
	if p := document.Coverage(*v.Facts.Spec, v.Facts.Task); len(p) > 0 {
		return "spec.json no longer covers the task: " + p[0].String()
	}
	return ""
}

func endsBase(v View, r evidence.Record) string { return v.baseMoved(r.World.Base) }

func endsSpec(v View, r evidence.Record) string {
	if r.World.Spec != v.State.Docs["spec"] {
		return "spec.json changed"
	}
	return ""
}

func endsPlan(v View, r evidence.Record) string {
	switch {
	case r.World.Plan != v.State.Docs["plan"]:
		return "plan.json changed"
	case r.World.Spec != v.State.Docs["spec"]:
		return "spec.json changed"
	}
	if s := v.unanswered(); s != "" {
		return s
	}
	return v.baseMoved(r.World.Base)
}

// unanswered names a steer that the plan does not answer, or is "".
func (v View) unanswered() string {
	for _, s := range v.State.Steers {
		if v.Facts.Plan == nil || !answers(*v.Facts.Plan, s.ID) {
			return fmt.Sprintf("steer %s is not answered by the plan: %s", s.ID, s.Text)
		}
	}
	return ""
}

func answers(p document.Plan, steer string) bool {
	for _, a := range p.Answers {
		if a.Steer == steer {
			return true
		}
	}
	return false
}

func endsApproval(v View, r evidence.Record) string {
	if v.State.Approval == nil || v.State.Approval.Record != r.ID {
		return "it is not the approval in force"
	}
	if v.State.Approval.Config != v.Facts.World.Config {
		return "the repository's configuration changed since the approval"
	}
	return endsPlan(v, r)
}

func endsSource(v View, r evidence.Record) string {
	paths, known := v.changed(r.World.Tree)
	if !known {
		return v.unknownTree()
	}
	if v.Facts.Plan == nil {
		return "there is no plan"
	}
	for _, p := range paths {
		if v.Facts.Plan.Scope.Allows(p) && !document.InScope(v.Facts.Plan.Scope.Tests, p) {
			return p + " changed"
		}
	}
	return ""
}

func endsGate(v View, r evidence.Record) string {
	g, ok := v.Gate(r.Gate)
	if !ok {
		return fmt.Sprintf("gate %s is no longer in force", r.Gate)
	}
	if g.Digest() != r.GateDef {
		return fmt.Sprintf("the definition of gate %s changed", g.ID)
	}
	if env, ok := v.Facts.GateEnv[g.ID]; !ok {
		return fmt.Sprintf("unknown: the environment of gate %s was not read", g.ID)
	} else if env != r.World.Env {
		return "the tools or the platform changed"
	}
	return v.inputsChanged(g, r.World.Tree)
}

// inputsChanged names an input of the gate that differs from the tree, or is "".
func (v View) inputsChanged(g document.Gate, tree string) string {
	paths, known := v.changed(tree)
	if !known {
		return v.unknownTree()
	}
	for _, p := range paths {
		if v.Input(g, p) {
			return p + " changed"
		}
	}
	return ""
}

// Input reports whether a change of the path ends the currency of the gate's
// evidence: it matches the gate's inputs, or always counts. A gate without inputs
// depends on everything. A path in the plan's scope that no test gate names is an
// input of every test gate: what the delivery changes is never watched by none.
func (v View) Input(g document.Gate, path string) bool {
	if Watches(g, path) {
		return true
	}
	if !evidence.Kind(g.Kind).IsTest() || v.Facts.Plan == nil || !v.Facts.Plan.Scope.Allows(path) {
		return false
	}
	return !slices.ContainsFunc(v.Gates(), func(o document.Gate) bool { return evidence.Kind(o.Kind).IsTest() && Watches(o, path) })
}

// Watches reports whether the gate itself names the path: it matches the gate's
// inputs, or always counts.
func Watches(g document.Gate, path string) bool {
	return len(g.Inputs) == 0 || document.InScope(g.Inputs, path) || document.AlwaysCounts(path)
}

func endsVerdicts(v View, _ evidence.Record) string {
	if p := v.acceptance(); len(p) > 0 {
		return p[0]
	}
	return ""
}

func endsTree(v View, r evidence.Record) string {
	paths, known := v.changed(r.World.Tree)
	if !known {
		return v.unknownTree()
	}
	if len(paths) > 0 {
		return paths[0] + " changed"
	}
	return ""
}

func endsHead(v View, r evidence.Record) string {
	switch {
	case v.Facts.Head == "":
		return "unknown: the head commit could not be read"
	case r.Head != v.Facts.Head:
		return "the head is another commit now"
	case v.State.Submitted != nil && r.Head != v.State.Submitted.Head:
		return "another head was submitted"
	}
	return ""
}

func (v View) unknownTree() string {
	if len(v.Facts.TreeUnknown) > 0 {
		return "unknown: the tree cannot be computed: " + strings.Join(v.Facts.TreeUnknown, "; ")
	}
	return "unknown: the tree of the record cannot be compared"
}

// baseMoved says why what was recorded at this merge base no longer holds, or "".
// A move that touches nothing of the delivery leaves everything current.
func (v View) baseMoved(recorded string) string {
	if recorded == v.Facts.World.Base {
		return ""
	}
	move, ok := v.Facts.Base[recorded]
	if !ok || !move.Known {
		return "unknown: what changed on the base branch cannot be read"
	}
	if move.Same {
		return ""
	}
	for _, p := range move.Paths {
		if v.relevant(p) {
			return "the base moved and changed " + p
		}
	}
	return ""
}

func (v View) relevant(path string) bool {
	if document.AlwaysCounts(path) || v.Facts.Plan == nil && v.Facts.Manifest == nil {
		return true
	}
	if m := v.Facts.Manifest; m != nil {
		for _, p := range m.Paths() {
			if p == path {
				return true
			}
		}
	}
	if v.Facts.Plan != nil && (v.Facts.Plan.Scope.Allows(path) || document.InScope(v.Facts.Plan.Scope.Write, path)) {
		return true
	}
	for _, g := range v.Gates() {
		if document.InScope(g.Inputs, path) {
			return true
		}
	}
	return false
}
