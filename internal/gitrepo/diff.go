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

// Changed is [Objects.Changed] for one comparison.
func (r *Repo) Changed(ctx context.Context, from, to string) ([]Change, error) {
	o := r.Objects()
	defer o.Close()
	return o.Changed(ctx, from, to)
}

// File is [Objects.File] for one file.
func (r *Repo) File(ctx context.Context, rev, name string) ([]byte, bool, error) {
	o := r.Objects()
	defer o.Close()
	return o.File(ctx, rev, name)
}

// Changed returns the paths that differ between two trees, or commits, sorted by
// path. Trees that [Repo.Tree] computed are found though their blobs are not
// stored. An empty from stands for the tree without entries.
func (o *Objects) Changed(ctx context.Context, from, to string) ([]Change, error) {
	if err := checkRevision(to); err != nil {
		return nil, err
	}
	if from == to {
		return nil, nil
	}
	var a tree
	if from != "" {
		var err error
		if a, err = o.treeAt(ctx, from); err != nil {
			return nil, err
		}
	}
	b, err := o.treeAt(ctx, to)
	if err != nil || a.id == b.id {
		return nil, err
	}
	c := comparison{objects: o}
	if err := c.trees(ctx, "", a.entries, b.entries); err != nil {
		return nil, err
	}
	slices.SortFunc(c.changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return c.changes, nil
}

// Bounds of what a comparison lists. A few small trees that hold each other many times
// can have more paths than there is memory.
const (
	maxChangedPath  = 16 << 10  // bytes of a path
	maxChangedPaths = 512 << 20 // bytes of all changes
	changeOverhead  = 256       // bytes of a change besides its path
)

var errTooManyPaths = errors.New("more paths than can be listed")

// comparison gathers what differs between two trees.
type comparison struct {
	objects *Objects
	changes []Change
	size    int // bytes
}

// trees compares two folders, dir being their path with a slash at the end, or "".
func (c *comparison) trees(ctx context.Context, dir string, from, to []treeEntry) error {
	if len(dir) > maxChangedPath {
		return fmt.Errorf("%w: one has more than %d bytes", errTooManyPaths, maxChangedPath)
	}
	var folders [][2]treeEntry
	for len(from) > 0 || len(to) > 0 {
		var a, b treeEntry // the zero value stands for none
		order := first(from, to)
		if order <= 0 {
			a, from = from[0], from[1:]
		}
		if order >= 0 {
			b, to = to[0], to[1:]
		}
		switch {
		case a == b:
		case a.isFolder() || b.isFolder(): // and so is the other, or there is none
			folders = append(folders, [2]treeEntry{a, b})
		default:
			if err := c.add(changeOf(dir, a, b)); err != nil {
				return err
			}
		}
	}
	for some := range slices.Chunk(folders, maxAsked/2) {
		ids := make([]string, 0, maxAsked)
		for _, f := range some {
			ids = append(ids, f[0].id(), f[1].id())
		}
		lists, err := c.objects.entries(ctx, ids...)
		if err != nil {
			return err
		}
		for i, f := range some {
			name := cmp.Or(f[0].name, f[1].name)
			if err := c.trees(ctx, dir+name+"/", lists[2*i], lists[2*i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// first tells which of two lists, not both empty, has the entry that comes next: -1
// from, 1 to, 0 both.
func first(from, to []treeEntry) int {
	switch {
	case len(to) == 0:
		return -1
	case len(from) == 0:
		return 1
	}
	return from[0].compare(to[0])
}

// changeOf returns how what is no folder differs.
func changeOf(dir string, a, b treeEntry) Change {
	c := Change{
		Path: dir + cmp.Or(a.name, b.name), Status: 'M',
		Old: a.id(), New: b.id(), OldMode: a.octal(), NewMode: b.octal(),
	}
	switch {
	case a == treeEntry{}:
		c.Status = 'A'
	case b == treeEntry{}:
		c.Status = 'D'
	case a.kind() != b.kind():
		c.Status = 'T'
	}
	return c
}

func (c *comparison) add(change Change) error {
	if c.size += len(change.Path) + changeOverhead; c.size > maxChangedPaths {
		return errTooManyPaths
	}
	c.changes = append(c.changes, change)
	return nil
}

// tree is a tree object. The zero value has no entries.
type tree struct {
	id      string
	entries []treeEntry
}

// treeAt returns the tree of a tree, a commit, a tag or what names one. Git resolves
// names; the way from a commit to its tree is read here, since the commit may be
// altered.
func (o *Objects) treeAt(ctx context.Context, rev string) (tree, error) {
	if err := checkRevision(rev); err != nil {
		return tree{}, err
	}
	id := strings.TrimSuffix(rev, "^{tree}")
	if !isID(id) {
		var err error
		if id, err = o.repo.resolve(ctx, id, ""); err != nil {
			return tree{}, err
		}
	}
	for id != EmptyTree(id) {
		read, err := o.read(ctx, id)
		if err != nil {
			return tree{}, err
		}
		switch got := read[0]; got.kind {
		case "tree":
			entries, err := treeEntries(id, got.content)
			return tree{id, entries}, err
		case "commit":
			if id, err = firstField(id, "tree ", got); err != nil {
				return tree{}, err
			}
			lists, err := o.entries(ctx, id)
			if err != nil {
				return tree{}, err
			}
			return tree{id, lists[0]}, nil
		case "tag":
			if id, err = firstField(id, "object ", got); err != nil {
				return tree{}, err
			}
		default:
			return tree{}, &ObjectError{ID: id, What: "is a " + got.kind + ", not a commit or tree"}
		}
	}
	return tree{id: id}, nil
}

// firstField returns the id that a commit or tag has in its first line, after name.
func firstField(id, name string, from verified) (string, error) {
	line, _, _ := strings.Cut(string(from.content), "\n")
	next, ok := strings.CutPrefix(line, name)
	if !ok || !isID(next) || len(next) != len(id) {
		return "", &ObjectError{ID: id, What: "is no well-formed " + from.kind}
	}
	return next, nil
}

// entries returns the entries of the trees with these ids, at most maxAsked; none for
// the id "".
func (o *Objects) entries(ctx context.Context, ids ...string) ([][]treeEntry, error) {
	lists := make([][]treeEntry, len(ids))
	var stored []string
	var at []int
	for i, id := range ids {
		if id != "" && id != EmptyTree(id) { // which git does not store
			stored, at = append(stored, id), append(at, i)
		}
	}
	read, err := o.read(ctx, stored...)
	if err != nil {
		return nil, err
	}
	for i, got := range read {
		if err := got.must("tree"); err != nil {
			return nil, err
		}
		if lists[at[i]], err = treeEntries(got.id, got.content); err != nil {
			return nil, err
		}
	}
	return lists, nil
}

func treeEntries(id string, content []byte) ([]treeEntry, error) {
	entries, err := parseTree(string(content), len(id))
	if err != nil {
		return nil, &ObjectError{ID: id, What: "is no well-formed tree", Err: err}
	}
	return entries, nil
}

// File returns the content of path, relative to the root, at a revision: what is
// stored, without conversions. The result is false where there is no such file,
// or something else (a folder, a submodule) in its place; of a symbolic link, it
// is the target. The error says that the revision does not exist or that the
// content cannot be read.
func (o *Objects) File(ctx context.Context, rev, name string) ([]byte, bool, error) {
	e, ok, err := o.entry(ctx, rev, name)
	if err != nil || !ok || !e.isContent() {
		return nil, false, err
	}
	return o.blob(ctx, e.id())
}

// Has reports whether there is anything at path, relative to the root, at a revision: a
// file, a link, a submodule, or a folder that holds some. A tree that was computed has
// no blobs stored, and needs none for it.
func (o *Objects) Has(ctx context.Context, rev, name string) (bool, error) {
	_, ok, err := o.entry(ctx, rev, name)
	return ok, err
}

// entry finds what is at a path.
func (o *Objects) entry(ctx context.Context, rev, name string) (treeEntry, bool, error) {
	if !localPath(name) {
		return treeEntry{}, false, fmt.Errorf("not a path inside the repository: %q", name)
	}
	t, err := o.treeAt(ctx, rev)
	if err != nil {
		return treeEntry{}, false, err
	}
	entries := t.entries
	for {
		part, rest, more := strings.Cut(name, "/")
		i := slices.IndexFunc(entries, func(e treeEntry) bool { return e.name == part })
		if i < 0 || more && !entries[i].isFolder() {
			return treeEntry{}, false, nil
		}
		if !more {
			return entries[i], true, nil
		}
		lists, err := o.entries(ctx, entries[i].id())
		if err != nil {
			return treeEntry{}, false, err
		}
		entries, name = lists[0], rest
	}
}

func (o *Objects) blob(ctx context.Context, id string) ([]byte, bool, error) {
	read, err := o.read(ctx, id)
	if err == nil {
		err = read[0].must("blob")
	}
	if err != nil {
		return nil, false, err
	}
	return read[0].content, true, nil
}

// localPath reports whether name is a clean, relative path with slashes that
// stays inside.
func localPath(name string) bool {
	return name != "" && name != "." && name != ".." && path.Clean(name) == name && !path.IsAbs(name) &&
		!strings.HasPrefix(name, "../") && !strings.Contains(name, "\x00")
}
