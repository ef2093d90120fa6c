//go:build unix

package cli_test

import "strings"

func splitLines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

// where says at which stage a kind is due, and by which need.
type where struct{ kind, stage, need, twin string }

func dueKinds() []where {
	return []where{
		{"baseline", "baseline", "baseline", "baseline"},
		{"approval", "approve", "approval", "approve on the terminal"},
		{"unit-test", "test", "unit-test unit", "gates"},
		{"integration-test", "test", "integration-test", "gates"},
		{"static", "test", "static format", "gates"},
		{"code-review", "review", "code-review", "reviews"},
		{"security-review", "review", "security-review", "reviews"},
		{"pull-request", "pushed", "pull-request", "pull request"},
		{"pipeline", "monitor-pipeline", "pipeline", "pipeline"},
		{"review-comments", "resolve-review-comments", "review-comments", "comments"},
		{"work-item-update", "update-work-item", "work-item-update", "done"},
	}
}

// typedAttacks state a pass in a sentence, for every kind that is run, read or a
// human's, and for those whose fact is not there.
func typedAttacks() []attack {
	var out []attack
	for _, w := range dueKinds() {
		out = append(out, attack{
			name: "typed pass of " + w.kind, stage: w.stage, exit: 3, code: "gate-shut", shut: []string{w.need}, twin: w.twin,
			do: call("record", "--kind", w.kind, "--result", "pass", "--summary", "it passed, I looked"),
		})
	}
	missing := func(kind, stage, twin string) attack {
		return attack{
			name: "typed pass of " + kind + " without its fact", stage: stage, exit: 3, code: "gate-shut", shut: []string{kind}, twin: twin,
			do: call("record", "--kind", kind, "--result", "pass", "--summary", "it is there"),
		}
	}
	out = append(out,
		missing("task", "intake", "intake"), missing("repository", "analyze", "baseline"), missing("plan", "plan", "plan"),
		missing("change", "implement", "change"), missing("acceptance", "verify", "verdicts"),
		attack{
			name: "submission with a typed test result", stage: "test", exit: 3, code: "gate-shut", shut: []string{"unit-test unit"}, twin: "gates",
			do: func(r *repo) answer {
				return r.awIn(js(obj{"outcome": "pass", "records": []any{record("unit-test", "all 40 tests pass")}}), "submit", "test", "-")
			},
		},
		attack{
			name: "submission with typed reviews", stage: "review", exit: 3, code: "gate-shut", shut: []string{"code-review", "security-review"}, twin: "reviews",
			do: func(r *repo) answer {
				return r.awIn(js(obj{"outcome": "pass", "records": []any{record("code-review", "lgtm"), record("security-review", "safe")}}), "submit", "review", "-")
			},
		},
		attack{
			name: "submission with an outcome and nothing else", stage: "test", exit: 3, code: "gate-shut", shut: []string{"unit-test unit"}, twin: "gates",
			do: func(r *repo) answer { return r.awIn(`{"outcome":"pass"}`, "submit", "test", "-") },
		},
		attack{
			name: "a log file as test evidence", stage: "test", exit: 3, code: "gate-shut", shut: []string{"unit-test unit"}, twin: "gates",
			do: func(r *repo) answer {
				r.write(".claude/asterweave/out.log", "=== RUN   TestAdd\n--- PASS: TestAdd (0.00s)\nPASS\nok  \texample.com/sum\t0.01s\n")
				return r.aw("record", "--kind", "unit-test", "--result", "pass", "--summary", "see the log", "--path", ".claude/asterweave/out.log")
			},
		},
	)
	return onOneCopy(out...)
}

// infoAttacks say that a kind is not applicable where a fact is due.
func infoAttacks() []attack {
	var out []attack
	list := append(dueKinds(), where{"task", "intake", "task", "intake"}, where{"repository", "analyze", "repository", "baseline"},
		where{"requirements", "challenge", "requirements", "requirements"}, where{"plan", "plan", "plan", "plan"},
		where{"change", "changed", "change", "change"}, where{"acceptance", "verify", "acceptance", "verdicts"})
	for _, w := range list {
		out = append(out, attack{
			name: "info of " + w.kind, stage: w.stage, exit: 0, shut: []string{w.need}, twin: w.twin,
			do: call("record", "--kind", w.kind, "--result", "info", "--summary", "not needed", "--because", "it is obvious", "--instead", "unit"),
		})
	}
	return append(onOneCopy(out...), attack{
		name: "info that hides a failure", stage: "test", exit: 0, shut: []string{"unit-test unit"}, twin: "gates",
		do: func(r *repo) answer {
			r.write("sum_test.go", strings.ReplaceAll(testsNew, "got != 3", "got != 4"))
			if a := r.aw("run", "--gate", "unit"); a.status != 1 {
				r.t.Fatalf("the failing gate ended with another status: %s", a)
			}
			return r.aw("record", "--kind", "unit-test", "--result", "info", "--summary", "flaky", "--because", "it is flaky")
		},
	})
}

