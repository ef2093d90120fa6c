package sentry

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestAddress(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "work"}, {"init", "-q", "--bare", "remote.git"}, {"-C", "work", "-c", "user.name=Dev", "-c", "user.email=dev@example.com", "commit", "-q", "--allow-empty", "-m", "x"}, {"-C", "work", "worktree", "add", "-q", "../tree"}} {
		c := exec.Command("git", args...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "work"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work", ".git")
	for _, same := range [][]string{
		{"github.com/o/r", "https://github.com/o/r", "https://github.com/o/r.git", "https://github.com/o/r/", "https://x:secret@github.com/o/r.git", "https://[redacted]@GitHub.com/o/r", "git@github.com:o/r.git", "ssh://git@github.com:22/o/r.git", "github.com:o/r"},
		{work, "../work", dir + "/work", dir + "/work/.git", "file://" + dir + "/work", dir + "/link", "../tree", dir + "/work/.git/worktrees/tree", "./../work/"},
		{filepath.Join(dir, "remote.git"), "../remote.git", "../remote", "file://" + dir + "/remote.git/"},
		{filepath.Join(dir, "none"), "../none"},
		{"ext::github.com/o/r", "ext::https://github.com/o/r"},
		{"host:8443/o/r", "https://host:8443/o/r"},
	} {
		for _, url := range same[1:] {
			if got := address(url, filepath.Join(dir, "work")); got != same[0] {
				t.Errorf("%s leads to %q, not to %q", url, got, same[0])
			}
		}
	}
}
