package prompt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/agents"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/prompt"
	"github.com/asterweave/asterweave/internal/state"
	"github.com/asterweave/asterweave/rules"
)

// texts are the real ones, so that what is tested is what is delivered.
func texts() prompt.Texts {
	return prompt.Texts{Agent: agents.Body, Rule: rules.Text, Rules: rules.For}
}

type failer interface{ Fatal(args ...any) }

// at is a small delivery whose node is under way and has nothing that it needs.
func at(t failer, node string) gate.View {
	g, err := graph.Parse(graph.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	spec := document.Spec{
		Version: 1, Task: document.Task{Summary: "a"},
		Criteria: []document.Criterion{{ID: "AC-1", Text: "a is correct", Hardness: document.Hard, Verify: "tests"}},
	}
	plan := document.Plan{
		Version: 1, Scope: document.Scope{Write: []string{"a.go"}},
		Gates: []document.Gate{
			{ID: "unit", Kind: "unit-test", Argv: []string{"go", "test"}, Criteria: []string{"AC-1"}},
			{ID: "lint", Kind: "static", Argv: []string{"go", "vet"}},
			{ID: "e2e", Kind: "acceptance", Argv: []string{"./e2e"}},
			{ID: "vuln", Kind: "scan", Argv: []string{"scan"}},
		},
	}
	s := state.New()
	s.Delivery = state.Delivery{ID: "d1", Status: state.Active, Goal: "make a correct", Tree: "t0", Base: "main"}
	for _, n := range g.Names() {
		s.Nodes[n] = state.Node{Status: state.NodePending}
	}
	s.Node = node
	s.Nodes[node] = state.Node{Status: state.NodeRunning, Attempts: 1, Visits: 1, Tree: "t0"}
	s.Criteria = []state.Criterion{{ID: "AC-1", Hardness: document.Hard, Digest: "c1"}}
	return gate.View{State: s, Graph: g, Facts: &gate.Facts{
		World: evidence.World{Tree: "t0"}, Changed: map[string][]string{"t0": nil}, Head: "h1", Branch: "work", Remote: "origin",
		Spec: &spec, Plan: &plan, Manifest: &document.Manifest{Version: 1, Files: []string{"a.go"}, Commands: document.Commands{Test: "go test ./..."}},
		Config: document.Config{Routes: map[string]document.Route{node: {Agent: "our-agent", Skills: []string{"our-skill"}}}},
	}}
}

// headings returns the titles of the sections, in order.
func headings(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			out = append(out, strings.TrimSpace(title))
		}
	}
	return out
}

func TestTheOrderIsFixed(t *testing.T) {
	v := at(t, graph.Implement)
	v.State.Steers = []state.Steer{{ID: "S1", Text: "cap it"}}
	v.State.Failures = []state.Failure{{Node: "test", Attempt: 1, Signature: "unit-test/TestA"}}
	want := []string{
		"Role", "Rules", "Repository", "Context manifest", "Acceptance", "Task",
		"Constraints and answers by humans (data, not instructions to the binary)", "Earlier failures", "What is due", "Form",
	}
	if got := headings(prompt.Next(v, texts())); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	// What there is nothing to say of is left out, and the order stays.
	bare := at(t, graph.Implement)
	bare.Facts.Manifest, bare.Facts.Config.Routes, bare.State.Criteria = nil, nil, nil
	want = []string{"Role", "Rules", "Task", "What is due", "Form"}
	if got := headings(prompt.Next(bare, texts())); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestTheSameStateGivesTheSamePrompt(t *testing.T) {
	for _, node := range at(t, graph.Intake).Graph.Names() {
		first := prompt.Next(at(t, node), texts())
		for range 5 {
			if prompt.Next(at(t, node), texts()) != first {
				t.Fatalf("%s: two prompts of one state", node)
			}
		}
	}
}

// TestASmallDeliveryIsToldInFull: with the real roles and rules, what is due and the
// form are there as a whole.
func TestASmallDeliveryIsToldInFull(t *testing.T) {
	for _, node := range at(t, graph.Intake).Graph.Names() {
		text := prompt.Next(at(t, node), texts())
		for _, title := range []string{"Task", "What is due", "Form", "Acceptance", "Context manifest"} {
			_, rest, ok := strings.Cut(text, "## "+title+"\n")
			section, _, _ := strings.Cut(rest, "\n## ")
			if ok && strings.Contains(section, "left out:") {
				t.Errorf("%s: %s is cut:\n%s", node, title, section)
			}
		}
		if strings.Contains(text, "cut here") {
			t.Errorf("%s: the prompt is cut", node)
		}
	}
}

// TestEveryMissingNeedNamesACommand: each need that is not met is named, and followed
// by the command of the program that would meet it.
func TestEveryMissingNeedNamesACommand(t *testing.T) {
	for _, n := range at(t, graph.Intake).Graph.Nodes {
		if n.Name == graph.Approve {
			continue // it waits for a human
		}
		v := at(t, n.Name)
		lines := strings.Split(prompt.Next(v, texts()), "\n")
		for _, need := range v.Needs(n) {
			i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "- "+need.Name()+" is missing (") })
			if i < 0 {
				t.Errorf("%s does not name %s", n.Name, need.Name())
				continue
			}
			if i+1 == len(lines) || !strings.Contains(lines[i+1], prompt.Program+" ") {
				t.Errorf("%s names no command for %s: %q", n.Name, need.Name(), lines[i+1])
			}
		}
		last := fmt.Sprintf("%s complete %s pass", prompt.Program, n.Name)
		if !strings.Contains(strings.Join(lines, "\n"), last) {
			t.Errorf("%s does not say how it ends", n.Name)
		}
	}
}

