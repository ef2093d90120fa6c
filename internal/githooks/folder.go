// Package githooks owns the hooks of ours that Git runs: the folder of a worktree,
// which an agent's shell is pointed at by its environment, and the single hook that
// is installed beside the repository's own. Both run the repository's own hooks as
// Git would have run them; before a push they ask the judge, asterweave-state
// guard pre-push.
package githooks

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/asterweave/asterweave/internal/durable"
)

// PrePush is the hook that judges; the others only hand on.
const PrePush = "pre-push"

// Folder returns where the hooks of a worktree lie, given its own Git folder. The
// path is part of the environment that an agent's shell gets.
func Folder(gitDir string) string {
	if to, err := filepath.EvalSymlinks(gitDir); err == nil {
		gitDir = to
	}
	return filepath.Join(gitDir, "asterweave", "hooks")
}

// Names returns the hooks that are handed on in any repository. Of those that Git knows
// one is left out: where push-to-checkout is there, Git no longer updates the work tree
// by itself, so that a hook of that name which finds no other to run would change what
// a push does.
func Names() []string {
	return []string{
		"applypatch-msg", "pre-applypatch", "post-applypatch",
		"pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit",
		"pre-rebase", "post-checkout", "post-merge", PrePush, "post-rewrite", "pre-auto-gc",
		"sendemail-validate", "fsmonitor-watchman",
		"p4-changelist", "p4-prepare-changelist", "p4-post-changelist", "p4-pre-submit",
		"pre-receive", "update", "proc-receive", "post-receive", "post-update",
	}
}

// Frequent returns the hooks that Git runs for every ref and every write of an index:
// three processes for each ref that is fetched. They are there only where the
// repository has one of that name.
func Frequent() []string { return []string{"post-index-change", "reference-transaction"} }

// Hooks is a folder of hooks for one worktree.
type Hooks struct {
	GitDir  string // of the worktree
	Root    string // of the worktree
	Own     string // where the repository's own hooks lie
	Program string // full path of asterweave-state
}

// wanted reports which hooks are to be there, and which are not.
func (h Hooks) wanted() (in, out []string) {
	in = append([]string{PrePush}, Names()...)
	for _, name := range Frequent() {
		if runnable(filepath.Join(h.Own, name)) {
			in = append(in, name)
		} else {
			out = append(out, name)
		}
	}
	return in, out
}

// Lay writes the folder where it is missing or not whole. A shell may be using it at
// the same time: files are replaced one by one, each at once, pre-push first.
func (h Hooks) Lay(disk durable.Disk) error {
	if h.Inspect() == nil {
		return nil
	}
	folder := Folder(h.GitDir)
	if err := disk.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("the folder of hooks: %w", err)
	}
	in, out := h.wanted()
	for _, name := range in {
		path, text := filepath.Join(folder, name), h.script(folder, name)
		if holds(path, text) == nil {
			continue
		}
		if err := disk.WriteAtomic(path, text, 0o755); err != nil {
			return fmt.Errorf("the hook %s: %w", name, err)
		}
		if err := os.Chmod(path, 0o755); err != nil { // whatever the umask took away
			return fmt.Errorf("the hook %s: %w", name, err)
		}
	}
	for _, name := range out {
		if err := os.Remove(filepath.Join(folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the hook %s: %w", name, err)
		}
	}
	return nil
}

// Inspect returns what is wrong with the folder, nil when it is whole and would judge a
// push: all hooks are there with the text of this build, can be run, and the program
// that judges is there. It is fs.ErrNotExist where there is no folder.
func (h Hooks) Inspect() error {
	folder := Folder(h.GitDir)
	if _, err := os.Lstat(folder); err != nil {
		return fmt.Errorf("the folder of hooks is not there: %w", err)
	}
	in, out := h.wanted()
	for _, name := range out {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			return fmt.Errorf("the hook %s: is not to be there, the repository has none", name)
		}
	}
	for _, name := range in {
		if err := holds(filepath.Join(folder, name), h.script(folder, name)); err != nil {
			return fmt.Errorf("the hook %s: %w", name, err)
		}
	}
	if !runnable(h.Program) {
		return fmt.Errorf("the program that judges is not there: %s", h.Program)
	}
	return nil
}

// holds returns why the file at path is not text, as a program.
func holds(path string, text []byte) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("is missing")
	}
	if err != nil {
		return err
	}
	have, err := os.ReadFile(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || !bytes.Equal(have, text):
		return errors.New("is not the one of this build for this place")
	case !runnable(path):
		return errors.New("cannot be run")
	}
	return nil
}

// runnable reports whether there is a program at path.
func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o100 != 0)
}

// quote returns a word of sh.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
