package gitrepo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// The ids of the tree without entries, by length of an id.
const (
	emptyTree40 = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	emptyTree64 = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
)

// EmptyTree returns the id of the tree without entries, of the same hash
// algorithm as the id like.
func EmptyTree(like string) string {
	if len(like) == len(emptyTree64) {
		return emptyTree64
	}
	return emptyTree40
}

// Change is one path that differs between two trees. Renames are a deletion and
// an addition.
type Change struct {
	Path    string // relative to the root, with slashes
	Status  byte   // A added, D deleted, M modified, T of another type
	Old     string // blob id, or commit id of a submodule; "" for A
	New     string // likewise; "" for D
	OldMode string // as in a tree: 100644, 100755, 120000 symbolic link, 160000 submodule; 000000 for A
	NewMode string // likewise; 000000 for D
}

// Changed returns the paths that differ between two trees, or commits, sorted by
// path. Trees that [Repo.Tree] computed are found though their blobs are not
// stored. An empty from stands for the tree without entries.
func (r *Repo) Changed(ctx context.Context, from, to string) ([]Change, error) {
	if from == "" {
		from = EmptyTree(to)
	}
	if err := checkRevision(from, to); err != nil {
		return nil, err
	}
	if from == to {
		return nil, nil
	}
	out, err := r.run(ctx, call{
		args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", "--ignore-submodules=none", from, to, "--"},
		env:  r.storesEnv(),
	})
	if err != nil {
		return nil, err
	}
	f := fields(out.stdout)
	changes := make([]Change, 0, len(f)/2)
	for i := 0; i+1 < len(f); i += 2 {
		meta := strings.Fields(strings.TrimPrefix(f[i], ":")) // two modes, two ids, status
		if len(meta) != 5 {
			return nil, fmt.Errorf("git diff-tree: unexpected line %q", f[i])
		}
		c := Change{Path: f[i+1], Status: meta[4][0], OldMode: meta[0], NewMode: meta[1], Old: meta[2], New: meta[3]}
		if strings.Trim(c.Old, "0") == "" {
			c.Old = ""
		}
		if strings.Trim(c.New, "0") == "" {
			c.New = ""
		}
		changes = append(changes, c)
	}
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return changes, nil
}

// File returns the content of path, relative to the root, at a revision: what is
// stored, without conversions. The result is false where there is no such file,
// or something else (a folder, a submodule) in its place; of a symbolic link, it
// is the target. The error says that the revision does not exist or that the
// content cannot be read.
func (r *Repo) File(ctx context.Context, rev, name string) ([]byte, bool, error) {
	if err := checkRevision(rev); err != nil {
		return nil, false, err
	}
	if !localPath(name) {
		return nil, false, fmt.Errorf("not a path inside the repository: %q", name)
	}
	out, err := r.git(ctx, "cat-file", "blob", rev+":"+name)
	if err == nil {
		return []byte(out), true, nil
	}
	var e *Error
	if !errors.As(err, &e) || e.Exit < 0 {
		return nil, false, err
	}
	// Missing, or broken? The tree knows.
	listed, lerr := r.git(ctx, "ls-tree", "-z", "--full-tree", rev, "--", name)
	if lerr != nil {
		return nil, false, lerr
	}
	for _, entry := range fields(listed) { // mode type id TAB path
		meta, p, _ := strings.Cut(entry, "\t")
		if p == name && strings.Contains(meta, " blob ") {
			return nil, false, err
		}
	}
	return nil, false, nil
}

// localPath reports whether name is a clean, relative path with slashes that
// stays inside.
func localPath(name string) bool {
	return name != "" && name != "." && name != ".." && path.Clean(name) == name && !path.IsAbs(name) &&
		!strings.HasPrefix(name, "../") && !strings.Contains(name, "\x00")
}
