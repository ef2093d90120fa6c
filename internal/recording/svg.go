package recording

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Recording is what is drawn: screens one after the other, again and again.
type Recording struct {
	Title  string // what it is, also on the window
	About  string // what can be seen, for those who cannot
	Frames []Frame
	// Still is the frame that is shown where nothing may move: to those who asked for
	// less motion, and by viewers that know no animation.
	Still int
}

// Frame is a screen, how long it stays, and what it shows.
type Frame struct {
	Screen  Screen
	Seconds float64
	Step    string // a word or two, for the line of all steps; "" belongs to the step before
	Caption string // a sentence
}

// Measures of the drawing, in pixels.
const (
	cellWidth, cellHeight, fontSize = 8.4, 18.0, 14
	baseline                        = 13.5 // of a text, below the top of its cell
	margin                          = 18.0
	titleHeight                     = 38.0
	footHeight                      = 66.0
)

const (
	paper, ink, faint, bar, edge, accent = "#0d1117", "#e6edf3", "#8b949e", "#161b22", "#30363d", "#58a6ff"

	fonts = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
	sans  = "-apple-system,BlinkMacSystemFont,'Segoe UI','Noto Sans','DejaVu Sans',Helvetica,Arial,sans-serif"
)

// SVG returns the drawing. Each frame needs a time above 0.
func (r Recording) SVG() (string, error) {
	if r.Still < 0 || r.Still >= len(r.Frames) {
		return "", fmt.Errorf("the still frame is %d of %d", r.Still, len(r.Frames))
	}
	columns, rows, total := 0, 0, 0.0
	for i, f := range r.Frames {
		if f.Seconds <= 0 {
			return "", fmt.Errorf("frame %d is shown for %g seconds", i, f.Seconds)
		}
		rows, total = max(rows, len(f.Screen.Rows)), total+f.Seconds
		for _, row := range f.Screen.Rows {
			columns = max(columns, width(row))
		}
	}
	p := &page{
		width:  math.Ceil(2*margin + float64(columns)*cellWidth),
		screen: float64(rows) * cellHeight,
		colors: r.colors(),
	}
	p.height = titleHeight + margin/2 + p.screen + margin/2 + footHeight
	p.head(r, total)
	for i, f := range r.Frames {
		p.frame(r, i, f)
	}
	p.line("</svg>")
	return p.b.String(), nil
}

type page struct {
	b                     strings.Builder
	width, height, screen float64
	colors                []string
}

func (p *page) line(format string, args ...any) {
	fmt.Fprintf(&p.b, format+"\n", args...)
}

func (p *page) head(r Recording, total float64) {
	w, h := num(p.width), num(p.height)
	p.line(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img" aria-labelledby="t d">`, w, h, w, h)
	p.line(`<title id="t">%s</title>`, escaped(r.Title))
	p.line(`<desc id="d">%s</desc>`, escaped(r.About))
	p.line("<style>")
	p.line("text{font:%dpx %s;fill:%s}", fontSize, fonts, ink)
	p.line(".b{font-weight:700}.i{font-style:italic}.u{text-decoration:underline}.s{text-decoration:line-through}.d{opacity:.6}")
	p.line("text.n{font:12px %s;fill:%s}text.c{font:600 15px %s}text.n.a{fill:%s;font-weight:600}", sans, faint, sans, accent)
	for i, c := range p.colors {
		p.line(".c%d{fill:%s}", i, c)
	}
	p.line(".l{fill:none;stroke-width:1.2;stroke-linecap:square}")
	p.line(".f{visibility:hidden;animation:%ss step-end infinite}", num(total))
	p.line(".f.k{visibility:visible}")
	from := 0.0
	for i, f := range r.Frames {
		to := from + f.Seconds
		steps := ""
		if i > 0 {
			steps = "0%{visibility:hidden}"
		}
		steps += percent(from/total) + "{visibility:visible}"
		if i < len(r.Frames)-1 {
			steps += percent(to/total) + "{visibility:hidden}"
		}
		p.line("@keyframes k%d{%s}.k%d{animation-name:k%d}", i, steps, i, i)
		from = to
	}
	p.line("@media(prefers-reduced-motion:reduce){.f{animation:none}}")
	p.line("</style>")
	p.line(`<rect x=".5" y=".5" width="%s" height="%s" rx="10" fill="%s" stroke="%s"/>`, num(p.width-1), num(p.height-1), paper, edge)
	p.line(`<path d="M.5 %s v-%s a10 10 0 0 1 10 -10 h%s a10 10 0 0 1 10 10 v%s z" fill="%s" stroke="%s"/>`,
		num(titleHeight), num(titleHeight-10.5), num(p.width-21), num(titleHeight-10.5), bar, edge)
	for i, fill := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		p.line(`<circle cx="%s" cy="%s" r="6" fill="%s"/>`, num(margin+6+20*float64(i)), num(titleHeight/2), fill)
	}
	p.line(`<text class="n" x="%s" y="%s" text-anchor="middle">%s</text>`, num(p.width/2), num(titleHeight/2+4), escaped(r.Title))
	foot := p.height - footHeight
	p.line(`<path d="M.5 %s h%s" stroke="%s"/>`, num(foot), num(p.width-1), edge)
}

