package guard

import (
	"strings"
)

// setting judges -c key=value, and what git config writes. Keys are read without
// regard to case, as Git does; the middle part of a key keeps its own.
func (g *gitCall) setting(text string) {
	key, val, has := strings.Cut(text, "=")
	g.key(key, val, has)
}

func (g *gitCall) key(key, val string, has bool) {
	w := g.w
	if strings.ContainsAny(key, marks) {
		w.add(unresolved("a key of Git's configuration"))
		return
	}
	lower := strings.ToLower(key)
	section, rest, _ := strings.Cut(lower, ".")
	last := rest[strings.LastIndexByte(rest, '.')+1:]
	hint := "run git with the configuration that is in force"
	switch {
	case lower == "core.hookspath":
		w.add(deny(RuleHooks, "the folder of Git's hooks is not to be moved", "run git with the hooks, and repair what they find"))
	case section == "alias":
		g.e.gitAliases[strings.TrimPrefix(key[len("alias"):], ".")] = val
		g.aliasSet(rest, val)
	case section == "remote" && last == "fetch":
		g.refmap(val)
	case last == "prunetags" && (section == "fetch" || section == "remote"):
		if !strings.EqualFold(val, "false") {
			w.add(tagsPruned())
		}
	case section == "include", section == "includeif":
		w.add(deny(RuleConfig, "configuration from another file is not judged", hint))
	case section == "url", section == "remote" && last != "fetch" && last != "prune" && last != "skipfetchall" && last != "tagopt",
		section == "push" && !harmlessPush(last, val),
		lower == "core.gitproxy", lower == "core.worktree", lower == "core.bare", lower == "core.repositoryformatversion", lower == "protocol.allow", section == "protocol",
		lower == "clean.requireforce", lower == "receive.denynonfastforwards", lower == "receive.denydeletes", lower == "receive.denycurrentbranch",
		section == "trailer" && last == "command", lower == "init.templatedir", lower == "core.attributesfile", lower == "core.excludesfile", section == "gc" && strings.Contains(lower, "expire"), lower == "safe.barerepository", lower == "transfer.hiderefs":
		w.add(deny(RuleConfig, clip(key)+" changes where and how Git pushes, or what it protects", hint))
	case section == "branch" && (last == "merge" || last == "remote" || last == "pushremote"):
		w.add(ask(RuleConfig, clip(key)+" changes where the branch is pushed", "name remote and branch on the command line"))
	case commandKey(section, lower, last):
		if skipsChecks(val) {
			w.add(skipped())
		}
		if has && val != "" && val != "true" && val != "false" && syntaxOf(strings.TrimPrefix(val, "!")) {
			w.inner(strings.TrimPrefix(val, "!")+" "+outside, g.e.fork())
		}
	case section == "filter":
		w.add(deny(RuleConfig, "a filter changes files on their way into Git", hint))
	}
}

func harmlessPush(last, val string) bool {
	switch last {
	case "default":
		switch strings.ToLower(val) {
		case "simple", "current", "upstream", "tracking", "nothing":
			return true
		}
	case "autosetupremote", "gpgsign", "usebitmaps", "usforceifincludes":
		return true
	}
	return false
}

// commandKey reports whether Git runs the value of a key.
func commandKey(section, lower, last string) bool {
	switch lower {
	case "core.editor", "core.pager", "core.sshcommand", "core.askpass", "core.fsmonitor", "sequence.editor", "diff.external", "gpg.program", "credential.helper", "interactive.difffilter",
		"uploadpack.packobjectshook", "core.alternaterefscommand", "web.browser", "ssh.variant":
		return true
	}
	switch section {
	case "pager", "difftool", "mergetool", "merge", "diff", "man", "browser", "credential", "gpg", "submodule", "sendemail", "tar", "trailer", "hook":
		return last != "tool" && last != "conflictstyle" && last != "algorithm" && last != "renames"
	}
	return false
}

// aliasSet judges an alias when it is made: one that is refused when it is used
// is refused here, so that it is not there for a later call.
func (g *gitCall) aliasSet(name, val string) {
	if name == "" || g.depth > 8 {
		return
	}
	if strings.ContainsAny(val, marks) {
		g.w.add(unresolved("an alias of git"))
		return
	}
	probe := *g
	probe.e = g.e.fork()
	probe.depth++
	probe.args = []arg{}
	probe.verb = name
	before := g.w.out
	probe.expandAlias(val)
	// What is only incomplete without its arguments is judged when it is used.
	if r := g.w.out; r.Decision == Ask || r.Decision == Deny && r.Rule == RuleConfirm {
		g.w.out = before
	}
}

// config judges git config.
func (g *gitCall) config() {
	w := g.w
	var words []arg
	write, reads, edit := false, false, false
	for i := 0; i < len(g.args); i++ {
		a := g.args[i]
		t := a.text
		switch {
		case t == "-f" || t == "--file" || t == "--blob":
			if i++; i < len(g.args) && t != "--blob" {
				defer func(f arg) {
					if !reads && (write || len(words) > 1) {
						w.add(w.written(f, g.e, false))
					}
				}(g.args[i])
			}
		case strings.HasPrefix(t, "--file="):
			defer func(f arg) {
				if !reads && (write || len(words) > 1) {
					w.add(w.written(f, g.e, false))
				}
			}(arg{text: t[len("--file="):]})
		case t == "--type" || t == "--default" || t == "--comment" || t == "--value":
			i++
		case strings.HasPrefix(t, "--get") || t == "-l" || option(t, "list", "") && len(t) > 3:
			reads = true
		case t == "-e" || strings.HasPrefix(t, "--ed"):
			edit = true
		case strings.HasPrefix(t, "--unset") || strings.HasPrefix(t, "--replace") || strings.HasPrefix(t, "--add") || strings.HasPrefix(t, "--re") || strings.HasPrefix(t, "--rem"):
			write = true
		case strings.HasPrefix(t, "-"):
		default:
			words = append(words, a)
		}
	}
	if len(words) > 0 {
		switch words[0].text {
		case "get", "list":
			return
		case "edit":
			edit = true
		case "set", "unset", "rename-section", "remove-section":
			write, words = true, words[1:]
		}
	}
	switch {
	case reads:
	case edit:
		w.add(ask(RuleConfig, "the configuration of Git is edited by hand", "set one key by its name"))
	case len(words) == 0 || len(words) == 1 && !write:
		if g.vague() {
			w.add(unresolved("a word of git config"))
		}
	default:
		key, val := words[0], arg{}
		if len(words) > 1 {
			val = words[1]
		}
		if key.vague() {
			w.add(unresolved("a key of Git's configuration"))
			return
		}
		if !strings.Contains(key.text, ".") && write { // a whole section
			switch s := strings.ToLower(key.text); s {
			case "core", "remote", "url", "branch", "push", "include":
				w.add(deny(RuleConfig, "a section of Git's configuration goes away that others rest on", "set one key by its name"))
			}
		}
		g.key(key.text, val.text, true)
	}
}
