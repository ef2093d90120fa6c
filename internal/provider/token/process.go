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
// the PATH in environ, so that none comes out of the folder that is worked in, and get
// that environment without GitHub's tokens: gh gives the one of GH_ENTERPRISE_TOKEN for every
// host that it is asked for, and which host a variable counts for is decided in [Find].
// What a program writes on its standard error is dropped, since it may hold a secret.
func Program(environ []string) Run {
	rest := slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}, strings.ToUpper(name))
	})
	return func(ctx context.Context, argv ...string) (string, error) {
		path, err := look(environ, argv[0])
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

// look finds a program in the absolute folders of PATH.
func look(environ []string, name string) (string, error) {
	if filepath.IsAbs(name) {
		return exec.LookPath(name)
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
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound)
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
