package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/ledger"
)

// readAll is what a reader finds wrong with a ledger as a whole.
func readAll(l *ledger.Log) error {
	if _, err := l.Tail(); err != nil {
		return err
	}
	return l.Scan(0, func(ledger.Event, int64) error { return nil })
}

func TestDamageIsNamed(t *testing.T) {
	t.Parallel()
	lines := func(b []byte) [][]byte { return bytes.SplitAfter(b, []byte("\n"))[:10] }
	join := func(l ...[]byte) []byte { return bytes.Join(l, nil) }
	for name, c := range map[string]struct {
		change func([]byte) []byte
		line   int64
		what   string
	}{
		"first line missing":    {func(b []byte) []byte { return join(lines(b)[1:]...) }, 1, ""},
		"middle line missing":   {func(b []byte) []byte { l := lines(b); return join(append(l[:4:4], l[5:]...)...) }, 5, ""},
		"last line cut":         {func(b []byte) []byte { return join(lines(b)[:9]...) }, 10, "tail is cut"},
		"all lines cut":         {func([]byte) []byte { return nil }, 1, "tail is cut"},
		"line repeated":         {func(b []byte) []byte { l := lines(b); return join(append(l[:5:5], l[4:]...)...) }, 6, ""},
		"last line repeated":    {func(b []byte) []byte { l := lines(b); return join(append(l, l[9])...) }, 11, "sequence number"},
		"lines swapped":         {func(b []byte) []byte { l := lines(b); l[3], l[4] = l[4], l[3]; return join(l...) }, 4, ""},
		"last lines swapped":    {func(b []byte) []byte { l := lines(b); l[8], l[9] = l[9], l[8]; return join(l...) }, 9, "sequence number"},
		"bit in the middle":     {func(b []byte) []byte { l := lines(b); l[3][100] ^= 4; return join(l...) }, 4, ""},
		"bit in the last line":  {func(b []byte) []byte { l := lines(b); l[9][100] ^= 4; return join(l...) }, 10, ""},
		"CRLF everywhere":       {func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }, 1, "CRLF"},
		"CRLF in one line":      {func(b []byte) []byte { return bytes.Replace(b, []byte("\n"), []byte("\r\n"), 1) }, 1, "CRLF"},
		"an empty line":         {func(b []byte) []byte { return bytes.Replace(b, []byte("\n"), []byte("\n\n"), 1) }, 2, ""},
		"an empty last line":    {func(b []byte) []byte { return append(b, '\n') }, 11, ""},
		"a byte order mark":     {func(b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) }, 1, ""},
		"something after":       {func(b []byte) []byte { return append(b, "{}\n"...) }, 11, ""},
		"a line that is huge":   {func(b []byte) []byte { return append(append(b, bytes.Repeat([]byte("x"), 3<<20)...), '\n') }, 11, "longer"},
		"a torn tail too large": {func(b []byte) []byte { return append(b, bytes.Repeat([]byte("x"), 300<<10)...) }, 11, "longer"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			fill(t, p, 0, 10, nil)
			p.write(t, c.change(p.read(t)))
			var damage *ledger.DamageError
			err := readAll(p.log())
			if !errors.As(err, &damage) || damage.Line != c.line || !strings.Contains(damage.What, c.what) {
				t.Errorf("reader: %v; want line %d %s", err, c.line, c.what)
			}
			r := p.audit(t)
			if !r.Damaged() || r.Problems[0].Line > c.line {
				t.Errorf("audit %+v", r)
			}
			if name == "CRLF everywhere" && len(r.Problems) < 10 {
				t.Errorf("only %d lines are named", len(r.Problems))
			}
		})
	}
}

