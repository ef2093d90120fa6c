package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/command"
)

// oldestClient is the version of the client that the plugin was tried with first; the
// one place that says so.
const oldestClient = "2.1.197"

// clientTimeout is for the client to say its version.
const clientTimeout = 10 * time.Second

// client looks for the client on PATH.
func (x *examination) client(ctx context.Context) {
	const name = "client"
	path, err := command.Resolve("claude", x.dir, x.o.Environ)
	if err != nil {
		x.add(name, Warn, "there is no claude on PATH; deliveries by hand need none", "install Claude Code, or put it on PATH")
		return
	}
	if x.inTree(path) {
		x.add(name, Fail, fmt.Sprintf("the first claude on PATH, %s, lies in the work tree; it was not started", path), "take that folder out of PATH")
		return
	}
	out := command.Run(ctx, command.Spec{Argv: []string{path, "--version"}, Dir: x.dir, Env: x.o.Environ, Timeout: clientTimeout})
	said, _, _ := strings.Cut(strings.TrimSpace(string(out.Output)), "\n")
	version, _, _ := strings.Cut(said, " ")
	have, ok := numbers(version)
	oldest, _ := numbers(oldestClient)
	switch {
	case out.StartErr != "" || out.Exit != 0 || !ok:
		x.add(name, Warn, fmt.Sprintf("%s does not say its version: %q", path, said+out.StartErr), "run it by hand, and install it anew if it does not start")
	case slices.Compare(have, oldest) < 0:
		x.add(name, Fail, fmt.Sprintf("Claude Code %s is older than %s, which knows the hooks that are used", version, oldestClient), "update it")
	default:
		x.ok(name, "Claude Code %s, %s", version, path)
	}
}

// numbers reads "2.1.197".
func numbers(version string) ([]int, bool) {
	var out []int
	for part := range strings.SplitSeq(version, ".") {
		var n int
		if _, err := fmt.Sscanf(part, "%d", &n); err != nil {
			return nil, false
		}
		out = append(out, n)
	}
	return out, len(out) == 3
}

// installation is a copy of the plugin on this machine.
type installation struct {
	dir     string
	version string
	data    string // its data folder, "" where that is not known
	loaded  bool   // by the session that this runs in
}

// find looks for the plugin: in the session that this runs in, which puts the plugin's
// bin folder on the shell's PATH, else among what is installed for this account.
func (x *examination) find() *installation {
	if p := manifest(x.env("CLAUDE_PLUGIN_ROOT")); p != nil {
		p.loaded, p.data = true, x.env("CLAUDE_PLUGIN_DATA")
		return p
	}
	for _, dir := range filepath.SplitList(x.env("PATH")) {
		if p := manifest(filepath.Dir(dir)); p != nil && filepath.Base(dir) == "bin" {
			p.loaded = x.env("CLAUDECODE") != ""
			p.data = dataOf(p.dir)
			return p
		}
	}
	home := x.env("CLAUDE_CONFIG_DIR")
	if home == "" {
		home = filepath.Join(x.env("HOME"), ".claude")
	}
	dirs, _ := filepath.Glob(filepath.Join(home, "plugins", "cache", "*", "asterweave", "*"))
	var newest *installation
	var at time.Time
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if p := manifest(dir); p != nil && err == nil && info.ModTime().After(at) {
			newest, at = p, info.ModTime()
			p.data = dataOf(dir)
		}
	}
	return newest
}

// dataOf returns the data folder of an installation: the client keeps both below one
// folder, plugins/cache/MARKET/asterweave/VERSION and plugins/data/asterweave-MARKET.
func dataOf(dir string) string {
	market := filepath.Dir(filepath.Dir(dir))
	cache := filepath.Dir(market)
	if filepath.Base(cache) != "cache" {
		return ""
	}
	return filepath.Join(filepath.Dir(cache), "data", "asterweave-"+filepath.Base(market))
}

// manifest returns the plugin in a folder, nil where there is none of ours.
func manifest(dir string) *installation {
	if !filepath.IsAbs(dir) {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(dir, ".claude-plugin", "plugin.json"))
	var m struct{ Name, Version string }
	if err != nil || json.Unmarshal(b, &m) != nil || m.Name != "asterweave" {
		return nil
	}
	return &installation{dir: dir, version: m.Version}
}

// plugin says whether the plugin is loaded, as far as can be seen from here.
func (x *examination) plugin() {
	const name = "plugin"
	p := x.installed
	switch {
	case p == nil:
		x.add(name, Warn, "it is not installed for this account, as far as can be seen", "in a clone: claude plugin marketplace add ./, then claude plugin install asterweave@asterweave")
	case p.loaded:
		x.ok(name, "%s is loaded in this session, from %s", p.version, p.dir)
	case !x.hooked.IsZero() && x.o.Now().Sub(x.hooked) < lately:
		x.ok(name, "%s is installed in %s, and its hooks spoke in this worktree at %s", p.version, p.dir, x.hooked.UTC().Format(time.DateTime))
	default:
		x.add(name, Warn, fmt.Sprintf("%s is installed in %s; whether a session has loaded it cannot be seen from here", p.version, p.dir), "in a session, /plugin lists what is loaded, and /asterweave:doctor asks again")
	}
}

// lately is how old a hook's word may be to say that the plugin is loaded.
const lately = 12 * time.Hour

func (x *examination) env(name string) string {
	value := ""
	for _, kv := range x.o.Environ {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			value = v
		}
	}
	return value
}

// agentShell reports whether this was started from an agent's shell.
func (x *examination) agentShell() bool {
	return x.env("ASTERWEAVE_AGENT") != "" || strings.HasSuffix(x.env("AI_AGENT"), "_agent")
}

// inTree reports whether a path lies in the work tree.
func (x *examination) inTree(path string) bool {
	if x.e == nil {
		return false
	}
	rel, err := filepath.Rel(x.e.Root(), path)
	return err == nil && filepath.IsLocal(rel)
}
