//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mistake is a call that cannot be answered. It has to end with a status that is
// documented, a code, a message and a safe hint, and to leave everything as it was.
type mistake struct {
	name   string
	stage  string
	do     func(r *repo) answer
	status int
	code   string
	says   string // in the message
}

func TestMistakes(t *testing.T) {
	stages := map[string][]mistake{}
	for _, m := range append(wordMistakes(), documentMistakes()...) {
		stages[m.stage] = append(stages[m.stage], m)
	}
	for stage, list := range stages {
		t.Run("at "+stage, func(t *testing.T) {
			r := at(t, stage)
			before := ""
			if stage != "fresh" {
				before = r.ledger()
			}
			for _, m := range list {
				t.Run(m.name, func(t *testing.T) {
					on := *r
					on.t = t
					m.judge(t, m.do(&on))
				})
			}
			if before != "" && r.ledger() != before {
				t.Error("a refused call changed the ledger")
			}
		})
	}
	for _, m := range placeMistakes() {
		t.Run(m.name, func(t *testing.T) {
			r := at(t, m.stage)
			m.judge(t, m.do(r))
		})
	}
}

func (m mistake) judge(t *testing.T, a answer) {
	t.Helper()
	if a.status != m.status || a.code() != m.code {
		t.Errorf("status %d with code %q was due: %s", m.status, m.code, a)
	}
	if !strings.Contains(a.text("error", "message"), m.says) {
		t.Errorf("the message does not name %q: %s", m.says, a)
	}
	safe(t, a)
}

// safe checks an error's form: one object on stdout, a message in one style, and a
// hint that does not hold a complete command that bypasses or destroys.
func safe(t *testing.T, a answer) {
	t.Helper()
	if a.json["ok"] != false || strings.Count(a.stdout, "\n") != 1 {
		t.Errorf("stdout is not one object of an error: %s", a)
	}
	message, hint := a.text("error", "message"), a.text("error", "hint")
	if message == "" || hint == "" {
		t.Errorf("no message or no hint: %s", a)
	}
	if strings.HasSuffix(message, ".") || strings.Contains(message, "panic") || strings.Contains(message, "goroutine") {
		t.Errorf("the message is not in the style: %s", message)
	}
	for _, bad := range []string{"rm -", "git reset", "git clean", "git checkout", "git stash", "--force", "--no-verify", "approve ", "unset ", "env -u", "ASTERWEAVE_AGENT", "ledger.jsonl"} {
		if strings.Contains(hint, bad) {
			t.Errorf("the hint holds %q: %s", bad, hint)
		}
	}
}

func wordMistakes() []mistake {
	usage := func(name, says string, args ...string) mistake {
		return mistake{name: name, stage: "test", do: call(args...), status: 64, code: "usage", says: says}
	}
	return []mistake{
		usage("an unknown verb", "finish", "finish"),
		usage("an unknown verb of a group", "burn", "plan", "burn"),
		usage("an unknown flag", "fast", "status", "--fast"),
		usage("a flag without its value", "gate", "run", "--gate"),
		usage("too many words", "", "status", "now"),
		usage("too few words", "", "complete", "test"),
		usage("an unknown node", "lunch", "enter", "lunch"),
		usage("an unknown outcome", "fine", "complete", "test", "fine"),
		usage("an unknown kind", "vibes", "record", "--kind", "vibes", "--result", "pass", "--summary", "x"),
		usage("an unknown result", "good", "record", "--kind", "note", "--result", "good", "--summary", "x"),
		usage("a record without a summary", "summary", "record", "--kind", "note", "--result", "pass"),
		usage("an info without a reason", "reason", "record", "--kind", "note", "--result", "info", "--summary", "x"),
		usage("an unknown criterion", "SUM-9", "record", "--kind", "note", "--result", "pass", "--summary", "x", "--criterion", "SUM-9"),
		usage("an unknown criterion to judge", "SUM-9", "spec", "judge", "SUM-9", "--verdict", "pass", "--expected", "00"),
		usage("an unknown gate", "smoke", "run", "--gate", "smoke"),
		usage("a gate and a command", "", "run", "--gate", "unit", "--", "true"),
		usage("nothing to run", "", "run"),
		usage("a run at another place", "base", "run", "--gate", "unit", "--at", "head"),
		usage("a run of another kind", "baseline", "run", "--kind", "unit-test"),
		usage("an unknown kind of ask", "approval", "ask", "--kind", "approval", "--question", "may I?"),
		usage("an ask without a question", "question", "ask", "--kind", "decision", "--question", " "),
		usage("an unknown thing to read", "mail", "read", "mail"),
		usage("an unknown format", "pdf", "report", "--format", "pdf"),
		usage("an unknown agent", "intern", "next", "--agent", "intern"),
		usage("a file that is not there", "nowhere", "plan", "put", "nowhere.json"),
		usage("a folder as a file", "", "spec", "put", "."),
		usage("a record's file that is not there", "nowhere", "record", "--kind", "note", "--result", "pass", "--summary", "x", "--path", "nowhere"),
		usage("a record's file outside the worktree", "outside", "record", "--kind", "note", "--result", "pass", "--summary", "x", "--path", "/etc/hostname"),
		usage("a record's file above the worktree", "", "record", "--kind", "note", "--result", "pass", "--summary", "x", "--path", "../remote.git/HEAD"),
		{name: "an unknown provider", stage: "fresh", status: 64, code: "usage", says: "gitea", do: call("start", "--goal", "x", "--provider", "gitea")},
		{name: "a base that is not there", stage: "fresh", status: 64, code: "usage", says: "nowhere", do: call("start", "--goal", "x", "--base", "nowhere")},
		{name: "a start without a goal", stage: "fresh", status: 64, code: "usage", says: "goal", do: call("start")},
		{name: "a goal without words", stage: "fresh", status: 64, code: "usage", says: "goal", do: call("start", "--goal", "  ")},
		{name: "a goal that is too long", stage: "fresh", status: 1, code: "invalid", says: "goal", do: call("start", "--goal", strings.Repeat("x", 20<<10))},
		{name: "no delivery", stage: "fresh", status: 1, code: "no-delivery", says: "no delivery", do: call("next")},
		{name: "no delivery to complete", stage: "fresh", status: 1, code: "no-delivery", says: "no delivery", do: call("complete", "test", "pass")},
		{name: "no delivery to log", stage: "fresh", status: 1, code: "no-delivery", says: "no delivery", do: call("log")},
		{name: "a pause without a reason", stage: "test", status: 64, code: "usage", says: "reason", do: call("pause")},
		{name: "a delivery that is done", stage: "done", status: 1, code: "no-delivery", says: "done", do: call("run", "--", "true")},
	}
}

