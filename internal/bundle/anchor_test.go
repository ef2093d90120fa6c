package bundle_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/canon"
)

func TestAnAnchorComesBack(t *testing.T) {
	want := bundle.Anchor{Events: 36, Bytes: 4096, Head: canon.Hash(nil)}
	body := "before\n" + bundle.AnchorStart + "\n### x\n> Ledger: quoted\n" + want.Line() + "\n" + bundle.AnchorEnd + "\nafter"
	for what, text := range map[string]string{
		"as it was written":       body,
		"with CR LF":              strings.ReplaceAll(body, "\n", "\r\n"),
		"such a line outside":     strings.Replace(want.Line(), "36", "35", 1) + "\n" + body + "\n" + strings.Replace(want.Line(), "36", "37", 1),
		"the end behind the line": strings.Replace(body, "\n"+bundle.AnchorEnd, "\n\n"+bundle.AnchorEnd, 1),
	} {
		if got, err := bundle.ReadAnchor(text); err != nil || got != want {
			t.Errorf("%s: %+v %v", what, got, err)
		}
	}
	if want.Line() != "Ledger: 36 events, 4096 bytes, head `e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855`" {
		t.Error(want.Line())
	}
}

func TestBodiesWithoutAnAnchor(t *testing.T) {
	line := bundle.Anchor{Events: 36, Bytes: 4096, Head: canon.Hash(nil)}.Line()
	between := func(s string) string { return bundle.AnchorStart + "\n" + s + "\n" + bundle.AnchorEnd }
	for what, body := range map[string]string{
		"nothing":          "",
		"no markers":       line,
		"no start":         line + "\n" + bundle.AnchorEnd,
		"no end":           bundle.AnchorStart + "\n" + line,
		"end before start": bundle.AnchorEnd + "\n" + line + "\n" + bundle.AnchorStart,
		"no line":          between("x"),
		"two lines":        between(line + "\n" + line),
		"two parts":        between(line) + "\n" + between("x"),
		"start twice":      between(bundle.AnchorStart + "\n" + line),
		"not at the start": between(" " + line),
		"quoted":           between("> " + line),
		"text behind it":   between(line + "."),
		"a sign":           between(strings.Replace(line, "36", "+36", 1)),
		"a leading zero":   between(strings.Replace(line, "36", "036", 1)),
		"too large":        between(strings.Replace(line, "36", strings.Repeat("9", 19), 1)),
		"capitals":         between(strings.ToUpper(line)),
		"half a hash":      between(line[:len(line)-10] + "`"),
		"one more letter":  between(line[:len(line)-1] + "0`"),
		"a line it is not": between("Ledger: none\n" + line),
	} {
		if got, err := bundle.ReadAnchor(body); !errors.Is(err, bundle.ErrNoAnchor) {
			t.Errorf("%s: %+v %v", what, got, err)
		}
	}
}
