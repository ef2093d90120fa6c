package scripted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// scriptVersion is the version of the form that this package reads.
const scriptVersion = 1

// maxScript bounds a script, in bytes.
const maxScript = 1 << 20

// Script is a sequence of recorded decisions.
type Script struct {
	About string // one sentence
	Steps []Step
}

// Step is one decision. Besides the fields here it has those of its action, which
// is one of the types in actions.go, chosen by Do.
type Step struct {
	Do  string // names the action: human, submit, run, …
	Why string // shown when it fails; may be empty
	// Expect is how the step has to end: pass, fail, info or unknown for what it
	// records, refused for a call that is refused. Empty: it is not refused, and
	// what it records is pass or info.
	Expect string

	raw json.RawMessage // the whole object, placeholders unresolved
}

// head is the part of a step that all actions have.
type head struct {
	Do     string `json:"do"`
	Why    string `json:"why,omitempty"`
	Expect string `json:"expect,omitempty"`
}

// readStep reads a step and refuses fields that its action does not have.
func readStep(data []byte) (Step, error) {
	var h head
	if err := json.Unmarshal(data, &h); err != nil {
		return Step{}, err
	}
	switch h.Expect {
	case "", "pass", "fail", "info", "unknown", refused:
	default:
		return Step{}, fmt.Errorf("unknown expectation %q", h.Expect)
	}
	for _, p := range placeholders(data) {
		if err := p.check(); err != nil {
			return Step{}, err
		}
	}
	s := Step{Do: h.Do, Why: h.Why, Expect: h.Expect, raw: data}
	_, err := s.action(data)
	return s, err
}

// action decodes the step's object, or the same with its placeholders resolved.
func (s Step) action(data []byte) (action, error) {
	a := newAction(s.Do)
	if a == nil {
		return nil, fmt.Errorf("unknown step %q", s.Do)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(a); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Do, err)
	}
	return a, nil
}

// Read reads a script and checks the form of every step.
func Read(r io.Reader) (Script, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxScript+1))
	if err != nil {
		return Script{}, fmt.Errorf("script: %w", err)
	}
	if len(data) > maxScript {
		return Script{}, fmt.Errorf("script: larger than %d bytes", maxScript)
	}
	var raw struct {
		Version int               `json:"version"`
		About   string            `json:"about"`
		Steps   []json.RawMessage `json:"steps"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&raw); err != nil {
		return Script{}, fmt.Errorf("script: %w", err)
	}
	if raw.Version != scriptVersion {
		return Script{}, fmt.Errorf("script: version %d, this program reads version %d", raw.Version, scriptVersion)
	}
	if len(raw.Steps) == 0 {
		return Script{}, errors.New("script: there are no steps")
	}
	s := Script{About: raw.About}
	for i, data := range raw.Steps {
		step, err := readStep(data)
		if err != nil {
			return Script{}, fmt.Errorf("script: step %d: %w", i+1, err)
		}
		s.Steps = append(s.Steps, step)
	}
	return s, nil
}
