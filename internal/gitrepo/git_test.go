package gitrepo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

// TestMain keeps the configuration of whoever runs the tests out of git, in the tests
// and in the package.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "gitrepo-home-")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"),
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull,
		"GIT_AUTHOR_NAME": "Dev", "GIT_AUTHOR_EMAIL": "dev@example.com",
		"GIT_COMMITTER_NAME": "Dev", "GIT_COMMITTER_EMAIL": "dev@example.com",
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	for _, name := range []string{
		"GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_PROXY_COMMAND",
		"GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_CERT", "GIT_SSL_KEY", "GIT_SSL_NO_VERIFY", "GIT_SSL_VERSION",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE",
	} {
		if err := os.Unsetenv(name); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	_ = os.RemoveAll(home)
	if benchRepo != "" {
		_ = os.RemoveAll(filepath.Dir(benchRepo))
	}
	os.Exit(code)
}

// git runs git as a user would, but for the housekeeping that it starts behind a commit,
// and returns what it prints, without the last line end.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "maintenance.auto=false", "-c", "receive.autogc=false"}, args...)...)
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

// templates are the repositories that newRepo copies, each made when it is first needed,
// by the arguments of git init.
var templates sync.Map

// newRepo returns a repository with one commit. It is a copy, since git takes four
// processes to make it.
func newRepo(t testing.TB, initArgs ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	once, _ := templates.LoadOrStore(strings.Join(initArgs, " "), sync.OnceValue(func() string {
		return template(t, initArgs...)
	}))
	if err := os.CopyFS(dir, os.DirFS(once.(func() string)())); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "update-index", "-q", "--refresh") // its files are others than those that were added
	return dir
}

// template makes the repository that newRepo copies. It lies in the home of all tests.
func template(t testing.TB, initArgs ...string) string {
	t.Helper()
	dir, err := os.MkdirTemp(os.Getenv("HOME"), "template-")
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
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
