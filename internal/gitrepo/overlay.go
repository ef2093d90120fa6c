package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Overlay makes the files at paths, relative to the root, in dir what they are
// in the work tree now: copied with their permissions, symbolic links as links,
// and removed where the work tree has none. With a tree, a path that the work tree
// has must also be an entry of it, so that ignored and ambient files stay out. It
// follows no symbolic link, neither here nor in dir. Submodules are not copied.
func (r *Repo) Overlay(ctx context.Context, tree string, paths []string, dir string) error {
	if len(paths) == 0 {
		return nil
	}
	var entries map[string]bool
	if tree != "" {
		var err error
		if entries, err = r.entries(ctx, tree); err != nil {
			return err
		}
	}
	from, err := os.OpenRoot(r.root)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer to.Close()
	for _, name := range paths {
		if !localPath(name) {
			return fmt.Errorf("not a path inside the repository: %q", name)
		}
		info, err := lstatIn(from, name)
		if err != nil {
			return err
		}
		if info != nil && entries != nil && !entries[name] {
			return fmt.Errorf("%s is no part of the tree %s", name, tree)
		}
		if info != nil && info.IsDir() {
			// No file: a folder took its place, or it is a submodule.
			if there, err := lstatIn(to, name); err != nil || there != nil && there.IsDir() {
				if err != nil {
					return err
				}
				continue
			}
			info = nil
		}
		if err := clearWay(to, name); err != nil {
			return err
		}
		if info == nil {
			continue
		}
		if err := copyIn(from, to, name, info); err != nil {
			return fmt.Errorf("copy %s: %w", name, err)
		}
	}
	return nil
}

// entries returns the paths of a tree.
func (r *Repo) entries(ctx context.Context, tree string) (map[string]bool, error) {
	all, err := r.Changed(ctx, "", tree)
	if err != nil {
		return nil, err
	}
	set := make(map[string]bool, len(all))
	for _, c := range all {
		set[c.Path] = true
	}
	return set, nil
}

// lstatIn returns what lies at name, nil where nothing does or where a folder on
// the way is a link.
func lstatIn(root *os.Root, name string) (fs.FileInfo, error) {
	for i, c := range name + "/" {
		if c != '/' {
			continue
		}
		info, err := root.Lstat(name[:i])
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if i == len(name) {
			return info, nil
		}
		if !info.IsDir() {
			return nil, nil
		}
	}
	return nil, nil
}

// clearWay removes what lies at name and whatever is no folder on the way to it.
func clearWay(root *os.Root, name string) error {
	for i, c := range name {
		if c != '/' {
			continue
		}
		info, err := root.Lstat(name[:i])
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return root.Remove(name[:i])
		}
	}
	return root.RemoveAll(name)
}

func copyIn(from, to *os.Root, name string, info fs.FileInfo) error {
	if parent := path.Dir(name); parent != "." {
		if err := to.MkdirAll(parent, 0o777); err != nil {
			return err
		}
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := from.Readlink(name)
		if err != nil {
			return err
		}
		return to.Symlink(target, name)
	case !info.Mode().IsRegular():
		return fmt.Errorf("not a file: %s", strings.TrimSpace(info.Mode().Type().String()))
	}
	in, err := from.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
