package guard

import (
	"strings"
)

// codeFlags returns the options behind which a program takes code.
func codeFlags(name string) (string, bool) {
	base := strings.TrimRight(name, "0123456789.")
	switch base {
	case "python", "pypy", "pythonw", "ipython":
		return "c", true
	case "node", "nodejs", "bun", "deno", "tsx", "ts-node":
		return "ep", true
	case "perl":
		return "eE", true
	case "ruby", "jruby":
		return "e", true
	case "php":
		return "rBRE", true
	case "lua", "luajit", "Rscript", "R", "osascript", "elixir", "julia", "groovy", "scala", "ghci", "racket", "swift", "tclsh", "wish":
		return "eE", true
	case "guile":
		return "c", true
	case "awk", "gawk", "mawk", "nawk":
		return "", true
	case "pwsh", "powershell":
		return "c", true
	}
	return "", false
}

// code judges code in a word, or code that is read, and files that this text wrote.
func (w *walker) code(name, flags string, args []arg, e *env) {
	awk := strings.HasSuffix(name, "awk")
	filter, took, inPlace := awk, false, false
	seen := ""
	judge := func(text string, filter, whole bool) {
		seen += text + "\n"
		w.codeText(text, filter, whole)
	}
	defer func() { w.fed(seen, args, e) }()
	for i := 0; i < len(args); i++ {
		a := args[i].text
		switch {
		case awk && strings.HasPrefix(a, "-") && len(a) > 1:
			if _, v, ok := strings.Cut(a, "="); ok && strings.HasPrefix(a, "--source") {
				took = true
				judge(v, filter, false)
			} else if a == "-i" && i+1 < len(args) {
				i++
				inPlace = inPlace || strings.Contains(args[i].text, "inplace")
			} else if a == "-v" || a == "-F" {
				i++
			} else if a == "-f" && i+1 < len(args) {
				took = true
				i++
				judge(w.content(args[i], e), filter, false)
			}
		case awk && !took:
			took = true
			judge(a, filter, false)
		case awk:
			if inPlace {
				w.add(w.written(args[i], e, false))
			}
		case a == "-m" && strings.HasPrefix(name, "py"):
			for _, b := range args[i+1:] {
				if strings.ContainsAny(b.text, "(;\n") && runsCommands(b.text) {
					judge(b.text, false, true)
				}
			}
			w.module(args[i+1:], e)
			return
		case attached(a, flags) != "":
			took = true
			filter = filter || name == "perl" && strings.ContainsAny(a[:len(a)-len(attached(a, flags))], "np")
			judge(attached(a, flags), filter, true)
		case a == "--eval" || a == "--print" || a == "eval" || a == "-Command" || a == "-command" || takesCode(a, flags):
			took = true
			filter = filter || name == "perl" && (strings.ContainsAny(a, "np") || perlFilter(args[:i]))
			if i+1 < len(args) {
				i++
				judge(args[i].text, filter, true)
			}
		case strings.HasPrefix(a, "--eval=") || strings.HasPrefix(a, "--print="):
			took = true
			_, c, _ := strings.Cut(a, "=")
			judge(c, false, true)
		case strings.HasPrefix(a, "data:"):
			judge(a, false, true)
		case strings.HasPrefix(a, "-") && a != "-":
			if args[i].vague() {
				w.add(unresolved("an option of " + name))
			}
			if strings.Contains(a, "data:") {
				judge(a, false, true)
			}
		case a == "-" || a == "/dev/stdin":
			took = true
			judge(e.in.text, false, true)
		case (name == "deno" || name == "bun") && (a == "run" || a == "test"):
		case name == "bun" && !took && packagedAgent(name, args):
			w.add(agentStarted("of another program"))
		default:
			if took { // arguments of the code
				if !filter || edits(args[:i]) {
					w.paths("code", args[i:], e)
				}
				return
			}
			if strings.HasPrefix(a, "/dev/fd/") {
				w.add(unresolved("the code"))
			}
			if p, full := e.at(a, w.s.Home); full {
				if text, ok := w.files[p]; ok {
					judge(text, false, true)
				}
			}
			w.paths("code", args[i+1:], e)
			if installedAgent(a) {
				w.add(agentStarted("of another program"))
			}
			w.tail(args[i+1:], e)
			return
		}
	}
	if !took && e.in.there && !filter {
		judge(e.in.text, false, true)
	}
}

// edits reports whether perl writes the files that it reads.
func edits(before []arg) bool {
	for _, a := range before {
		if len(a.text) > 1 && a.text[0] == '-' && strings.Contains(a.text, "i") {
			return true
		}
	}
	return false
}

