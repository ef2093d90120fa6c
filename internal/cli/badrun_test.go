//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ran is what a run left in the ledger.
func ran(a answer) (result, because string) {
	return a.text("evidence", "result"), a.text("evidence", "because")
}

// wrongCommand is a gate whose command goes wrong.
type wrongCommand struct {
	id     string
	gate   obj
	status int
	says   string // in the record's reason
}

func wrongCommands() []wrongCommand {
	return []wrongCommand{
		{"missing", argv("nowhere-to-be-found"), failing, "could not start"},
		{"not-a-program", argv("./go.mod"), failing, "could not start"},
		{"too-long", obj{"argv": []any{"sleep", "60"}, "timeout": "1s"}, failing, "time limit"},
		{"children", obj{"shell": "(sleep 60; echo late) & sleep 60", "timeout": "1s"}, failing, "time limit"},
		{"signal", obj{"shell": "kill -9 $$"}, failing, ""},
		{"binary", obj{"shell": "head -c 100000 /dev/urandom; exit 4"}, 4, ""},
	}
}

func TestCommandsThatGoWrong(t *testing.T) {
	r := at(t, "odd")
	for _, c := range wrongCommands() {
		t.Run(c.id, func(t *testing.T) {
			began := time.Now()
			a := r.aw("run", "--gate", c.id)
			if result, because := ran(a); a.status != c.status && (c.status != failing || a.status == 0 || a.status == 2) || result != "fail" || !strings.Contains(because, c.says) {
				t.Errorf("status %d, fail and %q were due: %s", c.status, c.says, a)
			}
			if a.json["ok"] != true {
				t.Errorf("the record is stored and ok is not true: %s", a)
			}
			if took := time.Since(began); took > 40*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
	s := r.status()
	for _, c := range wrongCommands() {
		if n := s.need(t, "unit-test "+c.id); n.open() {
			t.Errorf("%+v", n)
		}
	}
	if v := r.look("--json", "verify"); v.status != 0 {
		t.Errorf("%s", v)
	}
}

// TestLongOutput keeps head and tail of what a command prints, and says so.
func TestLongOutput(t *testing.T) {
	const megabytes = 50
	r := at(t, "test")
	a := r.aw("run", "--", "sh", "-c", "echo first; head -c 50000000 /dev/zero | tr '\\0' 'x'; echo; echo last; exit 7")
	if a.status != 7 || a.json["ok"] != true {
		t.Fatalf("status %d", a.status)
	}
	kept := r.read(".claude/asterweave/artifacts/" + a.text("evidence", "path"))
	if len(kept) > 4<<20 || !strings.HasPrefix(kept, "first") || !strings.HasSuffix(kept, "last\n") {
		t.Errorf("%d bytes are kept of %d MB", len(kept), megabytes)
	}
	if v := r.look("--json", "verify"); v.status != 0 {
		t.Errorf("%s", v)
	}
}

// TestSecretsAreLeftOut keeps credentials out of everything that is stored.
func TestSecretsAreLeftOut(t *testing.T) {
	r := at(t, "test")
	secret := "ghp_" + strings.Repeat("A1b2", 9)
	r.ok(r.aw("run", "--", "echo", "token: "+secret))
	r.ok(r.aw("record", "--kind", "note", "--result", "pass", "--summary", "the token is "+secret))
	err := filepath.WalkDir(r.file(".claude/asterweave"), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.Contains(r.read(path), secret) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOddRepositories starts a delivery in repositories of every kind, and checks
// that an edit is seen, or that what cannot be seen is named.
func TestOddRepositories(t *testing.T) {
	cases := map[string]func(r *repo){
		"without a remote":         func(r *repo) { r.git("remote", "remove", "origin") },
		"with a detached head":     func(r *repo) { r.git("switch", "-q", "--detach") },
		"with a name of two lines": func(r *repo) { r.write("a\nb.txt", "x") },
		"with names that Git quotes": func(r *repo) {
			r.write("grüße \"x\"\\.txt", "x")
			r.write("-dash", "x")
			r.git("add", "-A", "--", ".")
			r.git("commit", "-qm", "names")
		},
		"with a nested repository": func(r *repo) {
			r.git("init", "-q", "nested")
			r.write("nested/file", "x")
		},
		"with a nested repository that has commits": func(r *repo) {
			r.git("clone", "-q", "../remote.git", "nested")
		},
		"with a submodule": func(r *repo) {
			r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", r.base+"/remote.git", "sub")
			r.git("commit", "-qm", "sub")
		},
		"with a dirty submodule": func(r *repo) {
			r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", r.base+"/remote.git", "sub")
			r.git("commit", "-qm", "sub")
			r.write("sub/sum.go", worse)
		},
		"with line ends that Git changes": func(r *repo) {
			r.git("config", "core.autocrlf", "true")
			r.write("crlf.txt", "a\r\nb\r\n")
		},
		"with a link to nowhere": func(r *repo) {
			if err := os.Symlink("nowhere", r.file("link")); err != nil {
				r.t.Fatal(err)
			}
		},
		"with a merge under way": func(r *repo) {
			r.git("switch", "-qc", "other")
			r.write("sum.go", worse)
			r.git("commit", "-qam", "other")
			r.git("switch", "-q", "main")
			r.write("sum.go", fixed)
			r.git("commit", "-qam", "main")
			r.gitMayFail("merge", "other")
		},
		"with an index that is locked": func(r *repo) { r.write(".git/index.lock", "") },
		"without an index":             func(r *repo) { r.remove(".git/index") },
		"with a folder that cannot be read": func(r *repo) {
			r.write("dark/file", "x")
			if err := os.Chmod(r.file("dark"), 0); err != nil {
				r.t.Fatal(err)
			}
			r.t.Cleanup(func() { _ = os.Chmod(r.file("dark"), 0o755) })
		},
		"with changes that are staged": func(r *repo) { r.write("sum.go", fixed); r.git("add", "sum.go"); r.write("sum.go", worse) },
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			r := at(t, "fresh")
			prepare(r)
			a := r.aw("start", "--goal", "SUM-1, SUM-2")
			if a.status != 0 {
				safe(t, a)
				if a.status == 2 || r.look("--json", "status").code() != "no-delivery" {
					t.Errorf("%s", a)
				}
				t.Logf("refused: %s", a.text("error", "message"))
				return
			}
			r.write("new.go", "package sum\n")
			a = r.awIn(js(obj{"outcome": "pass", "documents": obj{"spec": specDoc()}, "records": []any{record("task", "two criteria")}}), "submit", "intake", "-")
			if text := a.text("error", "message"); a.status != 3 || !strings.Contains(text, "new.go") && !strings.Contains(text, "unknown") {
				t.Errorf("an edit is not seen: %s", a)
			}
			if v := r.look("--json", "verify"); v.status != 0 {
				t.Errorf("%s", v)
			}
		})
	}
}

// gitMayFail runs git where a conflict is what is wanted.
func (r *repo) gitMayFail(args ...string) {
	r.t.Helper()
	r.exec("", r.environ(), "/usr/bin/env", append([]string{"git"}, args...)...)
}

// TestNoCommits starts where there is nothing yet.
func TestNoCommits(t *testing.T) {
	r := at(t, "fresh")
	r.git("init", "-q", "-b", "main", "../empty")
	r.dir = filepath.Join(r.base, "empty")
	a := r.aw("start", "--goal", "SUM-1, SUM-2")
	if a.status != 0 {
		safe(t, a)
		return
	}
	r.ok(r.aw("next"))
	r.ok(r.aw("status"))
	r.write("new.go", "package sum\n")
	if a := r.awIn(js(obj{"outcome": "pass", "documents": obj{"spec": specDoc()}, "records": []any{record("task", "two criteria")}}), "submit", "intake", "-"); a.status != 3 {
		t.Errorf("an edit is not seen: %s", a)
	}
}

// TestLinkedWorktrees holds two deliveries in one repository.
func TestLinkedWorktrees(t *testing.T) {
	r := at(t, "test")
	r.git("worktree", "add", "-q", "../second", "main")
	second := *r
	second.dir = filepath.Join(r.base, "second")
	if a := second.aw("status"); a.code() != "no-delivery" {
		t.Errorf("the delivery of one worktree is seen in another: %s", a)
	}
	second.ok(second.aw("start", "--goal", "another"))
	second.ok(second.aw("next"))
	if one, two := r.status(), second.status(); one.Delivery.ID == two.Delivery.ID || one.Delivery.Node != "test" || two.Delivery.Node != "intake" {
		t.Errorf("%+v %+v", one.Delivery, two.Delivery)
	}
	for _, w := range []*repo{r, &second} {
		if v := w.look("--json", "verify"); v.status != 0 {
			t.Errorf("%s", v)
		}
	}
	r.git("worktree", "move", "../second", "../third")
	second.dir = filepath.Join(r.base, "third")
	if s := second.status(); s.Delivery.Node != "intake" {
		t.Errorf("a worktree that was moved lost its delivery: %+v", s.Delivery)
	}
}

// TestAnchorOfLinkedWorktree follows the anchor: it moves with its worktree, is missed
// nowhere, and ends with it.
func TestAnchorOfLinkedWorktree(t *testing.T) {
	const ledger = ".claude/asterweave/ledger.jsonl"
	r := at(t, "test")
	first := r.status().Delivery.ID
	linked := *r
	linked.dir = filepath.Join(r.base, "linked")
	note := func() { // next alone would be no event that the anchor vouches for
		t.Helper()
		linked.ok(linked.aw("record", "--kind", "note", "--result", "info", "--summary", "x", "--because", "y"))
	}
	add := func() {
		t.Helper()
		linked.dir = filepath.Join(r.base, "linked")
		r.git("worktree", "add", "-q", "../linked", "main")
		linked.ok(linked.aw("start", "--goal", "another"))
		linked.ok(linked.aw("next"))
		note()
	}
	cut := func(what string) {
		t.Helper()
		whole := linked.ledger()
		lines := splitLines(whole)
		linked.write(ledger, strings.Join(lines[:len(lines)-1], "\n")+"\n")
		linked.remove(".claude/asterweave/state.json")
		if a := linked.aw("status"); a.status != 5 || a.code() != "ledger" {
			t.Errorf("%s: a cut ledger is not seen: %s", what, a)
		}
		linked.write(ledger, whole)
		linked.ok(linked.aw("status"))
	}
	add()
	cut("where it was made")
	r.git("worktree", "move", "../linked", "../moved")
	linked.dir = filepath.Join(r.base, "moved")
	note()
	cut("where it was moved to")
	linked.dir = filepath.Join(r.base, "linked")
	r.git("worktree", "move", "../moved", "../linked")
	r.git("worktree", "remove", "../linked")
	add()
	if v := linked.look("--json", "verify"); v.status != 0 {
		t.Errorf("a fresh worktree under an old name: %s", v)
	}
	cut("under an old name")
	if s := r.status(); s.Delivery.ID != first || s.Delivery.Node != "test" {
		t.Errorf("the main worktree's delivery: %+v", s.Delivery)
	}
}

// TestDeepFolder finds the worktree from below it.
func TestDeepFolder(t *testing.T) {
	r := at(t, "test")
	deep := *r
	deep.dir = r.file(".claude/asterweave/artifacts")
	if s := deep.status(); s.Delivery.Node != "test" {
		t.Errorf("%+v", s.Delivery)
	}
	out := *r
	out.dir = r.base
	if a := out.look("--json", "--root", "repo", "status"); a.text("delivery", "node") != "test" {
		t.Errorf("%s", a)
	}
}

// TestSHA256 delivers the first nodes in a repository with longer ids.
func TestSHA256(t *testing.T) {
	r := at(t, "fresh")
	r.git("init", "-q", "-b", "main", "--object-format=sha256", "../long")
	r.dir = filepath.Join(r.base, "long")
	r.write("go.mod", goMod)
	r.write("sum.go", defect)
	r.write("sum_test.go", testsOld)
	r.git("add", "-A")
	r.git("commit", "-qm", "sum")
	for _, step := range steps()[1:11] {
		step.do(r)
	}
	if n := r.status().need(t, "unit-test unit"); !n.open() {
		t.Errorf("%+v", n)
	}
}

// TestReadOnlyStateFolder cannot store, says so, and loses nothing.
func TestReadOnlyStateFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("the superuser writes everywhere")
	}
	r := at(t, "test")
	before := r.ledger()
	for _, f := range []string{".claude/asterweave/ledger.jsonl", ".claude/asterweave/artifacts", ".claude/asterweave"} {
		if err := os.Chmod(r.file(f), 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(r.file(f), 0o755) })
	}
	a := r.aw("run", "--", "true")
	if a.status != 1 {
		t.Errorf("a record that was not stored: %s", a)
	}
	safe(t, a)
	if r.ledger() != before || r.status().Delivery.Node != "test" {
		t.Error("something was lost")
	}
}
