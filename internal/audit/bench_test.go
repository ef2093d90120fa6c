package audit_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"os"
	"runtime"
	"testing"

	"github.com/asterweave/asterweave/internal/audit"
)

const benchEvents = 100_000

// BenchmarkVerify verifies 100,000 events. Compare with BenchmarkHashUnmarshal; the
// bar is twice its time.
func BenchmarkVerify(b *testing.B) {
	path, anchor := write(b, benchEvents)
	b.ReportAllocs()
	for b.Loop() {
		r, err := audit.Verify(path, audit.Options{Anchor: anchor})
		if err != nil || !r.Clean() || r.Events != benchEvents {
			b.Fatalf("%+v, %v", r, err)
		}
	}
}

// BenchmarkHashUnmarshal hashes and unmarshals each of the same lines.
func BenchmarkHashUnmarshal(b *testing.B) {
	path, _ := write(b, benchEvents)
	for b.Loop() {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for in := bufio.NewScanner(f); in.Scan(); n++ {
			sha256.Sum256(in.Bytes())
			var e struct {
				V       int             `json:"v"`
				Seq     int64           `json:"seq"`
				At      string          `json:"at"`
				Type    string          `json:"type"`
				Node    string          `json:"node"`
				Attempt int             `json:"attempt"`
				By      json.RawMessage `json:"by"`
				Cause   string          `json:"cause"`
				Data    json.RawMessage `json:"data"`
				State   string          `json:"state"`
				Prev    string          `json:"prev"`
				Hash    string          `json:"hash"`
			}
			if err := json.Unmarshal(in.Bytes(), &e); err != nil {
				b.Fatal(err)
			}
		}
		if n != benchEvents {
			b.Fatal(n)
		}
		f.Close()
	}
}

// TestMemoryStaysFlat verifies a ledger that is much larger than the memory that the
// verifier may hold.
func TestMemoryStaysFlat(t *testing.T) {
	path, _ := write(t, 20000)
	size := len(read(t, path))
	var most uint64
	events := 0
	_, err := audit.Verify(path, audit.Options{Each: func(audit.Event) error {
		if events++; events%4000 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes of ledger, at most %d bytes of heap", size, most)
	if most > 6<<20 {
		t.Errorf("%d bytes of heap for a ledger of %d", most, size)
	}
}

func BenchmarkLine(b *testing.B) {
	path, _ := write(b, 1)
	line := read(b, path)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := audit.Read(bytes.NewReader(line), audit.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
