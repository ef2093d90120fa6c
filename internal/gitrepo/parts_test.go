package gitrepo_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

func TestSparseCheckout(t *testing.T) {
	t.Parallel()
	for _, cone := range []bool{true, false} {
		dir := newRepo(t)
		want := headTree(t, dir)
		if cone {
			git(t, dir, "sparse-checkout", "set", "--cone", "src")
		} else {
			git(t, dir, "sparse-checkout", "set", "--no-cone", "/src/", "!/src/deep/", "/README.md")
		}
		if _, err := os.Lstat(filepath.Join(dir, "test")); err == nil {
			t.Fatal("the checkout is not sparse")
		}
		if got := treeID(t, dir); got != want {
			t.Errorf("clean: %s, not %s", got, want)
		}
		write(t, dir, "test/a_test.go", "package a // edited\n")
		edited := treeID(t, dir)
		if edited == want {
			t.Error("an edit outside of the patterns does not show")
		}
		remove(t, dir, "test")
		write(t, dir, "test", "a file where a folder was left out")
		if got := treeID(t, dir); got == want || got == edited {
			t.Error("a file in place of a folder does not show")
		}
		remove(t, dir, "test")
		if got := treeID(t, dir); got != want {
			t.Errorf("undone: %s, not %s", got, want)
		}
		remove(t, dir, "src/a.go")
		git(t, dir, "update-index", "--skip-worktree", "src/a.go")
		if got := treeID(t, dir); got == want {
			t.Error("a removal inside of the patterns does not show")
		}
		git(t, dir, "update-index", "--no-skip-worktree", "src/a.go")
		git(t, dir, "checkout", "HEAD", "--", "src/a.go")
		write(t, dir, "src/a.go", "package a // next\n")
		before := treeID(t, dir)
		git(t, dir, "commit", "-q", "-a", "-m", "next")
		if got := headTree(t, dir); got != before {
			t.Errorf("tested %s, committed %s", before, got)
		}
		git(t, dir, "sparse-checkout", "disable")
		if got := treeID(t, dir); got != before {
			t.Errorf("full: %s, not %s", got, before)
		}
		git(t, dir, "config", "index.sparse", "true")
		if cone {
			git(t, dir, "sparse-checkout", "set", "--sparse-index", "src")
			if got := treeID(t, dir); got != before {
				t.Errorf("sparse index: %s, not %s", got, before)
			}
		}
	}
}

func TestSubmodules(t *testing.T) {
	t.Parallel()
	lib := newRepo(t)
	inner := newRepo(t)
	git(t, lib, "submodule", "--quiet", "add", inner, "inner")
	commit(t, lib, "inner")
	dir := newRepo(t)
	git(t, dir, "submodule", "--quiet", "add", lib, "vendor/lib")
	git(t, dir, "submodule", "--quiet", "update", "--init", "--recursive")
	commit(t, dir, "lib")
	clean := headTree(t, dir)

	tree := known(t, dir, gitrepo.TreeOptions{})
	if tree.ID != clean {
		t.Errorf("clean: %s, not %s", tree.ID, clean)
	}
	head := git(t, dir, "rev-parse", "HEAD:vendor/lib")
	paths := []string{}
	for _, s := range tree.Submodules {
		paths = append(paths, s.Path)
		if s.Dirty {
			t.Errorf("%s is dirty", s.Path)
		}
	}
	if diff := cmp.Diff([]string{"vendor/lib", "vendor/lib/inner"}, paths); diff != "" {
		t.Error(diff)
	}
	git(t, dir, "config", "submodule.vendor/lib.ignore", "all")
	git(t, dir, "config", "diff.ignoreSubmodules", "all")

	seen := map[string]string{clean: "clean"}
	step := func(what string, do func()) {
		t.Helper()
		do()
		tree := known(t, dir, gitrepo.TreeOptions{})
		if other, ok := seen[tree.ID]; ok {
			t.Errorf("%s: the same id as %s", what, other)
		}
		seen[tree.ID] = what
		changes, err := open(t, dir).Changed(t.Context(), clean, tree.ID)
		if err != nil {
			t.Fatal(err)
		}
		if len(changes) != 1 || changes[0].Path != "vendor/lib" || changes[0].Old != head {
			t.Errorf("%s: %+v", what, changes)
		}
		if again := treeID(t, dir); again != tree.ID {
			t.Errorf("%s: then %s, now %s", what, tree.ID, again)
		}
	}
	step("edit", func() { write(t, dir, "vendor/lib/src/a.go", "edited\n") })
	step("another edit", func() { write(t, dir, "vendor/lib/src/a.go", "editeD\n") })
	step("new file", func() { write(t, dir, "vendor/lib/new", "1") })
	step("edit in the inner one", func() { write(t, dir, "vendor/lib/inner/src/a.go", "edited\n") })
	step("flags", func() {
		git(t, filepath.Join(dir, "vendor/lib"), "update-index", "--assume-unchanged", "src/a.go")
		write(t, dir, "vendor/lib/src/a.go", "edited again\n")
	})
	git(t, filepath.Join(dir, "vendor/lib"), "update-index", "--no-assume-unchanged", "src/a.go")
	git(t, filepath.Join(dir, "vendor/lib/inner"), "checkout", "-q", ".")
	git(t, filepath.Join(dir, "vendor/lib"), "checkout", "-q", ".")
	remove(t, dir, "vendor/lib/new")
	if got := treeID(t, dir); got != clean {
		t.Errorf("undone: %s, not %s", got, clean)
	}
	step("other head", func() {
		write(t, dir, "vendor/lib/src/a.go", "committed\n")
		commit(t, filepath.Join(dir, "vendor/lib"), "more")
	})
	git(t, dir, "config", "--unset", "submodule.vendor/lib.ignore")
	git(t, dir, "config", "--unset", "diff.ignoreSubmodules")
	committedAsTested(t, dir)

	// The scratch globs and ambient paths of the whole reach into it.
	write(t, dir, "vendor/lib/coverage.out", "1", "vendor/lib/notes", "2")
	want := headTree(t, dir)
	ambient := map[string]string{}
	if found, err := open(t, dir).Ambient(t.Context()); err != nil {
		t.Fatal(err)
	} else if ambient["vendor/lib/notes"] = found["vendor/lib/notes"]; ambient["vendor/lib/notes"] == "" {
		t.Errorf("not ambient: %v", found)
	}
	o := gitrepo.TreeOptions{Scratch: []string{"**/coverage.out"}, Ambient: ambient}
	if got := known(t, dir, o); got.ID != want || len(got.AmbientChanged) > 0 {
		t.Errorf("%+v, not %s", got, want)
	}
	write(t, dir, "vendor/lib/notes", "3")
	if got := known(t, dir, o); got.ID != want || !slices.Equal(got.AmbientChanged, []string{"vendor/lib/notes"}) {
		t.Errorf("%+v, not %s", got, want)
	}
	remove(t, dir, "vendor/lib/coverage.out", "vendor/lib/notes")

	git(t, dir, "submodule", "--quiet", "deinit", "-f", "--all")
	if got := treeID(t, dir); got != want {
		t.Errorf("not populated: %s, not %s", got, want)
	}
	remove(t, dir, "vendor/lib")
	if got := treeID(t, dir); got == want {
		t.Error("a removed submodule does not show")
	}
}

