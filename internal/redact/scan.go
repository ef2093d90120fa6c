package redact

import "bytes"

// scanner goes through text once. Rules look back only to the end of the span
// before, and where they look far ahead, they either take what they saw or keep
// where a run ends, so that no byte is looked at more than a fixed number of times.
type scanner struct {
	in     []byte
	out    []byte
	copied int // in[:copied] is in out
	edge   int // a word may begin here, whatever stands before: end of a span or an escape

	colour span // the terminal sequence seen last

	token   runCache // bytes of base64url
	payload runCache // the same, for the second part of a JWT
	rest    runCache // the same, for further parts
	words   *words
	json    bool // the line looks like one of JSON: a raw " ends whatever began in a text
	wrapped int  // up to here, lines of a private key stand between other text
	keyEnd  int  // next "-----END ", len(in) when there is none, -1 when not looked for
}

func scan(in []byte) []byte {
	s := scanner{in: in, keyEnd: -1, words: vocabulary()}
	s.line(0)
	for i := 0; i < len(in); {
		c := in[i]
		if isAlnum(c) {
			end := i + 1
			for end < len(in) && isAlnum(in[end]) {
				end++
			}
			i = s.word(i, end)
			continue
		}
		switch c {
		case '-':
			i = s.hyphen(i)
		case '@':
			i = s.at(i)
		case ':', '=':
			i = s.separator(i)
		case '[':
			if end := markEnd(in, i); end > 0 {
				i, s.edge = end, end
				continue
			}
			i++
		case '\\':
			i = s.escape(i)
		case '%':
			i++
			if i+1 < len(in) && isHex(in[i]) && isHex(in[i+1]) {
				i += 2
				s.edge = i
			}
		case '\n':
			i++
			s.line(i)
		case esc:
			i = s.sequence(i)
		default:
			i++
		}
	}
	if s.copied == 0 {
		return in
	}
	return append(s.out, in[s.copied:]...)
}

const esc = 0x1b

// mark replaces in[start:end] and returns end.
func (s *scanner) mark(start, end int, rule string) int {
	if s.out == nil {
		s.out = make([]byte, 0, len(s.in)+64)
	}
	s.out = append(s.out, s.in[s.copied:start]...)
	s.out = appendMark(s.out, rule)
	s.copied, s.edge = end, end
	return end
}

// line notes what kind of line begins at i.
func (s *scanner) line(i int) {
	for i < len(s.in) && isBlank(s.in[i]) {
		i++
	}
	s.json = i < len(s.in) && (s.in[i] == '{' || s.in[i] == '[' || s.in[i] == '"')
}

// escape passes backslashes and the letter that belongs to them, after which a
// word may begin: in JSON, \nghp_… holds a token.
func (s *scanner) escape(i int) int {
	for i < len(s.in) && s.in[i] == '\\' {
		i++
	}
	if i < len(s.in) && isEscape(s.in[i]) {
		if s.in[i] == 'u' && i+4 < len(s.in) && isHex(s.in[i+1]) && isHex(s.in[i+2]) && isHex(s.in[i+3]) && isHex(s.in[i+4]) {
			i += 4
		}
		i++
	}
	s.edge = i
	return i
}

// sequence passes a terminal's control sequence.
func (s *scanner) sequence(i int) int {
	end := sequenceEnd(s.in, i)
	s.colour, s.edge = span{i, end}, end
	return end
}

// sequenceEnd returns the end of the control sequence at i, i+1 when it is none.
func sequenceEnd(in []byte, i int) int {
	if i+1 >= len(in) || in[i+1] != '[' || markEnd(in, i+1) > 0 {
		return i + 1
	}
	const longest = 32
	for j := i + 2; j < len(in) && j < i+longest; j++ {
		if c := in[j]; c >= 0x40 && c <= 0x7e {
			return j + 1
		} else if c < 0x20 {
			break
		}
	}
	return i + 1
}

// begins reports whether nothing before i continues the word at i.
func (s *scanner) begins(i int) bool {
	if i == 0 || i == s.edge {
		return true
	}
	c := s.in[i-1]
	return !isAlnum(c) && c != '_' && c != '-'
}

// runCache keeps where a run of bytes ends, so that starting inside it again
// costs nothing.
type runCache struct{ start, end int }

// run64 returns the end of the run of base64url bytes at i.
func (c *runCache) run64(in []byte, i int) int {
	if c.start <= i && i < c.end {
		return c.end
	}
	end := i
	for end < len(in) && is64(in[end]) {
		end++
	}
	c.start, c.end = i, end
	return end
}

func hasPrefixAt(in []byte, i int, prefix string) bool {
	return i >= 0 && len(in)-i >= len(prefix) && string(in[i:i+len(prefix)]) == prefix
}

func foldedEqual(b []byte, lower string) bool {
	return len(b) == len(lower) && bytes.EqualFold(b, []byte(lower))
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isAlnum(c byte) bool  { return isLetter(c) || isDigit(c) }
func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func isHex(c byte) bool    { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
func is64(c byte) bool     { return isAlnum(c) || c == '-' || c == '_' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' }
func isQuote(c byte) bool  { return c == '"' || c == '\'' || c == '`' }

// isToken68 reports whether c is one of a credential of one word.
func isToken68(c byte) bool {
	switch c {
	case '.', '~', '+', '/', '=':
		return true
	}
	return is64(c)
}

func isEscape(c byte) bool {
	switch c {
	case 'n', 'r', 't', 'b', 'f', 'v', 'u':
		return true
	}
	return false
}
