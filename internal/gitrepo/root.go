package gitrepo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/asterweave/asterweave/internal/document"
)

// ErrNotRepository says that a folder is in no Git worktree.
var ErrNotRepository = errors.New("not in a git repository")

// FindRoot returns the root of the worktree that holds start: the nearest folder
// at or above it with a .git folder or file that belongs to a repository.
// Symbolic links in start are resolved, as git does. It starts no process. The
// error is an [ErrNotRepository] that names where it looked.
func FindRoot(start string) (root string, err error) {
	abs, err := filepath.Abs(start)
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotRepository, err)
	}
	for {
		if _, err := gitDir(dir); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("%w: no .git in %s nor in a folder above it", ErrNotRepository, abs)
		}
		dir = parent
	}
}

// gitDir returns the repository folder of the worktree at root: root/.git, or
// what the file of that name points to.
func gitDir(root string) (string, error) {
	dot := filepath.Join(root, ".git")
	info, err := os.Stat(dot)
	if err != nil {
		return "", err
	}
	dir := dot
	if !info.IsDir() {
		if dir, err = readPointer(dot, "gitdir: ", root); err != nil {
			return "", err
		}
	}
	// HEAD may be a dangling symbolic link in old repositories.
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return "", err
	}
	return dir, nil
}

// readPointer returns the path that the file holds after prefix; relative ones
// are relative to base.
func readPointer(file, prefix, base string) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	rest, ok := bytes.CutPrefix(b, []byte(prefix))
	target := strings.TrimRight(string(rest), "\r\n")
	if !ok || target == "" {
		return "", fmt.Errorf("%s names no folder", file)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(base, target)
	}
	return filepath.Clean(target), nil
}

// Repo is one worktree of a repository. It is safe for concurrent use and keeps
// no answer of git: each call asks again.
type Repo struct {
	root       string
	gitDir     string
	ignoreCase bool // the file system takes .GIT for .git

	programMu  sync.Mutex
	program    string // the resolved path of git, empty until it is needed
	programErr error  // why there is none

	mu     sync.Mutex
	stores map[string]bool // object folders of tree computations, for reading
}

// Open returns the worktree at root. It starts no process. The error is an
// [ErrNotRepository] when root has no repository of its own.
func Open(root string) (*Repo, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	dir, err := gitDir(abs)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNotRepository, abs, err)
	}
	r := &Repo{root: abs, gitDir: dir, stores: map[string]bool{}}
	if a, err := os.Lstat(filepath.Join(abs, ".git")); err == nil {
		b, err := os.Lstat(filepath.Join(abs, ".GIT"))
		r.ignoreCase = err == nil && os.SameFile(a, b)
	}
	r.addStore(filepath.Join(abs, filepath.FromSlash(document.StateFolder), "tree", "objects"))
	return r, nil
}

// Root returns the absolute path of the worktree.
func (r *Repo) Root() string { return r.root }

// GitDir returns the absolute path of the worktree's own Git folder: HEAD and
// index lie there.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir returns the absolute path of the folder that all worktrees of the
// repository share. It starts no process.
func (r *Repo) CommonDir() (string, error) {
	dir, err := readPointer(filepath.Join(r.gitDir, "commondir"), "", r.gitDir)
	if errors.Is(err, fs.ErrNotExist) {
		return r.gitDir, nil
	}
	return dir, err
}

// addStore makes the trees of an object folder readable for later calls.
func (r *Repo) addStore(dir string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stores[dir] = true
}
