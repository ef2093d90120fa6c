package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// CheckoutAt puts a clean checkout of a commit into dir, which must not exist or
// be empty: a repository of its own that borrows the objects of this one, with a
// detached head and without branches, remotes and hooks. Settings that decide
// what files look like (line ends, filters) are the same as here. Submodules are
// checked out likewise where they are populated here, and stay empty elsewhere.
//
// Nothing is written into the user's Git folder, so that nothing has to be
// cleaned up there when the process is killed; dir itself is then left behind.
// cleanup removes it.
func (r *Repo) CheckoutAt(ctx context.Context, commit, dir string) (cleanup func() error, err error) {
	id, err := r.CommitOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if err := emptyDir(dir); err != nil {
		return nil, err
	}
	if err := r.checkoutAt(ctx, id, dir); err != nil {
		return nil, errors.Join(err, removeAll(dir))
	}
	return func() error { return removeAll(dir) }, nil
}

func (r *Repo) checkoutAt(ctx context.Context, id, dir string) error {
	list, err := r.config(ctx)
	if err != nil {
		return err
	}
	common, err := r.CommonDir()
	if err != nil {
		return err
	}
	args := []string{"init", "--quiet", "--template="}
	if len(id) == len(emptyTree64) {
		args = append(args, "--object-format=sha256")
	}
	if _, err := r.run(ctx, call{args: append(args, "--", dir), foreign: true}); err != nil {
		return err
	}
	if err := borrow(common, filepath.Join(dir, ".git"), list); err != nil {
		return err
	}
	if _, err := r.run(ctx, call{args: []string{"checkout", "--quiet", "--detach", id}, dir: dir, foreign: true}); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(dir, ".gitmodules")); err != nil {
		return nil //nolint:nilerr // without the file there are no submodules to check out
	}
	out, err := r.git(ctx, "ls-tree", "-r", "-z", "--full-tree", id)
	if err != nil {
		return err
	}
	for _, entry := range fields(out) { // mode type id TAB path
		meta, name, _ := strings.Cut(entry, "\t")
		m := strings.Fields(meta)
		if len(m) != 3 || m[0] != gitlinkMode {
			continue
		}
		sub, err := r.openInner(filepath.Join(r.root, filepath.FromSlash(name)))
		if err != nil {
			continue // not populated here
		}
		if there, err := sub.Exists(ctx, m[2]); err != nil || !there {
			continue // not fetched here
		}
		if err := sub.checkoutAt(ctx, m[2], filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("submodule %s: %w", name, err)
		}
	}
	return nil
}

// borrow lets the new repository gitDir use the objects of the one at common, and
// gives it the settings that a checkout depends on.
func borrow(common, gitDir string, list settingsList) error {
	objects, err := filepath.Abs(filepath.Join(common, "objects"))
	if err != nil {
		return err
	}
	info := filepath.Join(gitDir, "objects", "info")
	if err := os.MkdirAll(info, 0o777); err != nil {
		return err
	}
	if strings.ContainsAny(objects, "\"\n\\") && os.PathSeparator == '/' {
		objects = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(objects) + `"`
	}
	if err := os.WriteFile(filepath.Join(info, "alternates"), []byte(objects+"\n"), 0o666); err != nil {
		return err
	}
	for _, name := range []string{"shallow", "info/attributes"} {
		b, err := os.ReadFile(filepath.Join(common, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		to := filepath.Join(gitDir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(to, b, 0o666); err != nil {
			return err
		}
	}
	text := borrowedConfig(list)
	if lfs := filepath.Join(common, "lfs"); isDir(lfs) {
		text += configLine("lfs.storage", lfs)
	}
	f, err := os.OpenFile(filepath.Join(gitDir, "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// borrowedConfig returns, in the format of a configuration file, the repository's
// own settings that decide what a checkout looks like. Those of a partial clone
// say where the missing objects are.
func borrowedConfig(list settingsList) string {
	_, partial := list.get("extensions.partialclone")
	var b strings.Builder
	for _, s := range list {
		switch {
		case !s.local():
		case slices.Contains([]string{"core.autocrlf", "core.eol", "core.filemode", "core.symlinks", "core.attributesfile", "extensions.partialclone"}, s.key),
			strings.HasPrefix(s.key, "filter."), strings.HasPrefix(s.key, "lfs."),
			partial && strings.HasPrefix(s.key, "remote."):
			value := s.value
			if s.bare {
				value = "true"
			}
			b.WriteString(configLine(s.key, value))
		}
	}
	return b.String()
}

// configLine returns a section with one setting.
func configLine(key, value string) string {
	section, rest, _ := strings.Cut(key, ".")
	name := rest
	if i := strings.LastIndexByte(rest, '.'); i >= 0 {
		section += ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(rest[:i]) + `"`
		name = rest[i+1:]
	}
	value = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`).Replace(value)
	return "[" + section + "]\n\t" + name + ` = "` + value + "\"\n"
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// removeAll removes dir, also where a run left folders that are not writable.
func removeAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	// WalkDir opens a folder after it was visited, so that it can be opened then.
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(name, 0o700)
		}
		return err
	})
	return os.RemoveAll(dir)
}
