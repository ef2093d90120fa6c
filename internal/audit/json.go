package audit

// maxNesting bounds the recursion; it is that of encoding/json.
const maxNesting = 10000

// value passes one JSON value without white space between its tokens.
func (r *reader) value(depth int) {
	if depth > maxNesting {
		r.stop("nests too deep")
		return
	}
	switch c := r.peek(); {
	case c == '{':
		r.members('}', depth, true)
	case c == '[':
		r.members(']', depth, false)
	case c == '"':
		r.text()
	case c == '-' || '0' <= c && c <= '9':
		r.number()
	case c == 't':
		r.word("true")
	case c == 'f':
		r.word("false")
	case c == 'n':
		r.word("null")
	default:
		r.stop("has malformed JSON at byte %d", r.at)
	}
}

// members passes the inside of an object or a list.
func (r *reader) members(end byte, depth int, keyed bool) {
	r.at++
	if r.peek() == end {
		r.at++
		return
	}
	for r.err == nil {
		if keyed {
			r.text()
			r.want(':')
		}
		r.value(depth + 1)
		if r.peek() != ',' {
			break
		}
		r.at++
	}
	r.want(end)
}

func (r *reader) want(c byte) {
	if r.err != nil {
		return
	}
	if r.peek() != c {
		r.stop("has malformed JSON at byte %d", r.at)
		return
	}
	r.at++
}

func (r *reader) word(w string) {
	for i := range len(w) {
		r.want(w[i])
	}
}

func (r *reader) text() {
	r.want('"')
	for r.err == nil {
		switch c := r.peek(); {
		case c == '"':
			r.at++
			return
		case c == '\\':
			r.at++
			r.escape()
		case c < ' ': // also the end of the body
			r.stop("has malformed JSON at byte %d", r.at)
		default:
			r.at++
		}
	}
}

func (r *reader) escape() {
	switch r.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		r.at++
	case 'u':
		r.at++
		for range 4 {
			c := r.peek()
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
				r.stop("has malformed JSON at byte %d", r.at)
				return
			}
			r.at++
		}
	default:
		r.stop("has malformed JSON at byte %d", r.at)
	}
}

func (r *reader) number() {
	if r.peek() == '-' {
		r.at++
	}
	if r.peek() == '0' {
		r.at++
	} else {
		r.digits()
	}
	if r.peek() == '.' {
		r.at++
		r.digits()
	}
	if c := r.peek(); c == 'e' || c == 'E' {
		r.at++
		if c := r.peek(); c == '+' || c == '-' {
			r.at++
		}
		r.digits()
	}
}

// digits passes at least one digit.
func (r *reader) digits() {
	start := r.at
	for c := r.peek(); '0' <= c && c <= '9'; c = r.peek() {
		r.at++
	}
	if r.at == start {
		r.stop("has malformed JSON at byte %d", r.at)
	}
}
