package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// dispatch hands a command to the rules that know it.
func (w *walker) dispatch(name string, argv []arg, e *env) {
	args := argv[1:]
	switch name {
	case "test", "[", "printf", "read", "unset", "let":
		for i, a := range args {
			w.arithmetic(a.text, e)
			if name == "printf" && i > 0 && args[i-1].text == "-v" {
				w.printfSets(a.text, e)
			}
		}
	}
	if w.builtin(name, args, e) || w.wrapper(name, argv, e) || w.interpreter(name, argv, e) {
		return
	}
	switch name {
	case "asterweave-state":
		w.own(argv, e)
		return
	case "asterweave-hook":
		w.add(deny(RuleHuman, "the hook program takes what the client sends, and nothing else", "asterweave-state status shows where the delivery is"))
		return
	}
	switch {
	case name == "git" && w.local(args, e):
		w.allowed = true
	case !w.inert(name, args, e):
		w.other = true
	}
	switch name {
	case "git":
		w.git(args, e)
	case "gh":
		w.gh(args, e)
	case "glab":
		w.glab(args, e)
	case "az":
		w.az(args, e)
	case "hub":
		w.hub(args, e)
	case "dulwich", "jgit", "got", "isogit":
		w.otherGit(name, args, e)
	case "curl", "wget", "http", "https", "xh", "xhs", "curlie":
		w.http(name, args, e)
		w.paths(name, args, e)
	default:
		if verb, ok := strings.CutPrefix(name, "git-"); ok && gitVerb(verb) {
			w.git(append([]arg{{text: verb}}, args...), e)
			return
		}
		if w.agent(name, args) {
			return
		}
		w.paths(name, args, e)
		w.copies(name, args, e)
		w.unknown(name, args, e)
	}
}

// printfSets judges printf -v: what it sets a variable to is not told here.
func (w *walker) printfSets(name string, e *env) {
	if v, ok := e.vars[name]; ok && len(v.list) == 1 {
		w.variable(name, v.list[0], "", e)
		return
	}
	w.variable(name, anything, "", e)
}

// builtin judges what a shell does itself, and what changes where the rest runs.
func (w *walker) builtin(name string, args []arg, e *env) bool {
	switch name {
	case "cd", "pushd", "chdir":
		w.cd(args, e)
	case "popd":
		e.dir = place{}
	case "set":
		for i, a := range args {
			if a.text == "--" || !strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "+") && (i == 0 || args[i-1].text != "-o") {
				if a.text == "--" {
					i++
				}
				e.args = append([]arg(nil), args[i:]...)
				break
			}
		}
	case "shift":
		e.args = e.args[min(1, len(e.args)):]
		if len(args) > 0 {
			e.args = []arg{{text: anything, loose: true}}
		}
	case "shopt":
		for _, a := range args {
			e.dotglob = e.dotglob || a.text == "dotglob"
		}
	case "alias":
		w.other = true
		for _, a := range args {
			if name, text, ok := strings.Cut(a.text, "="); ok {
				e.aliases[name] = text
			}
		}
	case "unset":
		w.other = true
		for _, a := range args {
			w.add(unset(a.text))
			delete(e.vars, a.text)
			if a.vague() {
				w.add(unresolved("the variable that is unset"))
			}
		}
	case "read", "mapfile", "readarray", "getopts":
		w.read(args, e)
	case "eval":
		w.other = true
		text := strings.Join(texts(args), " ")
		w.inner(text, e)
	case "trap":
		w.other = true
		if len(args) > 0 && args[0].text == "--" {
			args = args[1:]
		}
		if len(args) > 1 && !strings.HasPrefix(args[0].text, "-") {
			w.inner(args[0].text, e.fork())
		}
	case ".", "source":
		w.other = true
		if len(args) > 0 {
			w.script(args[0], args[1:], e, true)
		}
	case "hash":
		if len(args) > 2 && args[0].text == "-p" {
			e.aliases[args[2].text] = quote(args[1].text)
		}
	case "compgen", "complete":
		for i, a := range args {
			if (a.text == "-C" || a.text == "-W") && i+1 < len(args) {
				text := args[i+1].text
				if a.text == "-W" { // words, with what is expanded in them
					text = ": " + text
				}
				w.refuseOnly(text, e)
			}
		}
	case "let", "exit", "return", "break", "continue", "wait", "times", "umask", "ulimit", "jobs", "fg", "bg", "local", "declare", "export", "readonly", "typeset":
	default:
		return false
	}
	return true
}

