package agents

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/schemas"
)

// meta is the front matter of an agent.
type meta struct{ Name, Description, Tools string }

func head(t *testing.T, name string) meta {
	t.Helper()
	text, err := files.ReadFile(name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "---\n")
	front, _, found := strings.Cut(rest, "\n---\n")
	if !found {
		t.Fatalf("%s: no front matter", name)
	}
	var m meta
	dec := yaml.NewDecoder(strings.NewReader(front))
	dec.KnownFields(true) // the client ignores permissionMode, hooks and their kin; they would promise what nothing holds
	if err := dec.Decode(&m); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}

func TestFrontMatterNamesTheFileAndWhenToUseIt(t *testing.T) {
	for _, name := range Names() {
		m := head(t, name)
		if m.Name != name {
			t.Errorf("%s: front matter names %q", name, m.Name)
		}
		if !strings.HasPrefix(m.Description, "Use ") {
			t.Errorf("%s: the description has to say when to use it: %q", name, m.Description)
		}
	}
}

// policies returns the write policies of the nodes that an agent works at.
func policies(t *testing.T) map[string][]graph.Write {
	t.Helper()
	g, err := graph.Parse(graph.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]graph.Write{}
	for _, n := range g.Nodes {
		for _, a := range n.Agent {
			out[a] = append(out[a], n.Write)
		}
	}
	return out
}

// TestToolsAreAsNarrowAsTheNode holds an agent's tools against the write policy of its
// nodes in the graph. Everyone has Bash: the binary is called through it, and a
// reviewer has no other way to see what a file was before; the client has no Grep or
// Glob of its own in every build. What Bash writes is held by the guard, and by the
// trees that are compared at completion.
func TestToolsAreAsNarrowAsTheNode(t *testing.T) {
	look := []string{"Read", "Grep", "Glob", "Bash"}
	edit := []string{"Read", "Grep", "Glob", "Edit", "Write", "Bash"}
	at := policies(t)
	for _, name := range Names() {
		want := look
		if slices.Contains(at[name], graph.WriteScope) || slices.Contains(at[name], graph.WriteTests) {
			want = edit
		}
		if got := strings.Split(head(t, name).Tools, ", "); !slices.Equal(got, want) {
			t.Errorf("%s: tools %v at nodes that write %v, want %v", name, got, at[name], want)
		}
		delete(at, name)
	}
	for name := range at {
		t.Errorf("the graph names the agent %s, which is not there", name)
	}
}

// TestNoAgentStartsAgents: whoever could start a context could ask until one agrees.
func TestNoAgentStartsAgents(t *testing.T) {
	for _, name := range Names() {
		tools := head(t, name).Tools
		if tools == "" {
			t.Errorf("%s: no list of tools, which gives it all of them", name)
		}
		for _, tool := range []string{"Agent", "Task", "Skill", "SendMessage", "Workflow", "CronCreate", "ScheduleWakeup", "EnterWorktree", "*"} {
			if slices.Contains(strings.Split(tools, ", "), tool) {
				t.Errorf("%s: has %s", name, tool)
			}
		}
	}
}

// TestTheVerifierAndTheReviewersAreNotTheAuthor: no agent works both at a node that
// changes files and at one that judges them.
func TestTheVerifierAndTheReviewersAreNotTheAuthor(t *testing.T) {
	for name, at := range policies(t) {
		writes := slices.Contains(at, graph.WriteScope) || slices.Contains(at, graph.WriteTests)
		if writes && len(at) > 1 {
			t.Errorf("%s works at nodes that write %v", name, at)
		}
	}
}

// TestOutputNamesItsContract: the schema of what the agent hands in, or the exact verb
// that takes its answer.
func TestOutputNamesItsContract(t *testing.T) {
	want := map[string][]string{
		"architect":               {"plan", "submission"},
		"failure-analyst":         nil, // one record, by the verb
		"implementer":             {"submission"},
		"pr-engineer":             nil, // reads are the evidence
		"repo-analyzer":           {"context-manifest", "submission"},
		"requirements-challenger": {"spec", "submission"},
		"security-reviewer":       {"review"},
		"staff-reviewer":          {"review"},
		"test-engineer":           nil, // runs are the evidence
		"verification-engineer":   {"submission"},
	}
	schema := regexp.MustCompile("`([a-z-]+)\\.schema\\.json`")
	for _, name := range Names() {
		body, _ := Body(name)
		_, output, _ := strings.Cut(body, "\nOutput: ")
		output, _, _ = strings.Cut(output, "\n\n")
		var got []string
		for _, m := range schema.FindAllStringSubmatch(output, -1) {
			got = append(got, m[1])
			if _, err := fs.Stat(schemas.Files, m[1]+".schema.json"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want[name]) {
			t.Errorf("%s: its output names the schemas %v, want %v", name, got, want[name])
		}
		if len(want[name]) == 0 && !strings.Contains(output, "`asterweave-state ") {
			t.Errorf("%s: its output names neither a schema nor a call", name)
		}
	}
}