func documentMistakes() []mistake {
	put := func(name, doc, text, says string) mistake {
		stage := map[string]string{"spec": "intake", "manifest": "analyze", "plan": "plan"}[doc]
		return mistake{name: name, stage: stage, status: 1, code: "invalid", says: says, do: func(r *repo) answer { return r.awIn(text, doc, "put", "-") }}
	}
	submit := func(name, text, says string) mistake {
		return mistake{name: name, stage: "test", status: 1, code: "invalid", says: says, do: func(r *repo) answer { return r.awIn(text, "submit", "test", "-") }}
	}
	edited := func(doc obj, change func(obj)) string { change(doc); return js(doc) }
	return []mistake{
		put("an empty document", "spec", "", "spec.json"),
		put("a document that is no JSON", "spec", "{", "spec.json"),
		put("a document that is a list", "spec", "[]", "spec.json"),
		put("a document with text behind it", "spec", js(specDoc())+" {}", "spec.json"),
		put("a document of another version", "spec", edited(specDoc(), func(d obj) { d["version"] = 2 }), "version"),
		put("a document with an unknown field", "spec", edited(specDoc(), func(d obj) { d["verdict"] = "pass" }), "verdict"),
		put("a document with a field twice", "spec", strings.Replace(js(specDoc()), "{", `{"version":1,`, 1), "version"),
		put("a document with a field twice, deep inside", "spec", strings.Replace(js(specDoc()), `"summary"`, `"summary":"a","summary"`, 1), "summary"),
		put("a document that is not UTF-8", "spec", strings.Replace(js(specDoc()), "Add adds", "Add \xff adds", 1), "UTF-8"),
		put("a document of more than a MiB", "spec", edited(specDoc(), func(d obj) { d["task"].(obj)["summary"] = strings.Repeat("x", 1<<20) }), ""),
		put("a document that is nested deeply", "spec", strings.Repeat("[", 100000), "spec.json"),
		put("several mistakes in one document", "spec", edited(specDoc(), func(d obj) { d["version"] = 2; d["criteria"] = []any{} }), "criteria"),
		put("two criteria of one name", "spec", edited(specDoc(), func(d obj) {
			d["criteria"] = append(d["criteria"].([]any), d["criteria"].([]any)[0])
		}), "SUM-1"),
		put("a manifest with a path outside", "manifest", edited(manifestDoc(), func(d obj) { d["files"] = []any{"../remote.git/HEAD"} }), "../remote.git/HEAD"),
		put("a manifest with an absolute path", "manifest", edited(manifestDoc(), func(d obj) { d["files"] = []any{"/etc/hostname"} }), "/etc/hostname"),
		put("a manifest with too many paths", "manifest", edited(manifestDoc(), func(d obj) {
			list := []any{}
			for range 201 {
				list = append(list, "sum.go")
			}
			d["affected"] = list
		}), "200"),
		put("a manifest that is too large", "manifest", edited(manifestDoc(), func(d obj) {
			d["notes"], d["flow"], d["task"] = strings.Repeat("x", 16000), strings.Repeat("y", 16000), strings.Repeat("z", 16000)
		}), ""),
		put("a plan with a scope outside", "plan", edited(planDoc(), func(d obj) { d["scope"].(obj)["write"] = []any{"../**"} }), "../**"),
		put("a plan with an unknown kind of gate", "plan", edited(planDoc(), func(d obj) { d["gates"].([]any)[0].(obj)["kind"] = "vibes" }), "kind"),
		put("a plan with a gate that runs nothing", "plan", edited(planDoc(), func(d obj) { delete(d["gates"].([]any)[0].(obj), "argv") }), "gates"),
		put("a plan with a timeout of a year", "plan", edited(planDoc(), func(d obj) { d["gates"].([]any)[0].(obj)["timeout"] = "9000h" }), "timeout"),
		put("a plan with two gates of one name", "plan", edited(planDoc(), func(d obj) { d["gates"].([]any)[1].(obj)["id"] = "unit" }), "unit"),
		put("a plan with a task that waits for nobody", "plan", edited(planDoc(), func(d obj) { d["tasks"].([]any)[0].(obj)["dependsOn"] = []any{"T9"} }), "T9"),
		put("a plan with a criterion that is not there", "plan", edited(planDoc(), func(d obj) { d["tasks"].([]any)[0].(obj)["criteria"] = []any{"SUM-1", "SUM-2", "SUM-9"} }), "SUM-9"),
		put("a plan without risks", "plan", edited(planDoc(), func(d obj) { delete(d, "risks") }), "risks"),
		submit("a submission with an unknown field", `{"result":"pass"}`, "result"),
		submit("a submission of nothing", "", "submission"),
		submit("a submission with a typed result of another type", `{"records":[{"kind":1}]}`, "kind"),
		submit("a submission of binary", "\x00\x01\x02", "submission"),
		{
			name: "a submission to a node that does not exist", stage: "test", status: 1, code: "conflict", says: "lunch",
			do: func(r *repo) answer { return r.awIn(`{"outcome":"pass"}`, "submit", "lunch", "-") },
		},
		{name: "a huge file as evidence", stage: "test", status: 1, code: "invalid", says: "larger", do: func(r *repo) answer {
			r.write(".claude/asterweave/big.log", strings.Repeat("x", 2<<20))
			return r.aw("record", "--kind", "note", "--result", "pass", "--summary", "x", "--path", ".claude/asterweave/big.log")
		}},
		{name: "a link out of the worktree as evidence", stage: "test", status: 64, code: "usage", do: func(r *repo) answer {
			if err := os.Symlink("/etc/hostname", r.file(".claude/asterweave/link")); err != nil {
				r.t.Fatal(err)
			}
			return r.aw("record", "--kind", "note", "--result", "pass", "--summary", "x", "--path", ".claude/asterweave/link")
		}},
	}
}

