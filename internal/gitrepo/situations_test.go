package gitrepo_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

// unknown is what makes the working tree's tree unknown.
func unknown(t *testing.T, dir string, o gitrepo.TreeOptions) string {
	t.Helper()
	tree, err := open(t, dir).Tree(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if tree.ID != "" || len(tree.Unknown) == 0 {
		t.Fatalf("known: %s", tree.ID)
	}
	return strings.Join(tree.Unknown, "\n")
}

// committedAsTested commits the working tree and compares it with the id before.
func committedAsTested(t *testing.T, dir string) {
	t.Helper()
	before := treeID(t, dir)
	commit(t, dir, "as tested")
	if want := headTree(t, dir); before != want {
		t.Errorf("tested %s, committed %s", before, want)
	}
	if after := treeID(t, dir); after != before {
		t.Errorf("before the commit %s, after it %s", before, after)
	}
}

func TestKindsOfRepository(t *testing.T) {
	edit := func(t *testing.T, dir string) {
		t.Helper()
		clean := treeID(t, dir)
		write(t, dir, "src/a.go", "package a // edited now\n")
		if treeID(t, dir) == clean {
			t.Error("an edit does not show")
		}
		committedAsTested(t, dir)
	}
	t.Run("unborn", func(t *testing.T) {
		cleanEnv(t)
		dir := t.TempDir()
		git(t, dir, "init", "-q", "-b", "main")
		if got := treeID(t, dir); got != gitrepo.EmptyTree("") {
			t.Errorf("empty: %s", got)
		}
		write(t, dir, "a", "1")
		one := treeID(t, dir)
		git(t, dir, "add", "a")
		if got := treeID(t, dir); got != one {
			t.Errorf("staged: %s, untracked: %s", got, one)
		}
		committedAsTested(t, dir)
	})
	t.Run("detached", func(t *testing.T) {
		dir := newRepo(t)
		git(t, dir, "checkout", "-q", "--detach")
		edit(t, dir)
	})
	t.Run("sha256", func(t *testing.T) {
		dir := newRepo(t, "--object-format=sha256")
		edit(t, dir)
		if n := len(treeID(t, dir)); n != 64 {
			t.Errorf("%d digits", n)
		}
	})
	t.Run("sha256 without commits", func(t *testing.T) {
		cleanEnv(t)
		dir := t.TempDir()
		git(t, dir, "init", "-q", "--object-format=sha256")
		if got := treeID(t, dir); got != gitrepo.EmptyTree(strings.Repeat("0", 64)) {
			t.Errorf("empty: %s", got)
		}
	})
	t.Run("linked worktree", func(t *testing.T) {
		dir := newRepo(t)
		linked := filepath.Join(t.TempDir(), "linked")
		git(t, dir, "worktree", "add", "-q", linked, "-b", "topic")
		edit(t, linked)
		if got, want := treeID(t, dir), headTree(t, dir); got != want {
			t.Errorf("the main worktree: %s, not %s", got, want)
		}
	})
	t.Run("linked worktree of a bare repository", func(t *testing.T) {
		dir := newRepo(t)
		bare := filepath.Join(t.TempDir(), "bare.git")
		git(t, dir, "clone", "-q", "--bare", dir, bare)
		linked := filepath.Join(t.TempDir(), "linked")
		git(t, bare, "worktree", "add", "-q", linked, "-b", "topic")
		edit(t, linked)
	})
	t.Run("moved", func(t *testing.T) {
		dir := newRepo(t)
		write(t, dir, "src/a.go", "package a // edited\n")
		before := treeID(t, dir)
		moved := filepath.Join(t.TempDir(), "elsewhere")
		if err := os.Rename(dir, moved); err != nil {
			t.Fatal(err)
		}
		if got := treeID(t, moved); got != before {
			t.Errorf("before %s, after %s", before, got)
		}
		edit(t, moved)
	})
	t.Run("odd path", func(t *testing.T) {
		dir := newRepo(t)
		moved := filepath.Join(t.TempDir(), "a: \"b\"\n\\c ü")
		if err := os.Rename(dir, moved); err != nil {
			t.Fatal(err)
		}
		edit(t, moved)
		if _, err := open(t, moved).Changed(t.Context(), "HEAD~1", treeID(t, moved)); err != nil {
			t.Error(err)
		}
	})
	t.Run("blob-less clone", func(t *testing.T) {
		dir := newRepo(t)
		git(t, dir, "config", "uploadpack.allowFilter", "true")
		clone := filepath.Join(t.TempDir(), "clone")
		git(t, dir, "clone", "-q", "--filter=blob:none", "file://"+dir, clone)
		edit(t, clone)
	})
	t.Run("in the middle of a merge", func(t *testing.T) {
		dir := newRepo(t)
		git(t, dir, "checkout", "-q", "-b", "other")
		write(t, dir, "src/a.go", "package a // theirs\n")
		commit(t, dir, "theirs")
		git(t, dir, "checkout", "-q", "main")
		write(t, dir, "src/a.go", "package a // ours\n")
		commit(t, dir, "ours")
		if err := exec.Command("git", "-C", dir, "merge", "-q", "other").Run(); err == nil {
			t.Fatal("no conflict")
		}
		conflict := treeID(t, dir)
		write(t, dir, "src/a.go", "package a // both\n")
		if treeID(t, dir) == conflict {
			t.Error("the resolution does not show")
		}
		committedAsTested(t, dir)
	})
}

func TestPaths(t *testing.T) {
	for name, do := range map[string]func(t *testing.T, dir string){
		"odd names": func(t *testing.T, dir string) {
			write(t, dir, "new\nline", "1", "ta\tb", "2", "qu\"ote", "3", "back\\slash", "4", " space ", "5", "-dash", "6", "ü/ñ", "7", ":(glob)*", "8", "\xff\xfe", "9")
			treeID(t, dir)
			commit(t, dir, "odd")
			write(t, dir, "new\nline", "11", "-dash", "66", "\xff\xfe", "99")
			remove(t, dir, "ta\tb")
		},
		"file becomes folder": func(t *testing.T, dir string) {
			remove(t, dir, "src/a.go")
			write(t, dir, "src/a.go/x", "1")
		},
		"folder becomes file": func(t *testing.T, dir string) {
			remove(t, dir, "src")
			write(t, dir, "src", "1")
		},
		"folder becomes symbolic link": func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, "src"), filepath.Join(dir, "moved")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("moved", filepath.Join(dir, "src")); err != nil {
				t.Fatal(err)
			}
		},
		"folder becomes ignored symbolic link": func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, "src"), filepath.Join(dir, "moved")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("moved", filepath.Join(dir, "src")); err != nil {
				t.Fatal(err)
			}
			write(t, dir, ".gitignore", "src\n")
		},
		"symbolic links": func(t *testing.T, dir string) {
			for link, target := range map[string]string{"l1": "src/a.go", "l2": "nowhere", "l3": "src"} {
				if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
					t.Fatal(err)
				}
			}
			treeID(t, dir)
			commit(t, dir, "links")
			remove(t, dir, "l2")
			if err := os.Symlink("elsewhere", filepath.Join(dir, "l2")); err != nil {
				t.Fatal(err)
			}
		},
		"executable": func(t *testing.T, dir string) {
			before := treeID(t, dir)
			if err := os.Chmod(filepath.Join(dir, "src", "a.go"), 0o755); err != nil {
				t.Fatal(err)
			}
			if treeID(t, dir) == before {
				t.Error("the bit does not show")
			}
		},
		"executable where fileMode is off": func(t *testing.T, dir string) {
			git(t, dir, "config", "core.fileMode", "false")
			if err := os.Chmod(filepath.Join(dir, "src", "a.go"), 0o755); err != nil {
				t.Fatal(err)
			}
		},
		"everything removed": func(t *testing.T, dir string) { remove(t, dir, "src", "test", "README.md", ".gitignore") },
		"tracked although ignored": func(t *testing.T, dir string) {
			write(t, dir, "build/x", "1", "a.log", "2")
			git(t, dir, "add", "-f", "build/x", "a.log")
			treeID(t, dir)
			git(t, dir, "commit", "-q", "-m", "ignored")
			write(t, dir, "build/x", "3")
		},
		"staged and changed again": func(t *testing.T, dir string) {
			write(t, dir, "src/a.go", "staged")
			git(t, dir, "add", "-A")
			treeID(t, dir)
			write(t, dir, "src/a.go", "later")
		},
		"no longer tracked and now ignored": func(t *testing.T, dir string) {
			treeID(t, dir)
			git(t, dir, "rm", "-q", "--cached", "src/a.go")
			write(t, dir, ".gitignore", "a.go\n")
		},
		"untracked, then ignored": func(t *testing.T, dir string) {
			write(t, dir, "new.txt", "1")
			treeID(t, dir)
			write(t, dir, ".gitignore", "new.txt\n")
		},
		"intent to add": func(t *testing.T, dir string) {
			write(t, dir, "new.txt", "1")
			git(t, dir, "add", "-N", "new.txt")
		},
		"renamed": func(t *testing.T, dir string) {
			treeID(t, dir)
			git(t, dir, "mv", "src", "lib")
		},
		"other branch": func(t *testing.T, dir string) {
			treeID(t, dir)
			git(t, dir, "checkout", "-q", "-b", "other")
			write(t, dir, "src/a.go", "package other\n")
			commit(t, dir, "other")
			treeID(t, dir)
			git(t, dir, "checkout", "-q", "main")
		},
		"autocrlf true": func(t *testing.T, dir string) {
			git(t, dir, "config", "core.autocrlf", "true")
			write(t, dir, "crlf.txt", "a\r\nb\r\n", "src/a.go", "package a\r\n", "mixed.txt", "a\r\nb\n")
			treeID(t, dir)
			write(t, dir, "crlf.txt", "a\r\nc\r\n")
		},
		"autocrlf input": func(t *testing.T, dir string) {
			git(t, dir, "config", "core.autocrlf", "input")
			write(t, dir, "crlf.txt", "a\r\nb\r\n", "binary", "a\x00\r\nb\r\n")
		},
		// Line ends that were stored once are kept, as long as the index has them.
		"autocrlf with stored line ends": func(t *testing.T, dir string) {
			write(t, dir, "crlf.txt", "a\r\nb\r\n")
			commit(t, dir, "crlf")
			git(t, dir, "config", "core.autocrlf", "true")
			write(t, dir, "crlf.txt", "a\r\nb\r\nc\r\n")
			treeID(t, dir)
			write(t, dir, "crlf.txt", "a\r\nb\r\nc\r\nd\r\n")
			treeID(t, dir)
			write(t, dir, "crlf.txt", "a\r\nb\r\nc\r\nd\r\ne\r\n")
		},
		"attributes that come later": func(t *testing.T, dir string) {
			write(t, dir, "crlf.txt", "a\r\nb\r\n", "src/crlf.txt", "c\r\n")
			treeID(t, dir)
			write(t, dir, ".gitattributes", "*.txt text\n")
		},
		"attributes in a folder": func(t *testing.T, dir string) {
			write(t, dir, "src/crlf.txt", "c\r\n")
			commit(t, dir, "crlf")
			treeID(t, dir)
			write(t, dir, "src/.gitattributes", "*.txt text\n")
		},
		"clean filter": func(t *testing.T, dir string) {
			git(t, dir, "config", "filter.upper.clean", "tr a-z A-Z")
			write(t, dir, ".gitattributes", "*.up filter=upper\n", "x.up", "abc")
			treeID(t, dir)
			write(t, dir, "x.up", "abd")
		},
		"clean filter that changes": func(t *testing.T, dir string) {
			git(t, dir, "config", "filter.upper.clean", "tr a-z A-Z")
			write(t, dir, ".gitattributes", "*.up filter=upper\n", "x.up", "abc")
			treeID(t, dir)
			git(t, dir, "config", "filter.upper.clean", "tr a-y A-Y")
		},
		"many": func(t *testing.T, dir string) {
			for i := range 300 {
				write(t, dir, "many/"+strings.Repeat("x", 1+i%7)+"/y"+strings.Repeat("y", i/7), "1")
			}
			treeID(t, dir)
			write(t, dir, "many/new", "1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newRepo(t)
			treeID(t, dir)
			do(t, dir)
			committedAsTested(t, dir)
		})
	}
}

