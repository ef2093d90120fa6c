package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/asterweave/asterweave/internal/document"
)

// TreeOptions say what belongs to the tree and where its computation keeps what
// it knows.
type TreeOptions struct {
	// StateDir is the folder below which tree/ lies; <root>/.claude/asterweave
	// when empty.
	StateDir string
	// Ambient holds the paths that were untracked at the start, with the digests
	// that Repo.Ambient gave. They are left out of the tree while they are
	// untracked.
	Ambient map[string]string
	// Scratch holds globs (doublestar, rooted, slashes) of files that runs leave
	// behind. They leave out untracked files only: a tracked file counts whatever
	// it is called.
	Scratch []string
	// Fresh makes the computation read every file, as if nothing was known.
	Fresh bool
	// Excludes asks for Tree.Excludes.
	Excludes bool
}

// Tree is the working tree as it is.
type Tree struct {
	// ID is the tree's id, 40 or 64 hex digits; empty when something is unknown.
	ID string
	// Unknown names what could not be added and why.
	Unknown []string
	// AmbientChanged holds the ambient paths whose content is no longer what it
	// was, sorted.
	AmbientChanged []string
	// Submodules holds the populated submodules and the nested repositories that
	// are part of the tree, sorted by path.
	Submodules []Submodule
	// Excludes is what [Repo.ExcludesDigest] returns, from the configuration that this
	// tree was computed with, which takes a process less than to ask for both; empty
	// unless TreeOptions asked for it.
	Excludes string
	// Settings are those that this tree was computed with.
	Settings Settings
}

// Submodule is a repository inside of the worktree.
type Submodule struct {
	Path string
	Head string // commit id
	Tree string // id of its working tree, computed like that of the whole
	// Dirty: Tree is not the tree of Head. Its entry in the whole's tree is then
	// a made-up commit id that stands for both.
	Dirty bool
}

// Tree computes the Git tree id of the working tree as it is: the tracked paths,
// and the untracked ones that are neither ignored, ambient nor scratch, with their
// content as git would store it. It is HEAD's tree when all that is committed.
//
//   - A path is tracked when the user's index has it. What the index says beyond
//     that (flags, stat data, staged content) has no influence.
//   - A tracked path that is absent counts as in the index where the repository is a
//     sparse checkout and its patterns leave the path out; else as removed.
//   - A submodule counts by its head and its working tree: see [Submodule]. One that
//     is not populated counts as in the index. So does what is tracked inside of the
//     state folder, since every record changes it.
//   - A nested repository counts like a submodule, one without commits is unknown.
//   - A .gitignore that ignores itself counts where it lies beside tracked files,
//     since it can hide others there.
//   - What git cannot add makes the tree unknown: unreadable files, failing filters,
//     devices, pipes.
//
// Ignore rules and settings outside of the tree can hide files: [Repo.ExcludesDigest]
// shows when they change.
//
// Trees are stored below StateDir, blobs are not. Any number of computations may run
// at once, and any of them may be killed.
func (r *Repo) Tree(ctx context.Context, o TreeOptions) (Tree, error) {
	for _, glob := range o.Scratch {
		if !doublestar.ValidatePattern(glob) {
			return Tree{}, fmt.Errorf("not a glob: %q", glob)
		}
	}
	dir := o.StateDir
	if dir == "" {
		dir = filepath.Join(r.root, filepath.FromSlash(document.StateFolder))
	}
	return r.tree(ctx, scope{
		store:   filepath.Join(dir, "tree"),
		ambient: o.Ambient,
		scratch: func(name string) bool {
			for _, glob := range o.Scratch {
				if doublestar.MatchUnvalidated(glob, name) {
					return true
				}
			}
			return false
		},
		fresh:    o.Fresh,
		excludes: o.Excludes,
	})
}

// scope is what TreeOptions come to for one repository: the whole, or a submodule.
type scope struct {
	store   string // folder
	ambient map[string]string
	scratch func(path string) bool
	fresh   bool
	inner   bool // a submodule: the whole looks at its ambient paths

	excludes bool // as in TreeOptions
}

func (r *Repo) tree(ctx context.Context, s scope) (Tree, error) {
	made, err := prepareStore(s.store)
	if err != nil {
		return Tree{}, err
	}
	r.addStore(filepath.Join(s.store, "objects"))
	known := &cache{}
	if !s.fresh && !made { // without its objects, what is known is of no use
		known = loadCache(s.store)
	}
	t, err := r.compute(ctx, s, known)
	if err == nil || ctx.Err() != nil || known.tree == "" {
		return t, err
	}
	// What was known may be the reason: another start from nothing.
	t, again := r.compute(ctx, s, &cache{})
	if again != nil {
		return Tree{}, errors.Join(err, again)
	}
	return t, nil
}

// prepareStore makes the folder of computations, which git is to ignore whether or
// not it already ignores the state folder, and reports whether it had to.
func prepareStore(store string) (made bool, err error) {
	ignore, objects := filepath.Join(store, ".gitignore"), filepath.Join(store, "objects")
	if lstat(ignore).kind == regular && lstat(objects).kind == folder {
		return false, nil
	}
	if err := os.MkdirAll(objects, 0o777); err != nil {
		return false, err
	}
	return true, os.WriteFile(ignore, []byte("*\n"), 0o666)
}

// compute does the work of tree: look, and when anything is not as it was, let git
// write the tree.
func (r *Repo) compute(ctx context.Context, s scope, known *cache) (Tree, error) {
	c := &computation{repo: r, scope: s, known: known}
	defer c.close()
	if err := c.look(ctx); err != nil {
		return Tree{}, err
	}
	var excludes string
	if s.excludes {
		var err error
		if excludes, err = r.excludesDigest(ctx, c.config, c.gitlinks); err != nil {
			return Tree{}, err
		}
	}
	if err := c.judge(ctx); err != nil {
		return Tree{}, err
	}
	if err := c.lookAtAmbient(ctx); err != nil {
		return Tree{}, err
	}
	if len(c.unknown) > 0 {
		c.unknown = append(c.unknown, c.unreadable()...)
	} else if err := c.hash(ctx); err != nil {
		return Tree{}, err
	}
	if len(c.unknown) == 0 {
		if err := c.write(ctx); err != nil {
			return Tree{}, err
		}
		if c.stale {
			c.keep()
		}
	}
	t := Tree{ID: c.next.tree, Unknown: c.unknown, AmbientChanged: c.ambientChanged, Submodules: c.submodules, Excludes: excludes, Settings: Settings{list: c.config}}
	if len(t.Unknown) > 0 {
		t.ID = ""
	}
	slices.Sort(t.AmbientChanged)
	slices.SortFunc(t.Submodules, func(a, b Submodule) int { return strings.Compare(a.Path, b.Path) })
	return t, nil
}
