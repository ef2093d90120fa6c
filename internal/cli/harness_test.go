//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// suite is what all tests share: the programs, built once, and the folders in
// which the stages of an honest delivery wait to be copied.
type suite struct {
	dir   string
	cache string // GOCACHE
	path  string // PATH
	slots chan struct{}

	mu     sync.Mutex
	stages map[string]*sync.Once
	broken map[string]string
	seen   map[string]answer
	took   map[string]counts
}

var shared = &suite{
	stages: map[string]*sync.Once{}, broken: map[string]string{}, seen: map[string]answer{}, took: map[string]counts{},
	slots: make(chan struct{}, max(2, runtime.NumCPU())),
}

func TestMain(m *testing.M) {
	if os.Getenv(agentProgram) != "" {
		os.Exit(beAgent())
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "asterweave-suite-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if shared.dir, err = filepath.EvalSymlinks(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := shared.build(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// build makes both programs, as a user would get them.
func (s *suite) build() error {
	c := exec.Command("go", "build", "-o", filepath.Join(s.dir, "bin")+string(filepath.Separator), "./cmd/asterweave-state", "./cmd/asterweave-hook")
	c.Dir = filepath.Join("..", "..")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	out, err := exec.Command("go", "env", "GOCACHE", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	for _, dir := range []string{s.home(), filepath.Join(s.dir, "tmp")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(s.home(), ".gitconfig"), []byte(gitConfig), 0o644); err != nil {
		return err
	}
	lines := strings.Fields(string(out))
	s.cache = lines[0]
	git, err := exec.LookPath("git")
	if err != nil {
		return err
	}
	s.path = strings.Join([]string{filepath.Join(lines[1], "bin"), filepath.Dir(git), "/usr/bin", "/bin"}, ":")
	return nil
}

// home is the home of everybody: a run is compared with the one that it was in.
func (s *suite) home() string { return filepath.Join(s.dir, "home") }

func (s *suite) program(name string) string { return filepath.Join(s.dir, "bin", name) }

// repo is one worktree, with its own home and remote beside it, and the answers
// of the programs that were called in it.
type repo struct {
	t    testing.TB
	base string // holds repo, remote.git and home
	dir  string // the worktree
	env  map[string]string

	calls *int // of asterweave-state by the model
	words *int // of a human
}

func open(t testing.TB, base string) *repo {
	return &repo{t: t, base: base, dir: filepath.Join(base, "repo"), env: map[string]string{}, calls: new(int), words: new(int)}
}

// at returns a fresh copy of the worktree of an honest delivery at a stage.
func at(t *testing.T, stage string) *repo {
	t.Helper()
	t.Parallel()
	shared.slots <- struct{}{}
	t.Cleanup(func() { <-shared.slots })
	return copyOf(t, shared.stage(t, stage))
}

// at0 returns the worktree before a delivery; only to look.
func at0(t *testing.T) *repo {
	t.Helper()
	return open(t, shared.stage(t, "fresh"))
}

func copyOf(t testing.TB, from string) *repo {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	base = filepath.Join(base, "w")
	if out, err := exec.Command("cp", "-a", from, base).CombinedOutput(); err != nil {
		t.Fatalf("copy: %v %s", err, out)
	}
	return open(t, base)
}

// with returns the same worktree, in an environment with these settings;
// "NAME=" sets the empty value, "-NAME" takes a variable out.
func (r *repo) with(settings ...string) *repo {
	out := *r
	out.env = map[string]string{}
	for k, v := range r.env {
		out.env[k] = v
	}
	for _, s := range settings {
		if name, ok := strings.CutPrefix(s, "-"); ok {
			out.env[name] = "\x00"
			continue
		}
		name, value, _ := strings.Cut(s, "=")
		out.env[name] = value
	}
	return &out
}

// environ is built from a list of what is allowed, then from what the test sets.
func (r *repo) environ(extra ...string) []string {
	env := map[string]string{
		"PATH": shared.path, "HOME": shared.home(), "USER": "dev", "LANG": "C.UTF-8", "TMPDIR": filepath.Join(shared.dir, "tmp"),
		"GOCACHE": shared.cache, "GOPROXY": "off", "GOTOOLCHAIN": "local", "GIT_CONFIG_NOSYSTEM": "1",
	}
	for _, kv := range extra {
		k, v, _ := strings.Cut(kv, "=")
		env[k] = v
	}
	for k, v := range r.env {
		if v == "\x00" {
			delete(env, k)
			continue
		}
		env[k] = v
	}
	var out []string
	for k, v := range env {
		out = append(out, k+"="+v)
	}
	return out
}

// answer is what a program said.
type answer struct {
	args   []string
	status int
	stdout string
	stderr string
	json   map[string]any
}

func (a answer) String() string {
	return fmt.Sprintf("%s: status %d\n%s\n%s", strings.Join(a.args, " "), a.status, clip(a.stdout), clip(a.stderr))
}

func clip(s string) string {
	if len(s) > 1500 {
		return s[:1500] + "…"
	}
	return s
}

// code is the error's code, "" without an error.
func (a answer) code() string { return a.text("error", "code") }

// text returns the string at a path of names.
func (a answer) text(path ...string) string {
	s, _ := dig(a.json, path...).(string)
	return s
}

func dig(v any, path ...string) any {
	for _, p := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[p]
	}
	return v
}

func (r *repo) exec(stdin string, env []string, program string, args ...string) answer {
	r.t.Helper()
	c := exec.Command(program, args...)
	c.Dir, c.Env, c.Stdin = r.dir, env, strings.NewReader(stdin)
	// A session of its own has no terminal, whatever the tests were started from.
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	return r.done(c, c.Run(), &stdout, &stderr)
}

func (r *repo) done(c *exec.Cmd, err error, stdout, stderr *bytes.Buffer) answer {
	r.t.Helper()
	a := answer{args: append([]string{filepath.Base(c.Path)}, c.Args[1:]...), stdout: stdout.String(), stderr: stderr.String()}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		a.status = exit.ExitCode()
	case err != nil:
		r.t.Fatalf("%s: %v", c.Path, err)
	}
	_ = json.Unmarshal(stdout.Bytes(), &a.json)
	return a
}

// aw is a call that the model makes, from an agent's shell.
func (r *repo) aw(args ...string) answer { r.t.Helper(); return r.awIn("", args...) }

func (r *repo) awIn(stdin string, args ...string) answer {
	r.t.Helper()
	*r.calls++
	return r.exec(stdin, r.environ("ASTERWEAVE_AGENT=1"), shared.program("asterweave-state"), append([]string{"--json"}, args...)...)
}

// look is a call that only looks, and is not the model's.
func (r *repo) look(args ...string) answer {
	r.t.Helper()
	return r.exec("", r.environ(), shared.program("asterweave-state"), args...)
}

// ok fails the test unless the call ended with status 0.
func (r *repo) ok(a answer) answer {
	r.t.Helper()
	if a.status != 0 {
		r.t.Fatalf("status 0 was due: %s", a)
	}
	return a
}

// human calls a verb on a terminal, outside an agent's shell, and types a line.
func (r *repo) human(typed string, args ...string) answer {
	r.t.Helper()
	*r.words++
	return r.terminal(r.environ(), typed, args...)
}

func (r *repo) terminal(env []string, typed string, args ...string) answer {
	r.t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		r.t.Fatal(err)
	}
	defer master.Close()
	c := exec.Command(shared.program("asterweave-state"), append([]string{"--json"}, args...)...)
	c.Dir, c.Env, c.Stdin = r.dir, env, tty
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		r.t.Fatal(err)
	}
	tty.Close()
	var shown bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		answered := typed == ""
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			shown.Write(b[:n])
			if !answered && bytes.Contains(shown.Bytes(), []byte("digits of the digest")) {
				answered = true
				_, _ = io.WriteString(master, typed+"\n")
			}
			if err != nil {
				return
			}
		}
	}()
	timer := time.AfterFunc(30*time.Second, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	err = c.Wait()
	if runtime.GOOS == "linux" {
		<-read // reading ends with the last process that has the terminal open
	}
	a := r.done(c, err, &stdout, &stderr)
	a.stderr += shown.String()
	return a
}

