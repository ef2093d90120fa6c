package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/asterweave/asterweave/internal/canon"
)

// parse reads a line without its newline and checks its hash. Everything outside
// by, cause and data has exactly one spelling. The error is a *VersionError for
// other formats; the caller adds the line number.
func parse(line []byte) (Event, error) {
	e := Event{V: Version}
	s := scanner{rest: line}
	s.lit(`{"v":`)
	v := s.number()
	if s.err == nil && v != Version {
		return Event{}, &VersionError{Version: int(v)}
	}
	if s.err != nil {
		return Event{}, errors.New("is not an event")
	}
	if err := checkHash(line); err != nil {
		return Event{}, err
	}
	s.lit(`,"seq":`)
	e.Seq = s.number()
	s.lit(`,"at":"`)
	at := s.plain()
	s.lit(`,"type":"`)
	e.Type = s.plain()
	s.lit(`,"node":"`)
	e.Node = s.plain()
	s.lit(`,"attempt":`)
	e.Attempt = int(s.number())
	s.lit(`,"by":`)
	s.decode(&e.By)
	s.lit(`,"cause":`)
	e.Cause = s.text()
	s.lit(`,"data":`)
	e.Data = bytes.Clone(s.value())
	s.lit(`,"state":"`)
	e.State = s.plain()
	s.lit(`,"prev":"`)
	e.Prev = s.plain()
	s.lit(`,"hash":"`)
	e.Hash = s.plain()
	s.lit(`}`)
	if s.err == nil && len(s.rest) > 0 {
		s.fail("something behind the event")
	}
	if s.err != nil {
		return Event{}, s.err
	}
	var err error
	if e.At, err = time.Parse(timeLayout, at); err != nil || len(at) != len(timeLayout) {
		return Event{}, fmt.Errorf("%q is not a time", at)
	}
	switch {
	case !isName(e.Type) || e.Node != "" && !isName(e.Node):
		return Event{}, errors.New("type or node is malformed")
	case e.State != "" && !canon.IsHash(e.State) || !canon.IsHash(e.Prev):
		return Event{}, errors.New("state or prev is malformed")
	case len(e.Data) == 0 || e.Data[0] != '{':
		return Event{}, errors.New("data is not an object")
	}
	return e, nil
}

// checkHash compares the hash of a line with its bytes.
func checkHash(line []byte) error {
	switch {
	case len(line) > 0 && line[len(line)-1] == '\r':
		return errors.New("ends with CRLF")
	case len(line) >= MaxEvent:
		return errors.New("is longer than an event may be")
	case len(line) < suffixLen:
		return errors.New("is too short for an event")
	}
	body, suffix := line[:len(line)-suffixLen], line[len(line)-suffixLen:]
	sum := canon.Hash(body)
	if string(suffix) != `,"hash":"`+sum+`"}` {
		return errors.New("the hash does not fit the bytes")
	}
	return nil
}

// scanner reads the pieces of a line one after the other and keeps the first error.
type scanner struct {
	rest []byte
	err  error
}

func (s *scanner) fail(what string) {
	if s.err == nil {
		s.err = errors.New(what)
	}
}

func (s *scanner) lit(want string) {
	if !bytes.HasPrefix(s.rest, []byte(want)) {
		s.fail("does not have " + want + " in its place")
		s.rest = nil
		return
	}
	s.rest = s.rest[len(want):]
}

// number reads a whole number without sign and leading zeros.
func (s *scanner) number() int64 {
	n := 0
	for n < len(s.rest) && s.rest[n] >= '0' && s.rest[n] <= '9' {
		n++
	}
	v, err := strconv.ParseInt(string(s.rest[:n]), 10, 64)
	if err != nil || n > 1 && s.rest[0] == '0' {
		s.fail("has no number where one is due")
		return 0
	}
	s.rest = s.rest[n:]
	return v
}

// plain reads up to the closing quote of a string without escapes.
func (s *scanner) plain() string {
	n := bytes.IndexByte(s.rest, '"')
	if n < 0 || bytes.IndexByte(s.rest[:n], '\\') >= 0 {
		s.fail("has no plain text where one is due")
		return ""
	}
	v := string(s.rest[:n])
	s.rest = s.rest[n+1:]
	return v
}

// text reads a string that may hold escapes.
func (s *scanner) text() (v string) {
	if n := len(s.rest); n > 0 && s.rest[0] == '"' {
		end := bytes.IndexAny(s.rest[1:], `"\`) + 1
		if end > 0 && s.rest[end] == '"' {
			v = string(s.rest[1:end])
			s.rest = s.rest[end+1:]
			return v
		}
	}
	s.decode(&v)
	return v
}

func (s *scanner) decode(v any) {
	raw := s.value()
	if s.err != nil {
		return
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		s.fail("by or cause is malformed")
	}
}

// value reads one JSON value. It relies on the hash for what lies inside.
func (s *scanner) value() []byte {
	depth, quoted := 0, false
	for i := 0; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
			continue
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ',' && depth == 0:
			v := s.rest[:i]
			s.rest = s.rest[i:]
			return v
		}
	}
	s.fail("ends inside a value")
	s.rest = nil
	return nil
}
