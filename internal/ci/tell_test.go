package ci_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/ci"
	"github.com/asterweave/asterweave/internal/verify"
)

var systems = []ci.System{ci.GitHub, ci.Azure, ci.None}

// pieces are what hostile texts are made of.
var pieces = []string{
	"::", ":", "##", "#", "[", "]", "##[", "##vso[", "::set-env name=A::b", "::stop-commands::x", "##vso[task.setvariable variable=A]b", "##[add-path]x",
	"\n", "\r", "\r\n", "\t", "\v", "\f", "\u0085", "\u2028", "\u2029", "\x1b[31m", "\x00", "\u200b", "\u2060", "\u202e", "\ufeff", "\u00ad", "\ufe0f", "\u034f", "\u3164", "\uffff",
	"%0A", "%0D", "%25", "%3A", "%5D", "%AZP25", "%", ";", ",", "=", " ",
	"|", "`", "```", "<", ">", "<script>", "<!--", "-->", "&lt;", "&#60;", "*", "_", "~", "\\", "\\|", "![a](http://x)", "[a]: http://x", "https://x", "www.x.y", "@someone", "$x$", "a", "é", "\xff", "\xf0\x9f",
}

func hostile(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func verdict(text string) verify.Verdict {
	return verify.Verdict{
		Commit: text, Base: text, Delivery: text, Ledger: verify.Ledger{Head: text}, Signers: []string{text},
		Checks: []verify.Check{
			{Name: "head", State: verify.Shut, Reason: text, Next: text},
			{Name: "pull-request", State: verify.Unknown, Reason: text},
			{Name: "scope", State: verify.Unknown, Reason: text, Next: text, Allowed: true},
			{Name: "chain", State: verify.Open, Reason: text},
		},
		Rerun: []verify.Rerun{{Gate: text, Kind: text, From: text, State: verify.Shut, Reason: text}},
	}
}

// hold holds all that is made of one text against the parsers.
func hold(t *testing.T, text string) {
	t.Helper()
	for _, s := range systems {
		if got := commands(s, ci.Text(text)); len(got) > 0 {
			t.Fatalf("%s: Text(%q) = %q has the commands %q", s, text, ci.Text(text), got)
		}
	}
	if strings.ContainsAny(ci.Text(text), "\r\n") {
		t.Fatalf("Text(%q) has more than a line", text)
	}
	v := verdict(text)
	for s, names := range map[ci.System][]string{ci.GitHub: {"error", "warning"}, ci.Azure: {"task.logissue"}, ci.None: nil} {
		var b strings.Builder
		ci.Event{System: s}.Annotate(&b, v)
		want := 0
		if s != ci.None {
			want = 3
		}
		for _, as := range systems { // a run may be in one system's hands and another one's log
			if got := commands(as, b.String()); !only(got, names...) || as == s && len(got) != want {
				t.Fatalf("%s read as %s: annotations of %q have the commands %q:\n%s", s, as, text, got, b.String())
			}
		}
	}
	structure(t, text, ci.Summary(v))
	b, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]string
	safe := ci.JSON(b)
	if err := json.Unmarshal(safe, &back); err != nil || back["text"] != strings.ToValidUTF8(text, "\ufffd") && len(text) == len(strings.ToValidUTF8(text, "")) {
		t.Fatalf("JSON(%q) = %q: %v", b, safe, err)
	}
	for _, s := range systems {
		if got := commands(s, string(safe)); len(got) > 0 {
			t.Fatalf("%s: JSON of %q has the commands %q", s, text, got)
		}
	}
}

// structure holds that a summary has the lines, cells and no other structure than that
// of a text of one letter.
func structure(t *testing.T, text, summary string) {
	t.Helper()
	lines, want := strings.Split(summary, "\n"), strings.Split(ci.Summary(verdict("a")), "\n")
	if len(lines) != len(want) {
		t.Fatalf("the summary of %q has %d lines in place of %d:\n%s", text, len(lines), len(want), summary)
	}
	for i, line := range lines {
		if got, plain := unescaped(line), unescaped(want[i]); got != plain {
			t.Fatalf("the summary of %q has the structure %q in place of %q in the line\n%s", text, got, plain, line)
		}
		for _, bad := range []string{"://", "www."} {
			if strings.Contains(line, bad) {
				t.Fatalf("the summary of %q has %q in it", text, bad)
			}
		}
	}
}

