//go:build unix

package cli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// orderAttacks take nodes out of their order.
func orderAttacks() []attack {
	simple := func(name, stage string, exit int, code, twin string, args ...string) attack {
		return attack{calls: true, name: name, stage: stage, exit: exit, code: code, twin: twin, do: call(args...)}
	}
	return []attack{
		simple("completing a later node", "test", 1, "conflict", "gates", "complete", "review", "pass"),
		simple("completing the last node", "test", 1, "conflict", "done", "complete", "update-work-item", "pass"),
		simple("completing an earlier node", "verify", 1, "conflict", "verdicts", "complete", "implement", "pass"),
		simple("completing a node with nothing there", "test", 3, "gate-shut", "gates", "complete", "test", "pass"),
		simple("completing a node that does not exist", "test", 64, "usage", "gates", "complete", "done", "pass"),
		simple("an outcome that does not exist", "test", 64, "usage", "gates", "complete", "test", "passed"),
		simple("an outcome that the node does not have", "approve", 64, "usage", "reject", "complete", "approve", "fail-retryable", "--reason", "x"),
		simple("entering a later node", "test", 1, "conflict", "gates", "enter", "review"),
		simple("entering the node that is under way", "test", 1, "conflict", "gates", "enter", "test"),
		simple("entering a node that does not exist", "test", 64, "usage", "gates", "enter", "done"),
		simple("another start", "test", 1, "conflict", "gates", "start", "--goal", "something easier"),
		{
			calls: true, name: "a submission for another node", stage: "test", exit: 1, code: "conflict", twin: "gates",
			do: func(r *repo) answer { return r.awIn(`{"outcome":"pass"}`, "submit", "review", "-") },
		},
		{name: "a new attempt without a hypothesis", stage: "tested", node: "implement", exit: 3, code: "gate-shut", twin: "a new attempt", do: func(r *repo) answer {
			r.ok(r.aw("complete", "test", "fail-retryable", "--reason", "it fails"))
			return r.aw("enter", "implement")
		}},
		{name: "a new attempt with the same hypothesis", stage: "tested", node: "implement", exit: 3, code: "gate-shut", twin: "a new attempt", do: func(r *repo) answer {
			for range 2 {
				r.ok(r.aw("complete", "test", "fail-retryable", "--reason", "it fails"))
				a := r.aw("enter", "implement", "--hypothesis", "The  operands are swapped")
				if a.status != 0 {
					return a
				}
				r.write("more.go", "package sum\n")
				r.implemented()
			}
			return r.aw("status")
		}},
		{name: "a failure without a reason", stage: "tested", exit: 64, code: "usage", twin: "a new attempt", still: true, do: call("complete", "test", "fail-retryable")},
	}
}

