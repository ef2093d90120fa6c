//go:build unix

package githooks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/githooks"
)

// awkward is a folder whose name needs care in every shell.
func awkward(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, `it's "a" $HOME \ new`+"\n"+`line`)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func laid(t *testing.T, gitDir string) githooks.Hooks {
	t.Helper()
	h := githooks.Hooks{GitDir: gitDir, Root: filepath.Dir(gitDir), Own: filepath.Join(gitDir, "hooks"), Program: "/bin/true"}
	if err := h.Lay(durable.Disk{}); err != nil {
		t.Fatal(err)
	}
	return h
}

// configured runs a text behind the exports, several times over, and returns what Git's
// variables hold then: one line each.
func configured(t *testing.T, shell []string, exports string, times int, env ...string) string {
	t.Helper()
	// As the client does it: inside of a list of commands that goes on.
	text := "true && " + strings.TrimSpace(strings.Repeat(exports, times)) + "\n: && eval 'echo went on; env | grep -a ^GIT_CONFIG | sort | head -20'"
	c := exec.Command(shell[0], append(slices.Clone(shell[1:]), "-c", text)...)
	c.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	out, err := c.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "went on\n") {
		t.Fatalf("%q: %v %s", shell, err, out)
	}
	return strings.TrimPrefix(string(out), "went on\n")
}

func shells(t *testing.T) [][]string {
	t.Helper()
	var out [][]string
	for _, s := range [][]string{{"sh"}, {"bash"}, {"bash", "--posix", "-eu"}, {"dash", "-eu"}, {"zsh"}, {"zsh", "-eu"}, {"busybox", "sh"}} {
		if _, err := exec.LookPath(s[0]); err == nil {
			out = append(out, s)
		}
	}
	return out
}

func TestExports(t *testing.T) {
	const folder = "/tmp/x/.git/asterweave/hooks"
	gitDir := filepath.Join(awkward(t), ".git")
	exports := githooks.Exports(githooks.Folder(gitDir))
	for _, shell := range shells(t) {
		if got := configured(t, shell, exports, 3); got != "" {
			t.Errorf("%q, without the folder: %q", shell, got)
		}
	}
	laid(t, gitDir)
	here := githooks.Folder(gitDir)
	first := func(i string) string {
		return "GIT_CONFIG_KEY_" + i + "=core.hooksPath\nGIT_CONFIG_VALUE_" + i + "=" + strings.SplitN(here, "\n", 2)[0] + "\n"
	}
	for _, shell := range shells(t) {
		for times := 1; times <= 3; times++ {
			if got, want := configured(t, shell, exports, times), "GIT_CONFIG_COUNT=1\n"+first("0"); got != want {
				t.Errorf("%q, %d times: %s", shell, times, cmp.Diff(want, got))
			}
		}
		had := []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=a b"}
		if got, want := configured(t, shell, exports, 2, had...), "GIT_CONFIG_COUNT=2\nGIT_CONFIG_KEY_0=user.name\n"+strings.Replace(first("1"), "GIT_CONFIG_VALUE_1", "GIT_CONFIG_VALUE_0=a b\nGIT_CONFIG_VALUE_1", 1); got != want {
			t.Errorf("%q, after another: %s", shell, cmp.Diff(want, got))
		}
		other := []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=" + folder}
		if got := configured(t, shell, exports, 1, other...); !strings.HasPrefix(got, "GIT_CONFIG_COUNT=2\n") {
			t.Errorf("%q, after another folder: %q", shell, got)
		}
		for _, odd := range []string{"x", "-1", "1;touch /tmp/no", "007", "a[$(touch /tmp/no)]"} {
			if got := configured(t, shell, exports, 1, "GIT_CONFIG_COUNT="+odd); got != "GIT_CONFIG_COUNT="+odd+"\n" {
				t.Errorf("%q, count %q: %q", shell, odd, got)
			}
		}
	}
	c := exec.Command("bash", "-c", exports+exports+"git config core.hooksPath")
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := c.CombinedOutput(); err != nil || string(out) != here+"\n" {
		t.Errorf("git says %v %q", err, out)
	}
}

func TestWithout(t *testing.T) {
	const folder = "/w/.git/asterweave/hooks"
	entries := func(list ...string) []string {
		out := []string{"A=1"}
		for i := 0; i+1 < len(list); i += 2 {
			n := string(rune('0' + i/2))
			out = append(out, "GIT_CONFIG_KEY_"+n+"="+list[i], "GIT_CONFIG_VALUE_"+n+"="+list[i+1])
		}
		if len(list) == 0 {
			return out
		}
		return append(out, "GIT_CONFIG_COUNT="+string(rune('0'+len(list)/2)))
	}
	for name, c := range map[string]struct{ in, want []string }{
		"nothing":             {entries(), entries()},
		"ours":                {entries("core.hooksPath", folder), entries()},
		"ours twice":          {entries("core.hooksPath", folder, "core.hookspath", folder), entries()},
		"between others":      {entries("a.b", "1", "core.hooksPath", folder, "c.d", "2"), entries("a.b", "1", "c.d", "2")},
		"another folder":      {entries("core.hooksPath", "/w"), entries("core.hooksPath", "/w")},
		"another key":         {entries("alias.x", folder), entries("alias.x", folder)},
		"another before ours": {entries("core.hooksPath", "/w", "core.hooksPath", folder), entries("core.hooksPath", "/w")},
		"beyond the count":    {append(entries("core.hooksPath", folder), "GIT_CONFIG_KEY_1=x.y"), append(entries(), "GIT_CONFIG_KEY_1=x.y")},
		"no count":            {[]string{"GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=" + folder}, []string{"GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=" + folder}},
		"a value is missing":  {[]string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath"}, []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath"}},
		"a count of old":      {append([]string{"GIT_CONFIG_COUNT=7"}, entries("core.hooksPath", folder)...), entries()},
		"parameters":          {append(entries("core.hooksPath", folder), "GIT_CONFIG_PARAMETERS='a=b'"), append(entries(), "GIT_CONFIG_PARAMETERS='a=b'")},
	} {
		got := githooks.Without(c.in, folder)
		if diff := cmp.Diff(slices.Sorted(slices.Values(c.want)), slices.Sorted(slices.Values(got))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
