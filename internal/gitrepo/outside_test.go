package gitrepo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

func ambient(t *testing.T, dir string) map[string]string {
	t.Helper()
	found, err := open(t, dir).Ambient(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func keys(m map[string]string) []string {
	names := []string{}
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func TestAmbient(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	write(t, dir, "notes.txt", "1", "sub/deep", "2", "x.log", "ignored", ".claude/asterweave/ledger.jsonl", "{}", ".claude/worktrees/w/file", "3", ".claude/settings.json", "{}")
	git(t, dir, "init", "-q", "nested")
	write(t, dir, "nested/x", "1")
	git(t, dir, "worktree", "add", "-q", ".claude/worktrees/agent", "-b", "agent")
	if err := os.Symlink("notes.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "large"), make([]byte, gitrepo.MaxAmbientBytes+1), 0o666); err != nil {
		t.Fatal(err)
	}
	found := ambient(t, dir)
	if diff := cmp.Diff([]string{".claude/settings.json", "large", "link", "nested/", "notes.txt", "sub/deep"}, keys(found)); diff != "" {
		t.Fatal(diff)
	}
	if want := "sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"; found["notes.txt"] != want {
		t.Errorf("notes.txt: %s", found["notes.txt"])
	}
	o := gitrepo.TreeOptions{Ambient: found}
	clean := headTree(t, dir)
	check := func(what, id string, changed ...string) {
		t.Helper()
		for range 2 {
			got := known(t, dir, o)
			if id != "" && got.ID != id {
				t.Errorf("%s: %s, not %s", what, got.ID, id)
			}
			if diff := cmp.Diff(changed, got.AmbientChanged); diff != "" {
				t.Errorf("%s: %s", what, diff)
			}
		}
	}
	check("nothing done", clean)
	now := time.Now()
	if err := os.Chtimes(filepath.Join(dir, "notes.txt"), now, now); err != nil {
		t.Fatal(err)
	}
	check("touched", clean)
	write(t, dir, "notes.txt", "2")
	check("same size", clean, "notes.txt")
	write(t, dir, "notes.txt", "1")
	check("undone", clean)
	remove(t, dir, "notes.txt")
	check("removed", clean, "notes.txt")
	write(t, dir, "notes.txt/now", "a folder")
	if got := known(t, dir, o); got.ID == clean || !slices.Equal(got.AmbientChanged, []string{"notes.txt"}) {
		t.Errorf("%+v", got)
	}
	remove(t, dir, "notes.txt")
	write(t, dir, "notes.txt", "1")
	check("undone", clean)

	remove(t, dir, "link")
	write(t, dir, "link", "1")
	check("link became a file", clean, "link")
	remove(t, dir, "link")
	if err := os.Symlink("notes.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "nested/y", "1")
	check("nested", clean, "nested/")
	remove(t, dir, "nested/y")
	check("undone", clean)

	write(t, dir, "created.txt", "1")
	if got := known(t, dir, o); got.ID == clean || len(got.AmbientChanged) > 0 {
		t.Errorf("%+v", got)
	}
	remove(t, dir, "created.txt")

	// An ambient file that is added counts from then on.
	git(t, dir, "add", "notes.txt")
	added := known(t, dir, o)
	git(t, dir, "commit", "-q", "-m", "notes")
	if want := headTree(t, dir); added.ID != want || len(added.AmbientChanged) > 0 {
		t.Errorf("%+v, not %s", added, want)
	}
}

func TestAmbientLimit(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	for i := range gitrepo.MaxAmbient/1000 + 1 {
		sub := filepath.Join(dir, fmt.Sprint("many", i))
		if err := os.Mkdir(sub, 0o777); err != nil {
			t.Fatal(err)
		}
		for j := range 1000 {
			if err := os.Symlink("x", filepath.Join(sub, fmt.Sprint(j))); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, err := open(t, dir).Ambient(t.Context())
	var limit *gitrepo.AmbientLimitError
	if !errors.As(err, &limit) || limit.Count != gitrepo.MaxAmbient+1000 {
		t.Errorf("%v", err)
	}
}

func TestScratch(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	write(t, dir, "coverage/kept.out", "1")
	commit(t, dir, "kept")
	clean := headTree(t, dir)
	o := gitrepo.TreeOptions{Scratch: []string{"coverage/**", "**/*.out"}}
	write(t, dir, "coverage/a.html", "1", "c.out", "2", "src/deep/d.out", "3")
	if got := known(t, dir, o).ID; got != clean {
		t.Errorf("scratch: %s, not %s", got, clean)
	}
	write(t, dir, "coverage/kept.out", "edited")
	edited := known(t, dir, o).ID
	if edited == clean {
		t.Error("an edit of a tracked file does not show")
	}
	remove(t, dir, "coverage/kept.out")
	if got := known(t, dir, o).ID; got == clean || got == edited {
		t.Error("the removal of a tracked file does not show")
	}
	write(t, dir, "coverage/kept.out", "1", "src/new.go", "1")
	if got := known(t, dir, o).ID; got == clean {
		t.Error("a new file does not show")
	}
	// Other globs are another question.
	if a, b := known(t, dir, o).ID, treeID(t, dir); a == b {
		t.Error("without globs the same id")
	}
	if _, err := open(t, dir).Tree(t.Context(), gitrepo.TreeOptions{Scratch: []string{"[a"}}); err == nil {
		t.Error("a broken glob passes")
	}
}

// A .gitignore that ignores itself would hide its neighbours without being part of
// the tree.
func TestIgnoreFileThatHides(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	clean := treeID(t, dir)
	write(t, dir, "src/.gitignore", "*\n", "src/evil_test.go", "package a\n")
	if got := treeID(t, dir); got == clean {
		t.Error("it does not show")
	}
	remove(t, dir, "src/.gitignore", "src/evil_test.go")
	write(t, dir, "test/.gitignore", "*\n", "venv/.gitignore", "*\n", "venv/lib", "1")
	found := ambient(t, dir)
	if diff := cmp.Diff([]string{"test/.gitignore"}, keys(found)); diff != "" {
		t.Error(diff)
	}
	if got := known(t, dir, gitrepo.TreeOptions{Ambient: found}); got.ID != clean || len(got.AmbientChanged) > 0 {
		t.Errorf("%+v, not %s", got, clean)
	}
	write(t, dir, "test/.gitignore", "b*\n.gitignore\n")
	if got := known(t, dir, gitrepo.TreeOptions{Ambient: found}); !slices.Equal(got.AmbientChanged, []string{"test/.gitignore"}) {
		t.Errorf("%+v", got)
	}
}

func TestOwnFolders(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	clean := treeID(t, dir)
	git(t, dir, "worktree", "add", "-q", ".claude/worktrees/agent", "-b", "agent")
	write(t, dir, ".claude/asterweave/spec.json", "{}", ".claude/asterweave/deep/x", "1")
	if got := treeID(t, dir); got != clean {
		t.Errorf("%s, not %s", got, clean)
	}
	write(t, dir, ".claude/settings.json", "{}")
	if got := treeID(t, dir); got == clean {
		t.Error("its neighbour does not show")
	}
	remove(t, dir, ".claude/settings.json")
	git(t, dir, "add", "-f", ".claude/asterweave/spec.json")
	git(t, dir, "commit", "-q", "-m", "state")
	want := headTree(t, dir)
	if got := treeID(t, dir); got != want {
		t.Errorf("tracked state: %s, not %s", got, want)
	}
	write(t, dir, ".claude/asterweave/spec.json", "{\"edited\":true}")
	if got := treeID(t, dir); got != want {
		t.Errorf("edited state: %s, not %s", got, want)
	}
}

func TestExcludesDigest(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	dir := newRepo(t)
	digest := func() string {
		t.Helper()
		d, err := open(t, dir).ExcludesDigest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second finds what the first kept
			tree, err := open(t, dir).Tree(t.Context(), gitrepo.TreeOptions{Excludes: true})
			if err != nil || tree.Excludes != d {
				t.Fatalf("with the tree it is %s, not %s: %v", tree.Excludes, d, err)
			}
		}
		return d
	}
	start := digest()
	seen := map[string]string{start: "start"}
	for _, step := range []struct {
		what string
		do   func()
	}{
		{"info/exclude", func() { write(t, dir, ".git/info/exclude", "*_test.go\n") }},
		{"info/attributes", func() { write(t, dir, ".git/info/attributes", "*.go filter=x\n") }},
		{"global ignore", func() { write(t, home, "config/git/ignore", "*.go\n") }},
		{"global attributes", func() { write(t, home, "config/git/attributes", "*.go -text\n") }},
		{"core.excludesFile", func() { git(t, dir, "config", "core.excludesFile", "~/mine") }},
		{"its content", func() { write(t, home, "mine", "x\n") }},
		{"core.attributesFile", func() { git(t, dir, "config", "core.attributesFile", "attr") }},
		{"its content", func() { write(t, dir, "attr", "x\n") }},
		{"filter", func() { git(t, dir, "config", "filter.x.clean", "cat old") }},
		{"autocrlf", func() { git(t, dir, "config", "core.autocrlf", "input") }},
		{"fileMode", func() { git(t, dir, "config", "core.fileMode", "false") }},
		{"include", func() {
			write(t, home, "more", "[filter \"y\"]\n\tclean = true\n")
			git(t, dir, "config", "include.path", filepath.Join(home, "more"))
		}},
		{"sparse checkout", func() { git(t, dir, "sparse-checkout", "set", "src") }},
		{"submodule", func() {
			git(t, dir, "sparse-checkout", "disable")
			git(t, dir, "submodule", "--quiet", "add", "--force", dir, "src/sub")
		}},
		{"info/exclude of the submodule", func() { write(t, dir, ".git/modules/src/sub/info/exclude", "*.go\n") }},
	} {
		step.do()
		got := digest()
		if other, ok := seen[got]; ok {
			t.Errorf("%s: the same as %s", step.what, other)
		}
		seen[got] = step.what
		git(t, dir, "config", "user.name", "Somebody Else")
		write(t, dir, "src/a.go", step.what, ".gitignore", step.what)
		if again := digest(); again != got {
			t.Errorf("%s: changes without a reason", step.what)
		}
		git(t, dir, "config", "--unset", "user.name")
	}
}

// Any number of computations run at once, in one process and in many, some are
// killed, and the files change meanwhile.
func TestConcurrent(t *testing.T) {
	const child = "GITREPO_TEST_TREE"
	if dir := os.Getenv(child); dir != "" {
		for {
			if _, err := open(t, dir).Tree(t.Context(), gitrepo.TreeOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir := newRepo(t)
	for i := range 200 {
		write(t, dir, fmt.Sprintf("many/%d/f", i), fmt.Sprint(i))
	}
	commit(t, dir, "many")
	left := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	var victims sync.WaitGroup
	for range 3 {
		victims.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				cmd := exec.Command(os.Args[0], "-test.run=^TestConcurrent$")
				cmd.Env = append(os.Environ(), child+"="+dir, "TMPDIR="+left) // a killed one tidies nothing
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Duration(5+i*37%150) * time.Millisecond)
				_ = cmd.Process.Kill()
				_ = cmd.Wait() // killed
			}
		})
	}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			r, err := gitrepo.Open(dir)
			if err != nil {
				t.Error(err)
				return
			}
			for j := range 2 {
				if i%8 == 0 {
					if err := os.WriteFile(filepath.Join(dir, "many", fmt.Sprint(i), "f"), fmt.Append(nil, "edit", j), 0o666); err != nil {
						t.Error(err)
					}
				}
				if i == 20 {
					_ = exec.Command("git", "-C", dir, "add", "-A").Run() // the files change meanwhile
				}
				tree, err := r.Tree(t.Context(), gitrepo.TreeOptions{})
				if err != nil || tree.ID == "" {
					t.Errorf("%v %q", err, tree.Unknown)
				}
			}
		})
	}
	wg.Wait()
	stop()
	victims.Wait()
	committedAsTested(t, dir)
	fresh := known(t, dir, gitrepo.TreeOptions{Fresh: true}).ID
	if got := treeID(t, dir); got != fresh {
		t.Errorf("%s, afresh %s", got, fresh)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, dir).Tree(ctx, gitrepo.TreeOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What the client adds for its own runtime hides nothing of the repository.
func TestExcludesOfTheClient(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	r := open(t, dir)
	digest := func() string {
		t.Helper()
		d, err := r.ExcludesDigest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	before := digest()
	exclude := filepath.Join(dir, ".git", "info", "exclude")
	own := "# claude-code-runtime\n**/.claude/scheduled_tasks.lock\n**/.claude/worktrees/\n\n"
	for text, same := range map[string]bool{own: true, "# *.go\n": true, "": true, own + "evil.go\n": false, "**/.claude/\n": false, "**/.claude/skills\n": false} {
		if err := os.WriteFile(exclude, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if (digest() == before) != same {
			t.Errorf("%q: the same %v, want %v", text, !same, same)
		}
	}
}
