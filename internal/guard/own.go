package guard

import (
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
)

// own judges the verbs of asterweave-state.
func (w *walker) own(argv []arg, e *env) {
	args := argv[1:]
	bare := argv[0].text == "asterweave-state" && !e.cleared
	var rest []arg
	elsewhere := false
	for i := 0; i < len(args); i++ {
		t := args[i].text
		switch {
		case args[i].vague():
			w.add(unresolved("the verb of asterweave-state"))
			w.ownNames(args[i:])
			return
		case t == "--root":
			i++
			elsewhere = elsewhere || i < len(args) && w.elsewhere(args[i], e)
			continue
		case strings.HasPrefix(t, "--root="):
			elsewhere = elsewhere || w.elsewhere(arg{text: t[len("--root="):]}, e)
			continue
		case strings.HasPrefix(t, "-") && t != "--help" && t != "-h":
			continue
		}
		rest = args[i:]
		break
	}
	if len(rest) == 0 {
		w.other = true
		return
	}
	verb := rest[0].text
	words := texts(rest[1:])
	w.ownVerb(verb, words)
	human := func() {
		w.add(deny(RuleHuman, "asterweave-state "+clip(verb)+" is a person's word", "a person says it in the client or in a terminal of their own; asterweave-state inbox shows what waits for them"))
	}
	if w.s.Ended && !looks(verb) {
		w.other = true
	}
	switch verb {
	case "approve", "reject", "reply", "steer", "resume", "abort":
		if slices.Contains(words, "--help") {
			return
		}
		human()
	case "hook":
		w.add(deny(RuleHuman, "a payload of the client comes from the client", "asterweave-state status shows where the delivery is"))
	case "guard":
		w.ownGuard(words, human, bare)
	case "start":
		for _, a := range rest[1:] {
			if strings.HasPrefix(a.text, "--auto-pr") && a.text != "--auto-pr=false" {
				human()
				return
			}
			if a.vague() {
				w.add(unresolved("a word of asterweave-state start"))
				return
			}
		}
		w.allow(bare, elsewhere)
	case "record":
		for _, a := range rest[1:] {
			if strings.HasPrefix(a.text, "--hook") && a.text != "--hook=false" {
				w.add(deny(RuleHuman, "a payload of the client comes from the client", "asterweave-state record with --kind takes evidence"))
			}
			if a.loose && a.vague() {
				w.add(unresolved("a word of asterweave-state record"))
			}
		}
		w.allow(bare, elsewhere)
	case "run":
		w.ownRun(rest[1:], bare, elsewhere, e)
	case "next", "enter", "complete", "submit", "refresh", "spec", "plan", "manifest", "triage", "ask", "inbox", "intend", "read", "pause", "status", "log", "trace", "report",
		"export", "verify", "doctor", "version", "completion", "help", "--help", "-h":
		for _, a := range rest[1:] {
			if a.loose && a.vague() {
				w.add(unresolved("a word of asterweave-state " + verb))
			}
			if v, ok := strings.CutPrefix(a.text, "--out="); ok {
				w.add(w.written(arg{text: v}, e, false))
			}
		}
		for i, a := range rest[:len(rest)-1] {
			if a.text == "--out" {
				w.add(w.written(rest[i+1], e, false))
				w.other = true
			}
		}
		w.allow(bare, elsewhere)
	default:
		w.add(ask(RuleUnresolved, "asterweave-state "+clip(verb)+" is no verb that is known", "asterweave-state --help lists the verbs"))
	}
}

// looks reports whether a verb shows what was, and changes nothing.
func looks(verb string) bool {
	switch verb {
	case "status", "report", "log", "trace", "verify", "inbox", "read", "doctor", "version", "help", "--help", "-h":
		return true
	}
	return false
}

// ownNames refuses a verb of a person's that stands behind what cannot be told.
func (w *walker) ownNames(args []arg) {
	for _, a := range args {
		switch a.text {
		case "approve", "reject", "reply", "resume", "abort", "steer", "hook":
			w.add(deny(RuleHuman, "asterweave-state "+a.text+" is a person's word", "a person says it in the client or in a terminal of their own"))
		}
	}
}

func (w *walker) elsewhere(dir arg, e *env) bool {
	p, full := e.at(dir.text, w.s.Home)
	return !full || dir.dim() || p != w.s.Root
}

func (w *walker) allow(bare, elsewhere bool) {
	if !bare || elsewhere {
		w.other = true
	}
	w.allowed = true
}

