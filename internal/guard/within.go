package guard

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// escapes judges what editors, debuggers and clients of databases run in a shell: the text
// behind an exclamation mark or one of their words for it, and code that names what is guarded.
func (w *walker) escapes(text string, e *env) {
	if !namesGuarded(text) {
		return
	}
	for _, k := range []string{"!", ".shell ", ".system ", "system ", "shell "} {
		if _, rest, ok := strings.Cut(text, k); ok {
			w.refuseOnly(strings.TrimSpace(rest), e)
		}
	}
	for _, k := range []string{"system(", "execute(", "exe ", "execute ", "shell-command", "call-process", "start-process", "jobstart", "os:cmd", "syscmd(", "run-program", "callCommand", "Sys.command", ".exec(", "(system ", "readProcess", "shell \""} {
		if strings.Contains(text, k) {
			w.add(deny(RuleInline, "code in a word names Git, a provider, the delivery or the client", "call the program itself, so that its words can be read"))
		}
	}
}

// recipes judges the lines that make and its kin run: of the files that this text wrote, and
// of what they read.
func (w *walker) recipes(args []arg, e *env) {
	list := []string{e.in.text}
	for p, text := range w.files {
		base := strings.ToLower(path.Base(p))
		switch base {
		case "makefile", "gnumakefile", "justfile", ".justfile", "taskfile.yml", "taskfile.yaml", "rakefile", "package.json":
			list = append(list, text)
		}
	}
	for _, a := range args {
		if a.text == procFile {
			list = append(list, w.proc)
		}
		if p, full := e.at(a.text, w.s.Home); full {
			list = append(list, w.files[p])
		}
		if v, ok := strings.CutPrefix(a.text, "--eval="); ok {
			list = append(list, v)
		}
	}
	for _, text := range list {
		if !namesGuarded(text) && !namesProtected(text) {
			continue
		}
		for line := range strings.Lines(text) {
			for _, part := range strings.FieldsFunc(line, func(r rune) bool { return r == '"' || r == ';' }) {
				w.refuseOnly(strings.TrimLeft(part, " \t@-+:"), e)
			}
			w.refuseOnly(strings.TrimLeft(line, " \t@-+:"), e)
		}
	}
}

// runsWritten judges the code in a file of this text that a program gets as a word.
func (w *walker) runsWritten(args []arg, e *env) {
	for _, a := range args {
		switch path.Ext(a.text) {
		case ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".java":
			if p, full := e.at(a.text, w.s.Home); full {
				w.codeText(w.files[p], false, true)
			}
		}
	}
}

// startup judges the text of a file that each new shell runs.
func (w *walker) startup(file, text string) {
	if w.s.Home == "" || path.Dir(file) != w.s.Home {
		return
	}
	switch path.Base(file) {
	case ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin":
		for line := range strings.Lines(text) {
			w.refuseOnly(strings.TrimSpace(line), w.env())
		}
	}
}

// rawRequest refuses a request that is written out for a connection to a provider.
func (w *walker) rawRequest(args []arg, e *env) {
	all := strings.Join(texts(args), " ") + "\n" + e.in.text
	if !providerHost(all) {
		return
	}
	for _, f := range strings.Fields(all) {
		switch f {
		case "PUT", "POST", "PATCH", "DELETE":
			w.add(providerWrite("this request changes something at the provider"))
		}
	}
}

// forge judges the other command lines of providers by the words that no reader has.
func (w *walker) forge(args []arg) {
	for i, a := range args {
		switch a.text {
		case "merge", "approve", "close", "reject", "delete", "edit", "rm":
			if i < 3 {
				w.add(providerWrite("this changes something at the provider that only a person changes"))
			}
		}
	}
}

// intoProcess judges the commands of > >(…) with what they read.
func (w *walker) intoProcess(s *syntax.Stmt, e *env) {
	for _, r := range s.Redirs {
		list, ok := procText(r.Word)
		if !ok || r.Op != syntax.RdrOut && r.Op != syntax.AppOut && r.Op != syntax.RdrAll {
			continue
		}
		run := e.fork()
		run.in = input{there: true, text: w.muted(func() string { return w.output(s.Cmd, e.fork()) })}
		w.stmts(list, run)
	}
}

// perFile judges the command that a search runs for each file it finds.
func (w *walker) perFile(args []arg, e *env) {
	for i, a := range args {
		switch a.text {
		case "-x", "-X", "--exec", "--exec-batch":
			w.run(append(args[i+1:len(args):len(args)], arg{text: "./" + single}), w.readers(e))
			return
		case "--pre":
			if i+1 < len(args) {
				w.refuseOnly(args[i+1].text, e)
			}
		}
		if v, ok := strings.CutPrefix(a.text, "--pre="); ok {
			w.refuseOnly(v, e)
		}
	}
}
