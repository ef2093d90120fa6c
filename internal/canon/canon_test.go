package canon_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/canon"
)

func TestHash(t *testing.T) {
	// The value of FIPS 180-4's example "abc".
	if got := canon.Hash([]byte("abc")); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Error(got)
	}
	for s, want := range map[string]bool{
		canon.Hash(nil):                    true,
		strings.ToUpper(canon.Hash(nil)):   false,
		canon.Hash(nil)[1:]:                false,
		"g" + canon.Hash(nil)[1:]:          false,
		strings.Repeat("0", 64):            true,
		strings.Repeat("0", 63) + "\u00e9": false,
	} {
		if canon.IsHash(s) != want {
			t.Errorf("%q: want %v", s, want)
		}
	}
}

func TestStrict(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf(`"k%d":%d`, i, i)
	}
	for text, want := range map[string]string{
		`{}`:                                     "",
		" [1, -2.5e3 ,true,null,\"a\\\"\"]\n":    "",
		`"x"`:                                    "",
		`3`:                                      "",
		`{"a":{"a":1},"b":[{"a":1},{"a":2}]}`:    "",
		`{"id":1,"ID":2}`:                        "",
		`{"` + strings.Join(many, ",")[1:] + `}`: "",
		deep(64):                                 "",
		deep(65):                                 "nested deeper than 64",
		`{"a":` + deep(64) + `}`:                 "nested deeper than 64",
		``:                                       "not one JSON value",
		`{} {}`:                                  "not one JSON value",
		`{"a":1,}`:                               "not one JSON value: line 1",
		"{\n\n\"a\":01}":                         "line 3",
		`nul`:                                    "not one JSON value",
		"{\"a\":\"\xff\"}":                       "not UTF-8 at byte 6",
		"\xef\xbb\xbf{}":                         "not one JSON value",
		`{"a":1,"a":2}`:                          "key a occurs twice",
		`{"a":1,"\u0061":2}`:                     "key a occurs twice",
		`{"criteria":[{"id":1,"x":2,"id":3}]}`:   "key criteria[0].id occurs twice",
		`{"a":[[0,{"b":{"c":1,"c":1}}]]}`:        "key a[0][1].b.c occurs twice",
		`[{"":1,"":1}]`:                          "key [0]. occurs twice",
		`{"` + strings.Join(many, ",")[1:] + `,"k0":1}`:  "key k0 occurs twice",
		`{"` + strings.Join(many, ",")[1:] + `,"k39":1}`: "key k39 occurs twice",
		`{"a":"` + strings.Repeat("x", 2000) + `"}`:      "2008 bytes are more than the 2000",
	} {
		err := canon.Strict([]byte(text), 2000)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

type inner struct {
	ID    string `json:"id"`
	Count int    `json:"count,omitempty"`
}

type outer struct {
	Version  int               `json:"version"`
	Criteria []inner           `json:"criteria"`
	Env      map[string]string `json:"env"`
	Routes   map[string]*inner `json:"routes"`
	At       time.Time         `json:"at"`
	Raw      json.RawMessage   `json:"raw"`
	Any      any               `json:"any"`
	Plain    bool
	Hidden   string `json:"-"`
	base
}

type base struct {
	Base string `json:"base"`
}

func TestDecode(t *testing.T) {
	var got outer
	text := `{"version":1,"criteria":[{"id":"AC-1"}],"env":{"a":"1","A":"2"},"routes":{"x":{"count":3}},` +
		`"at":"2026-01-02T03:04:05Z","raw":{"what":["ever"]},"any":{"what":"ever"},"Plain":true,"base":"b"}`
	if err := canon.Decode([]byte(text), 1000, &got); err != nil {
		t.Fatal(err)
	}
	want := outer{
		Version: 1, Criteria: []inner{{ID: "AC-1"}}, Env: map[string]string{"a": "1", "A": "2"},
		Routes: map[string]*inner{"x": {Count: 3}}, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Raw: json.RawMessage(`{"what":["ever"]}`), Any: map[string]any{"what": "ever"}, Plain: true, base: base{Base: "b"},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(outer{})); d != "" {
		t.Error(d)
	}
}

func TestDecodeNamesWhatItRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"criteria":[{"id":"a"},{"ident":"b"}]}`: "unknown field criteria[1].ident",
		`{"criteria":[{"ID":"a"}]}`:               "unknown field criteria[0].ID",
		`{"routes":{"x":{"y":1}}}`:                "unknown field routes.x.y",
		`{"Hidden":"x"}`:                          "unknown field Hidden",
		`{"hidden":"x"}`:                          "unknown field hidden",
		`{"-":"x"}`:                               "unknown field -",
		`{"plain":true}`:                          "unknown field plain",
		`{"version":"1"}`:                         "field version: string cannot be a whole number",
		`{"version":1.5}`:                         "field version: number 1.5 cannot be a whole number",
		`{"criteria":{}}`:                         "field criteria: object cannot be a list",
		`{"routes":{"x":{"count":"3"}}}`:          "count: string cannot be a whole number",
		`{"Plain":1}`:                             "field Plain: number cannot be a boolean",
		`[]`:                                      "array cannot be an object",
		`{"at":"yesterday"}`:                      "yesterday",
		`{"version":1,"version":1}`:               "version occurs twice",
		`{"version":1`:                            "not one JSON value",
	} {
		var got outer
		err := canon.Decode([]byte(text), 1000, &got)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzStrict checks Strict against encoding/json: what it accepts is valid, and has
// as many keys in each object as a map that was decoded from it.
func FuzzStrict(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":"\u0061"}],"c":null}`, `{"a":1,"\u0061":1}`, `[[[]]]`, ` "x" `, "{\"\xff\":1}", `{"\ud800":1,"\ud801":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		err := canon.Strict(b, 1<<16)
		if err != nil {
			return
		}
		var v any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatalf("accepted what encoding/json refuses: %v", err)
		}
		if keys, colons := count(v), members(b); keys != colons {
			t.Fatalf("%d keys in the text and %d decoded", colons, keys)
		}
		var again any
		if err := canon.Decode(b, 1<<16, &again); err != nil {
			t.Fatalf("not decoded: %v", err)
		}
	})
}

func count(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		n = len(v)
		for _, x := range v {
			n += count(x)
		}
	case []any:
		for _, x := range v {
			n += count(x)
		}
	}
	return n
}

// members counts the colons outside of strings.
func members(b []byte) int {
	n, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch {
		case quoted && b[i] == '\\':
			i++
		case b[i] == '"':
			quoted = !quoted
		case b[i] == ':' && !quoted:
			n++
		}
	}
	return n
}

func BenchmarkStrict(b *testing.B) {
	text := []byte(`{"session_id":"5f1c","cwd":"/home/dev/work","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"` +
		strings.Repeat("go test ./... ", 15) + `","description":"run the tests"},"tool_use_id":"t-1"}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := canon.Strict(text, 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}
