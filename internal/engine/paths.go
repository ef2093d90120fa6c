package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/state"
)

func (e *Engine) readPaths(f *gate.Facts, w want) {
	paths, refs := slices.Clone(w.paths), slices.Clone(w.refs)
	if f.Manifest != nil {
		paths = append(paths, f.Manifest.Paths()...)
	}
	if f.Spec != nil {
		for _, c := range f.Spec.Criteria {
			refs = append(refs, c.Refs...)
		}
	}
	for _, p := range paths {
		if full, ok := e.inside(p); ok {
			_, err := os.Lstat(full)
			f.PathExists[p] = err == nil
		}
	}
	for _, r := range refs {
		if full, ok := e.inside(r); ok {
			if digest, err := fingerprint(full); err == nil {
				f.Refs[r] = digest
			}
		}
	}
}

// readContents digests the files of the change, and of what was committed before start.
// What was deleted, and a submodule, cannot be opened and are not among them.
func (e *Engine) readContents(s *state.State, f *gate.Facts) {
	own, known := f.Changed[s.Delivery.Tree]
	before, also := f.Changed[f.World.Base]
	if !known || f.World.Base != "" && !also {
		return
	}
	f.Contents = map[string]string{}
	for _, p := range slices.Concat(own, before) {
		if full, ok := e.inside(p); ok && !f.FromBase[p] {
			switch digest, err := ContentDigest(full); {
			case err == nil:
				f.Contents[p] = digest
			case !errors.Is(err, errNoFile) && !errors.Is(err, fs.ErrNotExist):
				f.Contents[p] = "unreadable" // nobody can have seen it
			}
		}
	}
}

// ContentDigest names what is in a file, as a reviewer has to have seen it: the first
// 128 bits of its SHA-256, in hex. What is no file, or cannot be read, is an error.
func ContentDigest(path string) (string, error) {
	digest, err := fingerprint(path)
	if err != nil {
		return "", err
	}
	return digest[:32], nil
}

// inside returns the full path of a path that stays below the root.
func (e *Engine) inside(p string) (string, bool) {
	if p == "" || !filepath.IsLocal(filepath.FromSlash(p)) {
		return "", false
	}
	return filepath.Join(e.o.Root, filepath.FromSlash(p)), true
}

var errNoFile = errors.New("is no file")

// fingerprint returns the digest of a file's content.
func fingerprint(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s %w", path, errNoFile)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
