package report

import (
	"html"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/asterweave/asterweave/internal/document"
)

// nasty are pieces that mean something in Markdown, HTML or a terminal.
func nasty() []string {
	return []string{
		"-->", "<!--", "<!-- asterweave:end -->", "<script>alert(1)</script>", "</code>", "|", "\\|", "\\", "\n", "\r\n", "`", "```", "~~~", "](javascript:alert(1))", "[a](b)", "![x](y)",
		"# h", "- [ ] x", "1. one", "2) two", "> q", "***", "---", "===", "__b__", "~~s~~", "$x$", "@dev", "#12", "GH-3", "!7", "www.evil.example", "https://evil.example", "dev@example.com",
		"&lt;", "&#124;", "\x1b[2J", "\x1b]0;t\x07", "\u202e", "\u200b", "\x00", "\t", "    code", "a_b", " ", "x", "Ω", "漢字", ":", "|---|", "[^1]:", "<details>", "*", "_",
	}
}

func nastyText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(nasty()), rapid.String()), 0, 6).Draw(t, "text"), "")
}

// plainOf undoes prose.
func plainOf(s string) string {
	s = strings.ReplaceAll(s, joiner, "")
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return html.UnescapeString(b.String())
}

func TestProseIsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := nastyText(t)
		out := prose(in)
		if strings.ContainsAny(out, "<>|`$\n\r\t\x1b\u202e") {
			t.Fatalf("prose(%q) = %q", in, out)
		}
		if got, want := plainOf(out), document.OneLine(in); got != want {
			t.Fatalf("prose(%q) reads %q, not %q", in, got, want)
		}
		for _, links := range []string{"www.", "://"} {
			if strings.Contains(strings.ToLower(out), links) {
				t.Fatalf("prose(%q) = %q has a link", in, out)
			}
		}
		for i := range len(out) {
			if escaped := i > 0 && out[i-1] == '\\'; strings.IndexByte("*[]~", out[i]) >= 0 && !escaped {
				t.Fatalf("prose(%q) = %q has a bare %c", in, out, out[i])
			}
		}
		if out != "" && strings.IndexByte("#+-=_ ", out[0]) >= 0 {
			t.Fatalf("prose(%q) = %q begins something", in, out)
		}
	})
}

func TestCodeStaysOneSpan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := nastyText(t)
		out := code(in)
		want := document.OneLine(in)
		if want == "" {
			if out != "" {
				t.Fatalf("code(%q) = %q", in, out)
			}
			return
		}
		if inner, ok := strings.CutPrefix(out, "`"); ok {
			if inner != want+"`" || strings.ContainsAny(want, "`|<>\\&") {
				t.Fatalf("code(%q) = %q", in, out)
			}
			return
		}
		inner := strings.TrimSuffix(strings.TrimPrefix(out, "<code>"), "</code>")
		if strings.ContainsAny(inner, "<>|`") || plainOf(inner) != want {
			t.Fatalf("code(%q) = %q", in, out)
		}
	})
}

func TestQuoteKeepsItsLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for line := range strings.Lines(quote(nastyText(t))) {
			if !strings.HasPrefix(line, ">") {
				t.Fatalf("a line leaves the quote: %q", line)
			}
		}
	})
}

func TestFenceHoldsItsLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := nastyText(t)
		lines := strings.Split(strings.TrimSuffix(fenced(in), "\n"), "\n")
		fence := strings.TrimSuffix(lines[0], "text")
		if len(fence) < 3 || lines[len(lines)-1] != fence {
			t.Fatalf("fenced(%q) = %q", in, lines)
		}
		for _, l := range lines[1 : len(lines)-1] {
			if strings.Contains(l, fence) {
				t.Fatalf("fenced(%q): the line %q may end it", in, l)
			}
		}
	})
}

func TestLinks(t *testing.T) {
	for _, url := range []string{"https://git.example.com/acme/shop/pull/12", "https://dev.example.com/acme/_git/shop/pullrequest/7?view=1#x"} {
		if link(url) != "<"+url+">" {
			t.Errorf("%s is no link", url)
		}
	}
	for _, url := range []string{"javascript:alert(1)", "https://a.example/x>y", "https://a.example/x y", "https://a.example/|", "http://a.example", "https://a.example/\n", "local:origin#refunds@5555", "https://", "HTTPS://a.example/\"onclick="} {
		if out := link(url); strings.HasPrefix(out, "<h") || strings.HasPrefix(out, "<j") {
			t.Errorf("link(%q) = %q", url, out)
		}
	}
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"go", "test", "./..."}, "go test ./..."},
		{[]string{"a b", "it's", ""}, `'a b' 'it'\''s' ''`},
		{[]string{"x\ny", "\x1b[2J"}, `"x\ny" "\x1b[2J"`},
		{[]string{"$(id)", "`id`", "a;b"}, "'$(id)' '`id`' 'a;b'"},
	} {
		if got := commandLine(c.argv); got != c.want {
			t.Errorf("commandLine(%q) = %s, not %s", c.argv, got, c.want)
		}
	}
}

func TestWrapLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := document.OneLine(nastyText(t))
		n := rapid.IntRange(20, 60).Draw(t, "width")
		lines := wrap(in, n)
		joined := strings.ReplaceAll(strings.Join(lines, ""), " ", "")
		if joined != strings.ReplaceAll(in, " ", "") {
			t.Fatalf("wrap(%q) = %q", in, lines)
		}
		for _, l := range lines {
			if columns(l) > n {
				t.Fatalf("wrap(%q, %d): %q takes %d columns", in, n, l, columns(l))
			}
		}
		if c := clip(in, n); columns(c) > n || columns(in) <= n && c != in {
			t.Fatalf("clip(%q, %d) = %q", in, n, c)
		}
	})
}
