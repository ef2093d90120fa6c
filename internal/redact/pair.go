package redact

import "bytes"

// certainty is how surely a name says that its value is a secret.
type certainty int

const (
	no   certainty = iota
	weak           // token, auth: also words of parsers and of prose
	strong
	headerAuth
	headerCookie
)

// pair is a name, a separator and what is known about the value.
type pair struct {
	name      []byte
	certainty certainty
	value     int  // where the value begins, behind blanks
	spaced    bool // blanks around the separator
	colon     bool
	assign    bool // := or =>, as in source code
	lineStart bool // the name begins its line
	quoted    bool // the name stands in quotes
	slashes   int  // backslashes before the name's closing quote
	option    bool // the name is an option of a command
}

// separator looks at the pair around the : or = at i and returns where to go on.
func (s *scanner) separator(i int) int {
	in := s.in
	if in[i] == ':' && hasPrefixAt(in, i, "://") && i > 0 && isAlnum(in[i-1]) {
		if end := s.userinfo(i + len("://")); end > 0 {
			return end
		}
		return i + 1
	}
	p, ok := s.pair(i)
	if !ok {
		return i + 1
	}
	var end int
	switch p.certainty {
	case headerAuth:
		end = s.authorization(p.value)
	case headerCookie:
		end = s.cookie(p.value)
	default:
		end = s.secret(p)
	}
	return max(end, i+1)
}

// pair reads the name before and the blanks after the separator at i.
func (s *scanner) pair(i int) (pair, bool) {
	in := s.in
	p := pair{colon: in[i] == ':', value: i + 1}
	end := i
	next := byte(0)
	if i+1 < len(in) {
		next = in[i+1]
	}
	prev := byte(0)
	if i > s.copied {
		prev = in[i-1]
	}
	switch {
	case p.colon && (next == '=' || next == ':' || prev == ':'):
		return p, false
	case p.colon:
	case next == '=' || next == '~' || isOperator(prev):
		return p, false
	case next == '>':
		p.assign, p.value = true, i+2
	case prev == ':':
		p.assign, end = true, i-1
	}
	for p.value < len(in) && isBlank(in[p.value]) {
		p.value++
		p.spaced = true
	}
	if p.value < len(in) && in[p.value] == esc {
		p.value = sequenceEnd(in, p.value)
	}
	start, stop := s.nameBefore(end)
	if stop-start < 3 {
		return p, false
	}
	p.spaced = p.spaced || isBlank(in[end-1])
	p.name = in[start:stop]
	p.slashes = afterSlashes(in, stop) - stop
	p.quoted = isQuote(in[stop+p.slashes]) && start > s.copied && in[start-1] == in[stop+p.slashes]
	p.certainty = s.words.classify(p.name)
	if p.certainty == no || p.colon && next != 0 && isDigit(next) && bytes.IndexByte(p.name, '.') >= 0 {
		return p, false // the second is a place in a file: token.go:12
	}
	p.lineStart = s.lineStart(start)
	return p, true
}

// nameBefore returns the name that ends at end, behind blanks, quotes, a closing
// bracket or a colour.
func (s *scanner) nameBefore(end int) (start, stop int) {
	in := s.in
	const longest = 100
	stop = end
	for stop > s.copied && isBlank(in[stop-1]) && end-stop < 8 {
		stop--
	}
	if stop == s.colour.end && s.colour.start >= s.copied {
		stop = s.colour.start
	}
	if stop-1 > s.copied && in[stop-1] == ']' && isQuote(in[stop-2]) {
		stop--
	}
	if stop > s.copied && isQuote(in[stop-1]) {
		for stop--; stop > s.copied && in[stop-1] == '\\'; {
			stop--
		}
	}
	start = stop
	floor := s.copied
	if s.edge <= stop {
		floor = max(floor, s.edge)
	}
	for start > floor && stop-start < longest && (is64(in[start-1]) || in[start-1] == '.') {
		start--
	}
	return start, stop
}

