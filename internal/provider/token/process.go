package token

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Bounds of a program that is asked for a token.
const (
	programTime = 10 * time.Second
	programText = 64 << 10 // bytes of its output
)

// Program returns a Run that starts programs for a token. They come from absolute folders of
// the PATH in environ and not out of worktree, which others write ("" for none), and get
// that environment without tokens: gh gives the one of GH_ENTERPRISE_TOKEN for every
// host that it is asked for, and which host a variable counts for is decided in [Find].
// What a program writes on its standard error is dropped, since it may hold a secret.
func Program(environ []string, worktree string) Run {
	rest := slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{
			"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "AZURE_DEVOPS_EXT_PAT", "SYSTEM_ACCESSTOKEN",
		}, strings.ToUpper(name))
	})
	return func(ctx context.Context, argv ...string) (string, error) {
		path, err := look(environ, worktree, argv[0])
		if err != nil {
			return "", err
		}
		ctx, cancel := context.WithTimeout(ctx, programTime)
		defer cancel()
		c := exec.CommandContext(ctx, path, argv[1:]...)
		c.Env, c.Dir = append(rest, "GH_PROMPT_DISABLED=1"), filepath.Dir(path) // not the folder that is worked in
		c.WaitDelay = time.Second
		out := &bounded{}
		c.Stdout, c.Stderr = out, io.Discard
		if err := c.Run(); err != nil {
			return "", fmt.Errorf("%s: %w", argv[0], err)
		}
		if out.over {
			return "", fmt.Errorf("%s: its output is longer than %d bytes", argv[0], programText)
		}
		return out.text.String(), nil
	}
}

// look finds a program in the absolute folders of PATH, outside of the worktree.
func look(environ []string, worktree, name string) (string, error) {
	if filepath.IsAbs(name) {
		found, err := exec.LookPath(name)
		if err == nil && inside(worktree, found) {
			err = fmt.Errorf("%s: %w outside of the work tree", name, exec.ErrNotFound)
		}
		return found, err
	}
	if name != filepath.Base(name) {
		return "", fmt.Errorf("%s: only an absolute path or a plain name is started", name)
	}
	path := ""
	for _, kv := range environ {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
		}
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil && !inside(worktree, found) {
			return found, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound)
}

// inside reports whether a program lies in the worktree, as it is written or behind links.
func inside(worktree, program string) bool {
	if worktree == "" {
		return false
	}
	for _, p := range []string{program, followed(program)} {
		for _, w := range []string{worktree, followed(worktree)} {
			if rel, err := filepath.Rel(w, p); err == nil && filepath.IsLocal(rel) {
				return true
			}
		}
	}
	return false
}

// followed follows the links of a path, where that can be done.
func followed(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

// bounded keeps the begin of what is written, and whether there was more.
type bounded struct {
	text bytes.Buffer
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := programText - b.text.Len(); len(p) > room {
		b.over = true
		b.text.Write(p[:room])
	} else {
		b.text.Write(p)
	}
	return len(p), nil
}
