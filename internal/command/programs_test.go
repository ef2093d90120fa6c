//go:build unix

package command

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// place puts a runnable file into dir.
func place(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPrograms(t *testing.T) {
	top := t.TempDir()
	bin, home, repo := filepath.Join(top, "bin"), filepath.Join(top, "home"), filepath.Join(top, "repo")
	for _, name := range []string{"go", "test", "tee", "bash", "env", "python9"} {
		place(t, bin, name, name)
	}
	place(t, bin, "pytest", "#!/usr/bin/env python9\n")
	place(t, bin, "loop", "#!"+filepath.Join(bin, "loop")+"\n")
	place(t, home, "own", "own")
	place(t, top, "outside.sh", "x")
	place(t, repo, "tool.sh", "x")
	env := []string{"PATH=" + bin, "HOME=" + home, "TOOLS=" + home}
	for name, c := range map[string]struct {
		argv  []string
		shell string
		want  []string
	}{
		"a command":               {argv: []string{"go", "test", "./..."}, want: []string{"go", "test"}},
		"behind another":          {argv: []string{"env", "X=1", "go", "vet"}, want: []string{"env", "go"}},
		"options are no programs": {argv: []string{"go", "-test", "--", ""}, want: []string{"go"}},
		"an interpreter":          {argv: []string{"pytest", "-v"}, want: []string{"/usr/bin/env", "pytest", "python9"}},
		"a circle":                {argv: []string{"loop"}, want: []string{filepath.Join(bin, "loop"), "loop"}},
		"an absolute path":        {argv: []string{filepath.Join(home, "own")}, want: []string{filepath.Join(home, "own")}},
		"a path out of the tree":  {argv: []string{"../outside.sh"}, want: []string{"../outside.sh"}},
		"a file of the tree":      {argv: []string{"./tool.sh"}},
		"no program":              {argv: []string{"nothing", ".", "..", "/", "./..."}},
		"a shell":                 {shell: `go test ./... 2>&1 | tee "$HOME/log" # bash`, want: []string{"bash", "go", "tee", "test"}},
		"a variable":              {shell: `$TOOLS/own && ${HOME}/own`, want: []string{"bash", filepath.Join(home, "own")}},
		"a tilde":                 {shell: `~/own`, want: []string{"bash", filepath.Join(home, "own")}},
	} {
		got := FindPrograms(c.argv, c.shell, repo, env).Found
		if _, system := got["/usr/bin/env"]; !system && slices.Contains(c.want, "/usr/bin/env") {
			c.want = slices.DeleteFunc(c.want, func(w string) bool { return w == "/usr/bin/env" })
		}
		slices.Sort(c.want)
		if diff := cmp.Diff(c.want, slices.Sorted(maps.Keys(got))); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	before := FindPrograms([]string{"go"}, "", repo, env).Found["go"]
	if before.Path != filepath.Join(bin, "go") || len(before.Digest) != 64 {
		t.Errorf("%+v", before)
	}
	place(t, bin, "go", "another")
	if after := FindPrograms([]string{"go"}, "", repo, env).Found["go"]; after == before {
		t.Errorf("%+v", after)
	}
	if err := os.Chmod(filepath.Join(bin, "go"), 0o111); err != nil {
		t.Fatal(err)
	}
	if p := FindPrograms([]string{"go"}, "", repo, env).Found["go"]; os.Geteuid() != 0 && p.Digest != "unreadable" {
		t.Errorf("%+v", p)
	}
}

// A program that is put away and back in the meantime is seen, through a link too.
func TestReplacedPrograms(t *testing.T) {
	dir := t.TempDir()
	path := place(t, dir, "go", "real")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	argv := []string{path, link}
	programs := FindPrograms(argv, "", filepath.Join(dir, "repo"), nil)
	if got := programs.Replaced(); got != nil {
		t.Errorf("nothing happened: %q", got)
	}
	for _, step := range [][2]string{{path, path + ".kept"}, {path + ".kept", path}} {
		if err := os.Rename(step[0], step[1]); err != nil {
			t.Fatal(err)
		}
	}
	if got := programs.Replaced(); !slices.Equal(got, argv) {
		t.Errorf("renamed away and back: %q", got)
	}
	programs = FindPrograms(argv, "", filepath.Join(dir, "repo"), nil)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := programs.Replaced(); !slices.Equal(got, argv) {
		t.Errorf("removed: %q", got)
	}
}
