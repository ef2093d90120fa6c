package document

import (
	"fmt"
	"strings"
)

// Coverage returns what the task text asks for and the spec passes over: each
// identifier (capital letters, a hyphen, digits) and each Markdown checkbox has
// to occur in a criterion's id or refs, or under dropped with a reason. A
// checkbox occurs by its text, case-folded and with white space collapsed, or by
// the identifier that it begins with or that ends it in brackets.
func Coverage(spec Spec, taskText string) []Problem {
	covered := coveredBy(spec)
	const unnamed = "is in no criterion's id or refs, and not listed under task.dropped with a reason"
	var c checker
	missing := map[string]bool{}
	for _, id := range identifiers(taskText) {
		if !covered[id] && !missing[id] {
			missing[id] = true
			c.add("criteria", "%s of the task %s", id, unnamed)
		}
	}
	for line := range strings.Lines(taskText) {
		text, ok := checkbox(line)
		if !ok || covered[folded(text)] {
			continue
		}
		if id := ownIdentifier(text); id != "" && (covered[id] || missing[id]) {
			continue
		}
		if missing[folded(text)] {
			continue
		}
		missing[folded(text)] = true
		c.add("criteria", "the checkbox %q of the task %s", clip(OneLine(text), 200), unnamed)
	}
	return c.problems
}

// coveredBy returns the identifiers and folded texts that the spec names.
func coveredBy(spec Spec) map[string]bool {
	out := map[string]bool{}
	name := func(ref string) {
		out[folded(ref)] = true
		for _, id := range identifiers(ref) {
			out[id] = true
		}
		if number := issueNumber(ref); number != "" {
			out[number] = true
		}
	}
	for _, k := range spec.Criteria {
		name(k.ID)
		for _, r := range k.Refs {
			name(r)
		}
	}
	for _, d := range spec.Task.Dropped {
		if strings.TrimSpace(OneLine(d.Because)) != "" {
			name(d.Ref)
		}
	}
	return out
}

// identifiers returns the words of capital letters, a hyphen and digits that do
// not continue another word, in order.
func identifiers(s string) []string {
	var out []string
	for i := 0; i < len(s); i++ {
		if !isUpper(s[i]) || i > 0 && (isAlnum(s[i-1]) || s[i-1] == '_') {
			continue
		}
		start := i
		for i < len(s) && isUpper(s[i]) {
			i++
		}
		end := i + 1
		for end < len(s) && isDigit(s[end]) {
			end++
		}
		if i < len(s) && s[i] == '-' && end > i+1 {
			out = append(out, s[start:end])
			i = end - 1
		}
	}
	return out
}

// checkbox returns the text of a Markdown task list item.
func checkbox(line string) (string, bool) {
	line = strings.TrimLeft(line, " \t>")
	marker := strings.TrimLeft(line, "0123456789")
	switch {
	case marker == "":
		return "", false
	case marker != line && marker[0] != '.' && marker[0] != ')':
		return "", false
	case marker == line && strings.IndexByte("-*+", marker[0]) < 0:
		return "", false
	}
	rest := strings.TrimLeft(marker[1:], " \t")
	if len(rest) == len(marker)-1 || len(rest) < 3 || rest[0] != '[' || rest[2] != ']' || strings.IndexByte(" xX", rest[1]) < 0 {
		return "", false
	}
	text := strings.TrimSpace(rest[3:])
	return text, folded(text) != ""
}

// ownIdentifier returns the identifier that names a checkbox: the one that it
// begins with, or the one that stands in brackets at its end. One in its middle
// is something that it speaks of.
func ownIdentifier(text string) string {
	const marks = "*_`[(~ "
	text = strings.TrimSpace(text)
	head := strings.TrimLeft(text, marks)
	if number := issueNumber(head); number != "" {
		return number
	}
	ids := identifiers(text)
	if len(ids) == 0 {
		return ""
	}
	if strings.HasPrefix(head, ids[0]) {
		return ids[0]
	}
	last := ids[len(ids)-1]
	tail := strings.TrimRight(text, "*_`. ")
	if strings.HasSuffix(tail, "("+last+")") || strings.HasSuffix(tail, "["+last+"]") {
		return last
	}
	return ""
}

// issueNumber returns the #123 that s begins with.
func issueNumber(s string) string {
	if !strings.HasPrefix(s, "#") {
		return ""
	}
	end := 1
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	if end == 1 || end < len(s) && (isAlnum(s[end]) || s[end] == '_') {
		return ""
	}
	return s[:end]
}

func folded(s string) string { return strings.ToLower(OneLine(s)) }

// clip shortens a text for a message.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && s[limit]&0xc0 == 0x80 {
		limit--
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:limit], len(s))
}
