// Package report renders a delivery: status, log, trace, inbox, and the report in
// its four formats. It reads what it is given and changes nothing.
//
// Goals, criteria, findings and output were written by somebody else. Each format
// shows them as data: in a terminal they cannot move the cursor or hide a line, in
// Markdown they cannot begin a heading, a link, a table cell or a comment, and in
// HTML they are text.
package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/problem"
)

// Input is what is rendered.
type Input struct {
	View     engine.View
	Events   func(fn func(ledger.Event) error) error // calls fn for each event, the oldest first
	Artifact func(digest string) ([]byte, error)     // what the ledger keeps under a digest
}

// Format is how a report is written.
type Format string

// The formats.
const (
	Markdown Format = "md"
	HTML     Format = "html"    // one file that loads nothing
	PRBody   Format = "pr-body" // Markdown between Start and End
	JSON     Format = "json"    // a Model
)

// Formats returns every format.
func Formats() []Format { return []Format{Markdown, HTML, PRBody, JSON} }

// Report writes the report of a delivery.
func Report(w io.Writer, f Format, in Input) error {
	m, err := Build(in)
	if err != nil {
		return err
	}
	if f != PRBody {
		m.outputs(in.Artifact)
	}
	switch f {
	case Markdown:
		_, err = io.WriteString(w, markdown(m))
	case PRBody:
		_, err = io.WriteString(w, prBody(m))
	case HTML:
		err = page(w, m)
	case JSON:
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		err = e.Encode(m)
	default:
		return problem.New(problem.Usage, fmt.Sprintf("unknown format %q", f), "the formats are md, html, pr-body and json")
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
