//go:build unix

package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// The sample: a module with a seeded defect that its only test does not know.
const (
	goMod     = "module example.com/sum\n\ngo 1.24\n"
	defect    = "package sum\n\n// Add returns the sum of a and b.\nfunc Add(a, b int) int { return a - b }\n"
	fixed     = "package sum\n\n// Add returns the sum of a and b.\nfunc Add(a, b int) int { return a + b }\n"
	testsOld  = "package sum\n\nimport \"testing\"\n\nfunc TestZero(t *testing.T) {\n\tif Add(0, 0) != 0 {\n\t\tt.Fatal(\"Add(0, 0)\")\n\t}\n}\n"
	testsNew  = testsOld + "\nfunc TestAdd(t *testing.T) {\n\tif got := Add(1, 2); got != 3 {\n\t\tt.Fatalf(\"Add(1, 2) = %d\", got)\n\t}\n}\n"
	testsBad  = testsOld + "\nfunc TestAdd(t *testing.T) {\n\tif got := Add(1, 2); got != 4 {\n\t\tt.Fatalf(\"Add(1, 2) = %d\", got)\n\t}\n}\n"
	testsAlso = testsNew + "\nfunc TestMore(t *testing.T) {\n\tif got := Add(2, 2); got != 4 {\n\t\tt.Fatalf(\"Add(2, 2) = %d\", got)\n\t}\n}\n"
)

// obj is a JSON object.
type obj = map[string]any

func js(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only values that encode are passed
	}
	return string(b)
}

func specDoc() obj {
	return obj{
		"version": 1,
		"task":    obj{"summary": "Add adds", "constraints": []any{}, "outOfScope": []any{}, "decisions": []any{}, "assumptions": []any{}},
		"criteria": []any{
			obj{"id": "SUM-1", "text": "Add(1, 2) is 3", "hardness": "HARD", "verify": "unit tests"},
			obj{"id": "SUM-2", "text": "the source is formatted", "hardness": "HARD", "verify": "go vet"},
		},
	}
}

func manifestDoc() obj {
	return obj{"version": 1, "task": "Add subtracts", "files": []any{"sum.go"}, "tests": []any{"sum_test.go"}, "commands": obj{"test": "go test -v ./..."}}
}

func planDoc() obj {
	return obj{
		"version": 1, "summary": "add instead of subtracting",
		"scope": obj{"write": []any{"sum.go", "more.go"}, "tests": []any{"*_test.go"}, "scratch": []any{"cover.out"}},
		"tasks": []any{obj{"id": "T1", "title": "fix Add", "criteria": []any{"SUM-1", "SUM-2"}, "paths": []any{"sum.go"}}},
		"gates": []any{
			obj{"id": "unit", "kind": "unit-test", "argv": []any{"go", "test", "-v", "./..."}, "criteria": []any{"SUM-1"}},
			obj{"id": "format", "kind": "static", "argv": []any{"git", "diff", "--check"}, "criteria": []any{"SUM-2"}},
		},
		"notApplicable": []any{obj{"kind": "integration-test", "because": "the module is one function", "instead": "unit"}},
		"risks":         []any{"callers that rely on the defect"}, "rollback": "revert the commit",
	}
}

func record(kind, summary string) obj { return obj{"kind": kind, "result": "pass", "summary": summary} }

// gitConfig is everybody's, without the housekeeping that git starts behind a commit and a push.
const gitConfig = "[maintenance]\n\tauto = false\n[receive]\n\tautogc = false\n[user]\n\tname = Dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n[commit]\n\tgpgSign = false\n[advice]\n\tdetachedHead = false\n"

// ownHome makes a home of r's own, with these files, and returns the setting.
func (r *repo) ownHome(files map[string]string) string {
	r.t.Helper()
	home := filepath.Join(r.base, "home")
	r.write(filepath.Join(home, ".gitconfig"), gitConfig)
	for name, content := range files {
		r.write(filepath.Join(home, filepath.FromSlash(name)), content)
	}
	return "HOME=" + home
}

