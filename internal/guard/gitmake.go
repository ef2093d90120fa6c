package guard

import (
	"path/filepath"
	"strings"
)

// making judges the commands that make commits, fetch, and run other commands.
func (g *gitCall) making() {
	w := g.w
	switch g.verb {
	case "pull":
		g.fetch()
	case "commit", "merge", "cherry-pick", "revert", "am", "commit-tree":
		g.messages()
	case "rebase":
		g.runsOptions("exec", "x")
	case "notes":
		g.notes()
	case "tag":
		g.tag()
	case "fetch":
		g.fetch()
	case "clone", "init":
		g.nested()
	case "bisect":
		if len(g.args) > 1 && g.args[0].text == "run" {
			w.run(g.args[1:], g.e)
		}
	case "submodule":
		g.submodule()
	case "difftool":
		g.runsOptions("extcmd", "x")
	case "subtree":
		for _, a := range g.args {
			if a.text == "push" {
				w.add(deny(RuleBranch, "only the delivery's branch is pushed", hintPush))
			}
		}
	case "worktree":
		g.worktree()
	case "remote":
		g.remote()
	case "format-patch":
		g.reads()
	}
	g.transports()
	if g.verb == "archive" {
		g.reads()
	}
}

// transports judges programs and addresses that a command connects through.
func (g *gitCall) transports() {
	w := g.w
	for i, a := range g.args {
		t := a.text
		for _, o := range []string{"upload-pack", "exec"} {
			if abbreviates(t, o) && g.verb != "rebase" || g.verb == "clone" && t == "-u" {
				_, v, ok := strings.Cut(t, "=")
				if !ok && i+1 < len(g.args) {
					v = g.args[i+1].text
				}
				w.inner(v, g.e.fork())
			}
		}
		if strings.HasPrefix(t, "ext::") || strings.HasPrefix(t, "fd::") {
			w.add(deny(RulePlumbing, "an address of Git that runs a command", "use the address of a repository"))
		}
	}
}

// messages judges the texts of a commit.
func (g *gitCall) messages() {
	for i := 0; i < len(g.args); i++ {
		t := g.args[i].text
		var v string
		switch {
		case !strings.Contains(t, "=") && len(t) > 3 && (option(t, "message", "") || option(t, "trailer", "")):
			if i++; i < len(g.args) {
				v = g.args[i].text
			}
		case strings.HasPrefix(t, "--mes") && strings.Contains(t, "="), strings.HasPrefix(t, "--tr") && strings.Contains(t, "="):
			_, v, _ = strings.Cut(t, "=")
		case t == "-F" || abbreviates(t, "file") && !strings.Contains(t, "="):
			if i++; i < len(g.args) {
				v = g.fileText(g.args[i])
			}
		case abbreviates(t, "file"):
			_, v, _ = strings.Cut(t, "=")
			v = g.fileText(arg{text: v})
		case len(t) > 1 && t[0] == '-' && t[1] != '-':
			if j := strings.IndexAny(t, "mF"); j > 0 && !strings.ContainsAny(t[:j], "CcS") {
				v = t[j+1:]
				if v == "" {
					if i++; i < len(g.args) {
						v = g.args[i].text
					}
				}
				if t[j] == 'F' {
					v = g.fileText(arg{text: v})
				}
			}
		}
		if skipsChecks(v) {
			g.w.add(skipped())
		}
	}
	if g.verb == "commit-tree" && skipsChecks(g.e.in.text) {
		g.w.add(skipped())
	}
}

func (g *gitCall) fileText(f arg) string {
	if f.text == "-" || f.text == "/dev/stdin" {
		return g.e.in.text
	}
	return g.w.content(f, g.e)
}

// runsOptions judges the command behind an option, as rebase --exec has it.
func (g *gitCall) runsOptions(long, letter string) {
	for i := range g.args {
		if v := g.runsAs(i, long, letter); v != "" {
			g.w.inner(v, g.e.fork())
		}
	}
}

func (g *gitCall) notes() {
	ours := false
	for _, a := range g.args {
		ours = ours || strings.Contains(a.text, "asterweave")
	}
	words, _, _ := g.positional("mFcC", "ref")
	if ours && len(words) > 0 && words[0].text != "show" && words[0].text != "list" {
		g.w.add(deny(RuleState, "these notes are the delivery's evidence, which only asterweave-state writes", "asterweave-state export writes them"))
	}
}

func (g *gitCall) tag() {
	for i := 0; i < len(g.args); i++ {
		t := g.args[i].text
		switch {
		case t == "--":
			return
		case bundled(t, "d", "mFu") || option(t, "delete", ""):
			g.w.add(deny(RuleDelete, "a tag is deleted", "leave it; a person tidies up behind the delivery"))
		case bundled(t, "f", "mFun") || option(t, "force", ""):
			g.w.add(ask(RuleDelete, "a tag is put to another commit", "create a tag with a new name"))
		case takesValue(t, "mFu") && !bundledBefore(t, "mFu"), !strings.Contains(t, "=") && (option(t, "message", "") || option(t, "file", "") || option(t, "local-user", "")):
			i++
		}
	}
}

