package recording

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// element is an element of a drawing with the text that is directly in it.
type element struct {
	Name       string
	Attributes map[string]string
	Text       string
}

// elements reads a drawing as any reader of XML does.
func elements(t *testing.T, svg string) []element {
	t.Helper()
	var all []element
	var open []int
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("no XML: %v\n%s", err, svg)
		}
		switch v := token.(type) {
		case xml.StartElement:
			e := element{Name: v.Name.Local, Attributes: map[string]string{}}
			for _, a := range v.Attr {
				e.Attributes[a.Name.Local] = a.Value
			}
			open, all = append(open, len(all)), append(all, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				all[open[len(open)-1]].Text += string(v)
			}
		}
	}
}

func draw(t *testing.T, frames ...Frame) []element {
	t.Helper()
	svg, err := Recording{Title: "a title", About: "what is seen", Frames: frames}.SVG()
	if err != nil {
		t.Fatal(err)
	}
	return elements(t, svg)
}

// words are the texts of the screen, each with its column and its class.
func words(t *testing.T, captured string) [][3]string {
	t.Helper()
	var out [][3]string
	for _, e := range draw(t, Frame{Screen: Parse(captured), Seconds: 1})[1:] {
		if e.Name != "text" || e.Text == "" || strings.Contains(e.Attributes["class"], "n") || e.Attributes["class"] == "c" {
			continue
		}
		column := (number(e.Attributes["x"]) - margin) / cellWidth
		out = append(out, [3]string{e.Text, num(column), e.Attributes["class"]})
		if want := float64(len(e.Text)) * cellWidth; len(e.Text) > 1 && e.Text[0] < 0x80 && e.Attributes["textLength"] != num(want) {
			t.Errorf("%q is %s wide, want %s", e.Text, e.Attributes["textLength"], num(want))
		}
	}
	return out
}

