package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/asterweave/asterweave/internal/ledger"
)

// A folder that somebody cleaned away, or a tail that was cut, is set aside whole, and
// a new ledger can begin; one that nothing is wrong with stays where it is.
func TestSetAside(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(p place) error{
		"gone":     func(p place) error { return os.RemoveAll(p.dir) },
		"tail cut": func(p place) error { return os.Truncate(p.path(), 40) },
		"emptied":  func(p place) error { return os.Truncate(p.path(), 0) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			fill(t, p, 0, 5, nil)
			anchor, err := os.ReadFile(p.anchor)
			if err != nil {
				t.Fatal(err)
			}
			if err := damage(p); err != nil {
				t.Fatal(err)
			}
			left, lerr := os.ReadFile(p.path())
			if err := p.log().SetAside(context.Background(), "damaged-1"); err != nil {
				t.Fatal(err)
			}
			dir := p.log().ArchivePath("damaged-1")
			if b, err := os.ReadFile(filepath.Join(dir, ledger.AnchorCopy)); err != nil || !bytes.Equal(b, anchor) {
				t.Errorf("the anchor is not kept beside it: %v", err)
			}
			if b, err := os.ReadFile(filepath.Join(dir, ledger.FileName)); lerr == nil && (err != nil || !bytes.Equal(b, left)) {
				t.Errorf("what was left of the ledger is not kept: %v", err)
			}
			fill(t, p, 0, 3, nil)
			if err := readAll(p.log()); err != nil {
				t.Errorf("the new ledger: %v", err)
			}
			if err := p.log().SetAside(context.Background(), "damaged-2"); !errors.Is(err, ledger.ErrWhole) {
				t.Errorf("a whole ledger: %v", err)
			}
			if !p.log().Exists() {
				t.Error("a whole ledger was moved")
			}
		})
	}
}
