package hook

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestViewOf(t *testing.T) {
	type want struct {
		files, blobs []string
		diff         bool
	}
	for command, w := range map[string]*want{
		"cat a.go":                                          {files: []string{"/w/a.go"}},
		"cat -n a.go /x/b.go":                               {files: []string{"/w/a.go", "/x/b.go"}},
		"cat -- -a.go":                                      {files: []string{"/w/-a.go"}},
		"cat 'a b.go' \"c.go\"":                             {files: []string{"/w/a b.go", "/w/c.go"}},
		"cd sub && cat a.go":                                {files: []string{"/w/sub/a.go"}},
		"cat a.go | head -50":                               {files: []string{"/w/a.go"}},
		"cat a.go; echo ---; cat b.go":                      {files: []string{"/w/a.go", "/w/b.go"}},
		"cat a.go 2>/dev/null || true":                      {files: []string{"/w/a.go"}},
		"git diff":                                          {diff: true},
		"git --no-pager diff main...HEAD -- a.go":           {diff: true},
		"git -c color.ui=never diff":                        {diff: true},
		"GIT_PAGER=cat git diff | cat":                      {diff: true},
		"git status --short && git diff 2>&1 | tail -n 400": {diff: true},
		"git show":                                          {diff: true},
		"git show HEAD~1 -- a.go":                           {diff: true},
		"git show HEAD:x/a.go":                              {blobs: []string{"x/a.go"}},
		"cat a.go && git diff":                              {files: []string{"/w/a.go"}, diff: true},

		"":                                      {},
		"cat a.go > out":                        nil,
		"cat < a.go >> out":                     nil,
		"cat a.go &":                            nil,
		"! cat a.go":                            nil,
		"cat $F":                                nil,
		"cat *.go":                              nil,
		"cat ~/a.go":                            nil,
		"cat -":                                 nil,
		"cat a.go || cat b.go":                  nil,
		"cat a.go | grep x":                     nil,
		"cat a.go | head b.go":                  nil,
		"git diff | grep '^diff'":               nil,
		"git -C /elsewhere diff":                nil,
		"git --git-dir=/e/.git diff":            nil,
		"GIT_DIR=/e/.git git diff":              nil,
		"git -c diff.external=x diff":           nil,
		"git diff --no-index /a /b":             nil,
		"git diff --relative":                   nil,
		"git diff --src-prefix=x/":              nil,
		"git show --format='diff --git'":        nil,
		"git show :a.go":                        nil,
		"git show HEAD:./a.go":                  nil,
		"git log -p":                            nil,
		"git":                                   nil,
		"echo 'diff --git a/x b/x'; git diff":   nil,
		`echo -e '\x64iff'; git diff`:           nil,
		"printf 'diff --git a/x b/x'; git diff": nil,
		"git diff; ./print":                     nil,
		"if true; then git diff; fi":            nil,
		"(git diff)":                            nil,
		"$(git diff)":                           nil,
		"bash -c 'git diff'":                    nil,
		"cat <<EOF\ndiff --git a/x b/x\nEOF":    nil,
		"cd - && git diff":                      nil,
		"cat 'a":                                nil,
	} {
		v, ok := viewOf(command, "/w")
		if ok != (w != nil) {
			t.Errorf("%q: understood %v", command, ok)
			continue
		}
		if ok && (!slices.Equal(v.files, w.files) || !slices.Equal(v.blobs, w.blobs) || v.diff != w.diff) {
			t.Errorf("%q: %+v", command, v)
		}
	}
}