func placeMistakes() []mistake {
	outside := func(name string, args ...string) mistake {
		return mistake{name: name, stage: "fresh", status: 1, code: "no-repository", do: func(r *repo) answer {
			out := *r
			out.dir = filepath.Join(r.base, "tmp")
			return out.with("GIT_DIR=" + r.file(".git")).aw(args...)
		}}
	}
	state := ".claude/asterweave"
	return []mistake{
		outside("status outside any repository", "status"),
		outside("start outside any repository", "start", "--goal", "x"),
		outside("verify outside any repository", "verify"),
		outside("a root that is no repository", "--root", "/", "status"),
		outside("a root that is not there", "--root", "/nonexistent", "status"),
		{name: "a bare repository", stage: "fresh", status: 1, code: "no-repository", do: func(r *repo) answer {
			out := *r
			out.dir = filepath.Join(r.base, "remote.git")
			return out.aw("start", "--goal", "x")
		}},
		{name: "a repository without commits", stage: "fresh", status: 1, code: "no-delivery", says: "no delivery", do: func(r *repo) answer {
			r.git("init", "-q", "../empty")
			out := *r
			out.dir = filepath.Join(r.base, "empty")
			return out.aw("status")
		}},
		{name: "a state folder that is a link", stage: "fresh", status: 1, code: "failed", says: "link", do: func(r *repo) answer {
			elsewhere := filepath.Join(r.base, "elsewhere")
			if err := os.MkdirAll(elsewhere, 0o755); err != nil {
				r.t.Fatal(err)
			}
			if err := os.MkdirAll(r.file(".claude"), 0o755); err != nil {
				r.t.Fatal(err)
			}
			if err := os.Symlink(elsewhere, r.file(state)); err != nil {
				r.t.Fatal(err)
			}
			a := r.aw("start", "--goal", "x")
			if list, err := os.ReadDir(elsewhere); err != nil || len(list) > 0 {
				r.t.Errorf("something was written through the link: %v %v", list, err)
			}
			return a
		}},
		{name: "a state folder that is a file", stage: "fresh", status: 1, code: "failed", do: func(r *repo) answer {
			r.write(state, "x")
			return r.aw("start", "--goal", "x")
		}},
		{name: "a ledger that is a link", stage: "fresh", status: 1, code: "failed", says: "link", do: func(r *repo) answer {
			r.write(filepath.Join(r.base, "elsewhere"), "")
			if err := os.MkdirAll(r.file(state), 0o755); err != nil {
				r.t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(r.base, "elsewhere"), r.file(state+"/ledger.jsonl")); err != nil {
				r.t.Fatal(err)
			}
			return r.aw("start", "--goal", "x")
		}},
	}
}

