package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// wrapper judges commands that run the command in their arguments.
func (w *walker) wrapper(name string, argv []arg, e *env) bool {
	args := argv[1:]
	switch name {
	case "xargs", "parallel", "find", "watch":
		w.many++
		defer func() { w.many-- }()
	}
	switch name {
	case "command":
		if len(args) > 0 && (args[0].text == "-v" || args[0].text == "-V") {
			return true
		}
		w.bare(skip(args, ""), e)
	case "builtin", "nohup", "setsid", "noglob", "nocorrect", "chronic", "catchsegv", "caffeinate", "exec":
		w.other = true
		if name == "exec" && len(args) > 0 && bundled(args[0].text, "c", "a") {
			e = e.fork()
			e.cleared = true
		}
		w.bare(skip(args, "-a"), e)
	case "time":
		w.bare(skip(args, "-f-o"), e)
	case "nice", "ionice", "chrt":
		w.other = true
		rest := skip(args, "-n-c-p-u")
		if name == "chrt" && len(rest) > 0 {
			rest = rest[1:]
		}
		w.bare(rest, e)
	case "timeout", "gtimeout":
		if rest := skip(args, "-k-s"); len(rest) > 1 {
			w.run(rest[1:], e)
		}
	case "stdbuf":
		w.other = true
		w.bare(skip(args, "-i-o-e"), e)
	case "env":
		w.env1(args, e)
	case "sudo", "doas", "su", "runuser":
		w.sudo(name, args, e)
	case "xargs":
		w.xargs(args, e)
	case "parallel":
		w.parallel(args, e)
	case "find":
		w.other = true
		w.find(args, e)
	case "watch", "ssh":
		w.other = true
		rest := skip(args, "-n-d-i-p-o-l-F-L-R-J")
		run := e.fork()
		for _, a := range args[:len(args)-len(rest)] {
			w.sshOption(a.text, e)
		}
		if name == "ssh" && len(rest) > 0 {
			rest, run.cleared = rest[1:], true
		}
		if len(rest) > 0 {
			w.inner(strings.Join(texts(rest), " "), run)
		}
	case "script", "unbuffer", "expect", "rlwrap", "faketty", "socat":
		w.terminal(name, args, e)
	default:
		return false
	}
	return true
}

// sshOption judges the options of ssh that run a command here.
func (w *walker) sshOption(text string, e *env) {
	for _, k := range []string{"proxycommand", "localcommand", "knownhostscommand"} {
		if at := strings.Index(strings.ToLower(text), k); at >= 0 {
			w.refuseOnly(strings.TrimLeft(text[at+len(k):], "= "), e)
		}
	}
}

// bare runs the words behind a wrapper; without any it does nothing.
func (w *walker) bare(rest []arg, e *env) {
	if len(rest) > 0 {
		inner := e.fork()
		inner.asProgram()
		if _, shell := e.funcs[rest[0].text]; !shell {
			inner = e
		}
		w.run(rest, inner)
	}
}

// skip leaves out the options of a wrapper. with names the short ones that take a
// value of their own.
func skip(args []arg, with string) []arg {
	for len(args) > 0 {
		a := args[0].text
		switch {
		case a == "--":
			return args[1:]
		case len(a) < 2 || a[0] != '-' || args[0].vague():
			return args
		case len(a) == 2 && strings.Contains(with, a) && len(args) > 1:
			args = args[2:]
		case strings.HasPrefix(a, "--") && !strings.Contains(a, "=") && (a == "--signal" || a == "--kill-after" || a == "--adjustment" || a == "--user" || a == "--group" || a == "--chdir" || a == "--interval"):
			args = args[min(2, len(args)):]
		default:
			args = args[1:]
		}
	}
	return nil
}

// env1 judges env: what it sets and takes away, and what it runs.
func (w *walker) env1(args []arg, e *env) {
	w.other = true
	run := e.fork()
	for len(args) > 0 {
		a := envLong(args[0].text)
		switch {
		case a == "--":
		case a == "-" || a == "-i" || a == "--ignore-environment":
			run.cleared = true
		case (a == "-u" || a == "--unset" || a == "-C" || a == "--chdir" || a == "-S" || a == "--split-string" || a == "-P") && len(args) > 1:
			if w.envOption(a, args[1], args[2:], run) {
				return
			}
			args = args[1:]
		case strings.HasPrefix(a, "--unset="):
			w.add(unset(a[8:]))
		case strings.HasPrefix(a, "-u") && len(a) > 2:
			w.add(unset(a[2:]))
		case strings.HasPrefix(a, "--chdir="):
			w.cd([]arg{{text: a[8:]}}, run)
		case strings.HasPrefix(a, "-S") || strings.HasPrefix(a, "--split-string="):
			text := strings.TrimPrefix(strings.TrimPrefix(a, "-S"), "--split-string=")
			w.inner(text+quoteAll(args[1:]), run)
			return
		case len(a) > 1 && a[0] == '-' && a[1] != '-':
			run.cleared = run.cleared || strings.Contains(a, "i")
			if strings.HasSuffix(a, "S") && len(args) > 1 {
				w.inner(args[1].text+quoteAll(args[2:]), run)
				return
			}
			if i := strings.IndexByte(a, 'S'); i > 0 {
				w.inner(a[i+1:]+quoteAll(args[1:]), run)
				return
			}
			if i := strings.IndexByte(a, 'u'); i > 0 && len(args) > 1 {
				if i == len(a)-1 {
					w.add(unset(args[1].text))
					args = args[1:]
				} else {
					w.add(unset(a[i+1:]))
				}
			}
		case strings.HasPrefix(a, "--"):
		case strings.Contains(a, "="):
			name, val, _ := strings.Cut(a, "=")
			next := ""
			if len(args) > 1 {
				next = args[len(args)-1].text
				for _, n := range args[1:] {
					if !strings.Contains(n.text, "=") {
						next = n.text
						break
					}
				}
			}
			w.variable(name, val, w.program(next), run)
			if syntax.ValidName(name) {
				run.set(name, val)
			}
		default:
			run.asProgram()
			w.run(args, run)
			return
		}
		args = args[1:]
	}
}

