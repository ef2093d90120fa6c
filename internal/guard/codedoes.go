package guard

import (
	"strconv"
	"strings"
)

// calls judges the words behind a script as those of a command that it may run.
func (w *walker) calls(args []arg, e *env) bool {
	before := w.out.Decision
	w.tail(args, e)
	return w.out.Decision > before
}

// arithmetic judges the commands in a text that a shell would evaluate as an index.
func (w *walker) arithmetic(text string, e *env) {
	if strings.Contains(text, "[$(") || strings.Contains(text, "[`") {
		w.refuseOnly(": "+text, e)
	}
}

// attached returns the code that is written right behind its option, alone or among letters
// that take no value, as in -we'…'; empty where there is none.
func attached(a, flags string) string {
	if len(a) < 3 || a[0] != '-' || a[1] == '-' || flags == "" {
		return ""
	}
	for i := 1; i < len(a)-1; i++ {
		switch {
		case strings.IndexByte(flags, a[i]) >= 0:
			if strings.IndexByte(flags, a[i+1]) >= 0 && i+2 == len(a) { // -pe takes the next word
				return ""
			}
			return a[i+1:]
		case strings.IndexByte("acflnpsStTuUvwWEOBbqdI", a[i]) < 0:
			return ""
		}
	}
	return ""
}

// module judges python -m by the program that the module is.
func (w *walker) module(args []arg, e *env) {
	if len(args) == 0 {
		return
	}
	name := strings.ReplaceAll(args[0].text, "_", "-")
	if name == "httpie" {
		name = "http"
	}
	run := e.fork()
	run.asProgram()
	w.run(append([]arg{{text: name}}, args[1:]...), run)
}

// fed judges what code that starts programs could take from outside: its arguments,
// variables, and what it reads.
func (w *walker) fed(code string, args []arg, e *env) {
	if w.done() || !starts(code) {
		return
	}
	w.tail(args, e)
	for _, a := range args {
		if _, v, ok := strings.Cut(a.text, "="); ok {
			w.refuseOnly(v, e)
		}
	}
	for _, v := range e.vars {
		for _, text := range v.list {
			w.refuseOnly(text, e)
		}
	}
	w.refuseOnly(e.in.text, e)
}

// starts reports whether code starts programs.
func starts(code string) bool {
	for _, k := range []string{"system", "exec", "popen", "Popen", "subprocess", "spawn", "qx", "`", "getline", "os:cmd", "shell", "syscmd", "call-process"} {
		if strings.Contains(code, k) {
			return true
		}
	}
	return false
}

// unescaped writes letters out that code has as numbers.
func unescaped(code string) string {
	if !strings.Contains(code, `\`) {
		return code
	}
	var b strings.Builder
	for i := 0; i < len(code); i++ {
		if code[i] != '\\' || i+3 >= len(code) {
			b.WriteByte(code[i])
			continue
		}
		from, digits, base := i+1, 3, 8
		switch code[i+1] {
		case 'x':
			from, digits, base = i+2, 2, 16
		case 'u':
			from, digits, base = i+2, 4, 16
		}
		if n, err := strconv.ParseUint(code[from:min(from+digits, len(code))], base, 16); err == nil && n > ' ' && n < 0x7f {
			b.WriteByte(byte(n))
			i = from + digits - 1
			continue
		}
		b.WriteByte(code[i])
	}
	return b.String()
}

// codeDoes refuses code by what it does, without a name in it that is guarded.
func (w *walker) codeDoes(code string) {
	plain := strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\n':
			return -1
		case '"', '`':
			return '\''
		}
		return r
	}, code)
	lower := strings.ToLower(plain)
	switch {
	case w.takesTree(plain):
		w.add(discard("code in a word deletes the worktree"))
	case strings.Contains(lower, "tiocsti"), strings.Contains(lower, "pty.spawn"), strings.Contains(lower, "pty.fork"), strings.Contains(lower, "forkpty"), strings.Contains(lower, "openpty"), strings.Contains(lower, "keystroke'"):
		w.add(deny(RuleTerminal, "code in a word speaks for a person at a terminal", "run the command as it is"))
	case writesToProvider(lower):
		w.add(providerWrite("code in a word changes something at the provider"))
	case computesProgram(code):
		w.add(ask(RuleInline, "code in a word computes the program that it starts", "write out what it runs"))
	}
}

