package ledger_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/asterweave/asterweave/internal/ledger"
)

// tear appends bytes without a newline, as an interrupted write leaves them.
func tear(t testing.TB, p place, b []byte) {
	t.Helper()
	p.write(t, append(p.read(t), b...))
}

// nextLine returns the line that a whole append would have written.
func nextLine(t testing.TB, p place, i int) []byte {
	t.Helper()
	before := p.read(t)
	anchor, err := os.ReadFile(p.anchor)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, p, i, i+1, nil)
	line := p.read(t)[len(before):]
	p.write(t, before)
	if err := os.WriteFile(p.anchor, anchor, 0o644); err != nil {
		t.Fatal(err)
	}
	return line
}

func TestATornTailIsIgnoredThenMovedAside(t *testing.T) {
	t.Parallel()
	base := newPlace(t)
	fill(t, base, 0, 4, nil)
	line := nextLine(t, base, 4)
	for cut := 1; cut < len(line)-1; cut += 7 {
		p := newPlace(t)
		fill(t, p, 0, 4, nil)
		tear(t, p, line[:cut])
		tail, err := p.log().Tail()
		if err != nil || tail.Seq != 4 {
			t.Fatalf("cut at %d: tail %+v, %v", cut, tail, err)
		}
		if events, _ := scan(t, p.log(), 0); len(events) != 4 {
			t.Fatalf("cut at %d: %d events", cut, len(events))
		}
		if r := p.audit(t); r.Clean() || r.Damaged() || r.Torn != int64(cut) {
			t.Fatalf("cut at %d: audit %+v", cut, r)
		}
		fill(t, p, 5, 6, nil)
		events, _ := scan(t, p.log(), 0)
		if len(events) != 6 || events[4].Type != ledger.Recovered || events[4].State != events[3].State || events[4].By.Channel != "ledger" {
			t.Fatalf("cut at %d: events %+v", cut, events)
		}
		var told ledger.Recovery
		if err := json.Unmarshal(events[4].Data, &told); err != nil || told.Bytes != cut || told.Offset != tail.End {
			t.Errorf("cut at %d: told %+v, %v", cut, told, err)
		}
		if aside, err := p.log().Artifact(told.Artifact); err != nil || !bytes.Equal(aside, line[:cut]) {
			t.Errorf("cut at %d: moved aside %q, %v", cut, aside, err)
		}
		if r := p.audit(t); !r.Clean() {
			t.Errorf("cut at %d: audit %+v", cut, r)
		}
		if _, err := os.Stat(filepath.Join(p.dir, "recovery.json")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("cut at %d: the note is still there: %v", cut, err)
		}
	}
}

func TestAWholeLastLineIsCompleted(t *testing.T) {
	p := newPlace(t)
	fill(t, p, 0, 4, nil)
	line := nextLine(t, p, 4)
	tear(t, p, line[:len(line)-1])
	if tail, err := p.log().Tail(); err != nil || tail.Seq != 5 {
		t.Fatalf("tail %+v, %v", tail, err)
	}
	if events, _ := scan(t, p.log(), 0); len(events) != 5 {
		t.Fatalf("%d events", len(events))
	}
	if r := p.audit(t); r.Clean() || r.Damaged() || r.Events != 5 {
		t.Errorf("audit %+v", r)
	}
	fill(t, p, 5, 6, nil)
	if events, _ := scan(t, p.log(), 0); len(events) != 6 || events[5].Type == ledger.Recovered {
		t.Errorf("events %+v", events)
	}
	if r := p.audit(t); !r.Clean() {
		t.Errorf("audit %+v", r)
	}
}

func TestAnAcknowledgedLineThatLostItsNewlineIsCompleted(t *testing.T) {
	p := newPlace(t)
	fill(t, p, 0, 4, nil)
	p.write(t, bytes.TrimSuffix(p.read(t), []byte("\n")))
	if tail, err := p.log().Tail(); err != nil || tail.Seq != 4 {
		t.Fatalf("tail %+v, %v", tail, err)
	}
	fill(t, p, 4, 5, nil)
	if r := p.audit(t); !r.Clean() || r.Events != 5 {
		t.Errorf("audit %+v", r)
	}
}

func TestALedgerTornInItsFirstEvent(t *testing.T) {
	p := newPlace(t)
	fill(t, p, 0, 1, nil)
	line := p.read(t)
	p = newPlace(t)
	w := lock(t, p.log())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p.write(t, line[:50])
	if tail, err := p.log().Tail(); err != nil || tail.Seq != 0 {
		t.Fatalf("tail %+v, %v", tail, err)
	}
	fill(t, p, 0, 2, nil)
	if events, _ := scan(t, p.log(), 0); len(events) != 2 || events[0].Type == ledger.Recovered {
		t.Errorf("events %+v", events)
	}
	if r := p.audit(t); !r.Clean() {
		t.Errorf("audit %+v", r)
	}
}

// TestReadersSeeNoDamageWhileOthersWrite reads without a lock while events are
// appended and ledgers are archived.
func TestReadersSeeNoDamageWhileOthersWrite(t *testing.T) {
	p := newPlace(t)
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		defer done.Store(true)
		for i := range 200 {
			w, err := p.log().Lock(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			if i%20 == 19 {
				err = w.Archive(fmt.Sprint("d", i))
			}
			if err == nil {
				_, err = w.Append(draft(i), i%3 > 0)
			}
			if err != nil {
				t.Error(err)
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	looks := 0
	for ; !done.Load(); looks++ {
		if err := readAll(p.log()); err != nil {
			t.Errorf("look %d: %v", looks, err)
			break
		}
	}
	wg.Wait()
	t.Logf("%d looks", looks)
	if looks == 0 {
		t.Error("nobody looked")
	}
}
