package sshsign

import (
	"bytes"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/ssh"
)

// Bounds of a list of allowed signers.
const (
	maxAllowed = 1 << 20 // bytes
	maxSigners = 10_000  // lines with a key
)

// minRSA is the smallest RSA key that is taken, in bits.
const minRSA = 2048

// Allowed is a list of allowed signers, as ssh-keygen(1) describes it.
type Allowed struct {
	signers []signer
	// Ignored names the lines that allow nobody here, and why.
	Ignored []string
}

// signer is one line of the list.
type signer struct {
	principals string // as they stand there
	namespaces string // list of patterns; "" allows all
	after      moment
	before     moment
	key        ssh.PublicKey
}

// moment is a point in time, in the reader's zone where it names none.
type moment struct {
	text, layout string // "" for none
	utc          bool
}

func (m moment) in(zone *time.Location) (time.Time, error) {
	if m.utc {
		zone = time.UTC
	}
	return time.ParseInLocation(m.layout, m.text, zone)
}

// ParseAllowed reads a list of allowed signers. A line that is not understood, or not
// supported here, allows nobody and is in Ignored, as ssh-keygen goes on behind it. The
// error is that the list is no text, or too long.
func ParseAllowed(text []byte) (Allowed, error) {
	var a Allowed
	if len(text) > maxAllowed {
		return a, fmt.Errorf("allowed signers: %d bytes are more than the %d that are read", len(text), maxAllowed)
	}
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return a, errors.New("allowed signers: the list is no text")
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.Trim(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), blank)
		if line == "" || line[0] == '#' {
			continue
		}
		s, err := parseLine(line)
		switch {
		case err != nil:
			a.Ignored = append(a.Ignored, fmt.Sprintf("line %d allows nobody: %v", n, err))
		case len(a.signers) == maxSigners:
			return Allowed{}, fmt.Errorf("allowed signers: there are more than %d", maxSigners)
		default:
			a.signers = append(a.signers, s)
		}
	}
	return a, nil
}

const blank = " \t"

// parseLine reads principals, options and key.
func parseLine(line string) (s signer, err error) {
	principals, rest, err := word(line)
	if err != nil {
		return s, err
	}
	s.principals = principals
	first, after, _ := strings.Cut(strings.ReplaceAll(rest, "\t", " "), " ")
	if !slices.Contains(algorithms(), first) {
		options, behind, err := cutOptions(rest)
		if err != nil {
			return s, err
		}
		if err := s.options(options); err != nil {
			return s, err
		}
		first, after, _ = strings.Cut(strings.ReplaceAll(behind, "\t", " "), " ")
	}
	if s.key, err = parseKey(first, strings.TrimLeft(after, " ")); err != nil {
		return s, err
	}
	return s, strong(s.key)
}

// word cuts the principals off, which may be quoted as a whole.
func word(line string) (first, rest string, err error) {
	if strings.HasPrefix(line, `"`) {
		var closed bool
		first, rest, closed = strings.Cut(line[1:], `"`)
		if !closed {
			return "", "", errors.New("a quote is not closed")
		}
	} else {
		i := strings.IndexAny(line, blank)
		if i < 0 {
			return "", "", errors.New("it has no key")
		}
		first, rest = line[:i], line[i:]
	}
	trimmed := strings.TrimLeft(rest, blank)
	if first == "" || strings.Contains(first, `"`) || trimmed == rest {
		return "", "", errors.New("it does not begin with principals")
	}
	return first, trimmed, nil
}

// cutOptions cuts the options off: up to the first blank that is in no quotes.
func cutOptions(text string) (options, rest string, err error) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] == '"':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(blank, c) >= 0:
			return text[:i], strings.TrimLeft(text[i:], blank), nil
		}
	}
	return "", "", errors.New("it has no key of a type that is known")
}

// options reads the options of a line.
func (s *signer) options(text string) error {
	seen := map[string]bool{}
	for more := true; more; {
		name, rest, _ := strings.Cut(text, "=")
		if i := strings.IndexByte(name, ','); i >= 0 || len(name) == len(text) { // it stands alone
			option, _, _ := strings.Cut(text, ",")
			if strings.EqualFold(option, "cert-authority") {
				return errors.New("cert-authority is not supported; name the keys themselves")
			}
			return fmt.Errorf("the option %.40q is not known", option)
		}
		value, behind, err := dequote(rest)
		if err != nil {
			return err
		}
		name = strings.ToLower(name)
		if seen[name] {
			return fmt.Errorf("the option %s is there twice", name)
		}
		seen[name] = true
		switch name {
		case "namespaces":
			s.namespaces = value
			if value == "" {
				err = errors.New("namespaces is empty")
			}
		case "valid-after":
			s.after, err = parseMoment(value)
		case "valid-before":
			s.before, err = parseMoment(value)
		default:
			err = fmt.Errorf("the option %.40q is not known", name)
		}
		if err != nil {
			return err
		}
		if more = behind != ""; more && (behind[0] != ',' || len(behind) == 1) {
			return fmt.Errorf("%.40q cannot follow an option", behind)
		}
		text = strings.TrimPrefix(behind, ",")
	}
	return nil
}

