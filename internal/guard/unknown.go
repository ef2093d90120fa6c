package guard

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unknown judges a program that no rule is about. It may run what stands in its
// words: a guarded program with its words behind it, or a text behind an option that
// commonly takes a command. What is not refused there has no opinion.
func (w *walker) unknown(name string, args []arg, e *env) {
	w.typed(name, args)
	switch name {
	case "crontab", "at", "batch", "systemd-run", "launchctl", "schtasks":
		w.later(name, args, e)
	case "go":
		w.goRun(args, e)
	case "pre-commit", "husky", "lefthook", "overcommit", "simple-git-hooks":
		w.hookManager(name, args)
	case "scalar":
		if len(args) > 0 && args[0].text == "delete" {
			w.add(discard("the worktree is deleted"))
		}
	case "bunx", "pnpx":
		w.fetched(args)
	case "fd", "fdfind", "rg":
		w.perFile(args, e)
	case "sqlite3", "m4", "jshell", "sbcl", "kotlin", "ocaml", "ghc", "guile", "dc", "bc", "mysql", "psql", "sg", "cmd", "ed", "ex", "vi", "vim", "nvim", "emacs":
		for _, a := range args {
			w.refuseOnly(strings.TrimLeft(a.text, ".!+:\\"), e)
			w.escapes(a.text, e)
		}
		for line := range strings.Lines(e.in.text) {
			w.escapes(line, e)
		}
	case "openssl", "nc", "ncat", "netcat", "telnet", "lwp-request", "aria2c", "hey", "ab":
		w.rawRequest(args, e)
	case "tea", "lab", "fj", "gitlab", "bb", "berg":
		w.forge(args)
	case "uv", "java":
		w.runsWritten(args, e)
	case "sed", "gsed":
		w.sedScript(args, e)
		return
	case "tar", "cargo", "watchexec", "chokidar", "reflex", "make", "gmake", "bmake", "just", "task", "rake", "tmux", "screen", "flock", "nix-shell", "npm", "npx", "pnpm", "yarn", "concurrently", "entr", "nodemon", "hyperfine", "rsync", "zellij":
		w.strings(args, e)
		w.fetched(args)
		w.recipes(args, e)
		w.runsWritten(args, e)
	case "rm", "cp", "mv", "ln", "mkdir", "touch", "chmod", "chown", "tee", "truncate", "install", "brew", "apt", "apt-get", "dnf", "yum", "apk", "pip", "pip3":
		return
	}
	if reader(name) {
		return
	}
	w.event(args)
	w.optionTexts(args, e)
	w.tail(args, e)
}

// later judges programs that run a command out of sight.
func (w *walker) later(name string, args []arg, e *env) {
	if name == "crontab" && len(args) > 0 && args[0].text == "-l" || name == "launchctl" && len(args) > 0 && args[0].text == "list" {
		return
	}
	if e.in.there && !strings.ContainsAny(e.in.text, marks) {
		w.inner(e.in.text, e.fork())
	}
	w.add(ask(RuleAgents, "a command is scheduled, where nobody sees it run", "run it now"))
}

func (w *walker) hookManager(name string, args []arg) {
	if len(operands(texts(args))) == 0 && (name == "husky" || name == "simple-git-hooks") && !slices.ContainsFunc(args, func(a arg) bool { return a.text == "--help" || a.text == "--version" }) {
		w.add(ask(RuleHooks, "the folder of Git's hooks would be moved", "leave the hooks as they are"))
		return
	}
	for _, a := range args {
		switch a.text {
		case "uninstall", "--uninstall":
			w.add(deny(RuleHooks, "the hooks of Git would be taken away", "leave them, and repair what they find"))
			return
		case "install", "init", "add", "set":
			if name == "pre-commit" {
				for _, b := range args {
					if strings.HasSuffix(b.text, "pre-push") || b.text == "-f" || b.text == "--overwrite" {
						w.add(ask(RuleHooks, "a hook of Git would be written over", "install the others alone"))
					}
				}
				return
			}
			w.add(ask(RuleHooks, "the folder of Git's hooks would be moved", "leave the hooks as they are"))
			return
		}
	}
}

// fetched judges managers of hooks that npx and its kin run.
func (w *walker) fetched(args []arg) {
	for i, a := range args {
		switch a.text {
		case "husky", "lefthook", "pre-commit", "simple-git-hooks":
			w.hookManager(a.text, args[i+1:])
			return
		case "exec", "dlx", "x", "--":
		default:
			if !strings.HasPrefix(a.text, "-") {
				return
			}
		}
	}
}

