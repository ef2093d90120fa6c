package recording

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Style is how a cell looks. A color is "#rrggbb", or "" for the terminal's own.
type Style struct {
	Foreground, Background                        string
	Bold, Dim, Italic, Underline, Strike, Inverse bool
}

const esc = 0x1b

// escape cuts the sequence off that a line begins with. One without an end takes the
// rest of the line.
func escape(line string) (sequence, rest string) {
	switch {
	case len(line) < 2:
		return line, ""
	case line[1] == '[': // a byte from @ to ~ ends it
		for i := 2; i < len(line); i++ {
			if line[i] >= '@' && line[i] <= '~' {
				return line[:i+1], line[i+1:]
			}
		}
		return line, ""
	case line[1] == ']': // BEL or ST ends it
		end := len(line)
		for _, mark := range []string{"\a", "\x1b\\"} {
			if i := strings.Index(line, mark); i >= 0 {
				end = min(end, i+len(mark))
			}
		}
		return line[:end], line[end:]
	default:
		return line[:2], line[2:]
	}
}

// sgr returns the parameters of a sequence that selects a style.
func sgr(sequence string) ([]int, bool) {
	body, ok := strings.CutPrefix(sequence, "\x1b[")
	if !ok {
		return nil, false
	}
	if body, ok = strings.CutSuffix(body, "m"); !ok {
		return nil, false
	}
	var params []int
	for p := range strings.FieldsFuncSeq(body, func(r rune) bool { return r == ';' || r == ':' }) {
		n, err := strconv.Atoi(p)
		if err != nil {
			return nil, false
		}
		params = append(params, n)
	}
	if params == nil {
		params = []int{0}
	}
	return params, true
}

// with returns the style after a sequence; parameters that mean nothing here are
// passed over.
func (s Style) with(params []int) Style {
	for len(params) > 0 {
		p := params[0]
		params = params[1:]
		switch {
		case p == 0:
			s = Style{}
		case p == 1:
			s.Bold = true
		case p == 2:
			s.Dim = true
		case p == 3:
			s.Italic = true
		case p == 4:
			s.Underline = true
		case p == 7:
			s.Inverse = true
		case p == 9:
			s.Strike = true
		case p == 22:
			s.Bold, s.Dim = false, false
		case p == 23:
			s.Italic = false
		case p == 24:
			s.Underline = false
		case p == 27:
			s.Inverse = false
		case p == 29:
			s.Strike = false
		case p >= 30 && p <= 37:
			s.Foreground = indexed(p - 30)
		case p == 38:
			s.Foreground, params = color(params)
		case p == 39:
			s.Foreground = ""
		case p >= 40 && p <= 47:
			s.Background = indexed(p - 40)
		case p == 48:
			s.Background, params = color(params)
		case p == 49:
			s.Background = ""
		case p >= 90 && p <= 97:
			s.Foreground = indexed(p - 90 + 8)
		case p >= 100 && p <= 107:
			s.Background = indexed(p - 100 + 8)
		}
	}
	return s
}

// color reads what follows 38 or 48, and returns the parameters behind it.
func color(params []int) (string, []int) {
	inByte := func(n int) bool { return n >= 0 && n <= 255 }
	switch {
	case len(params) >= 2 && params[0] == 5 && inByte(params[1]):
		return indexed(params[1]), params[2:]
	case len(params) >= 4 && params[0] == 2 && !slices.ContainsFunc(params[1:4], func(n int) bool { return !inByte(n) }):
		return hex(params[1], params[2], params[3]), params[4:]
	}
	return "", nil
}

func hex(r, g, b int) string { return fmt.Sprintf("#%02x%02x%02x", r, g, b) }

// indexed returns one of 256 colors: 16 names, a cube, and grays.
func indexed(n int) string {
	names := [...]string{
		"#484f58", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#d0d7de",
		"#6e7681", "#ffa198", "#aff5b4", "#f2cc60", "#a5d6ff", "#e2c5ff", "#b3f0ff", "#ffffff",
	}
	level := func(n int) int {
		if n == 0 {
			return 0
		}
		return 55 + 40*n
	}
	switch {
	case n < len(names):
		return names[n]
	case n < 232:
		n -= 16
		return hex(level(n/36), level(n/6%6), level(n%6))
	}
	gray := 8 + 10*(n-232)
	return hex(gray, gray, gray)
}
