//go:build unix

package githooks_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/githooks"
)

func TestInspect(t *testing.T) {
	gitDir := filepath.Join(awkward(t), ".git")
	h := githooks.Hooks{GitDir: gitDir, Own: filepath.Join(gitDir, "hooks"), Program: "/bin/true"}
	if err := h.Inspect(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
	laid(t, gitDir)
	h = laid(t, gitDir)
	if err := h.Inspect(); err != nil {
		t.Fatal(err)
	}
	hook := filepath.Join(githooks.Folder(gitDir), "commit-msg")
	other := h
	other.Program = "/bin/false"
	gone := h
	gone.Program = "/nonexistent"
	for name, c := range map[string]struct {
		h      githooks.Hooks
		damage func() error
		says   string
	}{
		"removed":         {h, func() error { return os.Remove(hook) }, "is missing"},
		"written to":      {h, func() error { return os.WriteFile(hook, []byte("#!/bin/sh\n"), 0o755) }, "is not the one"},
		"cannot be run":   {h, func() error { return os.Chmod(hook, 0o644) }, "cannot be run"},
		"a link":          {h, func() error { return errors.Join(os.Remove(hook), os.Symlink("/bin/true", hook)) }, "is not the one"},
		"another program": {other, func() error { return nil }, "is not the one"},
		"one too many": {h, func() error {
			return os.WriteFile(filepath.Join(githooks.Folder(gitDir), "reference-transaction"), []byte("#!/bin/sh\n"), 0o755)
		}, "is not to be there"},
	} {
		if err := c.damage(); err != nil {
			t.Fatal(err)
		}
		if err := c.h.Inspect(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if err := h.Lay(durable.Disk{}); err != nil {
			t.Fatal(err)
		}
		if err := h.Inspect(); err != nil {
			t.Errorf("%s, repaired: %v", name, err)
		}
	}
	if err := gone.Lay(durable.Disk{}); err != nil {
		t.Fatal(err)
	}
	if err := gone.Inspect(); err == nil || !strings.Contains(err.Error(), "program that judges") {
		t.Errorf("without a program: %v", err)
	}
}

// TestTheTextsAreShell has shells read every text.
func TestTheTextsAreShell(t *testing.T) {
	gitDir := filepath.Join(awkward(t), ".git")
	laid(t, gitDir)
	if err := githooks.Install(durable.Disk{}, filepath.Join(gitDir, "hooks"), "/it's/a program"); err != nil {
		t.Fatal(err)
	}
	files := []string{filepath.Join(gitDir, "hooks", "pre-push")}
	for _, name := range githooks.Names() {
		files = append(files, filepath.Join(githooks.Folder(gitDir), name))
	}
	for _, shell := range shells(t) {
		for _, f := range files {
			args := append(slices.Clone(shell[1:]), "-n", f)
			if out, err := exec.Command(shell[0], args...).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%q %s: %v %s", shell, f, err, out)
			}
		}
	}
}

// TestFrequentHooks: what Git runs for every ref is there only where the repository
// has one of its own.
func TestFrequentHooks(t *testing.T) {
	gitDir := filepath.Join(awkward(t), ".git")
	h := laid(t, gitDir)
	ours := filepath.Join(githooks.Folder(gitDir), "reference-transaction")
	own := filepath.Join(h.Own, "reference-transaction")
	if err := os.MkdirAll(h.Own, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(own, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, there := range []bool{true, false} {
		if err := h.Lay(durable.Disk{}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(ours); (err == nil) != there {
			t.Errorf("with one of its own %v: %v", there, err)
		}
		_ = os.Remove(own)
	}
}

// TestHandOnInAnAwkwardPlace runs real Git with our folder, from within a linked worktree.
func TestHandOnInAnAwkwardPlace(t *testing.T) {
	dir := awkward(t)
	sh := func(text string) string {
		t.Helper()
		c := exec.Command("sh", "-ec", text)
		c.Dir = dir
		c.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "LOG=" + dir + "/log",
			"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com",
		}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", text, err, out)
		}
		return string(out)
	}
	sh(`git init -q -b main work && cd work && git commit -q --allow-empty -m one && git worktree add -q ../tree && git init -q --bare ../remote.git
for hook in pre-commit pre-push; do printf '#!/bin/sh\necho "$0 $*" >> "$LOG"; cat >> "$LOG"\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook; done
printf '#!/bin/sh\ncat > "$LOG.judged"; echo "$*" >> "$LOG.judged"; exit ${JUDGE:-0}\n' > ../judge; chmod +x ../judge`)
	gitDir := filepath.Join(dir, "work", ".git", "worktrees", "tree")
	h := githooks.Hooks{GitDir: gitDir, Root: filepath.Join(dir, "tree"), Own: filepath.Join(dir, "work", ".git", "hooks"), Program: filepath.Join(dir, "judge")}
	if err := h.Lay(durable.Disk{}); err != nil {
		t.Fatal(err)
	}
	exports := githooks.Exports(githooks.Folder(gitDir))
	sh(exports + "cd tree && git commit -q --allow-empty -m two && git push -q ../remote.git HEAD:a")
	log, judged := sh(`cat "$LOG"`), sh(`cat "$LOG.judged"`)
	if !strings.Contains(log, "hooks/pre-commit") || !strings.Contains(log, "hooks/pre-push ../remote.git ../remote.git\nHEAD ") {
		t.Errorf("the repository's own hooks: %q", log)
	}
	if want := "guard pre-push --worktree " + filepath.Join(dir, "tree") + " -- ../remote.git ../remote.git\n"; !strings.HasPrefix(judged, "HEAD ") || !strings.HasSuffix(judged, want) {
		t.Errorf("the judge: %q", judged)
	}
	if got := sh(exports + `cd tree; JUDGE=3 git push -q ../remote.git HEAD:b 2>&1 || echo refused; git -C ../remote.git for-each-ref`); !strings.Contains(got, "refused") || strings.Contains(got, "refs/heads/b") {
		t.Errorf("%q", got)
	}
	// A judge that breaks is none; no delivery is open here.
	sh(exports + `cd tree; JUDGE=2 git push -q ../remote.git HEAD:c`)
}
