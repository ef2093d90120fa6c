package guard

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// judgePath judges a path that is about to be written. With tree, all below it goes
// too, and so a folder around a protected one counts.
func (w *walker) judgePath(a arg, e *env, tree bool) Verdict {
	text := a.text
	if text == "" {
		return Verdict{}
	}
	p, full := e.at(text, w.s.Home)
	if strings.HasPrefix(p, "/dev/") {
		return Verdict{}
	}
	p = w.linked(p)
	return w.s.protects(p, full && !strings.ContainsAny(p, marks), tree, a.glob, e.dotglob)
}

// written judges a path as the target of a write.
func (w *walker) written(a arg, e *env, tree bool) Verdict { return w.judgePath(a, e, tree) }

// protects judges a full and clean path. Where it is not full, its names alone count.
func (s *Situation) protects(p string, full, tree, glob, dotglob bool) Verdict {
	p = s.fold(filepath.ToSlash(p))
	segs := strings.Split(p, "/")
	root := s.fold(s.Root)
	inRoot := !full || within(root, p) || glob && root != "" && matchesBelow(root, p)
	for i, seg := range segs {
		switch {
		case seg == ".git" || glob && dotMatch(seg, ".git", dotglob):
			if inRoot || s.below(s.GitDir, p) || s.below(s.CommonDir, p) || !full {
				return s.gitFolder()
			}
		case seg == ".claude" || glob && dotMatch(seg, ".claude", dotglob):
			if seg == ".claude" && i+1 < len(segs) && segs[i+1] == "plans" {
				continue // the client's own plan mode writes there
			}
			if inRoot || s.Home == "" || within(s.fold(s.Home), p) || strings.HasPrefix(p, "~") || within(path.Dir(strings.Join(segs[:i+1], "/")), root) {
				return s.clientFolder(segs, i)
			}
		}
	}
	switch last := segs[len(segs)-1]; {
	case last == ".gitconfig", strings.Contains(p, "/.config/git/"), p == "/etc/gitconfig", last == ".git-credentials":
		return deny(RuleConfig, "this is Git's own configuration", "set what the command needs on its command line")
	case last == ".claude.json":
		return s.clientFolder(segs, len(segs)-1)
	case strings.HasSuffix(p, "/.config/gh/hosts.yml"), strings.HasSuffix(p, "/.config/gh/config.yml"):
		return deny(RuleProvider, "this is the configuration of the provider's command line", "leave it to the person who owns the account")
	}
	if tree && full && (p == root || within(p, root)) {
		return discard("the whole worktree goes, with Git's folder and the delivery in it")
	}
	if home := s.fold(s.Home); tree && full && home != "" && within(p, home) {
		return s.clientFolder(strings.Split(home+"/.claude", "/"), strings.Count(home, "/")+1)
	}
	for _, own := range s.owned() {
		own = s.fold(own)
		if !full || own == "" {
			continue
		}
		if within(own, p) || glob && matchesPath(own, p, false, dotglob) {
			return s.ownedVerdict(own)
		}
		if tree && (within(p, own) || glob && matchesPath(own, p, true, dotglob)) {
			return s.ownedVerdict(own)
		}
	}
	if tree && full && glob && path.Dir(p) == root && segs[len(segs)-1] == "*" {
		return discard("all files of the worktree go")
	}
	return Verdict{}
}

func (s *Situation) below(folder, p string) bool { return folder != "" && within(s.fold(folder), p) }

func (s *Situation) fold(p string) string {
	if s.FoldCase {
		return strings.ToLower(p)
	}
	return p
}

// owned are the paths besides the folders with well-known names.
func (s *Situation) owned() []string {
	out := append([]string{s.StateDir, s.GitDir, s.CommonDir}, s.Paths...)
	if s.Root != "" {
		out = append(out, s.Root+"/.git", s.Root+"/.claude")
	}
	if u := s.remotePath(); u != "" {
		out = append(out, u)
	}
	return out
}

func (s *Situation) ownedVerdict(own string) Verdict {
	switch {
	case slices.ContainsFunc(s.Paths, func(p string) bool { return s.fold(p) == own }):
		return deny(RuleClient, "this belongs to the plugin that is running, or to the client", "a person changes it outside of a delivery")
	case s.StateDir != "" && within(s.fold(s.StateDir), own) || strings.HasSuffix(own, "/.claude"):
		return s.clientFolder(strings.Split(own+"/asterweave", "/"), strings.Count(own, "/"))
	}
	return s.gitFolder()
}

func (s *Situation) gitFolder() Verdict {
	return deny(RuleGitFolder, "this belongs to Git: its refs, objects, hooks and configuration", "use the git command for it; what is in the way of a check is repaired in the code")
}

func (s *Situation) clientFolder(segs []string, i int) Verdict {
	if i+1 < len(segs) && strings.HasPrefix(segs[i+1], "asterweave") && segs[i+1] != "asterweave.json" {
		return deny(RuleState, "this is the state of the delivery, which only asterweave-state writes", "asterweave-state status shows what is recorded")
	}
	return deny(RuleClient, "this is the client's own folder: settings, skills, agents, schedules", "a person changes it outside of a delivery")
}

// dotMatch reports whether a pattern matches a name that begins with a dot, as a shell does.
func dotMatch(pattern, name string, dotglob bool) bool {
	if !strings.ContainsAny(pattern, "*?[") || !dotglob && !strings.HasPrefix(pattern, ".") {
		return false
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// matchesPath reports whether a pattern matches a path or something below it; with
// around, also a folder around it.
func matchesPath(own, pattern string, around, dotglob bool) bool {
	o, p := strings.Split(own, "/"), strings.Split(pattern, "/")
	if len(p) < len(o) && !around {
		return false
	}
	for i := range min(len(o), len(p)) {
		if o[i] == p[i] {
			continue
		}
		if strings.HasPrefix(o[i], ".") && !strings.HasPrefix(p[i], ".") && !dotglob {
			return false
		}
		if ok, err := path.Match(p[i], o[i]); !ok || err != nil {
			return false
		}
	}
	return true
}

func matchesBelow(root, p string) bool { return matchesPath(root, p, false, false) }
