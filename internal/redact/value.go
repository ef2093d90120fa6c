package redact

import "bytes"

// secret judges the value of a pair and returns where to go on, 0 when the value
// stays.
func (s *scanner) secret(p pair) int {
	in := s.in
	start := p.value
	slashes := 0
	for start+slashes < len(in) && in[start+slashes] == '\\' && slashes < 8 {
		slashes++
	}
	if start+slashes < len(in) && isQuote(in[start+slashes]) && (!p.quoted || slashes == p.slashes) && (slashes == 0 || slashes%2 == 1) {
		quote := in[start+slashes]
		start += slashes + 1
		end := s.quotedEnd(start, quote, slashes, lookahead)
		if !secretQuoted(p, in[start:end]) {
			return 0
		}
		return s.mark(start, s.quotedEnd(start, quote, slashes, len(in)), ruleSecret)
	}
	if p.assign {
		return 0
	}
	wide := environment(p)
	end := s.plainWithin(start, wide, lookahead)
	if !s.secretPlain(p, start, end) {
		return 0
	}
	return s.mark(start, s.plain(start, wide), ruleSecret)
}

// environment reports whether the pair is one of an environment: there a value
// goes on to the next blank, whatever it holds.
func environment(p pair) bool {
	if p.colon || p.spaced {
		return false
	}
	for _, c := range p.name {
		if !isUpper(c) && !isDigit(c) && c != '_' {
			return false
		}
	}
	return true
}

// quotedEnd returns where the quoted text at start ends, at most limit bytes
// further on: at its quote or at the end of the line. slashes backslashes stood
// before the opening quote, which is how deep the text is nested in others.
func (s *scanner) quotedEnd(start int, quote byte, slashes, limit int) int {
	in := s.in
	stop := len(in)
	if limit < stop-start {
		stop = start + limit
	}
	for i := start; i < stop; i++ {
		switch in[i] {
		case '\n', '\r', quote:
			return i
		case '"':
			if s.json {
				return i
			}
		case '\\':
			run := afterSlashes(in, i)
			if run == len(in) || in[run] == '\n' || in[run] == '\r' {
				return run
			}
			if in[run] != quote {
				i = run - (run-i+1)%2 // passes what is escaped
				continue
			}
			// One backslash of a text that is nested so that outer of them stand before
			// its quotes is outer+1 of them here.
			for outer := 0; outer <= slashes; outer = 2*outer + 1 {
				if left := run - i - outer; left >= 0 && left%(2*(outer+1)) == 0 {
					return i + left
				}
			}
			i = run
		}
	}
	return stop
}

// plain returns where the bare value at start ends. A wide one goes on to the
// next blank or quote, another one ends at punctuation of its surroundings.
func (s *scanner) plain(start int, wide bool) int {
	return s.plainWithin(start, wide, len(s.in))
}

func (s *scanner) plainWithin(start int, wide bool, limit int) int {
	in := s.in
	stop := len(in)
	if limit < stop-start {
		stop = start + limit
	}
	end := start
	for end < stop {
		c := in[end]
		if c <= 0x20 || c == 0x7f || isQuote(c) {
			break
		}
		if c == '\\' && end+1 < len(in) && (isEscape(in[end+1]) || isQuote(in[end+1]) || in[end+1] == '\\') {
			break
		}
		if !wide && isStop(c) {
			break
		}
		end++
	}
	for !wide && end > start && isClosing(in[end-1]) && end < start+lookahead {
		end--
	}
	return end
}

// secretQuoted judges the beginning of a quoted value.
func secretQuoted(p pair, value []byte) bool {
	if placeholder(p, value) {
		return false
	}
	// Behind a bare name, what looks like the opening quote can be the closing one
	// of a text that ends with the name: "enter the password:", …
	if !p.quoted && bytes.IndexByte([]byte(" \t,;:+)]}"), value[0]) >= 0 {
		return false
	}
	return p.certainty == strong || len(value) >= 6
}

// secretPlain judges the beginning in[start:end] of a bare value.
func (s *scanner) secretPlain(p pair, start, end int) bool {
	value := s.in[start:end]
	if placeholder(p, value) || bytes.IndexByte([]byte("[{(<"), value[0]) >= 0 {
		return false
	}
	number := allDigits(value)
	env := environment(p)
	call := !env && bytes.IndexByte(value, '(') >= 0
	likely := len(value) >= 8 && random(value)
	alone := p.spaced && s.endsLine(end)
	switch {
	case call:
		return false
	case p.certainty == strong && !p.spaced:
		return !p.colon || len(value) >= 3
	case p.certainty == strong:
		return p.lineStart && alone || (alone || p.option) && len(value) >= 6 && !lettersOnly(value) || likely
	case number:
		return env && len(value) > 6
	case env:
		return true
	case !p.spaced && !p.colon:
		return len(value) >= 4
	case p.spaced && p.colon && p.lineStart && alone:
		return len(value) >= 8
	}
	return likely
}

// endsLine reports whether nothing but punctuation follows in the line.
func (s *scanner) endsLine(i int) bool {
	const longest = 8
	for end := i; end < len(s.in) && end-i < longest; end++ {
		switch c := s.in[end]; {
		case c == '\n' || c == '\\' || isQuote(c):
			return true
		case !isBlank(c) && c != '\r' && bytes.IndexByte([]byte(",;)]}"), c) < 0:
			return false
		}
	}
	return true
}

func lettersOnly(b []byte) bool {
	for _, c := range b {
		if !isLetter(c) {
			return false
		}
	}
	return true
}

// placeholder reports whether value stands for a secret and is none: nothing, a
// mark, a reference, a verb of a format, the name itself.
func placeholder(p pair, value []byte) bool {
	if len(value) == 0 || bytes.HasPrefix(value, []byte(markStart)) || bytes.EqualFold(value, p.name) {
		return true
	}
	switch c := value[0]; c {
	case '*', '.', '-', '_':
		if len(bytes.Trim(value, "*._-")) == 0 {
			return true
		}
	case '<':
		return bytes.IndexByte(value, '>') > 0
	case '$', '#':
		if len(value) > 1 && (value[1] == '{' || value[1] == '(') || c == '$' && reference(value[1:]) {
			return true
		}
	case '{':
		return bytes.HasPrefix(value, []byte("{{"))
	case '%':
		if len(value) == 2 && isLetter(value[1]) || len(value) > 2 && value[len(value)-1] == '%' && reference(value[1:len(value)-1]) {
			return true
		}
	}
	switch string(bytes.ToLower(value[:min(len(value), 10)])) {
	case "null", "nil", "none", "undefined", "true", "false", "yes", "no", "on", "off", "required", "optional", "string",
		"redacted", "[redacted]", "[masked]":
		return true
	}
	return false
}

// reference reports whether b is the name of a variable.
func reference(b []byte) bool {
	for _, c := range b {
		if !isLetter(c) && c != '_' {
			return false
		}
	}
	return len(b) > 0
}

// isStop reports whether c ends a bare value.
func isStop(c byte) bool {
	switch c {
	case ',', ';', '&', '<', '>', '|':
		return true
	}
	return false
}

// isClosing reports whether c at the end of a bare value belongs to what is around it.
func isClosing(c byte) bool { return c == ')' || c == ']' || c == '}' || c == '.' }
