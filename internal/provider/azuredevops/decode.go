package azuredevops

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// ErrShape is in the chain of the error for an answer that is JSON and not what was
// asked for: a field that every real answer has is not there, or is about something else.
var ErrShape = errors.New("the answer is not what was asked for")

func shape(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrShape, fmt.Sprintf(format, args...))
}

// decode reads one JSON value, after a byte order mark if there is one.
func decode(body []byte, into any) error {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if len(bytes.TrimSpace(body)) == 0 {
		return shape("it is empty")
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%w: %w", ErrShape, err)
	}
	return nil
}

// list is a collection. Count, where it is sent, is the number of values in this
// answer: a list that is shorter was cut.
type list[T any] struct {
	Count *int `json:"count"`
	Value []T  `json:"value"`
}

func (l list[T]) check() error {
	if l.Value == nil {
		return shape("it has no list in it")
	}
	if l.Count != nil && *l.Count != len(l.Value) {
		return shape("it says %d values and has %d", *l.Count, len(l.Value))
	}
	return nil
}

// The patterns are compiled at each call, which happens a few times a read.
func isGUID(s string) bool {
	return regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`).MatchString(s)
}

func isObject(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == "" && strings.Trim(s, "0") != ""
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func short(commit string) string { return fmt.Sprintf("%.12s", commit) }
