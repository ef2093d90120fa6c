package guard

import (
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// gitCall is one call of git.
type gitCall struct {
	w     *walker
	e     *env
	verb  string
	args  []arg
	dir   place // where it works
	other bool  // on another repository than the delivery's, for all that can be told
	ours  bool  // --git-dir names the delivery's, from wherever
	depth int
}

// git judges the words behind git.
func (w *walker) git(args []arg, e *env) { w.gitAt(args, e, 0) }

func (w *walker) gitAt(args []arg, e *env, depth int) {
	g := &gitCall{w: w, e: e, dir: e.dir, depth: depth}
	if !g.globals(args) {
		return
	}
	g.place()
	switch {
	case g.verb == "":
		return
	case strings.ContainsAny(g.verb, marks):
		w.known(strings.Join(texts(g.args), " "))
		g.anyVerb()
		w.add(unresolved("the command of git"))
		return
	}
	if gitVerb(g.verb) {
		g.judge()
		return
	}
	g.alias()
}

// anyVerb judges the words behind a verb that cannot be told as those of a push.
func (g *gitCall) anyVerb() {
	for _, a := range g.args {
		if strings.HasPrefix(a.text, "--force") || strings.HasPrefix(a.text, "--no-verify") {
			g.w.add(deny(RuleForce, "a command of git that cannot be told comes with an option that forces it", "write the command out"))
		}
	}
}

// globals reads the options before the verb; false: there is none to judge.
func (g *gitCall) globals(args []arg) bool {
	for i := 0; i < len(args); i++ {
		a := args[i].text
		next := func() arg {
			if i++; i < len(args) {
				return args[i]
			}
			return arg{}
		}
		switch {
		case args[i].vague() && !strings.HasPrefix(a, "-c") && !strings.HasPrefix(a, "-C"):
			g.verb, g.args = anything, args[i:]
			return true
		case a == "-C":
			g.enter(next())
		case a == "-c":
			g.setting(next().text)
		case a == "--config-env":
			k, _, _ := strings.Cut(next().text, "=")
			g.setting(k + "=" + anything)
		case strings.HasPrefix(a, "--config-env="):
			k, _, _ := strings.Cut(a[len("--config-env="):], "=")
			g.setting(k + "=" + anything)
		case a == "--git-dir" || a == "--work-tree" || a == "--namespace" || a == "--super-prefix" || a == "--attr-source":
			g.folder(a, next())
		case strings.HasPrefix(a, "--git-dir=") || strings.HasPrefix(a, "--work-tree=") || strings.HasPrefix(a, "--namespace=") || strings.HasPrefix(a, "--exec-path="):
			name, v, _ := strings.Cut(a, "=")
			g.folder(name, arg{text: v})
		case a == "--version" || a == "--help" || a == "-h" || a == "-v" || a == "--exec-path" || a == "--html-path" || a == "--man-path" || a == "--info-path" || strings.HasPrefix(a, "--list-cmds"):
			return false
		case strings.HasPrefix(a, "-"):
		default:
			g.verb, g.args = a, args[i+1:]
			return true
		}
	}
	if len(args) > 0 && args[len(args)-1].loose {
		g.verb = anything
		return true
	}
	return false
}

func (g *gitCall) enter(to arg) {
	if to.dim() {
		g.dir = place{}
		return
	}
	t := *g.e
	t.dir = g.dir
	p, full := t.at(to.text, g.w.s.Home)
	g.dir = place{path: g.w.linked(p), known: full, vague: g.dir.vague}
}

// folder judges --git-dir and its kin: the delivery's own are harmless.
func (g *gitCall) folder(name string, v arg) {
	t := *g.e
	t.dir = g.dir
	p, full := t.at(v.text, g.w.s.Home)
	switch name {
	case "--git-dir":
		switch {
		case full && !v.dim() && (p == g.w.s.GitDir || p == g.w.s.CommonDir || p == filepath.Join(g.w.s.Root, ".git")):
			g.ours = true
		case full && !v.dim():
			g.dir = place{path: p, known: true}
			g.other = true
		default:
			g.dir = place{}
		}
	case "--work-tree":
		if full && !v.dim() && p != g.w.s.Root {
			g.other = g.other || !within(g.w.s.Root, p) && !within(p, g.w.s.Root)
		}
	default:
		g.w.add(deny(RuleConfig, name+" leads Git past the repository and programs that are judged", "run git without it"))
	}
}

// place finds out whether the call is about the delivery's worktree.
func (g *gitCall) place() {
	switch {
	case g.other || g.ours || !g.dir.known || g.w.s.Root == "":
	case g.w.s.GitDir != "" && (within(g.w.s.GitDir, g.dir.path) || within(g.w.s.CommonDir, g.dir.path)):
	default:
		g.other = !within(g.w.s.Root, g.dir.path)
	}
}

// alias judges what an alias of git stands for.
func (g *gitCall) alias() {
	w := g.w
	text, ok := g.e.gitAliases[g.verb]
	if !ok && !g.other && (g.dir.known || w.s.Cwd == "") { // another repository has aliases of its own
		text, ok = w.s.Aliases[g.verb]
	}
	if !ok {
		switch g.verb {
		case "lfs":
			g.lfs()
			return
		case "absorb", "flow", "standup", "extras", "summary", "credential-manager", "who", "machete", "branchless", "sizer", "cliff", "secret", "crypt":
			return
		}
		w.add(ask(RuleUnresolved, "git "+clip(g.verb)+" is no command of Git and no alias that is known", "write the command out"))
		return
	}
	if g.depth > 8 {
		w.add(unresolved("an alias that calls itself"))
		return
	}
	g.expandAlias(text)
}

func (g *gitCall) expandAlias(text string) {
	w := g.w
	if shell, ok := strings.CutPrefix(text, "!"); ok {
		inner := g.e.fork()
		inner.args, inner.name = g.args, g.verb
		rest := quoteAll(g.args)
		w.depth++
		w.inner(shell+rest, inner)
		w.depth--
		return
	}
	file, err := parse(text)
	if err != nil || len(file.Stmts) == 0 || strings.ContainsAny(text, "`$") {
		if namesGuarded("git "+text) && strings.ContainsAny(text, "`$") {
			w.add(unresolved("an alias of git"))
			return
		}
		g2 := make([]arg, 0, len(g.args)+2)
		for _, f := range strings.Fields(text) {
			g2 = append(g2, arg{text: f})
		}
		g2 = append(g2, g.args...)
		w.gitAt(g2, g.e, g.depth+1)
		return
	}
	var list []arg
	for _, word := range literalWords(file) {
		list = append(list, arg{text: word})
	}
	if list == nil {
		for _, f := range strings.Fields(text) {
			list = append(list, arg{text: strings.Trim(f, `'"`)})
		}
	}
	e := g.e.fork()
	e.dir = g.dir
	w.gitAt(append(list, g.args...), e, g.depth+1)
}

// clip shortens a word for a reason. Nothing behind a space is repeated, so that no
// reason holds a whole command.
func clip(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == utf8.RuneError })
	cut := end >= 0
	if cut {
		s = s[:end]
	}
	if len(s) > 40 {
		s, cut = strings.ToValidUTF8(s[:40], ""), true
	}
	if cut {
		return s + "…"
	}
	return s
}

