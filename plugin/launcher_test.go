//go:build unix

package plugin

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/hook"
)

// machine is an account on which the client has installed the plugin from the clone of
// a marketplace, with nothing on PATH but what a script needs.
type machine struct {
	t                      *testing.T
	dir, path, root, data  string
	clone, work, delivered string // the last has a ledger
}

const typed = `{"session_id":"s","hook_event_name":"UserPromptExpansion","expansion_type":"slash_command","command_name":"asterweave:asterweave","command_args":"fix it"}`

func newMachine(t *testing.T) *machine {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plugins := filepath.Join(dir, "plugins")
	m := &machine{
		t: t, dir: dir, path: filepath.Join(dir, "bin"), root: filepath.Join(plugins, "cache", "market", "asterweave", "0.1.0"),
		data: filepath.Join(plugins, "data", "asterweave-market"), clone: filepath.Join(plugins, "marketplaces", "market"),
		work: filepath.Join(dir, "work", "below"), delivered: filepath.Join(dir, "delivered", "below"),
	}
	for _, folder := range []string{m.path, m.work, m.delivered} {
		m.folder(folder)
	}
	for _, tool := range []string{"sh", "uname", "mkdir", "ln", "rm", "mv", "cmp", "sleep", "cat", "chmod"} {
		path, err := exec.LookPath(tool)
		if err == nil {
			err = os.Symlink(path, filepath.Join(m.path, tool))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	m.file(filepath.Join(dir, "delivered", ".claude", "asterweave", "ledger.jsonl"), "")
	m.file(filepath.Join(m.clone, "go.mod"), "module x\n")
	for _, name := range []string{".claude-plugin/plugin.json", "hooks/run.sh", "hooks/build.sh", "bin/asterweave-state"} {
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		m.script(filepath.Join(m.root, name), string(text))
		m.script(filepath.Join(m.clone, "plugin", name), string(text))
	}
	return m
}

func (m *machine) folder(path string) {
	m.t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) file(path, text string) { m.t.Helper(); m.put(path, text, 0o644) }

func (m *machine) script(path, text string) { m.t.Helper(); m.put(path, text, 0o755) }

func (m *machine) put(path, text string, mode fs.FileMode) {
	m.t.Helper()
	m.folder(filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		m.t.Fatal(err)
	}
}

// says is a program that says its name and what it got.
func says(name string) string { return "#!/bin/sh\necho \"" + name + " $* $(cat)\"\n" }

// result is what the client gets to see.
type result struct {
	status         int
	stdout, stderr string
}

// run starts a script as the client does, with data folder or without.
func (m *machine) run(dir, stdin, script string, args ...string) result {
	m.t.Helper()
	c := exec.Command(filepath.Join(m.path, "sh"), append([]string{script}, args...)...)
	c.Dir, c.Stdin = dir, strings.NewReader(stdin)
	c.Env = []string{"PATH=" + m.path, "HOME=" + m.dir, "PWD=" + dir, "CLAUDE_PLUGIN_ROOT=" + m.root, "CLAUDE_PLUGIN_DATA=" + m.data}
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatal(err)
	}
	return result{c.ProcessState.ExitCode(), out.String(), errs.String()}
}

func (m *machine) hook(dir, event, payload string) result {
	m.t.Helper()
	return m.run(dir, payload+"\n", filepath.Join(m.root, "hooks", "run.sh"), event)
}

// Without a program and without a ledger above the current folder nothing is said, and
// nothing is left behind.
func TestMissingProgramIsSilentElsewhere(t *testing.T) {
	m := newMachine(t)
	for _, event := range hook.Events() {
		if r := m.hook(m.work, event, `{"command_name":"others:review"}`); r != (result{}) {
			t.Errorf("%s: %+v", event, r)
		}
	}
	if _, err := os.Lstat(m.data); err == nil {
		t.Error("the data folder was made")
	}
}

// Where a ledger lies above, the deciding events are refused and the session is told how
// to get the program; in one line each.
func TestMissingProgramIsToldWhereADeliveryIs(t *testing.T) {
	m := newMachine(t)
	for _, event := range hook.Events() {
		r := m.hook(m.delivered, event, `{"command_name":"others:review"}`)
		switch event {
		case "pre-tool-use", "subagent-stop", "stop":
			if r.status != 2 || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "make install") {
				t.Errorf("%s: %+v", event, r)
			}
			for _, word := range []string{"no such file", "can't open"} { // the client takes them for its own failure
				if strings.Contains(strings.ToLower(r.stderr), word) {
					t.Errorf("%s says %q", event, word)
				}
			}
		case "session-start":
			if r.status != 0 || r.stderr != "" || strings.Count(r.stdout, "\n") != 1 || !strings.Contains(r.stdout, "make install") {
				t.Errorf("%s: %+v", event, r)
			}
		default:
			if r != (result{}) {
				t.Errorf("%s: %+v", event, r)
			}
		}
	}
}

