package gitrepo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

// cleanEnv keeps the configuration of whoever runs the tests out of git, in the
// tests and in the package.
func cleanEnv(t testing.TB) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	t.Setenv("GIT_CONFIG_SYSTEM", "/dev/null")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "Dev")
		t.Setenv("GIT_"+who+"_EMAIL", "dev@example.com")
	}
}

// git runs git as a user would and returns what it prints, without the last line end.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

// write creates files below dir from pairs of path and content.
func write(t testing.TB, dir string, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		name := filepath.Join(dir, filepath.FromSlash(pairs[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(pairs[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func remove(t testing.TB, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
}

// newRepo returns a repository with two commits' worth of files.
func newRepo(t testing.TB, initArgs ...string) string {
	t.Helper()
	cleanEnv(t)
	dir := filepath.Join(t.TempDir(), "repo")
	git(t, filepath.Dir(dir), append(append([]string{"init", "-q", "-b", "main"}, initArgs...), dir)...)
	write(t, dir,
		"README.md", "hello\n",
		"src/a.go", "package a\n",
		"src/deep/er/b.go", "package b\n",
		"test/a_test.go", "package a\n\n// test\n",
		".gitignore", "*.log\n/build/\n",
	)
	commit(t, dir, "first")
	return dir
}

func commit(t testing.TB, dir, message string) string {
	t.Helper()
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", message)
	return git(t, dir, "rev-parse", "HEAD")
}

func open(t testing.TB, dir string) *gitrepo.Repo {
	t.Helper()
	r, err := gitrepo.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// known is the working tree's tree, which must not be unknown.
func known(t testing.TB, dir string, o gitrepo.TreeOptions) gitrepo.Tree {
	t.Helper()
	tree, err := open(t, dir).Tree(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if tree.ID == "" || len(tree.Unknown) > 0 {
		t.Fatalf("unknown: %q", tree.Unknown)
	}
	return tree
}

func treeID(t testing.TB, dir string) string {
	t.Helper()
	return known(t, dir, gitrepo.TreeOptions{}).ID
}

func headTree(t testing.TB, dir string) string {
	t.Helper()
	return git(t, dir, "rev-parse", "HEAD^{tree}")
}
