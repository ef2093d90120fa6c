package report

import (
	"regexp"
	"strings"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/document"
)

// Bounds of what is shown of the artifacts.
const (
	headLines   = 40
	tailLines   = 60
	lineWidth   = 400     // columns
	outputBytes = 4 << 20 // in a report, over all records
)

// Output is the beginning and the end of what a record's command printed, as a
// terminal would have kept it: without colours and cursor movements, and without
// characters that hide or reorder others.
type Output struct {
	Head    string `json:"head"`
	Tail    string `json:"tail,omitempty"`
	Cut     int    `json:"cut,omitempty"`     // lines between them
	Missing string `json:"missing,omitempty"` // why there is nothing
}

// Lines is how many lines there were.
func (o Output) Lines() int {
	n := o.Cut
	for _, s := range []string{o.Head, o.Tail} {
		if s != "" {
			n += strings.Count(s, "\n") + 1
		}
	}
	return n
}

// outputs adds what each record's command printed, the newest records first, until
// the bound is reached: an old output can be looked up by its digest.
func (m *Model) outputs(artifact func(string) ([]byte, error)) {
	left := outputBytes
	for i := len(m.Evidence) - 1; i >= 0; i-- {
		e := &m.Evidence[i]
		if !canon.IsHash(e.Path) {
			continue
		}
		if left <= 0 {
			e.Output = &Output{Missing: "the report is long enough; it is in the artifacts by its digest"}
			continue
		}
		o := readOutput(artifact, e.Path)
		left -= len(o.Head) + len(o.Tail)
		e.Output = &o
	}
}

// sequences are what moves a terminal's cursor, colours its text or sets its title.
const sequences = "\x1b\\[[0-9;:?<=>]*[ -/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[ -/]*[0-~]"

func readOutput(artifact func(string) ([]byte, error), digest string) Output {
	b, err := artifact(digest)
	if err != nil {
		return Output{Missing: document.OneLine(err.Error())}
	}
	plain := regexp.MustCompile(sequences).ReplaceAll(b, nil)
	lines := document.Lines(strings.ToValidUTF8(string(plain), "\uFFFD"))
	for i, l := range lines {
		if i < headLines || i >= len(lines)-tailLines {
			lines[i] = clip(l, lineWidth)
		}
	}
	if len(lines) <= headLines+tailLines {
		return Output{Head: strings.Join(lines, "\n")}
	}
	return Output{
		Head: strings.Join(lines[:headLines], "\n"), Tail: strings.Join(lines[len(lines)-tailLines:], "\n"), Cut: len(lines) - headLines - tailLines,
	}
}
