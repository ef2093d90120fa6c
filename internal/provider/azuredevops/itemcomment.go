package azuredevops

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/asterweave/asterweave/internal/provider"
)

// saidOn turns the comments on a work item into those that the engine looks for its own in.
func saidOn(all []itemComment, own, page string) []provider.Comment {
	var out []provider.Comment
	for _, c := range all {
		if c.IsDeleted {
			continue
		}
		one := provider.Comment{
			ID: strconv.Itoa(c.ID), Kind: provider.Conversation, Author: c.CreatedBy.name(), Bot: c.CreatedBy.isService(), Own: c.isBy(own),
			URL: fmt.Sprintf("%s#%d", page, c.ID), Text: c.Text, At: c.CreatedDate.String(),
		}
		if text, simple := unwrap(c.Text); simple && text != c.Text && !strings.EqualFold(c.Format, "markdown") {
			one.Text, one.Kept = text, c.Text
		}
		out = append(out, one)
	}
	return out
}

// isBy reports whether the comment was written by an identity, and not on behalf of another.
func (c itemComment) isBy(id string) bool {
	return id != "" && strings.EqualFold(c.CreatedBy.ID, id) && (c.CreatedOnBehalfOf == nil || strings.EqualFold(c.CreatedOnBehalfOf.ID, id))
}

// unwrap returns the text within the little HTML that the service and its editor put
// around one: a line for each div and br, an empty line after each p, entities resolved. It
// is not simple where another tag is there, or any attribute: that is HTML which somebody
// wrote, and only the same HTML says the same.
func unwrap(s string) (text string, simple bool) {
	var b strings.Builder
	begun := false // something is on the line
	for {
		before, rest, found := strings.Cut(s, "<")
		b.WriteString(html.UnescapeString(strings.ReplaceAll(before, "&nbsp;", " ")))
		if before != "" {
			begun = !strings.HasSuffix(before, "\n")
		}
		if !found {
			return b.String(), true
		}
		tag, after, closed := strings.Cut(rest, ">")
		switch tag = strings.ToLower(strings.ReplaceAll(tag, " ", "")); {
		case !closed:
			return "", false
		case tag == "br", tag == "br/", begun && (tag == "div" || tag == "/div" || tag == "p"):
			b.WriteByte('\n')
		case tag == "/p":
			b.WriteString("\n\n")
		case tag != "div" && tag != "/div" && tag != "p":
			return "", false
		}
		begun, s = false, after
	}
}
