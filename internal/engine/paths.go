package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/asterweave/asterweave/internal/gate"
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

// inside returns the full path of a path that stays below the root.
func (e *Engine) inside(p string) (string, bool) {
	if p == "" || !filepath.IsLocal(filepath.FromSlash(p)) {
		return "", false
	}
	return filepath.Join(e.o.Root, filepath.FromSlash(p)), true
}

// fingerprint returns the digest of a file's content.
func fingerprint(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no file", path)
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
