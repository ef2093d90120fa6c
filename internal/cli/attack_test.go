//go:build unix

package cli_test

import (
	"slices"
	"strings"
	"testing"
)

// attack is an attempt to advance without the fact that is due. do makes it and
// returns the answer that is judged. Afterwards the delivery has to be where it
// was, the needs have to be shut, the node must not pass, nothing may be lost.
type attack struct {
	name  string
	stage string
	do    func(r *repo) answer
	exit  int      // status of the answer; failing is any but 0
	code  string   // of the answer's error
	shut  []string // needs that must not be open
	twin  string   // the honest way to what the attack wanted

	node    string // where the delivery is afterwards, if not where it was
	paused  bool   // the delivery waits afterwards
	still   bool   // do was to complete the node itself, or that is the honest next step
	calls   bool   // do is calls and nothing else: it shares a copy with others
	damaged bool   // the ledger is damaged by the attack; every deciding command says so
	late    bool   // the damage lies far back in the ledger
}

// failing is the status of a command that fails on its own account.
const failing = -1

// onOneCopy says of attacks that they are calls and nothing else.
func onOneCopy(list ...attack) []attack {
	for i := range list {
		list[i].calls = true
	}
	return list
}

func attacks() []attack {
	return slices.Concat(
		typedAttacks(), infoAttacks(), documentAttacks(), runAttacks(), oddGateAttacks(), environmentAttacks(), countAttacks(), staleAttacks(), hiddenAttacks(),
		scopeAttacks(), humanAttacks(), forgedWordAttacks(), verdictAttacks(), reviewAttacks(), findingAttacks(), pullRequestAttacks(), orderAttacks(), ledgerAttacks(),
		programAttacks(), transportAttacks(), narrowAttacks(),
	)
}

func TestAttacks(t *testing.T) {
	list := attacks()
	if len(list) < 80 {
		t.Errorf("there are %d attacks, at least 80 are due", len(list))
	}
	seen := map[string]bool{}
	calls := map[string][]attack{}
	for _, a := range list {
		if seen[a.name] {
			t.Errorf("two attacks are named %q", a.name)
		}
		seen[a.name] = true
		if _, ok := twins()[a.twin]; !ok {
			t.Errorf("%s: the honest twin %q is not there", a.name, a.twin)
		}
		if a.calls {
			calls[a.stage] = append(calls[a.stage], a)
			continue
		}
		t.Run(a.name, a.run)
	}
	for stage, list := range calls {
		t.Run("calls at "+stage, func(t *testing.T) { together(t, stage, list) })
	}
}

// together makes attacks that are calls and nothing else on one copy of their
// stage: none of them may change anything for the next one.
func together(t *testing.T, stage string, list []attack) {
	r := at(t, stage)
	before, ledger := shared.status(t, stage), r.ledger()
	whole := attack{name: "all"}
	for _, a := range list {
		whole.shut = append(whole.shut, a.shut...)
		t.Run(a.name, func(t *testing.T) {
			on := *r
			on.t = t
			a.judge(&on, a.do(&on))
			on.stays(before.Delivery.Node)
		})
	}
	if c := r.aw("complete", before.Delivery.Node, "pass"); c.status == 0 || c.status == 2 {
		t.Errorf("%s passed: %s", before.Delivery.Node, c)
	}
	whole.held(r, before.Delivery.Node, before.Delivery.Status)
	r.lost(ledger)
}

// judge checks the answer to the attempt.
func (a attack) judge(r *repo, got answer) {
	r.t.Helper()
	if got.status != a.exit && (a.exit != failing || got.status == 0) || got.code() != a.code {
		r.t.Errorf("status %d with code %q was due: %s", a.exit, a.code, got)
	}
	if rec, ok := got.json["evidence"].(obj); ok && a.calls && rec["counts"] == true && rec["result"] != "fail" {
		r.t.Errorf("the record counts: %s", got)
	}
}

// stays checks, in the ledger alone, that no event led to another node.
func (r *repo) stays(node string) {
	r.t.Helper()
	events := r.events()
	if last := events[len(events)-1]; last["node"] != node {
		r.t.Errorf("the delivery went to %s", last["node"])
	}
}