// dequote reads a quoted text; in it, only a quote is escaped.
func dequote(text string) (value, rest string, err error) {
	if !strings.HasPrefix(text, `"`) {
		return "", "", errors.New("the value of an option is not quoted")
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == '"':
			i++
			b.WriteByte('"')
		case text[i] == '"':
			return b.String(), text[i+1:], nil
		default:
			b.WriteByte(text[i])
		}
	}
	return "", "", errors.New("the value of an option is not closed")
}

// parseMoment reads YYYYMMDD[HHMM[SS]][Z].
func parseMoment(text string) (moment, error) {
	m := moment{text: text}
	if digits, utc := strings.CutSuffix(text, "Z"); utc {
		m.text, m.utc = digits, true
	}
	switch len(m.text) {
	case len("20060102"):
		m.layout = "20060102"
	case len("200601021504"):
		m.layout = "200601021504"
	case len("20060102150405"):
		m.layout = "20060102150405"
	}
	at, err := m.in(time.UTC)
	if m.layout == "" || err != nil || strings.Trim(m.text, "0123456789") != "" || at.Unix() <= 0 {
		return m, fmt.Errorf("%.40q is no time; write YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, with Z for UTC", text)
	}
	return m, nil
}

// algorithms are the types of keys that are known.
func algorithms() []string {
	return []string{
		ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
		ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256, ssh.KeyAlgoRSA,
	}
}

// parseKey reads a key: its type, and its bytes in base64 up to a comment.
func parseKey(algorithm, rest string) (ssh.PublicKey, error) {
	if !slices.Contains(algorithms(), algorithm) {
		return nil, fmt.Errorf("%.60q is no type of key that is known", algorithm)
	}
	text, _, _ := strings.Cut(rest, " ")
	blob, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("the key: %w", err)
	}
	key, err := ssh.ParsePublicKey(blob)
	if err != nil {
		return nil, fmt.Errorf("the key: %w", err)
	}
	if key.Type() != algorithm {
		return nil, fmt.Errorf("the key is of type %.60q and not %q", key.Type(), algorithm)
	}
	return key, nil
}

// strong refuses keys that are too weak to say who somebody is.
func strong(key ssh.PublicKey) error {
	if !slices.Contains(algorithms(), key.Type()) {
		return fmt.Errorf("keys of type %.60q are not supported", key.Type())
	}
	if c, ok := key.(ssh.CryptoPublicKey); ok {
		if r, ok := c.CryptoPublicKey().(*rsa.PublicKey); ok && r.N.BitLen() < minRSA {
			return fmt.Errorf("an RSA key of %d bits is too short, it has to have %d", r.N.BitLen(), minRSA)
		}
	}
	return nil
}

// allows reports who may sign with the key in this namespace at that time, or why
// nobody may.
func (a Allowed) allows(key ssh.PublicKey, namespace string, now time.Time) (principals, because string) {
	because = "the key is of no allowed signer"
	for _, s := range a.signers {
		if !bytes.Equal(s.key.Marshal(), key.Marshal()) {
			continue
		}
		switch {
		case s.namespaces != "" && !matchList(s.namespaces, namespace):
			because = fmt.Sprintf("the key is allowed for other namespaces than %s", namespace)
		case s.after.text != "" && !s.after.reached(now):
			because = "the key is not valid yet"
		case s.before.text != "" && s.before.passed(now):
			because = "the key is no longer valid"
		default:
			return s.principals, ""
		}
	}
	return "", because
}

// reached and passed compare as OpenSSH does, in whole seconds.
func (m moment) reached(now time.Time) bool {
	at, err := m.in(now.Location())
	return err == nil && now.Unix() >= at.Unix()
}

func (m moment) passed(now time.Time) bool {
	at, err := m.in(now.Location())
	return err != nil || now.Unix() > at.Unix()
}

// matchList holds text against patterns with commas between them, of which one that
// begins with ! excludes.
func matchList(patterns, text string) bool {
	found := false
	for p := range strings.SplitSeq(patterns, ",") {
		p, not := strings.CutPrefix(p, "!")
		if !match(p, text) {
			continue
		}
		if not {
			return false
		}
		found = true
	}
	return found
}

// match holds text against a pattern in which * stands for any text and ? for one
// byte. It goes back to the last * alone, so that its time is bounded.
func match(pattern, text string) bool {
	p, t, star, from := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
