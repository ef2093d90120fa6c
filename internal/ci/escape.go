package ci

import (
	"strings"
	"unicode"
)

// maxText bounds what of a text is shown in an annotation, in bytes.
const maxText = 2000

// plain takes out of a text what is not printed as it stands: control characters, and
// those that turn the direction of what follows. Line ends become spaces.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\t', r == '\u2028', r == '\u2029', r == '\u0085':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, s)
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "") + "…"
	}
	return s
}

// Text makes a text safe to be printed in the log of a run, where a line that begins
// like a workflow command is one. Azure Pipelines looks for its commands anywhere in a
// line. A character that is not seen breaks both.
func Text(s string) string {
	const joiner = "\u2060" // word joiner
	s = plain(s)
	s = strings.ReplaceAll(s, "##vso[", "##"+joiner+"vso[")
	s = strings.ReplaceAll(s, "##[", "##"+joiner+"[")
	return strings.ReplaceAll(s, "::", ":"+joiner+":")
}

// message escapes the message of a GitHub command.
func message(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(plain(s))
}

// property escapes a property of a GitHub command.
func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(plain(s))
}

// vso escapes a text of an Azure Pipelines command.
func vso(s string) string {
	return strings.NewReplacer("%", "%AZP25", ";", "%3B", "\r", "%0D", "\n", "%0A", "]", "%5D").Replace(plain(s))
}

// cell escapes a text for a cell of a Markdown table: no structure, no HTML, no mention.
func cell(s string) string {
	return strings.NewReplacer(
		"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", `\|`, `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "!", `\!`, "#", `\#`,
		"~", `\~`, "@", "@\u2060", "://", ":\u2060//", "www.", "www\u2060.",
	).Replace(plain(s))
}
