package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoBase says that HEAD and the base have no commit in common, or that the
// base does not exist.
var ErrNoBase = errors.New("no common commit with the base")

// Head is where HEAD points.
type Head struct {
	Commit   string // id, empty when Unborn
	Tree     string // tree id of Commit, empty when Unborn
	Branch   string // short name, empty when Detached
	Detached bool
	Unborn   bool // the branch has no commit yet
}

// Head returns where HEAD points. It takes one process, two when HEAD is unborn.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	out, err := r.git(ctx, "rev-parse", "HEAD^{commit}", "HEAD^{tree}", "--symbolic-full-name", "HEAD")
	if err == nil {
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if len(lines) != 3 {
			return Head{}, fmt.Errorf("git rev-parse: %d lines instead of 3", len(lines))
		}
		h := Head{Commit: lines[0], Tree: lines[1]}
		h.setRef(lines[2])
		return h, nil
	}
	ref, serr := r.git(ctx, "symbolic-ref", "--quiet", "HEAD")
	if serr != nil {
		return Head{}, err
	}
	h := Head{Unborn: true}
	h.setRef(strings.TrimSuffix(ref, "\n"))
	// A branch that exists and cannot be read is damage, not a new branch.
	if _, verr := r.git(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+h.Branch); verr == nil {
		return Head{}, err
	}
	return h, nil
}

func (h *Head) setRef(ref string) {
	if ref == "HEAD" {
		h.Detached = true
		return
	}
	h.Branch = strings.TrimPrefix(ref, "refs/heads/")
}

// TreeOf returns the tree id of a commit (or of a tree, or of what points to one).
func (r *Repo) TreeOf(ctx context.Context, commit string) (string, error) {
	return r.resolve(ctx, commit, "^{tree}")
}

// CommitOf returns the full id of the commit that a revision names.
func (r *Repo) CommitOf(ctx context.Context, rev string) (string, error) {
	return r.resolve(ctx, rev, "^{commit}")
}

func (r *Repo) resolve(ctx context.Context, rev, kind string) (string, error) {
	if err := checkRevision(rev); err != nil {
		return "", err
	}
	out, err := r.run(ctx, call{args: []string{"rev-parse", "--verify", rev + kind}, env: r.storesEnv()})
	return strings.TrimSuffix(out.stdout, "\n"), err
}

// Exists reports whether an object of that name is there.
func (r *Repo) Exists(ctx context.Context, rev string) (bool, error) {
	if err := checkRevision(rev); err != nil {
		return false, err
	}
	_, err := r.run(ctx, call{args: []string{"cat-file", "-e", rev}, env: r.storesEnv()})
	var e *Error
	if errors.As(err, &e) && e.Exit > 0 {
		return false, nil
	}
	return err == nil, err
}

// IsAncestor reports whether commit a is b or an ancestor of it.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	if err := checkRevision(a, b); err != nil {
		return false, err
	}
	_, err := r.git(ctx, "merge-base", "--is-ancestor", a, b)
	var e *Error
	if errors.As(err, &e) && e.Exit == 1 {
		return false, nil
	}
	return err == nil, err
}

// Commit is one commit.
type Commit struct {
	ID      string
	Tree    string
	Subject string // first paragraph, on one line
	Message string // subject and body, as written
}

// Commits returns the commits that are reachable from to and not from from, the
// oldest first. With an empty from, all that are reachable from to.
func (r *Repo) Commits(ctx context.Context, from, to string) ([]Commit, error) {
	if err := checkRevision(to); err != nil {
		return nil, err
	}
	args := []string{"log", "-z", "--reverse", "--topo-order", "--encoding=UTF-8", "--no-show-signature", "--no-color", "--format=tformat:%H%x00%T%x00%s%x00%B", to}
	if from != "" {
		if err := checkRevision(from); err != nil {
			return nil, err
		}
		args = append(args, "^"+from)
	}
	out, err := r.git(ctx, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	f := fields(out)
	if len(f)%4 != 0 {
		return nil, fmt.Errorf("git log: %d fields, which is no multiple of 4", len(f))
	}
	var commits []Commit
	for c := range slices.Chunk(f, 4) {
		commits = append(commits, Commit{ID: c[0], Tree: c[1], Subject: c[2], Message: c[3]})
	}
	return commits, nil
}
