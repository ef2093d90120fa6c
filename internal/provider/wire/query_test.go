package wire

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"pgregory.net/rapid"
)

// words are what a GraphQL document is made of here: whole pieces, and what is likely to
// confuse a reader about where a string, a comment or an operation ends.
func words() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{
		"query ", "mutation ", "subscription ", "fragment ", "on ", "Q", "M ", "{", "}", "(", ")", "[", "]", "$a:", "Int", "=1", "@d", "...",
		`"`, `""`, `"""`, `\`, `\"`, `\"""`, `\\`, "#", "\n", "\r", "\r\n", ",", " ", "\ufeff", "é", "a", "b ", "{a}", "mutation{a}", "query Q{a}", "mutation M{b}",
		`"mutation"`, "# mutation{a}\n", "extend ", "schema ", "type ", "{a(b:\"", "\u2028", "\x00",
	})
}

// documents are pieces that may stand beside each other, among them now and then a word.
func documents() *rapid.Generator[string] {
	whole := rapid.SampledFrom([]string{
		"{a}", "query Q{a}", "query($a:Int){b(c:$a)}", "fragment F on X{y}", "# mutation{a}\n", `{a(b:"}mutation{c}")}`, `{a(b:"""\"""}mutation{c}""")}`, "\n",
		"mutation M{b}", "subscription{b}",
	})
	return rapid.Custom(func(t *rapid.T) string {
		pieces := rapid.SliceOfN(whole, 1, 3).Draw(t, "pieces")
		for range rapid.SampledFrom([]int{0, 0, 1, 2, 6}).Draw(t, "odd words") {
			at := rapid.IntRange(0, len(pieces)).Draw(t, "at")
			pieces = slices.Insert(pieces, at, words().Draw(t, "word"))
		}
		return strings.Join(pieces, "")
	})
}

// No document that a parser takes for one with a mutation is one that may be posted, and
// what a request of any method and address carries to the server is a read.
func TestNoWriteEver(t *testing.T) {
	base, _ := url.Parse("http://localhost:1/api")
	var sent *http.Request
	w := New(Options{Base: base, GraphQL: base.JoinPath("graphql"), Inner: roundTrip(func(r *http.Request) (*http.Response, error) {
		sent = r
		return nil, io.ErrUnexpectedEOF
	})})
	rapid.Check(t, func(t *rapid.T) {
		document := documents().Draw(t, "document")
		body, _ := json.Marshal(map[string]string{"query": document})
		text := string(body)
		if rapid.IntRange(0, 9).Draw(t, "shape") == 0 {
			text = rapid.SampledFrom([]string{"[" + text + "]", text + text, `{"query":"{a}","query":"mutation{a}"}`, `{"Query":"mutation{a}"}`, `{"query":"{a}","id":"x"}`, `x`}).Draw(t, "odd")
		}
		method := rapid.SampledFrom([]string{"POST", "POST", "POST", "POST", "GET", "HEAD", "PUT", "PATCH", "DELETE", "post", "OPTIONS", "TRACE", "CONNECT", "MERGE", ""}).Draw(t, "method")
		address := rapid.SampledFrom([]string{
			"http://localhost:1/api/graphql", "http://localhost:1/api/graphql", "http://localhost:1/api/graphql", "http://localhost:1/api/graphql/", "http://localhost:1/api/graphql?a=b",
			"http://localhost:1/api/../api/graphql", "http://localhost:1/api/%67raphql", "http://localhost:1/repos/a/b/issues", "http://localhost:2/api/graphql", "https://localhost:1/api/graphql", "http://u:p@localhost:1/api/graphql",
		}).Draw(t, "address")
		r, err := http.NewRequest(http.MethodGet, address, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		r.Method = method
		r.Header.Set("Content-Type", "application/json")
		sent = nil
		if resp, err := w.RoundTrip(r); err == nil {
			resp.Body.Close()
		}
		if sent == nil {
			return
		}
		if u := sent.URL; u.Scheme != "http" || u.Host != "localhost:1" || u.User != nil {
			t.Fatalf("sent to %s", u)
		}
		switch sent.Method {
		case http.MethodGet, http.MethodHead:
			if sent.Body != nil {
				t.Fatal("a read was sent with a body")
			}
		case http.MethodPost:
			if sent.URL.String() != "http://localhost:1/api/graphql" {
				t.Fatalf("posted to %s", sent.URL)
			}
			got, err := io.ReadAll(sent.Body)
			if err != nil || string(got) != text {
				t.Fatalf("posted %q, %v", got, err)
			}
			only(t, document)
		default:
			t.Fatalf("sent %s", sent.Method)
		}
	})
}

// The same for many more documents, without a request around them.
func TestReader(t *testing.T) {
	taken, parsed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 50 {
			document := documents().Draw(t, "document")
			if _, err := parser.ParseQuery(&ast.Source{Input: document}); err == nil {
				parsed++
			}
			if onlyQueries(document) == nil {
				taken++
				only(t, document)
			}
		}
	})
	if taken < 100 || parsed <= taken/2 {
		t.Errorf("%d documents may be posted and %d are documents, which shows little", taken, parsed)
	}
}

