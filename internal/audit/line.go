package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// zeros is the prev of the first event.
const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

// The end of each line: a fixed text around 64 hex digits.
const (
	hashOpen  = `,"hash":"`
	hashClose = `"}`
	hashEnd   = len(hashOpen) + 64 + len(hashClose)
)

// parsed is a line taken apart.
type parsed struct {
	Event
	at       string // as written; compares like the time
	hash     string // as stated
	computed string // SHA-256 of the bytes that it covers
	sealed   bool   // the line ends in a hash field, so that hash and computed are set
}

// parseLine checks everything about a line that can be seen without its neighbours.
func parseLine(b []byte) (parsed, error) {
	var p parsed
	if bytes.HasSuffix(b, []byte("\r")) {
		return p, errors.New("ends in CRLF")
	}
	version, ok := leadingVersion(b)
	if !ok {
		return p, errors.New("does not begin like an event")
	}
	if version != "1" {
		return p, fmt.Errorf("is written in format %s, this verifier knows format 1", version)
	}
	if len(b) < hashEnd {
		return p, errors.New("is too short for an event")
	}
	body, end := b[:len(b)-hashEnd], b[len(b)-hashEnd:]
	digits := end[len(hashOpen) : len(hashOpen)+64]
	if !bytes.HasPrefix(end, []byte(hashOpen)) || !bytes.HasSuffix(end, []byte(hashClose)) || !isHex(digits) {
		return p, errors.New("does not end in a hash field")
	}
	p.sealed = true
	sum := sha256.Sum256(body)
	p.hash, p.computed = string(digits), hex.EncodeToString(sum[:])
	if err := p.fields(body); err != nil {
		return p, err
	}
	if p.hash != p.computed {
		return p, errors.New("its hash does not fit its bytes")
	}
	return p, nil
}

// leadingVersion reads the number behind `{"v":`.
func leadingVersion(b []byte) (string, bool) {
	const open = `{"v":`
	if !bytes.HasPrefix(b, []byte(open)) {
		return "", false
	}
	b = b[len(open):]
	n := 0
	for n < len(b) && n < 10 && '0' <= b[n] && b[n] <= '9' {
		n++
	}
	return string(b[:n]), n > 0 && n < len(b) && b[n] == ','
}

// fields reads the body of a line: exactly these keys in exactly this order.
func (p *parsed) fields(body []byte) error {
	if !utf8.Valid(body) {
		return errors.New("is not UTF-8")
	}
	r := reader{b: body, at: len(`{"v":1`)}
	r.key("seq")
	p.Seq = r.whole()
	r.key("at")
	p.at = r.bare()
	r.key("type")
	p.Type = r.bare()
	r.key("node")
	p.Node = r.bare()
	r.key("attempt")
	attempt := r.whole()
	r.key("by")
	p.By = r.json('{')
	r.key("cause")
	p.Cause = r.json('"')
	r.key("data")
	p.Data = r.json('{')
	r.key("state")
	p.State = r.bare()
	r.key("prev")
	p.Prev = r.bare()
	switch {
	case r.err != nil:
		return r.err
	case r.at != len(body):
		return errors.New("has a field too many")
	case !isWord(p.Type):
		return errors.New("its type is malformed")
	case p.Node != "" && !isWord(p.Node):
		return errors.New("its node is malformed")
	case p.State != "" && !isDigest(p.State):
		return errors.New("its state is malformed")
	case !isDigest(p.Prev):
		return errors.New("its prev is malformed")
	case attempt > 1<<31-1:
		return errors.New("its attempt is out of range")
	}
	p.Attempt = int(attempt)
	var err error
	if p.At, err = readTime(p.at); err != nil {
		return err
	}
	return checkBy(p.By)
}

// readTime reads the one spelling of a time: UTC with nine digits of the second.
func readTime(s string) (time.Time, error) {
	const form = "2006-01-02T15:04:05.000000000Z"
	t, err := time.Parse(form, s)
	if err != nil || t.Format(form) != s {
		return t, fmt.Errorf("its time %q is malformed", s)
	}
	return t, nil
}

// checkBy checks the keys of by: channel, then those of the others that are there.
func checkBy(b []byte) error {
	r := reader{b: b, at: 1}
	for i, name := range []string{"channel", "identity", "agent", "session"} {
		open := `,"` + name + `":`
		if i == 0 {
			open = open[1:]
		}
		if !bytes.HasPrefix(r.b[r.at:], []byte(open)) {
			if i == 0 {
				return errors.New("its by has no channel")
			}
			continue
		}
		r.at += len(open)
		if v := r.json('"'); i > 0 && string(v) == `""` {
			return fmt.Errorf("its by has an empty %s", name)
		}
	}
	if r.err != nil || string(r.b[r.at:]) != "}" {
		return errors.New("its by is malformed")
	}
	return nil
}

func isHex(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func isDigest(s string) bool { return len(s) == 64 && isHex([]byte(s)) }

func isWord(s string) bool {
	if len(s) < 1 || len(s) > 64 {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '.', c == '-':
		default:
			return false
		}
	}
	return true
}

// reader goes through a body and keeps the first thing that is wrong.
type reader struct {
	b   []byte
	at  int
	err error
}

func (r *reader) stop(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
	r.at = len(r.b)
}

func (r *reader) peek() byte {
	if r.at < len(r.b) {
		return r.b[r.at]
	}
	return 0
}

func (r *reader) key(name string) {
	rest := r.b[r.at:]
	n := len(name) + len(`,"":`)
	if len(rest) < n || rest[0] != ',' || rest[1] != '"' || string(rest[2:2+len(name)]) != name || string(rest[n-2:n]) != `":` {
		r.stop("has no %s where it is due", name)
		return
	}
	r.at += n
}

// whole reads a number made of digits, without leading zeros.
func (r *reader) whole() int64 {
	start := r.at
	for c := r.peek(); '0' <= c && c <= '9'; c = r.peek() {
		r.at++
	}
	text := string(r.b[start:r.at])
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || len(text) > 1 && text[0] == '0' {
		r.stop("has a malformed number")
	}
	return n
}

// bare reads a string in which nothing is escaped.
func (r *reader) bare() string {
	s := r.json('"')
	if bytes.IndexByte(s, '\\') >= 0 || len(s) < 2 {
		r.stop("has an escape where none may be")
		return ""
	}
	return string(s[1 : len(s)-1])
}

// json reads a JSON value that begins with open.
func (r *reader) json(open byte) []byte {
	if r.peek() != open {
		r.stop("has another kind of value where %c is due", open)
		return nil
	}
	start := r.at
	r.value(0)
	if r.err != nil {
		return nil
	}
	return r.b[start:r.at]
}
