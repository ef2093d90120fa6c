package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/command"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
)

const hookProgram = "asterweave-hook"

// install is the step where programs are missing.
const install = "make install in a clone of the project puts both programs on PATH"

// hooks sends the guard a canary: a call that it has to refuse while a delivery is
// open, and one that it has to let through. They go through the installed launcher
// where there is one, and never run. The delivery is one of its own, in a temporary
// folder, so that the one here is not touched.
func (x *examination) hooks(ctx context.Context) {
	const name = "hooks"
	argv, env := x.launcher()
	if argv == nil {
		x.add(name, Warn, "there is no "+hookProgram+" beside this program or on PATH, and no plugin", install)
		return
	}
	dir, err := x.canary(ctx)
	if dir != "" {
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder; what stays behind is the system's to clean
	}
	if err != nil {
		x.add(name, Warn, "whether they are alive could not be tried: "+err.Error(), "")
		return
	}
	through := argv[0]
	if len(argv) > 2 {
		through = argv[1]
	}
	bad, err := decision(ctx, argv, env, dir, "git push --force origin main")
	if err != nil {
		x.add(name, Fail, fmt.Sprintf("%s: %s", through, err), install)
		return
	}
	if bad != "deny" {
		x.add(name, Fail, fmt.Sprintf("%s let a forced push through (%q): nothing is guarded", through, bad), install)
		return
	}
	good, err := decision(ctx, argv, env, dir, "git status")
	if err != nil || good == "deny" || good == "ask" {
		x.add(name, Fail, fmt.Sprintf("%s refuses what only looks (%q): %v", through, good, err), install)
		return
	}
	x.ok(name, "a forced push was refused and a look let through, by %s", through)
}

// launcher returns how the client would start the hook program, and the environment.
func (x *examination) launcher() (argv, env []string) {
	for _, name := range []string{"PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT"} {
		if v := x.env(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	if p := x.installed; p != nil {
		env = append(env, "CLAUDE_PLUGIN_ROOT="+p.dir)
		if p.data != "" && (isFile(filepath.Join(p.data, "found"+p.dir, hookProgram)) || isFile(filepath.Join(p.data, "bin", hookProgram))) {
			env = append(env, "CLAUDE_PLUGIN_DATA="+p.data) // else the launcher would leave a link there
		}
		return []string{"sh", filepath.Join(p.dir, "hooks", "run.sh"), "pre-tool-use"}, env
	}
	if path := x.program(); path != "" {
		return []string{path, "pre-tool-use"}, env
	}
	return nil, nil
}

// program returns the hook program that the launcher would start, "" where there is none.
func (x *examination) program() string {
	var candidates []string
	if p := x.installed; p != nil {
		candidates = append(candidates, filepath.Join(p.dir, "bin", hookProgram))
		if p.data != "" {
			candidates = append(candidates, filepath.Join(p.data, "bin", hookProgram))
		}
		candidates = append(candidates, filepath.Join(p.dir, "bin", runtime.GOOS+"-"+runtime.GOARCH, hookProgram))
	} else if x.o.Program != "" {
		candidates = append(candidates, filepath.Join(filepath.Dir(x.o.Program), hookProgram))
	}
	for _, c := range candidates {
		if isFile(c) {
			return c
		}
	}
	path, err := command.Resolve(hookProgram, x.dir, x.o.Environ)
	if err != nil || x.inTree(path) && x.installed == nil {
		return ""
	}
	return path
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// canary opens a delivery in a temporary folder.
func (x *examination) canary(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "asterweave-canary-")
	if err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return dir, err
	}
	out := command.Run(ctx, command.Spec{Argv: []string{"git", "init", "--quiet", "--template=", dir}, Dir: dir, Env: withoutGit(x.o.Environ), Timeout: clientTimeout})
	if out.StartErr != "" || out.Exit != 0 {
		return dir, errors.New(strings.TrimSpace("git init: " + out.StartErr + " " + string(out.Output)))
	}
	e, err := engine.Open(engine.Options{Root: dir, Now: x.o.Now, Environ: withoutGit(x.o.Environ), Providers: x.o.Providers})
	if err != nil {
		return dir, err
	}
	_, err = e.Start(ctx, engine.StartRequest{Goal: "a canary", By: evidence.By{Channel: "doctor"}})
	return dir, err
}

// withoutGit leaves out what would lead git to another repository.
func withoutGit(environ []string) []string {
	var out []string
	for _, kv := range environ {
		if !strings.HasPrefix(kv, "GIT_") {
			out = append(out, kv)
		}
	}
	return out
}

// decision is what the hook says of a shell call: deny, ask, allow, or nothing.
func decision(ctx context.Context, argv, env []string, dir, call string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	payload, err := json.Marshal(map[string]any{
		"session_id": "canary", "cwd": dir, "hook_event_name": "PreToolUse", "permission_mode": "default",
		"tool_name": "Bash", "tool_input": map[string]string{"command": call},
	})
	if err != nil {
		return "", err
	}
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stdout, stderr bytes.Buffer
	c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = dir, env, bytes.NewReader(payload), &stdout, &stderr
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	if stdout.Len() == 0 {
		return "", nil
	}
	var answer struct {
		HookSpecificOutput struct {
			PermissionDecision string
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
		return "", fmt.Errorf("its answer is no JSON: %w", err)
	}
	return answer.HookSpecificOutput.PermissionDecision, nil
}
