//go:build e2e && picture

package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/messages"
)

// What the model says last, each time that the human is to speak.
const (
	waits   = "This waits for you"
	confirm = "Nothing is pushed before you confirm"
	over    = "ready to be merged"
)

// actor is a model in the picture: it plays the steps of the script as a model does
// that is watched, with a word before what it does, and answers that people can read.
type actor struct {
	*worker
	p        *picture
	uses     int
	question string // that is open
}

func (a *actor) act(steps []json.RawMessage) {
	begun := false
	var reviews []step
	for i, raw := range steps {
		s, err := a.w.resolve(raw)
		if err != nil {
			a.fail("step %d: %v", i+1, err)
		}
		if s.Do != "review" && reviews != nil {
			a.reviewers(reviews)
			reviews = nil
		}
		switch {
		case s.Do == "session":
		case s.Do == "review":
			reviews = append(reviews, s)
		case s.Do != "human":
			a.take(s)
		case !begun:
			begun = true
		case strings.Contains(s.Say, "/asterweave:reply"):
			a.Say("One thing decides what is built, and neither the code nor its README says it:\n\n> " + a.question + "\n\n" + waits + ": answer with `/asterweave:reply A1` and your answer.")
		case a.w.mustStatus().ask("confirmation").ID != "":
			a.Say(confirm + " it: `/asterweave:approve` and the digest, or `/asterweave:reject` and why not.")
		default:
			a.use("", shellCall("Show what waits for a person", "asterweave-state inbox"))
			res := a.use(a.plan(), question("Approve?", "Yes", "No"))[0]
			if res.Error {
				a.fail("the question: %s", res.Text)
			}
		}
	}
	status := a.use("", shellCall("Show where the delivery stands", "asterweave-state status"))[0]
	a.End("```\n" + status.Text + "\n```\nThe pull request is " + over + ", by you.")
}

