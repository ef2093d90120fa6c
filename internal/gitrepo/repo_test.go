package gitrepo_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

func TestFindRoot(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	git(t, dir, "worktree", "add", "-q", linked, "-b", "topic")
	if linked, err = filepath.EvalSymlinks(linked); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "src/empty/.git/x", "no repository", "src/file/.git", "neither")
	if err := os.Symlink(filepath.Join(dir, "src"), filepath.Join(linked, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	for start, want := range map[string]string{
		dir: dir, filepath.Join(dir, "src", "deep"): dir, filepath.Join(dir, ".git", "refs"): dir,
		filepath.Join(dir, "src", "empty"): dir, filepath.Join(dir, "src", "file"): dir,
		linked: linked, filepath.Join(linked, "elsewhere", "deep"): dir,
	} {
		if got, err := gitrepo.FindRoot(start); err != nil || got != want {
			t.Errorf("%s: %s %v, not %s", start, got, err, want)
		}
	}
	outside := t.TempDir()
	if _, err := gitrepo.FindRoot(outside); !errors.Is(err, gitrepo.ErrNotRepository) || !strings.Contains(err.Error(), outside) {
		t.Errorf("outside: %v", err)
	}
	if _, err := gitrepo.FindRoot(filepath.Join(outside, "missing")); !errors.Is(err, gitrepo.ErrNotRepository) {
		t.Errorf("missing: %v", err)
	}
	if _, err := gitrepo.Open(filepath.Join(dir, "src")); !errors.Is(err, gitrepo.ErrNotRepository) {
		t.Errorf("open below the root: %v", err)
	}
	for _, root := range []string{dir, linked} {
		if got, err := open(t, root).CommonDir(); err != nil || got != filepath.Join(dir, ".git") {
			t.Errorf("%s: %s %v", root, got, err)
		}
	}
}

// A broken repository must not make git answer for the one around it.
func TestBrokenRepository(t *testing.T) {
	t.Parallel()
	outer := newRepo(t)
	git(t, outer, "init", "-q", "inner")
	remove(t, outer, "inner/.git/objects")
	if h, err := open(t, filepath.Join(outer, "inner")).Head(t.Context()); err == nil {
		t.Errorf("%+v", h)
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	r := open(t, dir)
	check := func(want gitrepo.Head) {
		t.Helper()
		got, err := r.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	id, tree := git(t, dir, "rev-parse", "HEAD"), headTree(t, dir)
	check(gitrepo.Head{Commit: id, Tree: tree, Branch: "main"})
	git(t, dir, "checkout", "-q", "-b", "feature/x")
	check(gitrepo.Head{Commit: id, Tree: tree, Branch: "feature/x"})
	git(t, dir, "checkout", "-q", "--detach")
	check(gitrepo.Head{Commit: id, Tree: tree, Detached: true})
	git(t, dir, "checkout", "-q", "--orphan", "new")
	check(gitrepo.Head{Branch: "new", Unborn: true})
	git(t, dir, "checkout", "-q", "-f", "main")
	git(t, dir, "pack-refs", "--all")
	check(gitrepo.Head{Commit: id, Tree: tree, Branch: "main"})
	write(t, dir, ".git/refs/heads/main", "garbage\n")
	if h, err := r.Head(t.Context()); err == nil {
		t.Errorf("a damaged branch: %+v", h)
	}
}

func mergeBase(ctx context.Context, r *gitrepo.Repo, remote, base string) (string, error) {
	h, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	return r.MergeBase(ctx, h, remote, base)
}

func TestBase(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	r := open(t, dir)
	expect := func(what, want string, ask func(context.Context) (string, error)) {
		t.Helper()
		if got, err := ask(t.Context()); err != nil || got != want {
			t.Errorf("%s: %q %v, not %q", what, got, err, want)
		}
	}
	first := git(t, dir, "rev-parse", "HEAD")
	baseOf := func(base string) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			remote, err := r.Remote(ctx)
			if err != nil {
				return "", err
			}
			return mergeBase(ctx, r, remote, base)
		}
	}
	defaultBase := func(ctx context.Context) (string, error) {
		remote, err := r.Remote(ctx)
		if err != nil {
			return "", err
		}
		return r.DefaultBase(ctx, remote)
	}
	expect("without a remote", "", r.Remote)
	expect("without a remote", "main", defaultBase)
	git(t, dir, "checkout", "-q", "-b", "topic")
	second := commit(t, dir, "second")
	expect("local branch", first, baseOf("main"))

	bare := filepath.Join(t.TempDir(), "bare.git")
	git(t, dir, "clone", "-q", "--bare", dir, bare)
	git(t, bare, "symbolic-ref", "HEAD", "refs/heads/main")
	git(t, dir, "remote", "add", "upstream", bare)
	expect("only remote", "upstream", r.Remote)
	expect("never fetched", "topic", defaultBase)
	expect("never fetched", first, baseOf("main"))
	git(t, dir, "fetch", "-q", "upstream")
	expect("fetched", "topic", defaultBase)
	git(t, dir, "update-ref", "-d", "refs/remotes/upstream/topic")
	expect("current branch is not at the remote", "main", defaultBase)
	git(t, dir, "symbolic-ref", "refs/remotes/upstream/HEAD", "refs/remotes/upstream/gone")
	expect("dangling remote HEAD", "main", defaultBase)
	git(t, dir, "fetch", "-q", "upstream")
	git(t, dir, "remote", "set-head", "upstream", "main")
	expect("remote HEAD", "main", defaultBase)
	git(t, dir, "branch", "-f", "main", second)
	expect("remote-tracking ref wins over the local branch", first, baseOf("main"))
	git(t, dir, "remote", "add", "origin", bare)
	expect("origin among several", "origin", r.Remote)
	git(t, dir, "config", "branch.topic.remote", "upstream")
	expect("the branch's own", "upstream", r.Remote)
	git(t, dir, "config", "branch.topic.remote", ".")
	expect("the branch follows a local one", "origin", r.Remote)
	git(t, dir, "checkout", "-q", "--detach")
	expect("detached", "origin", r.Remote)
	if url, err := r.RemoteURL(t.Context(), "upstream"); err != nil || url != bare {
		t.Errorf("%s %v", url, err)
	}
	git(t, dir, "config", "url./somewhere/.insteadOf", filepath.Dir(bare)+"/")
	if url, err := r.RemoteURL(t.Context(), "upstream"); err != nil || url != "/somewhere/bare.git" {
		t.Errorf("%s %v", url, err)
	}
	if _, err := mergeBase(t.Context(), r, "origin", "nowhere"); !errors.Is(err, gitrepo.ErrNoBase) {
		t.Error(err)
	}
	git(t, dir, "checkout", "-q", "--orphan", "unrelated")
	expect("unborn", "", baseOf("main"))
	git(t, dir, "commit", "-q", "-m", "unrelated")
	if _, err := mergeBase(t.Context(), r, "origin", "main"); !errors.Is(err, gitrepo.ErrNoBase) {
		t.Error(err)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	r := open(t, dir)
	first := git(t, dir, "rev-parse", "HEAD")
	write(t, dir, "b.txt", "2\n")
	second := commit(t, dir, "second\n\nbody ü\nmore")
	third := commit(t, dir, "third")
	git(t, dir, "config", "log.showSignature", "true")
	git(t, dir, "config", "format.pretty", "oneline")
	got, err := r.Commits(t.Context(), first, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	tree := headTree(t, dir)
	want := []gitrepo.Commit{
		{ID: second, Tree: tree, Subject: "second", Message: "second\n\nbody ü\nmore\n"},
		{ID: third, Tree: tree, Subject: "third", Message: "third\n"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err := r.Commits(t.Context(), "", "HEAD"); err != nil || len(got) != 3 {
		t.Errorf("all: %d %v", len(got), err)
	}
	if got, err := r.Commits(t.Context(), "HEAD", "HEAD"); err != nil || len(got) != 0 {
		t.Errorf("none: %d %v", len(got), err)
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{{first, third, true}, {third, first, false}, {third, third, true}} {
		if got, err := r.IsAncestor(t.Context(), c.a, c.b); err != nil || got != c.want {
			t.Errorf("%s %s: %v %v", c.a, c.b, got, err)
		}
	}
	if _, err := r.IsAncestor(t.Context(), strings.Repeat("1", 40), third); err == nil {
		t.Error("an unknown commit is an ancestor or not")
	}
	if got, err := r.TreeOf(t.Context(), "HEAD"); err != nil || got != tree {
		t.Errorf("%s %v", got, err)
	}
	for rev, want := range map[string]bool{"HEAD": true, first: true, strings.Repeat("1", 40): false, "nowhere": false} {
		if got, err := r.Exists(t.Context(), rev); err != nil || got != want {
			t.Errorf("%s: %v %v", rev, got, err)
		}
	}
	for _, rev := range []string{"", "--all", "^HEAD", "HEAD..x", "a b", "a\nb"} {
		if _, err := r.TreeOf(t.Context(), rev); err == nil {
			t.Errorf("%q is a revision", rev)
		}
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	r := open(t, dir)
	write(t, dir, "new\nline", "odd", "HEAD", "name of a revision")
	if err := os.Symlink("src/a.go", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	commit(t, dir, "odd")
	write(t, dir, "src/a.go", "edited", "only-here", "1")
	for name, want := range map[string]string{"src/a.go": "package a\n", "new\nline": "odd", "link": "src/a.go", "HEAD": "name of a revision"} {
		got, ok, err := r.File(t.Context(), "HEAD", name)
		if err != nil || !ok || string(got) != want {
			t.Errorf("%q: %q %v %v", name, got, ok, err)
		}
	}
	for _, name := range []string{"only-here", "src", "nowhere", "src/a.go/x"} {
		if got, ok, err := r.File(t.Context(), "HEAD", name); err != nil || ok {
			t.Errorf("%q: %q %v %v", name, got, ok, err)
		}
	}
	for _, name := range []string{"", "../x", "/etc/passwd", "./src/a.go", "src//a.go"} {
		if _, _, err := r.File(t.Context(), "HEAD", name); err == nil {
			t.Errorf("%q is a path", name)
		}
	}
	if _, _, err := r.File(t.Context(), "nowhere", "src/a.go"); err == nil {
		t.Error("an unknown revision has files or not")
	}
	blob := git(t, dir, "rev-parse", "HEAD:src/a.go")
	git(t, dir, "replace", blob, git(t, dir, "rev-parse", "HEAD:README.md"))
	if got, _, err := r.File(t.Context(), "HEAD", "src/a.go"); err != nil || string(got) != "package a\n" {
		t.Errorf("replaced: %q %v", got, err)
	}
	remove(t, dir, ".git/objects/"+blob[:2]+"/"+blob[2:])
	if got, ok, err := r.File(t.Context(), "HEAD", "src/a.go"); err == nil {
		t.Errorf("a missing object: %q %v", got, ok)
	}
}

func TestChanged(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	r := open(t, dir)
	from := treeID(t, dir)
	write(t, dir, "src/a.go", "edited\n", "z", "1", "new\nline", "2", "staged", "3")
	git(t, dir, "add", "staged")
	remove(t, dir, "README.md", "test")
	if err := os.Symlink("src", filepath.Join(dir, "test")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "src/deep/er/b.go"), 0o755); err != nil {
		t.Fatal(err)
	}
	to := treeID(t, dir)
	git(t, dir, "config", "diff.renames", "copies")
	git(t, dir, "config", "diff.orderFile", "/dev/null")
	git(t, dir, "config", "diff.relative", "true")
	changes, err := r.Changed(t.Context(), from, to)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		if (c.Old == "") != (c.Status == 'A') || (c.New == "") != (c.Status == 'D') {
			t.Errorf("%+v", c)
		}
		got = append(got, string(c.Status)+" "+c.Path)
	}
	want := []string{"D README.md", "A new\nline", "M src/a.go", "M src/deep/er/b.go", "A staged", "A test", "D test/a_test.go", "A z"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if changes, err := r.Changed(t.Context(), "HEAD", from); err != nil || len(changes) != 0 {
		t.Errorf("%v %v", changes, err)
	}
	if changes, err := open(t, dir).Changed(t.Context(), "", to); err != nil || len(changes) != 7 {
		t.Errorf("from nothing: %v %v", changes, err)
	}
	if _, err := r.Changed(t.Context(), from, strings.Repeat("1", 40)); err == nil {
		t.Error("an unknown tree has changes or not")
	}
}

func TestError(t *testing.T) {
	dir := newRepo(t)
	_, err := open(t, dir).LsRemote(t.Context(), "https://user:secret@127.0.0.1:1/x", "main")
	var e *gitrepo.Error
	if !errors.As(err, &e) || e.Exit != 128 || e.Stderr == "" || e.Args[0] != "ls-remote" {
		t.Fatalf("%#v", err)
	}
	if strings.Contains(e.Error(), "secret") || strings.Contains(e.Error(), "\n") {
		t.Errorf("%q", e.Error())
	}
	// A program that is part of what is judged must not judge.
	write(t, dir, "bin/git", "#!/bin/sh\necho lies\n")
	if err := os.Chmod(filepath.Join(dir, "bin", "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	if h, err := open(t, dir).Head(t.Context()); err == nil {
		t.Errorf("%+v", h)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := open(t, dir).Head(t.Context()); !errors.Is(err, exec.ErrNotFound) {
		t.Error(err)
	}
}
