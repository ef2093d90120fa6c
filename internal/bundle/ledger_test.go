package bundle_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/canon"
)

func unpacked(l bundle.Ledger) (string, error) {
	r, err := l.Unpack()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	_, err = io.Copy(&b, r)
	return b.String(), err
}

func zipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestALedgerComesBack(t *testing.T) {
	for _, text := range []string{"", "a\n", strings.Repeat(`{"seq":1}`+"\n", 100_000)} {
		l, err := bundle.Pack(strings.NewReader(text), 3, "head")
		if err != nil {
			t.Fatal(err)
		}
		if l.Format != 1 || l.Events != 3 || l.Head != "head" || l.Bytes != int64(len(text)) || l.Digest != canon.Hash([]byte(text)) {
			t.Errorf("%+v", l)
		}
		if got, err := unpacked(l); err != nil || got != text {
			t.Errorf("%d bytes, not %d: %v", len(got), len(text), err)
		}
	}
}

func TestLedgersThatAreRefused(t *testing.T) {
	const text = "one\ntwo\n"
	honest := func() bundle.Ledger {
		l, err := bundle.Pack(strings.NewReader(text), 2, "head")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for what, tt := range map[string]struct {
		change func(*bundle.Ledger)
		want   string
	}{
		"another format":       {func(l *bundle.Ledger) { l.Format = 2 }, "format 2"},
		"a negative length":    {func(l *bundle.Ledger) { l.Bytes = -1 }, "says that it has -1 bytes"},
		"a length past bounds": {func(l *bundle.Ledger) { l.Bytes = bundle.MaxLedger + 1 }, "it may have"},
		"longer than it says":  {func(l *bundle.Ledger) { l.Bytes-- }, "has not the 7 bytes"},
		"shorter than it says": {func(l *bundle.Ledger) { l.Bytes++ }, "has not the 9 bytes"},
		"another digest":       {func(l *bundle.Ledger) { l.Digest = canon.Hash(nil) }, "has not the digest"},
		"other bytes":          {func(l *bundle.Ledger) { l.Gzip = zipped(t, "one\ntwa\n") }, "has not the digest"},
		"cut":                  {func(l *bundle.Ledger) { l.Gzip = l.Gzip[:len(l.Gzip)-9] }, "cannot be unpacked"},
		"nothing":              {func(l *bundle.Ledger) { l.Gzip = nil }, "cannot be unpacked"},
		"no gzip":              {func(l *bundle.Ledger) { l.Gzip = []byte(text) }, "cannot be unpacked"},
		"another checksum":     {func(l *bundle.Ledger) { l.Gzip[len(l.Gzip)-5] ^= 1 }, "cannot be unpacked"},
		"a second member":      {func(l *bundle.Ledger) { l.Gzip = append(l.Gzip, zipped(t, "three\n")...) }, "behind the packed ledger"},
		"a byte behind it":     {func(l *bundle.Ledger) { l.Gzip = append(l.Gzip, 0) }, "behind the packed ledger"},
	} {
		t.Run(what, func(t *testing.T) {
			l := honest()
			tt.change(&l)
			if _, err := unpacked(l); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// TestABombIsNotUnpacked: 64 MiB of zeros in 64 KiB end where the ledger said it would.
func TestABombIsNotUnpacked(t *testing.T) {
	l := bundle.Ledger{Format: 1, Bytes: 100, Gzip: zipped(t, strings.Repeat("\x00", 64<<20))}
	r, err := l.Unpack()
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r)
	if err == nil || n > 1<<20 {
		t.Errorf("%d bytes came out: %v", n, err)
	}
}

func TestALedgerThatIsTooLongIsNotPacked(t *testing.T) {
	if testing.Short() {
		t.Skip("packs 256 MiB")
	}
	if _, err := bundle.Pack(io.LimitReader(zeros{}, bundle.MaxLedger+1), 1, "head"); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Error(err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
