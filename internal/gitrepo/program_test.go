package gitrepo_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

// wrapper writes a program called git, that notes each call in a file and goes on as
// the real one.
func wrapper(t *testing.T, dir string) (program, log string) {
	t.Helper()
	genuine, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	program, log = filepath.Join(dir, "git"), filepath.Join(t.TempDir(), "log")
	write(t, dir, "git", "#!/bin/sh\necho x >>'"+log+"'\nexec '"+genuine+"' \"$@\"\n")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	return program, log
}

func calls(t *testing.T, log string) int {
	t.Helper()
	b, err := os.ReadFile(log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return len(b) / 2
}

func TestProgram(t *testing.T) {
	dir := newRepo(t)
	first := filepath.Join(t.TempDir(), "bin")
	fake, log := wrapper(t, first)
	honest, err := open(t, dir).Program()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(honest.Path)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(b); !filepath.IsAbs(honest.Path) || honest.Digest != hex.EncodeToString(sum[:]) {
		t.Errorf("%+v", honest)
	}

	t.Setenv("PATH", first+string(os.PathListSeparator)+os.Getenv("PATH"))
	r := open(t, dir)
	p, err := r.Program()
	if err != nil || filepath.Base(p.Path) != "git" || p.Digest == honest.Digest {
		t.Errorf("a wrapper first on PATH: %+v %v", p, err)
	}
	head := func() {
		t.Helper()
		if _, err := r.Head(t.Context()); err != nil {
			t.Error(err)
		}
	}
	head()
	if calls(t, log) != 1 {
		t.Error("the first on PATH is not used")
	}
	if err := r.UseProgram(honest.Path); err != nil {
		t.Fatal(err)
	}
	head()
	if got, err := r.Program(); err != nil || got != honest || calls(t, log) != 1 {
		t.Errorf("not switched: %+v %v, %d calls", got, err, calls(t, log))
	}
	if err := r.UseProgram(fake); err != nil {
		t.Fatal(err)
	}
	head()
	if calls(t, log) != 2 {
		t.Error("not switched back")
	}

	// Pinned where PATH has none.
	t.Setenv("PATH", t.TempDir())
	r = open(t, dir)
	if _, err := r.Program(); err == nil {
		t.Error("there is one on an empty PATH")
	}
	if err := r.UseProgram(honest.Path); err != nil {
		t.Fatal(err)
	}
	head()
}

func TestUseProgramRefuses(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	outside := t.TempDir()
	inside, _ := wrapper(t, filepath.Join(dir, "bin"))
	write(t, outside, "plain", "x")
	for link, target := range map[string]string{
		filepath.Join(outside, "in"): inside, filepath.Join(outside, "dangling"): filepath.Join(outside, "gone"),
		filepath.Join(outside, "bin"): filepath.Join(dir, "bin"), filepath.Join(dir, "out"): "/bin/sh",
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	r := open(t, dir)
	before, err := r.Program()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"", "git", "./git", "bin/git", outside, filepath.Join(outside, "plain"), filepath.Join(outside, "gone"), os.DevNull,
		inside, filepath.Join(outside, "in"), filepath.Join(outside, "dangling"), filepath.Join(outside, "bin", "git"), filepath.Join(dir, "out"),
	} {
		if err := r.UseProgram(path); err == nil {
			t.Errorf("%q is used", path)
		}
	}
	if after, err := r.Program(); err != nil || after != before {
		t.Errorf("%+v %v", after, err)
	}
}

// Submodules and nested repositories are judged by the same program.
func TestProgramOfInnerRepositories(t *testing.T) {
	outer, inner := newRepo(t), newRepo(t)
	git(t, outer, "submodule", "--quiet", "add", inner, "sub")
	commit(t, outer, "submodule")
	git(t, outer, "init", "-q", "nested")
	genuine, err := open(t, outer).Program()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	_, log := wrapper(t, bin)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	r := open(t, outer)
	if err := r.UseProgram(genuine.Path); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Tree(t.Context(), gitrepo.TreeOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := r.ExcludesDigest(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := r.Ambient(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := r.CheckoutAt(t.Context(), "HEAD", filepath.Join(t.TempDir(), "at")); err != nil {
		t.Error(err)
	}
	if n := calls(t, log); n != 0 {
		t.Errorf("%d calls of the git on PATH", n)
	}
}

func TestProgramAtOnce(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	p, err := open(t, dir).Program()
	if err != nil {
		t.Fatal(err)
	}
	r := open(t, dir)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { _ = r.UseProgram(p.Path) })
		wg.Go(func() { _, _ = r.Head(t.Context()) })
		wg.Go(func() { _, _ = r.Program() })
	}
	wg.Wait()
	began := time.Now()
	if _, err := r.Program(); err != nil {
		t.Error(err)
	}
	t.Logf("a digest takes %s", time.Since(began))
}

func BenchmarkProgram(b *testing.B) {
	r := open(b, newRepo(b))
	for b.Loop() {
		if _, err := r.Program(); err != nil {
			b.Fatal(err)
		}
	}
}
