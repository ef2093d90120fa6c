package ledger

import (
	"context"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
)

func TestSmoke(t *testing.T) {
	dir := t.TempDir()
	l := Open(dir+"/w/.claude/asterweave", Options{Anchor: dir + "/git/anchor"})
	w, err := l.Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if _, err := w.Append(Draft{Type: "x", By: evidence.By{Channel: "cli"}, Data: []byte(`{"a": "<b>"}`), At: time.Now()}, i%2 == 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tail, err := l.Tail()
	t.Log(tail, err)
	if err := l.Scan(0, func(e Event, o int64) error { t.Log(o, e.Seq, string(e.Data), e.At); return nil }); err != nil {
		t.Fatal(err)
	}
	e, err := l.At(tail.Offset)
	t.Log(e, err)
}
