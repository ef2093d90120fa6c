package testrun

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
)

// FromJUnit counts a report in JUnit's XML. The unit is the test case. Cases are
// counted one by one; the totals that suites claim are not looked at. Failures and
// errors count as failed, skipped and disabled cases as skipped. It is an error
// when the document is not well-formed or is no such report.
func FromJUnit(data []byte) (evidence.Tests, error) {
	j := junit{out: evidence.Tests{Runner: "junit", Unit: UnitTest}}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = asciiReader
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return evidence.Tests{Runner: "junit", Unit: UnitTest}, fmt.Errorf("junit report: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			j.start(t)
		case xml.EndElement:
			j.end(t)
		}
	}
	if !j.root {
		return j.out, errors.New("junit report: no testsuite element")
	}
	j.out.Known = true
	j.out.Failing = names(j.failing)
	return j.out, nil
}

// asciiReader accepts the encodings whose ASCII half is all that is read.
func asciiReader(charset string, input io.Reader) (io.Reader, error) {
	switch strings.ToLower(charset) {
	case "us-ascii", "ascii", "utf8":
		return input, nil
	}
	return nil, fmt.Errorf("unsupported encoding %q", charset)
}

// junit is the state between two elements.
type junit struct {
	out     evidence.Tests
	root    bool
	inCase  bool
	status  string
	current Failure
	failing []Failure
}

func (j *junit) start(e xml.StartElement) {
	switch e.Name.Local {
	case "testsuites", "testsuite":
		j.root = true
	case "testcase":
		j.begin(e)
	case "failure", "error":
		if j.inCase {
			j.status = "failed"
			j.current.Message = clip(attr(e, "message"))
		}
	case "skipped", "disabled":
		if j.inCase && j.status != "failed" {
			j.status = "skipped"
		}
	}
}

func (j *junit) begin(e xml.StartElement) {
	if !j.root {
		return
	}
	j.inCase, j.status = true, "passed"
	j.current = Failure{Test: attr(e, "name"), Component: attr(e, "classname")}
	if j.current.Component != "" && !strings.HasPrefix(j.current.Test, j.current.Component) {
		j.current.Test = j.current.Component + "." + j.current.Test
	}
	if s := strings.ToLower(attr(e, "status")); s == "notrun" || s == "skipped" || s == "disabled" {
		j.status = "skipped"
	}
}

func (j *junit) end(e xml.EndElement) {
	if e.Name.Local != "testcase" || !j.inCase {
		return
	}
	j.inCase = false
	switch j.status {
	case "passed":
		j.out.Passed++
	case "skipped":
		j.out.Skipped++
	case "failed":
		j.out.Failed++
		if len(j.failing) < maxCollect {
			j.failing = append(j.failing, j.current)
		}
	}
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
