package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/state"
)

// commandLine returns argv as a shell would take it.
func commandLine(argv []string) string {
	out := make([]string, len(argv))
	for i, a := range argv {
		out[i] = word(a)
	}
	return strings.Join(out, " ")
}

func word(s string) string {
	plain := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./:=@%+,", r))
	}
	switch {
	case s != "" && strings.TrimFunc(s, plain) == "":
		return s
	case document.OneLine(s) != s && strings.TrimSpace(s) != s || strings.ContainsFunc(s, unicode.IsControl):
		return strconv.Quote(s)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// counts says what a test runner reported.
func counts(t *evidence.Tests) string {
	switch {
	case t == nil:
		return ""
	case !t.Known:
		return "counts unknown"
	}
	s := fmt.Sprintf("%d passed, %d failed, %d skipped", t.Passed, t.Failed, t.Skipped)
	if t.Unit != "" && t.Unit != "test" {
		s += " (" + t.Unit + "s)"
	}
	return s
}

// short returns the first digits of a digest or commit id.
func short(digest string) string {
	const n = 12
	if len(digest) > n {
		return digest[:n]
	}
	return digest
}

// kindGate names the kind of a record and its gate.
func kindGate(kind evidence.Kind, gate string) string {
	if gate == "" {
		return string(kind)
	}
	return string(kind) + " " + gate
}

// who says through which channel, and by whom, something came.
func who(channel string, by evidence.By) string {
	out := channel
	if by.Identity != "" {
		out += " (" + by.Identity + ")"
	}
	return out
}

// stamp is a time as people read it: UTC, to the second.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// took says how long something lasted.
func took(from, to time.Time) string {
	if from.IsZero() || to.IsZero() {
		return ""
	}
	return lasted(to.Sub(from))
}

func lasted(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", max(d, 0).Seconds())
	}
	return d.Round(time.Second).String()
}

// outcome says in a few words how the delivery stands.
func outcome(d Delivery) string {
	s := d.Status
	switch d.Status {
	case state.Active:
		s = "under way at " + d.Node
	case state.Paused:
		s = "paused at " + d.Node
	}
	if d.Reason != "" {
		s += ": " + d.Reason
	}
	return s
}
