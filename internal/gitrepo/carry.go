package gitrepo

import (
	"context"
	"fmt"
	"slices"
)

// maxCarried bounds, in bytes, the trees that are taken along for one.
const maxCarried = 4 << 20

// Carry returns those tree objects of a tree, by their ids and as Git hashes them, that
// another tree has not at the same place. Where both are known, whoever has the other
// one and these can compare the two. A tree that differs in more than 4 MiB of tree
// objects is an error.
func (o *Objects) Carry(ctx context.Context, id, other string) (map[string][]byte, error) {
	c := carrying{objects: o, trees: map[string][]byte{}}
	a, err := o.treeAt(ctx, id)
	if err != nil {
		return nil, err
	}
	b, err := o.treeAt(ctx, other)
	if err != nil {
		return nil, err
	}
	return c.trees, c.take(ctx, a.id, b.id)
}

type carrying struct {
	objects *Objects
	trees   map[string][]byte
	size    int
}

func (c *carrying) take(ctx context.Context, id, other string) error {
	if _, done := c.trees[id]; done || id == other || id == EmptyTree(id) {
		return nil
	}
	read, err := c.objects.read(ctx, id)
	if err == nil {
		err = read[0].must("tree")
	}
	if err != nil {
		return err
	}
	if c.size += len(read[0].content); c.size > maxCarried {
		return fmt.Errorf("the tree %s differs in more than %d bytes of folders", id, maxCarried)
	}
	c.trees[id] = read[0].content
	lists, err := c.objects.entries(ctx, id, other)
	if err != nil {
		return err
	}
	for _, e := range lists[0] {
		if !e.isFolder() {
			continue
		}
		there := ""
		if i := slices.IndexFunc(lists[1], func(f treeEntry) bool { return f.name == e.name && f.isFolder() }); i >= 0 {
			there = lists[1][i].id()
		}
		if err := c.take(ctx, e.id(), there); err != nil {
			return err
		}
	}
	return nil
}

// Add makes trees readable that the repository does not have, by their ids and as Git
// hashes them. One that does not have its id is an [*ObjectError].
func (o *Objects) Add(trees map[string][]byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, content := range trees {
		if !isID(id) {
			return &ObjectError{ID: id, What: "is no id"}
		}
		v := verified{id: id, kind: "tree", content: content}
		if err := v.verify(); err != nil {
			return err
		}
		if o.added == nil {
			o.added = map[string]verified{}
		}
		o.added[id] = v
	}
	return nil
}
