package gitrepo

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// missingStamp is the stamp of a path with nothing at it.
const missingStamp = "missing"

// Stamps returns, for each path that is tracked, or neither tracked nor ignored, and
// that match takes, a stamp: a short text that is another one after the file was
// written, replaced, or renamed away and back, also when content and times are put back
// afterwards. A tracked path with nothing at it has the stamp "missing". No file is
// read, and one git process is started.
//
// It waits, for moments at most, until the files have come to rest: within one tick of
// the file system's clock a second edit leaves no trace. A file that does not come to
// rest has a stamp that no other call gives.
//
// A submodule is one path, and so is a nested repository, which ends in a slash: their
// stamps are those of the folder itself and tell nothing of the files inside. Nor does a
// stamp tell that a folder above the file was renamed away and back, or, where the
// system has no change time (Windows), that the modification time was put back.
func (r *Repo) Stamps(ctx context.Context, match func(path string) bool) (map[string]string, error) {
	l, err := r.list(ctx, true)
	if err != nil {
		return nil, err
	}
	if len(l.unknown) > 0 {
		return nil, fmt.Errorf("list the files: %s", l.unknown[0])
	}
	var paths []entry
	nested := map[string]bool{}
	for _, t := range l.tracked {
		if match(t.path) {
			paths = append(paths, entry{tracked: t})
		}
	}
	for _, name := range l.untracked {
		if match(name) {
			file := strings.TrimSuffix(name, "/")
			nested[file] = file != name
			paths = append(paths, entry{tracked: tracked{path: file}})
		}
	}
	stamps := make(map[string]string, len(paths))
	for wait := 25 * time.Millisecond; ; wait *= 2 {
		began := time.Now().UnixNano()
		restless := paths[:0]
		for i, fp := range scanPaths(r.root, paths).seen {
			name := paths[i].path
			if nested[name] {
				name += "/"
			}
			if fp.kind == barred {
				return nil, fmt.Errorf("%s: cannot be looked at", name)
			}
			stamps[name] = fp.stamp()
			if !fp.settled(began) {
				stamps[name] += fmt.Sprintf(" restless %d", began)
				restless = append(restless, paths[i])
			}
		}
		// A file system that counts seconds needs two of them.
		if paths = restless; len(paths) == 0 || wait > 2*time.Second {
			return stamps, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// stamp returns the fingerprint as text.
func (f fingerprint) stamp() string {
	if f.kind == absent || f.kind == shadowed {
		return missingStamp
	}
	return fmt.Sprintf("%d %o %d %d %d %d", f.kind, f.mode, f.inode, f.size, f.mtime, f.ctime)
}
