package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// env is the environment of the processes that compute: an index and an object
// folder of our own, the user's objects for reading.
func (c *computation) env(index string) ([]string, error) {
	common, err := c.repo.CommonDir()
	if err != nil {
		return nil, err
	}
	return []string{
		"GIT_INDEX_FILE=" + index,
		"GIT_OBJECT_DIRECTORY=" + filepath.Join(c.scope.store, "objects"),
		alternates([]string{filepath.Join(common, "objects")}),
	}, nil
}

// git runs a process on an index below the temporary folder. Patterns of a sparse
// checkout are not applied.
func (c *computation) git(ctx context.Context, index, stdin string, args ...string) (output, error) {
	env, err := c.env(index)
	if err != nil {
		return output{}, err
	}
	return c.repo.run(ctx, call{
		args:  args,
		stdin: strings.NewReader(stdin),
		env:   env,
		set:   map[string]string{"core.sparseCheckout": "false"},
	})
}

// base puts an index with the entries of the user's into the temporary folder and
// returns its path. It has neither stat data nor flags, so that git reads every
// file that it is given.
func (c *computation) base(ctx context.Context) (string, error) {
	tmp, err := c.temp()
	if err != nil {
		return "", err
	}
	index := filepath.Join(tmp, "index")
	if c.next.baseTree != "" {
		return index, nil
	}
	if c.known.base != "" {
		if err := link(filepath.Join(c.scope.store, c.known.base), index); err != nil {
			return "", err
		}
		if name, err := indexName(index); err != nil || name != c.known.base {
			return "", errors.Join(err, errCache)
		}
	}
	if !c.relist {
		c.next.base, c.next.baseTree = c.known.base, c.known.baseTree
		return index, nil
	}
	if lines := indexChanges(c.known.entries, c.next.entries); lines != "" {
		if _, err := c.git(ctx, index, lines, "update-index", "--add", "--replace", "-z", "--index-info"); err != nil {
			return "", err
		}
	}
	out, err := c.git(ctx, index, "", "write-tree", "--missing-ok")
	if err != nil {
		return "", err
	}
	if len(c.next.entries) > 0 {
		if c.next.base, err = indexName(index); err != nil {
			return "", err
		}
		if err := link(index, filepath.Join(c.scope.store, c.next.base)); err != nil && !errors.Is(err, os.ErrExist) {
			return "", err
		}
	}
	c.next.baseTree = strings.TrimSpace(out.stdout)
	return index, nil
}

// indexChanges returns the lines for update-index that turn the entries of known
// into those of now: removals first, since a file may have become a folder.
func indexChanges(known, now []entry) string {
	var removals, additions strings.Builder
	i := 0
	remove := func(e entry) {
		fmt.Fprintf(&removals, "%s %s\t%s\x00", zeroMode, strings.Repeat("0", len(e.oid)), e.path)
	}
	for _, e := range now {
		for i < len(known) && known[i].path < e.path {
			remove(known[i])
			i++
		}
		if i < len(known) && known[i].path == e.path {
			i++
			if known[i-1].tracked == e.tracked {
				continue
			}
		}
		fmt.Fprintf(&additions, "%s %s\t%s\x00", e.mode, e.oid, e.path)
	}
	for ; i < len(known); i++ {
		remove(known[i])
	}
	return removals.String() + additions.String()
}

// indexName returns the name under which an index is kept, which says what is in it.
func indexName(file string) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("index-%08x-%d", castagnoli(b), len(b)), nil
}

// link gives a file a second name; a copy does where the file system has no links.
// Git replaces an index and never writes into it, so that one is as good as the
// other.
func link(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, os.ErrExist) || errors.Is(err, os.ErrNotExist) {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), "tmp-")
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err == nil {
		err = os.Rename(out.Name(), to)
	}
	if err != nil {
		_ = os.Remove(out.Name())
	}
	return err
}

