package ledger_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkAppend is a whole append as a command does it: lock, look at the tail,
// write, fsync, anchor, unlock. Compare with BenchmarkBareFsync.
func BenchmarkAppend(b *testing.B) {
	p := newPlace(b)
	l := p.log()
	d := draft(1)
	b.ReportAllocs()
	for b.Loop() {
		w, err := l.Lock(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := w.Append(d, true); err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppendTool is what a hook does after each tool call: no fsync.
func BenchmarkAppendTool(b *testing.B) {
	p := newPlace(b)
	l := p.log()
	d := draft(1)
	for b.Loop() {
		w, err := l.Lock(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := w.Append(d, false); err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBareFsync is the least that any durable append costs on this disk:
// writing a line of the same size to an open file, and fsync.
func BenchmarkBareFsync(b *testing.B) {
	bare := newBare(b)
	for b.Loop() {
		bare.append(b)
	}
}

// BenchmarkAppendOverBareFsync does one of each in turn, so that a disk or a machine
// that changes its speed changes both. The metric "bare/append" is the median of one
// over the median of the other; the bar is 0.6.
func BenchmarkAppendOverBareFsync(b *testing.B) {
	bare, p, d := newBare(b), newPlace(b), draft(1)
	l := p.log()
	var slow, fast []time.Duration
	for b.Loop() {
		t0 := time.Now()
		bare.append(b)
		t1 := time.Now()
		w, err := l.Lock(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := w.Append(d, true); err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		fast, slow = append(fast, t1.Sub(t0)), append(slow, time.Since(t1))
	}
	slices.Sort(fast)
	slices.Sort(slow)
	b.ReportMetric(float64(fast[len(fast)/2])/float64(slow[len(slow)/2]), "bare/append")
}

// bare is a file to which lines of a ledger are appended without any care.
type bare struct {
	f    *os.File
	line []byte
}

func newBare(b *testing.B) bare {
	p := newPlace(b)
	fill(b, p, 1, 2, nil)
	f, err := os.OpenFile(filepath.Join(b.TempDir(), "bare"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return bare{f: f, line: p.read(b)}
}

func (a bare) append(b *testing.B) {
	if _, err := a.f.Write(a.line); err != nil {
		b.Fatal(err)
	}
	if err := a.f.Sync(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkTail is what a deciding hook pays to know where a long ledger ends.
func BenchmarkTail(b *testing.B) {
	p := newPlace(b)
	fill(b, p, 0, 10000, func(int) bool { return true })
	fill(b, p, 10000, 10001, nil)
	l := p.log()
	for b.Loop() {
		if _, err := l.Tail(); err != nil {
			b.Fatal(err)
		}
	}
}
