//go:build e2e

package e2e

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/messages"
)

// last yields requests of a kind, the newest first.
func last(all []messages.Request, kind messages.Kind) iter.Seq[messages.Request] {
	return func(yield func(messages.Request) bool) {
		for _, r := range slices.Backward(all) {
			if r.Kind == kind && !yield(r) {
				return
			}
		}
	}
}

// standing is where the delivery is and what its needs are, as text; equal texts mean
// that nothing moved.
func (w *world) standing() string {
	w.t.Helper()
	s := w.mustStatus()
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s at %s\n", s.Delivery.ID, s.Delivery.Status, s.Delivery.Node)
	for _, n := range s.Nodes {
		for _, d := range n.Needs {
			fmt.Fprintf(&b, "%s %s%s: %s\n", n.Name, d.Kind, d.Gate, d.State)
		}
	}
	for _, a := range s.Asks {
		fmt.Fprintf(&b, "ask %s %s %s\n", a.ID, a.Kind, a.Digest)
	}
	return b.String()
}