func takesCode(a, flags string) bool {
	return len(a) > 1 && !strings.ContainsAny(a[1:2], "MmI") && a[0] == '-' && a[1] != '-' && flags != "" && strings.ContainsRune(flags, rune(a[len(a)-1]))
}

func perlFilter(before []arg) bool {
	for _, a := range before {
		if len(a.text) > 1 && a.text[0] == '-' && !strings.ContainsAny(a.text[1:2], "MmI") && strings.ContainsAny(a.text, "np") {
			return true
		}
	}
	return false
}

// codeText refuses code that names what is guarded. A filter over text has to do
// more than name it.
func (w *walker) codeText(code string, filter, whole bool) {
	joined := joinedLiterals(unescaped(code))
	switch {
	case filter && !runsCommands(joined):
		return
	case strings.Contains(code, anything) && whole:
		w.add(unresolved("the code"))
	}
	if strings.Trim(code, outside+"\n") == "" && code != "" && strings.Contains(code, outside) {
		w.add(unresolved("the code"))
		return
	}
	w.codeDoes(unescaped(code))
	if namesProtected(joined) || namesGuarded(joined) && !onlySays(joined) {
		w.add(deny(RuleInline, "code in a word names Git, a provider, the delivery or the client", "call the program itself, so that its words can be read"))
		return
	}
	if hides(joined) {
		w.add(ask(RuleInline, "code in a word decodes text and runs it", "write out what it runs"))
	}
}

func runsCommands(code string) bool {
	for _, k := range []string{"system(", "system ", "exec", "qx", "`", "| getline", "|getline", "popen", "unlink", "rmtree", "| \"", "|\"", "open(", "open "} {
		if strings.Contains(code, k) {
			return true
		}
	}
	return strings.Contains(code, ">") && namesProtected(code)
}

// hides reports whether code decodes text and hands it to something that runs it.
func hides(code string) bool {
	decodes, runs := false, false
	for _, k := range []string{"b64decode", "fromhex", "unhexlify", "atob(", "'base64'", "\"base64\"", "decode_base64", "chr(", "fromCharCode", "pack(", "rot13", "bytes([", "bytearray(", "[::-1]", "codecs"} {
		decodes = decodes || strings.Contains(code, k)
	}
	for _, k := range []string{"system", "exec", "eval", "subprocess", "spawn", "popen", "Popen"} {
		runs = runs || strings.Contains(code, k)
	}
	return decodes && runs
}

// joinedLiterals takes away the seams of texts that are put together.
func joinedLiterals(code string) string {
	var b strings.Builder
	for i := 0; i < len(code); i++ {
		if c := code[i]; c == '\'' || c == '"' {
			j := i + 1
			for j < len(code) && (code[j] == ' ' || code[j] == '+' || code[j] == '.') {
				j++
			}
			if j < len(code) && code[j] == c && j > i {
				if j == i+1 || strings.ContainsAny(code[i+1:j], "+.") || strings.TrimSpace(code[i+1:j]) == "" && b.Len() > 0 && isWordByte(code[i-1]) && j+1 < len(code) && isWordByte(code[j+1]) {
					i = j
					continue
				}
			}
		}
		b.WriteByte(code[i])
	}
	return b.String()
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// namesGuarded reports whether a word of the text is the name of a guarded program.
func namesGuarded(text string) bool {
	lower := strings.ToLower(text)
	for _, k := range []string{"api.github.com", "dev.azure.com", "visualstudio.com", "asterweave", "gitlab.com/api", "git-push", "gitpython", "pygit2", "simple-git", "@octokit", "dulwich", "isomorphic-git", "nodegit", "rugged", "go-git"} {
		if strings.Contains(lower, k) {
			return true
		}
	}
	for i := 0; i < len(text); {
		if !isWordByte(text[i]) {
			i++
			continue
		}
		j := i
		for j < len(text) && (isWordByte(text[j]) || text[j] == '-') {
			j++
		}
		switch text[i:j] {
		case "git", "gh", "az", "glab", "claude", "codex":
			// A file name such as x.git or git.go names no program; neither does a key.
			return true
		}
		i = j
	}
	return false
}

// namesProtected reports whether the text names a folder that nobody writes.
func namesProtected(text string) bool {
	lower := strings.ToLower(text)
	for _, k := range []string{".claude/", ".claude'", ".claude\"", ".git/", ".git'", ".git\"", ".gitconfig"} {
		if strings.Contains(lower, k) {
			return true
		}
	}
	return false
}
