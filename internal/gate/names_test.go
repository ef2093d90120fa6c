package gate

import (
	"testing"

	"github.com/asterweave/asterweave/internal/graph"
)

// TestNamesInBothDirections holds the graph file and the functions together: a name
// without a function would open or shut nothing, a function without a name is dead.
func TestNamesInBothDirections(t *testing.T) {
	g, err := graph.Parse(graph.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	checks, ends := map[string]bool{}, map[string]bool{}
	for _, r := range g.Kinds {
		checks[r.Check], ends[r.Ends] = true, true
		if _, ok := Checks()[r.Check]; !ok {
			t.Errorf("%s names the check %q, which is not there", r.Kind, r.Check)
		}
		if _, ok := currencies()[r.Ends]; !ok {
			t.Errorf("%s names the currency %q, which is not there", r.Kind, r.Ends)
		}
	}
	for name := range Checks() {
		if !checks[name] {
			t.Errorf("no kind names the check %q", name)
		}
	}
	for name := range currencies() {
		if !ends[name] {
			t.Errorf("no kind names the currency %q", name)
		}
	}
}

// TestTypedChecksHaveAWitness holds that what `record` takes is looked at.
func TestTypedChecksHaveAWitness(t *testing.T) {
	for name, c := range Checks() {
		if c.Typed != (c.Problems != nil) || c.Typed != (c.Witness != "") || c.Typed == (c.By != "") {
			t.Errorf("%s: %+v", name, c)
		}
	}
}