func TestTextsStandInTheirColumns(t *testing.T) {
	for name, c := range map[string]struct {
		captured string
		want     [][3]string
	}{
		"words of a look are one text":   {"ab cd", [][3]string{{"ab cd", "0", ""}}},
		"gaps are not drawn":             {"  a   b  ", [][3]string{{"a", "2", ""}, {"b", "6", ""}}},
		"another look":                   {"a \x1b[1mb\x1b[0m c", [][3]string{{"a", "0", ""}, {"b", "2", "b"}, {"c", "4", ""}}},
		"a space of another look":        {"2.\x1b[1m \x1b[0mx", [][3]string{{"2.", "0", ""}, {"x", "3", ""}}},
		"a sign that fonts may not have": {"a ● b", [][3]string{{"a", "0", ""}, {"●", "2", ""}, {"b", "4", ""}}},
		"wide characters":                {"日本 a", [][3]string{{"日", "0", ""}, {"本", "2", ""}, {"a", "5", ""}}},
		"lines are no text":              {"│ a │", [][3]string{{"a", "2", ""}}},
		"markup":                         {`<b>&"'`, [][3]string{{`<b>&"'`, "0", ""}}},
		"looks and a color":              {"\x1b[2;3;4;9;31mx", [][3]string{{"x", "0", "d i u s c0"}}},
		"what XML cannot hold":           {"a\uFFFE", [][3]string{{"a", "0", ""}, {"\uFFFD", "1", ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, words(t, c.captured)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestInverseAndBackground(t *testing.T) {
	var got []string
	for _, e := range draw(t, Frame{Screen: Parse("\x1b[7mab\x1b[27m \x1b[48;2;1;2;3m  \x1b[0m"), Seconds: 1}) {
		if e.Name == "rect" && e.Attributes["height"] == num(cellHeight) {
			got = append(got, e.Attributes["fill"]+" "+num((number(e.Attributes["x"])-margin)/cellWidth)+" "+num(number(e.Attributes["width"])/cellWidth))
		}
	}
	if d := cmp.Diff([]string{ink + " 0 2", "#010203 3 2"}, got); d != "" {
		t.Error(d)
	}
}

// A line of a frame is one stroke from its corner on, without a gap at a cell's edge.
func TestLinesOfFrames(t *testing.T) {
	var got []string
	for _, e := range draw(t, Frame{Screen: Parse("──\n▀"), Seconds: 1}) {
		if e.Name == "path" && e.Attributes["d"] != "" && (e.Attributes["class"] == "l" || e.Attributes["fill"] == ink) {
			got = append(got, e.Attributes["d"])
		}
	}
	want := []string{"M18 56L34.8 56", "M18 65h8.4v9h-8.4z"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestEverythingDrawnHasAPath(t *testing.T) {
	for _, r := range "─━╌┄│┃╎┆┌┐└┘├┤┬┴┼╭╮╰╯█▀▄▌▐▔▁▎▘▝▖▗▛▜▙▟▚▞⎿⏵" {
		if path, _, ok := drawn(string(r), 0, 0, 8, 16); !ok || !strings.HasPrefix(path, "M") {
			t.Errorf("%c: %q", r, path)
		}
	}
	if _, _, ok := drawn("a", 0, 0, 8, 16); ok {
		t.Error("a letter is drawn")
	}
}

func TestFramesFollowEachOther(t *testing.T) {
	r := Recording{Title: "t", About: "d", Still: 1, Frames: []Frame{
		{Screen: Parse("one"), Seconds: 1, Step: "first", Caption: "the first"},
		{Screen: Parse("two"), Seconds: 2, Caption: "the second"},
		{Screen: Parse("three"), Seconds: 1, Step: "last", Caption: "the third"},
	}}
	svg, err := r.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"animation:4s step-end infinite",
		"@keyframes k0{0%{visibility:visible}25%{visibility:hidden}}",
		"@keyframes k1{0%{visibility:hidden}25%{visibility:visible}75%{visibility:hidden}}",
		"@keyframes k2{0%{visibility:hidden}75%{visibility:visible}}",
		"@media(prefers-reduced-motion:reduce){.f{animation:none}}",
		`<g class="f k0">`, `<g class="f k1 k">`, `<g class="f k2">`,
		"the first", "the second", "the third",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in it", want)
		}
	}
	var steps []string // of all frames, the current one marked
	for _, e := range elements(t, svg) {
		if e.Name == "text" && strings.HasPrefix(e.Attributes["class"], "n") && e.Attributes["text-anchor"] == "" {
			steps = append(steps, strings.TrimPrefix(e.Attributes["class"], "n")+e.Text)
		}
	}
	if d := cmp.Diff([]string{" afirst", "last", " afirst", "last", "first", " alast"}, steps); d != "" {
		t.Error(d)
	}
}

func TestForReadersOfTheScreen(t *testing.T) {
	all := draw(t, Frame{Screen: Parse("x"), Seconds: 1})
	if all[0].Attributes["role"] != "img" || all[0].Attributes["aria-labelledby"] != "t d" {
		t.Errorf("the drawing is %+v", all[0].Attributes)
	}
	text := func(id string) string {
		i := slices.IndexFunc(all, func(e element) bool { return e.Attributes["id"] == id })
		return all[i].Text
	}
	if text("t") != "a title" || text("d") != "what is seen" {
		t.Errorf("%q, %q", text("t"), text("d"))
	}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	for name, r := range map[string]Recording{
		"nothing":                {},
		"a still that is none":   {Still: 1, Frames: []Frame{{Seconds: 1}}},
		"a frame without a time": {Frames: []Frame{{}}},
	} {
		if _, err := r.SVG(); err == nil {
			t.Errorf("%s is drawn", name)
		}
	}
}

// Whatever a terminal shows, the drawing is XML that loads and runs nothing.
func FuzzSVG(f *testing.F) {
	f.Add("\x1b[31m<script>alert(1)</script>\x1b[0m", "a & b")
	f.Add("\x1b]8;;javascript:x\a日\x1b[7m \xff ╭─╮", "<image href='https://example.com'/>")
	f.Fuzz(func(t *testing.T, captured, words string) {
		svg, err := Recording{Title: words, About: words, Frames: []Frame{{Screen: Parse(captured), Seconds: 1, Step: words, Caption: words}}}.SVG()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range elements(t, svg) {
			if !slices.Contains([]string{"svg", "title", "desc", "style", "rect", "path", "circle", "text", "g"}, e.Name) {
				t.Errorf("there is a %s", e.Name)
			}
			for name, value := range e.Attributes {
				if strings.HasPrefix(name, "on") || name == "href" || strings.Contains(value, "url(") {
					t.Errorf("%s has %s=%q", e.Name, name, value)
				}
			}
		}
	})
}
