package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/document"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
)

// pageData is what the template sees.
type pageData struct {
	Model
	Style    template.CSS
	Title    string // first line of the goal
	Outcome  string
	Drawing  drawing
	Timeline []visit
	Matrix   []string // gates that name a criterion
}

// page writes the report as one HTML file that loads nothing and runs nothing.
// Escaping is html/template's; what is left to do here is to take out characters
// that hide or reorder text.
func page(w io.Writer, m Model) error {
	m, err := shown(m)
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(m.Delivery.Goal, "\n")
	d := pageData{
		Model: m, Style: template.CSS(pageStyle), Title: clip(first, titleWidth), Outcome: outcome(m.Delivery),
		Drawing: draw(m), Timeline: timeline(m), Matrix: criteriaGates(m),
	}
	t, err := template.New("page").Funcs(template.FuncMap{
		"stamp": stamp, "took": took, "short": short, "counts": counts, "kindGate": kindGate, "command": commandLine, "who": who,
		"cell": cellOf, "place": place, "join": func(l []string) string { return strings.Join(l, ", ") }, "isLink": isLink, "comment": commentText,
		"ms": func(ms int64) string { return lasted(time.Duration(ms) * time.Millisecond) }, "tone": tone,
	}).Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, d)
}

// tone is the class of a state's badge.
func tone(s string) string {
	switch s {
	case "pass", "passed", "current", "info", "yes", "done", "holds":
		return "good"
	case "fail", "failed", "failing", "no", "aborted":
		return "bad"
	case "stale", "unknown", "none", "missing", "paused", "open":
		return "warn"
	case "running", "active", "under way":
		return "now"
	}
	return "mute"
}

// shown returns a copy of the model without characters that are not seen, or that
// reorder those that are.
func shown(m Model) (Model, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return m, err
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return m, err
	}
	if b, err = json.Marshal(visible(v)); err != nil {
		return m, err
	}
	var out Model
	return out, json.Unmarshal(b, &out)
}

func visible(v any) any {
	switch v := v.(type) {
	case string:
		return strings.Join(document.Lines(v), "\n")
	case []any:
		for i := range v {
			v[i] = visible(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = visible(v[k])
		}
	}
	return v
}

// isLink reports whether a text is an address that a browser may follow.
func isLink(s string) bool {
	return regexp.MustCompile(`^https://[A-Za-z0-9][A-Za-z0-9._~:/?#@!,;=%+-]*$`).MatchString(s)
}

// titleWidth bounds the heading.
const titleWidth = 160

// link returns an address as one that a reader of Markdown can follow, or as code.
func link(url string) string {
	if isLink(url) {
		return fmt.Sprintf("<%s>", url)
	}
	return code(url)
}
