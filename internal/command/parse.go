package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Parse splits a command line. One simple command that a shell would run as it
// stands becomes argv: no expansion, glob, brace, redirection, assignment, pipe,
// background, negation or shell built-in. Everything else comes back as shell, the
// same text, for bash. Text that bash could not read is an error.
func Parse(line string) (argv []string, shell string, err error) {
	line = strings.TrimSpace(line)
	switch {
	case line == "":
		return nil, "", errors.New("the command is empty")
	case strings.ContainsRune(line, 0):
		return nil, "", errors.New("the command holds a zero byte")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return nil, "", fmt.Errorf("the command is not valid shell: %w", err)
	}
	if len(file.Stmts) == 0 {
		return nil, "", errors.New("the command is empty")
	}
	// Where a line goes on in the next one, bash and the parser differ: at the end of a
	// comment, in the middle of an expansion. A backslash at the very end stays one in bash
	// and vanishes in the parser.
	joined := strings.HasSuffix(line, `\`) || strings.Contains(line, "\\\n")
	if argv, ok := simple(file.Stmts); ok && !joined {
		return argv, "", nil
	}
	return nil, line, nil
}

// simple returns the words of the only statement, or false.
func simple(stmts []*syntax.Stmt) ([]string, bool) {
	if len(stmts) != 1 {
		return nil, false
	}
	s := stmts[0]
	if s.Negated || s.Background || s.Coprocess || s.Disown || len(s.Redirs) > 0 {
		return nil, false
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return nil, false
	}
	var argv []string
	for _, w := range call.Args {
		text, ok := literal(w)
		if !ok {
			return nil, false
		}
		argv = append(argv, text)
	}
	if argv[0] == "" || slices.Contains(builtins(), argv[0]) {
		return nil, false
	}
	return argv, true
}

// literal returns the text of a word that a shell would not change, or false.
func literal(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for i, part := range w.Parts {
		var text string
		var ok bool
		switch p := part.(type) {
		case *syntax.Lit:
			text, ok = unquoted(p.Value, i == 0)
		case *syntax.SglQuoted:
			text, ok = p.Value, !p.Dollar
		case *syntax.DblQuoted:
			text, ok = doubleQuoted(p)
		}
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

// unquoted removes the backslashes of bare text, and refuses globs, braces that
// might expand, and tildes where a shell expands them.
func unquoted(s string, first bool) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i < len(s) {
				b.WriteByte(s[i])
			}
		case '*', '?', '[', '$', '`':
			if c == '$' && (i == len(s)-1 || !expands(s[i+1])) {
				b.WriteByte(c)
				continue
			}
			return "", false
		case '{':
			if rest := s[i:]; rest != "{}" && !strings.HasPrefix(rest, "{}") {
				return "", false
			}
			b.WriteByte(c)
		case '~':
			if (first && i == 0) || (i > 0 && (s[i-1] == '=' || s[i-1] == ':')) {
				return "", false
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// expands reports whether a dollar in front of c could start an expansion.
func expands(c byte) bool {
	return c == '{' || c == '(' || c == '[' || c == '_' || c == '\'' || c == '"' ||
		strings.IndexByte("@*#?-$!", c) >= 0 ||
		(c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
}

// doubleQuoted removes the few backslashes that count between double quotes.
func doubleQuoted(q *syntax.DblQuoted) (string, bool) {
	if q.Dollar {
		return "", false
	}
	var b strings.Builder
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return "", false
		}
		s := lit.Value
		for i := 0; i < len(s); i++ {
			if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\", s[i+1]) >= 0 {
				i++
			}
			b.WriteByte(s[i])
		}
	}
	return b.String(), true
}

// builtins are the commands that only a shell can run, or that mean something else
// to it than the program of the same name.
func builtins() []string {
	return []string{
		".", ":", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete",
		"compopt", "continue", "declare", "dirs", "disown", "enable", "eval", "exec", "exit", "export", "fc", "fg",
		"getopts", "hash", "help", "history", "jobs", "let", "local", "logout", "mapfile", "popd", "pushd", "read",
		"readarray", "readonly", "return", "set", "shift", "shopt", "source", "suspend", "times", "trap", "type",
		"typeset", "ulimit", "umask", "unalias", "unset", "wait",
	}
}
