package wire

import (
	"fmt"
	"strings"
	"time"
)

// Proof is what an answer was, so that somebody else can find it in the service's own log.
type Proof struct {
	Method     string    `json:"method"`
	URL        string    `json:"url"` // that answered, without secrets
	Status     int       `json:"status"`
	Date       string    `json:"date,omitempty"`      // as the service says it
	RequestID  string    `json:"requestId,omitempty"` // X-GitHub-Request-Id, or ActivityId and X-VSS-E2EID
	ETag       string    `json:"etag,omitempty"`
	BodySHA256 string    `json:"bodySha256"`       // hex, of the body after decompression
	At         time.Time `json:"at"`               // of this machine
	Reused     bool      `json:"reused,omitempty"` // 304: the body of an earlier answer, whose digest this is
}

// Lines writes a line for each proof, for at most max of them; the last line says how many
// were left out.
func Lines(proofs []Proof, most int) string {
	var b strings.Builder
	for i, p := range proofs {
		if i == most {
			fmt.Fprintf(&b, "and %d more\n", len(proofs)-most)
			break
		}
		fmt.Fprintf(&b, "%s %s %d", p.Method, p.URL, p.Status)
		for _, f := range [][2]string{{"date", p.Date}, {"id", p.RequestID}, {"etag", p.ETag}, {"sha256", p.BodySHA256}} {
			if f[1] != "" {
				fmt.Fprintf(&b, " %s=%s", f[0], f[1])
			}
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// short is a header's value as it may stand in a line: printable, and not long.
func short(v string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, fmt.Sprintf("%.200s", v))
}