// lost checks that everything that was in the ledger still is, and holds.
func (r *repo) lost(ledger string) {
	r.t.Helper()
	if !strings.HasPrefix(r.ledger(), ledger) {
		r.t.Error("what was in the ledger is not there any more")
	}
	if v := r.look("--json", "verify"); v.status != 0 {
		r.t.Errorf("the ledger does not verify: %s", v)
	}
}

func (a attack) run(t *testing.T) {
	r := at(t, a.stage)
	before, ledger := shared.status(t, a.stage), r.ledger()
	got := a.do(r)
	a.judge(r, got)
	if a.damaged {
		a.refused(r)
		return
	}
	node := before.Delivery.Node
	if a.node != "" {
		node = a.node
	}
	if !a.still {
		if got = r.aw("complete", node, "pass"); got.status == 0 || got.status == 2 {
			t.Errorf("%s passed: %s", node, got)
		}
	}
	r.stays(node)
	// A refusal names every need that is shut; what it does not name is looked up.
	if slices.ContainsFunc(a.shut, func(need string) bool { return !strings.Contains(got.text("error", "message"), need+" is ") }) || a.paused {
		a.held(r, node, before.Delivery.Status)
	}
	r.lost(ledger)
}

// held checks that the delivery is where it has to be, with the needs shut.
func (a attack) held(r *repo, node, state string) {
	r.t.Helper()
	if a.paused {
		state = "paused"
	}
	s := r.status()
	if s.Delivery.Node != node || s.Delivery.Status != state {
		r.t.Errorf("the delivery is %s at %s, and not %s at %s", s.Delivery.Status, s.Delivery.Node, state, node)
	}
	for _, name := range a.shut {
		if n := s.need(r.t, name); n.open() {
			r.t.Errorf("%s is open: %+v", name, n)
		}
	}
}

// refused checks that every command refuses a damaged ledger; damage that lies far
// back is found by verify alone, and by the step to done.
func (a attack) refused(r *repo) {
	r.t.Helper()
	calls := [][]string{{"verify"}}
	if !a.late {
		calls = [][]string{{"status"}, {"next"}, {"run", "--", "true"}, {"complete", "test", "pass"}, {"verify"}}
	}
	for _, args := range calls {
		if got := r.aw(args...); got.status != 5 {
			r.t.Errorf("status 5 was due: %s", got)
		}
	}
}

// TestTwins lets each honest way pass where its attacks are refused.
func TestTwins(t *testing.T) {
	used := map[string]bool{}
	for _, a := range attacks() {
		used[a.twin] = true
	}
	for name, twin := range twins() {
		if !used[name] {
			t.Errorf("no attack has the twin %q", name)
		}
		t.Run(name, func(t *testing.T) {
			r := at(t, twin.stage)
			twin.do(r)
			s := r.status()
			if twin.node != "" && s.Delivery.Node != twin.node {
				t.Errorf("the delivery is at %s and not at %s", s.Delivery.Node, twin.node)
			}
			for _, name := range twin.open {
				if n := s.need(t, name); !n.open() {
					t.Errorf("%s is shut: %+v", name, n)
				}
			}
			if v := r.look("--json", "verify"); v.status != 0 {
				t.Errorf("the ledger does not verify: %s", v)
			}
		})
	}
}

// twin is an honest way: it ends at a node, with needs open.
type twin struct {
	stage string
	do    func(r *repo)
	node  string
	open  []string
}

func pass(node string) func(*repo) {
	return func(r *repo) { r.t.Helper(); r.ok(r.aw("complete", node, "pass")) }
}

func none(*repo) {}

