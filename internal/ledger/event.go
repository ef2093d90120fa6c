package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/evidence"
)

// Version is the format that this package reads and writes.
const Version = 1

// MaxEvent is the size limit of an event: its whole line, newline included.
const MaxEvent = 256 << 10

// ZeroHash is the prev of the first event.
const ZeroHash = "0000000000000000000000000000000000000000000000000000000000000000"

// timeLayout has always nine digits of the second, so that times compare as text.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

// suffixLen is the length of `,"hash":"<64 digits>"}`.
const suffixLen = len(`,"hash":""}`) + canon.HashLen

// maxName bounds type and node.
const maxName = 64

// Event is one line of a ledger.
type Event struct {
	V       int   // format version
	Seq     int64 // 1, 2, …; equals the line number
	At      time.Time
	Type    string // [a-z0-9.-], 1 to 64 bytes
	Node    string // the same form, or ""
	Attempt int
	By      evidence.By
	Cause   string
	Data    json.RawMessage // one JSON object
	State   string          // digest of the fold after the event, or ""
	Prev    string          // hash of the event before; ZeroHash for the first
	Hash    string          // SHA-256 of the line before `,"hash"`
}

// Draft is what a caller decides of an event; the envelope is added by Append.
type Draft struct {
	Type    string
	Node    string
	Attempt int
	By      evidence.By
	Cause   string
	Data    json.RawMessage // an object; nil is {}
	State   string
	At      time.Time // raised to the time of the event before when it is earlier
}

// encode returns the line of e, newline included, and sets e.Hash. e.Data has to
// be compact already.
func (e *Event) encode() ([]byte, error) {
	by, err := marshal(e.By)
	if err != nil {
		return nil, err
	}
	cause, err := marshal(e.Cause)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, 512+len(cause)+len(e.Data))
	b = append(b, `{"v":`...)
	b = strconv.AppendInt(b, int64(e.V), 10)
	b = append(b, `,"seq":`...)
	b = strconv.AppendInt(b, e.Seq, 10)
	b = append(b, `,"at":"`...)
	b = e.At.AppendFormat(b, timeLayout)
	b = append(b, `","type":"`...)
	b = append(b, e.Type...)
	b = append(b, `","node":"`...)
	b = append(b, e.Node...)
	b = append(b, `","attempt":`...)
	b = strconv.AppendInt(b, int64(e.Attempt), 10)
	b = append(b, `,"by":`...)
	b = append(b, by...)
	b = append(b, `,"cause":`...)
	b = append(b, cause...)
	b = append(b, `,"data":`...)
	b = append(b, e.Data...)
	b = append(b, `,"state":"`...)
	b = append(b, e.State...)
	b = append(b, `","prev":"`...)
	b = append(b, e.Prev...)
	b = append(b, '"')
	e.Hash = canon.Hash(b)
	b = append(b, `,"hash":"`...)
	b = append(b, e.Hash...)
	b = append(b, '"', '}', '\n')
	if len(b) > MaxEvent {
		return nil, &SizeError{Size: len(b), Max: MaxEvent}
	}
	return b, nil
}

// event checks d and gives it the place after the tail t.
func (d Draft) event(t Tail) (Event, error) {
	switch {
	case !isName(d.Type):
		return Event{}, fmt.Errorf("event type %q is not made of a-z, 0-9, dot and hyphen", d.Type)
	case d.Node != "" && !isName(d.Node):
		return Event{}, fmt.Errorf("event node %q is not made of a-z, 0-9, dot and hyphen", d.Node)
	case d.Attempt < 0 || d.Attempt > math.MaxInt32:
		return Event{}, fmt.Errorf("event attempt %d is out of range", d.Attempt)
	case d.State != "" && !canon.IsHash(d.State):
		return Event{}, fmt.Errorf("event state %q is not a digest", d.State)
	case d.At.IsZero():
		return Event{}, errors.New("event has no time")
	}
	data, err := compact(d.Data)
	if err != nil {
		return Event{}, err
	}
	seq, at := t.next(d.At)
	if y := at.Year(); y < 1 || y > 9999 {
		return Event{}, fmt.Errorf("event time %v cannot be written", at)
	}
	prev := t.Hash
	if t.Seq == 0 {
		prev = ZeroHash
	}
	return Event{
		V: Version, Seq: seq, At: at, Type: d.Type, Node: d.Node, Attempt: d.Attempt,
		By: d.By, Cause: d.Cause, Data: data, State: d.State, Prev: prev,
	}, nil
}

func compact(data json.RawMessage) (json.RawMessage, error) {
	if len(data) == 0 {
		return json.RawMessage("{}"), nil
	}
	if !utf8.Valid(data) {
		return nil, errors.New("event data is not UTF-8")
	}
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		return nil, fmt.Errorf("event data: %w", err)
	}
	if b.Bytes()[0] != '{' {
		return nil, errors.New("event data is not a JSON object")
	}
	return b.Bytes(), nil
}

// marshal encodes v without escaping <, > and &, which no reader needs.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func isName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' {
			return false
		}
	}
	return true
}
