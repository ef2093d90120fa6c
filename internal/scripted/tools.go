package scripted

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Copy writes the files of a folder over the work tree, one call of the Write tool
// each, as an agent does.
type Copy struct {
	head
	From string `json:"from"`         // below the folder of the script
	As   string `json:"as,omitempty"` // name of the agent; "" is the conversation
}

func (a *Copy) title() string { return "copy " + a.From }

func (a *Copy) play(ctx context.Context, p *Player) (outcome, error) {
	if !filepath.IsLocal(a.From) {
		return outcome{}, fmt.Errorf("%q does not lie in the folder of the script", a.From)
	}
	var by agent
	if a.As != "" {
		by = newAgent(a.As)
	}
	from, err := os.OpenRoot(filepath.Join(p.o.Files, a.From))
	if err != nil {
		return outcome{}, err
	}
	defer from.Close()
	to, err := os.OpenRoot(p.o.Root)
	if err != nil {
		return outcome{}, err
	}
	defer to.Close()
	files := 0
	err = fs.WalkDir(from.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := from.ReadFile(path)
		if err != nil {
			return err
		}
		return p.write(ctx, by, to, path, data)
	})
	if err == nil && files == 0 {
		err = fmt.Errorf("there are no files in %s", a.From)
	}
	return outcome{}, err
}

// write writes a file of the work tree and delivers the call.
func (p *Player) write(ctx context.Context, by agent, to *os.Root, path string, data []byte) error {
	var before *string
	kind := "create"
	switch old, err := to.ReadFile(path); {
	case err == nil:
		text := string(old)
		before, kind = &text, "update"
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := to.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := to.WriteFile(path, data, 0o644); err != nil {
		return err
	}
	full := filepath.Join(p.o.Root, path)
	return p.used(ctx, by, "Write", map[string]string{"file_path": full, "content": string(data)}, map[string]any{
		"type": kind, "filePath": full, "content": string(data), "structuredPatch": []string{}, "originalFile": before, "userModified": false,
	})
}

// read reads a file of the work tree and delivers the call.
func (p *Player) read(ctx context.Context, by agent, path string) error {
	full := filepath.Join(p.o.Root, filepath.FromSlash(path))
	data, err := os.ReadFile(full)
	if err != nil {
		return err
	}
	lines := strings.Count(string(data), "\n") + 1
	return p.used(ctx, by, "Read", map[string]string{"file_path": full}, map[string]any{
		"type": "text",
		"file": map[string]any{"filePath": full, "content": string(data), "numLines": lines, "startLine": 1, "totalLines": lines},
	})
}

// Git runs git in the work tree, as an agent's shell does.
type Git struct {
	head
	Args []string `json:"args"`
}

func (a *Git) title() string { return "git " + strings.Join(a.Args[:min(1, len(a.Args))], " ") }

func (a *Git) play(ctx context.Context, p *Player) (outcome, error) {
	out, err := p.git(ctx, a.Args...)
	var failed *CallError
	if err != nil && !errors.As(err, &failed) {
		return outcome{}, err
	}
	if err := p.bash(ctx, out); err != nil {
		return outcome{}, err
	}
	if failed != nil {
		return outcome{}, &RefusedError{Err: failed}
	}
	return outcome{}, nil
}

// git runs git in the work tree. Another exit status than 0 is a [CallError].
func (p *Player) git(ctx context.Context, args ...string) (result, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return result{}, err
	}
	out, err := p.run(ctx, p.asAgent(child{program: program, args: args}))
	if err == nil && out.exit != 0 {
		err = out.failure("git failed")
	}
	return out, err
}

// head returns the commit that the work tree is at.
func (p *Player) head(ctx context.Context) (string, error) {
	out, err := p.git(ctx, "rev-parse", "--verify", "HEAD^{commit}")
	return strings.TrimSpace(string(out.stdout)), err
}

// changed returns the paths that differ from where the player began, new files
// included, as a reviewer finds them.
func (p *Player) changed(ctx context.Context) ([]string, error) {
	var paths []string
	for _, args := range [][]string{
		{"diff", "--name-only", "--no-renames", "--diff-filter=d", "-z", p.start},
		{"ls-files", "--others", "--exclude-standard", "-z"},
	} {
		out, err := p.git(ctx, args...)
		if err != nil {
			return nil, err
		}
		for path := range strings.SplitSeq(string(out.stdout), "\x00") {
			if path != "" {
				paths = append(paths, path)
			}
		}
	}
	return paths, nil
}
