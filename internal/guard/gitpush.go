package guard

import (
	"slices"
	"strings"
)

const hintPush = "push the delivery's branch by its name, once its pull request is confirmed"

func forced(what string) Verdict {
	return deny(RuleForce, what+" can take commits away that others have", hintPush)
}

// push judges git push by its words. Git's own hook judges the refs once more.
func (g *gitCall) push() {
	w, s := g.w, g.w.s
	g.pushOptions()
	if w.done() {
		return
	}
	words, behind, _ := g.positional("o", "repo", "receive-pack", "exec", "push-option", "recurse-submodules")
	words = append(words, behind...)
	if g.vague() {
		w.add(unresolved("a word of the push"))
	}
	if g.e.cleared {
		w.add(deny(RuleHooks, "the environment is emptied, and the hooks of Git with it", "run the push as it is"))
	}
	if len(words) > 0 {
		remote := words[0]
		if !remote.dim() && s.Remote != "" && remote.text != s.Remote {
			w.add(deny(RuleBranch, "this is not the remote of the delivery, "+s.Remote, hintPush))
		}
		for _, r := range words[1:] {
			g.refspec(r)
		}
	}
	if len(words) < 2 {
		g.destination(g.e.branch, "the branch that is checked out")
	}
	switch {
	case w.done():
	case g.other:
		w.add(ask(RuleElsewhere, "the push is not from the delivery's worktree", "push from the worktree of the delivery"))
	case !g.dir.known:
		w.add(ask(RuleElsewhere, "nobody can tell which repository the push is from", "push from the root of the worktree"))
	case s.Confirmed == nil:
		w.add(deny(RuleConfirm, "no push is confirmed", "announce the pull request with asterweave-state intend pr, and wait for a person to confirm it"))
	}
}

// pushOptions judges the options, however short they are written.
func (g *gitCall) pushOptions() {
	w := g.w
	for i, a := range g.args {
		t := a.text
		if t == "--" {
			return
		}
		switch {
		case option(t, "force", "f"), option(t, "force-with-lease", ""), option(t, "force-if-includes", ""):
			if !bundledValue(t) {
				w.add(forced("a forced push"))
			}
		case option(t, "delete", "d"):
			if !bundledValue(t) {
				w.add(deny(RuleDelete, "a push that deletes takes a branch away from everybody", hintPush))
			}
		case option(t, "mirror", ""), option(t, "prune", ""):
			w.add(deny(RuleDelete, "a push that mirrors or prunes deletes and rewrites other branches", hintPush))
		case option(t, "all", ""), option(t, "branches", ""), option(t, "tags", ""), option(t, "follow-tags", ""):
			w.add(deny(RuleBranch, "only the delivery's branch is pushed", hintPush))
		case strings.HasPrefix(t, "--recu") && g.pushesModules(i):
			w.add(deny(RuleBranch, "other repositories are pushed along with this one", hintPush))
		case option(t, "receive-pack", ""), option(t, "exec", ""):
			w.add(deny(RulePlumbing, "another program at the other side is not judged", hintPush))
		case option(t, "repo", ""):
			w.add(deny(RuleBranch, "only the remote of the delivery is pushed to, by its name", hintPush))
		case option(t, "push-option", ""):
			_, v, ok := strings.Cut(t, "=")
			if !ok && i+1 < len(g.args) {
				v = g.args[i+1].text
			}
			g.pushOption(v)
		case len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.Contains(t, "o"):
			_, v, _ := strings.Cut(t, "o")
			if v == "" && i+1 < len(g.args) {
				v = g.args[i+1].text
			}
			g.pushOption(v)
		}
	}
}

// pushesModules reports whether the option at i has submodules pushed, too.
func (g *gitCall) pushesModules(i int) bool {
	_, v, ok := strings.Cut(g.args[i].text, "=")
	if !ok && i+1 < len(g.args) {
		v = g.args[i+1].text
	}
	return v == "on-demand" || v == "only"
}

// bundledValue reports whether the letters before are followed by the value of -o.
func bundledValue(t string) bool {
	if len(t) < 2 || t[1] == '-' {
		return false
	}
	i := strings.IndexByte(t, 'o')
	return i >= 0 && !strings.ContainsAny(t[:i], "fd")
}

