//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

const worse = "package sum\n\n// Add returns the sum of a and b.\nfunc Add(a, b int) int { return a * b }\n"

// staleAttacks use evidence of a world that is gone.
func staleAttacks() []attack {
	unit := []string{"unit-test unit", "integration-test"}
	return []attack{
		{name: "tests edited after the run", stage: "tested", still: true, shut: unit, twin: "refresh", do: func(r *repo) answer {
			r.write("sum_test.go", strings.ReplaceAll(testsNew, "got != 3", "got != 4"))
			return r.aw("complete", "test", "pass")
		}, exit: 3, code: "gate-shut"},
		{name: "code edited after the run", stage: "tested", still: true, shut: unit, twin: "refresh", do: func(r *repo) answer {
			r.write("sum.go", worse)
			return r.aw("complete", "test", "pass")
		}, exit: 3, code: "gate-shut"},
		{name: "a file added after the run", stage: "tested", still: true, shut: unit, twin: "refresh", do: func(r *repo) answer {
			r.write("more_test.go", "package sum\n\nfunc init() { panic(1) }\n")
			return r.aw("complete", "test", "pass")
		}, exit: 3, code: "gate-shut"},
		{name: "a file removed after the run", stage: "tested", still: true, shut: unit, twin: "refresh", do: func(r *repo) answer {
			r.remove("sum_test.go")
			return r.aw("complete", "test", "pass")
		}, exit: 3, code: "gate-shut"},
		{name: "the edit committed after the run", stage: "tested", still: true, shut: unit, twin: "refresh", do: func(r *repo) answer {
			r.write("sum_test.go", testsOld)
			r.git("commit", "-qam", "fewer tests")
			return r.aw("complete", "test", "pass")
		}, exit: 3, code: "gate-shut"},
		{name: "evidence from before a return", stage: "tested", still: true, shut: append(unit, "static format"), twin: "test again after a return", node: "test", do: func(r *repo) answer {
			backToTest(r)
			return r.aw("complete", "test", "pass")
		}, exit: 3, code: "gate-shut"},
		{name: "evidence from before a return, tree restored", stage: "tested", still: true, shut: unit, twin: "test again after a return", node: "test", do: func(r *repo) answer {
			backToTest(r)
			r.remove("more.go")
			return r.aw("complete", "test", "pass")
		}, exit: 3, code: "gate-shut"},
		{name: "a change from before a return", stage: "tested", still: true, shut: []string{"change"}, twin: "a new attempt", node: "implement", do: func(r *repo) answer {
			r.ok(r.aw("complete", "test", "fail-retryable", "--reason", "again"))
			r.ok(r.aw("enter", "implement", "--hypothesis", "nothing has to change"))
			return r.aw("complete", "implement", "pass")
		}, exit: 3, code: "gate-shut"},
		{name: "reviews of an earlier tree", stage: "reviewed", still: true, shut: []string{"code-review", "security-review"}, twin: "reviews", do: func(r *repo) answer {
			r.write("sum.go", worse)
			return r.aw("complete", "review", "pass")
		}, exit: 3, code: "gate-shut"},
		{name: "a verdict of an earlier tree", stage: "review", still: true, shut: []string{"acceptance"}, twin: "verdicts", do: func(r *repo) answer {
			r.write("sum.go", worse)
			return r.aw("complete", "review", "pass")
		}, exit: 3, code: "gate-shut"},
		{name: "a file that was untracked at start, edited after the run", stage: "tested", still: true, shut: unit, twin: "refresh", do: func(r *repo) answer {
			r.write("data.txt", "2\n")
			return r.aw("complete", "test", "pass")
		}, exit: 3, code: "gate-shut"},
	}
}