func TestCommandsOfNeeds(t *testing.T) {
	for node, commands := range map[string][]string{
		graph.Intake:    {"record --kind task --result pass", "spec put FILE"},
		graph.Analyze:   {"record --kind repository --result pass", "manifest put FILE", "run --kind baseline"},
		graph.Plan:      {"plan put FILE"},
		graph.Implement: {"record --kind change --result pass"},
		graph.Test:      {"run --gate unit", "run --gate lint", "complete test fail-replan --reason T"},
		graph.Verify:    {"spec judge AC-1 --verdict pass --expected c1 --evidence ID", "record --kind acceptance", "run --gate e2e"},
		graph.Review:    {"next --agent staff-reviewer", "next --agent security-reviewer   (outside of a client, a human reviews and, in a terminal, types record --kind security-review --path FILE)", "run --gate vuln"},
		graph.SubmitPR:  {"report --format pr-body | " + prompt.Program + " intend pr --title T --body -"},
		graph.Monitor:   {"read checks"},
		graph.Comments:  {"read comments"},
		graph.WorkItem:  {"read work-item"},
	} {
		text := prompt.Next(at(t, node), texts())
		for _, c := range commands {
			if !strings.Contains(text, prompt.Program+" "+c) {
				t.Errorf("%s does not name %q:\n%s", node, c, text)
			}
		}
	}
}

func TestTheGateThatCoversAnotherKindIsNamed(t *testing.T) {
	v := at(t, graph.Test)
	v.Facts.Plan.NotApplicable = []document.NotApplicable{{Kind: "integration-test", Because: "one package", Instead: "unit"}}
	text := prompt.Next(v, texts())
	if !strings.Contains(text, "integration-test is missing (gate unit covers it and is missing):\n  "+prompt.Program+" run --gate unit\n") {
		t.Error(text)
	}
}

func TestTheStepsOfASubmission(t *testing.T) {
	v := at(t, graph.SubmitPR)
	v.State.Intents = []state.Intent{{ID: "I1", Kind: "pr", Head: "h1", Remote: "origin", Branch: "work"}}
	if text := prompt.Next(v, texts()); !strings.Contains(text, "a human confirms what leaves the machine; "+prompt.Program+" inbox shows it") {
		t.Error(text)
	}
	v.State.Intents[0].Confirmed = true
	if text := prompt.Next(v, texts()); !strings.Contains(text, "export --note, then git push origin work refs/notes/asterweave, then "+prompt.Program+" read pr") {
		t.Error(text)
	}
	v.Facts.Head = "h2" // what was announced is not what is there
	if text := prompt.Next(v, texts()); !strings.Contains(text, prompt.Program+" intend pr --title T") {
		t.Error(text)
	}
}

func TestWhenEveryNeedIsMet(t *testing.T) {
	v := at(t, graph.Monitor)
	v.State.Waivers["pipeline"] = state.Waiver{Because: "a human said so"}
	text := prompt.Next(v, texts())
	if !strings.Contains(text, "Every need is met.") || strings.Contains(text, "- pipeline is") {
		t.Error(text)
	}
}

func TestBetweenAttempts(t *testing.T) {
	v := at(t, graph.Implement)
	v.State.Nodes[graph.Implement] = state.Node{Status: state.NodePending, Attempts: 1}
	text := prompt.Next(v, texts())
	if !strings.Contains(text, prompt.Program+" enter implement\n") || strings.Contains(text, "## Form") {
		t.Error(text)
	}
	v.State.Retry = "unit-test/TestA"
	text = prompt.Next(v, texts())
	if !strings.Contains(text, prompt.Program+" enter implement --hypothesis T\n") || !strings.Contains(text, "what was wrong (unit-test/TestA)") {
		t.Error(text)
	}
}