func (w *walker) ownGuard(words []string, human func(), bare bool) {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") && words[0] != "--" {
		if words[0] == "--root" && len(words) > 1 {
			words = words[1:]
		}
		words = words[1:]
	}
	switch {
	case len(words) > 0 && words[0] == "explain", slices.Equal(words, []string{"allow", "--list"}), slices.Equal(words, []string{"allow", "--list", "--json"}):
		w.allow(bare, false)
	case len(words) > 0 && (words[0] == "allow" || words[0] == "uninstall"):
		human()
	default:
		w.other = true
	}
}

// ownRun judges run: a gate by its id, and argv like any command.
func (w *walker) ownRun(args []arg, bare, elsewhere bool, e *env) {
	for i, a := range args {
		if a.text == "--" || !strings.HasPrefix(a.text, "-") && (i == 0 || !runValue(args[i-1].text)) {
			rest := args[i:]
			if a.text == "--" {
				rest = args[i+1:]
			}
			w.ownArgv(rest, bare, elsewhere, e)
			return
		}
		if a.vague() {
			w.add(unresolved("a word of asterweave-state run"))
		}
	}
	w.allow(bare, elsewhere)
}

func runValue(flag string) bool {
	switch flag {
	case "--gate", "--at", "--kind", "--timeout", "--root", "--criterion", "--summary":
		return true
	}
	return false
}

func (w *walker) ownArgv(argv []arg, bare, elsewhere bool, e *env) {
	if len(argv) == 0 {
		w.allow(bare, elsewhere)
		return
	}
	inner := e.fork()
	inner.asProgram() // it is run as a program
	saved, allowed := w.other, w.allowed
	w.run(argv, inner)
	w.other, w.allowed = saved, allowed
	words := texts(argv)
	dim := slices.ContainsFunc(argv, func(a arg) bool { return a.dim() || a.glob })
	if !dim && slices.ContainsFunc(w.s.Gates, func(g document.Gate) bool { return g.Matches(words) }) {
		w.allow(bare, elsewhere)
		return
	}
	w.other = true
}

func agentStarted(name string) Verdict {
	return deny(RuleAgents, "the agent "+name+" would be started outside of the client, where nobody sees what it says", "delegate with the client's own agents")
}

// packagedAgent reports whether a manager of packages gets or runs an agent.
func packagedAgent(name string, args []arg) bool {
	runs := false
	switch name {
	case "npx", "bunx", "pnpx", "uvx", "pipx":
		runs = true
	case "npm", "pnpm", "yarn", "bun", "uv":
		for _, a := range args {
			runs = runs || a.text == "exec" || a.text == "x" || a.text == "dlx" || a.text == "run"
		}
	}
	for _, a := range args {
		for _, k := range []string{"@anthropic-ai/claude", "@openai/codex", "@google/gemini-cli", "claude-code", "aider-chat", "opencode-ai", "@qwen-code"} {
			if runs && strings.Contains(a.text, k) {
				return true
			}
		}
	}
	return false
}

// installedAgent reports whether a path is the program of an agent under another name.
func installedAgent(p string) bool {
	return strings.Contains(p, "/claude/versions/") || strings.Contains(p, "@anthropic-ai/claude-code/") || strings.Contains(p, "@openai/codex/") || strings.Contains(p, "@google/gemini-cli/")
}

// agent judges programs that are agents themselves.
func (w *walker) agent(name string, args []arg) bool {
	first := ""
	if len(args) > 0 {
		first = args[0].text
	}
	if packagedAgent(name, args) {
		w.add(agentStarted("of another program"))
		return true
	}
	switch name {
	case "tmux", "screen", "xterm", "dtach", "abduco", "zellij", "gnome-terminal", "kitty", "alacritty":
		for _, a := range args {
			if n := w.program(a.text); n == "claude" || n == "codex" || n == "gemini" || n == "aider" {
				w.add(agentStarted(n))
				return true
			}
		}
		return false
	case "q":
		if first != "chat" {
			return false
		}
	case "claude", "codex", "gemini", "aider", "cursor-agent", "opencode", "amp", "crush", "qwen", "cline", "droid", "copilot", "openhands", "claude-code", "auggie", "kiro-cli", "ccr", "cn":
	case "goose":
		if first != "run" && first != "session" {
			return false
		}
	default:
		return false
	}
	switch first {
	case "--version", "-v", "-V", "--help", "-h", "doctor", "version", "help":
		return true
	case "mcp", "plugin", "plugins":
		if len(args) > 1 && (args[1].text == "list" || args[1].text == "get" || args[1].text == "validate" || args[1].text == "--help") {
			return true
		}
		w.add(deny(RuleClient, "the plugins and servers of the client would be changed", "a person changes them outside of a delivery"))
		return true
	}
	w.add(agentStarted(name))
	return true
}
