package guard

import (
	"encoding/base64"
	"fmt"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// substituted judges the commands of $(…) and returns what they print.
func (w *walker) substituted(c *syntax.CmdSubst, e *env) string {
	w.judge(c.Stmts, e)
	if w.steps++; w.steps > maxSteps {
		return anything
	}
	return strings.TrimRight(w.muted(func() string { return w.outputs(c.Stmts, e.fork()) }), "\n")
}

// outputs returns what statements print, as far as it can be told from the text.
func (w *walker) outputs(list []*syntax.Stmt, e *env) string {
	var b strings.Builder
	for _, s := range list {
		if b.Len() > maxValue {
			return anything
		}
		b.WriteString(w.outputStmt(s, e))
	}
	return b.String()
}

func (w *walker) outputStmt(s *syntax.Stmt, e *env) string {
	if w.steps++; w.steps > maxSteps || s == nil {
		return anything
	}
	in, targets := w.redirections(s.Redirs, e)
	had := e.in
	if in.there {
		e.in = in
	}
	out := w.output(s.Cmd, e)
	if s.Cmd == nil && in.there { // $(<file)
		out = in.text
	}
	e.in = had
	if len(targets) > 0 && !onlyErrors(s.Redirs) {
		return ""
	}
	return out
}

func onlyErrors(list []*syntax.Redirect) bool {
	for _, r := range list {
		if r.N == nil || r.N.Value != "2" {
			return false
		}
	}
	return true
}

func (w *walker) output(c syntax.Command, e *env) string {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return w.printed(c, e)
	case *syntax.Block:
		return w.outputs(c.Stmts, e)
	case *syntax.Subshell:
		return w.outputs(c.Stmts, e.fork())
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.AndStmt:
			return w.outputStmt(c.X, e) + w.outputStmt(c.Y, e)
		case syntax.OrStmt:
			x := w.outputStmt(c.X, e.fork())
			if y := w.outputStmt(c.Y, e.fork()); y == "" || strings.ContainsAny(x, marks) && !strings.Contains(y, anything) && !namesGuarded(y) {
				return x
			}
			return anything
		}
		b := e.fork()
		b.in = input{there: true, text: w.outputStmt(c.X, e.fork())}
		return w.outputStmt(c.Y, b)
	case *syntax.TimeClause:
		return w.outputStmt(c.Stmt, e)
	case *syntax.DeclClause:
		w.declare(c, e)
		return ""
	case nil, *syntax.FuncDecl, *syntax.TestClause, *syntax.ArithmCmd:
		return ""
	}
	return anything
}

// printed returns what a simple command prints.
func (w *walker) printed(c *syntax.CallExpr, e *env) string {
	var argv []arg
	for _, word := range c.Args {
		argv = append(argv, w.expand(word, e)...)
	}
	if len(argv) == 0 {
		for _, a := range c.Assigns {
			w.assign(a, e, "")
		}
		return ""
	}
	words := texts(argv)
	if len(words) > 1 && (words[0] == "command" || words[0] == "builtin" || words[0] == "env") && !strings.HasPrefix(words[1], "-") && !strings.Contains(words[1], "=") {
		words = words[1:]
	}
	args := words[1:]
	if text, ok := w.listing(path.Base(words[0]), args, e); ok {
		return text
	}
	switch path.Base(words[0]) {
	case "echo":
		return echo(args)
	case "printf":
		return printf(args)
	case "true", ":", "false", "test", "[", "set", "unset", "export", "sleep":
		return ""
	case "cd":
		w.cd(argv[1:], e)
		return ""
	case "pwd":
		v, _ := w.lookup("PWD", e)
		return v.list[0] + "\n"
	case "cat":
		return w.cat(args, e)
	case "tee", "sort", "uniq", "head", "tail":
		if len(args) == 0 || path.Base(words[0]) == "tee" {
			return e.in.text
		}
	case "tr":
		if !strings.ContainsAny(e.in.text, marks) {
			return tr(args, e.in.text)
		}
	case "rev":
		return each([]string{e.in.text}, reversed)[0]
	case "base64":
		if len(args) == 1 && (args[0] == "-d" || args[0] == "--decode" || args[0] == "-D") && !strings.ContainsAny(e.in.text, marks) {
			if b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(e.in.text), "")); err == nil && !strings.ContainsAny(string(b), marks+"\x00") {
				return string(b)
			}
		}
	case "basename", "dirname":
		if len(args) == 1 && !strings.ContainsAny(args[0], marks) {
			if words[0] == "basename" {
				return path.Base(args[0]) + "\n"
			}
			return path.Dir(args[0]) + "\n"
		}
		return single
	case "awk", "cut", "sed", "grep", "egrep":
		// What takes columns out of a list leaves a list; what picks lines leaves some, but
		// for those of all new files.
		if strings.Contains(e.in.text, listed) && (!strings.HasSuffix(words[0], "grep") || strings.Contains(strings.Join(args, " "), "??")) {
			return listed + "\n"
		}
	case "which", "type", "realpath", "readlink":
		if len(args) > 0 {
			return args[len(args)-1] + "\n"
		}
	case "command":
		if len(args) == 2 && args[0] == "-v" {
			return args[1] + "\n"
		}
	case "git":
		return w.gitPrints(args, e)
	case "gh":
		return ghPrints(args)
	case "date", "nproc", "wc", "id", "uname", "whoami", "hostname", "arch", "seq", "expr", "uuidgen", "getconf", "sha256sum", "md5sum", "stat", "tput":
		return single
	case "mktemp":
		if _, set := e.vars["TMPDIR"]; set || len(c.Assigns) > 0 {
			return single
		}
		if folder, ok := madeIn(args); ok {
			return fmt.Sprintf("%s/made.%d\n", folder, w.steps) // new, and so another one each time
		}
		return single
	case "ssh-agent", "direnv", "pyenv", "rbenv", "nodenv", "fnm", "brew", "conda", "mise", "asdf", "opam", "starship", "dircolors", "keychain", "minikube", "zoxide":
		return "" // what they print is for eval, and sets up a shell
	case "go", "npm", "yarn", "pnpm":
		if len(args) > 0 && (args[0] == "env" || args[0] == "list" || args[0] == "bin" || args[0] == "root" || args[0] == "prefix") {
			return single
		}
	}
	return anything
}

