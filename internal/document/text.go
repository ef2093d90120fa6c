package document

import (
	"strconv"
	"strings"
	"unicode"
)

// OneLine returns s as data for one line: white space of any kind becomes a
// single blank, and control and format characters, which could colour, hide or
// reorder what a human is about to approve, are dropped.
func OneLine(s string) string {
	return strings.Join(strings.Fields(visible(s)), " ")
}

// Lines returns the lines of s, each cleaned like [OneLine] but with its
// indentation kept; leading and trailing empty lines are dropped.
func Lines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		line = strings.TrimRightFunc(visible(strings.TrimRight(line, "\r\n")), unicode.IsSpace)
		if line == "" && len(out) == 0 {
			continue
		}
		out = append(out, line)
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.IsControl(r), unicode.In(r, unicode.Cf):
			return -1
		}
		return r
	}, s)
}

// prose returns s as one line of Markdown in which no HTML can begin: a comment
// or a tag would hide what follows from a human who reads it rendered.
func prose(s string) string {
	s = OneLine(s)
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '<' && i+1 < len(s) && (isLetter(s[i+1]) || strings.IndexByte("/!?", s[i+1]) >= 0) {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// code returns s as a Markdown code span, whatever backticks it holds.
func code(s string) string {
	s = OneLine(s)
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 || s == "" {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// commandLine returns argv as a shell would take it, so that two different
// commands never look the same.
func commandLine(argv []string) string {
	out := make([]string, 0, len(argv))
	for _, a := range argv {
		out = append(out, shellWord(a))
	}
	return strings.Join(out, " ")
}

func shellWord(s string) string {
	plain := s != ""
	for i := range len(s) {
		if !isAlnum(s[i]) && strings.IndexByte("_-./:=@%+,", s[i]) < 0 {
			plain = false
			break
		}
	}
	switch {
	case plain:
		return s
	case visible(s) != s || strings.Contains(s, "  "):
		inner := strconv.QuoteToASCII(s)
		inner = strings.NewReplacer(`\"`, `"`, `'`, `\'`, "  ", ` \x20`).Replace(inner[1 : len(inner)-1])
		return "$'" + inner + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func isLetter(c byte) bool { return isUpper(c) || c >= 'a' && c <= 'z' }
func isAlnum(c byte) bool  { return isLetter(c) || isDigit(c) }
