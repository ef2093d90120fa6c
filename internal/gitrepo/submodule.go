package gitrepo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// enter returns the id that the tree has for the repository at path: a submodule, with
// the commit id that the index has for it, or an untracked nested repository, with "".
// What makes it unknown is noted, and the id is then empty.
func (c *computation) enter(ctx context.Context, path, indexed string) (oid string, err error) {
	doubt := func(format string, args ...any) (string, error) {
		c.unknown = append(c.unknown, path+": "+fmt.Sprintf(format, args...))
		return "", ctx.Err()
	}
	root := filepath.Join(c.repo.root, filepath.FromSlash(path))
	if lstat(filepath.Join(root, ".git")).kind == absent {
		if list, err := os.ReadDir(root); err != nil || len(list) > 0 {
			// Git does not look into it, so that source could hide here.
			return doubt("a submodule that is not populated, but holds files")
		}
		return indexed, nil
	}
	sub, err := c.repo.openInner(root)
	if err != nil {
		return doubt("a nested repository that cannot be opened")
	}
	head, err := sub.Head(ctx)
	switch {
	case err != nil:
		return doubt("%v", err)
	case head.Unborn:
		return doubt("a nested repository without commits")
	case len(head.Commit) != c.idLength():
		return doubt("a nested repository with another hash algorithm")
	}
	d := newDigest()
	d.add(path)
	prefix := path + "/"
	ambient := map[string]string{}
	for name, digest := range c.scope.ambient {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" {
			ambient[rest] = digest
		}
	}
	t, err := sub.tree(ctx, scope{
		store:   filepath.Join(c.scope.store, "sub", d.sum()[:16]),
		ambient: ambient,
		scratch: func(name string) bool { return c.scope.scratch(prefix + name) },
		fresh:   c.scope.fresh,
		inner:   true,
	})
	if err != nil {
		return doubt("%v", err)
	}
	for _, u := range t.Unknown {
		c.unknown = append(c.unknown, path+": "+u)
	}
	s := Submodule{Path: path, Head: head.Commit, Tree: t.ID, Dirty: t.ID != head.Tree}
	c.submodules = append(c.submodules, s)
	for _, inner := range t.Submodules {
		inner.Path = prefix + inner.Path
		c.submodules = append(c.submodules, inner)
	}
	return s.entryID(), nil
}

// gitlinks returns the paths of the tracked submodules.
func (c *computation) gitlinks() ([]string, error) {
	var links []string
	for i := range c.next.entries {
		if e := &c.next.entries[i]; e.mode == gitlinkMode {
			links = append(links, e.path)
		}
	}
	return links, nil
}

// idLength returns the number of hex digits of an id of this repository.
func (c *computation) idLength() int {
	if format, _ := c.config.get("extensions.objectformat"); format == "sha256" {
		return len(emptyTree64)
	}
	return len(emptyTree40)
}

// entryID returns the id of the submodule's entry in the whole's tree: its head, or
// when its working tree is another than the head's, an id that stands for both.
// Trees never have to contain the objects of submodules, so that no object of that
// name is needed.
func (s Submodule) entryID() string {
	if !s.Dirty {
		return s.Head
	}
	d := newDigest()
	d.add("dirty submodule", s.Head, s.Tree)
	return d.sum()[:len(s.Head)]
}