// only fails when a parser finds in a document an operation that is no query.
func only(t rapid.TB, document string) {
	t.Helper()
	d, err := parser.ParseQuery(&ast.Source{Input: document})
	if err != nil {
		return // no server runs it
	}
	for _, o := range d.Operations {
		if o.Operation != ast.Query {
			t.Fatalf("%q holds a %s", document, o.Operation)
		}
	}
}

// What a parser takes for queries alone may be posted, so that the reader is not merely strict.
func TestQueriesPass(t *testing.T) {
	for _, document := range []string{
		"{a}", "\ufeff{a}", "query{a}", "query Q{a}", "query Q($a:Int=1,$b:[ID!]!){a(b:$a){...F}} fragment F on X{y}", "query Q @d(x:{y:1}){a}",
		"# mutation\r\nquery Q{a # }\n}", `{a(b:"mutation{x}")}`, `{a(b:"\"}mutation{x}")}`, `{a(b:"""} mutation {""")}`, `{a(b:"""\"""}mutation{""")}`,
		`{mutation subscription query}`, `{a(b:"") c(d:"é\u00e9")}`, `query A{a} query B{b}`, `{a(b:"""""")}`,
	} {
		if err := onlyQueries(document); err != nil {
			t.Errorf("%q: %v", document, err)
		}
		if _, err := parser.ParseQuery(&ast.Source{Input: document}); err != nil {
			t.Errorf("%q is no document: %v", document, err)
		}
	}
}

func TestWritesDoNot(t *testing.T) {
	for _, document := range []string{
		"mutation{a}", "\ufeff mutation{a}", "{a}mutation{b}", "query Q{a}mutation M{b}", "#x\nmutation{a}", "#\r\"\"\"\nmutation{a}#\"\"\"\n{a}", `{a(b:"")}mutation{c}`,
		`{a(b:"""\"""""")}mutation{c}`, `{a(b:"\\")}mutation{c}`, "subscription{a}", "fragment F on X{y}mutation{a}", "fragment F on X{y}", "extend type Q{a}", "{a)mutation(b}", "query Q mutation M{a}",
		"{a}\u2028mutation{b}", "{a", `{a(b:"`, `{a(b:"""`, "", "#", "query", "()", "{a}}", "{a(b:\"\\\n\")}", "{a(b:\"\\", "query mutation{a}",
	} {
		if err := onlyQueries(document); err == nil {
			t.Errorf("%q may be posted", document)
		}
	}
}

func FuzzQuery(f *testing.F) {
	f.Add("query Q{a(b:\"\"\"x\"\"\")}")
	f.Fuzz(func(t *testing.T, document string) {
		if onlyQueries(document) == nil {
			only(t, document)
		}
	})
}