// madeIn returns the folder for temporary files that mktemp makes a new name in; false
// where its words may say another one.
func madeIn(args []string) (string, bool) {
	folder := "/tmp"
	for _, a := range args {
		switch {
		case a == "-d" || a == "-q" || a == "--directory" || a == "--quiet":
		case strings.HasPrefix(a, "/tmp/") && strings.Contains(path.Base(a), "XXX") && !strings.ContainsAny(a, marks) && folder == "/tmp":
			folder = path.Dir(a)
		default:
			return "", false
		}
	}
	return folder, true
}

// ghPrints returns what a question prints that is about one number, commit or name of a
// branch: one word, and none that Git or the provider lets begin with a dash.
func ghPrints(args []string) string {
	for i, a := range args[min(2, len(args)):] {
		if a != "-q" && a != "--jq" || i+3 >= len(args) || !ghReads(args[0], args[1]) {
			continue
		}
		field := args[i+3]
		for _, of := range []string{".[0]", ".[]"} {
			field = strings.TrimPrefix(field, of)
		}
		switch field {
		case ".number", ".databaseId", ".headRefName", ".baseRefName", ".headRefOid", ".baseRefOid", ".headSha", ".id":
			return single
		}
	}
	return anything
}

// gitPrints returns what the questions print that commands are made of.
func (w *walker) gitPrints(args []string, e *env) string {
	for len(args) > 0 && (args[0] == "--no-pager" || args[0] == "-P" || args[0] == "-C") {
		if args[0] == "-C" && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return anything
	}
	if text, ok := w.gitLists(args[0], args[1:], e); ok {
		return text
	}
	has := func(names ...string) bool {
		for _, a := range args[1:] {
			for _, n := range names {
				if a == n {
					return true
				}
			}
		}
		return false
	}
	switch args[0] {
	case "config":
		if strings.EqualFold(args[len(args)-1], "core.hooksPath") {
			return w.s.CommonDir + "/hooks\n"
		}
	case "rev-parse":
		switch {
		case has("--show-toplevel"):
			return w.s.Root + "\n"
		case has("--git-dir", "--absolute-git-dir"):
			return w.s.GitDir + "\n"
		case has("--git-common-dir"):
			return w.s.CommonDir + "\n"
		case has("--git-path") && len(args) > 2:
			return w.s.CommonDir + "/" + args[len(args)-1] + "\n"
		case has("--abbrev-ref") && has("HEAD"):
			return branchOr(e.branch)
		case has("--abbrev-ref"):
			return outside
		}
		return single
	case "branch":
		if has("--show-current") {
			return branchOr(e.branch)
		}
	case "symbolic-ref":
		if has("--short") && has("HEAD") {
			return branchOr(e.branch)
		}
	case "merge-base", "rev-list", "describe", "hash-object", "write-tree", "count-objects":
		return single
	case "log", "show":
		for _, a := range args[1:] {
			if strings.HasPrefix(a, "--format=%") || strings.HasPrefix(a, "--pretty=%") {
				if f := a[strings.IndexByte(a, '%')+1:]; f == "H" || f == "h" || f == "T" || f == "ct" || f == "at" {
					return single
				}
			}
		}
	}
	return anything
}

func branchOr(name string) string {
	if name == "" {
		return anything
	}
	return name + "\n"
}

func (w *walker) cat(args []string, e *env) string {
	if len(args) == 0 {
		return e.in.text
	}
	var b strings.Builder
	for _, a := range args {
		switch {
		case a == "-" || a == "/dev/stdin":
			b.WriteString(e.in.text)
		case strings.HasPrefix(a, "-"):
			return anything
		default:
			p, full := e.at(a, w.s.Home)
			text, ok := w.files[p]
			if !full || !ok {
				return anything
			}
			b.WriteString(text)
		}
	}
	return b.String()
}
