package guard

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call judges a simple command: its words, the assignments before it, and what it runs.
func (w *walker) call(c *syntax.CallExpr, e *env) {
	var argv []arg
	for _, word := range c.Args {
		argv = append(argv, w.expand(word, e)...)
	}
	if len(c.Args) == 0 || len(argv) == 0 {
		for _, a := range c.Assigns {
			w.assign(a, e, "")
		}
		return
	}
	run := e
	if len(c.Assigns) > 0 {
		w.other = true
		run = e.fork()
		for _, a := range c.Assigns {
			w.assign(a, run, path.Base(argv[0].text))
		}
		w.assignedFor(argv, run)
	}
	w.run(argv, run)
	if run != e {
		e.dir, e.branch = run.dir, run.branch
	}
}

// assign judges a variable that is set and sets it. A variable that Git or a shell
// reads as a command is judged as one. Its effect on a program in front of which it
// stands is the same as that of export.
func (w *walker) assign(a *syntax.Assign, e *env, command string) {
	if a.Name == nil {
		return
	}
	name := a.Name.Value
	v := value{list: []string{""}}
	switch {
	case a.Array != nil:
		v = value{array: true}
		for _, el := range a.Array.Elems {
			if el.Value == nil {
				continue
			}
			if el.Index != nil {
				w.inside(el.Index, e)
			}
			for _, f := range w.expand(el.Value, e) {
				v.list = append(v.list, f.text)
			}
		}
	case a.Value != nil:
		v.list = []string{w.one(a.Value, e).text}
	case a.Naked:
		return
	}
	if a.Index != nil {
		w.inside(a.Index, e)
		v = value{list: []string{anything}}
	}
	if a.Append {
		have, ok := e.vars[name]
		switch {
		case !ok:
			have = value{list: []string{outside}, array: v.array}
			if v.array {
				have.list = nil
			}
			fallthrough
		default:
			if v.array || have.array {
				v = value{array: true, list: append(append([]string(nil), have.list...), v.list...)}
			} else {
				v.list = []string{have.list[0] + v.list[0]}
			}
		}
	}
	w.variable(name, strings.Join(v.list, " "), command, e)
	w.arithmetic(strings.Join(v.list, " "), e)
	if name == "BASH_ALIASES" && a.Value != nil {
		w.refuseOnly(w.one(a.Value, e).text, e)
	}
	size := 0
	for _, s := range v.list {
		size += len(s)
	}
	if size > maxValue || len(v.list) > maxFields {
		v = value{list: []string{anything}}
	}
	e.vars[name] = v
}

// declare judges declare, export, local and readonly.
func (w *walker) declare(c *syntax.DeclClause, e *env) {
	off, reference := false, false
	w.other = true
	for _, a := range c.Args {
		if a.Naked && a.Name == nil && a.Value != nil {
			text := w.one(a.Value, e).text
			reference = reference || text == "-n" && c.Variant.Value != "export"
			off = off || text == "-n" && c.Variant.Value == "export" || strings.HasPrefix(text, "+")
			if name, val, ok := strings.Cut(text, "="); ok && !strings.HasPrefix(text, "-") {
				w.variable(name, val, "", e)
				e.set(name, val)
			} else if strings.ContainsAny(text, anything) {
				w.add(unresolved("the name of a variable"))
			}
			continue
		}
		if a.Naked && a.Name != nil {
			if off {
				w.add(unset(a.Name.Value))
			}
			continue
		}
		if reference && a.Name != nil {
			e.set(a.Name.Value, anything)
			continue
		}
		w.assign(a, e, "")
	}
}

// run judges a command by its words.
func (w *walker) run(argv []arg, e *env) {
	if w.steps += 1 + len(argv)/8; w.steps > maxSteps || w.depth > maxDepth {
		w.add(ask(RuleUnresolved, "the command is too long or too deep to be judged", "split it into several calls"))
		return
	}
	if w.done() || len(argv) == 0 {
		return
	}
	name := argv[0].text
	if len(name) > 1 && name[0] == '=' { // zsh finds the program
		name = name[1:]
	}
	if strings.ContainsAny(name, marks) {
		base := name[strings.LastIndexByte(name, '/')+1:]
		if base == "" || strings.ContainsAny(base, marks) || argv[0].loose {
			w.tail(argv[1:], e)
			w.add(unresolved("the command word"))
			return
		}
		name = base
	}
	if body, ok := e.funcs[name]; ok {
		w.function(body, argv, e)
		return
	}
	if text, ok := e.aliases[name]; ok {
		inner := e.fork()
		delete(inner.aliases, name)
		w.inner(text+" "+quoteAll(argv[1:]), inner)
		return
	}
	if p, full := e.at(name, w.s.Home); full && strings.Contains(name, "/") {
		if text, ok := w.files[p]; ok { // a script that this text wrote
			run := e.fork()
			run.args, run.name = argv[1:], name
			w.inner(text, run)
		}
	}
	if p, full := e.at(name, w.s.Home); full && strings.Contains(name, "/") {
		if to := w.linked(p); to != p {
			name = to
		}
	} else if text, ok := w.onPath(name); ok {
		run := e.fork()
		run.args, run.name = argv[1:], name
		w.inner(text, run)
	}
	if installedAgent(name) {
		w.add(agentStarted("of another program"))
	}
	base := w.program(name)
	if argv[0].glob {
		for _, known := range guardedPrograms() {
			if ok, err := path.Match(base, known); ok && err == nil && base != known {
				w.add(ask(RuleUnresolved, "the command word is a pattern that matches "+known, "write the words out"))
			}
		}
	}
	w.record(base, argv[1:], e)
	w.dispatch(base, argv, e)
}

// program returns the name of a program without folder and ending.
func (w *walker) program(name string) string {
	base := path.Base(name)
	if w.s.FoldCase {
		base = strings.ToLower(base)
	}
	for _, end := range []string{".exe", ".cmd", ".bat"} {
		base = strings.TrimSuffix(base, end)
	}
	return base
}

// guardedPrograms are those whose words are judged.
func guardedPrograms() []string {
	return []string{"git", "gh", "az", "glab", "hub", "asterweave-state", "asterweave-hook", "claude", "codex", "bash", "sh", "env", "eval", "rm", "curl"}
}

func (w *walker) function(body *syntax.Stmt, argv []arg, e *env) {
	if w.depth++; w.depth > maxDepth {
		w.depth--
		w.add(ask(RuleUnresolved, "functions call each other too deep to be judged", "call the command itself"))
		return
	}
	args := e.args
	e.args = argv[1:]
	w.stmt(body, e)
	e.args = args
	w.depth--
}

func quoteAll(list []arg) string {
	var b strings.Builder
	for _, a := range list {
		b.WriteByte(' ')
		b.WriteString(quote(a.text))
	}
	return b.String()
}

// quote writes a text so that a shell reads it as one word. Marks stay bare, so that
// they go on being unknown.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:@,%"+marks) == "" {
		return s
	}
	if strings.ContainsAny(s, marks) {
		var b strings.Builder
		from := 0
		for i := 0; i <= len(s); i++ {
			if i == len(s) || strings.IndexByte(marks, s[i]) >= 0 {
				b.WriteString(quote(s[from:i]))
				if i < len(s) {
					b.WriteByte(s[i])
				}
				from = i + 1
			}
		}
		return b.String()
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
