package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/audit"
	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/durable/faulty"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/ledger"
)

// place is a state folder with its anchor.
type place struct{ dir, anchor string }

func newPlace(t testing.TB) place {
	t.Helper()
	root := t.TempDir()
	return place{dir: filepath.Join(root, "work", ".claude", "asterweave"), anchor: filepath.Join(root, "git", "asterweave", "anchor")}
}

func (p place) log() *ledger.Log { return ledger.Open(p.dir, ledger.Options{Anchor: p.anchor}) }

func (p place) path() string { return filepath.Join(p.dir, ledger.FileName) }

func (p place) read(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(p.path())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (p place) write(t testing.TB, b []byte) {
	t.Helper()
	if err := os.WriteFile(p.path(), b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func (p place) audit(t testing.TB) audit.Report {
	t.Helper()
	r, err := audit.Verify(p.path(), audit.Options{Anchor: p.anchor})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func noon() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 5, time.UTC) }

func draft(i int) ledger.Draft {
	return ledger.Draft{
		Type: "recorded", Node: "implement", Attempt: 1 + i%3,
		By:    evidence.By{Channel: "agent", Agent: "implementer/a1", Session: "s-1"},
		Cause: "event \"" + fmt.Sprint(i) + "\" <&> \u2028 ü",
		Data:  json.RawMessage(fmt.Sprintf(`{"i":%d,"text":"a, b} [\"c\\"}`, i)),
		State: canon.Hash([]byte(fmt.Sprint(i))),
		At:    noon().Add(time.Duration(i) * time.Second),
	}
}

func lock(t testing.TB, l *ledger.Log) *ledger.Writer {
	t.Helper()
	w, err := l.Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// fill appends events from..to-1, each durable unless tool says otherwise.
func fill(t testing.TB, p place, from, to int, tool func(i int) bool) {
	t.Helper()
	w := lock(t, p.log())
	for i := from; i < to; i++ {
		if _, err := w.Append(draft(i), tool == nil || !tool(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func scan(t testing.TB, l *ledger.Log, from int64) (events []ledger.Event, offsets []int64) {
	t.Helper()
	err := l.Scan(from, func(e ledger.Event, o int64) error {
		events, offsets = append(events, e), append(offsets, o)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return events, offsets
}

func TestOpenTouchesNothing(t *testing.T) {
	p := newPlace(t)
	l := p.log()
	if l.Exists() {
		t.Error("exists before anything was written")
	}
	if tail, err := l.Tail(); err != nil || tail != (ledger.Tail{}) {
		t.Errorf("tail %+v, %v", tail, err)
	}
	if err := l.Scan(0, func(ledger.Event, int64) error { return errors.New("called") }); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(p.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the state folder was made: %v", err)
	}
}

func TestAppendAndReadBack(t *testing.T) {
	p := newPlace(t)
	fill(t, p, 0, 20, func(i int) bool { return i%4 == 0 })
	l := p.log()
	events, offsets := scan(t, l, 0)
	if len(events) != 20 {
		t.Fatalf("%d events", len(events))
	}
	for i, e := range events {
		d := draft(i)
		if e.Seq != int64(i+1) || e.Type != d.Type || e.Node != d.Node || e.Attempt != d.Attempt || e.By != d.By ||
			e.Cause != d.Cause || string(e.Data) != string(d.Data) || e.State != d.State || !e.At.Equal(d.At) {
			t.Errorf("event %d: %+v", i, e)
		}
		if at, err := l.At(offsets[i]); err != nil || at.Hash != e.Hash {
			t.Errorf("at %d: %+v, %v", offsets[i], at, err)
		}
		if rest, _ := scan(t, l, offsets[i]); len(rest) != 20-i {
			t.Errorf("scan from %d: %d events", offsets[i], len(rest))
		}
	}
	tail, err := l.Tail()
	last := events[19]
	want := ledger.Tail{Seq: 20, Hash: last.Hash, State: last.State, Offset: offsets[19], End: int64(len(p.read(t))), At: last.At}
	if err != nil || tail != want {
		t.Errorf("tail %+v, want %+v, %v", tail, want, err)
	}
	if !l.Exists() {
		t.Error("does not exist")
	}
	if r := p.audit(t); !r.Clean() || r.Events != 20 || r.Head != last.Hash || r.State != last.State || r.Anchored != 20 {
		t.Errorf("audit %+v", r)
	}
	if b, err := os.ReadFile(filepath.Join(p.dir, ".gitignore")); err != nil || string(b) != "*\n" {
		t.Errorf(".gitignore %q, %v", b, err)
	}
	if _, err := l.At(offsets[3] + 1); err == nil {
		t.Error("read an event from the middle of a line")
	}
	if err := l.Scan(int64(len(p.read(t)))+1, nil); err == nil {
		t.Error("scanned from behind the end")
	}
}

func TestTheFormatIsAsWrittenDown(t *testing.T) {
	p := newPlace(t)
	w := lock(t, p.log())
	_, err := w.Append(ledger.Draft{
		Type: "started", By: evidence.By{Channel: "cli", Identity: "dev"}, Cause: "start", Data: json.RawMessage(`{ "goal": "x" }`),
		At: noon(),
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	body := `{"v":1,"seq":1,"at":"2026-03-04T12:00:00.000000005Z","type":"started","node":"","attempt":0,` +
		`"by":{"channel":"cli","identity":"dev"},"cause":"start","data":{"goal":"x"},"state":"","prev":"` + strings.Repeat("0", 64) + `"`
	hash := canon.Hash([]byte(body))
	line := body + `,"hash":"` + hash + "\"}\n"
	if got := string(p.read(t)); got != line {
		t.Errorf("line\n%s\nwant\n%s", got, line)
	}
	slot := fmt.Sprintf(`{"length":%d,"seq":1,"hash":"%s"`, len(line), hash)
	slot += `,"sum":"` + canon.Hash([]byte(slot))[:16] + `"}`
	slot += strings.Repeat(" ", 191-len(slot)) + "\n"
	anchor, err := os.ReadFile(p.anchor)
	if err != nil || len(anchor) != 384 || string(anchor[192:]) != slot {
		t.Errorf("anchor\n%s\nwant\n%s, %v", anchor, slot, err)
	}
}

func TestAClockThatGoesBackIsStoredAsStandingStill(t *testing.T) {
	p := newPlace(t)
	w := lock(t, p.log())
	defer w.Close()
	first, err := w.Append(draft(100), true)
	if err != nil {
		t.Fatal(err)
	}
	seq, at := w.Next(draft(3).At)
	second, err := w.Append(draft(3), true)
	if err != nil {
		t.Fatal(err)
	}
	if !second.At.Equal(first.At) || !at.Equal(second.At) || seq != second.Seq {
		t.Errorf("stored %v after %v; next said %d %v", second.At, first.At, seq, at)
	}
	if r := p.audit(t); !r.Clean() {
		t.Errorf("audit %+v", r)
	}
}

func TestDraftsThatAreRefused(t *testing.T) {
	p := newPlace(t)
	w := lock(t, p.log())
	defer w.Close()
	for name, change := range map[string]func(*ledger.Draft){
		"no type":       func(d *ledger.Draft) { d.Type = "" },
		"odd type":      func(d *ledger.Draft) { d.Type = "a b" },
		"odd node":      func(d *ledger.Draft) { d.Node = "Implement" },
		"long type":     func(d *ledger.Draft) { d.Type = strings.Repeat("a", 65) },
		"attempt":       func(d *ledger.Draft) { d.Attempt = -1 },
		"attempts":      func(d *ledger.Draft) { d.Attempt = 1 << 31 },
		"state":         func(d *ledger.Draft) { d.State = "abc" },
		"no time":       func(d *ledger.Draft) { d.At = time.Time{} },
		"far time":      func(d *ledger.Draft) { d.At = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"data list":     func(d *ledger.Draft) { d.Data = json.RawMessage(`[1]`) },
		"data broken":   func(d *ledger.Draft) { d.Data = json.RawMessage(`{"a":`) },
		"data two":      func(d *ledger.Draft) { d.Data = json.RawMessage(`{} {}`) },
		"data not utf8": func(d *ledger.Draft) { d.Data = json.RawMessage("{\"a\":\"\xff\"}") },
	} {
		d := draft(0)
		change(&d)
		if _, err := w.Append(d, true); err == nil {
			t.Errorf("%s: stored", name)
		}
	}
	if p.log().Exists() {
		t.Error("a refused event left a ledger")
	}
}

func TestSizeLimit(t *testing.T) {
	p := newPlace(t)
	w := lock(t, p.log())
	d := draft(0)
	pad := func(n int) { d.Data = json.RawMessage(`{"a":"` + strings.Repeat("x", n) + `"}`) }
	pad(ledger.MaxEvent)
	var size *ledger.SizeError
	if _, err := w.Append(d, true); !errors.As(err, &size) {
		t.Fatalf("error %v", err)
	}
	pad(ledger.MaxEvent - (size.Size - ledger.MaxEvent)) // the largest that fits
	if _, err := w.Append(d, true); err != nil {
		t.Fatal(err)
	}
	if got := len(p.read(t)); got != ledger.MaxEvent {
		t.Fatalf("line of %d bytes", got)
	}
	pad(ledger.MaxEvent - (size.Size - ledger.MaxEvent) + 1)
	if _, err := w.Append(d, true); !errors.As(err, &size) || size.Size != ledger.MaxEvent+1 {
		t.Fatalf("error %v", err)
	}
	if _, err := w.Append(draft(1), true); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if events, _ := scan(t, p.log(), 0); len(events) != 2 {
		t.Errorf("%d events", len(events))
	}
	if r := p.audit(t); !r.Clean() {
		t.Errorf("audit %+v", r)
	}
}

func TestLockTimeout(t *testing.T) {
	p := newPlace(t)
	w := lock(t, p.log())
	defer w.Close()
	_, err := ledger.Open(p.dir, ledger.Options{Anchor: p.anchor, LockTimeout: 20 * time.Millisecond}).Lock(context.Background())
	var timeout *durable.LockTimeoutError
	if !errors.As(err, &timeout) {
		t.Fatalf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.log().Lock(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestAClosedWriterAppendsNothing(t *testing.T) {
	p := newPlace(t)
	w := lock(t, p.log())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Append(draft(0), true); err == nil {
		t.Error("stored")
	}
	if err := w.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

func TestSymbolicLinksAreRefused(t *testing.T) {
	target := newPlace(t)
	fill(t, target, 0, 3, nil)
	t.Run("folder", func(t *testing.T) {
		p := newPlace(t)
		if err := os.MkdirAll(filepath.Dir(p.dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target.dir, p.dir); err != nil {
			t.Skip(err)
		}
		refusesLink(t, p.log())
	})
	t.Run("ledger", func(t *testing.T) {
		p := newPlace(t)
		if err := os.MkdirAll(p.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target.path(), p.path()); err != nil {
			t.Skip(err)
		}
		refusesLink(t, p.log())
	})
	if r := target.audit(t); !r.Clean() || r.Events != 3 {
		t.Errorf("the target was touched: %+v", r)
	}
}

func refusesLink(t *testing.T, l *ledger.Log) {
	t.Helper()
	if _, err := l.Tail(); !errors.Is(err, ledger.ErrLink) {
		t.Errorf("tail: %v", err)
	}
	if w, err := l.Lock(context.Background()); !errors.Is(err, ledger.ErrLink) {
		t.Errorf("lock: %v", err)
		if w != nil {
			w.Close()
		}
	}
}

func TestAFolderThatCannotBeWritten(t *testing.T) {
	p := newPlace(t)
	fill(t, p, 0, 3, nil)
	denied := ledger.Open(p.dir, ledger.Options{Anchor: p.anchor, FS: faulty.New(faulty.Fault{Call: 1, Op: "open", Forever: true, Err: os.ErrPermission})})
	if _, err := denied.Lock(context.Background()); !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("error %v", err)
	}
	if tail, err := denied.Tail(); err != nil || tail.Seq != 3 {
		t.Errorf("reading: %+v, %v", tail, err)
	}
	fill(t, p, 3, 4, nil)
	if r := p.audit(t); !r.Clean() || r.Events != 4 {
		t.Errorf("audit %+v", r)
	}
}

func TestAFolderWithoutWritePermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("permissions do not bind the superuser; TestAFolderThatCannotBeWritten denies through the seam")
	}
	p := newPlace(t)
	fill(t, p, 0, 3, nil)
	before := p.read(t)
	for _, path := range []string{p.path(), filepath.Join(p.dir, "ledger.lock"), p.dir} {
		if err := os.Chmod(path, 0o500); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := os.Chmod(p.dir, 0o755); err != nil {
			t.Error(err)
		}
	})
	if _, err := p.log().Lock(context.Background()); !errors.Is(err, os.ErrPermission) {
		t.Errorf("error %v", err)
	}
	if tail, err := p.log().Tail(); err != nil || tail.Seq != 3 || string(p.read(t)) != string(before) {
		t.Errorf("reading: %+v, %v", tail, err)
	}
}

func TestArtifacts(t *testing.T) {
	p := newPlace(t)
	l := p.log()
	data := []byte("output\x00of a run")
	digest, err := l.PutArtifact(data)
	if err != nil || digest != canon.Hash(data) {
		t.Fatalf("%s, %v", digest, err)
	}
	if again, err := l.PutArtifact(data); err != nil || again != digest {
		t.Errorf("again: %s, %v", again, err)
	}
	if got, err := l.Artifact(digest); err != nil || string(got) != string(data) {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.WriteFile(l.ArtifactPath(digest), []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	var bad *ledger.ArtifactError
	for _, d := range []string{digest, canon.Hash([]byte("none")), "../ledger.jsonl", ""} {
		if _, err := l.Artifact(d); !errors.As(err, &bad) {
			t.Errorf("%q: %v", d, err)
		}
	}
	if _, err := l.PutArtifact(data); err != nil { // replaces what is damaged
		t.Fatal(err)
	}
	if got, err := l.Artifact(digest); err != nil || string(got) != string(data) {
		t.Errorf("after repair: %q, %v", got, err)
	}
}

func TestArchive(t *testing.T) {
	p := newPlace(t)
	fill(t, p, 0, 5, nil)
	for _, name := range []string{"spec.json", "plan.json", "state.json"} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := lock(t, p.log())
	for _, id := range []string{"", ".", "..", "a/b", ".hidden", `a\b`} {
		if err := w.Archive(id); err == nil {
			t.Errorf("archived as %q", id)
		}
	}
	if err := w.Archive("d-1"); err != nil {
		t.Fatal(err)
	}
	if w.Tail() != (ledger.Tail{}) || p.log().Exists() {
		t.Errorf("tail %+v after archiving", w.Tail())
	}
	if err := w.Archive("d-2"); err == nil {
		t.Error("archived nothing")
	}
	if _, err := w.Append(draft(9), true); err != nil {
		t.Fatal(err)
	}
	if err := w.Archive("d-1"); err == nil {
		t.Error("archived over an archive")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	old := p.log().ArchivePath("d-1")
	for _, name := range []string{"spec.json", "plan.json", "state.json"} {
		if b, err := os.ReadFile(filepath.Join(old, name)); err != nil || string(b) != name {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	r, err := audit.Verify(filepath.Join(old, ledger.FileName), audit.Options{Anchor: filepath.Join(old, ledger.AnchorCopy)})
	if err != nil || !r.Clean() || r.Events != 5 || r.Anchored != 5 {
		t.Errorf("archived ledger %+v, %v", r, err)
	}
	if r := p.audit(t); !r.Clean() || r.Events != 1 {
		t.Errorf("new ledger %+v", r)
	}
}

func TestAppendAllIsOneWrite(t *testing.T) {
	p := newPlace(t)
	fill(t, p, 0, 1, nil)
	disk := faulty.New(faulty.Fault{})
	w := lock(t, ledger.Open(p.dir, ledger.Options{Anchor: p.anchor, FS: disk}))
	before := len(disk.Calls())
	events, err := w.AppendAll([]ledger.Draft{draft(1), draft(2), draft(3)}, true)
	if err != nil || len(events) != 3 || events[2].Prev != events[1].Hash || events[2].Seq != 4 {
		t.Fatalf("%+v, %v", events, err)
	}
	if calls := strings.Join(disk.Calls()[before:], " "); calls != "write sync write" {
		t.Errorf("calls %q, want the ledger's write and sync, then the anchor's write", calls)
	}
	if none, err := w.AppendAll(nil, true); none != nil || err != nil {
		t.Errorf("nothing to append: %v, %v", none, err)
	}
	bad := draft(5)
	bad.Type = ""
	if _, err := w.AppendAll([]ledger.Draft{draft(4), bad}, true); err == nil {
		t.Error("stored a part of what was refused")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if r := p.audit(t); !r.Clean() || r.Events != 4 {
		t.Errorf("audit %+v", r)
	}
}