// TestDamage lets verify, doctor and log speak about a damaged ledger, while every
// other command refuses it and nothing is written.
func TestDamage(t *testing.T) {
	const file = ".claude/asterweave/ledger.jsonl"
	cases := map[string]func(string) string{
		"a flipped bit":   func(s string) string { return s[:len(s)/2] + string(s[len(s)/2]^1) + s[len(s)/2+1:] },
		"CRLF line ends":  func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"a missing line":  func(s string) string { l := splitLines(s); return strings.Join(append(l[:2:2], l[3:]...), "\n") + "\n" },
		"a repeated line": func(s string) string { l := splitLines(s); return strings.Join(append(l[:3:3], l[2:]...), "\n") + "\n" },
		"two lines swapped": func(s string) string {
			l := splitLines(s)
			l[2], l[3] = l[3], l[2]
			return strings.Join(l, "\n") + "\n"
		},
		"a cut last line":      func(s string) string { l := splitLines(s); return strings.Join(l[:len(l)-1], "\n") + "\n" },
		"an empty line":        func(s string) string { return strings.Replace(s, "\n", "\n\n", 1) },
		"a byte order mark":    func(s string) string { return "\xef\xbb\xbf" + s },
		"nothing":              func(string) string { return "" },
		"garbage":              func(string) string { return "hello\n" },
		"a zero in the middle": func(s string) string { return s[:100] + "\x00" + s[101:] },
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			r := at(t, "tested")
			now := change(r.ledger())
			r.write(file, now)
			v := r.look("--json", "verify")
			if v.status != 5 || v.json["ok"] != false {
				t.Errorf("verify does not see it: %s", v)
			}
			for _, args := range [][]string{{"doctor"}, {"log"}} {
				if a := r.look(args...); a.status == 0 && args[0] == "doctor" || a.status == 2 {
					t.Errorf("%s", a)
				}
			}
			r.remove(".claude/asterweave/state.json")
			if a := r.aw("complete", "test", "pass"); a.status != 5 || a.code() != "ledger" {
				t.Errorf("a damaged ledger is gone on with: %s", a)
			} else {
				safe(t, a)
			}
			if r.ledger() != now {
				t.Error("a damaged ledger was written to")
			}
		})
	}
}

// TestTornTail recovers from a write that did not end, and says so.
func TestTornTail(t *testing.T) {
	const file = ".claude/asterweave/ledger.jsonl"
	r := at(t, "test")
	whole := r.ledger()
	r.write(file, whole+`{"v":1,"seq":`)
	if s := r.status(); s.Delivery.Node != "test" {
		t.Errorf("%+v", s.Delivery)
	}
	if r.ledger() != whole+`{"v":1,"seq":` {
		t.Error("a reader wrote")
	}
	r.ok(r.aw("run", "--", "true"))
	if !strings.HasPrefix(r.ledger(), whole) || !strings.Contains(r.ledger()[len(whole):], `"recovered"`) {
		t.Errorf("no event tells of the recovery: %s", r.ledger()[len(whole):])
	}
	if v := r.look("--json", "verify"); v.status != 0 {
		t.Errorf("%s", v)
	}
}

// TestNewerVersion refuses a ledger of a format that is not known.
func TestNewerVersion(t *testing.T) {
	r := at(t, "test")
	now := strings.ReplaceAll(r.ledger(), `{"v":1,`, `{"v":2,`)
	r.write(".claude/asterweave/ledger.jsonl", now)
	a := r.aw("status")
	if a.status != 5 || a.code() != "ledger" || !strings.Contains(a.text("error", "message"), "format") {
		t.Errorf("%s", a)
	}
	safe(t, a)
	if r.ledger() != now {
		t.Error("the ledger was written to")
	}
}
