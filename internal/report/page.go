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

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/document"
)

//go:embed page.html
var pageText string

// pageData is what the template sees.
type pageData struct {
	Model
	Title    string // first line of the goal
	Outcome  string
	Matrix   []string // gates that name a criterion
	Excerpts map[string]excerpt
}

// page writes the report as one HTML file that loads nothing and runs nothing.
// Escaping is html/template's; what is left to do here is to take out characters
// that hide or reorder text.
func page(w io.Writer, m Model, artifact func(string) ([]byte, error)) error {
	m, err := shown(m)
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(m.Delivery.Goal, "\n")
	d := pageData{Model: m, Title: clip(first, titleWidth), Outcome: outcome(m.Delivery), Matrix: criteriaGates(m), Excerpts: map[string]excerpt{}}
	for _, e := range m.Evidence {
		if canon.IsHash(e.Path) {
			d.Excerpts[e.ID] = read(artifact, e.Path)
		}
	}
	t, err := template.New("page").Funcs(template.FuncMap{
		"stamp": stamp, "took": took, "short": short, "counts": counts, "kindGate": kindGate, "command": commandLine, "who": who,
		"cell": cellOf, "place": place, "join": func(l []string) string { return strings.Join(l, ", ") }, "isLink": isLink, "comment": commentText,
		"lines": func(s string) []string { return strings.Split(s, "\n") },
		"ms":    func(ms int64) string { return lasted(time.Duration(ms) * time.Millisecond) },
	}).Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, d)
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

// Bounds of the title, and of what is shown of an artifact.
const (
	titleWidth = 160
	headLines  = 40
	tailLines  = 60
	lineWidth  = 400
)

// excerpt is the beginning and the end of an artifact.
type excerpt struct {
	Head, Tail string
	Cut        int    // lines between them
	Missing    string // why there is nothing
}

func read(artifact func(string) ([]byte, error), digest string) excerpt {
	b, err := artifact(digest)
	if err != nil {
		return excerpt{Missing: document.OneLine(err.Error())}
	}
	plain := regexp.MustCompile("\x1b\\[[0-9;:?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)").ReplaceAll(b, nil)
	lines := document.Lines(strings.ToValidUTF8(string(plain), "\uFFFD"))
	for i, l := range lines {
		lines[i] = clip(l, lineWidth)
	}
	if len(lines) <= headLines+tailLines {
		return excerpt{Head: strings.Join(lines, "\n")}
	}
	return excerpt{
		Head: strings.Join(lines[:headLines], "\n"), Tail: strings.Join(lines[len(lines)-tailLines:], "\n"), Cut: len(lines) - headLines - tailLines,
	}
}

// link returns an address as one that a reader of Markdown can follow, or as code.
func link(url string) string {
	if isLink(url) {
		return fmt.Sprintf("<%s>", url)
	}
	return code(url)
}
