package gitrepo

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// computation is one computation of a tree.
type computation struct {
	repo  *Repo
	scope scope
	known *cache // what the last one left
	next  cache  // what this one leaves
	began int64  // before the first path was looked at, nanoseconds since 1970

	config    settingsList
	scan      scan     // of next.entries
	untracked []string // as listed

	fed        []string // paths to hash
	touched    []string // paths at which the tree may differ from known.tree
	submodules []Submodule

	stale   bool // the cache has to be written
	unknown []string

	ambientChanged []string

	tmp string // folder of this computation, made when it is needed
}

// close removes what the computation needed for itself.
func (c *computation) close() {
	if c.tmp != "" {
		_ = os.RemoveAll(c.tmp) // sweep tries again
	}
}

// temp returns the folder of this computation.
func (c *computation) temp() (string, error) {
	if c.tmp != "" {
		return c.tmp, nil
	}
	dir, err := os.MkdirTemp(c.scope.store, "tmp-")
	if err != nil {
		return "", err
	}
	c.tmp = dir
	// Where the file system's clock is behind ours, changes have earlier times
	// than we think.
	if behind := lstat(dir).ctime - time.Now().UnixNano(); behind < 0 {
		c.began += behind
	}
	return dir, nil
}

// look gathers all that decides the tree but for contents and submodules. Git
// lists the untracked paths while the tracked ones are looked at.
func (c *computation) look(ctx context.Context) error {
	c.began = time.Now().UnixNano()
	index := lstat(filepath.Join(c.repo.gitDir, "index"))
	listed := c.known.tree != "" && c.known.index.kind != unread && c.known.index == index
	var (
		wg            sync.WaitGroup
		l             listing
		lerr, confErr error
	)
	wg.Go(func() { l, lerr = c.repo.list(ctx, !listed) })
	wg.Go(func() { c.config, confErr = c.repo.config(ctx) })
	if listed {
		c.next.entries = c.known.entries
		c.next.sparse = c.known.sparse
		c.scan = scanPaths(c.repo.root, c.next.entries)
	}
	wg.Wait()
	if err := errors.Join(lerr, confErr); err != nil {
		return err
	}
	if listed && lstat(filepath.Join(c.repo.gitDir, "index")) != index {
		// A path that was added meanwhile is neither listed nor known to be tracked.
		if l, lerr = c.repo.list(ctx, true); lerr != nil {
			return lerr
		}
		listed = false
	}
	c.unknown = append(c.unknown, l.unknown...)
	c.untracked = l.untracked
	c.next.index = index
	if !listed {
		c.merge(l.tracked)
		c.scan = scanPaths(c.repo.root, c.next.entries)
		c.stale = true
	}
	return nil
}

// merge makes the entries of the paths that are tracked now, with what is known of
// them. It keeps next.sparse only where the paths are the same.
func (c *computation) merge(now []tracked) {
	known := c.known.entries
	extras := c.known.extras
	entries := make([]entry, len(now))
	same := true
	i := 0
	for n, t := range now {
		e := &entries[n]
		e.tracked = t
		for i < len(known) && known[i].path < t.path {
			c.touched = append(c.touched, known[i].path)
			same = false
			i++
		}
		switch {
		case i < len(known) && known[i].path == t.path:
			e.work, e.sparse = known[i].work, known[i].sparse
			// What was read stays valid when the index now has it too, but not under
			// another staged content: git looks at that one's line ends.
			if known[i].tracked == t || e.work == (object{t.mode, t.oid}) {
				e.fp = known[i].fp
			}
			i++
		default:
			same = false
			if x, ok := findExtra(extras, t.path); ok {
				e.work = x.object
				if x.object == (object{t.mode, t.oid}) {
					e.fp = x.fp
				}
			}
		}
	}
	for ; i < len(known); i++ {
		c.touched = append(c.touched, known[i].path)
		same = false
	}
	c.next.entries = entries
	if same && c.known.tree != "" {
		c.next.sparse = c.known.sparse
	}
}

func findExtra(extras []extra, name string) (extra, bool) {
	i, ok := slices.BinarySearchFunc(extras, name, func(x extra, n string) int { return strings.Compare(x.path, n) })
	if !ok {
		return extra{}, false
	}
	return extras[i], true
}

// entry returns the entry of a path, nil when the index does not have it.
func (c *computation) entry(name string) *entry {
	i, ok := slices.BinarySearchFunc(c.next.entries, name, func(e entry, n string) int { return strings.Compare(e.path, n) })
	if !ok {
		return nil
	}
	return &c.next.entries[i]
}

// isTracked reports whether the index has path.
func (c *computation) isTracked(name string) bool { return c.entry(name) != nil }

