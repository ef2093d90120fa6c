package gitrepo_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

func TestCheckoutAt(t *testing.T) {
	t.Parallel()
	lib := newRepo(t)
	dir := newRepo(t)
	git(t, dir, "submodule", "--quiet", "add", lib, "vendor/lib")
	git(t, dir, "config", "filter.upper.smudge", "tr a-z A-Z")
	git(t, dir, "config", "filter.upper.clean", "tr A-Z a-z")
	git(t, dir, "config", "core.autocrlf", "true")
	write(t, dir, ".gitattributes", "*.up filter=upper -text\n", "x.up", "abc", "crlf.txt", "a\r\n")
	base := commit(t, dir, "base")
	write(t, dir, "src/a.go", "later\n")
	commit(t, dir, "later")
	write(t, dir, ".git/hooks/post-checkout", "#!/bin/sh\ntouch ran\n")
	if err := os.Chmod(filepath.Join(dir, ".git", "hooks", "post-checkout"), 0o755); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(t.TempDir(), "at")
	cleanup, err := open(t, dir).CheckoutAt(t.Context(), base, at)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"src/a.go": "package a\n", "x.up": "ABC", "crlf.txt": "a\r\n", "vendor/lib/src/a.go": "package a\n"} {
		if b, err := os.ReadFile(filepath.Join(at, name)); err != nil || strings.TrimRight(string(b), "\r\n") != strings.TrimRight(want, "\r\n") {
			t.Errorf("%s: %q %v", name, b, err)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(at, "crlf.txt")); string(b) != "a\r\n" {
		t.Errorf("line ends: %q", b)
	}
	if _, err := os.Lstat(filepath.Join(at, "ran")); err == nil {
		t.Error("a hook ran")
	}
	if got := git(t, at, "rev-parse", "HEAD"); got != base {
		t.Errorf("at %s", got)
	}
	if got := git(t, at, "status", "--porcelain"); got != "" {
		t.Errorf("not clean: %s", got)
	}

	// Tests of the work tree over it.
	write(t, dir, "test/a_test.go", "new test\n", "src/a.go", "not asked for\n", "test/more/b_test.go", "b\n", "ignored.log", "1")
	remove(t, dir, "src/deep")
	outside := t.TempDir()
	remove(t, at, "test")
	if err := os.Symlink(outside, filepath.Join(at, "test")); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir)
	tree := treeID(t, dir)
	if err := r.Overlay(t.Context(), tree, []string{"test/a_test.go", "test/more/b_test.go", "src/deep/er/b.go"}, at); err != nil {
		t.Fatal(err)
	}
	if got := git(t, at, "status", "--porcelain", "-uall"); got != " D src/deep/er/b.go\n M test/a_test.go\n?? test/more/b_test.go" {
		t.Errorf("overlay: %s", got)
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Error("written through a symbolic link")
	}
	for _, name := range []string{"ignored.log", "../x", ".git/../x"} {
		if err := r.Overlay(t.Context(), tree, []string{name}, at); err == nil {
			t.Errorf("%s is copied", name)
		}
	}

	// What a run may leave behind.
	if err := os.MkdirAll(filepath.Join(at, "cache", "ro"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, at, "cache/ro/x", "1")
	for _, d := range []string{"cache/ro", "cache"} {
		if err := os.Chmod(filepath.Join(at, d), 0o555); err != nil {
			t.Fatal(err)
		}
	}
	if err := cleanup(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(at); err == nil {
		t.Error("left behind")
	}
	if _, err := r.CheckoutAt(t.Context(), "nowhere", filepath.Join(t.TempDir(), "x")); err == nil {
		t.Error("an unknown commit is checked out")
	}
	if _, err := r.CheckoutAt(t.Context(), base, dir); err == nil {
		t.Error("into a folder that is not empty")
	}
}

func TestCheckoutAtOtherKinds(t *testing.T) {
	t.Parallel()
	t.Run("sha256", func(t *testing.T) {
		dir := newRepo(t, "--object-format=sha256")
		at := filepath.Join(t.TempDir(), "at")
		if _, err := open(t, dir).CheckoutAt(t.Context(), "HEAD", at); err != nil {
			t.Fatal(err)
		}
		if got := treeID(t, at); got != headTree(t, dir) {
			t.Error(got)
		}
	})
	t.Run("shallow, partial, from a linked worktree", func(t *testing.T) {
		dir := newRepo(t)
		commit(t, dir, "second")
		git(t, dir, "config", "uploadpack.allowFilter", "true")
		clone := filepath.Join(t.TempDir(), "clone")
		git(t, dir, "clone", "-q", "--no-checkout", "--depth=1", "--filter=blob:none", "file://"+dir, clone)
		linked := filepath.Join(t.TempDir(), "linked")
		git(t, clone, "worktree", "add", "-q", "--no-checkout", linked, "-b", "topic")
		at := filepath.Join(t.TempDir(), "at")
		if _, err := open(t, linked).CheckoutAt(t.Context(), "HEAD", at); err != nil {
			t.Fatal(err)
		}
		if got := git(t, at, "log", "--format=%s"); got != "second" {
			t.Errorf("history: %q", got)
		}
	})
}

func TestRemote(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	bare := filepath.Join(t.TempDir(), "a bare.git")
	git(t, dir, "init", "-q", "--bare", bare)
	git(t, dir, "remote", "add", "origin", bare)
	git(t, dir, "checkout", "-q", "-b", "topic/x")
	head := commit(t, dir, "topic")
	r := open(t, dir)
	if got, err := r.LsRemote(t.Context(), "origin", "topic/x"); err != nil || got != "" {
		t.Errorf("before the push: %q %v", got, err)
	}
	git(t, dir, "push", "-q", "origin", "topic/x")
	git(t, dir, "push", "-q", "origin", "HEAD:refs/heads/other/refs/heads/topic/x")
	if got, err := r.LsRemote(t.Context(), "origin", "topic/x"); err != nil || got != head {
		t.Errorf("after the push: %q %v", got, err)
	}
	if got, err := r.LsRemote(t.Context(), "origin", "x"); err != nil || got != "" {
		t.Errorf("a part of the name: %q %v", got, err)
	}
	if got, err := r.LsRemote(t.Context(), bare, "topic/x"); err != nil || got != head {
		t.Errorf("by its path: %q %v", got, err)
	}
	if _, err := r.LsRemote(t.Context(), "--upload-pack=x", "x"); err == nil {
		t.Error("an option is a remote")
	}
	if _, err := r.LsRemote(t.Context(), "nowhere", "x"); err == nil {
		t.Error("an unknown remote answers")
	}
	clone := filepath.Join(t.TempDir(), "clone")
	if err := r.CloneAt(t.Context(), "origin", "topic/x", head, clone); err != nil {
		t.Fatal(err)
	}
	if got := git(t, clone, "rev-parse", "HEAD"); got != head {
		t.Error(got)
	}
	if got := git(t, clone, "status", "--porcelain"); got != "" {
		t.Error(got)
	}
	if got := git(t, clone, "remote"); got != "origin" {
		t.Error(got)
	}
	local := commit(t, dir, "not pushed")
	for branch, want := range map[string]string{"topic/x": head, "absent": ""} {
		clone := filepath.Join(t.TempDir(), "clone")
		err := r.CloneAt(t.Context(), "origin", branch, local, clone)
		var moved *gitrepo.BranchMovedError
		if !errors.As(err, &moved) || moved.Got != want || moved.Want != local {
			t.Errorf("%s: %v", branch, err)
		}
		if _, err := os.Lstat(clone); err == nil {
			t.Errorf("%s: left behind", branch)
		}
	}
	// A relative path is relative to the worktree.
	rel, err := filepath.Rel(dir, bare)
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "remote", "add", "near", rel)
	clone = filepath.Join(t.TempDir(), "c")
	if err := r.CloneAt(t.Context(), "near", "topic/x", head, clone); err != nil {
		t.Fatal(err)
	}
	if got := git(t, clone, "remote"); got != "near" {
		t.Errorf("the clone's remote is %s", got)
	}
	if got, err := r.LsRemote(t.Context(), "near", "topic/x"); err != nil || got != head {
		t.Errorf("%q %v", got, err)
	}
}