// hiddenAttacks edit the code after the run and hide the edit from Git.
func hiddenAttacks() []attack {
	hide := func(name, twin string, do func(r *repo) *repo) attack {
		return attack{name: "hidden edit: " + name, stage: "tested", still: true, exit: 3, code: "gate-shut", shut: []string{"unit-test unit"}, twin: twin, do: func(r *repo) answer {
			return do(r).aw("complete", "test", "pass")
		}}
	}
	edit := func(r *repo) *repo { r.write("sum.go", worse); return r }
	return []attack{
		hide("assume-unchanged", "touch", func(r *repo) *repo { r.git("update-index", "--assume-unchanged", "sum.go"); return edit(r) }),
		hide("skip-worktree", "touch", func(r *repo) *repo { r.git("update-index", "--skip-worktree", "sum.go"); return edit(r) }),
		hide("info/exclude", "touch", func(r *repo) *repo {
			r.write(".git/info/exclude", "evil.go\n")
			r.write("evil.go", "package sum\n\nfunc init() { panic(1) }\n")
			return r
		}),
		hide("core.excludesFile", "touch", func(r *repo) *repo {
			r.write(filepath.Join(r.base, "ignore"), "evil.go\n")
			r.git("config", "core.excludesFile", filepath.Join(r.base, "ignore"))
			r.write("evil.go", "package sum\n\nfunc init() { panic(1) }\n")
			return r
		}),
		hide("the user's own ignore file", "touch", func(r *repo) *repo {
			r.write("evil.go", "package sum\n\nfunc init() { panic(1) }\n")
			return r.with(r.ownHome(map[string]string{".config/git/ignore": "evil.go\n"}))
		}),
		hide("an ignore file beside the file", "touch", func(r *repo) *repo {
			r.write("evil/.gitignore", "*\n")
			r.write("evil/evil.go", "package evil\n\nfunc init() { panic(1) }\n")
			r.write("sum.go", strings.Replace(fixed, "\n//", "\nimport _ \"example.com/sum/evil\"\n\n//", 1))
			return r
		}),
		hide("a lying file system monitor", "touch", func(r *repo) *repo {
			r.write(filepath.Join(r.base, "monitor"), "#!/bin/sh\nprintf 'token\\0'\n")
			if err := os.Chmod(filepath.Join(r.base, "monitor"), 0o755); err != nil {
				r.t.Fatal(err)
			}
			r.git("config", "core.fsmonitor", filepath.Join(r.base, "monitor"))
			r.git("update-index", "--fsmonitor")
			r.git("status")
			return edit(r)
		}),
		hide("a filter that stores the old content", "touch", func(r *repo) *repo {
			r.write(filepath.Join(r.base, "old.go"), fixed)
			r.git("config", "filter.old.clean", "cat "+filepath.Join(r.base, "old.go"))
			r.write(".git/info/attributes", "sum.go filter=old\n")
			return edit(r)
		}),
		hide("the same size at the same time", "touch", func(r *repo) *repo {
			info, err := os.Stat(r.file("sum.go"))
			if err != nil {
				r.t.Fatal(err)
			}
			r.write("sum.go", worse)
			if err := os.Chtimes(r.file("sum.go"), time.Now(), info.ModTime()); err != nil {
				r.t.Fatal(err)
			}
			return r
		}),
		hide("the same size at the same time, change times not trusted", "touch", func(r *repo) *repo {
			r.git("config", "core.trustctime", "false")
			r.git("config", "core.checkStat", "minimal")
			info, err := os.Stat(r.file("sum.go"))
			if err != nil {
				r.t.Fatal(err)
			}
			r.write("sum.go", worse)
			if err := os.Chtimes(r.file("sum.go"), time.Now(), info.ModTime()); err != nil {
				r.t.Fatal(err)
			}
			return r
		}),
		hide("an index of its own", "touch", func(r *repo) *repo {
			index := filepath.Join(r.base, "index")
			r.write(index, r.read(".git/index"))
			edit(r)
			return r.with("GIT_INDEX_FILE="+index, "GIT_OPTIONAL_LOCKS=0")
		}),
		hide("another work tree by the environment", "touch", func(r *repo) *repo {
			clean := copyOf(r.t, r.base)
			edit(r)
			return r.with("GIT_DIR="+clean.file(".git"), "GIT_WORK_TREE="+clean.dir)
		}),
		hide("another repository by --root", "touch", func(r *repo) *repo {
			edit(r)
			return r.with("GIT_CEILING_DIRECTORIES=/", "GIT_DISCOVERY_ACROSS_FILESYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.worktree", "GIT_CONFIG_VALUE_0=/tmp")
		}),
		hide("a replacement object", "touch", func(r *repo) *repo {
			edit(r)
			bad := r.git("hash-object", "-w", "sum.go")
			r.git("replace", bad, r.git("rev-parse", "HEAD:sum.go"))
			return r
		}),
		hide("a file mode that is not looked at", "touch", func(r *repo) *repo {
			r.git("config", "core.fileMode", "false")
			return edit(r)
		}),
		hide("a sparse checkout", "touch", func(r *repo) *repo {
			r.git("config", "core.sparseCheckout", "true")
			r.write(".git/info/sparse-checkout", "/go.mod\n")
			r.git("update-index", "--skip-worktree", "sum.go")
			return edit(r)
		}),
		hide("an edit that the index holds, and the file does not", "touch", func(r *repo) *repo {
			r.write("sum.go", worse)
			r.git("add", "sum.go")
			r.write("sum_test.go", testsAlso)
			return r
		}),
	}
}