// plan says in a few lines what the human is asked to approve.
func (a *actor) plan() string {
	out, err := a.w.look("plan", "show")
	var plan document.Plan
	if err == nil {
		err = json.Unmarshal(out, &plan)
	}
	if err != nil {
		a.fail("the plan: %v", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", plan.Summary)
	for _, t := range plan.Tasks {
		fmt.Fprintf(&b, "- %s: %s\n", t.ID, t.Title)
	}
	var gates []string
	for _, g := range plan.Gates {
		gates = append(gates, g.ID)
	}
	fmt.Fprintf(&b, "- Gates: %s. Files: `%s`.", strings.Join(gates, ", "), strings.Join(slices.Concat(plan.Scope.Write, plan.Scope.Tests), " "))
	return b.String()
}

// use says a word and uses tools side by side.
func (a *actor) use(say string, uses ...messages.ToolUse) []messages.ToolResult {
	for i := range uses {
		a.uses++
		uses[i].ID = fmt.Sprintf("toolu_picture%04d", a.uses)
	}
	next := a.Reply(messages.Reply{Text: say, Uses: uses})
	results := make([]messages.ToolResult, len(uses))
	for i, u := range uses {
		results[i], _ = next.Result(u.ID)
	}
	return results
}

func shellCall(why, command string) messages.ToolUse {
	return messages.ToolUse{Name: "Bash", Input: map[string]any{"command": command, "description": why}}
}

// program is a call of asterweave-state, with a document on its standard input when
// there is one.
func program(why string, document json.RawMessage, args ...string) messages.ToolUse {
	command := commandLine(append([]string{"asterweave-state"}, args...))
	if document != nil {
		command += " <<'EOF'\n" + string(document) + "\nEOF"
	}
	return shellCall(why, command)
}

// take makes one step of the script.
func (a *actor) take(s step) {
	var use messages.ToolUse
	say := ""
	switch s.Do {
	case "submit":
		say = map[string]string{
			"intake":  "The task becomes criteria that can be tested.",
			"analyze": "One rule in one file. The tests make one refund at most.",
			"plan":    "Tests first, then the one function that compares.",
			"verify":  "Each criterion is judged by the runs that touch it.",
		}[s.Node]
		use = program("Submit "+s.Node, s.Body, "submit", s.Node, "-")
	case "put":
		use = program("Store the "+s.Document, s.Body, s.Document, "put", "-")
	case "run":
		if s.Kind == "baseline" {
			say = "How the tests stand before anything changes:"
		}
		if s.At == "base" {
			say = "The new tests have to fail on the old code:"
		}
		use = program("Run "+s.Kind+s.Gate, nil, flags([]string{"run"}, "--gate", s.Gate, "--at", s.At, "--kind", s.Kind)...)
	case "ask":
		a.question = s.Question
		use = program("Ask a person", nil, flags([]string{"ask"}, "--kind", s.Kind, "--question", s.Question, "--tried", s.Tried)...)
	case "enter":
		say = "A new attempt needs a new hypothesis."
		use = program("Begin the next attempt", nil, flags([]string{"enter", s.Node}, "--hypothesis", s.Hypothesis)...)
	case "complete":
		use = program("End the step", nil, flags([]string{"complete", s.Node, s.Outcome}, "--reason", s.Reason)...)
	case "read":
		use = program("Read it back", nil, "read", s.What)
	case "intend":
		use = shellCall("Announce the pull request", commandLine([]string{"asterweave-state", "report", "--format", "pr-body"})+" | "+
			commandLine([]string{"asterweave-state", "intend", s.What, "--title", s.Title, "--body", "-"}))
	case "state":
		if s.Args[0] == "report" { // it goes straight into what is announced
			return
		}
		use = program("Let the evidence travel with the branch", nil, s.Args...)
	case "git":
		if s.Args[0] == "push" {
			refused := a.use("Confirmed. I push over whatever lies on the branch.", shellCall("Push the branch", "git push --force origin "+s.Args[slices.Index(s.Args, "origin")+1]))[0]
			a.p.shoot(6, "guard", "What cannot be taken back is refused before it runs: here, a forced push.")
			if !refused.Error {
				a.fail("a push by force was let through: %s", refused.Text)
			}
			say = "Refused, and rightly. A plain push does."
		}
		use = shellCall("Git "+s.Args[0], commandLine(append([]string{"git"}, s.Args...)))
	case "copy":
		a.crew.send(s.As, a.crew.copies(s.From))
		use = delegation(s.As, "Write the files of "+s.From+".")
	default:
		a.fail("%q is nothing that is played here", s.Do)
	}
	res := a.use(say, use)[0]
	if res.Error != (s.Expect == "fail" && s.Do == "run") {
		a.fail("%s %s%s: %s", s.Do, s.Node, s.Gate, res.Text)
	}
	switch {
	case s.Do == "enter":
		a.p.shoot(7, "failure", "Asterweave runs the gates itself. The first attempt fails; the next one needs a new hypothesis.")
	case s.Gate == "service":
		a.p.shoot(6, "attempt 2", "The second attempt: every gate passes, on exactly this state of the work tree.")
	case s.At == "base":
		a.p.shoot(5, "proof", "The new tests fail on the old code, so they do notice the change.")
	}
}

// reviewers sends them off together.
func (a *actor) reviewers(reviews []step) {
	var uses []messages.ToolUse
	for _, s := range reviews {
		a.crew.send(s.Agent, func(sub *worker) { sub.review(s.Kind, s.Verdict) })
		prompt := a.use("", program("Get the "+s.Agent+"'s prompt", nil, "next", "--agent", s.Agent))[0]
		uses = append(uses, delegation(s.Agent, prompt.Text))
	}
	for i, res := range a.use("Two reviewers read the change, each alone.", uses...) {
		if res.Error {
			a.fail("%s: %s", reviews[i].Agent, res.Text)
		}
	}
	a.p.shoot(5, "review", "Two reviewers read the change, each in a context of its own.")
}