func TestALedgerThatIsGoneIsDamage(t *testing.T) {
	p := newPlace(t)
	fill(t, p, 0, 3, nil)
	if err := os.Remove(p.path()); err != nil {
		t.Fatal(err)
	}
	var damage *ledger.DamageError
	if _, err := p.log().Tail(); !errors.As(err, &damage) || !strings.Contains(err.Error(), "3 events") {
		t.Errorf("tail: %v", err)
	}
	if !p.log().Exists() {
		t.Error("the anchor is forgotten")
	}
	if _, err := p.log().Lock(context.Background()); !errors.As(err, &damage) {
		t.Errorf("lock: %v", err)
	}
	if r := p.audit(t); !r.Damaged() {
		t.Errorf("audit %+v", r)
	}
}

func TestAnAnchorThatIsGoneIsDamage(t *testing.T) {
	p := newPlace(t)
	fill(t, p, 0, 3, nil)
	if err := os.Remove(p.anchor); err != nil {
		t.Fatal(err)
	}
	var damage *ledger.DamageError
	if _, err := p.log().Tail(); !errors.As(err, &damage) {
		t.Errorf("tail: %v", err)
	}
	if r := p.audit(t); !r.Damaged() {
		t.Errorf("audit %+v", r)
	}
}

func TestAnotherLedgerOfTheSameLengthIsDamage(t *testing.T) {
	p, other := newPlace(t), newPlace(t)
	fill(t, p, 0, 8, nil)
	fill(t, other, 1, 9, nil)
	p.write(t, other.read(t))
	var damage *ledger.DamageError
	if _, err := p.log().Tail(); !errors.As(err, &damage) || !strings.Contains(err.Error(), "differs") {
		t.Errorf("tail: %v", err)
	}
	// Longer than the anchor, so that only the anchored length can tell.
	fill(t, other, 9, 12, nil)
	p.write(t, other.read(t))
	if _, err := p.log().Tail(); !errors.As(err, &damage) || !strings.Contains(err.Error(), "differs") {
		t.Errorf("longer, tail: %v", err)
	}
	if r := p.audit(t); !r.Damaged() {
		t.Errorf("audit %+v", r)
	}
}

func TestANewerFormatIsRefused(t *testing.T) {
	p := newPlace(t)
	fill(t, p, 0, 2, nil)
	p.write(t, append(p.read(t), `{"v":2,"something":"else"}`+"\n"...))
	var version *ledger.VersionError
	_, err := p.log().Tail()
	if !errors.As(err, &version) || version.Version != 2 || version.Line != 3 {
		t.Errorf("tail: %v", err)
	}
	if err := p.log().Scan(0, func(ledger.Event, int64) error { return nil }); !errors.As(err, &version) {
		t.Errorf("scan: %v", err)
	}
	before := p.read(t)
	if _, err := p.log().Lock(context.Background()); !errors.As(err, &version) {
		t.Errorf("lock: %v", err)
	}
	if !bytes.Equal(before, p.read(t)) {
		t.Error("the ledger was changed")
	}
	if r := p.audit(t); !r.Damaged() {
		t.Errorf("audit %+v", r)
	}
}

