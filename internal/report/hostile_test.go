package report_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/report"
)

// attacks are texts that would end a comment, a cell, a line, a tag or a colour.
func attacks() map[string]string {
	return map[string]string{
		"comment":    "x --> <!-- asterweave:end --> <!-- y",
		"script":     `x</td></table></pre><script>alert(1)</script><img src=x onerror=alert(1)>`,
		"attribute":  `x" onmouseover="alert(1)`,
		"pipe":       `x | y \| z || \\| w`,
		"newlines":   "x\n\n# heading\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n- item\r\n1. one",
		"fence":      "x\n```\n~~~\n`` ` ``",
		"link":       "x](javascript:alert(1)) [y](https://evil.example) ![z](https://evil.example/p.png) <https://evil.example>",
		"reference":  "x @everyone #12 GH-7 closes #1 !9 www.evil.example https://evil.example dev@example.com",
		"emphasis":   "x **pass** __pass__ ~~fail~~ $\\color{red}$ &lt;b&gt; &#124;",
		"terminal":   "x \x1b[2J\x1b[31mred\x1b[0m \x1b]0;title\x07 \r overwritten \b\b\x00",
		"bidi":       "x \u202eesrever\u202c \u2066hidden\u2069 \u200b\ufeff",
		"invalid":    "x \xff\xfe\xc3(",
		"template":   "x {{.Delivery.ID}} {{template \"state\" .}} %s %!d(MISSING)",
		"checkbox":   "[x] done - [ ] <input type=checkbox>",
		"details":    "x <details><summary>y</summary>",
		"autoclose":  "x --!> ]]> ?> /* */ // <![CDATA[",
		"backslash":  `x \`,
		"closing":    "x</details></summary></section></main></svg></title></style></li></ol>",
		"indented":   "    block\n\tof code",
		"setext":     "x\n===\n---",
		"definition": "[^1]: x\n[y]: javascript:alert(1)\n[y]",
	}
}

func hostile(attack string) texts {
	return texts{
		goal: attack, criterion: attack, summary: attack, reason: attack, finding: attack, path: "elsewhere/" + strings.ReplaceAll(attack, "\xff\xfe\xc3(", "?"), output: attack, argument: attack, answer: attack, agent: attack,
	}
}

// harmless has as many texts, and they mean nothing.
func harmless() texts { return hostile("x") }

// unfenced returns Markdown with each fenced block as one line, found as CommonMark
// finds them.
func unfenced(text string) string {
	var b strings.Builder
	begin := regexp.MustCompile("^ {0,3}(`{3,})[^`]*$|^ {0,3}(~{3,})")
	end := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		bare := strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(line, " "), " "), " "), " \t")
		switch m := begin.FindStringSubmatch(line); {
		case end != "" && len(bare) >= len(end) && strings.Trim(bare, end[:1]) == "":
			end = ""
		case end != "":
		case m != nil:
			end = m[1] + m[2]
			b.WriteString("- a fenced block\n")
		default:
			b.WriteString(line + "\n")
		}
	}
	if end != "" {
		b.WriteString("- it does not end\n")
	}
	return b.String()
}

// skeleton is the structure of Markdown: how each line begins, and its cells. Lines
// of a quote count as one.
func skeleton(text string) []string {
	var out []string
	begin := regexp.MustCompile(`^(?:#+ |> ?|- |  - |\|[-|]*$|<!-- .* -->$)?`)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		s := begin.FindString(line) + strings.Repeat("|", strings.Count(line, "|"))
		if strings.HasPrefix(s, ">") {
			s = ">"
			if len(out) > 0 && out[len(out)-1] == s {
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// tags returns the tags and comments of HTML, attributes included but for addresses.
func tags(text string) []string {
	var out []string
	for _, t := range regexp.MustCompile(`<[^>]*>`).FindAllString(text, -1) {
		out = append(out, regexp.MustCompile(`href="https:[^"]*"`).ReplaceAllString(t, "href"))
	}
	return out
}

func TestHostileMarkdown(t *testing.T) {
	plain := stages(t, harmless())
	for name, attack := range attacks() {
		nasty := stages(t, hostile(attack))
		for _, f := range []report.Format{report.Markdown, report.PRBody} {
			for _, stage := range []string{"retry", "done"} {
				want := unfenced(string(render(t, func(b *bytes.Buffer) error { return report.Report(b, f, plain[stage]) })))
				got := unfenced(string(render(t, func(b *bytes.Buffer) error { return report.Report(b, f, nasty[stage]) })))
				if d := cmp.Diff(skeleton(want), skeleton(got)); d != "" {
					t.Errorf("%s in %s at %s changes the structure:\n%s", name, f, stage, d)
				}
				for _, tag := range tags(got) {
					switch {
					case tag == "<code>" || tag == "</code>" || tag == report.Start || tag == report.End || strings.HasPrefix(tag, "<https://git.example.com/"):
					default:
						t.Errorf("%s in %s at %s: a tag %s", name, f, stage, tag)
					}
				}
				if f == report.PRBody && (strings.Count(got, report.Start) != 1 || strings.Count(got, report.End) != 1) {
					t.Errorf("%s: the markers are not unique", name)
				}
				if strings.Contains(regexp.MustCompile("`[^`]*`|\\\\.").ReplaceAllString(got, ""), "](") {
					t.Errorf("%s in %s at %s: a link", name, f, stage)
				}
			}
		}
	}
}

func TestHostileHTML(t *testing.T) {
	plain := stages(t, harmless())
	for name, attack := range attacks() {
		nasty := stages(t, hostile(attack))
		for _, stage := range []string{"approve", "paused", "done"} {
			want := render(t, func(b *bytes.Buffer) error { return report.Report(b, report.HTML, plain[stage]) })
			got := render(t, func(b *bytes.Buffer) error { return report.Report(b, report.HTML, nasty[stage]) })
			// A goal of several lines has a quote of its own.
			page := regexp.MustCompile(`<blockquote>[^<]*</blockquote>(\n<dl class="facts">\n<dt>Goal through)`).ReplaceAllString(string(got), "$1")
			if d := cmp.Diff(tags(string(want)), tags(page)); d != "" {
				t.Errorf("%s at %s changes the structure:\n%s", name, stage, d)
			}
			clean(t, name+" html "+stage, got)
		}
	}
}

// outputs are what a command may print to break out of a page, or to hide in it.
func outputs() map[string]string {
	return map[string]string{
		"tags":       "x</pre></details></div></details></section></main><script>alert(1)</script><details open><summary>y",
		"style":      "x</style><style>*{display:none}</style><svg onload=alert(1)><title></title></svg>",
		"colours":    "\x1b[38;2;255;0;0mred\x1b[0m \x1b[1;31mbold\x1b[m\x1b[2K\x1b[1A\x1b[?25l\x1b[>4;2m done",
		"titles":     "\x1b]0;title\x07\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\ \x1bPdevice\x1b\\ \x1b_app\x1b\\ \x1bc\x1b(0 x",
		"unended":    "x \x1b]0;never ended \x1b[31",
		"nul":        "x\x00\x00y\x07\x08\x7f\u0085z",
		"bidi":       "x \u202eesrever\u202c \u2066hidden\u2069 \u200b\ufeff\u2028y\u2029z",
		"invalid":    "x \xff\xfe\xc3( \xed\xa0\x80",
		"fences":     "x\n```\n````\n~~~\n   `````   \n```text\n# heading\n<!-- asterweave:end -->",
		"carriage":   "10%\r20%\r100%\r\nx",
		"one line":   strings.Repeat("x", 1<<20),
		"tag line":   strings.Repeat("</details>", 100_000),
		"fence line": strings.Repeat("`", 1<<20),
		"escapes":    "x " + strings.Repeat("\x1b[", 500_000),
		"unclosed":   strings.Repeat("\x1b]x", 300_000) + "x",
		"many lines": strings.Repeat("x </details>\n", 200_000),
		"wide":       strings.Repeat("漢", 300_000),
	}
}

// What a command printed is text wherever it is shown, and there is little of it.
func TestHostileOutput(t *testing.T) {
	of := func(output string, f report.Format) string {
		x := plain()
		x.output = output
		s := newStory(t)
		s.opened(x)
		s.retrying(x)
		in := s.input()
		return string(render(t, func(b *bytes.Buffer) error { return report.Report(b, f, in) }))
	}
	page, long := of("x", report.HTML), of(strings.Repeat("x\n", 200_000), report.HTML)
	text := unfenced(of("x", report.Markdown))
	for name, output := range outputs() {
		got, want := of(output, report.HTML), page
		if name == "many lines" {
			want = long
		}
		if d := cmp.Diff(tags(want), tags(got)); d != "" {
			t.Errorf("%s changes the structure of the page:\n%s", name, d)
		}
		if grown := len(got) - len(page); grown > 500_000 {
			t.Errorf("%s adds %d bytes to the page", name, grown)
		}
		clean(t, name+" html", []byte(got))
		mark := of(output, report.Markdown)
		clean(t, name+" md", []byte(mark))
		if got := unfenced(mark); got != text && name != "many lines" {
			t.Errorf("%s leaves its block in Markdown:\n%s", name, cmp.Diff(text, got))
		}
		var m report.Model
		if err := json.Unmarshal([]byte(of(output, report.JSON)), &m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		o := m.Evidence[len(m.Evidence)-1].Output
		if o == nil || o.Head == "" {
			t.Fatalf("%s: the output is not in the JSON: %+v", name, o)
		}
		clean(t, name+" json", []byte(o.Head+o.Tail))
		if name == "many lines" && (o.Lines() != 200_000 || strings.Count(o.Head, "\n")+strings.Count(o.Tail, "\n") > 100) {
			t.Errorf("%s: %d lines, %d of them left out", name, o.Lines(), o.Cut)
		}
	}
}

// clean fails when a terminal or a reader of plain text could be led astray.
func clean(t *testing.T, what string, text []byte) {
	t.Helper()
	for _, r := range string(text) {
		if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)) {
			t.Errorf("%s: character %U", what, r)
			return
		}
	}
}

func TestHostileTerminal(t *testing.T) {
	for name, attack := range attacks() {
		for stage, in := range stages(t, hostile(attack)) {
			for what, fn := range map[string]func(b *bytes.Buffer) error{
				"status": func(b *bytes.Buffer) error { return report.Status(b, engine.StatusOf(in.View), report.Options{}) },
				"trace":  func(b *bytes.Buffer) error { return report.Trace(b, in, report.Options{}) },
				"inbox":  func(b *bytes.Buffer) error { return report.Inbox(b, in, report.Options{}) },
				"log": func(b *bytes.Buffer) error {
					return in.Events(func(e ledger.Event) error {
						var line bytes.Buffer
						if err := report.Log(&line, e, report.Options{}); err != nil {
							return err
						}
						if n := bytes.Count(line.Bytes(), []byte("\n")); n != 1 {
							t.Errorf("%s: event %d has %d lines", name, e.Seq, n)
						}
						b.Write(line.Bytes())
						return nil
					})
				},
				"markdown": func(b *bytes.Buffer) error { return report.Report(b, report.Markdown, in) },
			} {
				clean(t, name+" "+what+" "+stage, render(t, fn))
			}
		}
	}
}

func TestHostileJSON(t *testing.T) {
	for name, attack := range attacks() {
		for stage, in := range stages(t, hostile(attack)) {
			out := render(t, func(b *bytes.Buffer) error { return report.Report(b, report.JSON, in) })
			var m report.Model
			if err := json.Unmarshal(out, &m); err != nil {
				t.Fatalf("%s at %s: %v", name, stage, err)
			}
			if want := strings.ToValidUTF8(attack, "\uFFFD"); m.Delivery.Goal != attack && name != "invalid" {
				t.Errorf("%s at %s: the goal is %q, not %q", name, stage, m.Delivery.Goal, want)
			}
		}
	}
}
