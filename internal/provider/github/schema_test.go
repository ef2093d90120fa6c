package github_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// service is what GitHub documents of itself.
type service struct {
	graph *ast.Schema
	rest  routers.Router
}

var documented = sync.OnceValues(func() (service, error) {
	raw, err := os.ReadFile("testdata/schema.graphql")
	if err != nil {
		return service{}, err
	}
	graph, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: string(raw)})
	if err != nil {
		return service{}, err
	}
	doc, err := openapi3.NewLoader().LoadFromFile("testdata/openapi.json")
	if err != nil {
		return service{}, err
	}
	doc.Servers = nil
	rest, err := gorillamux.NewRouter(doc)
	return service{graph: graph, rest: rest}, err
})

// TestQueries holds every document against the schema.
func TestQueries(t *testing.T) {
	s, err := documented()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("queries/*.graphql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		doc, errs := gqlparser.LoadQueryWithRules(s.graph, string(raw), rules.NewDefaultRules())
		if errs != nil {
			t.Errorf("%s: %v", f, errs)
			continue
		}
		if len(doc.Operations) != 1 || doc.Operations[0].Operation != ast.Query || strings.ToLower(doc.Operations[0].Name)+".graphql" != filepath.Base(f) {
			t.Errorf("%s is not one query of its own name", f)
		}
	}
}

// checked hands requests on to a stand-in and holds what it answers against what GitHub
// documents, so that a provider is not tested with answers that the service never gives.
func checked(t *testing.T, inner http.Handler) http.Handler {
	t.Helper()
	s, err := documented()
	if err != nil {
		t.Fatal(err)
	}
	var seen sync.Map
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		rec := httptest.NewRecorder()
		inner.ServeHTTP(rec, r)
		out := rec.Body.Bytes()
		key := sha256.Sum256(slices.Concat([]byte(r.URL.RequestURI()), body, out))
		_, known := seen.LoadOrStore(key, true) // the same answer is right again
		if !known && rec.Code == http.StatusOK && len(out) > 2 && json.Valid(out) {
			if r.Method == http.MethodPost {
				s.graphQL(t, body, out)
			} else {
				s.openAPI(t, r, rec.Header(), out)
			}
		}
		for k, v := range rec.Header() {
			w.Header()[k] = v
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(out)
	})
}

// openAPI validates a body. It is lenient where GitHub is: a format is no rule, and
// strings that the description lists may be others (check suites know stale).
func (s service) openAPI(t *testing.T, r *http.Request, header http.Header, body []byte) {
	t.Helper()
	plain := r.Clone(r.Context())
	plain.URL.Path, plain.URL.RawPath = strings.TrimPrefix(plain.URL.Path, "/api/v3"), strings.TrimPrefix(plain.URL.RawPath, "/api/v3")
	if rest, ok := strings.CutPrefix(plain.URL.Path, "/repositories/1"); ok { // the documentation knows names only
		plain.URL.Path = "/repos/acme/widgets" + rest
		if plain.URL.RawPath != "" {
			plain.URL.RawPath = "/repos/acme/widgets" + strings.TrimPrefix(plain.URL.RawPath, "/repositories/1")
		}
	}
	route, params, err := s.rest.FindRoute(plain)
	if err != nil {
		t.Errorf("%s is not in the trimmed description: %v", r.URL, err)
		return
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: plain, PathParams: params, Route: route},
		Status:                 http.StatusOK, Header: header,
		Options: &openapi3filter.Options{MultiError: true},
	}
	in.SetBodyBytes(body)
	if err := openapi3filter.ValidateResponse(r.Context(), in); err != nil {
		t.Errorf("%s: %.1500v", r.URL, err)
	}
}

// graphQL walks the selection of a query over the answer: each field has to be there, be
// null only where the schema lets it, and have the kind and the words of its type.
func (s service) graphQL(t *testing.T, request, body []byte) {
	t.Helper()
	var q struct {
		Query string `json:"query"`
	}
	var a struct {
		Data   map[string]any `json:"data"`
		Errors []any          `json:"errors"`
	}
	if json.Unmarshal(request, &q) != nil || json.Unmarshal(body, &a) != nil {
		t.Error("no GraphQL")
		return
	}
	if a.Errors != nil {
		return // what an error leaves open is null
	}
	doc, errs := gqlparser.LoadQueryWithRules(s.graph, q.Query, rules.NewDefaultRules())
	if errs != nil {
		t.Error(errs)
		return
	}
	s.selection(t, doc.Operations[0].Name, doc.Operations[0].SelectionSet, a.Data)
}

func (s service) selection(t *testing.T, path string, set ast.SelectionSet, value map[string]any) {
	t.Helper()
	for _, sel := range set {
		switch sel := sel.(type) {
		case *ast.Field:
			got, there := value[sel.Alias]
			if !there {
				t.Errorf("%s.%s is not in the answer", path, sel.Alias)
				continue
			}
			s.value(t, path+"."+sel.Alias, sel.Definition.Type, sel.SelectionSet, got)
		case *ast.InlineFragment:
			if kind, ok := value["__typename"].(string); !ok || kind == sel.TypeCondition {
				s.selection(t, path, sel.SelectionSet, value)
			}
		}
	}
}

func (s service) value(t *testing.T, path string, kind *ast.Type, set ast.SelectionSet, got any) {
	t.Helper()
	if got == nil {
		if kind.NonNull {
			t.Errorf("%s is null and must not be", path)
		}
		return
	}
	if kind.Elem != nil {
		list, ok := got.([]any)
		if !ok {
			t.Errorf("%s is no list", path)
		}
		for _, item := range list {
			s.value(t, path+"[]", kind.Elem, set, item)
		}
		return
	}
	def := s.graph.Types[kind.NamedType]
	var ok bool
	switch {
	case len(set) > 0:
		var object map[string]any
		if object, ok = got.(map[string]any); ok {
			s.selection(t, path, set, object)
		}
	case def != nil && def.Kind == ast.Enum:
		word, isText := got.(string)
		ok = isText && def.EnumValues.ForName(word) != nil
	case kind.NamedType == "Boolean":
		_, ok = got.(bool)
	case kind.NamedType == "Int":
		_, ok = got.(float64)
	default:
		_, ok = got.(string)
	}
	if !ok {
		t.Errorf("%s: %v is no %s", path, got, kind)
	}
}