// unescaped returns the characters of a line that Markdown gives a meaning.
func unescaped(line string) string {
	var b strings.Builder
	escaped := false
	for i := range len(line) {
		c := line[i]
		switch {
		case escaped:
			escaped = false
			continue
		case c == '\\':
			escaped = true
			continue
		case c == '@' && strings.HasPrefix(line[i+1:], "\u2060"):
			continue
		case c == '&' && (strings.HasPrefix(line[i:], "&amp;") || strings.HasPrefix(line[i:], "&lt;") || strings.HasPrefix(line[i:], "&gt;")):
			continue
		case strings.IndexByte("|`*_~<>&[]!#$^@", c) >= 0:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func TestNoTextIsACommandOrStructure(t *testing.T) {
	for _, p := range pieces {
		hold(t, p)
		hold(t, p+p)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 4_000 {
		hold(t, hostile(r))
	}
}

func FuzzText(f *testing.F) {
	for _, p := range pieces {
		f.Add(p)
	}
	f.Add("##\u2060vso[task.complete result=Succeeded;]")
	f.Fuzz(hold)
}

// The parsers of the test see what they are there to see.
func TestParsersSeeCommands(t *testing.T) {
	for _, c := range []struct {
		system ci.System
		line   string
		want   string
	}{
		{ci.GitHub, "  ::error file=a::b", "error"},
		{ci.GitHub, "x ##[set-env name=A]b", "set-env"},
		{ci.GitHub, "##\u2060[add-path]b", "add-path"},
		{ci.Azure, "x ##vso[task.complete result=Succeeded;]b", "task.complete"},
		{ci.Azure, "##\u2060vso[task.complete]b", "task.complete"},
	} {
		if got := commands(c.system, c.line); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %q has the commands %q, want %s", c.system, c.line, got, c.want)
		}
	}
}

func TestAnnotationsSayWhatIsWrong(t *testing.T) {
	v := verify.Verdict{Checks: []verify.Check{
		{Name: "head", State: verify.Open, Reason: "fine"},
		{Name: "scope", State: verify.Shut, Reason: "100% outside: a,b", Next: "take it out"},
		{Name: "checks", State: verify.Unknown, Reason: "not read; so [x]"},
	}}
	var b strings.Builder
	ci.Event{System: ci.GitHub}.Annotate(&b, v)
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d annotations of one shut and one unknown check: %s", len(lines), b.String())
	}
	name, properties, message := parsed(lines[0])
	if name != "error" || properties["title"] != "asterweave: scope is shut" || message != "100% outside: a,b — next: take it out" {
		t.Errorf("%s %q %q", name, properties, message)
	}
	if name, _, message = parsed(lines[1]); name != "warning" || message != "not read; so [x]" {
		t.Errorf("%s %q", name, message)
	}
	b.Reset()
	ci.Event{System: ci.Azure}.Annotate(&b, v)
	const want = "##vso[task.logissue type=error;code=scope;]scope is shut: 100%AZP25 outside: a,b — next: take it out\n" +
		"##vso[task.logissue type=warning;code=checks;]checks is unknown: not read%3B so [x%5D\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestLimits(t *testing.T) {
	var v verify.Verdict
	long := strings.Repeat("&@<é", 50_000)
	for range 15 {
		v.Checks = append(v.Checks, verify.Check{Name: "a", State: verify.Shut, Reason: long, Next: long}, verify.Check{Name: "b", State: verify.Unknown, Reason: long})
	}
	for range 2_000 {
		v.Rerun = append(v.Rerun, verify.Rerun{Gate: long, Kind: long, From: long, State: verify.Shut, Reason: long})
	}
	var b strings.Builder
	ci.Event{System: ci.GitHub}.Annotate(&b, v)
	if n := strings.Count(b.String(), "::error "); n != 10 {
		t.Errorf("%d errors", n)
	}
	if n := strings.Count(b.String(), "::warning "); n != 10 {
		t.Errorf("%d warnings", n)
	}
	for line := range strings.Lines(b.String()) {
		if len(line) > 8<<10 {
			t.Errorf("an annotation of %d bytes", len(line))
		}
	}
	s := ci.Summary(v)
	if len(s) > 1<<20 || !strings.Contains(s, " more |") {
		t.Errorf("a summary of %d bytes that ends with %q", len(s), s[len(s)-100:])
	}
}

func TestUploadSummary(t *testing.T) {
	if got := ci.UploadSummary("/tmp/a b%\n.md"); got != "##vso[task.uploadsummary]/tmp/a b%AZP25%0A.md" {
		t.Error(got)
	}
}

// TestWhatRestsOnAnotherIsNotToldTwice: ten annotations are shown, and the one that says
// what is wrong has to be among them.
func TestWhatRestsOnAnotherIsNotToldTwice(t *testing.T) {
	v := verify.Verdict{Checks: []verify.Check{
		{Name: verify.CheckBundle, State: verify.Shut, Reason: "there is no note"},
		{Name: verify.CheckChain, State: verify.Unknown, Reason: "it rests on the check bundle", RestsOn: verify.CheckBundle},
		{Name: verify.CheckReviews, State: verify.Unknown, Reason: "no token"},
	}}
	for _, system := range []ci.System{ci.GitHub, ci.Azure} {
		var b strings.Builder
		ci.Event{System: system}.Annotate(&b, v)
		if out := b.String(); strings.Count(out, "\n") != 2 || !strings.Contains(out, "there is no note") || !strings.Contains(out, "no token") {
			t.Errorf("%s: %s", system, out)
		}
	}
	if s := ci.Summary(v); !strings.Contains(s, "rests on the check bundle") {
		t.Errorf("the summary has all of them: %s", s)
	}
}

// TestTitleTellsWhatWasLetThrough: a summary does not say of an unknown that it is open.
func TestTitleTellsWhatWasLetThrough(t *testing.T) {
	for want, c := range map[string]verify.Check{
		"every check is open":              {State: verify.Open},
		"open, with 1 unknown let through": {State: verify.Unknown, Allowed: true},
		"not every check is open":          {State: verify.Unknown},
	} {
		title, _, _ := strings.Cut(ci.Summary(verify.Verdict{Checks: []verify.Check{c}}), "\n")
		if !strings.HasSuffix(title, want) {
			t.Errorf("%+v: %q", c, title)
		}
	}
}
