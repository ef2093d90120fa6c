package gitrepo_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/gitrepo"
)

func stamps(t *testing.T, r *gitrepo.Repo, match func(string) bool) map[string]string {
	t.Helper()
	got, err := r.Stamps(t.Context(), match)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func all(string) bool { return true }

func TestStampedPaths(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	write(t, dir, "new\nline \"ü\"", "1", "ignored.log", "1", "src/new.go", "1", "src2/x", "tracked",
		document.StateFolder+"/ledger", "1", "nested/x", "1")
	git(t, dir, "add", "src2/x")
	git(t, filepath.Join(dir, "nested"), "init", "-q")
	remove(t, dir, "README.md", "src/deep", "src2")
	if err := os.Symlink("src", filepath.Join(dir, "src2")); err != nil { // with no x in it
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	got := stamps(t, open(t, dir), all)
	want := []string{
		".gitignore", "README.md", "dangling", "nested/", "new\nline \"ü\"",
		"src/a.go", "src/deep/er/b.go", "src/new.go", "src2", "src2/x", "test/a_test.go",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Error(diff)
	}
	for name, stamp := range got {
		gone := name == "README.md" || name == "src/deep/er/b.go" || name == "src2/x"
		if (stamp == "missing") != gone {
			t.Errorf("%q: %s", name, stamp)
		}
	}
	if again := stamps(t, open(t, dir), all); !maps.Equal(got, again) {
		t.Error(cmp.Diff(got, again))
	}
	some := stamps(t, open(t, dir), func(name string) bool { return strings.HasPrefix(name, "src/") })
	if diff := cmp.Diff([]string{"src/a.go", "src/deep/er/b.go", "src/new.go"}, slices.Sorted(maps.Keys(some))); diff != "" {
		t.Error(diff)
	}
}

// What was done and undone shows, and shows at the file to which it was done.
func TestStampsSeeWhatIsPutBack(t *testing.T) {
	t.Parallel()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for what, do := range map[string]func(file string, was []byte, info os.FileInfo){
		"written and restored": func(file string, was []byte, info os.FileInfo) {
			must(os.WriteFile(file, []byte("forged"), 0o666))
			must(os.WriteFile(file, was, 0o666))
			must(os.Chtimes(file, info.ModTime(), info.ModTime()))
		},
		"renamed away and back": func(file string, _ []byte, _ os.FileInfo) {
			must(os.Rename(file, file+".away"))
			must(os.WriteFile(file, []byte("forged"), 0o666))
			must(os.Rename(file+".away", file))
		},
		"replaced by a copy": func(file string, was []byte, info os.FileInfo) {
			must(os.WriteFile(file+".copy", was, info.Mode()))
			must(os.Chtimes(file+".copy", info.ModTime(), info.ModTime()))
			must(os.Rename(file+".copy", file))
		},
		"the mode changed and restored": func(file string, _ []byte, info os.FileInfo) {
			must(os.Chmod(file, 0o755))
			must(os.Chmod(file, info.Mode()))
		},
		"removed": func(file string, _ []byte, _ os.FileInfo) { must(os.Remove(file)) },
	} {
		for _, name := range []string{"src/a.go", "src/untracked.go"} {
			dir := newRepo(t)
			write(t, dir, "src/untracked.go", "package a\n")
			r := open(t, dir)
			file := filepath.Join(dir, filepath.FromSlash(name))
			was, err := os.ReadFile(file)
			must(err)
			info, err := os.Lstat(file)
			must(err)
			// Just before it is looked at, the file is written: what is done next is
			// done within the same tick of the clock.
			before := stamps(t, r, func(path string) bool {
				if path == name {
					must(os.WriteFile(file, was, 0o666))
					must(os.Chtimes(file, info.ModTime(), info.ModTime()))
				}
				return true
			})
			do(file, was, info)
			after := stamps(t, r, all)
			for path, stamp := range before {
				if (after[path] == stamp) != (path != name) {
					t.Errorf("%s, %s: the stamp of %s was %q, is %q", what, name, path, stamp, after[path])
				}
			}
		}
	}
}

// A file that is written all the time is never as it was.
func TestStampsOfARestlessFile(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	r := open(t, dir)
	file := filepath.Join(dir, "src", "a.go")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = os.WriteFile(file, []byte("package a\n"), 0o666)
			}
		}
	})
	// On a busy machine the writer itself may rest for a tick, and the file with it.
	got := stamps(t, r, all)
	for range 10 {
		if strings.Contains(got["src/a.go"], "restless") {
			break
		}
		got = stamps(t, r, all)
	}
	close(stop)
	wg.Wait()
	if s := got["src/a.go"]; !strings.Contains(s, "restless") {
		t.Errorf("%q", s)
	}
	if s := got["README.md"]; strings.Contains(s, "restless") {
		t.Errorf("%q", s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Stamps(ctx, all); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