// TestEveryRandomByteChangeIsFound changes single bytes of a real ledger, with
// events that are durable and events that are not, and asks the verifier.
func TestEveryRandomByteChangeIsFound(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	fill(t, p, 0, 25, func(i int) bool { return i%5 == 1 })
	good := p.read(t)
	f, err := os.OpenFile(p.path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := rand.New(rand.NewPCG(1, 2))
	n := 10000
	if testing.Short() {
		n = 500
	}
	missed := 0
	for range n {
		at := r.Int64N(int64(len(good)))
		bad := good[at] ^ byte(1+r.IntN(255))
		if _, err := f.WriteAt([]byte{bad}, at); err != nil {
			t.Fatal(err)
		}
		if report := p.audit(t); !report.Damaged() {
			missed++
			t.Errorf("byte %d: %q instead of %q is not found by the verifier", at, bad, good[at])
		}
		if r.IntN(50) == 0 {
			if err := readAll(p.log()); err == nil {
				t.Errorf("byte %d: %q instead of %q is not found by the reader", at, bad, good[at])
			}
		}
		if _, err := f.WriteAt(good[at:at+1], at); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d changes found", n-missed, n)
	if r := p.audit(t); !r.Clean() {
		t.Errorf("the ledger was not restored: %+v", r)
	}
}

// TestEveryCutOfTheLastLinesIsFound cuts a ledger at every byte of its last two lines.
func TestEveryCutOfTheLastLinesIsFound(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	fill(t, p, 0, 6, nil)
	good := p.read(t)
	_, offsets := scan(t, p.log(), 0)
	for size := int(offsets[4]); size < len(good); size++ {
		p.write(t, good[:size])
		r := p.audit(t)
		var damage *ledger.DamageError
		_, err := p.log().Tail()
		if size == len(good)-1 {
			// Only the newline is missing: nothing is lost.
			if err != nil || r.Damaged() || r.Clean() {
				t.Errorf("cut before the newline: %v, %+v", err, r)
			}
			continue
		}
		if !errors.As(err, &damage) || !r.Damaged() {
			t.Errorf("cut at %d of %d: %v, %+v", size, len(good), err, r)
		}
		if size%37 == 0 {
			if _, err := p.log().Lock(context.Background()); !errors.As(err, &damage) {
				t.Errorf("cut at %d: lock: %v", size, err)
			}
		}
	}
}

// TestNoChangeOfTheAnchorHidesACut changes every byte of an anchor whose ledger
// lost its last event.
func TestNoChangeOfTheAnchorHidesACut(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	fill(t, p, 0, 6, nil)
	good := p.read(t)
	_, offsets := scan(t, p.log(), 0)
	anchor, err := os.ReadFile(p.anchor)
	if err != nil {
		t.Fatal(err)
	}
	var damage *ledger.DamageError
	for i := range anchor {
		bad := bytes.Clone(anchor)
		bad[i] ^= 1
		if err := os.WriteFile(p.anchor, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		p.write(t, good[:offsets[5]])
		if r := p.audit(t); !r.Damaged() {
			t.Errorf("byte %d: the verifier takes the cut ledger for whole: %+v", i, r)
		}
		if i%16 == 0 {
			if _, err := p.log().Tail(); !errors.As(err, &damage) {
				t.Errorf("byte %d: the reader takes the cut ledger for whole: %v", i, err)
			}
		}
		// With the ledger whole, a changed anchor is noticed too.
		p.write(t, good)
		r := p.audit(t)
		_, err := p.log().Tail()
		if !r.Damaged() && len(r.Warnings) == 0 || r.Damaged() != (err != nil) {
			t.Errorf("byte %d: %+v, reader %v", i, r, err)
		}
	}
	for name, b := range map[string][]byte{"empty": {}, "half": anchor[:192], "zeros": make([]byte, 384), "longer": append(bytes.Clone(anchor), 'x')} {
		if err := os.WriteFile(p.anchor, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := p.log().Tail(); !errors.As(err, &damage) {
			t.Errorf("%s anchor: %v", name, err)
		}
		if r := p.audit(t); !r.Damaged() {
			t.Errorf("%s anchor: %+v", name, r)
		}
	}
}

func TestATornAnchorIsRepaired(t *testing.T) {
	p := newPlace(t)
	fill(t, p, 0, 6, nil)
	anchor, err := os.ReadFile(p.anchor)
	if err != nil {
		t.Fatal(err)
	}
	newest := 0
	if r := bytes.Index(anchor, []byte(`"seq":6`)); r > 192 {
		newest = 192
	}
	copy(anchor[newest+20:], "torn in the middle")
	if err := os.WriteFile(p.anchor, anchor, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := p.audit(t); !r.Clean() || len(r.Warnings) != 1 {
		t.Errorf("audit %+v", r)
	}
	fill(t, p, 6, 7, nil)
	if r := p.audit(t); !r.Clean() || len(r.Warnings) != 0 || r.Anchored != 7 {
		t.Errorf("after an append: %+v", r)
	}
}