// ledgerAttacks change what is on the disk.
func ledgerAttacks() []attack {
	const file = ".claude/asterweave/ledger.jsonl"
	intact := func(name string, do func(r *repo)) attack {
		return attack{name: name, stage: "test", shut: []string{"unit-test unit"}, twin: "a cache that is gone", exit: 3, code: "gate-shut", do: func(r *repo) answer {
			do(r)
			return r.aw("complete", "test", "pass")
		}}
	}
	damage := func(name string, do func(r *repo)) attack {
		return attack{name: name, stage: "tested", damaged: true, twin: "gates", exit: 5, code: "ledger", do: func(r *repo) answer {
			do(r)
			return r.aw("complete", "test", "pass")
		}}
	}
	late := func(name string, do func(r *repo)) attack {
		return attack{name: name, stage: "update-work-item", damaged: true, late: true, twin: "done", exit: 5, code: "ledger", do: func(r *repo) answer {
			r.ok(r.aw("read", "work-item"))
			do(r)
			return r.aw("complete", "update-work-item", "pass")
		}}
	}
	cache := func(r *repo, change func(fold string) string) {
		var c obj
		if err := json.Unmarshal([]byte(r.read(".claude/asterweave/state.json")), &c); err != nil {
			r.t.Fatal(err)
		}
		fold := change(js(c["fold"]))
		c["fold"], c["state"] = json.RawMessage(fold), sum(fold)
		r.write(".claude/asterweave/state.json", js(c))
	}
	return []attack{
		intact("an edited state.json", func(r *repo) {
			cache(r, func(fold string) string { return strings.ReplaceAll(fold, `"node":"test"`, `"node":"review"`) })
		}),
		intact("a state.json of garbage", func(r *repo) { r.write(".claude/asterweave/state.json", "{\"seq\":1") }),
		intact("a state.json of another delivery", func(r *repo) {
			r.write(".claude/asterweave/state.json", open(r.t, shared.stage(r.t, "approve")).read(".claude/asterweave/state.json"))
		}),
		intact("an edited plan.json", func(r *repo) {
			p := planDoc()
			p["gates"] = []any{}
			r.write(".claude/asterweave/plan.json", js(p))
		}),
		intact("an edited spec.json", func(r *repo) { r.write(".claude/asterweave/spec.json", `{"version":1}`) }),
		damage("a state.json that is ahead", func(r *repo) {
			r.write(".claude/asterweave/state.json", open(r.t, shared.stage(r.t, "submit-pr")).read(".claude/asterweave/state.json"))
		}),
		damage("a cut tail", func(r *repo) {
			lines := splitLines(r.ledger())
			r.write(file, strings.Join(lines[:len(lines)-1], "\n")+"\n")
			r.remove(".claude/asterweave/state.json")
		}),
		damage("a removed ledger", func(r *repo) { r.remove(file); r.remove(".claude/asterweave/state.json") }),
		damage("a removed state folder", func(r *repo) { r.remove(".claude") }),
		damage("a removed anchor", func(r *repo) { r.remove(".git/asterweave") }),
		damage("a repeated last line", func(r *repo) {
			lines := splitLines(r.ledger())
			r.write(file, r.ledger()+lines[len(lines)-1]+"\n")
		}),
		damage("two lines swapped at the end", func(r *repo) {
			lines := splitLines(r.ledger())
			n := len(lines)
			lines[n-1], lines[n-2] = lines[n-2], lines[n-1]
			r.write(file, strings.Join(lines, "\n")+"\n")
		}),
		damage("a changed last line", func(r *repo) { r.write(file, replaceLast(r.ledger(), `"result":"pass"`, `"result":"info"`)) }),
		damage("a line of another ledger", func(r *repo) {
			other := splitLines(open(r.t, shared.stage(r.t, "done")).ledger())
			r.write(file, r.ledger()+other[len(other)-1]+"\n")
		}),
		damage("the ledger of another delivery", func(r *repo) { r.write(file, open(r.t, shared.stage(r.t, "plan")).ledger()) }),
		damage("a forged event with the wrong state", func(r *repo) {
			r.forge("complete", `{"changes":[{"completed":{"node":"test","outcome":"pass","to":"verify"}},{"entered":{"node":"verify"}}]}`)
		}),
		damage("a forged event that is not legal", func(r *repo) {
			r.forge("complete", `{"changes":[{"completed":{"node":"update-work-item","outcome":"pass","to":""}},{"ended":{"status":"done"}}]}`)
		}),
		damage("a forged event of an unknown shape", func(r *repo) { r.forge("complete", `{"changes":[{"teleported":{"node":"done"}}]}`) }),
		damage("a graph that asks for less", func(r *repo) {
			r.artifact(`"kinds"`, func(s string) string {
				return strings.ReplaceAll(s, `"code-review", "security-review"`, `"code-review"`)
			})
		}),
		damage("a stored plan that asks for less", func(r *repo) {
			r.artifact(`"rollback"`, func(s string) string { return strings.ReplaceAll(s, `"-v",`, `"-v","-run","Zero",`) })
		}),
		late("an early line changed before the end", func(r *repo) { r.write(file, strings.Replace(r.ledger(), "two criteria", "two criterea", 1)) }),
		late("an early line removed before the end", func(r *repo) {
			lines := splitLines(r.ledger())
			r.write(file, strings.Join(append(lines[:3:3], lines[4:]...), "\n")+"\n")
		}),
	}
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

func replaceLast(s, old, other string) string {
	i := strings.LastIndex(s, old)
	if i < 0 {
		return s
	}
	return s[:i] + other + s[i+len(old):]
}

// forge appends an event whose chain is right, as docs/ledger-format.md has it.
func (r *repo) forge(kind, data string) {
	r.t.Helper()
	events := r.events()
	last := events[len(events)-1]
	body := fmt.Sprintf(`{"v":1,"seq":%d,"at":%q,"type":%q,"node":%q,"attempt":1,"by":{"channel":"terminal"},"cause":"","data":%s,"state":%q,"prev":%q`,
		len(events)+1, last["at"], kind, last["node"], data, last["state"], last["hash"])
	r.write(".claude/asterweave/ledger.jsonl", r.ledger()+body+`,"hash":"`+sum(body)+"\"}\n")
	r.remove(".claude/asterweave/state.json")
}

// artifact changes the artifact that holds a text, under its old name.
func (r *repo) artifact(holds string, change func(string) string) {
	r.t.Helper()
	dir := r.file(".claude/asterweave/artifacts")
	list, err := os.ReadDir(dir)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range list {
		name := filepath.Join(dir, f.Name())
		if old := r.read(name); strings.Contains(old, holds) {
			if now := change(old); now != old {
				_ = os.Chmod(name, 0o644)
				r.write(name, now)
				return
			}
		}
	}
	r.t.Fatalf("no artifact holds %s", holds)
}
