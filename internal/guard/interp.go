package guard

import (
	"maps"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// interpreter judges shells, and programs that take code in a word.
func (w *walker) interpreter(name string, argv []arg, e *env) bool {
	args := argv[1:]
	switch name {
	case "bash", "sh", "zsh", "dash", "ksh", "ash", "rbash", "mksh", "fish", "csh", "tcsh", "yash":
		w.other = true
		w.shell(args, e)
		return true
	case "busybox", "toybox":
		if len(args) > 0 {
			w.run(args, e)
		}
		return true
	}
	if f, ok := codeFlags(name); ok {
		w.other = true
		w.code(name, f, args, e)
		w.unknownStrings(args, e)
		return true
	}
	return false
}

// shell judges bash and its kin: -c text, a script, or what it reads.
func (w *walker) shell(args []arg, e *env) {
	run := e.fork()
	run.funcs = e.funcs // exported ones are known there
	if len(run.funcs) == 0 && len(e.exported) > 0 {
		run.funcs = maps.Clone(e.exported)
	}
	i, text, reads := 0, false, false
	for ; i < len(args); i++ {
		a := args[i].text
		if args[i].vague() {
			w.add(unresolved("an option of a shell"))
			return
		}
		if a == "--" || a == "-" {
			i++
			break
		}
		if len(a) < 2 || a[0] != '-' && a[0] != '+' {
			break
		}
		switch {
		case a == "--rcfile" || a == "--init-file" || a == "-O" || a == "+O" || a == "-o" || a == "+o":
			if i++; strings.HasPrefix(a, "--") && i < len(args) {
				w.script(args[i], nil, run, true)
			}
		case strings.HasPrefix(a, "--init-file=") || strings.HasPrefix(a, "--rcfile="):
			_, f, _ := strings.Cut(a, "=")
			w.script(arg{text: f}, nil, run, true)
		case a == "--command":
			text = true
		case a[1] != '-':
			text = text || a[0] == '-' && strings.Contains(a, "c")
			reads = reads || strings.Contains(a, "s")
			if strings.HasSuffix(a, "o") {
				i++
			}
		}
	}
	rest := args[min(i, len(args)):]
	switch {
	case text && len(rest) == 0:
	case text:
		if len(rest) > 1 {
			run.name, run.args = rest[1].text, rest[2:]
		} else {
			run.args = nil
		}
		w.inner(rest[0].text, run)
	case reads || len(rest) == 0:
		run.args = rest
		if e.in.there {
			run.in = input{}
			w.inner(e.in.text, run)
			if strings.ContainsAny(e.in.text, outside) && strings.Trim(e.in.text, outside+"\n") == "" {
				w.add(unresolved("what a shell reads"))
			}
		}
	default:
		w.script(rest[0], rest[1:], run, false)
	}
}

// script judges a file that a shell runs: what this text wrote into it, or what is
// computed. A script of the repository is not read.
func (w *walker) script(file arg, args []arg, e *env, here bool) {
	w.event(args)
	run := e
	if !here {
		run = e.fork()
	}
	if len(args) > 0 {
		run.args, run.name = args, file.text
	}
	switch {
	case file.text == "/dev/stdin" || file.text == "-" || file.text == "/proc/self/fd/0" || file.text == "/dev/fd/0":
		w.inner(e.in.text, run)
	case strings.HasPrefix(file.text, "/dev/fd/"):
		w.add(unresolved("the text that a shell would run"))
	case !here && w.calls(args, e):
	case file.text != "" && strings.Trim(file.text, anything+fromGit) == "":
		w.add(unresolved("the file that a shell would run"))
	default:
		if p, full := e.at(file.text, w.s.Home); full {
			if text, ok := w.files[p]; ok {
				w.inner(text, run)
			}
		}
	}
}

// event refuses a program that is no reader and gets the name of an event of the client
// that carries a person's word or a verdict: it hands a payload on.
func (w *walker) event(args []arg) {
	for _, a := range args {
		switch strings.ToLower(strings.ReplaceAll(a.text, "-", "")) {
		case "userpromptexpansion", "posttooluse", "subagentstop":
			w.add(deny(RuleHuman, "a payload of the client comes from the client", "asterweave-state status shows where the delivery is"))
			return
		}
	}
}

// procText returns the statements of a word that is nothing but <(…).
func procText(word *syntax.Word) ([]*syntax.Stmt, bool) {
	if word == nil || len(word.Parts) != 1 {
		return nil, false
	}
	p, ok := word.Parts[0].(*syntax.ProcSubst)
	if !ok {
		return nil, false
	}
	return p.Stmts, true
}

// unknownStrings looks for shell texts in the words of an interpreter.
func (w *walker) unknownStrings(args []arg, e *env) {
	for _, a := range args {
		if path.Base(a.text) == "asterweave-state" || path.Base(a.text) == "asterweave-hook" {
			w.tail(args, e)
			return
		}
	}
}
