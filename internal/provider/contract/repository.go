package contract

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repository is a bare repository on disk and a clone of it, for worlds whose branches
// are real. It ends with its test.
type Repository struct {
	Bare   string // folder
	Clone  string // folder; its remote "origin" is Bare
	Branch string // of the delivery; main is the base
	count  int
}

// NewRepository makes the two, with one commit on main, which is pushed, and the branch
// checked out in the clone.
func NewRepository(t *testing.T, branch string) *Repository {
	t.Helper()
	dir := t.TempDir()
	r := &Repository{Bare: filepath.Join(dir, "bare.git"), Clone: filepath.Join(dir, "clone"), Branch: branch}
	r.git(t, dir, "init", "--quiet", "--bare", "--initial-branch=main", r.Bare)
	r.git(t, r.Bare, "config", "receive.autogc", "false")
	r.git(t, dir, "init", "--quiet", "--initial-branch=main", r.Clone)
	r.git(t, r.Clone, "remote", "add", "origin", r.Bare)
	r.change(t)
	r.git(t, r.Clone, "push", "--quiet", "origin", "main")
	r.git(t, r.Clone, "checkout", "--quiet", "-b", branch)
	return r
}

// Push commits a change to the branch and pushes it. It returns the commit.
func (r *Repository) Push(t *testing.T) string {
	t.Helper()
	r.change(t)
	r.git(t, r.Clone, "push", "--quiet", "origin", r.Branch)
	return r.Commit(t, "HEAD")
}

// Commit returns the full id of what a revision names.
func (r *Repository) Commit(t *testing.T, revision string) string {
	t.Helper()
	return r.git(t, r.Clone, "rev-parse", "--verify", revision)
}

func (r *Repository) change(t *testing.T) {
	t.Helper()
	r.count++
	if err := os.WriteFile(filepath.Join(r.Clone, "file.txt"), fmt.Appendf(nil, "version %d\n", r.count), 0o600); err != nil {
		t.Fatal(err)
	}
	if r.count == 1 {
		r.git(t, r.Clone, "add", "file.txt")
	}
	r.git(t, r.Clone, "commit", "--quiet", "-a", "-m", fmt.Sprintf("Version %d", r.count))
}

func (r *Repository) git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	// No housekeeping behind a commit and a push, which takes as long as they do.
	c := exec.Command("git", append([]string{"-c", "maintenance.auto=false"}, args...)...)
	c.Dir = dir
	c.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C",
		"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com",
	}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}
