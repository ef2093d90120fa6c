package bench

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/state"
)

// openLedger opens the ledger of a repository as the engine does.
func openLedger(root string) *ledger.Log {
	return ledger.Open(filepath.Join(root, filepath.FromSlash(document.StateFolder)), ledger.Options{
		Anchor: filepath.Join(root, ".git", "asterweave", "ledger.anchor"),
	})
}

// grow appends tool events to the ledger of a repository until it has n events.
// Each is folded and has the digest of its fold, as if a hook had appended it.
func grow(root string, n int64) error {
	log := openLedger(root)
	w, err := log.Lock(context.Background())
	if err != nil {
		return err
	}
	defer w.Close()
	s := state.New()
	if err := log.Scan(0, func(ev ledger.Event, _ int64) error {
		changes, err := state.Decode(ev.Data)
		if err != nil {
			return err
		}
		return state.Fold(s, state.Entry{Seq: ev.Seq, At: ev.At, Changes: changes})
	}); err != nil {
		return err
	}
	const batch = 1000
	for w.Tail().Seq < n {
		var drafts []ledger.Draft
		for i := int64(0); i < batch && w.Tail().Seq+i < n; i++ {
			change := state.Change{Tool: &state.Tool{Tool: "Read", AgentType: "general", DurationMs: 3, Files: map[string]string{"internal/policy/policy.go": "0123456789abcdef0123456789abcdef"}}}
			if err := state.Fold(s, state.Entry{Seq: w.Tail().Seq + i + 1, Changes: []state.Change{change}}); err != nil {
				return err
			}
			data, err := json.Marshal(state.Data{Changes: []state.Change{change}})
			if err != nil {
				return err
			}
			digest, _, err := s.Digest()
			if err != nil {
				return err
			}
			drafts = append(drafts, ledger.Draft{Type: "tool", Node: "intake", Attempt: 1, By: evidence.By{Channel: "hook", Session: "s"}, Data: data, State: digest, At: time.Now()})
		}
		if _, err := w.AppendAll(drafts, true); err != nil {
			return err
		}
	}
	return nil
}

func statusRow(dir string) ([]row, error) {
	p := programs{state: filepath.Join(dir, "asterweave-state")}
	few, many := filepath.Join(dir, "few"), filepath.Join(dir, "many")
	for root, n := range map[string]int64{few: 100, many: 10_000} {
		if err := repository(root, p, true); err != nil {
			return nil, err
		}
		if err := grow(root, n); err != nil {
			return nil, err
		}
		// One write brings the cache up to the tail, as every write does.
		if err := in(root, nil, p.state, "record", "--kind", "note", "--result", "info", "--summary", "s", "--because", "b"); err != nil {
			return nil, err
		}
	}
	status := func(root string) func() error {
		return func() error { return in(root, nil, p.state, "status", "--json") }
	}
	a, b, err := byTurns(31, status(many), status(few))
	if err != nil {
		return nil, err
	}
	return []row{{what: "status --json with 10,000 events / with 100", value: ratio(a, b), unit: "x", bar: 1.3}}, nil
}

func appendRow(dir string) ([]row, error) {
	root := filepath.Join(dir, "append")
	if err := repository(root, programs{state: filepath.Join(dir, "asterweave-state")}, false); err != nil {
		return nil, err
	}
	log := openLedger(root)
	bare, err := os.OpenFile(filepath.Join(root, "bare"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer bare.Close()
	line := make([]byte, 600)
	ours, theirs, err := byTurns(201, func() error {
		w, err := log.Lock(context.Background())
		if err != nil {
			return err
		}
		defer w.Close()
		_, err = w.Append(ledger.Draft{Type: "record", Node: "test", Attempt: 1, By: evidence.By{Channel: "cli"}, Data: json.RawMessage(`{"changes":[]}`), At: time.Now()}, true)
		return err
	}, func() error {
		if _, err := bare.Write(line); err != nil {
			return err
		}
		return bare.Sync()
	})
	if err != nil {
		return nil, err
	}
	return []row{{what: "lock + append + fsync: rate / rate of a bare write + fsync", value: ratio(theirs, ours), unit: "x", bar: 0.6, least: true}}, nil
}

func verifyRows(dir string) ([]row, error) {
	p := programs{state: filepath.Join(dir, "asterweave-state")}
	root := filepath.Join(dir, "verify")
	if err := repository(root, p, true); err != nil {
		return nil, err
	}
	if err := grow(root, 10_000); err != nil {
		return nil, err
	}
	e, err := engine.Open(engine.Options{Root: root, Now: time.Now, Environ: os.Environ()})
	if err != nil {
		return nil, err
	}
	verify := func() error {
		r, err := e.Verify(context.Background())
		if err == nil && !r.Clean() {
			err = fmt.Errorf("the ledger is not clean: %v", r.Problems)
		}
		return err
	}
	small, err := peak(verify)
	if err != nil {
		return nil, err
	}
	if err := grow(root, 100_000); err != nil {
		return nil, err
	}
	large, err := peak(verify)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(root, filepath.FromSlash(document.StateFolder), ledger.FileName)
	a, b, err := byTurns(5, verify, func() error { return hashAndUnmarshal(path) })
	if err != nil {
		return nil, err
	}
	return []row{
		{what: "verify of 100,000 events / a loop that hashes and unmarshals", value: ratio(a, b), unit: "x", bar: 2},
		{what: "verify: heap with 100,000 events / with 10,000", value: large / small, unit: "x", bar: 1.5},
	}, nil
}

// hashAndUnmarshal is the least that any verifier has to do.
func hashAndUnmarshal(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 0, ledger.MaxEvent), ledger.MaxEvent)
	var sums byte
	for lines.Scan() {
		sum := sha256.Sum256(lines.Bytes())
		sums ^= sum[0]
		var v map[string]any
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return err
		}
	}
	runtime.KeepAlive(sums)
	return lines.Err()
}

// peak returns the largest heap that was in use while fn ran, in bytes.
func peak(fn func() error) (float64, error) {
	runtime.GC()
	done := make(chan struct{})
	most := make(chan uint64)
	go func() {
		var top uint64
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			top = max(top, m.HeapInuse)
			select {
			case <-done:
				most <- top
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	err := fn()
	close(done)
	return float64(<-most), err
}
