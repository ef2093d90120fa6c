package recording

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func cells(style Style, texts ...string) []Cell {
	var out []Cell
	for _, t := range texts {
		out = append(out, Cell{Text: t, Style: style})
	}
	return out
}

func TestParse(t *testing.T) {
	red := Style{Foreground: "#ff7b72"}
	for name, c := range map[string]struct {
		captured string
		want     [][]Cell
	}{
		"plain":                    {"ab\n", [][]Cell{cells(Style{}, "a", "b")}},
		"no newline at the end":    {"a\nb", [][]Cell{cells(Style{}, "a"), cells(Style{}, "b")}},
		"an empty row":             {"a\n\nb\n", [][]Cell{cells(Style{}, "a"), nil, cells(Style{}, "b")}},
		"spaces stay":              {"a  \n", [][]Cell{cells(Style{}, "a", " ", " ")}},
		"a color":                  {"\x1b[31ma\x1b[39mb", [][]Cell{append(cells(red, "a"), cells(Style{}, "b")...)}},
		"a style over lines":       {"\x1b[31ma\nb\x1b[m\nc", [][]Cell{cells(red, "a"), cells(red, "b"), cells(Style{}, "c")}},
		"bright":                   {"\x1b[97;104ma", [][]Cell{cells(Style{Foreground: "#ffffff", Background: "#a5d6ff"}, "a")}},
		"256 colors":               {"\x1b[38;5;196;48;5;232ma", [][]Cell{cells(Style{Foreground: "#ff0000", Background: "#080808"}, "a")}},
		"true color":               {"\x1b[38;2;1;2;255ma", [][]Cell{cells(Style{Foreground: "#0102ff"}, "a")}},
		"true color, colons":       {"\x1b[38:2:1:2:255ma", [][]Cell{cells(Style{Foreground: "#0102ff"}, "a")}},
		"a color out of range":     {"\x1b[38;5;256ma", [][]Cell{cells(Style{}, "a")}},
		"half a color":             {"\x1b[38;2;1ma", [][]Cell{cells(Style{}, "a")}},
		"all looks":                {"\x1b[1;2;3;4;7;9ma", [][]Cell{cells(Style{Bold: true, Dim: true, Italic: true, Underline: true, Inverse: true, Strike: true}, "a")}},
		"all looks off":            {"\x1b[1;2;3;4;7;9m\x1b[22;23;24;27;29ma", [][]Cell{cells(Style{}, "a")}},
		"reset among others":       {"\x1b[1m\x1b[0;31ma", [][]Cell{cells(red, "a")}},
		"another sequence":         {"\x1b[2Ka\x1b[?25lb\x1b(Bc", [][]Cell{cells(Style{}, "a", "b", "B", "c")}},
		"a link":                   {"\x1b]8;;https://example.com\x1b\\a\x1b]8;;\ab", [][]Cell{cells(Style{}, "a", "b")}},
		"a sequence without end":   {"a\x1b[31", [][]Cell{cells(Style{}, "a")}},
		"an escape at the end":     {"a\x1b", [][]Cell{cells(Style{}, "a")}},
		"control characters":       {"a\x00\x07b", [][]Cell{cells(Style{}, "a", "b")}},
		"no UTF-8":                 {"a\xffb", [][]Cell{cells(Style{}, "a", "\uFFFD", "b")}},
		"what combines":            {"e\u0301x", [][]Cell{cells(Style{}, "e\u0301", "x")}},
		"what combines with none":  {"\u0301x", [][]Cell{cells(Style{}, "x")}},
		"wide":                     {"日x", [][]Cell{{{Text: "日", Wide: true}, {Text: "x"}}}},
		"a sign in another's form": {"☐\uFE0Ex", [][]Cell{cells(Style{}, "☐\uFE0E", "x")}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, Parse(c.captured).Rows); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestText(t *testing.T) {
	if got, want := Parse("\x1b[1ma b\x1b[0m  \n\n日\n").Text(), "a b\n\n日\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
