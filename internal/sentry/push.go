package sentry

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/guard"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// Pushed is what Git's pre-push hook gets, and where.
type Pushed struct {
	Cwd      string    // where Git runs the hook
	GitDir   string    // the variable GIT_DIR, relative to Cwd; "" where it is not set
	Worktree string    // that the hooks belong to, "" for those that are installed in a repository
	Remote   string    // name, or the URL where it has none
	URL      string    // that Git pushes to
	Refs     io.Reader // the lines of Git
}

// Judge judges pushes.
type Judge struct {
	Open func(root string) (*engine.Engine, error) // the engine of a worktree
	Now  time.Time
	Home string
}

// Push judges what Git is about to send. A push from a worktree with an open delivery is
// judged by that delivery. One from anywhere else is refused only when it comes out of a
// session of an open delivery and goes to that delivery's repository. With nothing open,
// everything passes.
func (j Judge) Push(ctx context.Context, p Pushed) (guard.Verdict, error) {
	refs, err := readRefs(p.Refs)
	if err != nil {
		return guard.Verdict{}, err
	}
	if root := p.root(); root != "" {
		if e, st, err := j.delivery(root); err != nil || st != nil {
			if err != nil {
				return guard.Verdict{}, err
			}
			return j.own(ctx, e, st, p, refs)
		}
	}
	if p.Worktree == "" {
		return guard.Verdict{}, nil
	}
	e, st, err := j.delivery(p.Worktree)
	if err != nil || st == nil || !goesHome(e, st, p) {
		return guard.Verdict{}, err
	}
	s, err := Situation(e, st, Call{Home: j.Home, Now: j.Now})
	if err != nil {
		return guard.Verdict{}, err
	}
	s.Allowed = letThrough(st, j.Now, refs)
	return s.PushElsewhere(refs), nil
}

// delivery returns the open delivery of a worktree; no state where there is none.
func (j Judge) delivery(root string) (*engine.Engine, *state.State, error) {
	e, err := j.Open(root)
	if problem.CodeOf(err) == problem.NoRepository && err != nil {
		return nil, nil, nil //nolint:nilerr // the worktree is gone, and so is its delivery
	}
	if err != nil || !e.Exists() {
		return nil, nil, err
	}
	st, err := e.Peek()
	switch {
	case err != nil && problem.CodeOf(err) == problem.NoDelivery:
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	case !st.Delivery.Open():
		return nil, nil, nil
	}
	return e, st, nil
}

// own judges a push from the worktree of an open delivery.
func (j Judge) own(ctx context.Context, e *engine.Engine, st *state.State, p Pushed, refs []guard.RefUpdate) (guard.Verdict, error) {
	s, err := Situation(e, st, Call{Home: j.Home, Now: j.Now})
	if err != nil {
		return guard.Verdict{}, err
	}
	s.Allowed = letThrough(st, j.Now, refs)
	s.PushTo, s.PushURL = p.Remote, address(p.URL, p.Cwd)
	repo, err := gitrepo.Open(e.Root())
	if err != nil {
		return guard.Verdict{}, err
	}
	if git, ok := st.Programs[state.Git]; ok {
		_ = repo.UseProgram(git.Path) // one that is gone is looked for on PATH, as everywhere
	}
	for i, r := range refs {
		// Only what may pass is worth asking Git about; there can be many.
		if len(s.Allowed) > 0 || r.RemoteRef == "refs/heads/"+st.Branch || strings.HasPrefix(r.RemoteRef, "refs/notes/") {
			ask(ctx, repo, &refs[i])
		}
	}
	return s.Push(refs), nil
}

// letThrough is what a person lets through of a push. Git's hook sees no command; what
// was let through for one holds for the delivery's branch, and for refs that the command
// names.
func letThrough(st *state.State, now time.Time, refs []guard.RefUpdate) []guard.Allowance {
	var out []guard.Allowance
	for _, b := range st.Bypasses {
		if b.InForce(now) && (b.Command == "" || !slices.ContainsFunc(refs, func(r guard.RefUpdate) bool {
			return r.RemoteRef != "refs/heads/"+st.Branch && !names(b.Command, r.RemoteRef)
		})) {
			out = append(out, guard.Allowance{Rule: b.Rule})
		}
	}
	return out
}

// names reports whether one of a command's words is the ref, or a refspec that ends in it.
func names(command, ref string) bool {
	short := strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/tags/")
	for _, word := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n'\"`;|&(){}", r) }) {
		word = strings.TrimPrefix(word[strings.LastIndexByte(word, ':')+1:], "+")
		if word == ref || word == short {
			return true
		}
	}
	return false
}

// ask asks Git about the commits of a ref. What cannot be told is not known, which is as
// good as a push that takes commits away.
func ask(ctx context.Context, repo *gitrepo.Repo, r *guard.RefUpdate) {
	known, err := repo.Exists(ctx, r.RemoteOID)
	if r.Known = err == nil && known; !r.Known {
		return
	}
	onto, err := repo.IsAncestor(ctx, r.RemoteOID, r.LocalOID)
	r.FastForward = err == nil && onto
}

// root returns the root of the worktree that the push comes from, "" where it has none.
// What counts is the Git folder: a variable can set another work tree.
func (p Pushed) root() string {
	gitDir := p.GitDir
	if gitDir != "" && !filepath.IsAbs(gitDir) {
		gitDir = filepath.Join(p.Cwd, gitDir)
	}
	around, err := gitrepo.FindRoot(p.Cwd)
	if err != nil {
		around = ""
	}
	if gitDir == "" {
		return around
	}
	for _, root := range []string{p.Worktree, around, filepath.Dir(gitDir), linkedRoot(gitDir)} {
		if root == "" {
			continue
		}
		if r, err := gitrepo.Open(root); err == nil && sameFile(r.GitDir(), gitDir) {
			return r.Root()
		}
	}
	return ""
}

// linkedRoot returns the root of a linked worktree by its Git folder.
func linkedRoot(gitDir string) string {
	b, err := os.ReadFile(filepath.Join(gitDir, "gitdir"))
	if err != nil {
		return ""
	}
	return filepath.Dir(strings.TrimSpace(string(b)))
}

// goesHome reports whether the push goes where the delivery goes, or into its repository.
func goesHome(e *engine.Engine, st *state.State, p Pushed) bool {
	to := address(p.URL, p.Cwd)
	home := []string{e.Root()}
	if st.Delivery.URL != "" {
		home = append(home, st.Delivery.URL)
	}
	for _, in := range st.Intents {
		home = append(home, in.Push...)
	}
	for _, url := range home {
		if strings.EqualFold(address(url, e.Root()), to) {
			return true
		}
	}
	return false
}

// readRefs reads the lines: local ref and object, remote ref and object.
func readRefs(in io.Reader) ([]guard.RefUpdate, error) {
	var out []guard.RefUpdate
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if lines.Text() == "" {
			continue
		}
		f := strings.Split(lines.Text(), " ")
		n := len(f)
		if n < 4 || !isObject(f[n-3]) || !isObject(f[n-1]) {
			return nil, errors.New("git said what it pushes in a way that cannot be read")
		}
		// What is pushed may have been written with blanks: main@{1 day ago}.
		out = append(out, guard.RefUpdate{LocalRef: strings.Join(f[:n-3], " "), LocalOID: f[n-3], RemoteRef: f[n-2], RemoteOID: f[n-1]})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read what git pushes: %w", err)
	}
	return out, nil
}

func isObject(id string) bool {
	return (len(id) == 40 || len(id) == 64) && strings.Trim(id, "0123456789abcdef") == ""
}
