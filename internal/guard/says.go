package guard

import (
	"slices"
	"strings"
)

// onlySays reports whether code can do no more than read, work out and print: each word
// outside of its texts is one of a few that are harmless, so it may name what it likes.
// What it prints is not known, and so nothing that it says is run unasked.
func onlySays(code string) bool {
	if strings.ContainsAny(code, "\\`#$@"+marks) || strings.Contains(code, `'''`) || strings.Contains(code, `"""`) || strings.Contains(strings.ToLower(code), "asterweave") {
		return false
	}
	for i := 0; i < len(code); {
		c := code[i]
		switch {
		case c == '\'' || c == '"':
			j := strings.IndexByte(code[i+1:], c)
			if j < 0 || strings.Contains(code[i+1:i+1+j], "[") {
				return false // Tcl runs what stands between brackets
			}
			i += j + 2
		case isWordByte(c):
			j := i
			for j < len(code) && isWordByte(code[j]) {
				j++
			}
			word := code[i:j]
			if len(word) > 1 && strings.Trim(word, "0123456789") != "" && !slices.Contains(harmlessWords(), word) || j < len(code) && len(word) <= 2 && (code[j] == '\'' || code[j] == '"') {
				return false
			}
			if rest := strings.TrimLeft(code[j:], " \n"); word == "import" && (rest == "" || !isWordByte(rest[0])) {
				return false // code or a file by its address
			}
			i = j
		case strings.IndexByte(" \n.,:;()[]{}+-*/%=!", c) >= 0:
			i++
		default:
			return false
		}
	}
	return true
}

// harmlessWords are words of Python, JavaScript and Ruby that write nothing and run nothing.
func harmlessWords() []string {
	return []string{
		"print", "puts", "console", "log", "import", "re", "json", "for", "in", "if", "else", "not", "and", "or", "is", "None", "True", "False", "true", "false", "null", "const", "let", "var",
		"len", "sorted", "sum", "min", "max", "range", "enumerate", "zip", "list", "dict", "set", "str", "int", "any", "all", "repr",
		"upper", "lower", "strip", "split", "splitlines", "join", "startswith", "endswith", "count", "find", "index", "format", "items", "keys", "values", "get", "dumps",
		"findall", "search", "match", "sub", "group", "groups", "toUpperCase", "toLowerCase", "trim", "includes", "startsWith", "endsWith", "length", "indexOf",
		"line", "text", "word", "words", "lines", "name", "value",
	}
}
