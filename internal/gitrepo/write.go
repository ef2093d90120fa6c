package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// git runs a process on an index below the temporary folder, with an object folder of
// our own and the user's objects for reading. Patterns of a sparse checkout are not
// applied unless c.set says so.
func (c *computation) git(ctx context.Context, index string, k call) (output, error) {
	common, err := c.repo.CommonDir()
	if err != nil {
		return output{}, err
	}
	set := map[string]string{"core.sparseCheckout": "false"}
	maps.Copy(set, k.set)
	k.set = set
	k.env = append(k.env,
		"GIT_INDEX_FILE="+index,
		"GIT_OBJECT_DIRECTORY="+c.objects(),
		alternates([]string{filepath.Join(common, "objects")}),
	)
	return c.repo.run(ctx, k)
}

// objects returns our object folder.
func (c *computation) objects() string { return filepath.Join(c.scope.store, "objects") }

// index writes an index file with these entries.
func (c *computation) index(name string, entries []final) (file string, err error) {
	tmp, err := c.temp()
	if err != nil {
		return "", err
	}
	b, err := encodeIndex(entries, c.idLength())
	if err != nil {
		return "", err
	}
	file = filepath.Join(tmp, name)
	return file, os.WriteFile(file, b, 0o600)
}

// findSparse decides which entries a sparse checkout leaves out. The patterns are
// applied by git itself, to an index without flags and in an empty folder, since the
// flags of the user's index can be set by hand.
func (c *computation) findSparse(ctx context.Context) error {
	known := c.next.sparse // "" also when other paths are tracked now
	c.next.sparse = ""
	if c.known.sparse == "" && !c.config.isTrue("core.sparsecheckout") {
		return nil
	}
	if c.config.isTrue("core.sparsecheckout") {
		d := newDigest()
		cone, _ := c.config.get("core.sparsecheckoutcone")
		d.add(cone)
		d.addFile("patterns", filepath.Join(c.repo.gitDir, "info", "sparse-checkout"))
		c.next.sparse = d.sum()
		if c.next.sparse == known {
			return nil
		}
	}
	c.stale = c.stale || c.next.sparse != c.known.sparse
	left := map[string]bool{}
	if c.next.sparse != "" {
		var err error
		if left, err = c.leftOut(ctx); err != nil {
			return err
		}
	}
	for i := range c.next.entries {
		c.next.entries[i].sparse = left[c.next.entries[i].path]
	}
	return nil
}

func (c *computation) leftOut(ctx context.Context) (map[string]bool, error) {
	all := make([]final, len(c.next.entries))
	for i, e := range c.next.entries {
		all[i] = final{e.path, object{e.mode, e.oid}}
	}
	index, err := c.index("sparse", all)
	if err != nil {
		return nil, err
	}
	empty := filepath.Join(c.tmp, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		return nil, err
	}
	tree, err := c.git(ctx, index, call{args: []string{"write-tree", "--missing-ok"}})
	if err != nil {
		return nil, err
	}
	run := func(args ...string) (output, error) {
		return c.git(ctx, index, call{
			args: args,
			env:  []string{"GIT_WORK_TREE=" + empty},
			set:  map[string]string{"core.sparseCheckout": "true"},
		})
	}
	if _, err := run("read-tree", "-m", "-u", strings.TrimSpace(tree.stdout)); err != nil {
		return nil, err
	}
	out, err := run("ls-files", "-z", "-t")
	if err != nil {
		return nil, err
	}
	left := map[string]bool{}
	for _, line := range fields(out.stdout) {
		if name, ok := strings.CutPrefix(line, "S "); ok {
			left[name] = true
		}
	}
	return left, nil
}

