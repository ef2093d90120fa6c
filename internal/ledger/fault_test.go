package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/asterweave/asterweave/internal/audit"
	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/durable/faulty"
	"github.com/asterweave/asterweave/internal/ledger"
)

// story is a life of a ledger: first use, appends, a tail torn by a crash and its
// recovery, an artifact, the archive and a new delivery. It stops at the first
// error, as a command would, and returns which events were acknowledged.
func story(p place, disk durable.FS) (acked []int, err error) {
	l := ledger.Open(p.dir, ledger.Options{Anchor: p.anchor, FS: disk})
	session := func(first, n int, sync bool) error {
		w, err := l.Lock(context.Background())
		if err != nil {
			return err
		}
		defer w.Close()
		for i := first; i < first+n; i++ {
			if _, err := w.Append(draft(i), sync); err != nil {
				return err
			}
			acked = append(acked, i)
		}
		return nil
	}
	if err := session(0, 3, true); err != nil {
		return acked, err
	}
	if err := session(3, 1, false); err != nil {
		return acked, err
	}
	b, err := os.ReadFile(p.path())
	if err != nil {
		return acked, err
	}
	if err := os.WriteFile(p.path(), append(b, `{"v":1,"seq":5,"at"`...), 0o644); err != nil {
		return acked, err
	}
	if err := session(4, 2, true); err != nil {
		return acked, err
	}
	if _, err := l.PutArtifact([]byte("an artifact")); err != nil {
		return acked, err
	}
	if err := os.WriteFile(filepath.Join(p.dir, "spec.json"), []byte("{}"), 0o644); err != nil {
		return acked, err
	}
	w, err := l.Lock(context.Background())
	if err != nil {
		return acked, err
	}
	defer w.Close()
	if err := w.Archive("old"); err != nil {
		return acked, err
	}
	if _, err := w.Append(draft(6), true); err != nil {
		return acked, err
	}
	return append(acked, 6), nil
}

// TestAFaultAtEveryCall lets every call that changes the disk fail once, in several
// ways. The story has to report it, and afterwards everything that was acknowledged
// is there, a later append works and the verifier finds nothing.
func TestAFaultAtEveryCall(t *testing.T) {
	t.Parallel()
	healthy := faulty.New(faulty.Fault{})
	if _, err := story(newPlace(t), healthy); err != nil {
		t.Fatal(err)
	}
	calls := healthy.Calls()
	t.Logf("%d calls: %v", len(calls), calls)
	for name, fault := range map[string]faulty.Fault{
		"EIO once":             {Err: syscall.EIO},
		"ENOSPC from then on":  {Err: syscall.ENOSPC, Short: true, Forever: true},
		"a short write":        {Short: true},
		"half a write and EIO": {Short: true, Err: syscall.EIO},
	} {
		for n, op := range calls {
			if fault.Err == nil && op != "write" {
				continue
			}
			fault.Call = n + 1
			t.Run(fmt.Sprintf("%s/%d-%s", name, n+1, op), func(t *testing.T) {
				t.Parallel()
				p := newPlace(t)
				acked, err := story(p, faulty.New(fault))
				if err == nil {
					t.Fatal("the fault was swallowed")
				}
				if fault.Err != nil && !errors.Is(err, fault.Err) {
					t.Errorf("the error hides its cause: %v", err)
				}
				survives(t, p, acked)
			})
		}
	}
}

// survives checks what a fault left behind and goes on with a disk that works.
func survives(t *testing.T, p place, acked []int) {
	t.Helper()
	if tail, err := p.log().Tail(); err != nil {
		t.Errorf("reading after the fault: %+v, %v", tail, err)
	}
	w, err := p.log().Lock(context.Background())
	if err != nil {
		t.Fatalf("locking after the fault: %v", err)
	}
	if _, err := os.Stat(p.log().ArchivePath("old")); err == nil && w.Tail().Seq > 1 {
		if err := w.Archive("old"); err != nil {
			t.Fatalf("archiving again: %v", err)
		}
	}
	if _, err := w.Append(draft(100), true); err != nil {
		t.Fatalf("appending after the fault: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if r := p.audit(t); !r.Clean() {
		t.Errorf("audit %+v", r)
	}
	found := map[string]bool{}
	collect(t, ledger.Open(p.dir, ledger.Options{}), found)
	old := p.log().ArchivePath("old")
	if _, err := os.Stat(filepath.Join(old, ledger.FileName)); err == nil {
		collect(t, ledger.Open(old, ledger.Options{}), found)
		r, err := audit.Verify(filepath.Join(old, ledger.FileName), audit.Options{Anchor: filepath.Join(old, ledger.AnchorCopy)})
		if err != nil || !r.Clean() {
			t.Errorf("archived ledger %+v, %v", r, err)
		}
	}
	for _, i := range append(acked, 100) {
		if !found[string(draft(i).Data)] {
			t.Errorf("event %d was acknowledged and is lost", i)
		}
	}
}

func collect(t *testing.T, l *ledger.Log, found map[string]bool) {
	t.Helper()
	err := l.Scan(0, func(e ledger.Event, _ int64) error {
		found[string(e.Data)] = true
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

// TestAnAppendThatCannotBeCutBack leaves a part of a line behind. The writer refuses
// to go on, the next one puts it in order.
func TestAnAppendThatCannotBeCutBack(t *testing.T) {
	p := newPlace(t)
	fill(t, p, 0, 2, nil)
	disk := faulty.New(faulty.Fault{Call: 1, Op: "write", Short: true, Err: syscall.ENOSPC, Forever: true})
	broken := &stuck{FS: disk}
	w := lock(t, ledger.Open(p.dir, ledger.Options{Anchor: p.anchor, FS: broken}))
	_, err := w.Append(draft(2), true)
	var torn *durable.TornError
	if !errors.As(err, &torn) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error %v", err)
	}
	if _, err := w.Append(draft(3), true); err == nil {
		t.Error("appended behind a torn tail")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	fill(t, p, 4, 5, nil)
	if r := p.audit(t); !r.Clean() || r.Events != 4 {
		t.Errorf("audit %+v", r)
	}
}

// stuck is a file system on which nothing can be truncated.
type stuck struct{ durable.FS }

func (s *stuck) OpenFile(name string, flag int, perm fs.FileMode) (durable.File, error) {
	f, err := s.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return stuckFile{f}, nil
}

type stuckFile struct{ durable.File }

func (stuckFile) Truncate(int64) error { return syscall.EIO }

// TestTheAnchorFailsAfterTheEvent is the one error after which the event is stored.
func TestTheAnchorFailsAfterTheEvent(t *testing.T) {
	p := newPlace(t)
	fill(t, p, 0, 2, nil)
	w := lock(t, ledger.Open(p.dir, ledger.Options{Anchor: p.anchor, FS: faulty.New(faulty.Fault{Call: 2, Op: "write", Err: syscall.EIO, Short: true})}))
	e, err := w.Append(draft(2), true)
	var anchor *ledger.AnchorError
	if !errors.As(err, &anchor) || anchor.Seq != 3 || e.Seq != 3 {
		t.Fatalf("%+v, %v", e, err)
	}
	if r := p.audit(t); !r.Clean() || r.Events != 3 || r.Anchored != 2 || len(r.Warnings) != 1 {
		t.Errorf("audit %+v", r)
	}
	if _, err := w.Append(draft(3), true); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if r := p.audit(t); !r.Clean() || r.Anchored != 4 || len(r.Warnings) != 0 {
		t.Errorf("audit %+v", r)
	}
}
