package report

import "github.com/asterweave/asterweave/internal/ledger"

// Past is what a ledger tells of a delivery by itself: neither its artifacts nor the
// world is read, so that it can be told of one that ended long ago.
type Past struct {
	Path     []Attempt
	Asks     []Ask
	Unstable []Unstable
}

// PastOf reads a ledger, whose events the function calls for, the oldest first.
func PastOf(events func(fn func(ledger.Event) error) error) (Past, error) {
	h, err := readHistory(Input{Events: events})
	if err != nil {
		return Past{}, err
	}
	return Past{Path: h.path, Asks: h.asks, Unstable: unstable(h.evidence)}, nil
}