// seed makes the repository and its bare remote. The remote's URL is relative, so
// that the whole folder can be copied.
func (r *repo) seed() {
	r.t.Helper()
	for _, d := range []string{"repo", "tmp"} {
		if err := os.MkdirAll(filepath.Join(r.base, d), 0o755); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("init", "-q", "-b", "main")
	r.write("go.mod", goMod)
	r.write("sum.go", defect)
	r.write("sum_test.go", testsOld)
	r.git("add", "-A")
	r.git("commit", "-qm", "sum")
	r.git("init", "-q", "--bare", "-b", "main", "../remote.git")
	r.git("remote", "add", "origin", "../remote.git")
	r.git("push", "-q", "origin", "main")
	r.git("fetch", "-q", "origin")
	r.git("remote", "set-head", "origin", "main")
	r.write("data.txt", "1\n") // untracked at start
}

// step leads to a stage, from the one before it or from another.
type step struct {
	name string
	do   func(*repo)
	from string
}

// detours are stages beside the honest way.
func detours() []step {
	return []step{
		{name: "broken", from: "test", do: func(r *repo) { r.write("sum_test.go", testsBad) }},
		{name: "odd", from: "plan", do: oddPlan},
	}
}

// steps are the stages of an honest delivery: each starts where the one before
// ended, and is named by where it leads.
func steps() []step {
	return []step{
		{name: "fresh", do: (*repo).seed},
		{name: "intake", do: func(r *repo) { r.ok(r.aw("start", "--goal", "SUM-1: Add adds, and SUM-2: the source stays formatted")) }},
		{name: "analyze", do: func(r *repo) {
			r.submit("intake", obj{"outcome": "pass", "documents": obj{"spec": specDoc()}, "records": []any{record("task", "two criteria")}})
		}},
		{name: "baseline", do: func(r *repo) {
			r.submit("analyze", obj{"documents": obj{"manifest": manifestDoc()}, "records": []any{record("repository", "one package")}})
		}},
		{name: "challenge", do: func(r *repo) {
			r.ok(r.aw("run", "--kind", "baseline"))
			r.ok(r.aw("complete", "analyze", "pass"))
		}},
		{name: "plan", do: func(r *repo) {
			r.submit("challenge", obj{"outcome": "pass", "records": []any{record("requirements", "nothing is open")}})
		}},
		{name: "approve", do: func(r *repo) {
			r.submit("plan", obj{"outcome": "pass", "documents": obj{"plan": planDoc()}, "records": []any{record("plan", "one task")}})
		}},
		{name: "implement", do: func(r *repo) {
			_, digest := r.status().ask("approval")
			r.ok(r.human(digest[:8], "approve"))
		}},
		{name: "changed", do: (*repo).change},
		{name: "test", do: func(r *repo) {
			r.submit("implement", obj{"outcome": "pass", "records": []any{record("change", "one operator")}})
		}},
		{name: "tested", do: func(r *repo) {
			r.ok(r.aw("run", "--gate", "unit"))
			r.ok(r.aw("run", "--gate", "format"))
		}},
		{name: "verify", do: func(r *repo) {
			if a := r.aw("run", "--gate", "unit", "--at", "base"); a.status == 0 {
				r.t.Fatalf("the gate passes without the change: %s", a)
			}
			r.ok(r.aw("complete", "test", "pass"))
		}},
		{name: "review", do: func(r *repo) {
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
		}},
		{name: "reviewed", do: func(r *repo) {
			tree := r.tree()
			for _, who := range reviewers() {
				r.looks(who)
				r.verdict(who, verdictOf(who.kind, "pass", tree))
			}
		}},
		{name: "submit-pr", do: func(r *repo) { r.ok(r.aw("complete", "review", "pass")) }},
		{name: "intended", do: func(r *repo) {
			r.ok(r.awIn("Add adds.\n", "intend", "pr", "--title", "Add adds", "--body", "-"))
		}},
		{name: "confirmed", do: func(r *repo) {
			_, digest := r.status().ask("confirmation")
			r.says("approve", digest)
		}},
		{name: "pushed", do: func(r *repo) { r.git("push", "-q", "origin", "fix") }},
		{name: "monitor-pipeline", do: func(r *repo) {
			r.ok(r.aw("read", "pr"))
			r.ok(r.aw("complete", "submit-pr", "pass"))
		}},
		{name: "resolve-review-comments", do: func(r *repo) {
			r.ok(r.aw("read", "checks"))
			r.ok(r.aw("complete", "monitor-pipeline", "pass"))
		}},
		{name: "update-work-item", do: func(r *repo) {
			r.ok(r.aw("read", "comments"))
			r.ok(r.aw("complete", "resolve-review-comments", "pass"))
		}},
		{name: "done", do: func(r *repo) {
			r.ok(r.aw("read", "work-item"))
			r.ok(r.aw("complete", "update-work-item", "pass"))
		}},
	}
}

// stage returns the folder in which the stage waits. It is made once, from the
// stage before it; a stage that cannot be made fails every test that needs it.
func (s *suite) stage(t testing.TB, name string) string {
	t.Helper()
	list := append(steps(), detours()...)
	for i, step := range list {
		if step.name != name {
			continue
		}
		if step.from == "" && i > 0 {
			step.from = list[i-1].name
		}
		dir := filepath.Join(s.dir, "stages", name)
		s.once(name).Do(func() {
			s.fail(name, "it was not finished")
			if step.from != "" {
				from := s.stage(t, step.from)
				if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
					t.Fatal(err)
				}
				if out, err := exec.Command("cp", "-a", from, dir).CombinedOutput(); err != nil {
					t.Fatalf("copy: %v %s", err, out)
				}
			}
			r := open(t, dir)
			if step.from != "" {
				before := s.count(step.from)
				*r.calls, *r.words = before.calls, before.words
			}
			step.do(r)
			s.counted(name, counts{*r.calls, *r.words})
			s.fail(name, "")
		})
		if why := s.why(name); why != "" {
			t.Fatalf("stage %s: %s", name, why)
		}
		return dir
	}
	t.Fatalf("there is no stage %q", name)
	return ""
}