// hash lets git read the files that must be read, and notes what the tree has there.
// Nothing is stored. The index for that has what the user's has at these paths, since
// git leaves line ends alone that are stored already, and the attributes, which it
// takes from there when they are not in the work tree.
func (c *computation) hash(ctx context.Context) error {
	if len(c.fed) == 0 {
		return nil
	}
	c.stale = true
	feed := make(map[string]bool, len(c.fed))
	for _, name := range c.fed {
		feed[name] = true
	}
	var staged []final
	for i := range c.next.entries {
		if e := &c.next.entries[i]; feed[e.path] || isAttributes(e.path) {
			staged = append(staged, final{e.path, object{e.mode, e.oid}})
		}
	}
	index, err := c.index("index", staged)
	if err != nil {
		return err
	}
	out, err := c.git(ctx, index, call{
		args:  []string{"update-index", "--info-only", "--add", "--remove", "--replace", "-z", "--stdin"},
		stdin: strings.NewReader(strings.Join(c.fed, "\x00") + "\x00"),
	})
	var e *Error
	if err != nil && (!errors.As(err, &e) || e.Exit < 0) {
		return err
	}
	// A filter that fails does not always make git fail.
	if said := complaints(out.stderr); err != nil || len(said) > 0 {
		c.unknown = append(c.unknown, c.unreadable()...)
		c.unknown = append(c.unknown, said...)
		if len(c.unknown) == 0 {
			return err
		}
		return nil
	}
	return c.take(index, feed)
}

// take notes what git made of the files that it read.
func (c *computation) take(index string, fed map[string]bool) error {
	b, err := os.ReadFile(index)
	if err != nil {
		return err
	}
	list, err := decodeIndex(b, c.idLength())
	if err != nil {
		return err
	}
	read := make(map[string]object, len(list))
	for _, f := range list {
		read[f.path] = f.object
	}
	extras := c.next.extras[:0]
	for _, x := range c.next.extras {
		if fed[x.path] {
			x.object = read[x.path]
		}
		if x.oid != "" { // else it was removed in the meantime
			extras = append(extras, x)
		}
	}
	c.next.extras = extras
	for _, name := range c.fed {
		if e := c.entry(name); e != nil {
			if c.set(e, read[name]); e.work.oid == "" {
				e.fp = fingerprint{}
			}
		}
	}
	return nil
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

// write computes the id of the tree, and stores what it has that known.tree has not.
func (c *computation) write(ctx context.Context) error {
	c.touchExtras()
	if len(c.touched) == 0 && c.known.tree != "" {
		c.next.tree = c.known.tree
		return nil
	}
	c.stale = true
	const few = 100 // objects that are cheaper to write than git is to start
	dirs := folders(c.touched)
	if c.known.tree == "" || len(dirs) > few {
		// Git finds out which ones it has already.
		index, err := c.index("final", c.finals())
		if err != nil {
			return err
		}
		out, err := c.git(ctx, index, call{args: []string{"write-tree", "--missing-ok"}})
		c.next.tree = strings.TrimSpace(out.stdout)
		return err
	}
	tmp, err := c.temp()
	if err != nil {
		return err
	}
	t := treeBuilder{idLength: c.idLength(), objects: c.objects(), tmp: tmp, store: dirs}
	c.next.tree, err = t.build(c.finals(), "")
	return err
}

// touchExtras notes the untracked paths at which the tree differs from known.tree.
func (c *computation) touchExtras() {
	for _, x := range c.next.extras {
		if was, ok := findExtra(c.known.extras, x.path); !ok || was.object != x.object {
			c.touched = append(c.touched, x.path)
		}
	}
	for _, x := range c.known.extras {
		if _, ok := findExtra(c.next.extras, x.path); !ok {
			c.touched = append(c.touched, x.path)
		}
	}
}

// finals returns the paths of the tree, sorted.
func (c *computation) finals() []final {
	all := make([]final, 0, len(c.next.entries)+len(c.next.extras))
	extras := c.next.extras
	for i := range c.next.entries {
		e := &c.next.entries[i]
		if e.work.oid == "" {
			continue
		}
		for len(extras) > 0 && extras[0].path < e.path {
			all = append(all, extras[0].final)
			extras = extras[1:]
		}
		all = append(all, final{e.path, e.work})
	}
	for _, x := range extras {
		all = append(all, x.final)
	}
	return all
}

// keep leaves for the next computation what this one knows, but for what had not
// come to rest when it began. Where that cannot be written, the next one takes longer.
func (c *computation) keep() {
	tmp, err := c.temp()
	if err != nil {
		return
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
	if n.save(c.scope.store, tmp) == nil {
		sweep(c.scope.store)
	}
}
