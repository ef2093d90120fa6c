package report

import (
	"strings"
	"unicode/utf8"

	"github.com/asterweave/asterweave/internal/document"
)

// joiner is the character reference of WORD JOINER. It is not seen, and keeps
// "@name", "#12" and "https://" from becoming mentions, references that close an
// issue, and links.
const joiner = "&#8288;"

// prose returns a text as one line of Markdown that is nothing but text: no
// heading, list, table cell, emphasis, link, mention, formula, tag or comment can
// begin or end in it. Characters that a table or a marker is searched for in the
// raw text become character references, which can never be structure.
func prose(s string) string {
	s = document.OneLine(s)
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case strings.IndexByte("&<>|`\\$", c) >= 0:
			b.WriteString(reference(c))
		case strings.IndexByte("*[]~", c) >= 0, c == '_' && !inWord(s, i), i == 0 && strings.IndexByte("#+-=", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		case (c == '.' || c == ')') && i > 0 && strings.Trim(s[:i], "0123456789") == "":
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '.' && i >= 3 && strings.EqualFold(s[i-3:i], "www"): // "www." with its dot begins a link, whatever follows
			b.WriteString(joiner)
			b.WriteByte(c)
		case strings.IndexByte("@#!", c) >= 0 && i+1 < len(s) && isWord(s[i+1]), c == ':' && strings.HasPrefix(s[i:], "://"),
			c == '-' && i >= 2 && strings.EqualFold(s[i-2:i], "gh"):
			b.WriteByte(c)
			b.WriteString(joiner)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func reference(c byte) string {
	switch c {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '|':
		return "&#124;"
	case '`':
		return "&#96;"
	case '$':
		return "&#36;"
	}
	return "&#92;"
}

func inWord(s string, i int) bool { return i > 0 && i+1 < len(s) && isWord(s[i-1]) && isWord(s[i+1]) }

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// code returns a text as code. What a code span cannot hold in every place (in a
// table cell, between markers) goes into the element of that name.
func code(s string) string {
	s = document.OneLine(s)
	if s == "" {
		return ""
	}
	if strings.ContainsAny(s, "&<>|`\\$") {
		return "<code>" + prose(s) + "</code>"
	}
	return "`" + s + "`"
}

func codes(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = code(s)
	}
	return strings.Join(out, ", ")
}

// quote returns a text of several lines as a block quote.
func quote(s string) string {
	var b strings.Builder
	for _, l := range document.Lines(s) {
		b.WriteString(strings.TrimRight("> "+prose(l), " ") + "\n")
	}
	return b.String()
}

// fenced returns lines as a block of code. Its fence is longer than any run of
// backticks in the text, so that no line of the text can end it.
func fenced(s string) string {
	run, longest := 0, 0
	for i := range len(s) {
		run++
		if s[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", max(3, longest+1))
	return fence + "text\n" + s + "\n" + fence + "\n"
}
