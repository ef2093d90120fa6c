//go:build unix

package gitrepo_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

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

func TestKindsOfRepository(t *testing.T) {
	t.Parallel()
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
		t.Parallel()
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
		t.Parallel()
		dir := newRepo(t)
		git(t, dir, "checkout", "-q", "--detach")
		edit(t, dir)
	})
	t.Run("sha256", func(t *testing.T) {
		t.Parallel()
		dir := newRepo(t, "--object-format=sha256")
		edit(t, dir)
		if n := len(treeID(t, dir)); n != 64 {
			t.Errorf("%d digits", n)
		}
	})
	t.Run("sha256 without commits", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		git(t, dir, "init", "-q", "--object-format=sha256")
		if got := treeID(t, dir); got != gitrepo.EmptyTree(strings.Repeat("0", 64)) {
			t.Errorf("empty: %s", got)
		}
	})
	t.Run("linked worktree", func(t *testing.T) {
		t.Parallel()
		dir := newRepo(t)
		linked := filepath.Join(t.TempDir(), "linked")
		git(t, dir, "worktree", "add", "-q", linked, "-b", "topic")
		edit(t, linked)
		if got, want := treeID(t, dir), headTree(t, dir); got != want {
			t.Errorf("the main worktree: %s, not %s", got, want)
		}
	})
	t.Run("linked worktree of a bare repository", func(t *testing.T) {
		t.Parallel()
		dir := newRepo(t)
		bare := filepath.Join(t.TempDir(), "bare.git")
		git(t, dir, "clone", "-q", "--bare", dir, bare)
		linked := filepath.Join(t.TempDir(), "linked")
		git(t, bare, "worktree", "add", "-q", linked, "-b", "topic")
		edit(t, linked)
	})
	t.Run("moved", func(t *testing.T) {
		t.Parallel()
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
		t.Parallel()
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
		t.Parallel()
		dir := newRepo(t)
		git(t, dir, "config", "uploadpack.allowFilter", "true")
		clone := filepath.Join(t.TempDir(), "clone")
		git(t, dir, "clone", "-q", "--filter=blob:none", "file://"+dir, clone)
		edit(t, clone)
	})
	t.Run("in the middle of a merge", func(t *testing.T) {
		t.Parallel()
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
			// Git itself looks at the file again only because it was written after the commit.
			write(t, dir, "src/.gitattributes", "*.txt text\n", "src/crlf.txt", "c\r\n")
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
			t.Parallel()
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
			t.Parallel()
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
	defer func() { _ = os.Chmod(filepath.Join(dir, "closed"), 0o755) }() // so that it can be removed
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
