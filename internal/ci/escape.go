package ci

import (
	"strings"
	"unicode"
)

// maxText bounds what of a text is shown in an annotation, in bytes.
const maxText = 2000

// unseen reports whether a character takes no room. Those are taken out and never used to
// break a command: a runner that compares by the rules of a language does not see them
// either.
func unseen(r rune) bool {
	return r == unicode.ReplacementChar || unicode.In(
		r, unicode.Cc, unicode.Cf, unicode.Cs, unicode.Co,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point,
	)
}

// plain takes out of a text what is not printed as it stands: control characters, those
// that turn the direction of what follows, and those that nobody sees. Line ends become
// spaces.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\t', r == '\v', r == '\f', r == '\u2028', r == '\u2029', r == '\u0085':
			return ' '
		case unseen(r):
			return -1
		}
		return r
	}, s)
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "") + "…"
	}
	return s
}

// Text makes a text safe to be printed in the log of a run, as one line. A line is a
// command for GitHub if it begins with two colons or has ##[ anywhere, and for Azure
// Pipelines if it has ##vso[ anywhere. A space breaks them all.
func Text(s string) string { return broken(plain(s)) }

// broken parts every pair of the characters that commands begin with. A run of them is
// parted everywhere: ### becomes # # #.
func broken(s string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range s {
		if r == last && (r == '#' || r == ':') {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// JSON makes a JSON document safe to be printed in the log of a run: within its strings,
// the characters that commands begin with are spelled as escapes. It is the same document.
func JSON(document []byte) []byte {
	const hash = `\u0023`
	return []byte(strings.ReplaceAll(string(document), "#", hash)) // it stands nowhere but in strings
}

// message escapes the message of a GitHub command.
func message(s string) string { return strings.ReplaceAll(Text(s), "%", "%25") }

// property escapes a property of a GitHub command.
func property(s string) string {
	return strings.NewReplacer("%", "%25", ":", "%3A", ",", "%2C").Replace(Text(s))
}

// vso escapes a text of an Azure Pipelines command.
func vso(s string) string {
	return strings.NewReplacer("%", "%AZP25", ";", "%3B", "]", "%5D").Replace(Text(s))
}

// cell escapes a text for a cell of a Markdown table: no structure, no HTML, no mention,
// no link and no formula.
func cell(s string) string {
	const joiner = "\u2060" // word joiner
	return strings.NewReplacer(
		"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", `\|`, `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "!", `\!`,
		"#", `\#`, "~", `\~`, "$", `\$`, "^", `\^`, "@", "@"+joiner, "://", ":"+joiner+"//", "www.", "www"+joiner+".",
	).Replace(plain(s))
}
