package azuredevops

import (
	"html"
	"strings"
)

// plain returns the text of a field that the service keeps as HTML: a line for each
// block, entities resolved, tags gone. It is for reading and for finding words; it makes
// nothing safe.
func plain(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "<")
		b.WriteString(before)
		if !found {
			break
		}
		tag, after, closed := strings.Cut(rest, ">")
		if name := tagName(tag); !closed || name == "" {
			b.WriteByte('<') // a bare "less than"
			s = rest
			continue
		} else if name == "li" && !strings.HasPrefix(tag, "/") {
			b.WriteString("\n- ")
		} else if name == "blockquote" && !strings.HasPrefix(tag, "/") {
			b.WriteString("\n> ") // who quotes a word does not say it
		} else if isBlock(name) {
			b.WriteByte('\n')
		}
		s = after
	}
	var lines []string
	for line := range strings.SplitSeq(html.UnescapeString(b.String()), "\n") {
		line = strings.TrimSpace(strings.ReplaceAll(line, "\u00a0", " "))
		if line != "" && line != "-" && line != ">" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func tagName(tag string) string {
	tag = strings.TrimPrefix(tag, "/")
	end := strings.IndexFunc(tag, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	if end < 0 {
		end = len(tag)
	}
	if end == 0 && strings.HasPrefix(tag, "!") {
		return "!" // a comment
	}
	return strings.ToLower(tag[:end])
}

func isBlock(name string) bool {
	switch name {
	case "br", "p", "div", "ul", "ol", "li", "tr", "table", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6":
		return true
	}
	return false
}