func TestUnknown(t *testing.T) {
	cases := []struct {
		name, path string
		do         func(t *testing.T, dir string)
	}{
		{"pipe in place of a file", "src/a.go", func(t *testing.T, dir string) {
			remove(t, dir, "src/a.go")
			if err := syscall.Mkfifo(filepath.Join(dir, "src", "a.go"), 0o666); err != nil {
				t.Skip(err)
			}
		}},
		{"required filter that fails", "x.bad", func(t *testing.T, dir string) {
			git(t, dir, "config", "filter.bad.clean", "false")
			git(t, dir, "config", "filter.bad.required", "true")
			write(t, dir, ".gitattributes", "*.bad filter=bad\n", "x.bad", "1")
		}},
		{"filter that fails", "filter", func(t *testing.T, dir string) {
			git(t, dir, "config", "filter.bad.clean", "false")
			write(t, dir, ".gitattributes", "*.bad filter=bad\n", "x.bad", "1")
		}},
		{"nested repository without commits", "nested", func(t *testing.T, dir string) {
			git(t, dir, "init", "-q", "nested")
			write(t, dir, "nested/x", "1")
		}},
		{"nested repository that is broken", "nested", func(t *testing.T, dir string) {
			git(t, dir, "init", "-q", "nested")
			commit(t, filepath.Join(dir, "nested"), "x")
			head := git(t, filepath.Join(dir, "nested"), "symbolic-ref", "HEAD")
			write(t, dir, "nested/.git/"+head, "garbage\n")
		}},
		{"nested repository with another algorithm", "nested", func(t *testing.T, dir string) {
			git(t, dir, "init", "-q", "--object-format=sha256", "nested")
			commit(t, filepath.Join(dir, "nested"), "x")
		}},
		{"files in a submodule that is not populated", "sub", func(t *testing.T, dir string) {
			git(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+git(t, dir, "rev-parse", "HEAD")+",sub")
			write(t, dir, "sub/x", "1")
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := newRepo(t)
			treeID(t, dir)
			c.do(t, dir)
			for range 2 {
				if got := unknown(t, dir, gitrepo.TreeOptions{}); !strings.Contains(got, c.path) {
					t.Errorf("%q does not name %s", got, c.path)
				}
			}
		})
	}
}

