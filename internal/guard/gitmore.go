package guard

import "strings"

// eachRepo judges the command that git for-each-repo runs in every repository of a list.
func (g *gitCall) eachRepo() {
	rest := g.args
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
		if rest[0].text == "--config" && len(rest) > 1 {
			rest = rest[1:]
		}
		rest = rest[1:]
	}
	g.w.gitAt(rest, g.e, g.depth+1)
}

// lfs judges what git lfs does to hooks and to history; what it fetches is nobody's business.
func (g *gitCall) lfs() {
	if len(g.args) == 0 {
		return
	}
	switch g.args[0].text {
	case "install", "update", "uninstall":
		g.w.add(ask(RuleHooks, "the hooks of Git would be written over", "leave the hooks as they are"))
	case "migrate":
		g.w.add(deny(RuleDelete, "history is rewritten", "leave it; a person rewrites history outside of a delivery"))
	}
}

// runsAs returns the command behind an option of a call that runs it, as rebase --exec has
// it: in full or abbreviated, the letter alone or behind letters that take no value.
func (g *gitCall) runsAs(i int, long, letter string) string {
	t := g.args[i].text
	next := ""
	if i+1 < len(g.args) {
		next = g.args[i+1].text
	}
	if strings.HasPrefix(t, "--") {
		if !abbreviates(t, long) {
			return ""
		}
		if _, v, ok := strings.Cut(t, "="); ok {
			return v
		}
		return next
	}
	at := strings.Index(t, letter)
	if at < 1 || t[0] != '-' || strings.Trim(t[1:at], "ivqfkyngdrt") != "" {
		return ""
	}
	if v := t[at+1:]; v != "" {
		return v
	}
	return next
}

// otherGit judges programs that do what git does without its hooks.
func (w *walker) otherGit(name string, args []arg, e *env) {
	for i, a := range args {
		switch {
		case strings.HasPrefix(a.text, "-"):
			continue
		case a.text == "push" || a.text == "send" || a.text == "send-pack":
			w.add(deny(RulePlumbing, name+" "+a.text+" sends refs past Git's own hook", hintPush))
		default:
			if gitVerb(a.text) {
				w.git(args[i:], e)
			}
		}
		return
	}
}
