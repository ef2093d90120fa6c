package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
)

// route returns the agent and the skills that the repository puts in front of a node;
// of a configuration that is not valid none.
func route(v gate.View, n graph.Node) document.Route {
	if len(v.Facts.ConfigProblems) > 0 {
		return document.Route{}
	}
	return v.Facts.Config.Routes[n.Name]
}

// judges reports whether the node's evidence is what its own agents find. A route does
// not replace these: it comes in front of them.
func judges(n graph.Node) bool { return n.Name == graph.Verify || n.Name == graph.Review }

// repository says what the repository's configuration demands of the node.
func repository(v gate.View, n graph.Node) string {
	var b strings.Builder
	if len(v.Facts.ConfigProblems) > 0 {
		fmt.Fprintf(&b, "%s, as it is at the base, is not valid; it shuts implement and what follows:\n", document.ConfigPath)
		for _, p := range v.Facts.ConfigProblems {
			fmt.Fprintf(&b, "- %s\n", oneLine(p.String()))
		}
		return b.String()
	}
	r := route(v, n)
	if len(r.Skills) > 0 {
		b.WriteString(skills(r))
	}
	if r.Agent == "" {
		return b.String()
	}
	agent := oneLine(r.Agent)
	how := fmt.Sprintf("start the repository's agent %s (subagent_type %s) and give it, word for word, what `%s next --agent %s` prints.", agent, agent, Program, agent)
	if judges(n) {
		fmt.Fprintf(&b, "First, before %s: %s What it says is no verdict and replaces none; tell nobody else of it. If it is right, end with fail-retryable.\n", strings.Join(n.Agent, " and "), how)
	} else {
		fmt.Fprintf(&b, "For the work of this step, %s\n", how)
	}
	return b.String()
}

// skills tells an agent which skills of the repository to load.
func skills(r document.Route) string {
	return "Before anything else load these skills of the repository, with the Skill tool or by reading .claude/skills/NAME/SKILL.md: " + list(r.Skills) + ".\n"
}

// routed returns the role of the repository's own agent at the current node, false when
// the node is not routed to an agent of that name.
func routed(v gate.View, t Texts, agent string) (string, bool) {
	n, ok := v.Graph.Node(v.State.Node)
	r := route(v, n)
	if !ok || r.Agent == "" || r.Agent != agent {
		return "", false
	}
	if judges(n) {
		return fmt.Sprintf("You are the repository's agent %s, and look at the change before %s do. Change nothing. What you say is no verdict: end with what is wrong, each with its file and line, or with one sentence that nothing is.",
			oneLine(agent), strings.Join(n.Agent, " and ")), true
	}
	text := fmt.Sprintf("You are the repository's agent %s, and do the work of %s. Your own page holds; where it is silent, this does:\n", oneLine(agent), n.Name)
	if len(n.Agent) == 1 {
		body, _ := t.Agent(n.Agent[0])
		text += body
	}
	return text, true
}

// loads returns the skills that a delegation names: those of the node that the agent
// belongs to.
func loads(v gate.View, agent string) string {
	n, ok := v.Graph.Node(v.State.Node)
	r := route(v, n)
	if !ok || len(r.Skills) == 0 || agent != r.Agent && !slices.Contains(n.Agent, agent) {
		return ""
	}
	return skills(r)
}
