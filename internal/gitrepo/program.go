package gitrepo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Program is a git program.
type Program struct {
	Path   string // absolute, symbolic links resolved
	Digest string // SHA-256 of the file, 64 hex digits
}

// Program returns the git that this worktree uses: the one of [Repo.UseProgram], else
// the first on PATH. The digest is of that one file, read anew in each call; what it
// starts in turn (its exec path, ssh) is not covered. A file of 4 MB takes 2 to 3 ms.
func (r *Repo) Program() (Program, error) {
	path, err := r.lookGit()
	if err != nil {
		return Program{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return Program{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return Program{}, fmt.Errorf("digest of %s: %w", path, err)
	}
	return Program{Path: path, Digest: hex.EncodeToString(h.Sum(nil))}, nil
}

// UseProgram makes path the git of this worktree and of the repositories in it,
// whatever PATH says, from the next process on. The path must be absolute and lead to
// an executable file that does not lie in the worktree.
func (r *Repo) UseProgram(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("the git program %q is no absolute path", path)
	}
	program, err := r.checkProgram(path)
	if err != nil {
		return err
	}
	r.programMu.Lock()
	defer r.programMu.Unlock()
	r.program = program
	return nil
}

// lookGit returns the git to start, which is found on PATH once.
func (r *Repo) lookGit() (string, error) {
	r.programMu.Lock()
	defer r.programMu.Unlock()
	if r.program != "" {
		return r.program, nil
	}
	if r.programErr != nil {
		return "", r.programErr
	}
	path, err := exec.LookPath("git")
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		path, err = r.checkProgram(path)
	}
	if err != nil {
		r.programErr = err
		return "", err
	}
	r.program = path
	return path, nil
}

// checkProgram returns the file that path leads to. One inside the worktree is
// refused, and so is a link there: it would be a part of what is to be judged.
func (r *Repo) checkProgram(path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	for _, p := range []string{path, filepath.Join(dir, filepath.Base(path)), resolved} {
		for _, root := range []string{r.root, r.realRoot()} {
			if rel, err := filepath.Rel(root, p); err == nil && filepath.IsLocal(rel) {
				return "", fmt.Errorf("the git program lies inside the worktree: %s", path)
			}
		}
	}
	info, err := os.Lstat(resolved)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		return "", fmt.Errorf("the git program is no executable file: %s", path)
	}
	return resolved, nil
}

// realRoot returns the root with symbolic links resolved.
func (r *Repo) realRoot() string {
	if resolved, err := filepath.EvalSymlinks(r.root); err == nil {
		return resolved
	}
	return r.root
}

// openInner returns the worktree at root, below r's, with r's git: a program inside
// of r must not become the judge of what lies deeper.
func (r *Repo) openInner(root string) (*Repo, error) {
	inner, err := Open(root)
	if err != nil {
		return nil, err
	}
	program, err := r.lookGit()
	if err != nil {
		return nil, err
	}
	inner.program = program
	return inner, nil
}