// optionTexts judges the text behind -c, --command and their kin.
func (w *walker) optionTexts(args []arg, e *env) {
	for i, a := range args {
		name, val, has := strings.Cut(a.text, "=")
		switch name {
		case "-c", "--command", "--run", "--exec", "-x", "--call", "--cmd", "--to-command", "--eval", "-e", "--rsh", "--checkpoint-action", "--use-compress-program", "-I", "-eval", "-ex", "send-keys":
		default:
			continue
		}
		if !has && i+1 < len(args) {
			val = args[i+1].text
		}
		val = strings.TrimPrefix(val, "exec=")
		w.refuseOnly(val, e)
		w.escapes(val, e)
	}
}

// strings judges each word of a program that commonly takes whole commands.
func (w *walker) strings(args []arg, e *env) {
	for _, a := range args {
		t := strings.TrimLeft(a.text, ":!")
		t = strings.TrimPrefix(t, "term ")
		w.refuseOnly(t, e)
		if _, v, ok := strings.Cut(a.text, "="); ok {
			w.refuseOnly(strings.TrimPrefix(v, "exec="), e)
		}
	}
	if e.in.there && namesGuarded(e.in.text) {
		w.refuseOnly(e.in.text, e)
	}
}

// refuseOnly judges a text that may be a command, and takes no more than a refusal
// from it: most such texts are none.
func (w *walker) refuseOnly(text string, e *env) {
	if !strings.ContainsAny(text, " \t\n") || !namesGuarded(text) && !namesProtected(text) && !strings.Contains(text, "asterweave") {
		return
	}
	probe := &walker{s: w.s, depth: w.depth, bytes: w.bytes, steps: w.steps, mute: w.mute, files: map[string]string{}, links: w.links, shown: w.shown}
	if probe.depth++; probe.depth > maxDepth {
		return
	}
	probe.inner(text, e.fork())
	w.probed(probe)
}

// tail judges guarded programs among the words of another one, with what follows them.
func (w *walker) tail(args []arg, e *env) {
	for i, a := range args {
		name := w.program(a.text[strings.LastIndexByte(a.text, '#')+1:]) // nixpkgs#git
		switch name {
		case "git", "gh", "az", "glab", "asterweave-state", "asterweave-hook", "bash", "sh", "zsh", "claude", "codex":
		case "python", "python3", "node", "perl", "ruby", "env", "xargs", "eval", "rm", "shred", "rimraf", "curl", "wget", "find", "pre-commit", "lefthook", "husky", "overcommit":
		default:
			w.assigned(a, args[i+1:], e)
			continue
		}
		if i+1 == len(args) && name != "asterweave-hook" {
			continue
		}
		if (name == "claude" || name == "codex") && (i+1 < len(args) && !strings.HasPrefix(args[i+1].text, "-") && args[i+1].text != "exec") {
			continue
		}
		probe := &walker{s: w.s, depth: w.depth + 1, bytes: w.bytes, steps: w.steps, mute: w.mute, files: w.files, links: w.links, shown: w.shown}
		if probe.depth > maxDepth {
			return
		}
		inner := e.fork()
		inner.asProgram()
		words := args[i:]
		if name != a.text && strings.Contains(a.text, "#") {
			words = append([]arg{{text: name}}, args[i+1:]...)
			if len(words) > 1 && words[1].text == "--" {
				words = append(words[:1], words[2:]...)
			}
		}
		probe.run(words, inner)
		if w.probed(probe); w.out.Decision >= Ask {
			return
		}
	}
}

// assigned judges a variable that another program sets for a command of Git behind it.
func (w *walker) assigned(a arg, rest []arg, e *env) {
	name, val, ok := strings.Cut(a.text, "=")
	if !ok || !syntax.ValidName(name) {
		return
	}
	w.add(marker(name))
	for _, r := range rest {
		if w.program(r.text) == "git" {
			probe := &walker{s: w.s, depth: w.depth, bytes: w.bytes, steps: w.steps, mute: w.mute, files: map[string]string{}}
			probe.variable(name, val, "git", e.fork())
			w.probed(probe)
			return
		}
	}
}

// probed takes over a refusal, and that the bounds were reached.
func (w *walker) probed(probe *walker) {
	w.bytes, w.steps = probe.bytes, probe.steps
	switch {
	case probe.out.Decision == Deny:
		w.add(probe.out)
	case probe.steps > maxSteps || probe.bytes > maxWork:
		w.add(ask(RuleUnresolved, "the command is too long to be judged", "split it into several calls"))
	}
}

// goRun judges the source that go run gets, where this text holds it.
func (w *walker) goRun(args []arg, e *env) {
	if len(args) == 0 || args[0].text != "run" {
		return
	}
	for _, a := range args[1:] {
		switch p, full := e.at(a.text, w.s.Home); {
		case a.text == "/dev/stdin" || a.text == "-":
			w.codeText(e.in.text, false, true)
		case strings.HasPrefix(a.text, "/dev/fd/"):
			w.add(unresolved("the code"))
		case full:
			for file, text := range w.files {
				if file == p || path.Dir(file) == p && strings.HasSuffix(file, ".go") {
					w.codeText(text, false, true)
				}
			}
		}
	}
}
