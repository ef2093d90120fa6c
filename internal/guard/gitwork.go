package guard

import (
	"path"
	"slices"
	"strings"
)

// discards judges the commands that can throw work away. Outside of the delivery's
// worktree they are nobody's business here.
func (g *gitCall) discards() {
	switch g.verb {
	case "switch", "checkout":
		defer g.moves()
	}
	if g.other {
		return
	}
	if g.vague() && g.verb != "mv" && g.verb != "apply" && g.verb != "stash" && (g.verb != "rm" || !g.has("cached", "")) && !g.creates() {
		g.w.add(unresolved("a word of git " + g.verb))
	}
	switch g.verb {
	case "reset":
		if g.has("hard", "") || g.has("merge", "") {
			g.w.add(discard("the files are put back to a commit"))
		}
	case "checkout":
		g.checkout()
	case "restore":
		if !g.has("staged", "S") || g.negated("staged") || g.has("worktree", "W") {
			g.w.add(discard("files are put back"))
		}
	case "clean":
		if (!g.has("dry-run", "n") || g.negated("dry-run")) && (!g.has("interactive", "i") || g.has("force", "f") || g.e.in.there) {
			g.w.add(discard("files that Git does not know are deleted"))
		}
	case "stash":
		if len(g.args) > 0 && (g.args[0].text == "drop" || g.args[0].text == "clear") {
			g.w.add(discard("what was put aside is deleted"))
		}
		if g.stashesAll() {
			g.w.add(deny(RuleState, "what Git ignores would be put aside, and the state of the delivery with it", "put aside what Git tracks"))
		}
	case "switch":
		switch {
		case g.has("discard-changes", "f") || g.has("force", ""):
			g.w.add(discard("the files are put back to a commit"))
		case g.has("force-create", "C"):
			g.w.add(ask(RuleDelete, "a branch is put to another commit", "create a branch with a new name"))
		}
	case "apply":
		g.apply()
	case "read-tree":
		if g.has("reset", "") || g.has("", "u") {
			g.w.add(discard("the files are put back to a tree"))
		}
	case "checkout-index":
		if g.has("force", "f") {
			g.w.add(discard("files are put back to the index"))
		}
	case "rm":
		if g.has("force", "f") && !g.has("cached", "") && !g.has("dry-run", "n") {
			g.w.add(discard("files are deleted with changes in them"))
		}
		if !g.has("cached", "") {
			g.files()
		}
	case "mv":
		if g.has("force", "f") {
			g.w.add(ask(RuleDiscard, "a file is moved over another", "move it to a name that is not taken"))
		}
		g.files()
	}
}

// stashesAll reports whether a stash takes the ignored files, too.
func (g *gitCall) stashesAll() bool {
	args := g.args
	if len(args) > 0 && (args[0].text == "push" || args[0].text == "save") {
		args = args[1:]
	} else if len(args) > 0 && !strings.HasPrefix(args[0].text, "-") {
		return false
	}
	for _, a := range args {
		if a.text == "--" {
			return false
		}
		if option(a.text, "all", "") || bundled(a.text, "a", "m") {
			return true
		}
	}
	return false
}

func (g *gitCall) creates() bool {
	return g.verb == "checkout" && g.has("", "b") || g.verb == "switch" && g.has("create", "c")
}

func (g *gitCall) files() {
	words, behind, _ := g.positional("")
	all := append(words, behind...)
	for i, a := range all {
		into := g.verb == "mv" && i > 0 && i == len(all)-1 // a folder that something goes into stays
		g.w.add(g.w.written(a, g.e, !into))
	}
}

// checkout tells a switch of branches from files that are put back.
func (g *gitCall) checkout() {
	switch {
	case bundledAny(g.args, "f") || g.has("force", ""):
		g.w.add(discard("the files are put back to a commit"))
		return
	case bundledAny(g.args, "B"):
		g.w.add(ask(RuleDelete, "a branch is put to another commit", "create a branch with a new name"))
		return
	case bundledAny(g.args, "b") || g.has("orphan", "") || g.has("detach", "d") || g.hasExactly("--track", "-t"):
		return
	case g.hasExactly("--ours", "--theirs", "-2", "-3"):
		if words, paths, _ := g.positional("bB", "conflict", "orphan"); slices.ContainsFunc(append(words, paths...), wide) {
			g.w.add(discard("files are put back, those without a conflict, too"))
		}
		return // only a conflict has these sides
	case bundledAny(g.args, "p") || g.hasExactly("--patch", "--patc", "--pat"):
		g.w.add(discard("changes are taken back"))
		return
	case g.has("pathspec-from-file", ""):
		g.w.add(discard("files are put back"))
		return
	}
	words, paths, dashes := g.positional("bB", "conflict", "orphan")
	switch {
	case dashes && len(paths) > 0, len(words) > 1:
		g.w.add(discard("files are put back"))
	case len(words) == 1 && g.pathLike(words[0].text):
		g.w.add(discard("files are put back"))
	}
}

// wide reports whether a path names more than one file.
func wide(a arg) bool {
	return a.text == "." || a.text == ".." || strings.HasPrefix(a.text, ":") || strings.HasSuffix(a.text, "/") || strings.ContainsAny(a.text, "*?[")
}

func bundledAny(args []arg, letter string) bool {
	for _, a := range args {
		if a.text == "--" {
			return false
		}
		if bundled(a.text, letter, "bB") {
			return true
		}
	}
	return false
}