// silent listens on the loopback and never answers. The channel gets a value when a
// connection was made, and another when its other side is closed: by then no process
// is left that holds it.
func silent(t *testing.T) (address string, events <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	seen := make(chan string, 16)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			seen <- "connected"
			go func() {
				_, _ = io.Copy(io.Discard, conn)
				_ = conn.Close()
				seen <- "closed"
			}()
		}
	}()
	return l.Addr().String(), seen
}

// A remote that never answers ends with the context, and so do the processes: git
// itself speaks git://, a child of it http://.
func TestRemoteThatHangs(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"git", "http"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			dir := newRepo(t)
			address, events := silent(t)
			git(t, dir, "config", "remote.slow.url", scheme+"://"+address+"/x")
			git(t, dir, "config", "remote.slow.proxy", "")
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			gaveUp := errors.New("gave up")
			go func() {
				if event := <-events; event == "connected" {
					cancel(gaveUp)
				}
			}()
			began := time.Now()
			_, err := open(t, dir).LsRemote(ctx, "slow", "main")
			if !errors.Is(err, gaveUp) {
				t.Fatalf("%v after %s", err, time.Since(began))
			}
			select {
			case <-events:
			case <-time.After(10 * time.Second):
				t.Error("a process is left")
			}
		})
	}
}

// The settings that name the program at the other side have no say.
func TestUploadPackSetting(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	head := git(t, dir, "rev-parse", "HEAD")
	bare := filepath.Join(t.TempDir(), "bare.git")
	git(t, dir, "clone", "-q", "--bare", dir, bare)
	mark := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "pack")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntouch '"+mark+"'\nexec git-upload-pack \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x", "origin"} { // origin is what a clone calls its remote
		git(t, dir, "remote", "add", name, bare)
		git(t, dir, "config", "remote."+name+".uploadpack", script)
	}
	git(t, dir, "ls-remote", "-q", "x")
	if err := os.Remove(mark); err != nil {
		t.Fatalf("the setting is not what runs it: %v", err)
	}
	r := open(t, dir)
	if got, err := r.LsRemote(t.Context(), "x", "main"); err != nil || got != head {
		t.Errorf("%q %v", got, err)
	}
	if err := r.CloneAt(t.Context(), "x", "main", head, filepath.Join(t.TempDir(), "clone")); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Error("the program of remote.x.uploadpack ran")
	}
}
