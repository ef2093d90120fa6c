package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/durable/faulty"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/local"
)

// patient is a real repository with a bare remote.
type patient struct {
	t    *testing.T
	root string
	env  []string
}

// template is the folder that patients are copies of: without a delivery, or with
// one. It is made once.
func template(t *testing.T, delivery bool) string {
	t.Helper()
	dir := filepath.Join(templates, "plain")
	if delivery {
		dir = filepath.Join(templates, "delivery")
	}
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	p := &patient{t: t, root: filepath.Join(dir, "work"), env: environ(dir)}
	if delivery {
		copyAll(t, template(t, false), dir)
		p.open()
		return dir
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p.run(dir, "init", "--quiet", "--bare", "remote.git")
	p.run(dir, "init", "--quiet", "--initial-branch=main", "work")
	p.git("config", "user.name", "Dev")
	p.git("config", "user.email", "dev@example.com")
	p.write("a.txt", "a\n")
	p.git("add", ".")
	p.git("commit", "--quiet", "-m", "first")
	p.git("remote", "add", "origin", "../remote.git")
	p.git("push", "--quiet", "origin", "main")
	p.git("checkout", "--quiet", "-b", "work")
	return dir
}

// templates is a temporary folder of this run of the tests.
var templates string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "doctor-")
		if err == nil {
			templates, err = filepath.EvalSymlinks(dir)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		return m.Run()
	}())
}

func environ(home string) []string { return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home} }

