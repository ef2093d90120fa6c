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

	// What judge finds: paths to hash, paths to remove, and paths to remove that git
	// must not look at, since a folder or a symbolic link is in their way.
	fed, gone, hidden []string
	submodules          []Submodule

	changed bool // the tree has to be written
	stale   bool // the cache has to be written
	relist  bool // the index has other entries than known
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
		c.next.entries = slices.Clone(c.known.entries)
		c.scan = scanPaths(c.repo.root, c.next.entries)
	}
	wg.Wait()
	if err := errors.Join(lerr, confErr); err != nil {
		return err
	}
	c.unknown = append(c.unknown, l.unknown...)
	c.untracked = l.untracked
	c.next.index = index
	if !listed {
		c.next.entries, c.relist = merge(c.known.entries, l.tracked)
		c.relist = c.relist || c.known.tree == ""
		c.scan = scanPaths(c.repo.root, c.next.entries)
		c.stale = true
	}
	return nil
}

// merge returns the entries for the paths that are tracked now, with what is known
// of those that are as they were, and whether any is not.
func merge(known []entry, now []tracked) (entries []entry, differs bool) {
	entries = make([]entry, len(now))
	i := 0
	for n, t := range now {
		for i < len(known) && known[i].path < t.path {
			i++
			differs = true
		}
		if i < len(known) && known[i].path == t.path {
			if known[i].tracked == t {
				entries[n] = known[i]
			} else {
				entries[n].tracked = t
				differs = true
			}
			i++
			continue
		}
		entries[n].tracked = t
		differs = true
	}
	return entries, differs || i < len(known)
}

// isTracked reports whether the index has path.
func (c *computation) isTracked(name string) bool {
	_, ok := slices.BinarySearchFunc(c.next.entries, name, func(e entry, n string) int { return strings.Compare(e.path, n) })
	return ok
}

// judge decides for each path whether it is as it was, must be read, or is gone.
func (c *computation) judge(ctx context.Context) error {
	c.findExtras()
	c.next.conversion = c.conversion()
	if c.next.conversion != c.known.conversion {
		for i := range c.next.entries {
			c.next.entries[i].fp = fingerprint{}
		}
		c.known.extras = nil
		c.changed = true
	}
	if err := c.findSparse(ctx); err != nil {
		return err
	}
	for i := range c.next.entries {
		if err := c.judgeEntry(ctx, &c.next.entries[i], c.scan.seen[i]); err != nil {
			return err
		}
	}
	for _, name := range c.untracked {
		if nested, ok := strings.CutSuffix(name, "/"); ok && c.counts(name) {
			if err := c.enter(ctx, nested, ""); err != nil {
				return err
			}
		}
	}
	c.changed = c.changed || c.relist || c.known.tree == "" ||
		!slices.Equal(c.next.modules, c.known.modules) || !slices.Equal(c.next.extras, c.known.extras)
	if !c.changed {
		c.next.tree, c.next.base, c.next.baseTree = c.known.tree, c.known.base, c.known.baseTree
	}
	return nil
}

// counts reports whether an untracked path is part of the tree.
func (c *computation) counts(name string) bool {
	_, ambient := c.scope.ambient[name]
	return !ambient && !c.scope.scratch(strings.TrimSuffix(name, "/"))
}

// findExtras looks at the untracked paths that are part of the tree.
func (c *computation) findExtras() {
	for _, name := range slices.Concat(c.untracked, hiding(c.scan.ignores, c.isTracked, c.untracked)) {
		if strings.HasSuffix(name, "/") || !c.counts(name) {
			continue
		}
		fp := lstat(c.repo.root + "/" + name)
		switch fp.kind {
		case regular, symlink:
			c.next.extras = append(c.next.extras, extra{name, fp})
			c.fed = append(c.fed, name)
		case absent: // gone since it was listed
		default:
			c.unknown = append(c.unknown, name+": cannot be looked at")
		}
	}
}

func (c *computation) judgeEntry(ctx context.Context, e *entry, seen fingerprint) error {
	if ownFolder(e.path) {
		return nil
	}
	if e.mode == gitlinkMode && seen.kind == folder {
		return c.enter(ctx, e.path, e.oid)
	}
	switch seen.kind {
	case regular, symlink:
		if e.fp == seen {
			if e.dirty {
				c.fed = append(c.fed, e.path)
			}
			return nil
		}
		c.fed = append(c.fed, e.path)
		e.dirty = true // until its content is known
	case absent, shadowed, folder:
		if e.sparse && seen.kind == absent {
			if e.dirty {
				c.changed = true
			}
			e.fp, e.dirty = seen, false
			return nil
		}
		if seen.kind == absent {
			c.gone = append(c.gone, e.path)
		} else {
			c.hidden = append(c.hidden, e.path)
		}
		if e.dirty && e.fp.kind == seen.kind {
			return nil
		}
		seen = fingerprint{kind: seen.kind} // of a folder, nothing else matters
		e.dirty = true
	case barred:
		c.unknown = append(c.unknown, e.path+": cannot be looked at")
	default:
		c.unknown = append(c.unknown, e.path+": neither a file nor a symbolic link")
	}
	e.fp = seen
	c.changed = true
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
		if name := c.next.entries[i].path; strings.HasSuffix(name, ".gitattributes") && path.Base(name) == ".gitattributes" {
			d.addFingerprint(name, c.scan.seen[i])
		}
	}
	for _, e := range c.next.extras {
		if path.Base(e.path) == ".gitattributes" {
			d.addFingerprint(e.path, e.fp)
		}
	}
	return d.sum()
}

// converts reports whether a setting takes part in how content is stored.
func converts(key string) bool {
	switch key {
	case "core.autocrlf", "core.eol", "core.filemode", "core.symlinks", "core.attributesfile", "core.checkroundtripencoding":
		return true
	}
	return strings.HasPrefix(key, "filter.")
}
