package redact

import (
	"bytes"
	"encoding/base64"
)

// lookahead bounds how much of a value is read to judge it.
const lookahead = 128

// scheme returns the credential that follows the word Bearer or Basic. In prose
// these words are followed by other words, so the credential has to look like one.
func (s *scanner) scheme(start, end int) (from, to int) {
	in := s.in
	if !s.begins(start) {
		return 0, 0
	}
	from = end
	for from < len(in) && isBlank(in[from]) && from-end < 4 {
		from++
	}
	if from == end {
		return 0, 0
	}
	to = token68(in, from)
	value := in[from:to]
	if end-start == len("basic") {
		if basic(value) {
			return from, to
		}
		return 0, 0
	}
	if len(value) >= 32 || len(value) >= 16 && random(value) {
		return from, to
	}
	return 0, 0
}

// token68 returns the end of the run of bytes that credentials of one word are
// made of, a full stop at its end left out.
func token68(in []byte, i int) int {
	end := i
	for end < len(in) && isToken68(in[end]) {
		end++
	}
	for end > i && in[end-1] == '.' {
		end--
	}
	return end
}

// basic reports whether value is the base64 of user:password.
func basic(value []byte) bool {
	if len(value) < 4 {
		return false
	}
	head := bytes.TrimRight(value[:min(len(value), lookahead)], "=")
	var text [lookahead]byte
	n, err := base64.RawStdEncoding.Decode(text[:], head[:len(head)-rest(len(head))])
	if err != nil {
		return false
	}
	colon := false
	for _, c := range text[:n] {
		colon = colon || c == ':'
		if c < 0x20 || c == 0x7f {
			return false
		}
	}
	return colon
}

// rest is how many of n base64 digits hold no whole byte.
func rest(n int) int {
	if n%4 == 1 {
		return 1
	}
	return 0
}

// random reports whether value has letters and digits.
func random(value []byte) bool {
	letter, digit := false, false
	for _, c := range value[:min(len(value), lookahead)] {
		letter = letter || isLetter(c)
		digit = digit || isDigit(c)
	}
	return letter && digit
}

// authorization looks at the value of an Authorization header at i and returns
// where to go on, 0 when it holds no credential.
func (s *scanner) authorization(i int) int {
	in := s.in
	i = s.opening(i)
	word := i
	for word < len(in) && is64(in[word]) && word-i < 32 {
		word++
	}
	value := word
	for value < len(in) && isBlank(in[value]) {
		value++
	}
	end := value
	switch {
	case value == word || !knownScheme(in[i:word]):
		value, end = i, s.plain(i, false)
		if n := end - value; n < 20 && (n < 8 || !random(in[value:end])) {
			return 0
		}
	case longScheme(in[i:word]):
		for end < len(in) && in[end] >= 0x20 && !isQuote(in[end]) && in[end] != '\\' {
			end++
		}
	default:
		if end = token68(in, value); end == value {
			end = s.plain(value, false)
		}
	}
	if end <= value || markEnd(in, value) > 0 {
		return 0
	}
	return s.mark(value, end, ruleAuth)
}

// opening passes what opens the value of a header at i: blanks, a quote with its
// backslashes, the bracket of a list.
func (s *scanner) opening(i int) int {
	in := s.in
	for i < len(in) {
		quote := afterSlashes(in, i)
		switch {
		case quote < len(in) && isQuote(in[quote]):
			i = quote + 1
		case isBlank(in[i]), in[i] == '[' && markEnd(in, i) == 0:
			i++
		default:
			return i
		}
	}
	return i
}

func knownScheme(w []byte) bool {
	for _, name := range []string{"bearer", "basic", "token", "negotiate", "ntlm", "apikey"} {
		if foldedEqual(w, name) {
			return true
		}
	}
	return longScheme(w)
}

// longScheme reports whether the credential of the scheme has several parts.
func longScheme(w []byte) bool {
	for _, name := range []string{"digest", "oauth", "hawk", "aws4-hmac-sha256"} {
		if foldedEqual(w, name) {
			return true
		}
	}
	return false
}

// cookie looks at the value of a Cookie or Set-Cookie header at i.
func (s *scanner) cookie(i int) int {
	in := s.in
	i = s.opening(i)
	if i >= len(in) || markEnd(in, i) > 0 {
		return 0
	}
	end, assigned := i, false
	for end < len(in) && in[end] >= 0x20 && !isQuote(in[end]) && in[end] != '\\' {
		assigned = assigned || in[end] == '='
		if end++; !assigned && end-i > lookahead {
			return 0
		}
	}
	if !assigned {
		return 0
	}
	return s.mark(i, end, ruleCookie)
}

// userinfo looks at the authority of a URL at i and returns where to go on, 0
// when it names no user. The last @ counts: passwords hold them too.
func (s *scanner) userinfo(i int) int {
	in := s.in
	at := 0
	end := i
	for end < len(in) && in[end] > 0x20 && !endsAuthority(in[end]) {
		if in[end] == '@' {
			at = end
		}
		end++
	}
	if at <= i || string(in[i:at]) == "git" || markEnd(in, i) == at {
		return 0
	}
	return s.mark(i, at, ruleUserinfo)
}

// endsAuthority reports whether c cannot stand in the authority of a URL.
func endsAuthority(c byte) bool {
	switch c {
	case '/', '?', '#', '\\', '<', '>', '"', '\'', '`', ',', '|':
		return true
	}
	return false
}

// at looks at the e-mail address around the @ at i.
func (s *scanner) at(i int) int {
	in := s.in
	floor := s.copied
	if s.edge <= i {
		floor = max(floor, s.edge)
	}
	from := i
	for from > floor && isLocal(in[from-1]) {
		from--
	}
	for from < i && in[from] == '.' {
		from++
	}
	to := i + 1
	for to < len(in) && (isAlnum(in[to]) || in[to] == '-' || in[to] == '.' || in[to] >= 0x80) && !hasPrefixAt(in, to, dashes) {
		to++
	}
	for to > i+1 && (in[to-1] == '.' || in[to-1] == '-') {
		to--
	}
	if from == i || !domain(in[i+1:to]) {
		return i + 1
	}
	// git@host:path is the address of a repository.
	if string(in[from:i]) == "git" && (to < len(in) && in[to] == ':' || hasPrefixAt(in, from-3, "://")) {
		return i + 1
	}
	return s.mark(from, to, ruleEmail)
}

func isLocal(c byte) bool {
	return is64(c) || c == '.' || c == '+' || c == '%' || c >= 0x80
}

// domain reports whether d can be the domain of an e-mail address, and is neither
// a version (pkg@v1.2.beta) nor the end of a file name (icon@2x.png).
func domain(d []byte) bool {
	dot := bytes.LastIndexByte(d, '.')
	if dot < 1 || len(d)-dot-1 < 2 || !isAlnum(d[0]) && d[0] < 0x80 {
		return false
	}
	for _, c := range d[dot+1:] {
		if !isLetter(c) {
			return false
		}
	}
	switch string(bytes.ToLower(d[dot+1:])) {
	case "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "js", "mjs", "cjs", "ts", "css", "json", "tgz", "gz",
		"service", "socket", "timer", "mount":
		return false
	}
	first := bytes.TrimPrefix(d[:bytes.IndexByte(d, '.')], []byte("v"))
	second := d[bytes.IndexByte(d, '.')+1:]
	return !allDigits(first) || !isDigit(second[0])
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return len(b) > 0
}
