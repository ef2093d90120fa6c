package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// turns of a whole-process measurement.
const processTurns = 101

const hello = `package main

import "fmt"

func main() { fmt.Println("{}") }
`

// programs are built once, into dir.
type programs struct{ hello, hook, state string }

func build(dir string) (programs, error) {
	p := programs{hello: filepath.Join(dir, "hello"), hook: filepath.Join(dir, "asterweave-hook"), state: filepath.Join(dir, "asterweave-state")}
	src := filepath.Join(dir, "hello-src")
	if err := os.MkdirAll(src, 0o755); err != nil {
		return p, err
	}
	for name, text := range map[string]string{"main.go": hello, "go.mod": "module hello\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(src, name), []byte(text), 0o644); err != nil {
			return p, err
		}
	}
	if err := in(src, nil, "go", "build", "-trimpath", "-o", p.hello, "."); err != nil {
		return p, err
	}
	return p, in("", nil, "go", "build", "-trimpath", "-o", dir+string(filepath.Separator), "./cmd/asterweave-hook", "./cmd/asterweave-state")
}

// in runs a command in a folder; its output is shown only in an error.
func in(dir string, stdin []byte, argv ...string) error { return with(nil, dir, stdin, argv...) }

// output is in for a command whose output counts.
func output(dir string, argv ...string) (string, error) {
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir = dir
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	return string(out), nil
}

// with is in with more variables, as the client sets them.
func with(env []string, dir string, stdin []byte, argv ...string) error {
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir, c.Stdin, c.Env = dir, bytes.NewReader(stdin), append(os.Environ(), env...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, out)
	}
	return nil
}

// repository makes a small repository, with a delivery open in it or not.
func repository(dir string, p programs, open bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o644); err != nil {
		return err
	}
	for _, argv := range [][]string{
		{"git", "init", "-q", "-b", "main"},
		{"git", "config", "user.name", "Dev"},
		{"git", "config", "user.email", "dev@example.com"},
		{"git", "add", "-A"},
		{"git", "commit", "-qm", "first"},
	} {
		if err := in(dir, nil, argv...); err != nil {
			return err
		}
	}
	if !open {
		return nil
	}
	return in(dir, nil, p.state, "start", "--goal", "measure")
}

// command200 is a shell command of 200 bytes, as an agent sends them.
func command200() string {
	c := `cd sub && go test -count=1 -run 'TestRefund|TestLimit' ./internal/... 2>&1 | tee "$TMPDIR/out.txt" | tail -n 40; git status --short`
	return c + strings.Repeat(" ", 198-len(c)) + "#x"
}

func payload(dir string) []byte {
	return fmt.Appendf(nil, `{"session_id":"s","transcript_path":"/dev/null","cwd":%q,"permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":%q},"tool_use_id":"t"}`, dir, command200())
}

func hookRows(dir string) ([]row, error) {
	p, err := build(dir)
	if err != nil {
		return nil, err
	}
	closed, open := filepath.Join(dir, "closed"), filepath.Join(dir, "open")
	if err := repository(closed, p, false); err != nil {
		return nil, err
	}
	if err := repository(open, p, true); err != nil {
		return nil, err
	}
	hookIn := func(dir string, argv ...string) func() error {
		stdin := payload(dir)
		return func() error { return in(dir, stdin, argv...) }
	}
	base, stdin := func() error { return in(closed, nil, p.hello) }, payload(open)
	launcher, err := filepath.Abs(filepath.Join("plugin", "hooks", "run.sh"))
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, m := range []struct {
		what string
		bar  float64
		fn   func() error
	}{
		{"hook pre-tool-use, no delivery / a program that prints a line", 2.5, hookIn(closed, p.hook, "pre-tool-use")},
		{"the same with a delivery open, a 200-byte command", 3, hookIn(open, p.hook, "pre-tool-use")},
		{"the same through the launcher", 4, func() error {
			return with([]string{"ASTERWEAVE_HOOK=" + p.hook}, open, stdin, "sh", launcher, "pre-tool-use")
		}},
	} {
		a, b, err := byTurns(processTurns, m.fn, base)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{what: m.what, value: ratio(a, b), unit: "x", bar: m.bar})
	}
	rss, err := resident(open, p.hook, "pre-tool-use")
	if err != nil {
		return nil, err
	}
	return append(rows, row{what: "resident memory of a hook", value: rss, unit: "MB", bar: 20}), nil
}