// judge hands the call to the rules of its verb.
func (g *gitCall) judge() {
	g.hooksOption()
	g.insideRemote()
	switch g.verb {
	case "push":
		g.push()
	case "send-pack", "http-push", "receive-pack", "remote-http", "remote-https", "remote-ext", "remote-fd", "remote-ftp", "http-backend", "daemon", "shell", "fast-import", "svn", "p4", "cvsexportcommit", "imap-send", "upload-archive":
		g.plumbing()
	case "commit", "merge", "cherry-pick", "revert", "am", "rebase", "pull", "commit-tree", "notes", "format-patch", "tag", "fetch", "clone", "bisect", "submodule", "ls-remote", "archive", "difftool", "mergetool", "subtree", "init", "worktree", "remote":
		g.making()
	case "reset", "checkout", "restore", "clean", "stash", "switch", "read-tree", "checkout-index", "rm", "mv", "apply", "sparse-checkout":
		g.discards()
	case "branch", "update-ref", "symbolic-ref", "reflog", "gc", "prune", "replace", "filter-branch", "filter-repo", "pack-refs", "update-index", "maintenance":
		g.refs()
	case "for-each-repo":
		g.eachRepo()
	case "config":
		g.config()
	case "hook":
	default:
		g.reads()
	}
}

// reads judges the commands that read: only the files that they are told to write.
func (g *gitCall) reads() {
	for i, a := range g.args {
		for _, o := range []string{"--output=", "-o"} {
			if v, ok := strings.CutPrefix(a.text, o); ok && (o != "-o" || g.verb == "archive" || g.verb == "bundle" || g.verb == "format-patch") {
				if v == "" && i+1 < len(g.args) {
					v = g.args[i+1].text
				}
				g.w.add(g.w.written(arg{text: v}, g.e, false))
				if g.verb == "archive" {
					g.w.shown[g.w.s.Root] = true
					g.w.stored(v, kept, g.e)
				}
			}
		}
		if a.text == "--output" && i+1 < len(g.args) {
			g.w.add(g.w.written(g.args[i+1], g.e, false))
		}
		if _, v, ok := strings.Cut(a.text, "="); ok && g.verb == "grep" && abbreviates(a.text, "open-files-in-pager") {
			g.w.inner(v, g.e.fork())
		}
		if g.verb == "grep" && strings.HasPrefix(a.text, "-O") && len(a.text) > 2 {
			g.w.inner(a.text[2:], g.e.fork())
		}
	}
}

// hooksOption refuses --no-verify in each command that has it.
func (g *gitCall) hooksOption() {
	short := ""
	switch g.verb {
	case "commit", "am":
		short = "n"
	case "push", "merge", "rebase", "pull", "cherry-pick", "revert":
	default:
		return
	}
	g.w.assignedFor([]arg{{text: "git"}}, g.e)
	for _, a := range g.args {
		if a.text == "--" {
			return
		}
		if name, _, _ := strings.Cut(a.text, "="); strings.HasPrefix(name, "--no-v") && strings.HasPrefix("--no-verify", name) && name != "--no-v" || short != "" && bundled(a.text, short, "mFcCtSu") {
			g.w.add(deny(RuleHooks, "the hooks of Git would not run", "run it with the hooks, and repair what they find"))
		}
		if short != "" && takesValue(a.text, "mFcCt") {
			continue
		}
	}
}

func discard(reason string) Verdict {
	return deny(RuleDiscard, reason+", and work that is nowhere else goes with it", "commit what is there first, or make the change with the editing tools")
}
