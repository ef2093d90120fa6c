package graph_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/schema"
)

func load(t *testing.T) *graph.Graph {
	t.Helper()
	g, err := graph.Parse(graph.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestEmbeddedGraphHasItsSchema(t *testing.T) {
	if err := schema.New().Validate("graph", graph.Embedded()); err != nil {
		t.Fatal(err)
	}
}

func TestNodesInOrder(t *testing.T) {
	want := "intake analyze challenge plan approve implement test verify review submit-pr monitor-pipeline resolve-review-comments update-work-item"
	if got := strings.Join(load(t).Names(), " "); got != want {
		t.Errorf("got %s", got)
	}
}

func TestEveryKindThatIsRequiredHasARuleAndAnOwner(t *testing.T) {
	g := load(t)
	for _, k := range evidence.Kinds() {
		_, ruled := g.Rule(k)
		_, owned := g.Owner(k)
		if free := k == evidence.Note || k == evidence.Analysis; ruled == free || owned == free {
			t.Errorf("%s: rule %v, owner %v", k, ruled, owned)
		}
	}
}

func TestStatedOpensNothing(t *testing.T) {
	for _, r := range load(t).Kinds {
		if r.Accepts(evidence.Stated) {
			t.Errorf("%s accepts a sentence", r.Kind)
		}
	}
}

func TestFailuresLeadBack(t *testing.T) {
	g := load(t)
	for _, n := range g.Nodes {
		to, ok := n.Outcomes[graph.FailRetryable]
		if ok && to != n.Name && to != graph.Implement {
			t.Errorf("a failure of %s leads to %s", n.Name, to)
		}
		if to, ok := n.Outcomes[graph.FailReplan]; ok && to != graph.Plan {
			t.Errorf("a replan of %s leads to %s", n.Name, to)
		}
		if _, ok := n.Outcomes[graph.SecurityEscalation]; ok != g.After(n.Name, graph.Implement) {
			t.Errorf("security-escalation at %s: %v", n.Name, ok)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for name, change := range map[string][2]string{
		"an unknown field":        {`"version": 1,`, `"version": 1, "more": 2,`},
		"an unknown version":      {`"version": 1,`, `"version": 2,`},
		"an edge to nowhere":      {`"pass": "analyze"`, `"pass": "elsewhere"`},
		"a skipped node":          {`"pass": "analyze"`, `"pass": "challenge"`},
		"an unknown outcome":      {`"fail-retryable": "intake"`, `"fail-somehow": "intake"`},
		"a node twice":            {`"name": "analyze"`, `"name": "intake"`},
		"a kind without a rule":   {`"requires": ["task"]`, `"requires": ["mood"]`},
		"a node without attempts": {`"attempts": 2, "write": "nothing"`, `"attempts": 0, "write": "nothing"`},
		"a node that cannot pass": {`{"pass": "analyze", `, `{`},
	} {
		text := string(graph.Embedded())
		changed := strings.Replace(text, change[0], change[1], 1)
		if changed == text {
			t.Fatalf("%s: the test changes nothing", name)
		}
		if _, err := graph.Parse([]byte(changed)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestLookups(t *testing.T) {
	g := load(t)
	if _, ok := g.Node("nowhere"); ok {
		t.Error("a node that is not there is found")
	}
	if _, ok := g.Owner("mood"); ok {
		t.Error("an owner of no kind is found")
	}
	n, ok := g.Node(graph.Test)
	if !ok || !slices.Contains(n.Requires, evidence.UnitTest) {
		t.Errorf("test requires %v", n.Requires)
	}
}

// TestPicture keeps the picture in the documentation that of the graph file.
func TestPicture(t *testing.T) {
	doc, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	if picture := load(t).Mermaid(); !strings.Contains(string(doc), picture) {
		t.Errorf("docs/architecture.md does not hold this picture:\n%s", picture)
	}
}
