package gitrepo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Bounds of ambient files.
const (
	MaxAmbient      = 20_000  // paths
	MaxAmbientBytes = 8 << 20 // of a file whose content is read
)

// AmbientLimitError says that there are more untracked files than can be watched.
type AmbientLimitError struct{ Count int }

func (e *AmbientLimitError) Error() string {
	return fmt.Sprintf("%d untracked files, more than the %d that can be watched; ignore or remove what does not belong here", e.Count, MaxAmbient)
}

// Ambient returns the paths that are neither tracked nor ignored, those in populated
// submodules included, each with a digest of its content:
//
//	sha256:…      of the content
//	stat:…        of size and times, where it has more than MaxAmbientBytes
//	link:…        of a symbolic link's target
//	repository:…  of a nested repository's head and status; the path ends in a slash
//
// The error is an [AmbientLimitError] when there are more than MaxAmbient.
func (r *Repo) Ambient(ctx context.Context) (map[string]string, error) {
	found := map[string]string{}
	if err := r.ambient(ctx, "", found); err != nil {
		return nil, err
	}
	return found, nil
}

// ambient adds the untracked paths of r to found, with prefix before each.
func (r *Repo) ambient(ctx context.Context, prefix string, found map[string]string) error {
	l, err := r.list(ctx, true)
	if err != nil {
		return err
	}
	if len(l.unknown) > 0 {
		return fmt.Errorf("list untracked files: %s", l.unknown[0])
	}
	entries := make([]entry, len(l.tracked))
	for i, t := range l.tracked {
		entries[i].tracked = t
	}
	c := computation{next: cache{entries: entries}}
	names := slices.Concat(l.untracked, hiding(scanPaths(r.root, entries).ignores, c.isTracked, l.untracked))
	if n := len(names) + len(found); n > MaxAmbient {
		return &AmbientLimitError{Count: n}
	}
	for _, name := range names {
		digest, err := r.ambientDigest(ctx, name, lstat(r.root+"/"+strings.TrimSuffix(name, "/")))
		if err != nil {
			return err
		}
		if digest != "" {
			found[prefix+name] = digest
		}
	}
	for _, t := range l.tracked {
		if t.mode != gitlinkMode {
			continue
		}
		sub, err := r.openInner(filepath.Join(r.root, filepath.FromSlash(t.path)))
		if err != nil {
			continue // not populated
		}
		if err := sub.ambient(ctx, prefix+t.path+"/", found); err != nil {
			return fmt.Errorf("submodule %s: %w", t.path, err)
		}
	}
	return nil
}

// ambientDigest returns the digest of one path, "" when there is nothing.
func (r *Repo) ambientDigest(ctx context.Context, name string, fp fingerprint) (string, error) {
	file := filepath.Join(r.root, filepath.FromSlash(name))
	switch {
	case fp.kind == folder && strings.HasSuffix(name, "/"):
		return r.nestedDigest(ctx, file)
	case fp.kind == symlink:
		target, err := os.Readlink(file)
		if err != nil {
			return gone(err)
		}
		d := newDigest()
		d.add(target)
		return "link:" + d.sum(), nil
	case fp.kind == regular && fp.size > MaxAmbientBytes:
		d := newDigest()
		d.add(strconv.FormatInt(fp.size, 10), strconv.FormatInt(fp.mtime, 10), strconv.FormatInt(fp.ctime, 10))
		return "stat:" + d.sum(), nil
	case fp.kind == regular:
		f, err := os.Open(file)
		if err != nil {
			return gone(err)
		}
		defer f.Close()
		h := sha256.New()
		if _, err := io.Copy(h, f); err != nil {
			return "", err
		}
		return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
	}
	return "", nil
}

// gone turns the error of a file that was removed in the meantime into no digest.
func gone(err error) (string, error) {
	if os.IsNotExist(err) {
		return "", nil
	}
	return "", err
}

// nestedDigest digests the head of a nested repository and what its status lists,
// with the fingerprints of these paths.
func (r *Repo) nestedDigest(ctx context.Context, root string) (string, error) {
	sub, err := r.openInner(root)
	if err != nil {
		return "repository:unreadable", nil //nolint:nilerr // that is what it is
	}
	out, err := sub.git(ctx, "status", "--porcelain=v2", "--branch", "--no-ahead-behind", "--untracked-files=all", "--no-renames", "-z")
	if err != nil {
		return "", err
	}
	d := newDigest()
	for _, line := range fields(out) {
		d.add(line)
		// "1 XY …" has eight fields before the path, "u XY …" ten, "? " none.
		if skip := map[byte]int{'1': 8, 'u': 10, '?': 1}[line[0]]; skip > 0 {
			if parts := strings.SplitN(line, " ", skip+1); len(parts) > skip {
				d.addFingerprint("path", lstat(filepath.Join(root, filepath.FromSlash(parts[skip]))))
			}
		}
	}
	return "repository:" + d.sum(), nil
}

// lookAtAmbient finds the ambient paths that are not what they were.
func (c *computation) lookAtAmbient(ctx context.Context) error {
	if c.scope.inner {
		return nil
	}
	names := make([]string, 0, len(c.scope.ambient))
	for name := range c.scope.ambient {
		names = append(names, name)
	}
	slices.Sort(names)
	known := make(map[string]ambientSeen, len(c.known.ambient))
	for _, a := range c.known.ambient {
		known[a.path] = a
	}
	p := newPathfinder(c.repo.root)
	defer p.close()
	for _, name := range names {
		fp := p.look(strings.TrimSuffix(name, "/"))
		seen, ok := known[name]
		if !ok || seen.fp != fp || fp.kind == folder {
			digest, err := c.repo.ambientDigest(ctx, name, fp)
			if err != nil {
				if ctx.Err() != nil {
					return err
				}
				digest = "" // what cannot be read any more is not what it was
			}
			if fp.kind != folder {
				c.stale = c.stale || seen.fp != fp
			}
			seen = ambientSeen{path: name, fp: fp, digest: digest}
		}
		c.next.ambient = append(c.next.ambient, seen)
		if seen.digest != c.scope.ambient[name] {
			c.ambientChanged = append(c.ambientChanged, name)
		}
	}
	c.stale = c.stale || len(c.next.ambient) != len(c.known.ambient)
	return nil
}
