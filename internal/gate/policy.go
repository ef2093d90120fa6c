package gate

import (
	"fmt"
	"slices"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/graph"
)

// Violation is a path that a node must not have changed, and why.
type Violation struct {
	Path string
	Why  string
}

func (p Violation) String() string {
	if p.Path == "" {
		return p.Why
	}
	return p.Path + ": " + p.Why
}

// Violations returns what keeps the node from passing under its write policy:
// changes since its entry, and changes since start that lie outside the plan's
// scope, so that an edit made between two nodes is never hidden. Before the first
// approval nothing may have changed; in a later revision of the plan the work so
// far has to lie in the scope that is shown for approval. To undo what never was
// in scope is always right, even where the edit was there at entry.
func (v View) Violations(node graph.Node) []Violation {
	n := v.State.Nodes[node.Name]
	entry, ok := v.changed(n.Tree)
	if !ok {
		return []Violation{{Why: v.unknownTree()}}
	}
	start, ok := v.Own()
	if !ok {
		return []Violation{{Why: v.unknownTree()}}
	}
	var out []Violation
	for _, p := range v.own(entry) {
		if !v.inScope(p) && !slices.Contains(start, p) {
			continue
		}
		if why := v.forbidden(node.Write, p); why != "" {
			out = append(out, Violation{p, why})
		}
	}
	for _, p := range start {
		if target, escapes := v.Facts.Escapes[p]; escapes {
			out = append(out, Violation{p, fmt.Sprintf("it is a symbolic link to %s, which is no part of the tree", target)})
			continue
		}
		if slices.ContainsFunc(out, func(o Violation) bool { return o.Path == p }) || v.inScope(p) {
			continue
		}
		why := "it is outside the plan's scope"
		if v.State.Approval == nil {
			why = "it changed since start, and no plan is approved"
		}
		out = append(out, Violation{p, why})
	}
	return out
}

// inScope reports whether the delivery may change the path at all.
func (v View) inScope(path string) bool {
	return v.State.Approval != nil && v.Facts.Plan != nil && v.Facts.Plan.Scope.Allows(path)
}

// own leaves out what came with a move of the base.
func (v View) own(paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, p := range paths {
		if !v.Facts.FromBase[p] {
			out = append(out, p)
		}
	}
	return out
}

func (v View) forbidden(w graph.Write, path string) string {
	switch w {
	case graph.WriteScope:
		if v.Facts.Plan == nil || !v.Facts.Plan.Scope.Allows(path) {
			return "it is outside the approved scope"
		}
	case graph.WriteTests:
		if v.Facts.Plan == nil || !document.InScope(v.Facts.Plan.Scope.Tests, path) || !v.Facts.Plan.Scope.Allows(path) {
			return "this node may change tests only"
		}
	default:
		return fmt.Sprintf("this node is %s and it changed since the node was entered", w)
	}
	return ""
}

// Own returns the delivery's own changed paths since start, and whether they are known.
func (v View) Own() ([]string, bool) {
	paths, ok := v.changed(v.State.Delivery.Tree)
	return v.own(paths), ok
}
