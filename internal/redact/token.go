package redact

// word looks at the run of letters and digits in[start:end] and what follows it,
// and returns where to go on.
func (s *scanner) word(start, end int) int {
	in := s.in
	size := end - start
	first := in[start]
	if start < s.wrapped {
		if e := keyRun(in, start); e-start >= leastBody {
			return s.mark(start, e, ruleKey)
		}
	}
	switch {
	case first == 'e' && size >= 3 && in[start+1] == 'y' && in[start+2] == 'J':
		if e := s.jwt(start); e > 0 {
			return s.mark(start, e, ruleJWT)
		}
	case first == 'A' && size == 20 && accessKey(in[start:end]),
		size == 52 && base32(in[start:end]),
		size == 84 && hasPrefixAt(in, start+76, "AZDO"),
		first == 'A' && size > 40 && hasPrefixAt(in, start, "ATATT3"):
		return s.mark(start, end, ruleToken)
	case first == 'A' && hasPrefixAt(in, start, "AIza"):
		if e := s.token.run64(in, start); e-start >= 39 {
			return s.mark(start, e, ruleToken)
		}
	case first == 'A' && hasPrefixAt(in, start, "AGE") && hasPrefixAt(in, end, "-SECRET-KEY-1"):
		if e := s.token.run64(in, end); e-end >= 40 {
			return s.mark(start, e, ruleKey)
		}
	case size == 6 && first|0x20 == 'b' && foldedEqual(in[start:end], "bearer"),
		size == 5 && first|0x20 == 'b' && foldedEqual(in[start:end], "basic"):
		if at, e := s.scheme(start, end); e > 0 {
			return s.mark(at, e, ruleAuth)
		}
	}
	if end < len(in) && (in[end] == '_' || in[end] == '-' || in[end] == '.') {
		if at, e := s.shaped(start, end); e > 0 {
			return s.mark(at, e, ruleToken)
		}
	}
	return end
}

// shaped finds a token whose head ends at end.
func (s *scanner) shaped(start, end int) (from, to int) {
	in := s.in
	for i := range s.words.shapes {
		t := &s.words.shapes[i]
		at := end - len(t.head)
		if at < start || at > start && !t.within || !hasPrefixAt(in, at, t.head) || !hasPrefixAt(in, end, t.rest) {
			continue
		}
		if at == start && !t.within && !s.begins(start) {
			continue
		}
		body := end + len(t.rest)
		stop := s.token.run64(in, body)
		if t.dots {
			for stop+1 < len(in) && in[stop] == '.' && is64(in[stop+1]) {
				stop = s.token.run64(in, stop+1)
			}
		}
		if stop-body >= t.least && (!t.mixed || mixed(in[body:stop])) {
			return at, stop
		}
	}
	return 0, 0
}

// mixed reports whether a body looks random: twenty letters and digits in a row,
// or digits and capitals among them. Words joined by hyphens do not.
func mixed(body []byte) bool {
	const enough = 128
	row := 0
	digit, upper := false, false
	for _, c := range body[:min(len(body), enough)] {
		if !isAlnum(c) {
			row = 0
			continue
		}
		row++
		digit = digit || isDigit(c)
		upper = upper || isUpper(c)
		if row >= 20 || digit && upper {
			return true
		}
	}
	return false
}

// accessKey reports whether w, 20 bytes, is an AWS key id.
func accessKey(w []byte) bool {
	switch string(w[:4]) {
	case "AKIA", "ASIA", "AGPA", "AIDA", "AROA", "AIPA", "ANPA", "ANVA", "ABIA", "ACCA":
	default:
		return false
	}
	for _, c := range w {
		if !isUpper(c) && !isDigit(c) {
			return false
		}
	}
	return true
}

// base32 reports whether w is lower-case base32, the form of an older personal
// access token of Azure DevOps when it is 52 bytes long.
func base32(w []byte) bool {
	for _, c := range w {
		if (c < 'a' || c > 'z') && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}

// jwt returns the end of the JSON Web Token at start, 0 when there is none: two
// parts that both begin like an encoded object, with or without a signature, or
// three to five parts of which the first does.
func (s *scanner) jwt(start int) int {
	const least = 8
	in := s.in
	head := s.token.run64(in, start)
	if head-start < least || head >= len(in) || in[head] != '.' {
		return 0
	}
	payload := s.payload.run64(in, head+1)
	if payload-head-1 < least {
		return 0
	}
	end, parts := payload, 2
	for parts < 5 && end+1 < len(in) && in[end] == '.' && is64(in[end+1]) {
		end = s.rest.run64(in, end+1)
		parts++
	}
	if parts >= 3 && end-payload > least || hasPrefixAt(in, head+1, "eyJ") {
		return end
	}
	return 0
}
