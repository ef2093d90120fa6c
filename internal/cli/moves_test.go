//go:build unix

package cli_test

import (
	"encoding/json"
	"os"
)

// reviewFile is where a human's review is left: inside the worktree, outside of the tree.
const reviewFile = ".claude/asterweave/review.json"

// Moves that several attacks and their twins have in common.

func (r *repo) remove(name string) {
	r.t.Helper()
	if err := os.RemoveAll(r.file(name)); err != nil {
		r.t.Fatal(err)
	}
}

func call(args ...string) func(*repo) answer {
	return func(r *repo) answer { r.t.Helper(); return r.aw(args...) }
}

// head is the tree of the head commit, which is the work tree where nothing is edited.
func (r *repo) head() string { r.t.Helper(); return r.git("rev-parse", "HEAD^{tree}") }

// question returns the binary's own question, as the client is told to put it.
func (r *repo) question() obj {
	r.t.Helper()
	a := r.ok(r.event("pre-tool-use", obj{"tool_name": "AskUserQuestion", "tool_input": obj{"questions": []any{ownWords("go on?", "Yes", "No")}}}))
	q, ok := dig(a.json, "hookSpecificOutput", "updatedInput", "questions").([]any)
	if !ok || len(q) != 1 {
		r.t.Fatalf("the hook put no question of its own: %s", a)
	}
	return q[0].(obj)
}

// ownWords is a question as a model would put it.
func ownWords(text string, labels ...string) obj {
	options := []any{}
	for _, l := range labels {
		options = append(options, obj{"label": l, "description": l})
	}
	return obj{"question": text, "header": "Approval", "options": options, "multiSelect": false}
}

// answered is the client's event after the human has chosen.
func answered(q obj, label string) obj {
	out := obj{"questions": []any{q}, "answers": obj{q["question"].(string): label}, "annotations": obj{}}
	return obj{"tool_name": "AskUserQuestion", "tool_input": out, "tool_response": out, "duration_ms": 10}
}

// backToTest returns to implement, changes the code, and is at test again.
func backToTest(r *repo) {
	r.t.Helper()
	r.ok(r.aw("complete", "test", "fail-retryable", "--reason", "the comment is wrong"))
	r.ok(r.aw("enter", "implement", "--hypothesis", "the comment has to say more"))
	r.write("more.go", "package sum\n")
	r.submit("implement", obj{"outcome": "pass", "records": []any{record("change", "a file more")}})
}

// failReview records a failing verdict with a critical finding, F1.
func failReview(r *repo) {
	r.t.Helper()
	who := reviewers()[0]
	r.looks(who)
	r.verdict(who, verdictOf("code-review", "fail", r.head(), finding("Critical", "overflow")))
}

// backToReview changes the code after a failed review and is at review again.
func backToReview(r *repo) {
	r.t.Helper()
	r.ok(r.aw("complete", "review", "fail-retryable", "--reason", "overflow"))
	r.ok(r.aw("enter", "implement", "--hypothesis", "the operands need a check"))
	r.write("more.go", "package sum\n")
	r.git("add", "more.go")
	r.git("commit", "-qm", "check the operands")
	r.submit("implement", obj{"outcome": "pass", "records": []any{record("change", "a check")}})
	r.ok(r.aw("run", "--gate", "unit"))
	r.ok(r.aw("run", "--gate", "format"))
	r.ok(r.aw("complete", "test", "pass"))
	r.judge()
}

// judge hands in the honest verdicts.
func (r *repo) judge() {
	r.t.Helper()
	s := r.status()
	one, _, _ := s.criterion("SUM-1")
	two, _, _ := s.criterion("SUM-2")
	r.submit("verify", obj{
		"outcome": "pass", "records": []any{record("acceptance", "both hold")},
		"verdicts": []any{
			obj{"id": "SUM-1", "verdict": "pass", "expected": one, "evidence": []any{s.need(r.t, "unit-test unit").Evidence}},
			obj{"id": "SUM-2", "verdict": "pass", "expected": two, "evidence": []any{s.need(r.t, "static format").Evidence}},
		},
	})
}

// humanReview is a review by a person without a harness.
func humanReview(r *repo) {
	r.t.Helper()
	r.write(reviewFile, js(verdictOf("code-review", "pass", r.head())))
	r.ok(r.human("", "record", "--kind", "code-review", "--path", reviewFile))
}

// acceptEnvironment lets a human accept variables that differ from the baseline's.
func acceptEnvironment(r *repo) {
	r.t.Helper()
	other := r.with("GOFLAGS=-count=1")
	if a := other.aw("run", "--gate", "unit"); a.status != 3 {
		r.t.Fatalf("a run in another environment was taken: %s", a)
	}
	id, _ := r.status().ask("decision")
	r.ok(r.human("", "reply", id, "accept"))
	r.ok(other.aw("run", "--gate", "unit"))
}

func replyAsk(r *repo) {
	r.t.Helper()
	a := r.ok(r.aw("ask", "--kind", "decision", "--question", "which way?", "--tried", "both"))
	r.ok(r.human("", "reply", a.text("ask", "id"), "left"))
}

// planned takes a delivery with this plan from plan to the end of implement's
// work: approved by a human, the change made.
func (r *repo) planned(change func(plan obj)) {
	r.t.Helper()
	p := planDoc()
	change(p)
	r.submit("plan", obj{"outcome": "pass", "documents": obj{"plan": p}, "records": []any{record("plan", "another plan")}})
	_, digest := r.status().ask("approval")
	r.says("approve", digest)
	r.change()
}

// implemented ends implement.
func (r *repo) implemented() {
	r.t.Helper()
	r.submit("implement", obj{"outcome": "pass", "records": []any{record("change", "one operator")}})
}

// oddPlan is a plan with every odd gate and every command that goes wrong; the
// change is made, and its test fails.
func oddPlan(r *repo) {
	r.t.Helper()
	r.planned(func(p obj) {
		list := p["gates"].([]any)
		add := func(id string, gate obj) {
			g := obj{"id": id, "kind": "unit-test"}
			for k, v := range gate {
				g[k] = v
			}
			list = append(list, g)
		}
		for _, g := range oddGates() {
			add(g.id, g.gate)
		}
		for _, c := range wrongCommands() {
			add(c.id, c.gate)
		}
		add("edits", obj{"shell": "echo '// more' >> sum.go; go test -v -run Zero ./..."})
		p["gates"] = list
	})
	r.write("sum_test.go", testsBad)
	r.implemented()
}

func argv(words ...string) obj {
	list := []any{}
	for _, w := range words {
		list = append(list, w)
	}
	return obj{"argv": list}
}

// events returns the ledger's lines as objects.
func (r *repo) events() []obj {
	r.t.Helper()
	var out []obj
	for _, line := range splitLines(r.ledger()) {
		var o obj
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			r.t.Fatal(err)
		}
		out = append(out, o)
	}
	return out
}