// lineStart reports whether nothing but blanks, a list mark or quotes stand before i
// in its line.
func (s *scanner) lineStart(i int) bool {
	const longest = 64
	for back := i; back > s.copied; back-- {
		switch c := s.in[back-1]; {
		case c == '\n':
			return true
		case !isBlank(c) && !isQuote(c) && c != '-' && c != '\r' || i-back > longest:
			return false
		}
	}
	return s.copied == 0
}

// classify says how surely a name's value is a secret.
func (w *words) classify(name []byte) certainty {
	const longest = 100
	var text [longest]byte
	low := text[:0]
	for _, c := range name {
		if len(low) == longest {
			break
		}
		if isAlnum(c) {
			if isUpper(c) {
				c |= 0x20
			}
			low = append(low, c)
		}
	}
	switch string(low) {
	case "authorization", "proxyauthorization":
		return headerAuth
	case "cookie", "setcookie":
		return headerCookie
	}
	c := w.certainty(name, low)
	if c == no || testName(name) || w.innocent(low) {
		return no
	}
	return c
}

// certainty looks for the words that make a name one of a secret; low is the name
// in lower case, without what joins its words.
func (w *words) certainty(name, low []byte) certainty {
	for _, part := range w.secret {
		if bytes.Contains(low, []byte(part)) {
			return strong
		}
	}
	switch {
	case bytes.HasSuffix(name, []byte("_PASS")), bytes.HasSuffix(name, []byte("_PWD")):
		return strong
	case bytes.Contains(low, []byte("token")),
		bytes.HasSuffix(name, []byte("_auth")), bytes.HasSuffix(name, []byte("_AUTH")),
		bytes.HasPrefix(name, []byte("PRIVATE_")), bytes.Contains(name, []byte("_PRIVATE")):
		return weak
	}
	return no
}

// testName reports whether the name is one of a Go test.
func testName(name []byte) bool {
	for _, p := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if bytes.HasPrefix(name, []byte(p)) && len(name) > len(p) && isUpper(name[len(p)]) {
			return true
		}
	}
	return false
}

// option looks at an option --name at i that is followed by a value of its own,
// on a command line or in a list of words, and returns where to go on.
func (s *scanner) option(i int) int {
	const longest = 64
	in := s.in
	stop := i + 2
	for stop < len(in) && is64(in[stop]) && stop-i < longest {
		stop++
	}
	name := in[i+2 : stop]
	if len(name) < 3 {
		return 0
	}
	p := pair{name: name, certainty: s.words.classify(name), spaced: true, option: true}
	if p.certainty != weak && p.certainty != strong {
		return 0
	}
	v := stop
	for v < len(in) && isBlank(in[v]) {
		v++
	}
	if v == stop { // not "--name value" but "--name","value"
		quote := afterSlashes(in, v)
		if quote >= len(in) || !isQuote(in[quote]) {
			return 0
		}
		p.quoted, p.slashes = true, quote-v
		v = quote + 1
		for v < len(in) && v-stop < longest && (isBlank(in[v]) || in[v] == ',' || in[v] == '\n' || in[v] == '\r') {
			v++
		}
		if quote = afterSlashes(in, v); quote >= len(in) || !isQuote(in[quote]) {
			return 0
		}
	}
	first := afterSlashes(in, v)
	if first < len(in) && isQuote(in[first]) {
		first++
	}
	if first >= len(in) || in[first] == '-' || in[first] < 0x20 {
		return 0
	}
	p.value = v
	return s.secret(p)
}

// afterSlashes passes backslashes.
func afterSlashes(in []byte, i int) int {
	for i < len(in) && in[i] == '\\' {
		i++
	}
	return i
}

// isOperator reports whether c makes an operator of the = behind it.
func isOperator(c byte) bool {
	switch c {
	case '=', '!', '<', '>', '+', '-', '*', '/', '~', '|', '^', '&':
		return true
	}
	return false
}
