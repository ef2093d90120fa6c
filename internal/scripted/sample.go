package scripted

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
)

// sample is what a demo works on.
type sample struct {
	folder  string // temporary; the others lie in it
	root    string // clone that is delivered to
	remote  string // bare
	scratch string
	files   string // folder with the attempts
	state   string
	hook    string
	goal    string
	script  Script
	set     []string // environment besides the allow-list
	forge   Forge    // nil for the delivery to a bare repository
}

// atForge is the configuration of a repository whose forge is no service's own host.
const atForge = `{"version": 1, "provider": "github"}
`

// sample makes the repositories: the sample committed and pushed to a bare remote,
// which a forge may hold, and a clone of that.
func (d *Demo) sample(ctx context.Context) (sample, error) {
	var s sample
	source, err := filepath.Abs(d.Source)
	if err != nil {
		return s, err
	}
	if err := s.read(source, d); err != nil {
		return s, err
	}
	if s.folder, err = os.MkdirTemp("", "asterweave-demo-"); err != nil {
		return s, err
	}
	// The system's name of the folder is the one that Git and the hooks see.
	if s.folder, err = filepath.EvalSymlinks(s.folder); err != nil {
		return s, err
	}
	name := filepath.Base(source)
	s.root, s.remote, s.scratch = filepath.Join(s.folder, name), filepath.Join(s.folder, name+".git"), filepath.Join(s.folder, "scratch")
	home := filepath.Join(s.folder, "home")
	for _, dir := range []string{s.scratch, home} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return s, err
		}
	}
	if s.set, err = goSettings(ctx, d.Environ); err != nil {
		return s, err
	}
	// A home of their own keeps the user's settings of Git and Go out.
	s.set = append(s.set, "HOME="+home, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_TERMINAL_PROMPT=0")
	url := s.remote
	if d.Forge == nil {
		err = s.git(ctx, d, s.folder, "init", "--quiet", "--bare", "--initial-branch=main", s.remote)
	} else if s.forge, err = d.Forge(ctx, s.folder, name, home); err == nil {
		s.remote, url = s.forge.Git(), s.forge.URL()
		s.set = append(s.set, s.forge.Environ()...)
	}
	if err != nil {
		return s, err
	}
	return s, s.clone(ctx, d, source, url)
}

// read reads the delivery that lies beside the sample and finds the programs.
func (s *sample) read(source string, d *Demo) error {
	s.files = source + "-delivery"
	script := "script.json"
	if d.Forge != nil {
		script = "github.json"
	}
	goal, err := os.ReadFile(filepath.Join(s.files, "goal.txt"))
	if err != nil {
		return err
	}
	s.goal = strings.TrimSpace(string(goal))
	file, err := os.Open(filepath.Join(s.files, script))
	if err != nil {
		return err
	}
	defer file.Close()
	if s.script, err = Read(file); err != nil {
		return err
	}
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	for name, into := range map[string]*string{"asterweave-state": &s.state, "asterweave-hook": &s.hook} {
		path, err := filepath.Abs(filepath.Join(d.Programs, name+suffix))
		if err != nil {
			return err
		}
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("the programs are not built: %w", err)
		}
		*into = path
	}
	return nil
}

// clone pushes the sample and clones it from url.
func (s *sample) clone(ctx context.Context, d *Demo, source, url string) error {
	seed := filepath.Join(s.folder, "seed")
	if err := copyTree(source, seed); err != nil {
		return err
	}
	if s.forge != nil {
		file := filepath.Join(seed, filepath.FromSlash(document.ConfigPath))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(atForge), 0o644); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		dir  string
		args []string
	}{
		{seed, []string{"init", "--quiet", "--initial-branch=main"}},
		{seed, []string{"add", "--all"}},
		{seed, []string{"-c", "user.name=Dev", "-c", "user.email=dev@example.com", "commit", "--quiet", "--message=A service for refunds"}},
		{seed, []string{"push", "--quiet", s.remote, "main"}},
		{s.folder, []string{"clone", "--quiet", url, s.root}},
		{s.root, []string{"config", "user.name", "Dev"}},
		{s.root, []string{"config", "user.email", "dev@example.com"}},
	} {
		if err := s.git(ctx, d, c.dir, c.args...); err != nil {
			return err
		}
	}
	return os.RemoveAll(seed)
}

// git runs git in a folder, with none of the user's settings.
func (s *sample) git(ctx context.Context, d *Demo, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = dir, environment(d.Environ, s.set)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(string(out)))
	}
	return nil
}

// copyTree copies the regular files of a folder; what belongs to Git stays.
func copyTree(from, to string) error {
	source, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer source.Close()
	return fs.WalkDir(source.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, path), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := source.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, path), data, 0o644)
	})
}