// documentAttacks hand in documents that leave out what is due.
func documentAttacks() []attack {
	spec := func(change func(obj)) func(*repo) answer {
		return func(r *repo) answer {
			s := specDoc()
			change(s)
			return r.awIn(js(obj{"outcome": "pass", "documents": obj{"spec": s}, "records": []any{record("task", "done")}}), "submit", "intake", "-")
		}
	}
	plan := func(change func(obj)) func(*repo) answer {
		return func(r *repo) answer {
			p := planDoc()
			change(p)
			return r.awIn(js(obj{"outcome": "pass", "documents": obj{"plan": p}, "records": []any{record("plan", "done")}}), "submit", "plan", "-")
		}
	}
	list := onOneCopy([]attack{
		{
			name: "spec that drops an identifier of the goal", stage: "intake", exit: 3, code: "gate-shut", shut: []string{"task"}, twin: "intake",
			do: spec(func(s obj) { s["criteria"] = s["criteria"].([]any)[:1] }),
		},
		{
			name: "spec that carries its own verdict", stage: "intake", exit: 1, code: "invalid", shut: []string{"task"}, twin: "intake",
			do: spec(func(s obj) { s["criteria"].([]any)[0].(obj)["verdict"] = "pass" }),
		},
		{
			name: "spec with a criterion of no hardness", stage: "intake", exit: 1, code: "invalid", shut: []string{"task"}, twin: "intake",
			do: spec(func(s obj) { s["criteria"].([]any)[0].(obj)["hardness"] = "SOMEWHAT" }),
		},
		{
			name: "requirements with an open question", stage: "challenge", exit: 3, code: "gate-shut", shut: []string{"requirements"}, twin: "requirements",
			do: func(r *repo) answer {
				s := specDoc()
				s["criteria"].([]any)[0].(obj)["questions"] = []any{"what about overflow?"}
				return r.awIn(js(obj{"outcome": "pass", "documents": obj{"spec": s}, "records": []any{record("requirements", "fine")}}), "submit", "challenge", "-")
			},
		},
		{
			name: "plan without a gate for a criterion", stage: "plan", exit: 1, code: "invalid", shut: []string{"plan"}, twin: "plan",
			do: plan(func(p obj) { p["gates"] = p["gates"].([]any)[:1] }),
		},
		{
			name: "plan without tests and without a reason", stage: "plan", exit: 1, code: "invalid", shut: []string{"plan"}, twin: "plan",
			do: plan(func(p obj) { p["notApplicable"] = []any{} }),
		},
		{
			name: "plan whose tests are covered by a gate that is not there", stage: "plan", exit: 1, code: "invalid", shut: []string{"plan"}, twin: "plan",
			do: plan(func(p obj) { p["notApplicable"].([]any)[0].(obj)["instead"] = "nothing" }),
		},
		{
			name: "plan without the command of the baseline", stage: "plan", exit: 1, code: "invalid", shut: []string{"plan"}, twin: "plan",
			do: plan(func(p obj) { p["gates"].([]any)[0].(obj)["argv"] = []any{"go", "test", "-run", "Zero", "./..."} }),
		},
		{
			name: "plan with tasks in a circle", stage: "plan", exit: 1, code: "invalid", shut: []string{"plan"}, twin: "plan",
			do: plan(func(p obj) {
				p["tasks"] = []any{
					obj{"id": "T1", "title": "a", "criteria": []any{"SUM-1", "SUM-2"}, "dependsOn": []any{"T2"}},
					obj{"id": "T2", "title": "b", "criteria": []any{"SUM-1"}, "dependsOn": []any{"T1"}},
				}
			}),
		},
		{
			name: "manifest with a path that does not exist", stage: "analyze", exit: 1, code: "invalid", shut: []string{"repository"}, twin: "baseline",
			do: func(r *repo) answer {
				m := manifestDoc()
				m["files"] = []any{"sum.go", "nowhere.go"}
				return r.awIn(js(obj{"documents": obj{"manifest": m}, "records": []any{record("repository", "done")}}), "submit", "analyze", "-")
			},
		},
	}...)
	return append(list,
		attack{
			name: "requirements with an ask that has no answer", stage: "challenge", exit: 3, code: "gate-shut", shut: []string{"requirements"}, twin: "requirements",
			do: func(r *repo) answer {
				r.ok(r.aw("ask", "--kind", "decision", "--question", "what about overflow?"))
				return r.awIn(js(obj{"outcome": "pass", "records": []any{record("requirements", "fine")}}), "submit", "challenge", "-")
			},
		},
		attack{
			name: "plan that ignores a steer", stage: "plan", exit: 1, code: "invalid", shut: []string{"plan"}, twin: "plan",
			do: func(r *repo) answer {
				r.says("steer", "keep the signature")
				return plan(func(obj) {})(r)
			},
		},
	)
}