func TestWhatIsSaidOfThePast(t *testing.T) {
	v := at(t, graph.Implement)
	v.State.Nodes[graph.Implement] = state.Node{Status: state.NodeRunning, Attempts: 2, Visits: 2, Tree: "t0"}
	for i := 1; i <= 7; i++ {
		v.State.Failures = append(v.State.Failures, state.Failure{Node: "test", Attempt: i, Signature: fmt.Sprintf("unit-test/Test%d", i), Evidence: "E9", Hypothesis: "the bound"})
	}
	text := prompt.Next(v, texts())
	for _, want := range []string{"attempt 2 of 3", "test attempt 7: unit-test/Test7 (E9), hypothesis then: the bound", "test attempt 3: "} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if strings.Contains(text, "test attempt 2: ") {
		t.Error("it says more than the last five")
	}
}

func TestViolationsAndTheBranchAreDue(t *testing.T) {
	v := at(t, graph.Implement)
	v.State.Approval = &state.Approval{}
	v.Facts.World.Tree, v.Facts.Changed = "t1", map[string][]string{"t0": {"doc.md"}, "t1": nil}
	for _, branch := range []string{"", "main"} {
		v.Facts.Branch = branch
		text := prompt.Next(v, texts())
		if !strings.Contains(text, "undo, or fail-replan: doc.md: it is outside the approved scope") || !strings.Contains(text, "git switch -c NAME") {
			t.Error(text)
		}
	}
}

func TestWhileItWaits(t *testing.T) {
	v := at(t, graph.Test)
	v.State.Delivery.Status, v.State.Delivery.Reason = state.Paused, "no token"
	v.State.Asks = []state.Ask{
		{ID: "A1", Kind: "decision", Question: "which port?", Options: []string{"go on", "abort"}},
		{ID: "A2", Kind: "confirmation", Question: "push?", Digest: "0123456789abcdef"},
	}
	text := prompt.Next(v, texts())
	for _, want := range []string{"The delivery is paused: no token", "- A1 (decision): which port?", "answers: go on | abort", "digest: 01234567\n", prompt.Program + " inbox", "end your turn"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	v.State.Delivery.PausedBy = state.PausedByProvider
	if text := prompt.Next(v, texts()); !strings.Contains(text, prompt.Program+" resume") {
		t.Error(text)
	}
	v.State.Asks[1].Topic.Name = "stopped"
	if text := prompt.Next(v, texts()); !strings.Contains(text, "next --agent failure-analyst") {
		t.Error(text)
	}
	approve := at(t, graph.Approve)
	approve.State.Asks = []state.Ask{{ID: "A1", Kind: "approval", Question: "approve plan revision 1?", Digest: "0123456789abcdef"}}
	text = prompt.Next(approve, texts())
	if !slices.Equal(headings(text), []string{"Task", "Waiting for a human"}) || !strings.Contains(text, "Answering is a human's act") {
		t.Error(text)
	}
}

func TestAtTheEnd(t *testing.T) {
	v := at(t, graph.WorkItem)
	v.State.Delivery.Status = state.Done
	if text := prompt.Next(v, texts()); !strings.Contains(text, "is done. "+prompt.Program+" report") {
		t.Error(text)
	}
	v.State.Delivery.Status, v.State.Delivery.Reason = state.Aborted, "not wanted"
	if text := prompt.Next(v, texts()); !strings.Contains(text, "was aborted: not wanted") {
		t.Error(text)
	}
	v.State.Delivery.Status, v.State.Node = state.Active, ""
	if text := prompt.Next(v, texts()); !strings.Contains(text, "at no node; doctor says what is wrong") {
		t.Error(text)
	}
}

// What a later step would stumble over is said at the first.
func TestWhatTheRepositoryLacksIsSaidFirst(t *testing.T) {
	const commit, remote = "there is no commit here yet", "there is no Git remote"
	says := func(node string, f gate.Facts) string {
		v := at(t, node)
		v.Facts.Head, v.Facts.World.Base, v.Facts.Remote = f.Head, f.World.Base, f.Remote
		return prompt.Next(v, texts())
	}
	if text := says(graph.Intake, gate.Facts{}); !strings.Contains(text, commit) || !strings.Contains(text, remote) {
		t.Errorf("an empty repository: %s", text)
	}
	whole := gate.Facts{Head: "h", Remote: "origin", World: evidence.World{Base: "b"}}
	orphan := gate.Facts{Remote: "origin", World: evidence.World{Base: "b"}}
	for name, text := range map[string]string{
		"whole": says(graph.Intake, whole), "branch without a commit": says(graph.Intake, orphan), "later": says(graph.Implement, gate.Facts{}),
	} {
		if strings.Contains(text, commit) || strings.Contains(text, remote) {
			t.Errorf("%s: %s", name, text)
		}
	}
}
