package report_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/report"
)

var update = flag.Bool("update", false, "write the goldens anew")

// golden compares with a file. The digest that was approved is a made-up one there,
// since what it is made of is no matter of a screen.
func golden(t *testing.T, name string, in report.Input, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	for _, n := range []int{64, 12, 8} {
		got = bytes.ReplaceAll(got, []byte(approvalDigest(in)[:n]), []byte(strings.Repeat("ab", n/2)))
	}
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", name, d)
	}
}

func approvalDigest(in report.Input) string {
	if a := in.View.State.Approval; a != nil {
		return a.Digest
	}
	return in.View.State.Asks[0].Digest
}

func render(t *testing.T, fn func(b *bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := fn(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// stages returns the delivery at the moments that are worth a look.
func stages(t *testing.T, x texts) map[string]report.Input {
	t.Helper()
	out := map[string]report.Input{}
	for name, tell := range map[string]func(s *story){
		"approve": func(s *story) { s.opened(x) },
		"paused":  func(s *story) { s.opened(x); s.retrying(x) },
		"retry":   func(s *story) { s.opened(x); s.retrying(x); s.again(x) },
		"submit":  func(s *story) { s.opened(x); s.retrying(x); s.finished(x) },
		"done":    func(s *story) { s.opened(x); s.retrying(x); s.finished(x); s.ended() },
	} {
		s := newStory(t)
		tell(s)
		out[name] = s.input()
	}
	return out
}

func TestScreens(t *testing.T) {
	for name, in := range stages(t, plain()) {
		status := func(o report.Options) []byte {
			return render(t, func(b *bytes.Buffer) error { return report.Status(b, engine.StatusOf(in.View), o) })
		}
		golden(t, "status-"+name+".txt", in, status(report.Options{}))
		if name == "retry" {
			golden(t, "status-retry-ascii.txt", in, status(report.Options{ASCII: true}))
		}
		golden(t, "trace-"+name+".txt", in, render(t, func(b *bytes.Buffer) error { return report.Trace(b, in, report.Options{}) }))
		golden(t, "inbox-"+name+".txt", in, render(t, func(b *bytes.Buffer) error { return report.Inbox(b, in, report.Options{}) }))
	}
}

func TestReports(t *testing.T) {
	all := stages(t, plain())
	for _, name := range []string{"retry", "done"} {
		for _, f := range report.Formats() {
			text := render(t, func(b *bytes.Buffer) error { return report.Report(b, f, all[name]) })
			if f == report.HTML {
				text = regexp.MustCompile(`(?s)<style>.*?</style>`).ReplaceAll(text, []byte("<style></style>"))
			}
			golden(t, "report-"+name+"."+string(f), all[name], text)
		}
	}
	if err := report.Report(&bytes.Buffer{}, "pdf", all["done"]); err == nil {
		t.Error("a format that is not known was written")
	}
}

func TestLogScreen(t *testing.T) {
	in := stages(t, plain())["done"]
	golden(t, "log-done.txt", in, render(t, func(b *bytes.Buffer) error {
		return in.Events(func(e ledger.Event) error { return report.Log(b, e, report.Options{}) })
	}))
}

// A rune is a column in the texts of this test.
func TestWidth(t *testing.T) {
	x := plain()
	x.goal = strings.Repeat("a goal of many words ", 20) + strings.Repeat("x", 300)
	x.criterion, x.reason, x.path = x.goal, x.goal, "refunds/"+strings.Repeat("very-long-name/", 20)+"a.go"
	for name, in := range stages(t, x) {
		for _, o := range []report.Options{{}, {ASCII: true}} {
			for what, text := range map[string][]byte{
				"status": render(t, func(b *bytes.Buffer) error { return report.Status(b, engine.StatusOf(in.View), o) }),
				"trace":  render(t, func(b *bytes.Buffer) error { return report.Trace(b, in, o) }),
			} {
				for line := range strings.Lines(string(text)) {
					if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 100 {
						t.Errorf("%s %s: %d columns: %s", name, what, n, line)
					}
					if o.ASCII && strings.IndexFunc(line, func(r rune) bool { return r > 127 }) >= 0 {
						t.Errorf("%s %s: not ASCII: %s", name, what, line)
					}
				}
			}
		}
	}
}