func TestNestedRepository(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	clean := treeID(t, dir)
	git(t, dir, "init", "-q", "nested")
	write(t, dir, "nested/x", "1")
	commit(t, filepath.Join(dir, "nested"), "x")
	one := treeID(t, dir)
	if one == clean {
		t.Error("it does not show")
	}
	write(t, dir, "nested/x", "2")
	two := treeID(t, dir)
	if two == one {
		t.Error("an edit in it does not show")
	}
	write(t, dir, "nested/x", "1")
	if got := treeID(t, dir); got != one {
		t.Errorf("undone: %s, not %s", got, one)
	}
	committedAsTested(t, dir)
}

// The user's repository must be as it was, byte for byte.
func TestLeavesNoTrace(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{"core.splitIndex=true", "core.untrackedCache=true", "index.version=4", "core.fsmonitor=true"} {
		dir := newRepo(t)
		key, value, _ := strings.Cut(setting, "=")
		git(t, dir, "config", key, value)
		git(t, dir, "-c", "core.fsmonitor=false", "update-index", "--force-write-index")
		write(t, dir, "src/a.go", "edited\n", "secret.txt", "a secret\n", "deep/new/file", "1")
		remove(t, dir, "README.md")
		before := content(t, filepath.Join(dir, ".git"))
		first := treeID(t, dir)
		write(t, dir, "src/a.go", "edited more\n")
		second := treeID(t, dir)
		r := open(t, dir)
		if _, err := r.Changed(t.Context(), first, second); err != nil {
			t.Error(err)
		}
		if _, err := r.Ambient(t.Context()); err != nil {
			t.Error(err)
		}
		cleanup, err := r.CheckoutAt(t.Context(), "HEAD", filepath.Join(t.TempDir(), "at"))
		if err != nil {
			t.Fatal(err)
		}
		if err := cleanup(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(before, content(t, filepath.Join(dir, ".git"))); diff != "" {
			t.Errorf("%s: %s", setting, diff)
		}
		// Trees are kept, blobs are not: an untracked file may be a secret.
		for name := range content(t, filepath.Join(dir, ".claude", "asterweave", "tree", "objects")) {
			id := strings.ReplaceAll(name, string(filepath.Separator), "")
			kind := exec.Command("git", "cat-file", "-t", id)
			kind.Dir = dir
			kind.Env = append(os.Environ(), "GIT_OBJECT_DIRECTORY="+filepath.Join(dir, ".claude", "asterweave", "tree", "objects"))
			out, err := kind.CombinedOutput()
			if strings.TrimSpace(string(out)) != "tree" {
				t.Errorf("%s is stored: %s %v", id, out, err)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".claude", "asterweave", "tree", "tmp-*")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}

// content returns the files below dir with what is in them.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Type()&fs.ModeSocket != 0 {
			return err
		}
		b, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		files[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Attributes that a sparse checkout leaves out still say how content is stored.
func TestSparseAttributes(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	write(t, dir, ".gitattributes", "*.txt text\n", "src/x.txt", "a\n")
	commit(t, dir, "attributes")
	git(t, dir, "sparse-checkout", "set", "--no-cone", "/src/")
	write(t, dir, "src/x.txt", "b\r\n")
	got := treeID(t, dir)
	git(t, dir, "commit", "-q", "-a", "-m", "edited")
	if want := headTree(t, dir); got != want {
		t.Errorf("tested %s, committed %s", got, want)
	}
}