func twins() map[string]twin {
	return map[string]twin{
		"intake":                  {stage: "analyze", do: none, node: "analyze", open: []string{"task"}},
		"baseline":                {stage: "challenge", do: none, node: "challenge", open: []string{"repository", "baseline"}},
		"requirements":            {stage: "plan", do: none, node: "plan", open: []string{"requirements"}},
		"plan":                    {stage: "approve", do: none, node: "approve", open: []string{"plan"}},
		"approve on the terminal": {stage: "implement", do: none, node: "implement", open: []string{"approval"}},
		"approve in the client": {stage: "approve", node: "implement", open: []string{"approval"}, do: func(r *repo) {
			_, digest := r.status().ask("approval")
			r.says("approve", digest[:8])
		}},
		"answer the binary's own question": {stage: "approve", node: "implement", open: []string{"approval"}, do: func(r *repo) {
			q := r.question()
			_, digest := r.status().ask("approval")
			r.ok(r.event("post-tool-use", answered(q, "Approve "+digest[:8])))
		}},
		"change":              {stage: "test", do: none, node: "test", open: []string{"change"}},
		"gates":               {stage: "tested", do: pass("test"), node: "verify", open: []string{"unit-test unit", "static format", "integration-test"}},
		"another environment": {stage: "test", do: acceptEnvironment, open: []string{"unit-test unit"}},
		"an accepted program": {stage: "baseline", do: acceptProgram, node: "test", open: []string{"unit-test unit"}},
		"narrow inputs":       {stage: "plan", do: narrowInputs, node: "test", open: []string{"unit-test unit"}},
		"more tests": {stage: "tested", open: []string{"unit-test unit"}, do: func(r *repo) {
			r.write("sum_test.go", testsAlso)
			r.ok(r.aw("run", "--gate", "unit"))
		}},
		"refresh": {stage: "tested", open: []string{"unit-test unit", "static format"}, do: func(r *repo) {
			r.write("sum_test.go", testsAlso)
			r.ok(r.aw("refresh"))
		}},
		"test again after a return": {stage: "tested", node: "verify", do: func(r *repo) {
			backToTest(r)
			r.ok(r.aw("run", "--gate", "unit"))
			r.ok(r.aw("run", "--gate", "format"))
			r.ok(r.aw("complete", "test", "pass"))
		}},
		"touch":          {stage: "tested", do: func(r *repo) { r.git("update-index", "--refresh"); r.ok(r.aw("complete", "test", "pass")) }, node: "verify"},
		"verdicts":       {stage: "review", do: none, node: "review", open: []string{"acceptance"}},
		"reviews":        {stage: "reviewed", do: pass("review"), node: "submit-pr", open: []string{"code-review", "security-review"}},
		"a human review": {stage: "review", do: humanReview, open: []string{"code-review"}},
		"resolved": {stage: "review", do: func(r *repo) {
			failReview(r)
			backToReview(r)
			r.ok(r.aw("status"))
			again := reviewer{"code-review", "asterweave:staff-reviewer", "a33"}
			r.looks(again)
			v := verdictOf("code-review", "pass", r.head())
			v["resolved"] = []any{"F1"}
			r.verdict(again, v)
		}, open: []string{"code-review"}},
		"pull request":  {stage: "monitor-pipeline", do: none, node: "monitor-pipeline", open: []string{"pull-request"}},
		"pipeline":      {stage: "resolve-review-comments", do: none, node: "resolve-review-comments", open: []string{"pipeline"}},
		"comments":      {stage: "update-work-item", do: none, node: "update-work-item", open: []string{"review-comments"}},
		"done":          {stage: "done", do: none, open: []string{"work-item-update"}},
		"resume":        {stage: "test", do: func(r *repo) { r.ok(r.aw("pause", "--reason", "lunch")); r.ok(r.human("", "resume")) }, node: "test"},
		"reply":         {stage: "test", do: replyAsk, node: "test"},
		"steer":         {stage: "plan", do: func(r *repo) { r.ok(r.human("", "steer", "keep the signature")) }, node: "plan"},
		"reject":        {stage: "approve", do: func(r *repo) { r.ok(r.human("", "reject", "--reason", "smaller")) }, node: "plan"},
		"abort":         {stage: "test", do: func(r *repo) { r.ok(r.human("", "abort", "--reason", "not worth it")) }},
		"a new attempt": {stage: "tested", do: backToTest, node: "test"},
		"a cache that is gone": {stage: "tested", node: "verify", do: func(r *repo) {
			r.remove(".claude/asterweave/state.json")
			r.ok(r.aw("complete", "test", "pass"))
		}},
	}
}
