package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/asterweave/asterweave/internal/document"
)

// width is how many columns a screen has at most.
const width = 100

// Options of what is rendered for a terminal.
type Options struct {
	ASCII bool // the terminal shows nothing but ASCII
}

// screen collects lines of text for a terminal. Whatever is written to it must
// have gone through document.OneLine; wrapped does that by itself.
type screen struct {
	strings.Builder
	o Options
}

func (s *screen) line(text string) { s.WriteString(strings.TrimRight(text, " ") + "\n") }

// wrapped writes text after a lead, and its further lines as far to the right.
func (s *screen) wrapped(lead, text string) {
	s.hanging(lead, strings.Repeat(" ", columns(lead)), text)
}

// hanging writes text after a lead, and its further lines after another lead.
func (s *screen) hanging(lead, next, text string) {
	for _, l := range wrap(document.OneLine(text), width-max(columns(lead), columns(next))) {
		s.line(lead + l)
		lead = next
	}
}

// block writes each line of a text, wrapped, after the same lead.
func (s *screen) block(lead, text string) {
	for _, l := range document.Lines(text) {
		s.hanging(lead, lead, l)
	}
}

// heading begins a part.
func (s *screen) heading(text string) { s.line("\n" + text) }

// row writes cells in columns of these widths; the last one wraps.
func (s *screen) row(indent string, widths []int, cells ...string) {
	lead := indent
	for i, w := range widths {
		lead += pad(clip(document.OneLine(cells[i]), w), w) + "  "
	}
	if cells[len(widths)] == "" {
		s.line(lead)
		return
	}
	s.wrapped(lead, cells[len(widths)])
}

// flush writes the screen.
func (s *screen) flush(w io.Writer) error {
	text := s.String()
	if s.o.ASCII {
		text = ascii(text)
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// ascii replaces the signs of this package by such of ASCII, and others by "?".
func ascii(text string) string {
	text = strings.NewReplacer(
		"✓", "[x]", "▶", "[>]", "·", "[ ]", "✗", "[!]", "‖", "[=]", "…", "...", "→", "->",
		"├─ ", "|- ", "└─ ", "`- ", "│  ", "|  ", "×", "x", "–", "-", "—", "-",
	).Replace(text)
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII {
			return '?'
		}
		return r
	}, text)
}

// columns returns how many columns a text takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += cells(r)
	}
	return n
}

func cells(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul), r >= 0x1F300 && r <= 0x1FAFF, r >= 0xFF01 && r <= 0xFF60:
		return 2
	}
	return 1
}

// clip cuts a text that takes more than n columns.
func clip(s string, n int) string {
	if columns(s) <= n {
		return s
	}
	used := 0
	for i, r := range s {
		if used += cells(r); used > n-1 {
			return s[:i] + "…"
		}
	}
	return s
}

func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-columns(s))) }

// wrap breaks a text between words, and a word only when it is longer than a line.
func wrap(s string, n int) []string {
	n = max(n, 20)
	var out []string
	line, used := "", 0
	for word := range strings.FieldsSeq(s) {
		if line != "" && used+1+columns(word) <= n {
			line, used = line+" "+word, used+1+columns(word)
			continue
		}
		if line != "" {
			out = append(out, line)
		}
		for columns(word) > n {
			cut := fit(word, n)
			out = append(out, word[:cut])
			word = word[cut:]
		}
		line, used = word, columns(word)
	}
	if line != "" || len(out) == 0 {
		out = append(out, line)
	}
	return out
}

// fit returns how many bytes of a word take at most n columns.
func fit(word string, n int) int {
	used := 0
	for i, r := range word {
		if used += cells(r); used > n {
			return max(i, utf8.RuneLen(r))
		}
	}
	return len(word)
}