func (g *gitCall) pushOption(v string) {
	l := strings.ToLower(v)
	switch {
	case strings.Contains(l, "skip") || strings.Contains(l, "no_ci") || strings.Contains(l, "no-ci"):
		g.w.add(skipped())
	case strings.HasPrefix(l, "merge") || strings.HasPrefix(l, "mr.") || l == "submit" || strings.HasPrefix(l, "label="):
		g.w.add(deny(RuleProvider, "an option of the push changes a merge request", hintPush))
	case strings.ContainsAny(v, marks):
		g.w.add(unresolved("an option of the push"))
	}
}

// refspec judges one source:destination.
func (g *gitCall) refspec(r arg) {
	w := g.w
	text := r.text
	if rest, ok := strings.CutPrefix(text, "+"); ok {
		if w.add(forced("a refspec with a plus sign")); w.done() {
			return
		}
		text = rest
	}
	src, dst, both := strings.Cut(text, ":")
	switch {
	case both && src == "" && dst != "":
		w.add(deny(RuleDelete, "an empty source deletes the branch at the remote", hintPush))
		g.destination(dst, dst)
	case text == ":":
		w.add(deny(RuleBranch, "only the delivery's branch is pushed", hintPush))
	case r.dim() && strings.HasPrefix(text, anything) || r.dim():
		g.dimRefspec(r, dst)
	case text == "tag":
		w.add(deny(RuleBranch, "only the delivery's branch is pushed, no tag", hintPush))
	case strings.ContainsAny(text, "*^"):
		w.add(deny(RuleBranch, "only the delivery's branch is pushed, no pattern", hintPush))
	case both:
		g.destination(dst, dst)
	case src == "HEAD" || src == "@":
		g.destination(g.e.branch, "the branch that is checked out")
	default:
		g.destination(src, src)
	}
}

// dimRefspec judges a refspec of which a part cannot be told.
func (g *gitCall) dimRefspec(r arg, dst string) {
	if dst != "" && !strings.ContainsAny(dst, marks) && !r.vague() {
		g.destination(dst, dst)
		return
	}
	if dst != "" && !strings.ContainsAny(dst, marks) && g.w.s.guarded(short(dst)) {
		g.destination(dst, dst)
	}
	g.w.add(unresolved("the branch that is pushed"))
}

func short(ref string) string { return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/"), "heads/") }

// guarded reports whether nobody pushes to the branch.
func (s *Situation) guarded(branch string) bool {
	if branch == "" {
		return false
	}
	same := func(b string) bool { return b == branch || s.FoldCase && strings.EqualFold(b, branch) }
	return same(s.Base) || same(s.Trunk) || slices.ContainsFunc(s.Protected, same)
}

// destination judges the ref that is written at the remote.
func (g *gitCall) destination(ref, called string) {
	s := g.w.s
	name := short(ref)
	switch {
	case name == "":
		g.w.add(unresolved("the branch that is pushed"))
	case ref == notesRef || name == "notes/asterweave":
	case s.guarded(name):
		g.w.add(deny(RuleBase, clip(called)+" is a branch that only a merged pull request changes", hintPush))
	case s.Branch == "":
		g.w.add(deny(RuleBranch, "the delivery has no branch yet", "asterweave-state next says what is due"))
	case name != s.Branch:
		g.w.add(deny(RuleBranch, clip(called)+" is not the delivery's branch, "+s.Branch, hintPush))
	}
}

// plumbing judges the commands that move objects and refs past git push.
func (g *gitCall) plumbing() {
	switch g.verb {
	case "fast-import", "upload-archive", "imap-send":
		g.w.add(ask(RulePlumbing, "git "+g.verb+" writes refs past the commands that are judged", "use the ordinary commands of Git"))
		return
	case "svn", "p4":
		for _, a := range g.args {
			if a.text == "dcommit" || a.text == "submit" || a.text == "set-tree" {
				break
			}
			if a.text == "log" || a.text == "info" || a.text == "fetch" {
				return
			}
		}
	}
	g.w.add(deny(RulePlumbing, "git "+g.verb+" sends refs past Git's own hook", hintPush))
}