func TestATypedCommandIsToldHowToGetTheProgram(t *testing.T) {
	m := newMachine(t)
	for _, name := range []string{"asterweave:asterweave", "asterweave:status", "asterweave"} {
		r := m.hook(m.work, "user-prompt-expansion", strings.Replace(typed, "asterweave:asterweave", name, 1))
		if r.status != 2 || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "make install") || !strings.Contains(r.stderr, "where Go is on PATH") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := m.hook(m.work, "user-prompt-expansion", strings.Replace(typed, "asterweave:asterweave", "asterweave-like:do", 1)); r != (result{}) {
		t.Errorf("another plugin's command: %+v", r)
	}
}

// The program is looked for in the installation, then in the data folder, then on PATH.
func TestTheLauncherFindsTheProgram(t *testing.T) {
	m := newMachine(t)
	found := filepath.Join(m.data, "found"+m.root)
	platform := runtime.GOOS + "-" + runtime.GOARCH
	for _, path := range []string{
		filepath.Join(m.path, "asterweave-hook"), filepath.Join(m.root, "bin", platform, "asterweave-hook"),
		filepath.Join(m.data, "bin", "asterweave-hook"), filepath.Join(found, "asterweave-hook"), filepath.Join(m.root, "bin", "asterweave-hook"),
	} {
		m.script(path, says(path))
		r := m.hook(m.delivered, "stop", "payload")
		if r != (result{stdout: path + " stop payload\n"}) {
			t.Errorf("%s is not preferred: %+v", path, r)
		}
		if err := os.Remove(filepath.Join(found, "asterweave-hook")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err) // a link that the launcher left to the platform's
		}
	}
}

// builds puts a Go on PATH that builds after some seconds, or fails.
func (m *machine) builds(script string) {
	m.script(filepath.Join(m.path, "go"), `#!/bin/sh
echo "$GOTOOLCHAIN $*" >>`+m.dir+`/built
`+script+`
mkdir -p "$4"
for p in asterweave-state asterweave-hook; do
	printf '#!/bin/sh\necho "%s $* $(cat)"\n' "$p" >"$4/$p" && chmod +x "$4/$p"
done
`)
}

func (m *machine) built() string {
	b, _ := os.ReadFile(filepath.Join(m.dir, "built"))
	return string(b)
}

func TestATypedCommandBuildsTheProgram(t *testing.T) {
	m := newMachine(t)
	m.builds("")
	for _, event := range hook.Events() { // no other event does
		m.hook(m.delivered, event, `{"tool_name":"Bash"}`)
	}
	if m.built() != "" {
		t.Fatalf("built by another event: %s", m.built())
	}
	r := m.hook(m.work, "user-prompt-expansion", typed)
	if want := (result{stdout: "asterweave-hook user-prompt-expansion " + typed + "\n"}); r != want {
		t.Errorf("%+v", r)
	}
	if !strings.HasPrefix(m.built(), "local build ") {
		t.Errorf("built with %s", m.built())
	}
	m.hook(m.work, "user-prompt-expansion", typed)
	if n := strings.Count(m.built(), "\n"); n != 1 {
		t.Errorf("built %d times", n)
	}
	// The agent's shell finds what was built, too.
	if r := m.run(m.work, "", filepath.Join(m.root, "bin", "asterweave-state"), "status"); r.stdout != "asterweave-state status \n" {
		t.Errorf("%+v", r)
	}
	if left, _ := filepath.Glob(filepath.Join(m.data, "found"+m.root, "new.*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestWhatIsNotBuilt(t *testing.T) {
	for _, c := range []struct {
		name  string
		setup func(m *machine)
		said  string
	}{
		{"a build that fails", func(m *machine) { m.builds("echo broken >&2; exit 1") }, "build.log says why"},
		{"a clone of another version", func(m *machine) {
			m.builds("")
			m.file(filepath.Join(m.clone, "plugin", ".claude-plugin", "plugin.json"), `{"name":"asterweave","version":"9.9.9"}`)
		}, "make install"},
		{"a clone without sources", func(m *machine) {
			m.builds("")
			if err := os.Remove(filepath.Join(m.clone, "go.mod")); err != nil {
				m.t.Fatal(err)
			}
		}, "make install"},
		{"a data folder that cannot be written", func(m *machine) { m.builds(""); m.file(m.data, "") }, "make install"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			c.setup(m)
			r := m.hook(m.work, "user-prompt-expansion", typed)
			if r.status != 2 || r.stdout != "" || !strings.Contains(r.stderr, c.said) || !strings.Contains(r.stderr, "make install") {
				t.Errorf("%+v", r)
			}
		})
	}
}

// A build that takes longer than the client waits goes on, and is there the next time.
func TestASlowBuildGoesOn(t *testing.T) {
	m := newMachine(t)
	m.builds("sleep 2")
	into := filepath.Join(m.data, "found"+m.root)
	r := m.run(m.work, "", filepath.Join(m.root, "hooks", "build.sh"), into, "0")
	if r.status != 1 || !strings.Contains(r.stdout, "being built") {
		t.Fatalf("%+v", r)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		_, err := os.Stat(filepath.Join(into, "build.status"))
		if left, _ := filepath.Glob(filepath.Join(into, "new.*")); err == nil && len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the build did not go on: %v", err)
		}
	}
	if r := m.hook(m.work, "user-prompt-expansion", typed); r.status != 0 || !strings.HasPrefix(r.stdout, "asterweave-hook ") {
		t.Errorf("%+v", r)
	}
}