// event sends a harness event; payload's fields go over what every payload has.
func (r *repo) event(name string, payload map[string]any) answer {
	r.t.Helper()
	return r.exec(r.payload(name, payload), r.environ(), shared.program("asterweave-hook"), name)
}

func (r *repo) payload(name string, fields map[string]any) string {
	r.t.Helper()
	p := map[string]any{"session_id": "0b1e6c1e-1111-4222-8333-444455556666", "cwd": r.dir, "permission_mode": "default", "hook_event_name": eventName(name)}
	for k, v := range fields {
		p[k] = v
	}
	b, err := json.Marshal(p)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

// eventName is the client's own name of an event.
func eventName(kebab string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(kebab, "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// typed is what the client sends when a human types one of the plugin's commands.
func typed(command, args string) map[string]any {
	return map[string]any{
		"expansion_type": "slash_command", "command_name": "asterweave:" + command, "command_args": args,
		"command_source": "plugin", "prompt": strings.TrimSpace("/asterweave:" + command + " " + args),
	}
}

// says is a human's typed command; the hook has to take it.
func (r *repo) says(command, args string) answer {
	r.t.Helper()
	*r.words++
	a := r.ok(r.event("user-prompt-expansion", typed(command, args)))
	if a.text("decision") != "" {
		r.t.Fatalf("a human's %s was refused: %s", command, a)
	}
	return a
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = r.dir, r.environ()
	out, err := c.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) file(name string) string { return filepath.Join(r.dir, name) }

func (r *repo) write(name, content string) {
	r.t.Helper()
	full := name
	if !filepath.IsAbs(name) {
		full = r.file(name)
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) read(name string) string {
	r.t.Helper()
	full := name
	if !filepath.IsAbs(name) {
		full = r.file(name)
	}
	b, err := os.ReadFile(full)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

func (r *repo) ledger() string { return r.read(".claude/asterweave/ledger.jsonl") }
