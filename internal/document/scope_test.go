package document

import (
	"strings"
	"testing"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

func TestInScope(t *testing.T) {
	for _, tt := range []struct {
		glob, path string
		want       bool
	}{
		{"**/*.go", "a.go", true},
		{"**/*.go", "a/b/c.go", true},
		{"*.go", "a/b.go", false},
		{"internal/**", "internal/a/b", true},
		{"internal/**", "internal2/a", false},
		{"internal/**", "x/internal/a", false},
		{"internal/**/x.go", "internal/x.go", true},
		{"internal", "internal/a", false},
		{"a.go", "a.go", true},
		{"{a,b}/*.go", "b/x.go", true},
		{"{a,b}/*.go", "c/x.go", false},
		{"a?.go", "ab.go", true},
		{"a?.go", "a/.go", false},
		{"[ab].go", "b.go", true},
		{"**/*.go", "a/new\nline.go", true},
		{"**", ".hidden/x", true},
		{"a[", "a[", true}, // names the file itself
		{"a[", "a", false},
		{strings.Repeat("{a,b}", 30), strings.Repeat("a", 30), false}, // too expensive to try
	} {
		if got := InScope([]string{"nothing", tt.glob}, tt.path); got != tt.want {
			t.Errorf("%q matches %q: %t", tt.glob, tt.path, got)
		}
	}
	if InScope(nil, "a") {
		t.Error("no globs match")
	}
}

func TestScopeAllows(t *testing.T) {
	s := Scope{
		Write: []string{"internal/**", "**/*.json", ".github/workflows/ci.yml", "Makefile", `web/\[id\]/jest.config.js`, ".claude/**", ".git/**", "../x", "/abs", "a/go.mo[d]"},
		Tests: []string{"**/*_test.go", "tests/**", "tests/conftest.py"},
	}
	for path, want := range map[string]bool{
		"internal/a.go":                   true,
		"a_test.go":                       true,
		"tests/data/x":                    true,
		"other/a.go":                      false,
		"data/x.json":                     true,
		".github/workflows/ci.yml":        true,  // named
		".github/workflows/ci2.yml":       false, // not named
		"Makefile":                        true,
		"makefile":                        false, // another file where case counts
		"internal/Makefile":               false, // matched by a pattern alone
		"internal/go.mod":                 false,
		"a/go.mod":                        false,
		"package.json":                    false,
		"web/tsconfig.json":               false,
		"web/[id]/jest.config.js":         true,
		"tests/conftest.py":               true,
		"tests/unit/conftest.py":          false,
		".claude/settings.json":           false,
		".claude/asterweave/state.json":   false,
		".CLAUDE/Asterweave/state.json":   false,
		".git/config":                     false,
		"internal/sub/.git/hooks/x":       false,
		"../x":                            false,
		"/abs":                            false,
		"internal/../secret":              false,
		"":                                false,
		"internal/.gitignore":             false,
		"internal/generated/api.pb.go":    true,
		"internal/schema/spec.schema.txt": true,
	} {
		if got := s.Allows(path); got != want {
			t.Errorf("%q allowed: %t", path, got)
		}
	}
	if !s.Literal("Makefile") || s.Literal("internal/a.go") || s.Literal("a/go.mod") || !s.Literal("web/[id]/jest.config.js") {
		t.Error("literal names")
	}
}

func TestWatchedPaths(t *testing.T) {
	for path, marks := range map[string]string{
		".github/workflows/ci.yml": "GI", ".GitHub/Workflows/CI.YML": "GI", "a/.github/workflows/x": "", ".github/ISSUE_TEMPLATE/bug.md": "",
		"Makefile": "GI", "sub/GNUmakefile": "GI", "rules.mk": "GI", "justfile": "GI",
		"go.mod": "GI", "tools/go.mod": "GI", "go.sum": "I", "vendor/modules.txt": "I", ".golangci.yml": "GI",
		"package.json": "GI", "web/package.json": "GI", "package-lock.json": "I", "yarn.lock": "I", "tsconfig.build.json": "GI",
		"jest.config.ts": "GI", "vitest.config.mts": "GI", ".eslintrc.cjs": "GI", ".npmrc": "GI",
		"pyproject.toml": "GI", "setup.cfg": "GI", "tests/conftest.py": "GI", "pytest.ini": "GI", "requirements-dev.txt": "GI", "poetry.lock": "I",
		"Cargo.toml": "GI", "crates/a/Cargo.toml": "GI", "Cargo.lock": "I", ".cargo/config.toml": "GI", "build.rs": "GI",
		"pom.xml": "GI", "build.gradle.kts": "GI", "gradle/wrapper/gradle-wrapper.properties": "GI", ".mvn/maven.config": "GI",
		"src/App.csproj": "GI", "CMakeLists.txt": "GI", "BUILD.bazel": "GI", "Dockerfile": "GI", "Dockerfile.ci": "GI", "docker-compose.test.yml": "GI",
		".claude/settings.json": "G", "sub/.claude/agents/a.md": "G", ".mcp.json": "G", ".gitignore": "G", "a/.gitattributes": "GI", ".gitmodules": "GI",
		"azure-pipelines.yml": "GI", "Jenkinsfile": "GI", ".gitlab-ci.yml": "GI", ".ci/run": "GI", ".pre-commit-config.yaml": "GI",
		"api/spec.schema.json": "I", "proto/a.proto": "I", "openapi.yaml": "I", "db/schema.sql": "I",
		"main.go": "", "README.md": "", "src/build.go": "", "config.json": "", "makefile.go": "", "a.mk.txt": "", "package.json.bak": "", "": "", "docs/Makefile.md": "",
	} {
		if got := GateDefining(path); got != strings.Contains(marks, "G") {
			t.Errorf("%q defines gates: %t", path, got)
		}
		if got := AlwaysCounts(path); got != strings.Contains(marks, "I") {
			t.Errorf("%q always counts: %t", path, got)
		}
	}
}

// The list is data; a slip in it would be silent.
func TestWatchedList(t *testing.T) {
	seen := map[string]bool{}
	for i, line := range strings.Split(watchedText, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		if len(f) != 2 || f[0] != "G" && f[0] != "I" && f[0] != "GI" {
			t.Errorf("line %d: %q", i+1, line)
			continue
		}
		if !doublestar.ValidatePattern(f[1]) || badGlob(f[1]) != "" {
			t.Errorf("line %d: %q is no glob", i+1, f[1])
		}
		if seen[strings.ToLower(f[1])] {
			t.Errorf("line %d: %q is there twice", i+1, f[1])
		}
		seen[strings.ToLower(f[1])] = true
	}
	if len(seen) < 100 {
		t.Errorf("%d entries", len(seen))
	}
}

func TestWatchedPathsAreQuick(t *testing.T) {
	start := time.Now()
	for range 50_000 {
		AlwaysCounts("internal/some/package/with/a/long/name/file_test.go")
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("50,000 paths took %s", d)
	}
}

func TestExpand(t *testing.T) {
	for glob, want := range map[string]string{
		"a": "a", "{a,b}": "a b", "x{a,{b,c}}y": "xay xby xcy", `\{a,b\}`: `\{a,b\}`, "{a": "{a", "{}": "", "{,a}": " a", "a{b}c{d,e}": "abcd abce",
	} {
		if got := strings.Join(expand(glob), " "); got != want {
			t.Errorf("%q: %q, want %q", glob, got, want)
		}
	}
}

func TestManifestCheck(t *testing.T) {
	good := Manifest{Version: 1, Task: "t", Rules: []string{"CONTRIBUTING.md"}, Files: []string{"a/b.go", "a b"}, Commands: Commands{Test: "go test ./..."}}
	have := map[string]bool{"CONTRIBUTING.md": true, "a/b.go": true, "a b": true}
	exists := func(p string) bool { return have[p] }
	if p := good.Check(exists); p != nil {
		t.Fatal(p)
	}
	bad := good
	bad.Version, bad.Task = 3, ""
	bad.Specs = []string{"nothing.md", "/etc/passwd", "../x", "", "./a"}
	bad.Affected = []string{"x\x1b[31my"}
	want := []string{
		"version: is 3; this program reads version 1", "task: is empty", "specs[0]: there is no nothing.md",
		`specs[1]: "/etc/passwd" is not relative to the work tree`, `specs[2]: "../x" leads outside the work tree`, `specs[3]: "" is empty`,
		`specs[4]: "./a" has a . segment; paths begin at the work tree, without ./`, "affected[0]: there is no x[31my",
	}
	if got := lines(bad.Check(func(p string) bool { return p != "nothing.md" && !strings.Contains(p, "y") })); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	many := good
	many.Tests = make([]string, MaxManifestPaths)
	if got := lines(many.Check(exists)); len(got) != 1 || got[0] != "203 paths are more than 200" {
		t.Errorf("%q", got)
	}
	large := good
	large.Notes = strings.Repeat("x", MaxManifestBytes)
	if got := lines(large.Check(exists)); len(got) != 1 || !strings.HasSuffix(got[0], "bytes are more than 32768") {
		t.Errorf("%q", got)
	}
}
