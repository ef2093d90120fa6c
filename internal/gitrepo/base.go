package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Remote returns the name of the remote that the current branch follows, else
// "origin" if there is one of that name, else the only one, else "". The branch's
// configuration decides among several, so that a later call may select another.
func (r *Repo) Remote(ctx context.Context) (string, error) {
	list, err := r.config(ctx)
	if err != nil {
		return "", err
	}
	names := remoteNames(list)
	switch len(names) {
	case 0:
		return "", nil
	case 1:
		return names[0], nil
	}
	ref, err := r.git(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	var e *Error
	if err != nil && (!errors.As(err, &e) || e.Exit != 1) { // 1: detached
		return "", err
	}
	if name, ok := list.get("branch." + strings.TrimSuffix(ref, "\n") + ".remote"); ok && slices.Contains(names, name) {
		return name, nil
	}
	if slices.Contains(names, "origin") {
		return "origin", nil
	}
	return "", nil
}

// remoteNames returns the names of the remotes that have a URL, sorted.
func remoteNames(list settingsList) []string {
	var names []string
	for _, s := range list {
		rest, ok := strings.CutPrefix(s.key, "remote.")
		if !ok {
			continue
		}
		if name, ok := strings.CutSuffix(rest, ".url"); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ref is where a ref points.
type ref struct {
	id     string // of the object
	target string // ref that it stands for, "" where it is not symbolic
}

// refs returns those of the full ref names that exist.
func (r *Repo) refs(ctx context.Context, names ...string) (map[string]ref, error) {
	out, err := r.git(ctx, append([]string{"for-each-ref", "--format=%(refname) %(objectname) %(symref)"}, names...)...)
	if err != nil {
		return nil, err
	}
	found := map[string]ref{}
	for line := range strings.Lines(out) {
		f := append(strings.Fields(line), "")
		if len(f) >= 3 && slices.Contains(names, f[0]) { // git also lists what lies below a name
			found[f[0]] = ref{id: f[1], target: f[2]}
		}
	}
	return found, nil
}

// RemoteHead returns the name of the branch that the remote's HEAD is known to point
// to, as the last clone, fetch or git remote set-head left it here; "" if it is unknown
// or the branch was never fetched.
func (r *Repo) RemoteHead(ctx context.Context, remote string) (string, error) {
	if err := checkRemote(remote); err != nil {
		return "", err
	}
	tracking := "refs/remotes/" + remote + "/"
	found, err := r.refs(ctx, tracking+"HEAD")
	if err != nil {
		return "", err
	}
	branch, ok := strings.CutPrefix(found[tracking+"HEAD"].target, tracking)
	if !ok || branchFault(branch) != "" {
		return "", nil
	}
	return branch, nil
}

// DefaultBase returns the name of the branch that work is merged into: the HEAD
// branch of the remote, as [Repo.Remote] selects it, where the clone knows it. Else
// the first of the current branch, main, master that the remote has; without a remote
// (""), or when it has none of them, the current branch, or main or master when HEAD
// is detached. The error is an [ErrNoBase] when there is nothing of all that.
func (r *Repo) DefaultBase(ctx context.Context, remote string) (string, error) {
	if remote != "" {
		head, err := r.RemoteHead(ctx, remote)
		if err != nil || head != "" {
			return head, err
		}
	}
	current, err := r.git(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	var e *Error
	if err != nil && (!errors.As(err, &e) || e.Exit != 1) { // 1: detached
		return "", err
	}
	current = strings.TrimSuffix(current, "\n")
	candidates := []string{"main", "master"}
	if current != "" {
		candidates = []string{current, "main", "master"}
	}
	if remote != "" {
		tracking := "refs/remotes/" + remote + "/"
		var names []string
		for _, c := range candidates {
			names = append(names, tracking+c)
		}
		found, err := r.refs(ctx, names...)
		if err != nil {
			return "", err
		}
		for _, c := range candidates {
			if _, ok := found[tracking+c]; ok {
				return c, nil
			}
		}
	}
	if current != "" {
		return current, nil
	}
	found, err := r.refs(ctx, "refs/heads/main", "refs/heads/master")
	if err != nil {
		return "", err
	}
	for _, c := range candidates {
		if _, ok := found["refs/heads/"+c]; ok {
			return c, nil
		}
	}
	return "", fmt.Errorf("%w: HEAD is detached and there is no branch main or master", ErrNoBase)
}

// BaseRef returns the full name of the ref that stands for the branch base: the
// remote-tracking ref of the remote; the local branch where there is no remote ("") or
// where it was never fetched. The error is an [ErrNoBase] when neither exists, and a
// [BranchNameError] when base is no branch name. The remote is the caller's to keep:
// the current branch's configuration can select another one at any time.
func (r *Repo) BaseRef(ctx context.Context, remote, base string) (string, error) {
	name, _, err := r.baseRef(ctx, remote, base)
	return name, err
}

// baseRef is [Repo.BaseRef] with where the ref points.
func (r *Repo) baseRef(ctx context.Context, remote, base string) (name string, at ref, err error) {
	if err := CheckBranch(base); err != nil {
		return "", ref{}, err
	}
	names := []string{"refs/heads/" + base}
	if remote != "" {
		if err := checkRemote(remote); err != nil {
			return "", ref{}, err
		}
		names = []string{"refs/remotes/" + remote + "/" + base, names[0]}
	}
	found, err := r.refs(ctx, names...)
	if err != nil {
		return "", ref{}, err
	}
	for _, name := range names {
		if at, ok := found[name]; ok {
			return name, at, nil
		}
	}
	return "", ref{}, fmt.Errorf("%w: there is no %s", ErrNoBase, strings.Join(names, " and no "))
}

// MergeBase returns the newest commit that a head, as [Repo.Head] gave it, and the branch
// base have in common, as [Repo.BaseRef] finds it; "" when the head is unborn. The error is
// an [ErrNoBase] when the base does not exist or is unrelated.
func (r *Repo) MergeBase(ctx context.Context, head Head, remote, base string) (commit string, err error) {
	if head.Unborn {
		return "", nil
	}
	name, at, err := r.baseRef(ctx, remote, base)
	if err != nil {
		return "", err
	}
	if at.id == head.Commit { // which most of a delivery goes by with
		return at.id, nil
	}
	out, err := r.git(ctx, "merge-base", head.Commit, at.id)
	var e *Error
	if errors.As(err, &e) && e.Exit == 1 {
		return "", fmt.Errorf("%w: HEAD and %s are unrelated", ErrNoBase, name)
	}
	return strings.TrimSuffix(out, "\n"), err
}
