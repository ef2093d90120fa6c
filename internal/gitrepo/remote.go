package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// RemoteTimeout bounds LsRemote when the context has no deadline.
const RemoteTimeout = 60 * time.Second

// BranchMovedError says that the head of a remote's branch is not the commit
// that was expected.
type BranchMovedError struct {
	Branch string
	Want   string // commit id
	Got    string // commit id, empty when there is no such branch
}

func (e *BranchMovedError) Error() string {
	if e.Got == "" {
		return fmt.Sprintf("the remote has no branch %s", e.Branch)
	}
	return fmt.Sprintf("the head of %s at the remote is %s, not %s", e.Branch, e.Got, e.Want)
}

// RemoteURL returns the URL that git fetches the remote from, url.*.insteadOf
// applied.
func (r *Repo) RemoteURL(ctx context.Context, remote string) (string, error) {
	if err := checkRemote(remote); err != nil {
		return "", err
	}
	out, err := r.git(ctx, "remote", "get-url", remote)
	return strings.TrimSuffix(out, "\n"), err
}

// URLs returns the URL that git fetches the remote from and those that it pushes to, all
// of them, with url.*.insteadOf and pushInsteadOf applied: a push goes to each, and none of
// them need be the one that is fetched from. One process says both.
func (r *Repo) URLs(ctx context.Context, remote string) (fetch string, push []string, err error) {
	if err := checkRemote(remote); err != nil {
		return "", nil, err
	}
	out, err := r.git(ctx, "remote", "--verbose")
	if err != nil {
		return "", nil, err
	}
	// A line is NAME TAB URL (fetch|push), and the filter of a partial clone in brackets.
	fetches := 0
	for line := range strings.Lines(out) {
		rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), remote+"\t")
		if !ok {
			continue
		}
		if i := strings.LastIndex(rest, " ["); i >= 0 && strings.HasSuffix(rest, "]") {
			rest = rest[:i]
		}
		if url, ok := strings.CutSuffix(rest, " (push)"); ok {
			push = append(push, url)
		} else if fetch, ok = strings.CutSuffix(rest, " (fetch)"); ok {
			fetches++
		} else {
			return "", nil, fmt.Errorf("the URL of %s has more than one line", remote)
		}
	}
	if fetches != 1 || len(push) == 0 {
		return "", nil, fmt.Errorf("git lists %d remotes with the name %s", fetches, remote)
	}
	return fetch, push, nil
}

// uploadPack is the program that answers at the remote's side. Given as an option, it
// leaves remote.*.uploadpack no say: that is a shell command, run here for a local path.
const uploadPack = "--upload-pack=git-upload-pack"

// LsRemote returns the commit id of a branch's head as the remote, a name or a
// URL, says now; "" where it has no such branch. It asks nobody for credentials
// and ends after [RemoteTimeout] unless the context has a deadline.
func (r *Repo) LsRemote(ctx context.Context, remote, branch string) (commit string, err error) {
	if err := errors.Join(checkRemote(remote), CheckBranch(branch)); err != nil {
		return "", err
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, RemoteTimeout, fmt.Errorf("the remote did not answer in %s", RemoteTimeout))
		defer cancel()
	}
	ref := "refs/heads/" + branch
	out, err := r.git(ctx, "ls-remote", "--quiet", uploadPack, "--", remote, ref)
	if err != nil {
		return "", err
	}
	for line := range strings.SplitSeq(out, "\n") {
		// The pattern also matches refs whose name ends like ref.
		if id, name, ok := strings.Cut(line, "\t"); ok && name == ref {
			return id, nil
		}
	}
	return "", nil
}

// CloneAt clones one branch of the remote, a name or a URL, into dir, which must
// not exist or be empty, and checks that its head is commit, a full id; otherwise
// the error is a [BranchMovedError] and dir is removed. Nothing is taken from the
// local repository but how the remote is reached.
func (r *Repo) CloneAt(ctx context.Context, remote, branch, commit, dir string) error {
	if err := errors.Join(checkRemote(remote), CheckBranch(branch), checkRevision(commit)); err != nil {
		return err
	}
	list, err := r.config(ctx)
	if err != nil {
		return err
	}
	// Under another name than here, the clone would listen to the user's settings of a
	// remote that nobody asked for.
	url, name := remote, "origin"
	for _, known := range remoteNames(list) {
		if known == remote {
			name = known
			if url, err = r.RemoteURL(ctx, remote); err != nil {
				return err
			}
		}
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := emptyDir(dir); err != nil {
		return err
	}
	_, err = r.run(ctx, call{
		args:    []string{"clone", "--quiet", "--no-hardlinks", "--single-branch", "--no-tags", "--template=", uploadPack, "--origin=" + name, "--branch=" + branch, "--", url, dir},
		env:     accessEnv(list),
		foreign: true,
	})
	if err != nil {
		rerr := removeAll(dir)
		var e *Error
		if errors.As(err, &e) && strings.Contains(e.Stderr, "Remote branch "+branch+" not found") {
			err = &BranchMovedError{Branch: branch, Want: commit}
		}
		return errors.Join(err, rerr)
	}
	out, err := r.run(ctx, call{args: []string{"rev-parse", "--verify", "HEAD^{commit}"}, dir: dir, foreign: true})
	if err != nil {
		return errors.Join(err, removeAll(dir))
	}
	if got := strings.TrimSpace(out.stdout); got != commit {
		return errors.Join(&BranchMovedError{Branch: branch, Want: commit, Got: got}, removeAll(dir))
	}
	return nil
}

// checkRemote refuses what git would take for an option.
func checkRemote(remote string) error {
	if remote == "" || strings.HasPrefix(remote, "-") || strings.ContainsAny(remote, "\x00\n") {
		return fmt.Errorf("not a remote: %q", remote)
	}
	return nil
}

// accessEnv hands the repository's own settings about reaching a remote to a
// process that works outside of it. They may hold credentials, hence not by
// argument.
func accessEnv(list settingsList) []string {
	var env []string
	n := 0
	for _, s := range list {
		if !s.local() || s.bare {
			continue
		}
		access := s.key == "core.sshcommand" || s.key == "core.askpass"
		for _, prefix := range []string{"http.", "credential.", "ssh.", "protocol."} {
			access = access || strings.HasPrefix(s.key, prefix)
		}
		if access {
			i := strconv.Itoa(n)
			env = append(env, "GIT_CONFIG_KEY_"+i+"="+s.key, "GIT_CONFIG_VALUE_"+i+"="+s.value)
			n++
		}
	}
	return append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(n))
}

// emptyDir makes sure that dir does not exist or is an empty folder.
func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty", dir)
	}
	return nil
}