func (p *page) frame(r Recording, i int, f Frame) {
	still := ""
	if i == r.Still {
		still = " k"
	}
	p.line(`<g class="f k%d%s">`, i, still)
	for n, row := range f.Screen.Rows {
		p.row(row, titleHeight+margin/2+float64(n)*cellHeight)
	}
	p.foot(r, i, f)
	p.line("</g>")
}

// foot draws the caption, and the steps with the one that is shown.
func (p *page) foot(r Recording, i int, f Frame) {
	top := p.height - footHeight
	p.line(`<text class="c" x="%s" y="%s">%s</text>`, num(margin), num(top+27), escaped(f.Caption))
	now, count := -1, 0
	for n, other := range r.Frames {
		if other.Step != "" {
			count++
			if n <= i {
				now = count - 1
			}
		}
	}
	if count == 0 {
		return
	}
	each, n := (p.width-2*margin)/float64(count), 0
	for _, other := range r.Frames {
		if other.Step == "" {
			continue
		}
		x, class, fill := margin+each*float64(n), "n", edge
		if n <= now {
			fill = accent
		}
		if n == now {
			class = "n a"
		}
		p.line(`<rect x="%s" y="%s" width="%s" height="3" rx="1.5" fill="%s"/><text class="%s" x="%s" y="%s">%s</text>`,
			num(x), num(top+38), num(each-6), fill, class, num(x), num(top+55), escaped(other.Step))
		n++
	}
}

// run is what is drawn at once: cells of one look.
type run struct {
	column, columns int
	text            string
	style           Style
}

// row draws the backgrounds of a row, then what stands on them.
func (p *page) row(row []Cell, y float64) {
	for _, b := range grounds(row) {
		p.line(`<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`, num(left(b.column)), num(y), num(float64(b.columns)*cellWidth), num(cellHeight), b.style.Background)
	}
	for _, t := range runs(row) {
		length := ""
		if len(t.text) > 1 && plain(t.text[:1]) { // a font with other widths spaces letters otherwise
			length = fmt.Sprintf(` textLength="%s"`, num(float64(t.columns)*cellWidth))
		}
		p.line(`<text x="%s" y="%s"%s%s>%s</text>`, num(left(t.column)), num(y+baseline), length, p.look(t.style), escaped(t.text))
	}
	p.lines(row, y)
}

// lines draws frames and blocks, those of one look in one path.
func (p *page) lines(row []Cell, y float64) {
	type key struct {
		color  string
		filled bool
	}
	paths := map[key]*strings.Builder{}
	var order []key
	column := 0
	for _, c := range row {
		path, filled, ok := drawn(c.Text, left(column), y, cellWidth, cellHeight)
		column += c.columns()
		if !ok {
			continue
		}
		k := key{shown(c.Style).Foreground, filled}
		if paths[k] == nil {
			paths[k] = &strings.Builder{}
			order = append(order, k)
		}
		paths[k].WriteString(path)
	}
	for _, k := range order {
		d := paths[k].String()
		if k.filled {
			p.line(`<path fill="%s" d="%s"/>`, k.color, d)
		} else {
			p.line(`<path class="l" stroke="%s" d="%s"/>`, k.color, straight(d))
		}
	}
}

