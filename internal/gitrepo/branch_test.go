package gitrepo_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

func TestCheckBranch(t *testing.T) {
	t.Parallel()
	// What git takes for the name of a ref, but a reader for another one.
	stricter := []string{"HEAD", "@", "refs", "remotes", "refs/heads/main", "refs/x", "remotes/origin/main", "-x", "--all", "-"}
	names := append([]string{
		"", "main", "topic/x", "a.b", "a..b", ".a", "a.", "a/.b", "a./b", "a.lock", "a.lock/b", "a/b.lock", "a.locked", ".lock",
		"/a", "a/", "a//b", "/", "//", ".", "..", "a b", "a\tb", "a\nb", "a\rb", "a\x7fb", "a\x01b", "a~b", "a^b", "a:b", "a?b", "a*b", "a[b", "a]b", `a\b`,
		"a@b", "a@{b", "a@", "@a", "@/a", "a/@", "@{-1}", "@{u}", "^main", "main^", "main~1", "main:x", "heads/main", "origin/main", "ref", "Refs/heads/x",
		"head", "FETCH_HEAD", "HEAD/x", "x/HEAD", "ü", "a\xffb", "a\u00a0b", "{", "}", "a'b", `a"b`, "a$b", "a;b", "a-", "a/-b", strings.Repeat("a", 40),
	}, stricter...)
	for b := byte(1); b <= 0x80; b++ { // no argument can hold 0
		if b < '0' || b > 'z' || b > '9' && b < 'A' || b > 'Z' && b < 'a' {
			names = append(names, "a"+string([]byte{b})+"b")
		}
	}
	for _, name := range names {
		err := gitrepo.CheckBranch(name)
		want := exec.Command("git", "check-ref-format", "refs/heads/"+name).Run() == nil
		for _, s := range stricter {
			want = want && name != s
		}
		if (err == nil) != want {
			t.Errorf("%q: %v, legal is %v", name, err, want)
		}
		var bad *gitrepo.BranchNameError
		if err != nil && (!errors.As(err, &bad) || bad.Name != name) {
			t.Errorf("%q: %#v", name, err)
		}
		// git's own check of branch names is no stricter, but for a revision like @{-1}.
		if err == nil && exec.Command("git", "check-ref-format", "--branch", name).Run() != nil {
			t.Errorf("%q: git branch refuses it", name)
		}
	}
	if gitrepo.CheckBranch("a\x00b") == nil {
		t.Error("a name with a NUL byte")
	}
}

func FuzzCheckBranch(f *testing.F) {
	for _, s := range []string{"main", "a/b", "a..b", "@{", "x.lock", "-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if gitrepo.CheckBranch(name) != nil || strings.ContainsRune(name, 0) {
			return
		}
		if err := exec.Command("git", "check-ref-format", "--branch", name).Run(); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	})
}

func TestBaseRefNames(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	git(t, dir, "update-ref", "refs/heads/refs/heads/main", "HEAD")
	git(t, dir, "update-ref", "refs/heads/remotes/x", "HEAD")
	git(t, dir, "update-ref", "refs/remotes/origin/main", "HEAD")
	r := open(t, dir)
	for _, name := range []string{"", "HEAD", "@", "refs/heads/main", "remotes/x", "main^", "@{-1}", "-x"} {
		var bad *gitrepo.BranchNameError
		if got, err := r.BaseRef(t.Context(), "", name); !errors.As(err, &bad) {
			t.Errorf("%q: %q %v", name, got, err)
		}
	}
	for _, c := range []struct{ remote, want string }{
		{"", "refs/heads/main"}, {"origin", "refs/remotes/origin/main"}, {"other", "refs/heads/main"},
	} {
		if got, err := r.BaseRef(t.Context(), c.remote, "main"); err != nil || got != c.want {
			t.Errorf("%q: %q %v, not %q", c.remote, got, err, c.want)
		}
	}
	if got, err := r.BaseRef(t.Context(), "-x", "main"); err == nil {
		t.Errorf("an option is a remote: %q", got)
	}
}

// The branch's configuration cannot select another remote for the base.
func TestBaseKeepsItsRemote(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	first := git(t, dir, "rev-parse", "HEAD")
	git(t, dir, "update-ref", "refs/remotes/origin/main", first)
	second := commit(t, dir, "second")
	git(t, dir, "update-ref", "refs/remotes/fork/main", second)
	git(t, dir, "config", "remote.origin.url", "/nowhere")
	git(t, dir, "config", "remote.fork.url", "/nowhere")
	git(t, dir, "config", "branch.main.remote", "fork")
	if got, err := mergeBase(t.Context(), open(t, dir), "origin", "main"); err != nil || got != first {
		t.Errorf("%s %v", got, err)
	}
}

func TestRemoteHead(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	r := open(t, dir)
	expect := func(what, want string) {
		t.Helper()
		if got, err := r.RemoteHead(t.Context(), "origin"); err != nil || got != want {
			t.Errorf("%s: %q %v, not %q", what, got, err, want)
		}
	}
	expect("nothing there", "")
	git(t, dir, "update-ref", "refs/remotes/origin/trunk/x", "HEAD")
	git(t, dir, "update-ref", "refs/remotes/other/main", "HEAD")
	git(t, dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk/x")
	expect("set", "trunk/x")
	git(t, dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
	expect("dangling", "")
	git(t, dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/other/main")
	expect("of another remote", "")
	git(t, dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/main")
	expect("a local branch", "")
	git(t, dir, "symbolic-ref", "-d", "refs/remotes/origin/HEAD")
	git(t, dir, "update-ref", "refs/remotes/origin/HEAD", "HEAD")
	expect("not symbolic", "")
	if _, err := r.RemoteHead(t.Context(), ""); err == nil {
		t.Error("of no remote")
	}
}

// A branch that is a symbolic ref is the branch that it points to: that one moves with
// each commit.
func TestHeadOfSymbolicBranch(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	r := open(t, dir)
	expect := func(what string, unborn bool, want string) {
		t.Helper()
		if h, err := r.Head(t.Context()); err != nil || h.Branch != want || h.Detached || h.Unborn != unborn {
			t.Errorf("%s: %+v %v", what, h, err)
		}
	}
	git(t, dir, "symbolic-ref", "refs/heads/topic", "refs/heads/main")
	git(t, dir, "symbolic-ref", "refs/heads/deeper", "refs/heads/topic")
	git(t, dir, "symbolic-ref", "HEAD", "refs/heads/topic")
	expect("one step", false, "main")
	git(t, dir, "symbolic-ref", "HEAD", "refs/heads/deeper")
	expect("two steps", false, "main")
	git(t, dir, "tag", "topic")
	git(t, dir, "branch", "-q", "heads/main")
	git(t, dir, "symbolic-ref", "HEAD", "refs/heads/topic")
	expect("beside a tag and a branch that look like it", false, "main")
	git(t, dir, "symbolic-ref", "refs/heads/topic", "refs/heads/new")
	expect("to a branch without commits", true, "new")
}
