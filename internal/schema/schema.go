// Package schema holds documents against the JSON Schemas of this build. Only
// the embedded schemas are ever loaded, each compiled when it is first needed.
//
// The compiler costs a program several milliseconds at its start, so programs
// that have to be fast do without this package.
package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/schemas"
)

// Names of the schemas.
const (
	Spec       = "spec"
	Plan       = "plan"
	Manifest   = "context-manifest"
	Review     = "review"
	Triage     = "triage"
	Submission = "submission"
	Config     = "asterweave"
	Graph      = "graph"
	Bundle     = "bundle"
)

// Size limits: of a document, and of a bundle's statement, which holds documents.
const (
	MaxBytes  = 1 << 20
	MaxBundle = 24 << 20
)

// address stands in front of the names of schemas. Nothing is fetched from there.
const (
	address = "https://github.com/asterweave/asterweave/schemas/"
	ending  = ".schema.json"
)

// Set is the schemas of this build. It is safe for concurrent use.
type Set struct {
	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema
}

// New returns the set; it compiles nothing yet.
func New() *Set { return &Set{compiled: map[string]*jsonschema.Schema{}} }

// Validate checks data against the schema with this name. An invalid document is
// an *[Error] with everything that is wrong; text that is no strict JSON (more
// than its limit, not UTF-8, a key twice) is one with that alone.
func (s *Set) Validate(name string, data []byte) error {
	compiled, err := s.schema(name)
	if err != nil {
		return err
	}
	limit := MaxBytes
	if name == Bundle {
		limit = MaxBundle
	}
	if err := canon.Strict(data, limit); err != nil {
		return &Error{Name: name, Problems: []Problem{{What: err.Error()}}}
	}
	// Numbers become doubles here: the validator would expand the exponent of a
	// literal into digits, however many those are.
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		return &Error{Name: name, Problems: []Problem{{What: err.Error()}}}
	}
	err = compiled.Validate(doc)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &invalid):
		return explain(name, invalid, doc)
	}
	return fmt.Errorf("schema %s: %w", name, err)
}

// schema returns the compiled schema; one is compiled at a time.
func (s *Set) schema(name string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.compiled[name]; ok {
		return c, nil
	}
	if _, err := fs.Stat(schemas.Files, name+ending); err != nil {
		return nil, fmt.Errorf("there is no schema %q", name)
	}
	c := jsonschema.NewCompiler()
	c.LoadURL = embedded
	compiled, err := c.Compile(address + name + ending)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	s.compiled[name] = compiled
	return compiled, nil
}

// embedded opens a schema of this build and nothing else, whatever the address says.
func embedded(url string) (io.ReadCloser, error) {
	name, ours := strings.CutPrefix(url, address)
	if !ours {
		return nil, fmt.Errorf("%s is not a schema of this program", url)
	}
	return schemas.Files.Open(name)
}
