package gitrepo_test

import (
	"testing"
)

func TestTreeEqualsHead(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	if got, want := treeID(t, dir), headTree(t, dir); got != want {
		t.Errorf("clean: %s, not %s", got, want)
	}
	write(t, dir, "src/a.go", "package a // changed\n", "src/new.go", "package a\n", "x.log", "ignored")
	remove(t, dir, "README.md")
	got := treeID(t, dir)
	if got == headTree(t, dir) {
		t.Error("edits do not show")
	}
	commit(t, dir, "second")
	if want := headTree(t, dir); got != want {
		t.Errorf("tested %s, committed %s", got, want)
	}
	if again := treeID(t, dir); again != got {
		t.Errorf("after the commit %s, before it %s", again, got)
	}
}