// straight joins the pieces of a horizontal line, which is most of what frames are
// made of: one that ends where the next begins is one line.
func straight(d string) string {
	segments := strings.Split(d, "M")[1:]
	var out []string
	for _, s := range segments {
		from, to, ok := strings.Cut(s, "L")
		if !ok || strings.ContainsAny(s, "QVH") {
			out = append(out, s)
			continue
		}
		fx, fy, _ := strings.Cut(from, " ")
		tx, ty, _ := strings.Cut(to, " ")
		if fy == ty && number(tx) < number(fx) { // from left to right
			fx, tx = tx, fx
		}
		s = fx + " " + fy + "L" + tx + " " + ty
		if last := len(out) - 1; last >= 0 && fy == ty {
			before, end, ok := strings.Cut(out[last], "L")
			_, by, _ := strings.Cut(before, " ")
			if ok && !strings.Contains(end, "Q") && by == fy && end == fx+" "+fy {
				out[last] = before + "L" + tx + " " + ty
				continue
			}
		}
		out = append(out, s)
	}
	return "M" + strings.Join(out, "M")
}

func number(s string) float64 {
	n, _ := strconv.ParseFloat(s, 64) // what num wrote
	return n
}

// grounds returns the runs of a row that have a background.
func grounds(row []Cell) []run {
	var out []run
	column := 0
	for _, c := range row {
		if s := shown(c.Style); s.Background != "" {
			last := len(out) - 1
			if last >= 0 && out[last].style.Background == s.Background && out[last].column+out[last].columns == column {
				out[last].columns += c.columns()
			} else {
				out = append(out, run{column: column, columns: c.columns(), style: s})
			}
		}
		column += c.columns()
	}
	return out
}

// runs returns the texts of a row. A character that fonts may not have, or not in the
// width of a cell, is a run of its own, so that it moves no other.
func runs(row []Cell) []run {
	var out []run
	column, open := 0, false
	for i, c := range row {
		s := shown(c.Style)
		_, _, isDrawn := drawn(c.Text, 0, 0, 1, 1)
		switch {
		case isDrawn:
			open = false
		case c.blank() && (!open || out[len(out)-1].style != s || i+1 >= len(row) || !plain(row[i+1].Text) || row[i+1].blank() || shown(row[i+1].Style) != s):
			open = false // a space is drawn only between words of one run
		case open && plain(c.Text) && out[len(out)-1].style == s:
			last := &out[len(out)-1]
			last.text, last.columns = last.text+c.Text, last.columns+c.columns()
		default:
			out = append(out, run{column, c.columns(), c.Text, s})
			open = plain(c.Text)
		}
		column += c.columns()
	}
	return out
}

func plain(text string) bool { return len(text) == 1 && text[0] >= ' ' && text[0] <= '~' }

// shown returns a style with inversion worked out, and with a color for what stands
// on the ground.
func shown(s Style) Style {
	if s.Foreground == "" {
		s.Foreground = ink
	}
	if s.Inverse {
		ground := s.Background
		if ground == "" {
			ground = paper
		}
		s.Foreground, s.Background, s.Inverse = ground, s.Foreground, false
	}
	return s
}

// look returns the attribute for the looks of a text.
func (p *page) look(s Style) string {
	var classes []string
	for _, c := range []struct {
		is   bool
		name string
	}{{s.Bold, "b"}, {s.Dim, "d"}, {s.Italic, "i"}, {s.Underline, "u"}, {s.Strike, "s"}} {
		if c.is {
			classes = append(classes, c.name)
		}
	}
	if s.Foreground != ink {
		classes = append(classes, fmt.Sprintf("c%d", slices.Index(p.colors, s.Foreground)))
	}
	if classes == nil {
		return ""
	}
	return ` class="` + strings.Join(classes, " ") + `"`
}

// colors returns the colors of the texts, each once.
func (r Recording) colors() []string {
	var out []string
	for _, f := range r.Frames {
		for _, row := range f.Screen.Rows {
			for _, c := range row {
				if color := shown(c.Style).Foreground; !slices.Contains(out, color) {
					out = append(out, color)
				}
			}
		}
	}
	return out
}

func left(column int) float64 { return margin + float64(column)*cellWidth }

func num(f float64) string { return strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64) }

func percent(part float64) string { return num(part*100) + "%" }

// escaped returns a text as XML takes it; what XML cannot hold becomes U+FFFD.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}