// status returns how the delivery stands at a stage.
func (s *suite) status(t testing.TB, name string) status {
	t.Helper()
	var out status
	if err := json.Unmarshal([]byte(s.raw(t, name).stdout), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// raw is the answer of `status --json` at a stage, which is asked once.
func (s *suite) raw(t testing.TB, name string) answer {
	t.Helper()
	dir := s.stage(t, name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.seen[name]; !ok {
		r := open(t, dir)
		s.seen[name] = r.ok(r.look("--json", "status"))
	}
	return s.seen[name]
}

// counts is what it took to come to a stage: calls by the model, words of a human.
type counts struct{ calls, words int }

func (s *suite) count(name string) counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.took[name]
}

func (s *suite) counted(name string, c counts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took[name] = c
}

func (s *suite) once(name string) *sync.Once {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stages[name] == nil {
		s.stages[name] = &sync.Once{}
	}
	return s.stages[name]
}

func (s *suite) fail(name, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken[name] = why
}

func (s *suite) why(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken[name]
}

// submit hands in a node's result, which has to be taken.
func (r *repo) submit(node string, body obj) answer {
	r.t.Helper()
	return r.ok(r.awIn(js(body), "submit", node, "-"))
}

// change is the fix and its test, committed on a branch of its own.
func (r *repo) change() {
	r.t.Helper()
	r.git("switch", "-qc", "fix")
	r.write("sum.go", fixed)
	r.write("sum_test.go", testsNew)
	r.git("commit", "-qam", "Add adds")
}

// tree asks the reviewer's prompt which tree is under review.
func (r *repo) tree() string {
	r.t.Helper()
	a := r.ok(r.aw("next", "--agent", "staff-reviewer"))
	m := regexp.MustCompile(`tree under review is ([0-9a-f]{40,64})`).FindStringSubmatch(a.text("next", "prompt"))
	if m == nil {
		r.t.Fatalf("the reviewer's prompt names no tree: %s", a)
	}
	return m[1]
}

// reviewer is a context of its own that the client has started.
type reviewer struct{ kind, agent, id string }

func reviewers() []reviewer {
	return []reviewer{{"code-review", "asterweave:staff-reviewer", "a11"}, {"security-review", "asterweave:security-reviewer", "a22"}}
}

// looks opens every changed file, as the hooks see it.
func (r *repo) looks(who reviewer) {
	r.t.Helper()
	for _, f := range strings.Fields(r.git("diff", "--name-only", "main")) {
		r.opens(who, f)
	}
}

func (r *repo) opens(who reviewer, file string) {
	r.t.Helper()
	full := r.file(file)
	r.uses(who, "Read", obj{"file_path": full}, obj{"type": "text", "file": obj{"filePath": full, "content": "…", "numLines": 1, "startLine": 1, "totalLines": 1}})
}

// uses is a tool call of the reviewer's that has ended.
func (r *repo) uses(who reviewer, tool string, input, response obj) {
	r.t.Helper()
	r.ok(r.event("post-tool-use", obj{"agent_id": who.id, "agent_type": who.agent, "tool_name": tool, "tool_input": input, "tool_response": response, "duration_ms": 2}))
}

// ends sends a reviewer's last message.
func (r *repo) ends(who reviewer, message string) answer {
	r.t.Helper()
	return r.event("subagent-stop", obj{
		"agent_id": who.id, "agent_type": who.agent, "agent_transcript_path": r.told(who), "stop_hook_active": false, "last_assistant_message": message,
	})
}

// told writes the beginning of an agent's transcript, as the client does: the prompt that
// the agent was started with, which the hook of its start has replaced by the binary's own.
func (r *repo) told(who reviewer) string {
	r.t.Helper()
	words := "Look at it."
	a := r.exec("", r.environ("ASTERWEAVE_AGENT=1"), shared.program("asterweave-state"), "--json", "next", "--agent", strings.TrimPrefix(who.agent, "asterweave:"))
	if a.status == 0 {
		words = a.text("next", "prompt")
	}
	path := filepath.Join(r.base, "agent-"+who.id+".jsonl")
	r.write(path, js(obj{"type": "user", "message": obj{"role": "user", "content": words}})+"\n")
	return path
}

func (r *repo) verdict(who reviewer, v obj) answer {
	r.t.Helper()
	return r.ok(r.ends(who, "I looked at all of it.\n```json\n"+js(v)+"\n```\n"))
}

func verdictOf(kind, verdict, tree string, findings ...any) obj {
	return obj{"version": 1, "kind": kind, "verdict": verdict, "tree": tree, "summary": "read every changed line", "findings": append([]any{}, findings...)}
}

func finding(severity, title string) obj {
	return obj{"severity": severity, "path": "sum.go", "line": 4, "title": title, "detail": "as it says"}
}