// read sets variables from what is read, one field each where it can be told.
func (w *walker) read(args []arg, e *env) {
	var names []string
	array := ""
	for i := 0; i < len(args); i++ {
		switch a := args[i].text; {
		case bundled(a, "a", "dnNptui") && len(a) > 2 && strings.HasSuffix(a, "a") && i+1 < len(args):
			i++
			array = args[i].text
		case len(a) == 2 && strings.Contains("-d-n-N-p-t-u-i-a", a):
			if a == "-a" && i+1 < len(args) {
				names = append(names, args[i+1].text)
			}
			i++
		case strings.HasPrefix(a, "-"):
		default:
			names = append(names, a)
		}
	}
	line, rest, more := strings.Cut(e.in.text, "\n")
	known := e.in.there && !strings.ContainsAny(e.in.text, marks) && (!more || strings.TrimSpace(rest) == "")
	fields := strings.Fields(line)
	if syntax.ValidName(array) {
		e.vars[array] = value{list: []string{anything}, array: true}
		if known {
			e.vars[array] = value{list: fields, array: true}
		}
		return
	}
	for i, n := range names {
		if !syntax.ValidName(n) {
			continue
		}
		switch {
		case !known && strings.Contains(line, listed):
			e.set(n, line)
		case !known:
			e.set(n, anything)
		case i == len(names)-1:
			e.set(n, strings.Join(fields[min(i, len(fields)):], " "))
		case i < len(fields):
			e.set(n, fields[i])
		default:
			e.set(n, "")
		}
		w.variable(n, e.vars[n].list[0], "", e)
	}
	if len(names) == 0 {
		e.set("REPLY", anything)
		e.vars["MAPFILE"] = value{list: []string{anything}}
	}
}

func (w *walker) cd(args []arg, e *env) {
	var to *arg
	if e.dir.known && !e.dir.vague {
		e.set("OLDPWD", e.dir.path)
	}
	for i := range args {
		if t := args[i].text; t == "--" || t != "-" && strings.HasPrefix(t, "-") && len(t) == 2 {
			continue
		}
		to = &args[i]
		break
	}
	switch {
	case to == nil:
		p, full := e.at("~", w.s.Home)
		e.dir = place{path: p, known: full}
	case to.text == "-" || to.dim() || strings.ContainsAny(to.text, "*?["):
		e.dir = place{}
		if !to.dim() && to.text != "-" {
			w.add(w.judgePath(*to, e, false)) // a pattern that leads into a folder nobody writes
		}
	default:
		p, full := e.at(to.text, w.s.Home)
		p = w.linked(p)
		e.dir = place{path: p, known: full, vague: e.dir.vague && !strings.HasPrefix(to.text, "/")}
		if full && !within(w.s.Root, p) {
			e.branch = ""
		}
	}
}

// inert reports whether a command does nothing that the client's rules are about:
// it only says something, or passes on what it reads from a pipe.
func (w *walker) inert(name string, args []arg, e *env) bool {
	positional := 0
	for _, a := range args {
		if a.dim() {
			return false
		}
		if !strings.HasPrefix(a.text, "-") && strings.Trim(a.text, "0123456789") != "" {
			positional++
		}
	}
	switch name {
	case "echo", "printf", "true", ":", "false", "pwd", "sleep":
		return true
	case "head", "tail", "wc", "cat", "nl":
		return e.in.there && positional == 0
	case "jq", "grep":
		return e.in.there && positional == 1
	}
	return false
}
