package recording

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cell is one character on the screen, with what combines with it. A wide one takes
// two columns.
type Cell struct {
	Text  string
	Wide  bool
	Style Style
}

// Screen is what a terminal shows, a line a row. A row ends with its last cell.
type Screen struct {
	Rows [][]Cell
}

// Parse reads a captured screen. A style goes on over the ends of lines, as it does in
// a terminal.
func Parse(captured string) Screen {
	var s Screen
	var now Style
	for line := range strings.Lines(captured) {
		var row []Cell
		row, now = parseLine(strings.TrimRight(line, "\r\n"), now)
		s.Rows = append(s.Rows, row)
	}
	return s
}

func parseLine(line string, now Style) ([]Cell, Style) {
	var row []Cell
	for line != "" {
		if line[0] == esc {
			var sequence string
			sequence, line = escape(line)
			if params, ok := sgr(sequence); ok {
				now = now.with(params)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(line)
		text := line[:size]
		line = line[size:]
		switch {
		case r == utf8.RuneError && size == 1:
			row = append(row, Cell{Text: string(utf8.RuneError), Style: now})
		case combines(r):
			if len(row) > 0 {
				row[len(row)-1].Text += text
			}
		case unicode.IsControl(r):
		default:
			row = append(row, Cell{Text: text, Wide: wide(r), Style: now})
		}
	}
	return row, now
}

// Text returns the screen as plain text, without spaces at the ends of rows.
func (s Screen) Text() string {
	var b strings.Builder
	for _, row := range s.Rows {
		var line strings.Builder
		for _, c := range row {
			line.WriteString(c.Text)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// width is the number of columns that a row takes.
func width(row []Cell) int {
	n := 0
	for _, c := range row {
		n += c.columns()
	}
	return n
}

func (c Cell) columns() int {
	if c.Wide {
		return 2
	}
	return 1
}

func (c Cell) blank() bool { return strings.TrimSpace(c.Text) == "" }

const zeroWidthJoiner = '\u200d'

func combines(r rune) bool {
	return r == zeroWidthJoiner || unicode.In(r, unicode.Mn, unicode.Me) || r >= 0xfe00 && r <= 0xfe0f
}

// wide reports whether a character takes two columns: those of East Asia, and emoji.
func wide(r rune) bool {
	for _, w := range [...]struct{ from, to rune }{
		{0x1100, 0x115f},
		{0x2e80, 0x303e},
		{0x3041, 0xa4cf},
		{0xac00, 0xd7a3},
		{0xf900, 0xfaff},
		{0xfe30, 0xfe6f},
		{0xff00, 0xff60},
		{0xffe0, 0xffe6},
		{0x1f300, 0x1f64f},
		{0x1f680, 0x1f6ff},
		{0x1f900, 0x1f9ff},
		{0x20000, 0x3fffd},
	} {
		if r >= w.from && r <= w.to {
			return true
		}
	}
	return false
}