func (g *gitCall) hasExactly(names ...string) bool {
	for _, a := range g.args {
		for _, n := range names {
			if a.text == n {
				return true
			}
		}
	}
	return false
}

// pathLike reports whether the one word of a checkout is a file and no branch.
func (g *gitCall) pathLike(t string) bool {
	s := g.w.s
	switch {
	case t == "-" || t == "HEAD" || t == "@" || s.guarded(t) || t == s.Branch && t != "" || strings.HasPrefix(t, s.Remote+"/") && s.Remote != "":
		return false
	case t == "." || t == ".." || strings.HasSuffix(t, "/"+single) || strings.HasPrefix(t, ":") || strings.HasPrefix(t, "./") || strings.HasPrefix(t, "../") || strings.HasPrefix(t, "/") || strings.HasSuffix(t, "/") || strings.ContainsAny(t, "*?["):
		return true
	case s.IsFile != nil:
		e := *g.e
		e.dir = g.dir
		if p, full := e.at(t, s.Home); full {
			return s.IsFile(p)
		}
	}
	switch path.Ext(t) {
	case "", ".0", ".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8", ".9", ".x":
		return false
	}
	return strings.Trim(path.Ext(t), ".0123456789") != ""
}

// moves notes which branch is checked out behind the command.
func (g *gitCall) moves() {
	if g.other {
		return
	}
	if g.creates() || bundledAny(g.args, "B") || g.has("orphan", "") {
		for i, a := range g.args {
			if (takesValue(a.text, "bBcC") || a.text == "--create" || a.text == "--orphan") && i+1 < len(g.args) {
				g.e.branch = ""
				if !g.args[i+1].dim() {
					g.e.branch = g.args[i+1].text
				}
				return
			}
		}
	}
	words, _, dashes := g.positional("bBcC", "conflict", "orphan", "create")
	switch {
	case dashes || len(words) > 1:
	case g.has("detach", "d"):
		g.e.branch = ""
	case len(words) == 1 && (g.verb == "switch" || !g.pathLike(words[0].text)):
		g.e.branch = ""
		if t := words[0].text; !words[0].dim() && t != "-" && t != "@" && t != "HEAD" {
			g.e.branch = t
		}
	}
}

// refs judges the commands that move and delete refs.
func (g *gitCall) refs() {
	gone := func(what string) {
		g.w.add(deny(RuleDelete, what, "leave it; a person tidies up behind the delivery"))
	}
	switch g.verb {
	case "branch":
		g.branch()
	case "update-ref":
		gone("a ref is written past the commands that are judged")
	case "symbolic-ref":
		words, _, _ := g.positional("m")
		if len(words) > 1 || g.has("delete", "d") {
			gone("a symbolic ref is written past the commands that are judged")
		}
	case "reflog":
		if len(g.args) > 0 && (g.args[0].text == "expire" || g.args[0].text == "delete" || g.args[0].text == "drop" || g.args[0].vague()) {
			gone("the log that lost commits are found in is deleted")
		}
	case "gc":
		if v, ok := g.option("prune"); ok && v != "" && (strings.HasPrefix(v, "0") || !strings.Contains(v, "week") && !strings.Contains(v, "month")) || g.hasExactly("--aggressive=now") {
			gone("commits that no branch holds are deleted")
		}
	case "prune":
		if !g.has("dry-run", "n") {
			gone("commits that no branch holds are deleted")
		}
	case "replace", "filter-branch", "filter-repo":
		if g.verb != "replace" || len(g.args) > 0 && !g.hasExactly("-l", "--list") {
			gone("history is rewritten")
		}
	case "update-index":
		if g.has("assume-unchanged", "") || g.has("skip-worktree", "") {
			g.w.add(deny(RuleConfig, "changes of files are hidden from Git", "leave the files visible; what is out of scope is put back by hand"))
		}
	}
}

func (g *gitCall) option(name string) (string, bool) {
	for i, a := range g.args {
		if !abbreviates(a.text, name) {
			continue
		}
		if _, v, ok := strings.Cut(a.text, "="); ok {
			return v, true
		}
		if i+1 < len(g.args) {
			return g.args[i+1].text, true
		}
	}
	return "", false
}

func (g *gitCall) branch() {
	gone := func(v Verdict) { g.w.add(v) }
	hint := "leave it; a person tidies up behind the delivery"
	del := false
	for _, a := range g.args {
		if a.text == "--" {
			break
		}
		del = del || bundled(a.text, "dD", "u") || option(a.text, "delete", "")
	}
	switch {
	case del:
		gone(deny(RuleDelete, "a local branch is deleted", hint))
	case bundledAny(g.args, "MC") || g.has("force", "") || bundledAny(g.args, "f"):
		gone(deny(RuleDelete, "a branch is put to another commit or written over", "create a branch with a new name"))
	case bundledAny(g.args, "m") || g.hasExactly("--move", "--mov", "--mo"):
		gone(ask(RuleDelete, "a branch gets another name; the delivery knows it by the old one", "create a branch with a new name"))
	case g.vague() && !g.listing():
		gone(unresolved("a word of git branch"))
	}
}

func (g *gitCall) listing() bool {
	return g.has("list", "l") || g.has("contains", "") || g.has("merged", "") || g.has("no-merged", "") || g.has("show-current", "") || g.has("all", "a") || g.has("remotes", "r") || g.has("format", "")
}
