//go:build unix

package guard

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asHook makes the test binary Git's pre-push hook.
const asHook = "GUARD_TEST_PRE_PUSH"

func TestMain(m *testing.M) {
	if os.Getenv(asHook) != "" {
		os.Exit(prePush(os.Args[len(os.Args)-2:]))
	}
	os.Exit(m.Run())
}

// prePush judges the lines that Git sends, with the facts that Git itself tells.
func prePush(args []string) int {
	top, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return 1
	}
	root := strings.TrimSpace(string(top))
	s := situationAt(root, nil)
	s.PushTo = args[0]
	head, err := exec.Command("git", "-C", root, "rev-parse", "refs/heads/asterweave/x").Output()
	if err != nil {
		return 1
	}
	s.Confirmed.Head = strings.TrimSpace(string(head))
	var refs []RefUpdate
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) != 4 {
			return 1
		}
		r := RefUpdate{LocalRef: f[0], LocalOID: f[1], RemoteRef: f[2], RemoteOID: f[3]}
		if !none(r.RemoteOID) && !none(r.LocalOID) {
			r.Known = exec.Command("git", "cat-file", "-e", r.RemoteOID).Run() == nil
			r.FastForward = r.Known && exec.Command("git", "merge-base", "--is-ancestor", r.RemoteOID, r.LocalOID).Run() == nil
		}
		refs = append(refs, r)
	}
	if v := s.Push(refs); v.Decision >= Ask {
		fmt.Fprintln(os.Stderr, v.Reason)
		return 1
	}
	return 0
}

// world is the battery's setting on a disk.
type world struct {
	t    *testing.T
	dir  string
	root string
	env  []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, root: filepath.Join(dir, "work")}
	w.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C",
		"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com",
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.run(dir, fmt.Sprintf(`set -e
mkdir home
git init -q --bare -b main remote.git
git init -q -b main work
cd work
git remote add origin ../remote.git
echo one > f; git add f; git commit -qm one
git push -q origin main main:feat
git branch feat; git checkout -qb asterweave/x
echo two > f; git commit -qam two
git push -q origin asterweave/x
echo three > f; git commit -qam three
git checkout -q main; git commit -q --amend -m diverged; git checkout -q asterweave/x
git tag v0; echo four > g; git add g; git stash -q
echo changed > f; echo new > new.txt
mkdir -p .claude/asterweave; echo '{}' > .claude/asterweave/state.json; echo '{}' > .claude/asterweave/ledger.jsonl
echo body > ../body.md
printf '#!/bin/sh\nexport %s=1\nexec %%s "$@"\n' '%s' > .git/hooks/pre-push
chmod +x .git/hooks/pre-push`, asHook, exe))
	if err != nil {
		t.Fatalf("the world was not made: %s: %s", err, out)
	}
	return w
}

// copy returns the same world in another folder.
func (w *world) copy() *world {
	w.t.Helper()
	dir, err := filepath.EvalSymlinks(w.t.TempDir())
	if err != nil {
		w.t.Fatal(err)
	}
	if out, err := w.run(w.dir, "cp -a . "+quote(dir)); err != nil {
		w.t.Fatalf("%s: %s", err, out)
	}
	c := *w
	c.dir, c.root = dir, filepath.Join(dir, "work")
	c.env = append(append([]string(nil), w.env...), "HOME="+filepath.Join(dir, "home"))
	return &c
}

// run gives a text to bash; its status is part of the answer.
func (w *world) run(dir, text string) (string, error) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-c", text)
	c.Dir, c.Env, c.WaitDelay = dir, w.env, time.Second
	out, err := c.CombinedOutput()
	return string(out), err
}

// print returns all that a row can have an effect on.
func (w *world) print() string {
	w.t.Helper()
	refs, err := w.run(w.dir, "git -C remote.git for-each-ref; cd work; git for-each-ref; git symbolic-ref HEAD; git stash list; git config --list --local")
	if err != nil {
		w.t.Fatalf("%s: %s", err, refs)
	}
	var b strings.Builder
	b.WriteString(refs)
	for _, folder := range []string{w.root, filepath.Join(w.root, ".git", "hooks")} {
		err := filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == ".git" {
				return filepath.SkipDir
			}
			if d.Type().IsRegular() {
				text, err := os.ReadFile(p)
				fmt.Fprintf(&b, "%s %v %q\n", p, err, text)
			}
			return nil
		})
		if err != nil {
			fmt.Fprintln(&b, err)
		}
	}
	return b.String()
}

// byDecision reports whether a row must not be run: it speaks to others, or starts programs.
func byDecision(r row) bool {
	if r.Kind == "provider" || r.Kind == "agents" {
		return true
	}
	for _, word := range []string{"gh ", "glab ", "az ", "curl", "wget", "http", "claude", "ssh", "asterweave", "hub ", "sudo", "/home", "~", "crontab", "docker"} {
		if strings.Contains(r.Command, word) {
			return true
		}
	}
	return false
}

// TestBattery judges the battery by effect: a row to be stopped may come through the
// guard of the shell, and then Git's hook has to stop it.
func TestBattery(t *testing.T) {
	for _, file := range []string{"battery.jsonl", "more.jsonl", "missed.jsonl", "needless.jsonl"} {
		list := rows(t, file)
		w := newWorld(t)
		s := situationAt(w.root, func(p string) bool {
			_, err := os.Lstat(p)
			return err == nil
		})
		missed, needless, byHook := 0, 0, 0
		for _, r := range list {
			v := s.Shell(r.Command)
			switch stopped := v.Decision >= Ask; {
			case r.Expect == "allow" && stopped:
				needless++
				t.Errorf("%s: blocked without need: %q: %s: %s", r.ID, r.Command, v.Rule, v.Reason)
			case r.Expect == "allow" || stopped:
			case !byDecision(r) && w.held(r):
				byHook++
			default:
				missed++
				t.Errorf("%s: missed: %q", r.ID, r.Command)
			}
		}
		t.Logf("%s: %d rows: missed %d, blocked without need %d (%d were stopped by the hook of Git alone)", file, len(list), missed, needless, byHook)
	}
}

// held runs a row in a world of its own and reports whether it had no effect.
func (w *world) held(r row) bool {
	fresh := w.copy()
	before := fresh.print()
	_, _ = fresh.run(fresh.root, r.Command)
	return fresh.print() == before
}

// TestPrePush tries Git's own hook without the guard of the shell before it.
func TestPrePush(t *testing.T) {
	remote := func(w *world) string {
		out, err := w.run(w.dir, "git -C remote.git for-each-ref")
		if err != nil {
			t.Fatal(out)
		}
		return out
	}
	first := newWorld(t)
	for _, command := range []string{
		"git push --force origin main", "git push -qf origin main", "git push origin +HEAD:main", "git push origin HEAD:main", "git push origin :feat", "git push --mirror origin",
		"git push origin --delete feat", "git push origin HEAD:feat", "git push --tags origin", "git push origin v0", "git push ../remote.git asterweave/x:other",
		"git reset -q --soft HEAD~2 && git commit -qm other && git push -f origin asterweave/x",
	} {
		w := first.copy()
		before := remote(w)
		if out, err := w.run(w.root, command); err == nil || remote(w) != before {
			t.Errorf("%q went through: %s", command, out)
		}
	}
	w := first.copy()
	before := remote(w)
	if out, err := w.run(w.root, "git push origin asterweave/x"); err != nil || remote(w) == before {
		t.Errorf("the confirmed push was stopped: %v: %s", err, out)
	}
}