// envLong writes a long option of env out that is abbreviated.
func envLong(a string) string {
	name, val, has := strings.Cut(a, "=")
	if !strings.HasPrefix(name, "--") || len(name) < 3 {
		return a
	}
	for _, long := range []string{"--ignore-environment", "--unset", "--chdir", "--split-string"} {
		if strings.HasPrefix(long, name) {
			if has {
				return long + "=" + val
			}
			return long
		}
	}
	return a
}

func (w *walker) envOption(name string, val arg, rest []arg, run *env) (over bool) {
	switch name {
	case "-u", "--unset":
		w.add(unset(val.text))
		if val.vague() {
			w.add(unresolved("the variable that is taken away"))
		}
	case "-C", "--chdir":
		w.cd([]arg{val}, run)
	case "-S", "--split-string":
		w.inner(val.text+quoteAll(rest), run)
		return true
	}
	return false
}

func (w *walker) sudo(name string, args []arg, e *env) {
	w.other = true
	run := e.fork()
	run.cleared = true
	if name == "su" || name == "runuser" {
		for i, a := range args {
			if v, ok := strings.CutPrefix(a.text, "--command="); ok {
				w.inner(v, run)
				return
			}
			if (bundled(a.text, "c", "gGs") || a.text == "--command") && i+1 < len(args) {
				w.inner(args[i+1].text, run)
				return
			}
		}
		if name == "su" {
			return
		}
	}
	rest := skip(args, "-u-g-h-p-C-r-t-T-U-D-R")
	for _, a := range args[:len(args)-len(rest)] {
		if len(rest) > 0 && (bundled(a.text, "si", "ughpCrtTUDR") || a.text == "--shell" || a.text == "--login") {
			w.inner(strings.Join(texts(rest), " "), run)
			return
		}
	}
	for len(rest) > 0 && strings.Contains(rest[0].text, "=") && !strings.Contains(rest[0].text, "/") {
		n, v, _ := strings.Cut(rest[0].text, "=")
		w.variable(n, v, "", run)
		rest = rest[1:]
	}
	w.bare(rest, run)
}

// terminal judges programs that give a command a terminal of its own, on which it
// could be taken for a person's.
func (w *walker) terminal(name string, args []arg, e *env) {
	w.other = true
	all := strings.Join(texts(args), " ") + " " + e.in.text
	if name == "script" && (strings.HasSuffix(strings.TrimSpace(all), "bash") || strings.Contains(all, "c bash ") || strings.Contains(all, "c sh ")) {
		w.add(ask(RuleTerminal, "a terminal is allocated, and what runs in it cannot be told", "run the command as it is"))
		return
	}
	if strings.Contains(all, "asterweave") || strings.Contains(all, "claude") {
		w.add(deny(RuleTerminal, "a terminal is allocated for a command that listens to a person", "run the verbs of the model as they are; a person types the others in a terminal of their own"))
		return
	}
	inner := ""
	switch name {
	case "unbuffer", "rlwrap", "faketty":
		w.bare(skip(args, ""), e)
		return
	case "script":
		for i, a := range args {
			t := a.text
			if strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "--") && strings.HasSuffix(t, "c") || t == "--command" {
				if i+1 < len(args) {
					inner = args[i+1].text
				}
			} else if v, ok := strings.CutPrefix(t, "--command="); ok {
				inner = v
			}
		}
	case "socat":
		for _, a := range args {
			for _, k := range []string{"EXEC:", "SYSTEM:", "SHELL:", "exec:", "system:"} {
				if v, ok := strings.CutPrefix(a.text, k); ok {
					inner, _, _ = strings.Cut(strings.Trim(v, `'"`), ",")
				}
			}
		}
	case "expect":
		inner = all
		if namesGuarded(all) {
			w.add(deny(RuleTerminal, "a terminal is allocated for a command that is guarded", "run the command as it is"))
			return
		}
		if strings.Contains(all, "-c") || e.in.there {
			inner = ":"
		}
	}
	if inner == "" || strings.ContainsAny(inner, marks) {
		w.add(ask(RuleTerminal, "a terminal is allocated, and what runs in it cannot be told", "run the command as it is"))
		return
	}
	w.inner(inner, e.fork())
}