// fetch judges refspecs that write local branches.
func (g *gitCall) fetch() {
	words, behind, _ := g.positional("j", "depth", "upload-pack", "negotiation-tip", "refmap", "shallow-since", "server-option", "filter")
	words = append(words, behind...)
	forcedAll := g.has("force", "f") && (bundledAny(g.args, "f") || g.hasExactly("--force"))
	prune := g.has("prune", "p")
	for i, a := range g.args {
		switch {
		case abbreviates(a.text, "prune-tags") && strings.HasPrefix(a.text, "--prune-"), bundled(a.text, "P", "jo"):
			g.w.add(tagsPruned())
		case abbreviates(a.text, "refmap"):
			_, v, ok := strings.Cut(a.text, "=")
			if !ok && i+1 < len(g.args) {
				v = g.args[i+1].text
			}
			g.refmap(v)
		}
	}
	for i, r := range words {
		if i == 0 {
			continue
		}
		src, dst, both := strings.Cut(strings.TrimPrefix(r.text, "+"), ":")
		name := short(dst)
		switch {
		case !both || dst == "" || strings.HasPrefix(dst, "refs/remotes/") || strings.HasPrefix(dst, "remotes/"):
		case strings.HasPrefix(r.text, "+") || forcedAll || prune && strings.Contains(dst, "*"):
			g.w.add(deny(RuleDelete, "a fetch writes over local branches", "fetch into the branches of the remote"))
		case g.other && g.w.s.guarded(name), g.w.s.guarded(name) && short(src) != name, g.w.s.guarded(name) && words[0].text != g.w.s.Remote:
			g.w.add(deny(RuleBase, clip(name)+" is a branch that only a merged pull request changes", "fetch into the branches of the remote"))
		}
	}
}

func tagsPruned() Verdict {
	return deny(RuleDelete, "local tags are deleted", "fetch without pruning tags")
}

// refmap judges where a fetch puts what it gets, on the command line or in the configuration.
func (g *gitCall) refmap(spec string) {
	_, dst, _ := strings.Cut(spec, ":")
	if strings.HasPrefix(spec, "+") && (strings.HasPrefix(dst, "refs/heads") || strings.HasPrefix(dst, "refs/tags") || dst == "refs/*" || dst == notesRef) {
		g.w.add(deny(RuleDelete, "a fetch writes over local branches", "fetch into the branches of the remote"))
	}
}

// nested judges repositories that are made inside of the worktree.
func (g *gitCall) nested() {
	w, s := g.w, g.w.s
	if v, ok := g.option("template"); ok && v != "" {
		w.add(deny(RuleHooks, "a template brings hooks of its own", "leave the template out"))
	}
	if _, ok := g.option("separate-git-dir"); ok {
		w.add(deny(RuleWorktree, "Git's folder is moved", "leave the repository where it is"))
	}
	if g.verb == "clone" {
		for i, a := range g.args {
			if (a.text == "-c" || a.text == "--config") && i+1 < len(g.args) {
				g.setting(g.args[i+1].text)
			} else if v, ok := strings.CutPrefix(a.text, "--config="); ok {
				g.setting(v)
			}
		}
	}
	words, behind, _ := g.positional("bcoujn", "branch", "config", "origin", "upload-pack", "depth", "jobs", "template", "initial-branch", "object-format", "reference", "filter", "shallow-since")
	words = append(words, behind...)
	to := arg{text: "."}
	switch {
	case g.verb == "init" && len(words) > 0:
		to = words[0]
	case g.verb == "clone" && len(words) > 1:
		to = words[1]
	case g.verb == "clone" && len(words) == 1:
		base := words[0].text
		to = arg{text: strings.TrimSuffix(base[strings.LastIndexAny(base, "/:")+1:], ".git")}
	}
	e := *g.e
	e.dir = g.dir
	p, full := e.at(to.text, s.Home)
	switch {
	case to.dim() || !full:
		if !strings.HasPrefix(to.text, "/tmp/") {
			w.add(unresolved("the folder of a new repository"))
		}
	case p == s.Root && g.verb == "init":
	case within(s.Root, p):
		w.add(deny(RuleWorktree, "a repository inside of the worktree hides what is in it", "make it outside of the worktree"))
	}
}

func (g *gitCall) submodule() {
	for i, a := range g.args {
		switch a.text {
		case "foreach":
			rest := g.args[i+1:]
			for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
				rest = rest[1:]
			}
			g.w.inner(strings.Join(texts(rest), " "), g.e.fork())
			return
		case "deinit":
			if g.has("force", "f") {
				g.w.add(discard("a submodule is emptied"))
			}
		case "update":
			if bundledAny(g.args, "f") || g.has("force", "") {
				g.w.add(discard("the files of a submodule are put back"))
			}
		}
	}
}

func (g *gitCall) worktree() {
	if len(g.args) == 0 || g.args[0].text == "list" || g.args[0].text == "lock" || g.args[0].text == "unlock" || g.args[0].text == "repair" {
		return
	}
	g.w.add(deny(RuleWorktree, "a delivery has one worktree while it is open", "work in the worktree of the delivery; asterweave-state run with --at base runs a gate on the base"))
}

func (g *gitCall) remote() {
	words, behind, _ := g.positional("tm", "track", "master")
	words = append(words, behind...)
	if len(words) == 0 {
		return
	}
	name := ""
	if len(words) > 1 {
		name = words[1].text
	}
	ours := name == g.w.s.Remote || g.w.s.Remote == "" || strings.ContainsAny(name, marks)
	switch words[0].text {
	case "set-url":
		if ours {
			g.w.add(deny(RuleConfig, "the delivery's remote would be another one", "leave it; a person changes it outside of a delivery"))
		}
	case "remove", "rm", "rename":
		if ours {
			g.w.add(deny(RuleConfig, "the delivery's remote would go away", "leave it; a person changes it outside of a delivery"))
		}
	case "add":
		if g.has("mirror", "") {
			g.w.add(deny(RuleConfig, "a mirror is pushed to with everything", "add the remote without it"))
		}
		if len(words) > 2 && filepath.IsAbs(words[2].text) && within(g.w.s.GitDir, words[2].text) {
			g.w.add(g.w.s.gitFolder())
		}
	}
}
