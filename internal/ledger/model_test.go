package ledger_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/asterweave/asterweave/internal/audit"
	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/ledger"
)

// TestModel walks randomly through the life of a ledger and compares it after each
// step with a list of what was appended.
func TestModel(t *testing.T) {
	root := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		base := filepath.Join(root, time.Duration(n).String())
		m := &model{anchor: filepath.Join(base, "anchor")}
		m.log = ledger.Open(filepath.Join(base, "state"), ledger.Options{Anchor: m.anchor, FS: hasty{durable.OS()}})
		t.Repeat(map[string]func(*rapid.T){
			"append": m.append,
			"tear":   m.tear,
			"strip":  m.strip,
			"":       m.check,
		})
	})
}

// hasty is a file system that syncs nothing: the model does not cut the power.
type hasty struct{ durable.FS }

func (h hasty) OpenFile(name string, flag int, perm fs.FileMode) (durable.File, error) {
	f, err := h.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return hastyFile{f}, nil
}

func (hasty) SyncDir(string) error { return nil }

type hastyFile struct{ durable.File }

func (hastyFile) Sync() error { return nil }

type model struct {
	log      *ledger.Log
	anchor   string
	events   []ledger.Event
	torn     int
	stripped bool
}

func drawDraft(t *rapid.T) ledger.Draft {
	data, err := json.Marshal(rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "data"))
	if err != nil {
		t.Fatal(err)
	}
	return ledger.Draft{
		Type:    rapid.StringMatching(`[a-z0-9.-]{1,20}`).Draw(t, "type"),
		Node:    rapid.StringMatching(`[a-z0-9.-]{0,20}`).Draw(t, "node"),
		Attempt: rapid.IntRange(0, 9).Draw(t, "attempt"),
		By:      evidence.By{Channel: rapid.String().Draw(t, "channel"), Agent: rapid.String().Draw(t, "agent")},
		Cause:   rapid.String().Draw(t, "cause"),
		Data:    data,
		At:      time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "second"), rapid.Int64Range(0, 1e9-1).Draw(t, "ns")),
	}
}

func (m *model) append(t *rapid.T) {
	w, err := m.log.Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if m.torn > 0 && len(m.events) > 0 {
		last, err := m.log.At(w.Tail().Offset)
		if err != nil || last.Type != ledger.Recovered {
			t.Fatalf("after a torn tail comes %+v, %v", last, err)
		}
		m.events = append(m.events, last)
	}
	m.torn, m.stripped = 0, false
	var drafts []ledger.Draft
	for range rapid.IntRange(1, 3).Draw(t, "n") {
		drafts = append(drafts, drawDraft(t))
	}
	events, err := w.AppendAll(drafts, rapid.Bool().Draw(t, "sync"))
	if err != nil {
		t.Fatal(err)
	}
	m.events = append(m.events, events...)
}

func (m *model) tear(t *rapid.T) {
	if m.torn > 0 || m.stripped || len(m.events) == 0 {
		return
	}
	torn := bytes.ReplaceAll(rapid.SliceOfN(rapid.Byte(), 1, 400).Draw(t, "torn"), []byte("\n"), []byte("n"))
	f, err := os.OpenFile(m.log.Path(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(torn); err != nil {
		t.Fatal(err)
	}
	m.torn = len(torn)
}

func (m *model) strip(t *rapid.T) {
	if m.torn > 0 || m.stripped || len(m.events) == 0 {
		return
	}
	info, err := os.Stat(m.log.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(m.log.Path(), info.Size()-1); err != nil {
		t.Fatal(err)
	}
	m.stripped = true
}

func (m *model) check(t *rapid.T) {
	tail, err := m.log.Tail()
	if err != nil || tail.Seq != int64(len(m.events)) {
		t.Fatalf("tail %+v with %d events, %v", tail, len(m.events), err)
	}
	if len(m.events) > 0 && tail.Hash != m.events[len(m.events)-1].Hash {
		t.Fatalf("tail %+v", tail)
	}
	i := 0
	err = m.log.Scan(0, func(e ledger.Event, _ int64) error {
		want := m.events[i]
		if e.Hash != want.Hash || string(e.Data) != string(want.Data) || e.By != want.By || e.Cause != want.Cause || !e.At.Equal(want.At) {
			t.Fatalf("event %d is %+v, want %+v", i, e, want)
		}
		i++
		return nil
	})
	if err != nil || i != len(m.events) {
		t.Fatalf("%d of %d events, %v", i, len(m.events), err)
	}
	r, err := audit.Verify(m.log.Path(), audit.Options{Anchor: m.anchor})
	if err != nil || r.Damaged() || r.Events != int64(len(m.events)) || r.Clean() != (m.torn == 0 && !m.stripped) {
		t.Fatalf("audit %+v, %v", r, err)
	}
}

// FuzzAppend stores anything that can be stored and reads it back.
func FuzzAppend(f *testing.F) {
	f.Add("recorded", "agent", "cause", []byte(`{"a":1}`))
	f.Add("x", "\xff", "\u2028<&>\"\\", []byte("{ \"a\" : [\"\\u0000\", \"}\"] }"))
	f.Add("", "", "\x00", []byte(nil))
	f.Fuzz(func(t *testing.T, typ, channel, cause string, data []byte) {
		p := newPlace(t)
		w := lock(t, p.log())
		defer w.Close()
		if _, err := w.Append(draft(0), false); err != nil {
			t.Fatal(err)
		}
		e, err := w.Append(ledger.Draft{Type: typ, By: evidence.By{Channel: channel}, Cause: cause, Data: data, At: noon()}, false)
		if err != nil {
			return
		}
		got, err := p.log().At(w.Tail().Offset)
		if err != nil || got.Hash != e.Hash || string(got.Data) != string(e.Data) || utf8.ValidString(cause) && got.Cause != cause {
			t.Fatalf("stored %+v, read %+v, %v", e, got, err)
		}
		if r := p.audit(t); !r.Clean() {
			t.Fatalf("audit %+v", r)
		}
	})
}

// FuzzRead opens a file of anything: no panic, and after a lock was granted the
// verifier is content.
func FuzzRead(f *testing.F) {
	p := newPlace(f)
	fill(f, p, 0, 3, nil)
	good := p.read(f)
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(good[:len(good)-30])
	f.Add([]byte("\n"))
	f.Add([]byte(`{"v":9,"x":1}` + "\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ledger.FileName), b, 0o644); err != nil {
			t.Fatal(err)
		}
		l := ledger.Open(dir, ledger.Options{FS: hasty{durable.OS()}})
		_, terr := l.Tail()
		serr := l.Scan(0, func(ledger.Event, int64) error { return nil })
		w, err := l.Lock(context.Background())
		if err != nil {
			if terr == nil {
				t.Fatalf("the reader is content, the writer says %v", err)
			}
			return
		}
		w.Close()
		r, err := audit.Verify(l.Path(), audit.Options{})
		if err != nil || serr == nil && !r.Clean() {
			t.Fatalf("audit %+v, %v", r, err)
		}
	})
}
