package prompt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/prompt"
)

// TestARouteLeadsToTheRepositorysAgent: at every node `next` says to start it with what
// the binary prints for it, and which skills to load.
func TestARouteLeadsToTheRepositorysAgent(t *testing.T) {
	for _, n := range at(t, graph.Intake).Graph.Nodes {
		if n.Name == graph.Approve {
			continue // a human's
		}
		v := at(t, n.Name)
		text := prompt.Next(v, texts())
		for _, want := range []string{"subagent_type our-agent", "next --agent our-agent", "our-skill"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: next does not say %q:\n%s", n.Name, want, text)
			}
		}
		own, ok := prompt.Delegation(v, texts(), "our-agent")
		if !ok || !strings.Contains(own, "You are the repository's agent our-agent") || !strings.Contains(own, "our-skill") || !strings.Contains(own, "make a correct") {
			t.Errorf("%s: the delegation is\n%s", n.Name, own)
		}
		if len(own) > prompt.MaxBytes {
			t.Errorf("%s: %d bytes", n.Name, len(own))
		}
		if _, ok := prompt.Delegation(v, texts(), "their-agent"); ok {
			t.Errorf("%s: anybody's agent gets a delegation", n.Name)
		}
	}
}

// TestARouteReplacesNoReviewer: the repository's agent comes in front, and gives no verdict.
func TestARouteReplacesNoReviewer(t *testing.T) {
	for node, own := range map[string][]string{graph.Review: {"staff-reviewer", "security-reviewer"}, graph.Verify: {"verification-engineer"}} {
		v := at(t, node)
		text := prompt.Next(v, texts())
		_, repository, _ := strings.Cut(text, "## Repository\n")
		repository, _, _ = strings.Cut(repository, "\n## ")
		if !strings.Contains(repository, "First, before "+strings.Join(own, " and ")) || !strings.Contains(repository, "is no verdict") {
			t.Errorf("%s: %s", node, repository)
		}
		mine, _ := prompt.Delegation(v, texts(), "our-agent")
		for _, gives := range []string{"```json", "spec judge", "--kind", "submit " + node} {
			if strings.Contains(mine, gives) {
				t.Errorf("%s: the repository's agent is told to give a verdict (%s):\n%s", node, gives, mine)
			}
		}
		if node == graph.Review && (!strings.Contains(text, "next --agent staff-reviewer") || !strings.Contains(text, "next --agent security-reviewer")) {
			t.Errorf("the reviewers are not started:\n%s", text)
		}
		for _, agent := range own {
			if theirs, ok := prompt.Delegation(v, texts(), agent); !ok || strings.Contains(theirs, "our-agent") || !strings.Contains(theirs, "our-skill") {
				t.Errorf("%s: %s is told\n%s", node, agent, theirs)
			}
		}
	}
}

// TestSkillsWithoutAnAgent are loaded by the one who does the work.
func TestSkillsWithoutAnAgent(t *testing.T) {
	v := at(t, graph.Implement)
	v.Facts.Config.Routes = map[string]document.Route{graph.Implement: {Skills: []string{"our-skill"}}}
	if text := prompt.Next(v, texts()); !strings.Contains(text, "our-skill") || !strings.Contains(text, "you carry out the approved plan") {
		t.Errorf("next says\n%s", text)
	}
	if text, _ := prompt.Delegation(v, texts(), "implementer"); !strings.Contains(text, "our-skill") {
		t.Errorf("the implementer is told\n%s", text)
	}
	if text, _ := prompt.Delegation(v, texts(), "failure-analyst"); strings.Contains(text, "our-skill") {
		t.Errorf("an agent of no node is told\n%s", text)
	}
}

// TestAConfigurationThatIsNotValidRoutesNothing and is shown with all its errors, also
// before it shuts anything.
func TestAConfigurationThatIsNotValidRoutesNothing(t *testing.T) {
	v := at(t, graph.Plan)
	v.Facts.ConfigProblems = []document.Problem{{Field: "routes.plan.agent", What: "there is no .claude/agents/our-agent.md"}, {Field: "routes.plan.skills[0]", What: "there is no skill"}}
	text := prompt.Next(v, texts())
	if !slices.Contains(headings(text), "Repository") || !strings.Contains(text, "routes.plan.agent: there is no") || !strings.Contains(text, "routes.plan.skills[0]") || strings.Contains(text, "subagent_type") {
		t.Errorf("next says\n%s", text)
	}
	if _, ok := prompt.Delegation(v, texts(), "our-agent"); ok {
		t.Error("a route of an invalid configuration is followed")
	}
}