// Files that cannot be read need a user for whom that is so.
func TestUnreadable(t *testing.T) {
	const child = "GITREPO_TEST_UNREADABLE"
	if dir := os.Getenv(child); dir != "" {
		got := unknown(t, dir, gitrepo.TreeOptions{StateDir: filepath.Join(dir, "..", "state")})
		for _, name := range []string{"src/a.go", "new", "closed"} {
			if !strings.Contains(got, name) {
				t.Errorf("%q does not name %s", got, name)
			}
		}
		return
	}
	if runtime.GOOS == "windows" {
		t.Skip("no permissions of this kind")
	}
	dir := newRepo(t)
	write(t, dir, "src/a.go", "changed\n", "new", "1", "closed/x", "1")
	state := filepath.Join(dir, "..", "state")
	if err := os.Mkdir(state, 0o777); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^TestUnreadable$", "-test.v")
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), child+"="+dir)
	if os.Getuid() == 0 {
		const nobody = 65534
		top := filepath.Dir(filepath.Dir(dir))
		for _, d := range []string{top, filepath.Dir(dir)} {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		give := func(name string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(name, nobody, nobody)
		}
		for _, d := range []string{dir, state} {
			if err := filepath.WalkDir(d, give); err != nil {
				t.Fatal(err)
			}
		}
		copied := filepath.Join(filepath.Dir(dir), "child.test") // the original lies where only we can go
		b, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied, b, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd.Path = copied
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	for _, name := range []string{"src/a.go", "new", "closed"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Join(dir, "closed"), 0o755)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestSparseCheckout(t *testing.T) {
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
