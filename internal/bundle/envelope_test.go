package bundle_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/asterweave/asterweave/internal/bundle"
)

func TestAnEnvelopeIsOneLineAndComesBack(t *testing.T) {
	payload := []byte(encoded(t, sample(t)))
	for _, signatures := range [][]dsse.Signature{nil, {{KeyID: "SHA256:x", Sig: "eA=="}, {Sig: "eQ=="}}} {
		line, err := bundle.Wrap(payload, signatures...)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(string(line), "\r\n") {
			t.Error("an envelope of more than one line")
		}
		got, err := bundle.Open(line)
		if err != nil {
			t.Fatal(err)
		}
		if signatures == nil {
			signatures = []dsse.Signature{}
		}
		if d := cmp.Diff(bundle.Signed{Payload: payload, Signatures: signatures}, got); d != "" {
			t.Error(d)
		}
	}
}

// TestTheMessageThatIsSigned: the example of the DSSE protocol, and ours.
func TestTheMessageThatIsSigned(t *testing.T) {
	if got, want := string(dsse.PAE("http://example.com/HelloWorld", []byte("hello world"))), "DSSEv1 29 http://example.com/HelloWorld 11 hello world"; got != want {
		t.Errorf("%q", got)
	}
	if got, want := string(bundle.Message([]byte("ä {}"))), "DSSEv1 28 application/vnd.in-toto+json 5 ä {}"; got != want {
		t.Errorf("%q", got)
	}
}

func TestEnvelopesThatAreRefused(t *testing.T) {
	const kind = "application/vnd.in-toto+json"
	text := func(payloadType, payload, signatures string) string {
		return fmt.Sprintf(`{"payloadType":%q,"payload":%q,"signatures":%s}`, payloadType, payload, signatures)
	}
	// Bytes whose base64 has both letters in which the alphabets differ, and padding.
	payload := []byte("\xfb\xff\xfe?")
	std := base64.StdEncoding.EncodeToString(payload)
	if _, err := bundle.Open([]byte(text(kind, std, "[]"))); err != nil {
		t.Fatalf("the honest one: %v", err)
	}
	for what, tt := range map[string]struct{ text, want string }{
		"nothing":                 {"", "not one JSON value"},
		"null":                    {"null", "payload type"},
		"a list":                  {"[]", "cannot be an object"},
		"two values":              {text(kind, std, "[]") + "{}", "not one JSON value"},
		"two lines":               {text(kind, std, "[]") + "\n" + text(kind, std, "[]"), "not one JSON value"},
		"not UTF-8":               {"{\"payload\":\"\xff\"}", "not UTF-8"},
		"payload twice":           {strings.Replace(text(kind, std, "[]"), `"payload":`, `"payload":"e30=","payload":`, 1), "payload occurs twice"},
		"payload twice, escaped":  {strings.Replace(text(kind, std, "[]"), `"payload":`, `"p\u0061yload":"e30=","payload":`, 1), "payload occurs twice"},
		"sig twice":               {text(kind, std, `[{"keyid":"","sig":"eA==","sig":"eQ=="}]`), "sig occurs twice"},
		"an unknown key":          {text(kind, std, `[],"cert":""`), "unknown field cert"},
		"a key in capitals":       {strings.Replace(text(kind, std, "[]"), `"payload"`, `"Payload"`, 1), "unknown field Payload"},
		"unknown key at a sig":    {text(kind, std, `[{"keyid":"","sig":"eA==","cert":"x"}]`), "unknown field signatures[0].cert"},
		"another payload type":    {text("application/json", std, "[]"), "payload type"},
		"type with a parameter":   {text(kind+"; v=1", std, "[]"), "payload type"},
		"type in capitals":        {text(strings.ToUpper(kind), std, "[]"), "payload type"},
		"no payload type":         {`{"payload":"e30=","signatures":[]}`, "payload type"},
		"no signatures":           {`{"payloadType":"` + kind + `","payload":"e30="}`, "no list of signatures"},
		"signatures are null":     {text(kind, std, "null"), "no list of signatures"},
		"URL-safe base64":         {text(kind, base64.URLEncoding.EncodeToString(payload), "[]"), "illegal base64"},
		"base64 without padding":  {text(kind, base64.RawStdEncoding.EncodeToString(payload), "[]"), "illegal base64"},
		"base64 with line ends":   {text(kind, std[:4]+"\n"+std[4:], "[]"), "RFC 4648"},
		"base64 with a space":     {text(kind, std[:4]+" "+std[4:], "[]"), "illegal base64"},
		"base64 with unused bits": {text(kind, "e31=", "[]"), "RFC 4648"},
		"too many signatures":     {text(kind, std, "["+strings.Repeat(`{"keyid":"","sig":""},`, bundle.MaxSignatures)+`{"keyid":"","sig":""}]`), "17 signatures"},
		"nested 1000 deep":        {text(kind, std, strings.Repeat("[", 1000)+strings.Repeat("]", 1000)), "nested deeper"},
		"too long":                {strings.Repeat(" ", bundle.MaxEnvelope) + text(kind, std, "[]"), "more than the"},
	} {
		t.Run(what, func(t *testing.T) {
			got, err := bundle.Open([]byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("%v, want %q", err, tt.want)
			}
			if got.Payload != nil {
				t.Error("a payload came with the error")
			}
		})
	}
}

// FuzzOpen: what is accepted has one spelling of its parts, and reading it twice is
// reading the same.
func FuzzOpen(f *testing.F) {
	payload := []byte(encoded(f, sample(f)))
	line, err := bundle.Wrap(payload, dsse.Signature{KeyID: "k", Sig: "eA=="})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add([]byte(`{"payloadType":"application/vnd.in-toto+json","payload":"e30=","signatures":[]}`))
	f.Add([]byte(`{"payload":"e30=","payload":""}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := bundle.Open(b)
		if err != nil {
			return
		}
		var raw struct{ Payload string }
		if json.Unmarshal(b, &raw) != nil || raw.Payload != base64.StdEncoding.EncodeToString(got.Payload) {
			t.Fatal("the payload has another spelling")
		}
		again, err := bundle.Wrap(got.Payload, got.Signatures...)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := bundle.Open(again); err != nil || cmp.Diff(got, twice) != "" {
			t.Fatalf("%v %s", err, cmp.Diff(got, twice))
		}
		decode(t, got.Payload)
	})
}

// FuzzDecode: what is accepted is exactly what would be written.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(encoded(f, sample(f))))
	f.Add([]byte(`{"_type":"https://in-toto.io/Statement/v1","predicateType":"x"}`))
	f.Add([]byte(`{"_type":null}`))
	f.Fuzz(decode)
}

func decode(t *testing.T, payload []byte) {
	s, err := bundle.Decode(payload)
	if err != nil {
		return
	}
	if again, err := bundle.Encode(s); err != nil || string(again) != string(payload) {
		t.Fatalf("%v: it would be written otherwise", err)
	}
	if s.Commit() == "" {
		t.Fatal("about no commit")
	}
}
