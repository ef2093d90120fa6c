//go:build unix

package command

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSurroundingsSeeWhatSteers(t *testing.T) {
	base := []string{"PATH=/usr/bin", "HOME=/nonexistent", "LANG=C"}
	around := Surround(base)
	digest := around.Digest()
	if diff := cmp.Diff([]string{"PATH"}, around.Steering()); diff != "" {
		t.Errorf("names:\n%s", diff)
	}
	same := [][]string{
		{"LANG=C", "HOME=/nonexistent", "PATH=/usr/bin", "TERM=x", "SSH_AUTH_SOCK=/x", "CLAUDE_EFFORT=high", "GH_TOKEN=x", "PWD=/y"},
		{"PATH=/other", "PATH=/usr/bin", "HOME=/nonexistent", "LANG=C"},
	}
	for _, env := range same {
		if got := Surround(env).Digest(); got != digest {
			t.Errorf("%q: another digest", env)
		}
	}
	seen := map[string]string{digest: "nothing"}
	for _, pair := range []string{
		"PATH=/evil:/usr/bin", "GOFLAGS=-run=^$", "GOFLAGS=-exec=true", "GOFLAGS=", "NODE_OPTIONS=--require=/x.js",
		"PYTEST_ADDOPTS=--collect-only", "PYTHONPATH=/x", "MAVEN_OPTS=-DskipTests", "JAVA_TOOL_OPTIONS=-javaagent:x",
		"CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=true", "RUSTFLAGS=--cfg x", "RUSTC_WRAPPER=true", "LD_PRELOAD=/x.so",
		"DYLD_INSERT_LIBRARIES=/x", "BASH_ENV=/x", "ENV=/x", "SHELLOPTS=noexec", "BASH_FUNC_go%%=() { true; }",
		"NODE_TEST_CONTEXT=child", "GOCACHEPROG=/x", "MAKEFLAGS=n", "NPM_CONFIG_SCRIPT_SHELL=/bin/true",
		"GO=true", "CDPATH=/evil", "HOME=/other", "TMPDIR=/other", "XDG_CONFIG_HOME=/x", "DATABASE_URL=x",
	} {
		around := Surround(append(slices.Clone(base), pair))
		got := around.Digest()
		if earlier, ok := seen[got]; ok {
			t.Errorf("%s has the digest of %s", pair, earlier)
		}
		seen[got] = pair
		if name, value, _ := strings.Cut(pair, "="); around[name] != value {
			t.Errorf("%s is not named", name)
		}
	}
}

func TestSurroundingsReadTheUsersSettings(t *testing.T) {
	home := t.TempDir()
	goEnv := filepath.Join(home, ".config", "go", "env")
	if runtime.GOOS == "darwin" {
		goEnv = filepath.Join(home, "Library", "Application Support", "go", "env")
	}
	env := []string{"PATH=/usr/bin", "HOME=" + home}
	previous := Surround(env).Digest()
	put := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	steps := []struct {
		path, text string
		changes    bool
		name       string
	}{
		{goEnv, "GOFLAGS=-run=^$\n", true, "file:go/env"},
		{goEnv, "GOFLAGS=-exec=true\n", true, "file:go/env"},
		{filepath.Join(home, ".npmrc"), "//registry.example.com/:_authToken=abc\n", false, ""},
		{filepath.Join(home, ".npmrc"), "//registry.example.com/:_authToken=def\nscript-shell = /bin/true\n", true, "file:.npmrc"},
		{filepath.Join(home, ".npmrc"), "//registry.example.com/:_authToken=ghi\nscript-shell=/bin/true\n", false, "file:.npmrc"},
		{filepath.Join(home, ".cargo", "config.toml"), "[target.x]\nrunner = 'true'\n", true, "file:cargo/config.toml"},
	}
	for i, s := range steps {
		put(s.path, s.text)
		around := Surround(env)
		digest, names := around.Digest(), around.Steering()
		if (digest != previous) != s.changes {
			t.Errorf("step %d, %q: changed %v, want %v", i, s.text, digest != previous, s.changes)
		}
		if s.name != "" && !slices.Contains(names, s.name) {
			t.Errorf("step %d: %q not in %q", i, s.name, names)
		}
		previous = digest
	}
	if Surround(append(env, "GOENV=off")).Digest() == previous {
		t.Error("GOENV=off changes nothing")
	}
}

// TestSurroundingsKnowWhereGoKeepsSettings asks the go command itself.
func TestSurroundingsKnowWhereGoKeepsSettings(t *testing.T) {
	home := t.TempDir()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	// The go command counts itself after it has ended, into a folder that is gone then.
	mode := filepath.Join(filepath.Dir(goEnvFile(env, home)), "telemetry", "mode")
	if err := os.MkdirAll(filepath.Dir(mode), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mode, []byte("off"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := Surround(env).Digest()
	out := Run(t.Context(), Spec{Argv: []string{"go", "env", "-w", "GOFLAGS=-run=^$"}, Env: env, Dir: home})
	if out.Exit != 0 {
		t.Fatalf("go env -w: %s %s", out.StartErr, out.Output)
	}
	after := Surround(env)
	if before == after.Digest() || after["file:go/env"] == "" {
		t.Errorf("go env -w is not seen: %q", after)
	}
}

func TestToolsNamesVersions(t *testing.T) {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	dir := t.TempDir()
	digest, lines := Tools(t.Context(), dir, [][]string{{"go", "version"}, {"no-such-tool"}, {"false"}, {"true"}}, env)
	if len(lines) != 5 || lines[0] != "os: "+runtime.GOOS+"/"+runtime.GOARCH || !strings.HasPrefix(lines[1], "go version: go version go") {
		t.Errorf("lines %q", lines)
	}
	for i, want := range map[int]string{2: "cannot start", 3: "exit status 1", 4: "no output"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %q, want %q", lines[i], want)
		}
	}
	again, _ := Tools(t.Context(), dir, [][]string{{"go", "version"}, {"no-such-tool"}, {"false"}, {"true"}}, env)
	other, _ := Tools(t.Context(), dir, [][]string{{"go", "version"}}, env)
	if again != digest || other == digest {
		t.Errorf("digests %s, %s, %s", digest, again, other)
	}
}

// What runners look for above the folders where they run is seen, what lies in them not.
func TestSurroundingsAbove(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(top, "a", "repo")
	put := func(path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(root, "go.work"))
	if link := filepath.Join(top, "link"); os.Symlink(filepath.Join(top, "a"), link) == nil {
		root = filepath.Join(link, "repo")
	}
	seen := map[string]bool{Surround(nil, root).Digest(): true}
	for _, name := range []string{"a/conftest.py", "go.work", "a/.cargo/config.toml"} {
		put(filepath.Join(top, filepath.FromSlash(name)))
		around := Surround(nil, root)
		if around["above:"+filepath.Join(top, filepath.FromSlash(name))] != "x" || seen[around.Digest()] {
			t.Errorf("%s is not seen: %q", name, around)
		}
		seen[around.Digest()] = true
	}
	if len(Surround(nil, root)) != 3+len(Surround(nil, top)) {
		t.Errorf("%q", Surround(nil, root))
	}
}
