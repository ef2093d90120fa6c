package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gowebpki/jcs"

	"github.com/asterweave/asterweave/internal/canon"
)

// VersionError says that a statement is of a kind that this version does not know.
type VersionError struct{ Type string }

func (e *VersionError) Error() string {
	return fmt.Sprintf("the statement is of type %.200q, which this version does not know", e.Type)
}

// Decode reads the statement of a payload. The error is a *VersionError where it is of
// another type; nothing else may be concluded from such a statement.
func Decode(payload []byte) (Statement, error) {
	var s Statement
	if err := canon.Strict(payload, MaxPayload); err != nil {
		return s, fmt.Errorf("statement: %w", err)
	}
	var kind struct {
		Type          string `json:"_type"`
		PredicateType string `json:"predicateType"`
	}
	if err := json.Unmarshal(payload, &kind); err != nil {
		return s, fmt.Errorf("statement: %w", err)
	}
	if kind.Type != StatementType {
		return s, &VersionError{kind.Type}
	}
	if kind.PredicateType != PredicateType {
		return s, &VersionError{kind.PredicateType}
	}
	if err := canon.Decode(payload, MaxPayload, &s); err != nil {
		return s, fmt.Errorf("statement: %w", err)
	}
	spelled, err := jcs.Transform(payload)
	if err != nil {
		return s, fmt.Errorf("statement: %w", err)
	}
	if !bytes.Equal(spelled, payload) {
		return s, errors.New("statement: it is not spelled as RFC 8785 says")
	}
	return s, s.Predicate.check()
}

// check holds that documents and outputs are what they are named by.
func (p Predicate) check() error {
	for _, all := range []map[string][]byte{p.Documents, p.Outputs} {
		for digest, b := range all {
			if canon.Hash(b) != digest {
				return fmt.Errorf("statement: the document %.64q is not what its name says", digest)
			}
		}
	}
	return nil
}
