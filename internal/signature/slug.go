package signature

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// digestLen is the length of the digest that tells shortened names apart.
const digestLen = 6

// slug writes s with letters, digits, dots, underscores and hyphens alone, in at
// most limit bytes. Separators become hyphens. When anything else was lost, or the
// end was cut, a digest keeps different texts apart.
func slug(s string, limit int) string {
	out := plain(s)
	lossy := strings.ContainsFunc(s, func(r rune) bool { return !isWord(r) && !strings.ContainsRune(" /:›>[](),\t", r) })
	if s == "" || (len(out) <= limit && !lossy && out != "") {
		return out
	}
	tail := "-" + digest(s, digestLen)
	if len(out)+len(tail) > limit {
		out = strings.TrimRight(out[:min(len(out), max(limit-len(tail), 0))], "-.")
	}
	return strings.TrimLeft(out+tail, "-")
}

// plain is slug without a limit, and without a digest for what was lost.
func plain(s string) string {
	return tight(strings.Map(func(r rune) rune {
		if isWord(r) {
			return r
		}
		return '-'
	}, s))
}

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-'
}

// tight makes one hyphen of several, and takes them off the ends.
func tight(s string) string {
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-")
	}
	return strings.Trim(s, "-.")
}

// digest returns the first n hex digits of a text's SHA-256.
func digest(s string, n int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:n]
}
