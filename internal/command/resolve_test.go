//go:build unix

package command

import (
	"os"
	"path/filepath"
	"testing"
)

func TestResolveUsesTheGivenPath(t *testing.T) {
	dir := t.TempDir()
	put := func(rel string, mode os.FileMode) string {
		path := filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first, second := put("one/tool", 0o755), put("two/tool", 0o755)
	put("three/tool", 0o644)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(second, link); err != nil {
		t.Fatal(err)
	}
	cases := []struct{ name, path, want string }{
		{"tool", filepath.Join(dir, "one") + ":" + filepath.Join(dir, "two"), first},
		{"tool", filepath.Join(dir, "three") + ":" + filepath.Join(dir, "two"), second},
		{"tool", "two:one", second}, // relative to the folder it runs in
		{"./link", "", link},        // a link is kept
		{"link", ":/nonexistent", link},
		{first, "", first},
		{"one/../two/tool", "", second},
	}
	for _, c := range cases {
		got, err := Resolve(c.name, dir, []string{"PATH=/bin", "PATH=" + c.path})
		if err != nil || got != c.want {
			t.Errorf("%s on %s: %q, %v; want %q", c.name, c.path, got, err, c.want)
		}
	}
	for _, c := range []struct{ name, path string }{{"tool", ""}, {"tool", filepath.Join(dir, "three")}, {"", dir}, {"one", dir}} {
		if got, err := Resolve(c.name, dir, []string{"PATH=" + c.path}); err == nil {
			t.Errorf("%q on %q: %q, want an error", c.name, c.path, got)
		}
	}
}

func TestRunResolvesInItsFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\necho ok\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	out := Run(t.Context(), Spec{Argv: []string{"go", "test"}, Dir: dir, Env: []string{"PATH=.:/usr/bin:/bin"}})
	if want := filepath.Join(dir, "go"); out.Program != want || string(out.Output) != "ok\n" {
		t.Errorf("program %q, output %q", out.Program, out.Output)
	}
}
