package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

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
	if err := s.check(); err != nil {
		return s, fmt.Errorf("statement: %w", err)
	}
	// One statement has one spelling, and what is written again is it: nothing is missing
	// that encoding/json would make up for, and no base64 or time is spelled otherwise.
	spelled, err := Encode(s)
	if err != nil {
		return s, err
	}
	if !bytes.Equal(spelled, payload) {
		return s, errors.New("statement: it is not spelled as RFC 8785 and docs/bundle.md say, or a field is missing or empty that may not be")
	}
	return s, nil
}

// check holds that the statement is about one commit, that nothing in it is null, and
// that documents and outputs are what they are named by.
func (s Statement) check() error {
	if !gitID(s.Commit()) {
		return errors.New("it is not about exactly one commit")
	}
	p := s.Predicate
	if p.Criteria == nil || p.Evidence == nil || p.Approvals == nil || p.Findings == nil || p.Failures == nil || p.Waivers == nil ||
		p.Bypasses == nil || p.LeftOut == nil || p.Documents == nil || p.Outputs == nil || p.Trees == nil || p.Tools == nil || p.Ledger.Gzip == nil {
		return errors.New("a list or an object of the predicate is missing or null")
	}
	for _, c := range p.Criteria {
		if c.Evidence == nil {
			return fmt.Errorf("the evidence of criterion %.64q is missing or null", c.ID)
		}
	}
	for _, all := range []map[string][]byte{p.Documents, p.Outputs} {
		for digest, b := range all {
			if b == nil || canon.Hash(b) != digest {
				return fmt.Errorf("the document %.64q is not what its name says", digest)
			}
		}
	}
	for _, at := range s.times() {
		if _, ahead := at.Zone(); ahead != 0 {
			return fmt.Errorf("the time %s is not UTC", at.Format(time.RFC3339Nano))
		}
	}
	for id, b := range p.Trees {
		if b == nil {
			return fmt.Errorf("the tree %.64q is null", id)
		}
	}
	return nil
}

// times returns every time that the statement names.
func (s Statement) times() []time.Time {
	all := []time.Time{s.Predicate.Delivery.StartedAt}
	for _, r := range s.Predicate.Evidence {
		all = append(all, r.At)
	}
	for _, b := range s.Predicate.Bypasses {
		all = append(all, b.At, b.Until)
	}
	return all
}

// gitID reports whether id has the form of a commit's or a tree's.
func gitID(id string) bool {
	return (len(id) == 40 || len(id) == 64) && strings.Trim(id, "0123456789abcdef") == ""
}