// takesTree reports whether code, without its blanks, deletes the folder it runs in or
// all that is in there.
func (w *walker) takesTree(code string) bool {
	for _, f := range []string{"rmtree", "rm_rf", "rm_r", "rmSync", "rmdirSync", "remove_tree", "removeSync", "rimraf"} {
		at := strings.Index(code, f)
		if at < 0 {
			continue
		}
		rest := strings.TrimPrefix(code[at+len(f):], "(")
		for _, all := range []string{"'.'", "'./'", "'..'", "'*'", "'" + w.s.Root + "'", "os.getcwd()", "process.cwd()", "Dir.pwd", "cwd()", "getcwd"} {
			if strings.HasPrefix(rest, all) {
				return true
			}
		}
	}
	deletes, lists := false, false
	for _, k := range []string{"os.remove", "unlink", "File.delete", "rmSync", "rmtree", "rm_rf", "FileUtils.rm", "rmdirSync"} {
		deletes = deletes || strings.Contains(code, k)
	}
	for _, k := range []string{"glob('*')", "glob'*'", "<*>", "listdir('.')", "listdir()", "readdirSync('.')", "Dir['*']", "walk('.')", "iterdir()", "scandir('.')", "scandir()", "'**/*'", "Dir.children('.')"} {
		lists = lists || strings.Contains(code, k)
	}
	return deletes && lists
}

// writesToProvider reports whether code, in small letters and without its blanks, sends
// more than a read to an address of a provider.
func writesToProvider(code string) bool {
	if strings.Contains(code, "localhost") || strings.Contains(code, "127.0.0.1") {
		return false
	}
	host := false
	for _, k := range []string{"/api/v4/projects", "merge_requests", "pullrequests", "pull-requests/", "bitbucket.org", "protected_branches", "/_apis/", "/pulls/"} {
		host = host || strings.Contains(code, k)
	}
	if !host {
		return false
	}
	for _, m := range []string{"put", "post", "patch", "delete"} {
		for _, form := range []string{"." + m + "(", "->" + m + "(", "'" + m + "'", "-method" + m} {
			if strings.Contains(code, form) {
				return true
			}
		}
	}
	return false
}

// computesProgram reports whether code starts a program whose name is put together there.
func computesProgram(code string) bool {
	for _, call := range []string{"system(", "popen(", "Popen(", "subprocess.run(", "call(", "check_output(", "getoutput(", "execSync(", "spawnSync(", "execFileSync("} {
		for rest := code; ; {
			at := strings.Index(rest, call)
			if at < 0 {
				break
			}
			rest = rest[at+len(call):]
			if computed(strings.TrimLeft(rest, " \n")) || appended(code, rest) {
				return true
			}
		}
	}
	return false
}

// appended reports whether the first argument of a call is a variable that code adds to.
func appended(code, arg string) bool {
	end := 0
	for end < len(arg) && isWordByte(arg[end]) {
		end++
	}
	name := arg[:end]
	return name != "" && end < len(arg) && strings.IndexByte("),", arg[end]) >= 0 && addsText(code, name)
}

// addsText reports whether code puts more text behind what a variable holds.
func addsText(code, name string) bool {
	for _, op := range []string{"+=", " +=", ".=", " .="} {
		if _, rest, ok := strings.Cut(code, name+op); ok {
			rest = strings.TrimLeft(rest, " ")
			return rest != "" && strings.IndexByte("'\"`", rest[0]) >= 0
		}
	}
	return false
}

// computed reports whether the first argument of a call begins with a literal that is not
// the name of a program as it stands.
func computed(arg string) bool {
	list := strings.HasPrefix(arg, "[")
	arg = strings.TrimLeft(arg, "[ rbf")
	if arg == "" || !strings.ContainsRune("'\"`", rune(arg[0])) {
		return false
	}
	end := strings.IndexByte(arg[1:], arg[0])
	if end < 0 {
		return false
	}
	text, rest := arg[1:1+end], strings.TrimLeft(arg[2+end:], " ")
	word, _, _ := strings.Cut(text, " ")
	switch {
	case strings.ContainsAny(word, "{%$#"):
		return true
	case list:
		bracket := strings.IndexByte(rest, ']')
		return bracket >= 0 && strings.HasPrefix(rest[bracket+1:], ".join(")
	case strings.HasPrefix(rest, "+") && !strings.Contains(text, " "):
		next := strings.TrimLeft(rest[1:], " ")
		return len(next) < 2 || next[1] != ' ' || strings.IndexByte("'\"", next[0]) < 0
	case strings.HasPrefix(rest, "["), strings.HasPrefix(rest, ".join("), strings.HasPrefix(rest, ".replace("), strings.HasPrefix(rest, ".lower("), strings.HasPrefix(rest, ".upper("),
		strings.HasPrefix(rest, ".reverse"), strings.HasPrefix(rest, ".translate("), strings.HasPrefix(rest, ".toLowerCase("), strings.HasPrefix(rest, ".downcase"):
		return true
	}
	return false
}
