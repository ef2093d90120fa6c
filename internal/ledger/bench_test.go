package ledger_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
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
	p := newPlace(b)
	fill(b, p, 1, 2, nil)
	line := p.read(b)
	f, err := os.OpenFile(filepath.Join(b.TempDir(), "bare"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for b.Loop() {
		if _, err := f.Write(line); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
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
