package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/githooks"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

func (p *patient) read(path string) string {
	p.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

// script puts a program into a folder.
func (p *patient) script(path, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		p.t.Fatal(err)
	}
}

// plugin puts the plugin's manifest into a folder, and a launcher.
func (p *patient) plugin(dir, version, launcher string) {
	p.t.Helper()
	p.script(filepath.Join(dir, "hooks", "run.sh"), launcher)
	for name, text := range map[string]string{".claude-plugin/plugin.json": `{"name":"asterweave","version":"` + version + `"}`, "bin/x": ""} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
}

// only makes a PATH on which nothing is but these tools, behind other folders.
func (p *patient) only(folders ...string) {
	p.t.Helper()
	dir := p.t.TempDir()
	for _, tool := range []string{"git", "sh", "cat", "touch"} {
		path, err := exec.LookPath(tool)
		if err == nil {
			err = os.Symlink(path, filepath.Join(dir, tool))
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	p.env[0] = "PATH=" + strings.Join(append(folders, dir), ":")
}

func (p *patient) outside(name string) string { return filepath.Join(filepath.Dir(p.root), name) }

func (p *patient) examine(look func(x *examination)) []Line {
	p.t.Helper()
	x := newExamination(p.engine(), p.options(), durable.OS())
	look(x)
	return x.lines
}

func TestClient(t *testing.T) {
	for _, c := range []struct {
		name, script string
		inTree       bool
		want         want
	}{
		{"none", "", false, want{"client", Warn, "no claude"}},
		{"new enough", "echo '2.1.332 (Claude Code)'", false, want{"client", OK, "Claude Code 2.1.332"}},
		{"the oldest", "echo '2.1.197 (Claude Code)'", false, want{"client", OK, "2.1.197"}},
		{"by numbers and not by letters", "echo '2.10.3 (Claude Code)'", false, want{"client", OK, "2.10.3"}},
		{"too old", "echo '2.1.99 (Claude Code)'", false, want{"client", Fail, "older than 2.1.197"}},
		{"no version", "echo hello", false, want{"client", Warn, "does not say its version"}},
		{"fails", "echo 2.1.332; exit 3", false, want{"client", Warn, "does not say its version"}},
		{"in the work tree", "touch started; echo 2.1.332", true, want{"client", Fail, "lies in the work tree"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPatient(t)
			bin := p.outside("bin")
			if c.inTree {
				bin = p.path("bin")
			}
			if c.script != "" {
				p.script(filepath.Join(bin, "claude"), c.script)
			}
			p.only(bin)
			exit := 0
			if c.want.level == Fail {
				exit = 1
			}
			expect(t, p.examine(func(x *examination) { x.client(t.Context()) }), exit, c.want)
			if _, err := os.Lstat(p.path("started")); err == nil {
				t.Error("a program of the work tree was started")
			}
		})
	}
}

func TestPlugin(t *testing.T) {
	now := time.Now()
	cache := ".claude/plugins/cache/market/asterweave/1.2.3"
	for _, c := range []struct {
		name  string
		setup func(p *patient)
		want  want
	}{
		{"nowhere", func(*patient) {}, want{"plugin", Warn, "not installed"}},
		{"another's bin folder on PATH", func(p *patient) { p.env[0] += ":/usr/local/bin" }, want{"plugin", Warn, "not installed"}},
		{"in a session", func(p *patient) {
			p.plugin(p.outside("plugin"), "1.2.3", "")
			p.env = append(p.env, "CLAUDECODE=1", "PATH="+os.Getenv("PATH")+":"+p.outside("plugin/bin"))
		}, want{"plugin", OK, "1.2.3 is loaded in this session"}},
		{"on the PATH of no session", func(p *patient) {
			p.plugin(p.outside("plugin"), "1.2.3", "")
			p.env = append(p.env, "PATH="+os.Getenv("PATH")+":"+p.outside("plugin/bin"))
		}, want{"plugin", Warn, "cannot be seen from here"}},
		{"installed", func(p *patient) { p.plugin(p.outside(cache), "1.2.3", "") }, want{"plugin", Warn, "cannot be seen from here"}},
		{"installed elsewhere", func(p *patient) {
			p.plugin(p.outside("config/plugins/cache/m/asterweave/1.2.3"), "1.2.3", "")
			p.env = append(p.env, "CLAUDE_CONFIG_DIR="+p.outside("config"))
		}, want{"plugin", Warn, "1.2.3 is installed"}},
		{"installed, and a hook spoke", func(p *patient) {
			p.plugin(p.outside(cache), "1.2.3", "")
			p.start()
			p.saw("s", "", 1)
		}, want{"plugin", OK, "its hooks spoke"}},
		{"installed, and a hook spoke long ago", func(p *patient) {
			p.plugin(p.outside(cache), "1.2.3", "")
			p.start()
			p.saw("s", "", 1)
			now = now.Add(lately + time.Hour)
		}, want{"plugin", Warn, "cannot be seen from here"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPatient(t)
			now = time.Now()
			c.setup(p)
			o := p.options()
			o.Now = func() time.Time { return now }
			x := newExamination(p.engine(), o, durable.OS())
			x.hookEvents()
			x.plugin()
			expect(t, x.lines, 0, c.want)
		})
	}
}

// saw lets the hooks count calls of a session, of an agent or of none.
func (p *patient) saw(session, agent string, n int) {
	p.t.Helper()
	for range n {
		by := evidence.By{Channel: "hook", Session: session, Agent: agent}
		if err := p.engine().Observe(p.t.Context(), "hook post-tool-use", by, state.Tool{Tool: "Bash", AgentID: agent}); err != nil {
			p.t.Fatal(err)
		}
	}
}

// transcript writes what the client keeps of a session: calls that ended well, and some
// lines that are none.
func (p *patient) transcript(session string, n int, at time.Time) {
	p.t.Helper()
	var b strings.Builder
	line := func(at time.Time, sidechain bool, content any) {
		l, err := json.Marshal(map[string]any{"type": "user", "timestamp": at, "isSidechain": sidechain, "message": map[string]any{"content": content}})
		if err != nil {
			p.t.Fatal(err)
		}
		b.Write(append(l, '\n'))
	}
	result := func(failed bool) []any { return []any{map[string]any{"type": "tool_result", "is_error": failed}} }
	b.WriteString("not json\n{\"type\":\"summary\"}\n")
	line(at, false, "typed by a person")
	line(at, false, result(true))
	line(at, true, result(false))
	line(at.Add(-time.Hour), false, result(false))
	for range n {
		line(at, false, result(false))
	}
	path := p.outside(".claude/projects/a-project/" + session + ".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func TestCalls(t *testing.T) {
	for _, c := range []struct {
		name       string
		seen, made int
		session    string
		exit       int
		want       want
	}{
		{"all", 12, 12, "s1", 0, want{"calls", OK, "the hooks saw 12, the transcript of this session has 12"}},
		{"some dropped", 10, 12, "s1", 0, want{"calls", OK, "12"}},
		{"many missed", 4, 12, "s1", 0, want{"calls", Warn, "saw 4 of 12"}},
		{"none", 0, 12, "s1", 1, want{"calls", Fail, "the hooks saw none"}},
		{"none yet", 0, 2, "s1", 0, want{"calls", OK, "the hooks saw 0"}},
		{"no session", 3, 3, "", 0, want{"calls", OK, "the hooks saw 3; inside a session"}},
		{"no session and none", 0, 0, "", 0, want{"calls", Warn, "no hook has seen"}},
		{"a session elsewhere", 2, 2, "../s1", 0, want{"calls", OK, "inside a session"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPatient(t)
			p.start()
			p.saw("s1", "", c.seen)
			if c.session == "s1" {
				p.saw("s1", "a1", 5)
				p.saw("s2", "", 5)
			}
			p.transcript("s1", c.made, time.Now())
			p.env = append(p.env, "CLAUDE_CODE_SESSION_ID="+c.session)
			lines := p.examine(func(x *examination) {
				n := x.hookEvents()
				x.delivery()
				x.calls(n)
			})
			expect(t, lines, c.exit, c.want)
		})
	}
}

func TestProvider(t *testing.T) {
	for _, c := range []struct {
		name  string
		setup func(p *patient)
		want  []want
	}{
		{"reachable", func(*patient) {}, []want{{"provider", OK, "origin answers"}, {"protection", Warn, "unknown"}}},
		{"gone", func(p *patient) { p.remove(p.outside("remote.git")) }, []want{{"provider", Warn, "does not answer"}}},
		{"none", func(p *patient) { p.git("remote", "remove", "origin") }, []want{{"provider", Warn, "no remote"}}},
		{"without the base", func(p *patient) { p.run(p.outside("remote.git"), "update-ref", "-d", "refs/heads/main") }, []want{{"provider", Warn, "has no branch main"}}},
		{"another provider", func(p *patient) {
			p.git("checkout", "--quiet", "main")
			p.write(".claude/asterweave.json", `{"version":1,"provider":"github"}`)
			p.git("add", ".claude/asterweave.json")
			p.git("commit", "--quiet", "-m", "configure")
			p.git("push", "--quiet", "origin", "main")
		}, []want{{"provider", Warn, "github: unknown"}, {"protection", Warn, "github"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPatient(t)
			c.setup(p)
			expect(t, p.check(), 0, c.want...)
		})
	}
}

func TestPushHook(t *testing.T) {
	own := func(p *patient) string { return p.path(".git/asterweave/hooks") }
	program := func(p *patient) string { return p.outside("bin/asterweave-state") }
	lay := func(p *patient) {
		p.script(program(p), "")
		h := githooks.Hooks{GitDir: p.path(".git"), Root: p.root, Own: p.path(".git/hooks"), Program: program(p)}
		if err := h.Lay(durable.Disk{}); err != nil {
			p.t.Fatal(err)
		}
	}
	install := func(p *patient) {
		p.start()
		p.script(program(p), "")
		if err := githooks.Install(durable.Disk{}, p.path(".git/hooks"), program(p)); err != nil {
			p.t.Fatal(err)
		}
	}
	agent := "ASTERWEAVE_AGENT=1"
	for _, c := range []struct {
		name  string
		setup func(p *patient)
		want  want
	}{
		{"no delivery", func(*patient) {}, want{"git hook", OK, "no delivery"}},
		{"a delivery without", func(p *patient) { p.start() }, want{"git hook", Warn, "no pre-push"}},
		{"in force", func(p *patient) {
			lay(p)
			p.env = append(p.env, agent, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0="+own(p))
		}, want{"git hook", OK, "in force in this shell"}},
		{"there, in a person's shell", lay, want{"git hook", OK, "shells of agents"}},
		{"there, and not in force", func(p *patient) { lay(p); p.env = append(p.env, agent) }, want{"git hook", Warn, "not pointed at it"}},
		{"overwritten", func(p *patient) { lay(p); p.script(own(p)+"/pre-push", "# asterweave\nexit 0\n") }, want{"git hook", Warn, "pre-push: is not the one of this build"}},
		{"one that hands on is missing", func(p *patient) { lay(p); p.remove(own(p) + "/pre-commit") }, want{"git hook", Warn, "pre-commit: is missing"}},
		{"without its program", func(p *patient) { lay(p); p.remove(program(p)) }, want{"git hook", Warn, "the program that judges is not there"}},
		{"that asks another program", func(p *patient) {
			lay(p)
			text := p.read(own(p) + "/pre-push")
			p.script(own(p)+"/pre-push", strings.TrimPrefix(strings.ReplaceAll(text, program(p), "/bin/true"), "#!/bin/sh\n"))
		}, want{"git hook", Warn, "is not the one of this build"}},
		{"installed", install, want{"git hook", OK, "installed in the repository"}},
		{"installed, and overwritten", func(p *patient) {
			install(p)
			p.script(p.path(".git/hooks/pre-push.asterweave-chained"), "exec lint\n")
			p.script(p.path(".git/hooks/pre-push"), "exec asterweave lint\n")
		}, want{"git hook", Warn, "another hook took the place"}},
		{"installed, and broken", func(p *patient) {
			install(p)
			p.script(p.path(".git/hooks/pre-push"), strings.TrimPrefix(p.read(p.path(".git/hooks/pre-push")), "#!/bin/sh\n")+"# more\n")
		}, want{"git hook", Warn, "is not the one of this build"}},
		{"another's", func(p *patient) { p.start(); p.script(p.path(".git/hooks/pre-push"), "exec asterweave lint") }, want{"git hook", Warn, "no pre-push"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPatient(t)
			c.setup(p)
			expect(t, p.check(), 0, c.want)
		})
	}
}

func TestVersions(t *testing.T) {
	p := newPatient(t)
	p.plugin(p.outside("plugin"), "1.2.4", "")
	p.env = append(p.env, "CLAUDE_PLUGIN_ROOT="+p.outside("plugin"))
	expect(t, p.examine((*examination).versions), 0, want{"versions", Warn, "of 1.2.3, the plugin of 1.2.4"})
	p.plugin(p.outside("plugin"), "1.2.3", "")
	p.script(p.outside("plugin/bin/asterweave-hook"), "")
	expect(t, p.examine((*examination).versions), 0, want{"versions", Warn, "does not say what it was built from"})
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.remove(p.outside("plugin/bin/asterweave-hook"))
	if err := os.Symlink(own, p.outside("plugin/bin/asterweave-hook")); err != nil {
		t.Fatal(err)
	}
	expect(t, p.examine((*examination).versions), 0, want{"versions", OK, "so is the plugin"})
}

// The canary is judged by what the launcher answers, whatever answers there.
func TestHooks(t *testing.T) {
	answer := func(decision string) string {
		return fmt.Sprintf(`echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"%s"}}'`, decision)
	}
	for _, c := range []struct {
		name, launcher string
		exit           int
		want           want
	}{
		{"alive", `case "$(cat)" in *force*) ` + answer("deny") + ` ;; esac`, 0, want{"hooks", OK, "was refused"}},
		{"silent", "cat >/dev/null", 1, want{"hooks", Fail, "nothing is guarded"}},
		{"asks", answer("ask"), 1, want{"hooks", Fail, "nothing is guarded"}},
		{"refuses everything", answer("deny"), 1, want{"hooks", Fail, "what only looks"}},
		{"no program", "echo asterweave: missing >&2; exit 2", 1, want{"hooks", Fail, "missing"}},
		{"babbles", "echo hello", 1, want{"hooks", Fail, "no JSON"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPatient(t)
			p.start()
			p.plugin(p.outside("plugin"), "1.2.3", c.launcher)
			p.env = append(p.env, "CLAUDE_PLUGIN_ROOT="+p.outside("plugin"), "AI_AGENT=x_agent")
			tmp := t.TempDir()
			t.Setenv("TMPDIR", tmp)
			before, err := os.ReadFile(p.state("ledger.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			expect(t, p.examine(func(x *examination) { x.hooks(t.Context()) }), c.exit, c.want)
			if after, err := os.ReadFile(p.state("ledger.jsonl")); err != nil || string(after) != string(before) {
				t.Errorf("the canary was written into the ledger: %v", err)
			}
			if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
				t.Errorf("the canary left %v %v", left, err)
			}
		})
	}
	p := newPatient(t)
	p.only()
	expect(t, p.examine(func(x *examination) { x.hooks(t.Context()) }), 0, want{"hooks", Warn, "no plugin"})
}

func TestOutside(t *testing.T) {
	p := newPatient(t)
	p.only()
	why := problem.Wrap(problem.NoRepository, errors.New("no repository"), "go to one")
	lines := Outside(t.Context(), p.outside(""), why, p.options())
	expect(t, lines, 1, want{"repository", Fail, "no repository"}, want{"client", Warn, ""}, want{"plugin", Warn, ""}, want{"versions", OK, ""}, want{"hooks", Warn, ""})
}
