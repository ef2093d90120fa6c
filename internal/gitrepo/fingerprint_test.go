package gitrepo

import (
	"testing"
	"time"
)

// A file that changed within the clock's tick in which it was read may have changed
// again, without a trace.
func TestSettled(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 600_000_000, time.UTC)
	for _, c := range []struct {
		what         string
		mtime, ctime time.Time
		want         bool
	}{
		{"long ago", began.Add(-time.Hour), began.Add(-time.Hour + 1), true},
		{"just before", began.Add(-time.Millisecond), began.Add(-time.Millisecond), false},
		{"just before, modification time set back", began.Add(-time.Hour), began.Add(-time.Millisecond), false},
		{"a tick before", began.Add(-30 * time.Millisecond), began.Add(-30 * time.Millisecond), true},
		{"later", began.Add(time.Second), began.Add(time.Second), false},
		{"modification time in the future", began.Add(time.Hour), began.Add(-time.Second), true},
		{"a clock of seconds", began.Truncate(time.Second), began.Truncate(time.Second), false},
		{"a clock of seconds, two before", began.Truncate(time.Second).Add(-2 * time.Second), began.Truncate(time.Second).Add(-2 * time.Second), true},
	} {
		f := fingerprint{kind: regular, mtime: c.mtime.UnixNano(), ctime: c.ctime.UnixNano()}
		if got := f.settled(began.UnixNano()); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
		if got := f.trusted(began.UnixNano()); (got == f) != c.want {
			t.Errorf("%s: %+v", c.what, got)
		}
	}
}

func TestCacheRoundTrip(t *testing.T) {
	f := fingerprint{kind: regular, mode: 0o644, size: 1 << 40, mtime: -5, ctime: 7, inode: 1 << 63}
	c := &cache{
		index: f, conversion: "c", sparse: "s", tree: "t",
		entries: []entry{
			{tracked: tracked{"a", "100644", "1"}, work: object{"100644", "1"}, fp: f},
			{tracked: tracked{"b", "100644", "1"}, sparse: true},
			{tracked: tracked{"c", "100644", "1"}, work: object{"100755", "2"}},
		},
		extras:  []extra{{final{"x", object{"120000", "3"}}, f}},
		ambient: []ambientSeen{{"y", f, "sha256:4"}},
	}
	b := c.encode()
	got, err := decodeCache(string(b[:len(b)-4]))
	if err != nil {
		t.Fatal(err)
	}
	if again := got.encode(); string(again) != string(b) || len(got.entries) != 3 || got.entries[2] != c.entries[2] {
		t.Errorf("%+v", got)
	}
	for n := range len(b) - 4 {
		if _, err := decodeCache(string(b[:n])); err == nil {
			t.Errorf("cut after %d bytes, it passes", n)
		}
	}
}

func FuzzDecodeIndex(f *testing.F) {
	b, err := encodeIndex([]final{{"a", object{"100644", emptyTree40}}, {"b/c", object{"120000", emptyTree40}}}, 40)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:50])
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := decodeIndex(b, 40)
		if err != nil {
			return
		}
		again, err := encodeIndex(list, 40)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decodeIndex(again, 40); err != nil || len(got) != len(list) {
			t.Errorf("%v %v", got, err)
		}
	})
}
