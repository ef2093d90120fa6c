package redact

import "bytes"

const (
	keyBegin = "-----BEGIN "
	keyEnd   = "-----END "
	keyName  = "PRIVATE KEY"
	dashes   = "-----"

	leastBody = 16 // bytes of a line that is taken for one of a key
)

// hyphen looks at what a hyphen begins: a private key, or an option of a command
// line that is followed by a secret.
func (s *scanner) hyphen(i int) int {
	in := s.in
	if i+1 >= len(in) || in[i+1] != '-' {
		return i + 1
	}
	if hasPrefixAt(in, i, dashes) {
		if end := s.privateKey(i); end > 0 {
			return end
		}
		return i + 1
	}
	if i == 0 || i == s.edge || in[i-1] != '-' && !isAlnum(in[i-1]) {
		if end := s.option(i); end > 0 {
			return end
		}
	}
	return i + 1
}

// privateKey marks the private key that begins, or whose last part ends, at i.
func (s *scanner) privateKey(i int) int {
	if end := label(s.in, i, keyBegin); end > 0 {
		return s.mark(i, s.keyBody(end), ruleKey)
	}
	if end := label(s.in, i, keyEnd); end > 0 {
		return s.mark(s.keyTail(i), end, ruleKey)
	}
	return 0
}

// label returns the end of a line such as -----BEGIN RSA PRIVATE KEY-----, 0 when
// there is none at i.
func label(in []byte, i int, kind string) int {
	const longest = 64
	if !hasPrefixAt(in, i, kind) {
		return 0
	}
	start := i + len(kind)
	stop := start
	for stop < len(in) && stop-start < longest && (isUpper(in[stop]) || isDigit(in[stop]) || in[stop] == ' ') {
		stop++
	}
	if !hasPrefixAt(in, stop, dashes) || !bytes.Contains(in[start:stop], []byte(keyName)) {
		return 0
	}
	return stop + len(dashes)
}

// keyBody returns the end of the key whose first line ends at i: its last line
// where there is one in reach, else what looks like its body. Where quotes stand
// between them, the lines of the key are wrapped in other text, such as objects of
// JSON; then each of them is marked when the scan comes to it.
func (s *scanner) keyBody(i int) int {
	const reach = 64 << 10
	if i < s.wrapped {
		return i
	}
	if s.keyEnd < i {
		s.keyEnd = len(s.in)
		if at := bytes.Index(s.in[i:], []byte(keyEnd)); at >= 0 {
			s.keyEnd = i + at
		}
	}
	if s.keyEnd-i <= reach && s.keyEnd < len(s.in) {
		if end := label(s.in, s.keyEnd, keyEnd); end > 0 {
			if bytes.IndexByte(s.in[i:s.keyEnd], '"') < 0 {
				return end
			}
			s.wrapped = s.keyEnd
		}
	}
	end := keyRun(s.in, i) // on one line, with escaped line ends
	if end-i < leastBody {
		end = i
	}
	line, at := nextLine(s.in, end)
	if len(bytes.TrimSpace(line)) > 0 {
		return end
	}
	for at < len(s.in) {
		line, next := nextLine(s.in, at)
		if !bodyLine(line) {
			break
		}
		end, at = at+len(bytes.TrimRight(line, "\r")), next
	}
	return end
}

// keyRun returns the end of the run of a key's bytes at i, without the backslashes
// of a quote that follows.
func keyRun(in []byte, i int) int {
	end := i
	for end < len(in) && isKeyByte(in[end]) {
		end++
	}
	for end > i && in[end-1] == '\\' {
		end--
	}
	return end
}

// keyTail returns where the body begins whose last line, ----- END, is at i, when
// the first line was cut off.
func (s *scanner) keyTail(i int) int {
	start := s.lineBegin(i)
	if len(bytes.TrimSpace(s.in[start:i])) > 0 { // on one line, with escaped line ends
		for start = i; start > s.copied && isKeyByte(s.in[start-1]); {
			start--
		}
		return start
	}
	for start > s.copied {
		begin := s.lineBegin(start - 1)
		if !bodyLine(s.in[begin : start-1]) {
			return start
		}
		start = begin
	}
	return start
}

// lineBegin returns where the line that holds i begins, as far as it was not
// marked.
func (s *scanner) lineBegin(i int) int {
	return s.copied + bytes.LastIndexByte(s.in[s.copied:i], '\n') + 1
}

func nextLine(in []byte, at int) (line []byte, next int) {
	end := bytes.IndexByte(in[at:], '\n')
	if end < 0 {
		return in[at:], len(in)
	}
	return in[at : at+end], at + end + 1
}

// bodyLine reports whether a line looks like one of an encoded key: base64 and
// escaped line ends, or one of the headers of an encrypted key.
func bodyLine(line []byte) bool {
	line = bytes.TrimSpace(line)
	if bytes.HasPrefix(line, []byte("Proc-Type:")) || bytes.HasPrefix(line, []byte("DEK-Info:")) {
		return true
	}
	for _, c := range line {
		if !isKeyByte(c) {
			return false
		}
	}
	return len(line) >= leastBody
}

func isKeyByte(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' || c == '\\' }
