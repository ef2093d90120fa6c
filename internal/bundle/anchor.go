package bundle

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Lines that enclose what Asterweave writes into a pull request's body, so that it can
// be found and replaced there. No text of others can hold them.
const (
	AnchorStart = "<!-- asterweave:start -->"
	AnchorEnd   = "<!-- asterweave:end -->"
)

// Anchor says how far a ledger was, in a place that the ledger's owner does not
// control alone.
type Anchor struct {
	Events int64  `json:"events"`
	Bytes  int64  `json:"bytes"`
	Head   string `json:"head"` // hash of the last event
}

// String is how people and [ReadAnchor] read it.
func (a Anchor) String() string {
	return fmt.Sprintf("%d events, %d bytes, head `%s`", a.Events, a.Bytes, a.Head)
}

// Line is the whole line of a pull request's body.
func (a Anchor) Line() string { return anchorLine + a.String() }

const anchorLine = "Ledger: "

// ErrNoAnchor says that a body has no anchor.
var ErrNoAnchor = errors.New("the body of the pull request does not say how far the ledger was, once and between its markers")

// ReadAnchor finds the anchor in the body of a pull request. A body that two readers could
// understand differently has none: markers or lines that are there more than once.
func ReadAnchor(body string) (Anchor, error) {
	var found []Anchor
	starts, ends := 0, 0
	line := regexp.MustCompile("^" + anchorLine + "(0|[1-9][0-9]{0,17}) events, (0|[1-9][0-9]{0,17}) bytes, head `([0-9a-f]{64})`$")
	for l := range strings.Lines(body) {
		l = strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r")
		starts += strings.Count(l, AnchorStart)
		ends += strings.Count(l, AnchorEnd)
		if starts != 1 || ends != 0 || !strings.HasPrefix(l, anchorLine) {
			continue
		}
		var a Anchor
		m := line.FindStringSubmatch(l)
		if m == nil {
			return a, ErrNoAnchor
		}
		if _, err := fmt.Sscan(m[1], &a.Events); err != nil {
			return a, ErrNoAnchor
		}
		if _, err := fmt.Sscan(m[2], &a.Bytes); err != nil {
			return a, ErrNoAnchor
		}
		a.Head = m[3]
		found = append(found, a)
	}
	if starts != 1 || ends != 1 || len(found) != 1 {
		return Anchor{}, ErrNoAnchor
	}
	return found[0], nil
}