func copyAll(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

func newPatient(t *testing.T) *patient {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	t.Setenv("GIT_CONFIG_SYSTEM", "/dev/null")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	copyAll(t, template(t, false), dir)
	return &patient{t: t, root: filepath.Join(dir, "work"), env: environ(dir)}
}

func (p *patient) run(dir string, args ...string) {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(p.env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

func (p *patient) git(args ...string) { p.t.Helper(); p.run(p.root, args...) }

func (p *patient) path(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }

func (p *patient) state(name string) string { return p.path(document.StateFolder + "/" + name) }

func (p *patient) write(name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *patient) remove(path string) {
	p.t.Helper()
	if err := os.RemoveAll(path); err != nil {
		p.t.Fatal(err)
	}
}

// edit replaces the content of a file in the state folder.
func (p *patient) edit(name string, fn func([]byte) []byte) {
	p.t.Helper()
	b, err := os.ReadFile(p.state(name))
	if err == nil {
		err = os.WriteFile(p.state(name), fn(b), 0o644)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *patient) engine() *engine.Engine {
	p.t.Helper()
	e, err := engine.Open(engine.Options{
		Root: p.root, Now: time.Now, Environ: p.env,
		Providers: p.options().Providers,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return e
}

// start gives the patient a delivery with some events and a document.
func (p *patient) start() {
	p.t.Helper()
	dir := filepath.Dir(p.root)
	if err := os.RemoveAll(p.root); err != nil {
		p.t.Fatal(err)
	}
	copyAll(p.t, filepath.Join(template(p.t, true), "work"), filepath.Join(dir, "work"))
}

func (p *patient) open() {
	p.t.Helper()
	ctx, e, by := context.Background(), p.engine(), evidence.By{Channel: evidence.ChannelTerminal}
	if _, err := e.Start(ctx, engine.StartRequest{Goal: "REF-1: refuse", Base: "main", By: by}); err != nil {
		p.t.Fatal(err)
	}
	spec := document.Spec{Version: 1, Task: document.Task{Summary: "refuse"}, Criteria: []document.Criterion{{ID: "REF-1", Text: "refused", Hardness: "HARD", Verify: "unit"}}}
	data, err := json.Marshal(spec)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := e.Put(ctx, by, "spec", data); err != nil {
		p.t.Fatal(err)
	}
	for range 3 {
		if _, err := e.Do(ctx, "steer", by, func(d *decide.Draft) error { return d.Steer("keep it small") }); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *patient) check() []Line { return p.checkOn(durable.OS()) }

func (p *patient) checkOn(fs durable.FS) []Line {
	x := newExamination(p.engine(), p.options(), fs)
	x.check(p.t.Context())
	return x.lines
}

func (p *patient) options() Options {
	return Options{Environ: p.env, Version: "1.2.3", Now: time.Now, Providers: func(_ string, git provider.Git, run provider.RunGate) (provider.Provider, error) {
		return local.New(git, run), nil
	}}
}

// want is a line that has to be there.
type want struct {
	name  string
	level Level
	what  string // part of it
}

func expect(t *testing.T, lines []Line, exit int, wants ...want) {
	t.Helper()
	var out bytes.Buffer
	Print(&out, lines)
	if got := Exit(lines); got != exit {
		t.Errorf("exit status %d, not %d:\n%s", got, exit, &out)
	}
next:
	for _, w := range wants {
		for _, l := range lines {
			if l.Name == w.name && l.Level == w.level && strings.Contains(l.What, w.what) {
				if l.Level == Fail && l.Next == "" && l.Name != "ledger" {
					t.Errorf("%s fails without a next step", l.Name)
				}
				continue next
			}
		}
		t.Errorf("no line %s %s %q:\n%s", w.level, w.name, w.what, &out)
	}
}

// troubles returns the lines that are not ok, but for what cannot be told of a plain
// remote, and of a worktree in which no session has been.
func troubles(lines []Line) []Line {
	var out []Line
	for _, l := range lines {
		if l.Level != OK && l.Name != "protection" && l.Name != "git hook" {
			out = append(out, l)
		}
	}
	return out
}

func TestHealthyWithoutDelivery(t *testing.T) {
	p := newPatient(t)
	lines := p.check()
	expect(t, lines, 0, want{"git", OK, "git version"}, want{"repository", OK, p.root}, want{"state folder", OK, "not there yet"},
		want{"ledger", OK, "no delivery"}, want{"configuration", OK, "defaults"}, want{"branch", OK, "work at"}, want{"remote", OK, "origin"})
	if bad := troubles(lines); len(bad) > 0 {
		t.Errorf("a healthy repository has troubles: %v", bad)
	}
	if _, err := os.Lstat(p.path(".claude")); !os.IsNotExist(err) {
		t.Error("doctor left something behind")
	}
}

func TestHealthyDelivery(t *testing.T) {
	p := newPatient(t)
	p.start()
	before, err := os.ReadFile(p.state("ledger.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := p.check()
	expect(t, lines, 0, want{"ledger", OK, "5 events are whole"}, want{"anchor", OK, "all 5"}, want{"cache", OK, "all 5"}, want{"artifacts", OK, "all 3"},
		want{"documents", OK, "1 on the disk"}, want{"delivery", OK, "active at intake"}, want{"tree", OK, ""})
	if bad := troubles(lines); len(bad) > 0 {
		t.Errorf("a healthy delivery has troubles: %v", bad)
	}
	after, err := os.ReadFile(p.state("ledger.jsonl"))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("doctor changed the ledger: %v", err)
	}
	if left, _ := filepath.Glob(p.state(".doctor*")); len(left) > 0 {
		t.Errorf("doctor left %v", left)
	}
}

func TestDamage(t *testing.T) {
	line := func(b []byte, n int) [][]byte {
		l := bytes.SplitAfter(b, []byte("\n"))
		if len(l) < n {
			t.Fatalf("%d lines", len(l))
		}
		return l
	}
	for _, c := range []struct {
		name string
		hurt func(p *patient)
		exit int
		want []want
	}{
		{"a flipped bit", func(p *patient) {
			p.edit("ledger.jsonl", func(b []byte) []byte { return bytes.Replace(b, []byte("keep it small"), []byte("keep it smell"), 1) })
		}, 5, []want{{"ledger", Fail, "line 3"}, {"branch", OK, ""}, {"tree", OK, ""}}},
		{"a missing line", func(p *patient) {
			p.edit("ledger.jsonl", func(b []byte) []byte { l := line(b, 5); return bytes.Join(append(l[:2:2], l[3:]...), nil) })
		}, 5, []want{{"ledger", Fail, "line 3"}}},
		{"a cut tail", func(p *patient) {
			p.edit("ledger.jsonl", func(b []byte) []byte { return bytes.Join(line(b, 5)[:3], nil) })
		}, 5, []want{{"ledger", Fail, "tail is cut"}}},
		{"a missing ledger", func(p *patient) { p.remove(p.state("ledger.jsonl")) }, 5, []want{{"ledger", Fail, "anchor says"}}},
		{"a missing anchor", func(p *patient) { p.remove(p.path(".git/asterweave")) }, 5, []want{{"ledger", Fail, "anchor is missing"}}},
		{"a torn tail", func(p *patient) {
			p.edit("ledger.jsonl", func(b []byte) []byte { return append(b, `{"v":1,"seq":6,"at":"20`...) })
		}, 0, []want{{"ledger", Warn, "23 bytes behind them are torn"}, {"cache", OK, "all 5"}}},
		{"crlf line ends", func(p *patient) {
			p.edit("ledger.jsonl", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) })
		}, 5, []want{{"ledger", Fail, "line 1"}}},
		{"a newer version", func(p *patient) {
			p.edit("ledger.jsonl", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`{"v":1,`), []byte(`{"v":2,`)) })
		}, 5, []want{{"ledger", Fail, "line 1"}}},
		{"a ledger that is a link", func(p *patient) {
			if err := os.Rename(p.state("ledger.jsonl"), p.path("../elsewhere")); err != nil {
				p.t.Fatal(err)
			}
			if err := os.Symlink(p.path("../elsewhere"), p.state("ledger.jsonl")); err != nil {
				p.t.Fatal(err)
			}
		}, 1, []want{{"delivery", Fail, "symbolic link"}}},
		{"a cache that lags", func(p *patient) {
			old, err := os.ReadFile(p.state("state.json"))
			if err != nil {
				p.t.Fatal(err)
			}
			if _, err := p.engine().Do(p.t.Context(), "steer", evidence.By{Channel: evidence.ChannelTerminal}, func(d *decide.Draft) error { return d.Steer("x") }); err != nil {
				p.t.Fatal(err)
			}
			p.edit("state.json", func([]byte) []byte { return old })
		}, 0, []want{{"cache", OK, "event 5 of 6"}}},
		{"a missing cache", func(p *patient) { p.remove(p.state("state.json")) }, 0, []want{{"cache", OK, "not there"}}},
		{"an edited cache", func(p *patient) {
			p.edit("state.json", func(b []byte) []byte { return bytes.Replace(b, []byte(`"autoPr":false`), []byte(`"autoPr":true`), 1) })
		}, 0, []want{{"cache", Warn, "not what was written"}}},
		{"a cache that is no JSON", func(p *patient) { p.edit("state.json", func([]byte) []byte { return []byte("{") }) }, 0, []want{{"cache", Warn, "not what was written"}}},
		{"a cache ahead of the ledger", func(p *patient) {
			p.edit("state.json", func(b []byte) []byte { return bytes.Replace(b, []byte(`"seq":5`), []byte(`"seq":9`), 1) })
		}, 5, []want{{"ledger", Fail, "state.json knows event 9"}}},
		{"a missing artifact", func(p *patient) { p.each("artifacts", os.Remove) }, 5, []want{{"ledger", Fail, "is missing"}}},
		{"a changed artifact", func(p *patient) {
			p.each("artifacts", func(path string) error { return os.WriteFile(path, []byte("x"), 0o644) })
		}, 5, []want{{"ledger", Fail, "not what its digest says"}}},
		{"an edited document", func(p *patient) {
			p.edit("spec.json", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("HARD"), []byte("SOFT")) })
		}, 0, []want{{"documents", Warn, "spec.json was edited by hand"}}},
		{"a document that is gone", func(p *patient) { p.remove(p.state("spec.json")) }, 0, []want{{"documents", Warn, "spec.json is gone"}}},
		{"a state folder that is seen", func(p *patient) { p.remove(p.state(".gitignore")) }, 0, []want{{"state folder", Warn, ".gitignore"}}},
		{"a state folder that is a link", func(p *patient) {
			if err := os.Rename(p.state(""), p.path("../moved")); err != nil {
				p.t.Fatal(err)
			}
			if err := os.Symlink(p.path("../moved"), p.path(document.StateFolder)); err != nil {
				p.t.Fatal(err)
			}
		}, 1, []want{{"state folder", Fail, "symbolic link"}}},
		{"a state folder that is a file", func(p *patient) {
			p.remove(p.path(document.StateFolder))
			p.write(document.StateFolder, "x")
		}, 1, []want{{"state folder", Fail, "no folder"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPatient(t)
			p.start()
			c.hurt(p)
			expect(t, p.check(), c.exit, c.want...)
		})
	}
}

func (p *patient) each(folder string, fn func(path string) error) {
	p.t.Helper()
	list, err := filepath.Glob(p.state(folder + "/*"))
	if err != nil || len(list) == 0 {
		p.t.Fatalf("%d in %s: %v", len(list), folder, err)
	}
	for _, path := range list {
		if err := fn(path); err != nil {
			p.t.Fatal(err)
		}
	}
}

func TestFolderThatCannotBeWritten(t *testing.T) {
	p := newPatient(t)
	p.start()
	for op, err := range map[string]error{"create": syscall.EROFS, "remove": syscall.EIO} {
		lines := p.checkOn(faulty.New(faulty.Fault{Call: 1, Op: op, Err: err}))
		expect(t, lines, 1, want{"state folder", Fail, err.Error()})
		if err := p.engine().Exists(); !err {
			t.Error("the delivery is gone")
		}
		p.removeProbe()
	}
}

func (p *patient) removeProbe() {
	left, _ := filepath.Glob(p.state(".doctor*"))
	for _, l := range left {
		p.remove(l)
	}
}

func TestRepository(t *testing.T) {
	for _, c := range []struct {
		name string
		hurt func(p *patient)
		exit int
		want []want
	}{
		{"a detached head", func(p *patient) { p.start(); p.git("checkout", "--quiet", "--detach") }, 0, []want{{"branch", Warn, "detached; implement"}}},
		{"a detached head without a delivery", func(p *patient) { p.git("checkout", "--quiet", "--detach") }, 0, []want{{"branch", Warn, "detached"}}},
		{"no remote", func(p *patient) { p.git("remote", "remove", "origin") }, 0, []want{{"remote", Warn, "submit-pr needs one"}}},
		{"a base that is gone", func(p *patient) {
			p.start()
			p.git("update-ref", "-d", "refs/remotes/origin/main")
			p.git("branch", "--quiet", "-D", "main")
		}, 0, []want{{"remote", Warn, "base cannot be found"}, {"configuration", Warn, "cannot be read"}, {"tree", OK, ""}}},
		{"a linked worktree", func(p *patient) {
			p.git("worktree", "add", "--quiet", "-b", "other", "../linked")
			p.root = filepath.Join(filepath.Dir(p.root), "linked")
		}, 0, []want{{"repository", OK, "a linked worktree of"}, {"branch", OK, "other at"}}},
		{"no commits", func(p *patient) {
			p.run(filepath.Dir(p.root), "init", "--quiet", "--initial-branch=main", "empty")
			p.root = filepath.Join(filepath.Dir(p.root), "empty")
		}, 0, []want{{"branch", Warn, "no commit yet"}}},
		{"a file that Git cannot add", func(p *patient) {
			if err := exec.Command("mkfifo", p.path("pipe")).Run(); err != nil {
				p.t.Fatal(err)
			}
		}, 0, []want{{"tree", OK, ""}}},
		{"a tracked file that became a pipe", func(p *patient) {
			p.remove(p.path("a.txt"))
			if err := exec.Command("mkfifo", p.path("a.txt")).Run(); err != nil {
				p.t.Fatal(err)
			}
		}, 1, []want{{"tree", Fail, "a.txt"}}},
		{"variables that steer runners", func(p *patient) { p.env = append(p.env, "GOFLAGS=-run=NONE-secret", "NODE_OPTIONS=x") }, 0, []want{{"environment", OK, "GOFLAGS, NODE_OPTIONS"}}},
		{"git in the work tree", func(p *patient) {
			p.write("bin/git", "#!/bin/sh\necho git version 9.9.9\n")
			if err := os.Chmod(p.path("bin/git"), 0o755); err != nil {
				p.t.Fatal(err)
			}
			p.env = append([]string{"PATH=" + p.path("bin") + ":" + os.Getenv("PATH")}, p.env[1:]...)
		}, 1, []want{{"git", Fail, "lies in the work tree"}}},
		{"no git", func(p *patient) { p.env = []string{"PATH=" + p.root} }, 1, []want{{"git", Fail, "does not run"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPatient(t)
			c.hurt(p)
			lines := p.check()
			expect(t, lines, c.exit, c.want...)
			for _, l := range lines {
				if strings.Contains(l.What, "secret") {
					t.Errorf("a value is shown: %s", l.What)
				}
			}
		})
	}
}

func TestConfiguration(t *testing.T) {
	const path = ".claude/asterweave.json"
	commit := func(p *patient, text string) {
		p.git("checkout", "--quiet", "main")
		p.write(path, text)
		p.git("add", path)
		p.git("commit", "--quiet", "-m", "configure")
		p.git("push", "--quiet", "origin", "main")
		p.git("checkout", "--quiet", "-B", "work")
	}
	for _, c := range []struct {
		name string
		hurt func(p *patient)
		exit int
		want []want
	}{
		{"valid", func(p *patient) { commit(p, `{"version":1,"budgets":{"test":2}}`) }, 0, []want{{"configuration", OK, "is valid"}}},
		{
			"not valid", func(p *patient) { commit(p, `{"version":1,"budgets":{"test":9},"routes":{"plan":{"agent":"nobody"}}}`) }, 1,
			[]want{{"configuration", Fail, "budgets.test"}, {"configuration", Fail, "routes.plan.agent"}},
		},
		{"not JSON", func(p *patient) { commit(p, `{`) }, 1, []want{{"configuration", Fail, "at the base"}}},
		{"edited", func(p *patient) { commit(p, `{"version":1}`); p.write(path, `{"version":1,"budgets":{"test":1}}`) }, 0, []want{{"configuration", Warn, "differs from the one at the base"}}},
		{"new and not valid", func(p *patient) { p.write(path, `{"version":7}`) }, 0, []want{{"configuration", Warn, "it is not valid: version"}}},
		{"removed", func(p *patient) { commit(p, `{"version":1}`); p.remove(p.path(path)) }, 0, []want{{"configuration", Warn, "differs"}}},
		{"line ends only", func(p *patient) { commit(p, "{\"version\":1}\n"); p.write(path, "{\"version\":1}\r\n") }, 0, []want{{"configuration", OK, "is valid"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPatient(t)
			c.hurt(p)
			expect(t, p.check(), c.exit, c.want...)
		})
	}
}

func TestPrintKeepsLines(t *testing.T) {
	var b bytes.Buffer
	Print(&b, []Line{{Name: "git", Level: OK, What: "fine"}, {Name: "state folder", Level: Fail, What: "x\n\x1b[2Jok    git", Next: "do\nthis"}})
	want := "ok    git           fine\nfail  state folder  x [2Jok git\n                    next: do this\n"
	if b.String() != want {
		t.Errorf("%q\n%q", b.String(), want)
	}
}

func TestExit(t *testing.T) {
	for _, c := range []struct {
		lines []Line
		want  int
	}{
		{nil, 0},
		{[]Line{{Level: OK}, {Level: Warn}}, 0},
		{[]Line{{Level: Warn}, {Level: Fail}}, 1},
		{[]Line{{Level: Fail}, {Level: Fail, Damage: true}}, 5},
	} {
		if got := Exit(c.lines); got != c.want {
			t.Errorf("%v: %d, not %d", c.lines, got, c.want)
		}
	}
}