// set notes what the tree has at a tracked path.
func (c *computation) set(e *entry, o object) {
	if e.work != o {
		e.work = o
		c.touched = append(c.touched, e.path)
	}
}

// judge decides for each path whether it is as it was, must be read, or is gone.
func (c *computation) judge(ctx context.Context) error {
	if err := c.findExtras(ctx); err != nil {
		return err
	}
	c.next.conversion = c.conversion()
	if c.next.conversion != c.known.conversion {
		c.forget()
	}
	if err := c.findSparse(ctx); err != nil {
		return err
	}
	for i := range c.next.entries {
		if err := c.judgeEntry(ctx, &c.next.entries[i], c.scan.seen[i]); err != nil {
			return err
		}
	}
	return nil
}

// forget makes sure that every file is read.
func (c *computation) forget() {
	c.stale = true
	c.fed = nil
	for i := range c.next.entries {
		c.next.entries[i].fp = fingerprint{}
	}
	for _, x := range c.next.extras {
		if x.mode != gitlinkMode {
			c.fed = append(c.fed, x.path)
		}
	}
}

// counts reports whether an untracked path is part of the tree.
func (c *computation) counts(name string) bool {
	_, ambient := c.scope.ambient[name]
	return !ambient && !c.scope.scratch(strings.TrimSuffix(name, "/"))
}

// findExtras looks at the untracked paths that are part of the tree.
func (c *computation) findExtras(ctx context.Context) error {
	for _, name := range slices.Concat(c.untracked, hiding(c.scan.ignores, c.isTracked, c.untracked)) {
		if !c.counts(name) {
			continue
		}
		x := extra{final: final{path: strings.TrimSuffix(name, "/")}}
		if x.path != name {
			oid, err := c.enter(ctx, x.path, "")
			if err != nil {
				return err
			}
			x.object = object{gitlinkMode, oid}
			c.next.extras = append(c.next.extras, x)
			continue
		}
		x.fp = lstat(c.repo.root + "/" + name)
		switch x.fp.kind {
		case regular, symlink:
			if known, ok := findExtra(c.known.extras, name); ok && known.fp == x.fp {
				x.object = known.object
			} else {
				c.fed = append(c.fed, name)
			}
			c.next.extras = append(c.next.extras, x)
		case absent: // gone since it was listed
		default:
			c.unknown = append(c.unknown, name+": cannot be looked at")
		}
	}
	slices.SortFunc(c.next.extras, func(a, b extra) int { return strings.Compare(a.path, b.path) })
	return nil
}

func (c *computation) judgeEntry(ctx context.Context, e *entry, seen fingerprint) error {
	if ownFolder(e.path) {
		c.set(e, object{e.mode, e.oid})
		return nil
	}
	if e.mode == gitlinkMode && seen.kind == folder {
		oid, err := c.enter(ctx, e.path, e.oid)
		c.set(e, object{gitlinkMode, oid})
		e.fp = fingerprint{}
		return err
	}
	switch seen.kind {
	case regular, symlink:
		if e.fp == seen {
			return nil
		}
		c.fed = append(c.fed, e.path)
	case absent, shadowed, folder:
		if e.sparse && seen.kind == absent {
			c.set(e, object{e.mode, e.oid})
		} else {
			c.set(e, object{})
		}
		seen = fingerprint{}
	case barred:
		c.unknown = append(c.unknown, e.path+": cannot be looked at")
	default:
		c.unknown = append(c.unknown, e.path+": neither a file nor a symbolic link")
	}
	e.fp = seen
	return nil
}

// conversion digests what decides how git stores content, besides the content: when
// it changes, every file has to be read again.
func (c *computation) conversion() string {
	d := newDigest()
	for _, s := range c.config {
		if converts(s.key) {
			d.add("config", s.key, s.value)
		}
	}
	common, err := c.repo.CommonDir()
	if err == nil {
		d.addFile("info/attributes", filepath.Join(common, "info", "attributes"))
	}
	d.addFile("attributes", c.config.path("core.attributesfile", "attributes", c.repo.root))
	for i := range c.next.entries {
		if isAttributes(c.next.entries[i].path) {
			d.addFingerprint(c.next.entries[i].path, c.scan.seen[i])
		}
	}
	for _, x := range c.next.extras {
		if isAttributes(x.path) {
			d.addFingerprint(x.path, x.fp)
		}
	}
	return d.sum()
}

func isAttributes(name string) bool {
	return strings.HasSuffix(name, ".gitattributes") && path.Base(name) == ".gitattributes"
}

// converts reports whether a setting takes part in how content is stored.
func converts(key string) bool {
	switch key {
	case "core.autocrlf", "core.eol", "core.filemode", "core.symlinks", "core.attributesfile", "core.checkroundtripencoding":
		return true
	}
	return strings.HasPrefix(key, "filter.")
}