// findSparse decides which entries a sparse checkout leaves out. The patterns are
// applied by git itself, to an index without flags and in an empty folder, since the
// flags of the user's index can be set by hand.
func (c *computation) findSparse(ctx context.Context) error {
	if c.config.isTrue("core.sparsecheckout") {
		d := newDigest()
		cone, _ := c.config.get("core.sparsecheckoutcone")
		d.add(cone)
		d.addFile("patterns", filepath.Join(c.repo.gitDir, "info", "sparse-checkout"))
		c.next.sparse = d.sum()
	}
	if c.next.sparse == c.known.sparse && !c.relist {
		return nil
	}
	for i := range c.next.entries {
		c.next.entries[i].sparse = false
	}
	c.stale = true
	if c.next.sparse == "" {
		return nil
	}
	base, err := c.base(ctx)
	if err != nil {
		return err
	}
	index, empty := filepath.Join(c.tmp, "sparse"), filepath.Join(c.tmp, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		return err
	}
	if err := link(base, index); err != nil {
		if len(c.next.entries) == 0 {
			return nil
		}
		return err
	}
	env, err := c.env(index)
	if err != nil {
		return err
	}
	env = append(env, "GIT_WORK_TREE="+empty)
	if _, err := c.repo.run(ctx, call{args: []string{"read-tree", "-m", "-u", c.next.baseTree}, env: env}); err != nil {
		return err
	}
	out, err := c.repo.run(ctx, call{args: []string{"ls-files", "-z", "-t"}, env: env})
	if err != nil {
		return err
	}
	left := map[string]bool{}
	for _, line := range fields(out.stdout) {
		if name, ok := strings.CutPrefix(line, "S "); ok {
			left[name] = true
		}
	}
	for i := range c.next.entries {
		c.next.entries[i].sparse = left[c.next.entries[i].path]
	}
	return nil
}

// write lets git hash what must be read and write the tree.
func (c *computation) write(ctx context.Context) error {
	index, err := c.base(ctx)
	if err != nil {
		return err
	}
	c.stale = true
	hashed := append(c.fed, c.gone...)
	if len(hashed) > 0 {
		list := strings.Join(hashed, "\x00") + "\x00"
		out, err := c.git(ctx, index, list, "update-index", "--info-only", "--add", "--remove", "--replace", "-z", "--stdin")
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Exit < 0) {
			return err
		}
		// A filter that fails does not always make git fail.
		if said := complaints(out.stderr); err != nil || len(said) > 0 {
			c.unknown = append(c.unknown, c.unreadable()...)
			if len(c.unknown) == 0 && len(said) == 0 {
				return err
			}
			c.unknown = append(c.unknown, said...)
			return nil
		}
	}
	direct := c.directEntries()
	if direct != "" {
		if _, err := c.git(ctx, index, direct, "update-index", "--add", "--replace", "-z", "--index-info"); err != nil {
			return err
		}
	}
	if len(hashed) == 0 && direct == "" {
		c.next.tree = c.next.baseTree
		return nil
	}
	out, err := c.git(ctx, index, "", "write-tree", "--missing-ok")
	if err != nil {
		return err
	}
	c.next.tree = strings.TrimSpace(out.stdout)
	return c.markDirty(ctx)
}

// directEntries returns the lines for update-index about paths that git must not
// look at: see hidden, and repositories.
func (c *computation) directEntries() string {
	var b strings.Builder
	zero := strings.Repeat("0", len(c.next.baseTree))
	for _, name := range c.hidden {
		fmt.Fprintf(&b, "%s %s\t%s\x00", zeroMode, zero, name)
	}
	for _, m := range c.next.modules {
		if m.oid != m.indexed {
			fmt.Fprintf(&b, "%s %s\t%s\x00", gitlinkMode, m.oid, m.path)
		}
	}
	return b.String()
}

// unreadable names the files to be hashed that cannot be opened; git names only the
// first.
func (c *computation) unreadable() []string {
	var out []string
	for _, name := range c.fed {
		file := c.repo.root + "/" + name
		if lstat(file).kind != regular {
			continue
		}
		f, err := os.Open(file)
		if err != nil {
			out = append(out, fmt.Sprintf("%s: %v", name, errors.Unwrap(err)))
			continue
		}
		f.Close()
	}
	return out
}

// markDirty finds out which of many hashed paths are as in the index after all, so
// that they need not be hashed with every later change. For a few it is not worth a
// process.
func (c *computation) markDirty(ctx context.Context) error {
	const few = 64
	if len(c.fed) <= few {
		return nil
	}
	changes, err := c.repo.Changed(ctx, c.next.baseTree, c.next.tree)
	if err != nil {
		return err
	}
	differs := make(map[string]bool, len(changes))
	for _, ch := range changes {
		differs[ch.Path] = true
	}
	for i := range c.next.entries {
		e := &c.next.entries[i]
		e.dirty = e.dirty && differs[e.path]
	}
	return nil
}

// keep leaves for the next computation what this one knows, but for what had not
// come to rest when it began.
func (c *computation) keep() error {
	tmp, err := c.temp()
	if err != nil {
		return err
	}
	n := &c.next
	n.index = n.index.trusted(c.began)
	for i := range n.entries {
		n.entries[i].fp = n.entries[i].fp.trusted(c.began)
	}
	for i := range n.extras {
		n.extras[i].fp = n.extras[i].fp.trusted(c.began)
	}
	for i := range n.ambient {
		n.ambient[i].fp = n.ambient[i].fp.trusted(c.began)
	}
	if err := n.save(c.scope.store, tmp); err != nil {
		return err
	}
	n.sweep(c.scope.store)
	return nil
}