// scopeAttacks change what the node, or the plan, does not allow.
func scopeAttacks() []attack {
	readOnly := func(stage, node, file, twin string) attack {
		return attack{still: true, name: "an edit of " + file + " in " + node + " (" + stage + ")", stage: stage, exit: 3, code: "gate-shut", twin: twin, do: func(r *repo) answer {
			r.write(file, worse)
			return r.aw("complete", node, "pass")
		}}
	}
	implement := func(name string, do func(r *repo)) attack {
		return attack{name: name, stage: "changed", exit: 3, code: "gate-shut", shut: []string{"change"}, twin: "change", do: func(r *repo) answer {
			do(r)
			return r.awIn(js(obj{"outcome": "pass", "records": []any{record("change", "more than the plan says")}}), "submit", "implement", "-")
		}}
	}
	everywhere := func(name, file, content string) attack {
		return attack{name: name, stage: "plan", exit: 3, code: "gate-shut", shut: []string{"change"}, twin: "change", node: "implement", do: func(r *repo) answer {
			r.planned(func(p obj) {
				p["scope"] = obj{"write": []any{"sum.go", "M*", "go.*", ".github/**"}, "tests": []any{"*_test.go"}}
			})
			r.write(file, content)
			return r.awIn(js(obj{"outcome": "pass", "records": []any{record("change", "with a helper")}}), "submit", "implement", "-")
		}}
	}
	return []attack{
		readOnly("baseline", "analyze", "sum.go", "baseline"),
		readOnly("plan", "plan", "sum.go", "plan"),
		readOnly("tested", "test", "sum.go", "gates"),
		readOnly("verify", "verify", "sum_test.go", "verdicts"),
		readOnly("reviewed", "review", "more.go", "reviews"),
		readOnly("update-work-item", "update-work-item", "more.go", "done"),
		{name: "an edit in intake", stage: "intake", exit: 3, code: "gate-shut", twin: "intake", do: func(r *repo) answer {
			r.write("sum.go", fixed)
			return r.awIn(js(obj{"outcome": "pass", "documents": obj{"spec": specDoc()}, "records": []any{record("task", "two criteria")}}), "submit", "intake", "-")
		}},
		{name: "an edit that a moved base is to explain", stage: "challenge", exit: 3, code: "gate-shut", twin: "requirements", do: func(r *repo) answer {
			r.write("more.go", "package sum\n")
			r.git("add", "more.go")
			r.git("commit", "-qm", "more")
			r.git("update-ref", "refs/remotes/origin/main", "HEAD")
			return r.awIn(js(obj{"outcome": "pass", "records": []any{record("requirements", "nothing is open")}}), "submit", "challenge", "-")
		}},
		{name: "an edit before the approval", stage: "approve", exit: 3, code: "gate-shut", shut: []string{"approval"}, twin: "approve on the terminal", do: func(r *repo) answer {
			r.write("sum.go", fixed)
			_, digest := r.status().ask("approval")
			return r.human(digest[:8], "approve")
		}},
		{name: "an edit between two nodes", stage: "tested", node: "implement", exit: 3, code: "gate-shut", twin: "a new attempt", do: func(r *repo) answer {
			r.ok(r.aw("complete", "test", "fail-retryable", "--reason", "again"))
			r.write("README.md", "hello\n")
			r.ok(r.aw("enter", "implement", "--hypothesis", "nobody looks between two nodes"))
			r.write("more.go", "package sum\n")
			return r.awIn(js(obj{"outcome": "pass", "records": []any{record("change", "a file more")}}), "submit", "implement", "-")
		}},
		implement("a file outside the scope", func(r *repo) { r.write("README.md", "hello\n") }),
		implement("a file outside the scope, committed", func(r *repo) {
			r.write("README.md", "hello\n")
			r.git("add", "README.md")
			r.git("commit", "-qm", "readme")
		}),
		implement("a file outside the scope, in a folder", func(r *repo) { r.write("deep/sum.go", "package deep\n") }),
		implement("a file removed outside the scope", func(r *repo) { r.remove("go.mod") }),
		implement("a file moved out of the scope", func(r *repo) { r.git("mv", "sum.go", "add.go") }),
		implement("the settings of the client", func(r *repo) { r.write(".claude/settings.json", "{}\n") }),
		implement("the configuration", func(r *repo) { r.write(".claude/asterweave.json", `{"version":1}`) }),
		everywhere("a makefile that the plan does not name", "Makefile", "test:\n\ttrue\n"),
		everywhere("a workflow that the plan does not name", ".github/workflows/ci.yml", "on: push\n"),
		everywhere("a module file that the plan does not name", "go.mod", goMod+"\n// more\n"),
		{name: "work on the base branch", stage: "implement", exit: 3, code: "gate-shut", twin: "change", do: func(r *repo) answer {
			r.write("sum.go", fixed)
			return r.awIn(js(obj{"outcome": "pass", "records": []any{record("change", "on main")}}), "submit", "implement", "-")
		}},
		{name: "work committed on the base branch", stage: "implement", exit: 3, code: "gate-shut", twin: "change", do: func(r *repo) answer {
			r.write("sum.go", fixed)
			r.git("commit", "-qam", "Add adds")
			return r.awIn(js(obj{"outcome": "pass", "records": []any{record("change", "on main")}}), "submit", "implement", "-")
		}},
		{name: "work on a detached head", stage: "implement", exit: 3, code: "gate-shut", twin: "change", do: func(r *repo) answer {
			r.git("switch", "-q", "--detach")
			r.write("sum.go", fixed)
			return r.awIn(js(obj{"outcome": "pass", "records": []any{record("change", "nowhere")}}), "submit", "implement", "-")
		}},
	}
}
