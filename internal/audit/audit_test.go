package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/audit"
	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/ledger"
)

// write makes a real ledger of n events and returns its path and its anchor's.
func write(t testing.TB, n int) (path, anchor string) {
	t.Helper()
	dir := t.TempDir()
	anchor = filepath.Join(dir, "anchor")
	w, err := ledger.Open(filepath.Join(dir, "state"), ledger.Options{Anchor: anchor}).Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range n {
		d := ledger.Draft{
			Type: "recorded", Node: "test", Attempt: 2, Cause: "run",
			By:   evidence.By{Channel: "agent", Agent: "test-engineer/a2", Session: "5f1c"},
			Data: json.RawMessage(fmt.Sprintf(`{"id":"E%d","kind":"unit-test","argv":["go","test","./..."],"exit":0,"ok":true,"x":[1.5e3,null,{}]}`, i)),
			At:   start.Add(time.Duration(i) * time.Millisecond), State: canon.Hash([]byte{byte(i)}),
		}
		if _, err := w.Append(d, i == n-1); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "state", ledger.FileName), anchor
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func problems(t *testing.T, b []byte) []audit.Problem {
	t.Helper()
	r, err := audit.Read(bytes.NewReader(b), audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Problems
}

func TestACleanLedger(t *testing.T) {
	path, anchor := write(t, 7)
	var seen []string
	r, err := audit.Verify(path, audit.Options{Anchor: anchor, Each: func(e audit.Event) error {
		seen = append(seen, fmt.Sprint(e.Line, e.Seq, e.Type, e.Node, e.Attempt, e.State[:4], string(e.By), string(e.Cause)))
		if !json.Valid(e.Data) || e.At.Year() != 2026 || e.Hash == "" {
			t.Errorf("event %+v", e)
		}
		return nil
	}})
	if err != nil || !r.Clean() || r.Events != 7 || r.Anchored != 7 || r.Bytes != int64(len(read(t, path))) {
		t.Errorf("%+v, %v", r, err)
	}
	if len(seen) != 7 || !strings.HasPrefix(seen[3], `4 4recordedtest2`) || !strings.Contains(seen[3], `{"channel":"agent"`) {
		t.Errorf("seen %q", seen)
	}
	none, err := audit.Verify(filepath.Join(t.TempDir(), "none"), audit.Options{Anchor: filepath.Join(t.TempDir(), "none")})
	if err != nil || !none.Clean() || none.Events != 0 {
		t.Errorf("nothing at all: %+v, %v", none, err)
	}
}

func TestOneDamageIsOneProblem(t *testing.T) {
	path, _ := write(t, 10)
	good := read(t, path)
	at := bytes.Index(good, []byte(`"id":"E4"`)) + 7 // in line 5
	bad := bytes.Clone(good)
	bad[at] = 'F'
	if p := problems(t, bad); len(p) != 1 || p[0].Line != 5 {
		t.Errorf("problems %v", p)
	}
	// The hash itself: the line after it names the hash that it should have.
	end := at + bytes.Index(good[at:], []byte(`","hash":"`)) + len(`","hash":"`)
	bad = bytes.Clone(good)
	if bad[end]++; bad[end] == '9'+1 {
		bad[end] = 'a'
	}
	if p := problems(t, bad); len(p) != 1 || p[0].Line != 5 {
		t.Errorf("problems %v", p)
	}
}

func TestSeveralProblemsAreAllNamed(t *testing.T) {
	path, _ := write(t, 30)
	b := read(t, path)
	lines := bytes.SplitAfter(b, []byte("\n"))
	lines[3][40] ^= 1
	lines[11] = []byte("not an event\n")
	lines[20] = nil
	var got []int64
	for _, p := range problems(t, bytes.Join(lines, nil)) {
		if len(got) == 0 || got[len(got)-1] != p.Line {
			got = append(got, p.Line)
		}
	}
	if fmt.Sprint(got) != "[4 12 21]" {
		t.Errorf("problems in lines %v", got)
	}
}

func TestTheListOfProblemsIsCapped(t *testing.T) {
	r, err := audit.Read(strings.NewReader(strings.Repeat("x\n", 500)), audit.Options{MaxProblems: 7})
	if err != nil || len(r.Problems) != 7 || r.More != 493 || r.Events != 500 {
		t.Errorf("%d problems and %d more, %v", len(r.Problems), r.More, err)
	}
}

// seal replaces a body's hash, so that nothing but the body is wrong.
func seal(body string) string { return body + `,"hash":"` + canon.Hash([]byte(body)) + "\"}\n" }

func TestOnlyOneSpellingIsAccepted(t *testing.T) {
	zeros := strings.Repeat("0", 64)
	const head, by = `{"v":1,"seq":1,"at":"2026-01-02T03:04:05.000000000Z","type":"a","node":"","attempt":0`, `,"by":{"channel":"cli"}`
	rest := `,"cause":"","data":{},"state":"","prev":"` + zeros + `"`
	good := head + by + rest
	if p := problems(t, []byte(seal(good))); len(p) != 0 {
		t.Fatalf("the plain line: %v", p)
	}
	for name, body := range map[string]string{
		"space":              strings.Replace(good, `"data":{}`, `"data":{ }`, 1),
		"space in front":     " " + good,
		"order":              strings.Replace(good, `"type":"a","node":""`, `"node":"","type":"a"`, 1),
		"field twice":        strings.Replace(good, `"type":"a"`, `"type":"a","type":"a"`, 1),
		"field missing":      strings.Replace(good, `"cause":"",`, ``, 1),
		"field too many":     good + `,"extra":1`,
		"leading zero":       strings.Replace(good, `"seq":1`, `"seq":01`, 1),
		"fraction":           strings.Replace(good, `"attempt":0`, `"attempt":0.0`, 1),
		"negative":           strings.Replace(good, `"attempt":0`, `"attempt":-1`, 1),
		"huge attempt":       strings.Replace(good, `"attempt":0`, `"attempt":99999999999`, 1),
		"short time":         strings.Replace(good, `.000000000Z`, `Z`, 1),
		"time with offset":   strings.Replace(good, `.000000000Z`, `.000000000+00:00`, 1),
		"time that is none":  strings.Replace(good, `2026-01-02`, `2026-02-30`, 1),
		"escaped type":       strings.Replace(good, `"type":"a"`, `"type":"\u0061"`, 1),
		"upper case type":    strings.Replace(good, `"type":"a"`, `"type":"A"`, 1),
		"no type":            strings.Replace(good, `"type":"a"`, `"type":""`, 1),
		"by without channel": strings.Replace(good, `{"channel":"cli"}`, `{"agent":"x"}`, 1),
		"by with more":       strings.Replace(good, `{"channel":"cli"}`, `{"channel":"cli","x":"y"}`, 1),
		"by out of order":    strings.Replace(good, `{"channel":"cli"}`, `{"channel":"cli","session":"s","agent":"a"}`, 1),
		"by empty":           strings.Replace(good, `{"channel":"cli"}`, `{"channel":"cli","agent":""}`, 1),
		"by list":            strings.Replace(good, `{"channel":"cli"}`, `[]`, 1),
		"data list":          strings.Replace(good, `"data":{}`, `"data":[]`, 1),
		"data null":          strings.Replace(good, `"data":{}`, `"data":null`, 1),
		"data unclosed":      strings.Replace(good, `"data":{}`, `"data":{"a":[1,2}`, 1),
		"data trailing":      strings.Replace(good, `"data":{}`, `"data":{"a":1,}`, 1),
		"data number":        strings.Replace(good, `"data":{}`, `"data":{"a":01}`, 1),
		"data escape":        strings.Replace(good, `"data":{}`, `"data":{"a":"\x"}`, 1),
		"data unicode":       strings.Replace(good, `"data":{}`, `"data":{"a":"\u12g4"}`, 1),
		"data control":       strings.Replace(good, `"data":{}`, "\"data\":{\"a\":\"\t\"}", 1),
		"data word":          strings.Replace(good, `"data":{}`, `"data":{"a":nul}`, 1),
		"data key":           strings.Replace(good, `"data":{}`, `"data":{1:2}`, 1),
		"not utf-8":          strings.Replace(good, `"cause":""`, "\"cause\":\"\xff\"", 1),
		"state short":        strings.Replace(good, `"state":""`, `"state":"00"`, 1),
		"prev upper":         strings.Replace(good, zeros, strings.Repeat("A", 64), 1),
		"prev other":         strings.Replace(good, zeros, strings.Repeat("1", 64), 1),
		"seq other":          strings.Replace(good, `"seq":1`, `"seq":2`, 1),
		"version":            strings.Replace(good, `"v":1`, `"v":2`, 1),
		"version spelling":   strings.Replace(good, `"v":1`, `"v":01`, 1),
		"no version":         strings.Replace(good, `"v":1,`, ``, 1),
		"empty":              "",
	} {
		if body == good {
			t.Fatalf("%s: nothing was changed", name)
		}
		if p := problems(t, []byte(seal(body))); len(p) == 0 {
			t.Errorf("%s is accepted: %s", name, body)
		}
	}
	accepted := strings.Replace(good, `"data":{}`, `"data":{"a":[-0,1e+9,2.50E-3,true,false,null,"\u00fc\/\"\\\b\f\n\r\t"],"":{}}`, 1)
	if p := problems(t, []byte(seal(accepted))); len(p) != 0 {
		t.Errorf("valid data: %v", p)
	}
	deep := strings.Replace(good, `"data":{}`, `"data":{"a":`+strings.Repeat("[", 60000)+strings.Repeat("]", 60000)+`}`, 1)
	if p := problems(t, []byte(seal(deep))); len(p) == 0 {
		t.Error("bottomless nesting is accepted")
	}
}

func TestTimesNeverDecrease(t *testing.T) {
	zeros := strings.Repeat("0", 64)
	line := func(seq int, second, prev string) string {
		return seal(fmt.Sprintf(`{"v":1,"seq":%d,"at":"2026-01-02T03:04:%s.000000000Z","type":"a","node":"","attempt":0,"by":{"channel":"cli"},"cause":"","data":{},"state":"","prev":"%s"`, seq, second, prev))
	}
	hash := func(l string) string { return l[len(l)-67 : len(l)-3] }
	a := line(1, "05", zeros)
	if p := problems(t, []byte(a+line(2, "05", hash(a)))); len(p) != 0 {
		t.Errorf("standing still: %v", p)
	}
	if p := problems(t, []byte(a+line(2, "04", hash(a)))); len(p) != 1 || p[0].Line != 2 {
		t.Errorf("going back: %v", p)
	}
}

func TestEachSeesTheUnbrokenPrefix(t *testing.T) {
	path, _ := write(t, 10)
	b := read(t, path)
	b[bytes.Index(b, []byte(`"E6"`))+2] = '5'
	calls := 0
	r, err := audit.Read(bytes.NewReader(b), audit.Options{Each: func(audit.Event) error { calls++; return nil }})
	if err != nil || calls != 6 || len(r.Problems) != 1 {
		t.Errorf("%d calls, %+v, %v", calls, r, err)
	}
	calls = 0
	r, err = audit.Verify(path, audit.Options{Each: func(e audit.Event) error {
		if calls++; e.Line == 3 {
			return errors.New("is no legal step")
		}
		return nil
	}})
	if err != nil || calls != 3 || len(r.Problems) != 1 || r.Problems[0].String() != "line 3: is no legal step" || r.Events != 10 {
		t.Errorf("%d calls, %+v, %v", calls, r, err)
	}
}

func TestReadingThatFails(t *testing.T) {
	path, _ := write(t, 3)
	broken := io.MultiReader(bytes.NewReader(read(t, path)), failing{})
	if _, err := audit.Read(broken, audit.Options{}); !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
	if _, err := audit.Verify(t.TempDir(), audit.Options{}); err == nil {
		t.Error("a folder was verified")
	}
	if _, err := audit.Verify(path, audit.Options{Anchor: t.TempDir()}); err == nil {
		t.Error("a folder was taken for an anchor")
	}
}

var errBroken = errors.New("broken")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errBroken }

// FuzzVerify feeds the verifier anything: it must not panic, and what it calls clean
// must be accepted by the reader of package ledger as well.
func FuzzVerify(f *testing.F) {
	path, _ := write(f, 3)
	good := read(f, path)
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(bytes.ReplaceAll(good, []byte("\n"), []byte("\r\n")))
	f.Add([]byte(seal(`{"v":1,"seq":1,"at":"2026-01-02T03:04:05.000000000Z","type":"a","node":"","attempt":0,"by":{"channel":"cli"},"cause":"","data":{},"state":"","prev":"` + ledger.ZeroHash + `"`)))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := audit.Read(bytes.NewReader(b), audit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Clean() {
			return
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ledger.FileName), b, 0o644); err != nil {
			t.Fatal(err)
		}
		var n int64
		err = ledger.Open(dir, ledger.Options{}).Scan(0, func(ledger.Event, int64) error { n++; return nil })
		if err != nil || n != r.Events {
			t.Fatalf("the reader sees %d events of %d: %v", n, r.Events, err)
		}
	})
}
