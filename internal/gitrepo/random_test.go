package gitrepo_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

// oracle is the tree that git makes of everything, in an index of its own.
func oracle(t *testing.T, dir, scratch string) string {
	t.Helper()
	index := filepath.Join(scratch, "index")
	_ = os.Remove(index)
	user, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(index, user, 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v %s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	// The copy's stat data would be trusted: without them every file is read.
	stage := run("ls-files", "-s")
	_ = os.Remove(index)
	cmd := exec.Command("git", "update-index", "--index-info")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index)
	cmd.Stdin = strings.NewReader(stage + "\n")
	if stage != "" {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	run("add", "-A")
	return run("write-tree")
}

// Whatever is done to a worktree, its tree is what git would commit, and the changes
// since the tree before are those between the two.
func TestRandomWork(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			randomWork(t, rand.New(rand.NewPCG(seed, 0)))
		})
	}
}

// Steps that are not possible where things stand do nothing.
func randomWork(t *testing.T, r *rand.Rand) {
	dir := newRepo(t)
	scratch := t.TempDir()
	names := []string{"a", "a/b", "a/b/c", "a.b", "a-", "b/x", "b/y", "b", "src/a.go", "src/deep/z", "z/1/2/3", "x.log", "README.md"}
	last := treeID(t, dir)
	for range 2 + r.IntN(7) {
		for range r.IntN(6) {
			name := pick(r, names...)
			file := filepath.Join(dir, name)
			switch pick(r, "write", "write", "write", "remove", "exec", "link", "add", "commit", "reset", "untrack") {
			case "write":
				for p := filepath.Dir(file); p != dir; p = filepath.Dir(p) {
					if info, err := os.Lstat(p); err == nil && !info.IsDir() {
						_ = os.Remove(p)
					}
				}
				_ = os.RemoveAll(file)
				write(t, dir, name, pick(r, "1", "2", "", "two\nlines\n"))
			case "remove":
				_ = os.RemoveAll(file)
			case "exec":
				_ = os.Chmod(file, 0o755)
			case "link":
				if os.RemoveAll(file) == nil {
					_ = os.Symlink("src", file)
				}
			case "add":
				_ = exec.Command("git", "-C", dir, "add", "-A").Run()
			case "commit":
				commit(t, dir, "x")
			case "reset":
				_ = exec.Command("git", "-C", dir, "reset", "-q").Run()
			case "untrack":
				_ = exec.Command("git", "-C", dir, "rm", "-q", "-r", "--cached", "--ignore-unmatch", name).Run()
			}
		}
		want := oracle(t, dir, scratch)
		got := treeID(t, dir)
		if got != want {
			t.Fatalf("%s, not %s: %s", got, want, git(t, dir, "status", "--porcelain"))
		}
		changes, err := open(t, dir).Changed(t.Context(), last, got)
		if err != nil {
			t.Fatal(err)
		}
		if (len(changes) == 0) != (last == got) {
			t.Fatalf("%d changes from %s to %s", len(changes), last, got)
		}
		if fresh := known(t, dir, gitrepo.TreeOptions{StateDir: filepath.Join(scratch, "state"), Fresh: true}).ID; fresh != want {
			t.Fatalf("afresh %s, not %s", fresh, want)
		}
		last = got
	}
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }
