// Package redact takes secrets out of text before it is written: private keys,
// tokens of providers, JWTs, credentials of requests and URLs, values of names
// such as PASSWORD, e-mail addresses, and what a repository's own patterns match.
// Each span becomes a mark that names its rule, such as [redacted:jwt].
//
// Everything but the patterns is one pass by hand whose time is linear in the
// text, whatever the text is: logs are large, and hostile ones exist. Text that
// was redacted once stays as it is. Inside quoted strings a mark replaces whole
// values, never a quote or an escape, so that lines of JSON stay JSON.
//
// Rules recognise shapes. A secret without a shape, in a place that says nothing,
// passes.
package redact

import (
	"bytes"
	"fmt"
	"regexp"
)

// The rules, as marks name them.
const (
	ruleKey      = "private-key"
	ruleToken    = "token"
	ruleJWT      = "jwt"
	ruleAuth     = "authorization"
	ruleCookie   = "cookie"
	ruleUserinfo = "url-userinfo"
	ruleSecret   = "secret"
	ruleEmail    = "email"
	rulePattern  = "pattern"
)

// passes bounds how often text is gone through: a mark can change what the rules
// see around it, so text is gone through until nothing changes.
const passes = 4

// Redactor applies the built-in rules and a repository's patterns. It is safe for
// concurrent use; a nil one applies the built-in rules.
type Redactor struct {
	patterns []*regexp.Regexp
}

// New returns a Redactor with these patterns (RE2) besides the built-in rules. A
// pattern that matches the empty text is refused.
func New(patterns []string) (*Redactor, error) {
	r := &Redactor{}
	for i, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("redaction pattern %d: %w", i, err)
		}
		if re.MatchString("") {
			return nil, fmt.Errorf("redaction pattern %d: %q matches the empty text", i, p)
		}
		r.patterns = append(r.patterns, re)
	}
	return r, nil
}

// Bytes returns data with every secret marked. It never changes data; where there
// is no secret it returns data itself.
func (r *Redactor) Bytes(data []byte) []byte {
	for range passes {
		before := data
		data = scan(data)
		if r != nil {
			for _, re := range r.patterns {
				data = apply(re, data)
			}
		}
		if bytes.Equal(before, data) {
			break
		}
	}
	return data
}

// String is Bytes for strings.
func (r *Redactor) String(s string) string {
	in := []byte(s)
	out := r.Bytes(in)
	if bytes.Equal(in, out) {
		return s
	}
	return string(out)
}

// apply marks what the pattern matches. A match inside a mark is none; one that
// reaches over the end of a mark takes the whole mark with it.
func apply(re *regexp.Regexp, data []byte) []byte {
	matches := re.FindAllIndex(data, -1)
	if matches == nil {
		return data
	}
	var out []byte
	copied := 0
	mark, markStop := nextMark(data, 0)
	for _, match := range matches {
		start, end := max(match[0], copied), match[1]
		for markStop <= start && mark < len(data) {
			mark, markStop = nextMark(data, markStop)
		}
		if start >= end || mark <= start && end <= markStop {
			continue
		}
		start = min(start, max(mark, copied))
		for mark < end {
			end = max(end, markStop)
			mark, markStop = nextMark(data, markStop)
		}
		if copied == 0 || start > copied { // else it continues the span before
			out = append(out, data[copied:start]...)
			out = appendMark(out, rulePattern)
		}
		copied = end
	}
	if copied == 0 {
		return data
	}
	return append(out, data[copied:]...)
}

type span struct{ start, end int }

const markStart = "[redacted:"

func appendMark(out []byte, rule string) []byte {
	out = append(out, markStart...)
	out = append(out, rule...)
	return append(out, ']')
}

// nextMark returns the first mark at or after from; start is len(data) when there
// is none.
func nextMark(data []byte, from int) (start, end int) {
	for from < len(data) {
		at := bytes.Index(data[from:], []byte(markStart))
		if at < 0 {
			break
		}
		start = from + at
		if end = markEnd(data, start); end > 0 {
			return start, end
		}
		from = start + 1
	}
	return len(data), len(data)
}

// markEnd returns the end of the mark that begins at start, 0 when none does.
func markEnd(data []byte, start int) int {
	if !bytes.HasPrefix(data[start:], []byte(markStart)) {
		return 0
	}
	const longest = 24
	first := start + len(markStart)
	for i := first; i < len(data) && i < first+longest; i++ {
		switch c := data[i]; {
		case c == ']' && i > first:
			return i + 1
		case (c < 'a' || c > 'z') && c != '-':
			return 0
		}
	}
	return 0
}
