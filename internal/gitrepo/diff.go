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

// noMode is the mode of a side of a change that is not there.
const noMode = "000000"

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
	for len(from) > 0 || len(to) > 0 {
		var err error
		switch order := first(from, to); {
		case order < 0:
			err = c.oneSide(ctx, dir, from[0], true)
			from = from[1:]
		case order > 0:
			err = c.oneSide(ctx, dir, to[0], false)
			to = to[1:]
		default:
			err = c.bothSides(ctx, dir, from[0], to[0])
			from, to = from[1:], to[1:]
		}
		if err != nil {
			return err
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

// oneSide notes an entry that only one of the trees has.
func (c *comparison) oneSide(ctx context.Context, dir string, e treeEntry, deleted bool) error {
	if !e.isFolder() {
		if deleted {
			return c.add(Change{Path: dir + e.name, Status: 'D', Old: e.id(), OldMode: e.octal(), NewMode: noMode})
		}
		return c.add(Change{Path: dir + e.name, Status: 'A', New: e.id(), OldMode: noMode, NewMode: e.octal()})
	}
	inside, err := c.enter(ctx, dir, e)
	if err != nil {
		return err
	}
	if deleted {
		return c.trees(ctx, dir+e.name+"/", inside, nil)
	}
	return c.trees(ctx, dir+e.name+"/", nil, inside)
}

// bothSides notes how an entry that both trees have differs: both are folders, or
// neither is.
func (c *comparison) bothSides(ctx context.Context, dir string, a, b treeEntry) error {
	if a == b {
		return nil
	}
	if !a.isFolder() {
		change := Change{Path: dir + a.name, Status: 'M', Old: a.id(), New: b.id(), OldMode: a.octal(), NewMode: b.octal()}
		if a.kind() != b.kind() {
			change.Status = 'T'
		}
		return c.add(change)
	}
	from, err := c.enter(ctx, dir, a)
	if err != nil {
		return err
	}
	to, err := c.enter(ctx, dir, b)
	if err != nil {
		return err
	}
	return c.trees(ctx, dir+a.name+"/", from, to)
}

func (c *comparison) enter(ctx context.Context, dir string, e treeEntry) ([]treeEntry, error) {
	if len(dir)+len(e.name) > maxChangedPath {
		return nil, fmt.Errorf("%w: one has more than %d bytes", errTooManyPaths, maxChangedPath)
	}
	return c.objects.entries(ctx, e.id())
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
		kind, content, err := o.read(ctx, id)
		if err != nil {
			return tree{}, err
		}
		switch kind {
		case "tree":
			entries, err := treeEntries(id, content)
			return tree{id, entries}, err
		case "commit":
			if id, err = firstField(id, kind, "tree ", content); err != nil {
				return tree{}, err
			}
			entries, err := o.entries(ctx, id)
			return tree{id, entries}, err
		case "tag":
			if id, err = firstField(id, kind, "object ", content); err != nil {
				return tree{}, err
			}
		default:
			return tree{}, &ObjectError{ID: id, What: "is a " + kind + ", not a commit or tree"}
		}
	}
	return tree{id: id}, nil
}

// firstField returns the id that a commit or tag has in its first line, after name.
func firstField(id, kind, name string, content []byte) (string, error) {
	line, _, _ := strings.Cut(string(content), "\n")
	next, ok := strings.CutPrefix(line, name)
	if !ok || !isID(next) || len(next) != len(id) {
		return "", &ObjectError{ID: id, What: "is no well-formed " + kind}
	}
	return next, nil
}

// entries returns the entries of the tree with this id.
func (o *Objects) entries(ctx context.Context, id string) ([]treeEntry, error) {
	if id == EmptyTree(id) {
		return nil, nil // git does not store it
	}
	content, err := o.object(ctx, id, "tree")
	if err != nil {
		return nil, err
	}
	return treeEntries(id, content)
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
	if !localPath(name) {
		return nil, false, fmt.Errorf("not a path inside the repository: %q", name)
	}
	t, err := o.treeAt(ctx, rev)
	if err != nil {
		return nil, false, err
	}
	entries := t.entries
	for {
		part, rest, more := strings.Cut(name, "/")
		i := slices.IndexFunc(entries, func(e treeEntry) bool { return e.name == part })
		if i < 0 || entries[i].isFolder() != more || !more && !entries[i].isContent() {
			return nil, false, nil
		}
		if !more {
			content, err := o.object(ctx, entries[i].id(), "blob")
			return content, err == nil, err
		}
		if entries, err = o.entries(ctx, entries[i].id()); err != nil {
			return nil, false, err
		}
		name = rest
	}
}

// localPath reports whether name is a clean, relative path with slashes that
// stays inside.
func localPath(name string) bool {
	return name != "" && name != "." && name != ".." && path.Clean(name) == name && !path.IsAbs(name) &&
		!strings.HasPrefix(name, "../") && !strings.Contains(name, "\x00")
}