func TestDiffFiles(t *testing.T) {
	for name, c := range map[string]struct {
		diff string
		want []string
	}{
		"nothing":     {"", nil},
		"a change":    {"diff --git a/x.go b/x.go\nindex 1..2 100644\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-a\n+b\n", []string{"x.go"}},
		"header only": {"diff --git a/x.go b/x.go\nindex 1..2 100644\n--- a/x.go\n+++ b/x.go\n", nil},
		"first line":  {"diff --git a/x.go b/x.go\n", nil},
		"stat":        {" x.go | 2 +-\n 1 file changed\n", nil},
		"a line that looks like a header": {
			"diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1,2 +1,3 @@\n a\n+++ b/y.go\n b\ndiff --git a/z.go b/z.go\n--- a/z.go\n+++ b/z.go\n@@ -1 +1 @@\n-a\n+b\n",
			[]string{"x.go", "z.go"},
		},
		"a removed line that looks like a header": {
			"diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1,2 +1 @@\n--- a/y.go\n a\n", []string{"x.go"},
		},
		"outside":    {"diff --git a/../x b/../x\n--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n", nil},
		"no newline": {"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\ndiff --git a/y b/y\nold mode 100644\nnew mode 100755\n", []string{"x", "y"}},
		"mnemonic":   {"diff --git i/x b/x\n--- i/x\n+++ w/x\n@@ -1 +1 @@\n-a\n+b", []string{"x"}},
		"combined":   {"diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,2 @@@\n+ a\n +b\n++ b/y\n", []string{"x"}},
	} {
		if diff := cmp.Diff(c.want, diffFiles(c.diff)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestDiffFilesOfGit compares with the names that git itself gives.
func TestDiffFilesOfGit(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		c := exec.Command("git", args...)
		c.Dir = dir
		c.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
			"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com",
		}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %s: %s", args, err, out)
		}
		return string(out)
	}
	put := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q", "-b", "main")
	long := strings.Repeat("line\n", 40)
	put("changed.txt", long)
	put("deleted.txt", "-- a/never\n++ b/never\n")
	put("renamed.txt", long+"r\n")
	put("bin", "\x00\x01")
	put("mode.sh", "x\n")
	put("a/b/c.txt", "x\n")
	put("tab\tname", "x\n")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	put("changed.txt", "++ b/never\n"+long+"-- a/never\n")
	put("bin", "\x00\x02")
	put("a/b/c.txt", "no newline")
	put("tab\tname", "y\n")
	put("new with space.txt", "diff --git a/never b/never\n")
	put("empty", "")
	put("grün/ä \"q\".txt", "x\n")
	for _, err := range []error{
		os.Remove(filepath.Join(dir, "deleted.txt")), os.Rename(filepath.Join(dir, "renamed.txt"), filepath.Join(dir, "moved.txt")),
		os.Chmod(filepath.Join(dir, "mode.sh"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	git("add", "-A")
	want := strings.Split(strings.Trim(git("diff", "--cached", "-z", "--name-only", "--no-renames"), "\x00"), "\x00")
	slices.Sort(want)
	for _, args := range [][]string{
		{"diff", "--cached"},
		{"diff", "--cached", "--no-renames"},
		{"-c", "core.quotepath=false", "diff", "--cached"},
		{"diff", "--cached", "-U0"},
		{"-c", "diff.mnemonicPrefix=true", "diff", "--cached"},
	} {
		if diff := cmp.Diff(want, diffFiles(git(args...))); diff != "" {
			t.Errorf("git %v: %s", args, diff)
		}
	}
	git("commit", "-q", "-m", "second\n\ndiff --git a/never b/never\n@@ -1 +1 @@")
	if diff := cmp.Diff(want, diffFiles(git("show"))); diff != "" {
		t.Errorf("git show: %s", diff)
	}
}

func FuzzDiffFiles(f *testing.F) {
	f.Add("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n a\n-b\n")
	f.Add("diff --git \"a/\\303\\274\" \"b/\\303\\274\"\nnew file mode 100644\n")
	f.Fuzz(func(t *testing.T, out string) {
		for _, p := range diffFiles(out) {
			if !filepath.IsLocal(p) {
				t.Errorf("%q leads outside", p)
			}
		}
	})
}

func FuzzViewOf(f *testing.F) {
	f.Add("cd x && git diff | head -3; cat 'a b' \"c\"")
	f.Fuzz(func(_ *testing.T, command string) { viewOf(command, "/w") })
}

func TestParseGoal(t *testing.T) {
	type want struct {
		goal, source, provider, base string
		auto                         bool
	}
	for args, w := range map[string]*want{
		"fix the bug":                       {goal: "fix the bug"},
		"  fix\n the  bug ":                 {goal: "fix\n the  bug"},
		"--auto-pr 12":                      {goal: "12", auto: true},
		"fix it --auto-pr":                  {goal: "fix it", auto: true},
		"document --auto-pr today":          {goal: "document --auto-pr today"},
		"-- document --auto-pr":             {goal: "document --auto-pr"},
		"owner/repo#12 make it faster":      {goal: "owner/repo#12 make it faster", source: "owner/repo#12"},
		"org/My%20Project#42":               {goal: "org/My%20Project#42", source: "org/My%20Project#42"},
		"https://example.com/i/1 and more":  {goal: "https://example.com/i/1 and more", source: "https://example.com/i/1"},
		"see owner/repo#12":                 {goal: "see owner/repo#12"},
		"#12":                               {goal: "#12"},
		"a/b#x":                             {goal: "a/b#x"},
		"a/b/c#1":                           {goal: "a/b/c#1"},
		"https://":                          {goal: "https://"},
		"--source o/r#1":                    {goal: "o/r#1", source: "o/r#1"},
		"--source=o/r#1 --base dev o/r#2 x": {goal: "o/r#2 x", source: "o/r#1", base: "dev"},
		"x --base dev --provider local --auto-pr": {goal: "x", base: "dev", provider: "local", auto: true},
		"x --source=o/r#1":                        {goal: "x", source: "o/r#1"},
		"explain --base":                          {goal: "explain --base"},
		"support --json":                          {goal: "support --json"},
		"support --json --indent":                 {goal: "support --json --indent"},
		"":                                        nil,
		"--auto-pr":                               nil,
		"--base dev":                              nil,
		"--base":                                  nil,
		"--source= x":                             nil,
		"--auto-pr=true x":                        nil,
		"--json x":                                nil,
		"--":                                      nil,
	} {
		req, err := parseGoal(args)
		if (err == nil) != (w != nil) {
			t.Errorf("%q: %+v, %v", args, req, err)
			continue
		}
		if err == nil {
			got := want{req.Goal, req.Source, req.Provider, req.Base, req.AutoPR}
			if got != *w {
				t.Errorf("%q: %+v", args, got)
			}
		}
	}
}

func FuzzParseGoal(f *testing.F) {
	f.Add("--auto-pr --source o/r#1 fix --base x")
	f.Fuzz(func(t *testing.T, args string) {
		if req, err := parseGoal(args); err == nil && req.Goal == "" {
			t.Error("a delivery without a goal")
		}
	})
}
