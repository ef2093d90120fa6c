package gitrepo_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

// touchBack gives a file the times that it had before, as info says.
func touchBack(t *testing.T, name string, info os.FileInfo) {
	t.Helper()
	if err := os.Chtimes(name, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

// Each setting makes git itself blind for something. Below each, an edit must change
// the id, undoing it must bring it back, and doing nothing must not change it.
func TestHostileSettings(t *testing.T) {
	liar := func(t *testing.T, dir string) string {
		hook := filepath.Join(t.TempDir(), "monitor")
		if err := os.WriteFile(hook, []byte("#!/bin/sh\nprintf 'token\\0'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return hook
	}
	settings := map[string]func(t *testing.T, dir string){
		"none": func(*testing.T, string) {},
		"assume-unchanged": func(t *testing.T, dir string) {
			git(t, dir, "update-index", "--assume-unchanged", "src/a.go", "test/a_test.go")
		},
		"skip-worktree": func(t *testing.T, dir string) {
			git(t, dir, "update-index", "--skip-worktree", "src/a.go", "test/a_test.go")
		},
		"fsmonitor that lies": func(t *testing.T, dir string) {
			git(t, dir, "config", "core.fsmonitor", liar(t, dir))
			git(t, dir, "config", "core.fsmonitorHookVersion", "2")
			git(t, dir, "update-index", "--fsmonitor")
			git(t, dir, "status")
		},
		"split index": func(t *testing.T, dir string) {
			git(t, dir, "config", "core.splitIndex", "true")
			git(t, dir, "update-index", "--split-index")
		},
		"untracked cache": func(t *testing.T, dir string) {
			git(t, dir, "config", "core.untrackedCache", "true")
			git(t, dir, "update-index", "--force-untracked-cache")
			git(t, dir, "status")
		},
		"safecrlf": func(t *testing.T, dir string) {
			git(t, dir, "config", "core.safecrlf", "true")
			git(t, dir, "config", "core.autocrlf", "input")
		},
		"trustctime off": func(t *testing.T, dir string) {
			git(t, dir, "config", "core.trustctime", "false")
			git(t, dir, "config", "core.checkStat", "minimal")
		},
		"ignoreCase": func(t *testing.T, dir string) { git(t, dir, "config", "core.ignoreCase", "true") },
		"core.worktree elsewhere": func(t *testing.T, dir string) {
			git(t, dir, "config", "core.worktree", t.TempDir())
		},
		"core.bare": func(t *testing.T, dir string) { git(t, dir, "config", "core.bare", "true") },
		"manyFiles": func(t *testing.T, dir string) { git(t, dir, "config", "feature.manyFiles", "true") },
		"index version 4": func(t *testing.T, dir string) {
			git(t, dir, "update-index", "--index-version", "4")
		},
		"submodule.recurse": func(t *testing.T, dir string) { git(t, dir, "config", "submodule.recurse", "true") },
		"hooks": func(t *testing.T, dir string) {
			hook := filepath.Join(dir, ".git", "hooks", "post-index-change")
			write(t, dir, ".git/hooks/post-index-change", "#!/bin/sh\ntouch \"$(dirname \"$0\")/../../ran\"\n")
			if err := os.Chmod(hook, 0o755); err != nil {
				t.Fatal(err)
			}
		},
		"alias and pager": func(t *testing.T, dir string) {
			git(t, dir, "config", "alias.ls-files", "!false")
			git(t, dir, "config", "core.pager", "false")
			git(t, dir, "config", "color.ui", "always")
			git(t, dir, "config", "core.quotePath", "true")
			git(t, dir, "config", "diff.external", "false")
			git(t, dir, "config", "diff.noprefix", "true")
			git(t, dir, "config", "status.showUntrackedFiles", "no")
		},
		"replace refs": func(t *testing.T, dir string) {
			blob := git(t, dir, "rev-parse", "HEAD:src/a.go")
			write(t, dir, "evil", "package a // from the staged\n")
			other := git(t, dir, "hash-object", "-w", "evil")
			remove(t, dir, "evil")
			git(t, dir, "replace", blob, other)
		},
		"environment": func(t *testing.T, dir string) {
			t.Setenv("GIT_DIR", t.TempDir())
			t.Setenv("GIT_WORK_TREE", t.TempDir())
			t.Setenv("GIT_INDEX_FILE", filepath.Join(t.TempDir(), "index"))
			t.Setenv("GIT_OBJECT_DIRECTORY", t.TempDir())
			t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
			t.Setenv("GIT_LITERAL_PATHSPECS", "1")
			t.Setenv("GIT_NAMESPACE", "x")
			t.Setenv("GIT_CONFIG_COUNT", "1")
			t.Setenv("GIT_CONFIG_KEY_0", "core.excludesFile")
			t.Setenv("GIT_CONFIG_VALUE_0", "/dev/full")
			t.Setenv("GIT_CONFIG_PARAMETERS", "'core.bare=true'")
			t.Setenv("GIT_EXTERNAL_DIFF", "false")
			t.Setenv("GIT_TRACE", "1")
			t.Setenv("LC_ALL", "de_DE.UTF-8")
		},
	}
	for name, set := range settings {
		t.Run(name, func(t *testing.T) {
			if name != "environment" {
				t.Parallel()
			}
			dir := newRepo(t)
			clean := headTree(t, dir)
			set(t, dir)
			if got := treeID(t, dir); got != clean {
				t.Fatalf("without an edit: %s, not %s", got, clean)
			}
			time.Sleep(60 * time.Millisecond)
			if got := treeID(t, dir); got != clean {
				t.Fatalf("again without an edit: %s, not %s", got, clean)
			}
			seen := map[string]string{clean: "clean"}
			step := func(what string, do func()) {
				t.Helper()
				do()
				got := treeID(t, dir)
				if other, ok := seen[got]; ok {
					t.Errorf("%s: the same id as %s", what, other)
				}
				seen[got] = what
				if again := treeID(t, dir); again != got {
					t.Errorf("%s: then %s, now %s", what, got, again)
				}
			}
			file := filepath.Join(dir, "src", "a.go")
			info, err := os.Lstat(file)
			if err != nil {
				t.Fatal(err)
			}
			step("same size, times restored", func() {
				write(t, dir, "src/a.go", "package A\n")
				touchBack(t, file, info)
			})
			step("same size, times restored, at once", func() {
				write(t, dir, "src/a.go", "package Z\n")
				touchBack(t, file, info)
			})
			step("deletion", func() { remove(t, dir, "src/a.go") })
			step("edit of a test", func() { write(t, dir, "src/a.go", "package a\n", "test/a_test.go", "package a\n") })
			step("new file", func() { write(t, dir, "src/new_test.go", "package a\n") })
			step("new file that differs in case", func() { write(t, dir, "src/A.go", "package a\n") })
			write(t, dir, "test/a_test.go", "package a\n\n// test\n")
			remove(t, dir, "src/new_test.go", "src/A.go")
			if got := treeID(t, dir); got != clean {
				t.Errorf("undone: %s, not %s", got, clean)
			}
			if _, err := os.Lstat(filepath.Join(dir, "ran")); err == nil {
				t.Error("a hook ran")
			}
		})
	}
}

// With a clock that ticks coarsely, a second edit can leave no trace but in the
// content.
func TestEditsInQuickSuccession(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	r := open(t, dir)
	file := filepath.Join(dir, "src", "a.go")
	old := time.Now().Add(-time.Hour)
	last := ""
	for i := range 60 {
		write(t, dir, "src/a.go", "package "+string(rune('A'+i%50))+"\n")
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
		tree, err := r.Tree(t.Context(), gitrepo.TreeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if tree.ID == last {
			t.Fatalf("edit %d does not show", i)
		}
		last = tree.ID
	}
}

// What makes later computations cheap must not make them blind, whoever wrote it.
func TestDamagedCache(t *testing.T) {
	damage := map[string]func(t *testing.T, store string){
		"cache cut":     func(t *testing.T, store string) { truncate(t, filepath.Join(store, "cache"), 100) },
		"cache empty":   func(t *testing.T, store string) { truncate(t, filepath.Join(store, "cache"), 0) },
		"cache flipped": func(t *testing.T, store string) { flip(t, filepath.Join(store, "cache")) },
		"cache gone":    func(t *testing.T, store string) { remove(t, store, "cache") },
		"objects gone":  func(t *testing.T, store string) { remove(t, store, "objects") },
		"all gone":      func(t *testing.T, store string) { remove(t, store, ".") },
	}
	for name, do := range damage {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepo(t)
			write(t, dir, "src/new.go", "package a\n")
			git(t, dir, "add", "src/new.go")
			before := treeID(t, dir)
			time.Sleep(60 * time.Millisecond)
			treeID(t, dir)
			do(t, filepath.Join(dir, ".claude", "asterweave", "tree"))
			if got := treeID(t, dir); got != before {
				t.Errorf("without an edit: %s, not %s", got, before)
			}
			write(t, dir, "src/a.go", "package A\n")
			edited := treeID(t, dir)
			commit(t, dir, "second")
			if want := headTree(t, dir); edited != want {
				t.Errorf("tested %s, committed %s", edited, want)
			}
		})
	}
}

func truncate(t *testing.T, file string, size int64) {
	t.Helper()
	if err := os.Truncate(file, size); err != nil {
		t.Fatal(err)
	}
}

func flip(t *testing.T, file string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 0x20
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// What cannot be kept costs time; what cannot be computed is an error.
func TestStateFolderInTheWay(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	state := t.TempDir()
	write(t, state, "tree", "a file")
	if tree, err := open(t, dir).Tree(t.Context(), gitrepo.TreeOptions{StateDir: state}); err == nil {
		t.Errorf("%+v", tree)
	}
	remove(t, state, "tree")
	write(t, state, "tree/cache/folder", "in the way")
	for range 2 {
		if got := known(t, dir, gitrepo.TreeOptions{StateDir: state}).ID; got != headTree(t, dir) {
			t.Error(got)
		}
	}
}
