package schema

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/schemas"
)

const tree = "0123456789012345678901234567890123456789"

// valid holds a full document for each schema.
func valid() map[string]string {
	spec := `{"version":1,"task":{"summary":"s","constraints":["c"],"outOfScope":[],"decisions":[],"assumptions":[],
		"dropped":[{"ref":"FR-9","because":"b"}]},
		"criteria":[{"id":"AC-1","text":"t","hardness":"HARD","verify":"v","refs":["FR-12"],"questions":["q"]},
		{"id":"#123","text":"t","hardness":"SOFT","verify":"human"}]}`
	plan := `{"version":1,"summary":"s","scope":{"write":["internal/**"],"tests":["**/*_test.go"],"scratch":["cover.out"]},
		"tasks":[{"id":"T1","title":"t","dependsOn":[],"criteria":["AC-1"],"paths":["a.go"]}],
		"gates":[{"id":"unit","kind":"unit-test","argv":["go","test","./..."],"timeout":"10m","inputs":["**/*.go"],
		"tools":[["go","version"]],"criteria":["AC-1"],"env":{"A":"b"},"counts":"exit","capture":"full",
		"report":{"format":"junit","path":"out.xml"}},{"id":"s","kind":"static","shell":"a | b"}],
		"notApplicable":[{"kind":"integration-test","because":"b","instead":"unit"}],
		"baselineFailures":[{"test":"TestA","is":"known"}],"removedTests":["TestB"],"workItem":{"state":"In review"},
		"risks":["r"],"rollback":"revert","answers":[{"steer":"S1","how":"h"}]}`
	manifest := `{"version":1,"task":"t","source":"o/r#1","rules":["a"],"specs":[],"files":["b"],"tests":[],"affected":[],
		"flow":"f","commands":{"build":"make","test":"make test"},"notes":"n"}`
	triage := `{"version":1,"items":[{"id":"PRRT_1","class":"changes-behaviour","because":"b"}]}`
	return map[string]string{
		Triage: triage, Spec: spec, Plan: plan, Manifest: manifest,
		Review: `{"version":1,"kind":"code-review","verdict":"fail","tree":"` + tree + `","summary":"s","resolved":["F3"],
			"findings":[{"severity":"High","path":"a.go","line":3,"title":"t","detail":"d"}]}`,
		Submission: `{"outcome":"pass","reason":"r","documents":{"spec":` + spec + `,"plan":` + plan + `,"manifest":` + manifest + `,"triage":` + triage + `},
			"records":[{"kind":"change","result":"pass","summary":"s","path":"p","criteria":["AC-1"],"because":"b","instead":"unit"}],
			"verdicts":[{"id":"AC-1","verdict":"pass","expected":"` + strings.Repeat("a", 64) + `","evidence":["E1"]}]}`,
		Config: `{"version":1,"provider":"github","base":"main","test":["go","test","./..."],
			"routes":{"implement":{"agent":"go-dev","skills":["style"]}},"gates":[{"id":"lint","kind":"static","argv":["lint"]}],
			"requiredChecks":["ci"],"redact":["CUST-[0-9]+"],"budgets":{"test":2},"approvals":["client","terminal","provider"],
			"unsigned":"refuse"}`,
		Graph: string(graph.Embedded()), Bundle: delivered(),
	}
}

// delivered is a statement with every key that there is.
func delivered() string {
	d := strings.Repeat("a", 64)
	return `{"_type":"https://in-toto.io/Statement/v1","predicateType":"https://github.com/asterweave/asterweave/delivery/v1",
		"subject":[{"name":"work","digest":{"gitCommit":"` + tree + `"}}],"predicate":{
		"delivery":{"id":"20260304-0a","goal":"g","goalBy":"client","source":"#7","provider":"local","base":"main","branch":"work","autoPr":false,
		"startedAt":"2026-03-04T12:00:00Z","status":"active","node":"test"},"graph":"` + d + `",
		"world":{"tree":"` + tree + `","base":"","plan":"` + d + `","spec":"","config":""},
		"criteria":[{"id":"AC-1","hardness":"HARD","digest":"` + d + `","verdict":"","channel":"","evidence":["E1"],"tree":""}],
		"evidence":[{"id":"E1","seq":7,"counts":true,"kind":"unit-test","gate":"unit","node":"test","attempt":1,"result":"pass","summary":"","witness":"executed",
		"argv":["go",""],"exit":0,"durationMs":5,"tests":{"runner":"go","unit":"test","passed":1,"failed":0,"skipped":0,"known":true,"failing":["T"]},"path":"` + d + `",
		"criteria":["AC-1"],"because":"b","instead":"unit","by":{"channel":"agent","identity":"dev","agent":"a/1","session":"s"},
		"world":{"tree":"` + tree + `","base":"` + tree + `","plan":"` + d + `","spec":"` + d + `","config":"` + d + `","env":"` + d + `","ambient":"` + d + `"},
		"at":"2026-03-04T12:00:00.5Z","atBase":true,"program":"/p","steering":"` + d + `","gateDef":"` + d + `","signature":"s","head":"` + tree + `","url":"u","proof":"p",
		"findings":["F1"],"unseen":["a.go"]}],
		"approvals":[{"digest":"` + d + `","plan":"` + d + `","spec":"","base":"main","mergeBase":"` + tree + `","config":"` + d + `","tree":"` + tree + `","channel":"client","record":"E1","url":"u"}],
		"plan":{"digest":"` + d + `","revision":1},
		"findings":[{"id":"F1","kind":"code-review","severity":"High","path":"a.go","line":3,"title":"t","tree":"` + tree + `","open":true}],
		"failures":[{"node":"test","attempt":1,"signature":"s","gate":"unit","evidence":"E1","reason":"r","tree":"","plan":"` + d + `","env":"` + d + `","hypothesis":"h"}],
		"waivers":[{"kind":"scan","because":"b","plan":"` + d + `"}],
		"bypasses":[{"id":"B1","rule":"push","command":"c","digest":"` + d + `","reason":"r","channel":"terminal","at":"2026-03-04T12:00:00Z","until":"2026-03-04T12:10:00.000000001Z"}],
		"ledger":{"format":1,"events":9,"bytes":100,"head":"` + d + `","digest":"` + d + `","gzip":"AAA="},
		"documents":{"` + d + `":"AAA="},"outputs":{},"leftOut":[{"digest":"` + d + `","bytes":0,"because":"b"}],"trees":{"` + tree + `":""},"tools":{"asterweave-state":"dev"}}}`
}

func TestValidDocumentsPass(t *testing.T) {
	s := New()
	docs := valid()
	entries, err := fs.ReadDir(schemas.Files, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ending)
		if name == "gate" {
			continue // part of plan and configuration
		}
		doc, ok := docs[name]
		if !ok {
			t.Errorf("no document for schema %s", name)
			continue
		}
		if err := s.Validate(name, []byte(doc)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each document, decoded into its Go shape and encoded again, has to be the same
// document: a field that only one side knows shows up here.
func TestShapesAgreeWithSchemas(t *testing.T) {
	docs := valid()
	shapes := map[string]any{
		Spec: &document.Spec{}, Plan: &document.Plan{}, Manifest: &document.Manifest{}, Review: &document.Review{}, Triage: &document.Triage{},
		Submission: &document.Submission{}, Config: &document.Config{}, Graph: &graph.Graph{}, Bundle: &bundle.Statement{},
	}
	for name, shape := range shapes {
		d := json.NewDecoder(strings.NewReader(docs[name]))
		d.DisallowUnknownFields()
		if err := d.Decode(shape); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func problems(t *testing.T, name, doc string) []string {
	t.Helper()
	err := New().Validate(name, []byte(doc))
	if err == nil {
		return nil
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: %v is not an *Error", name, err)
	}
	var out []string
	for _, p := range e.Problems {
		out = append(out, p.String())
	}
	return out
}

func TestProblemsNameTheirFields(t *testing.T) {
	docs := valid()
	for _, tt := range []struct {
		what, name string
		change     []string // pairs of old and new text
		want       []string
	}{
		{"verdict in a spec", Spec, []string{`"hardness":"HARD"`, `"hardness":"HARD","verdict":"pass"`}, []string{"criteria[0].verdict: unknown field"}},
		{"unknown field", Plan, []string{`"timeout"`, `"timeot"`}, []string{"gates[0].timeot: unknown field"}},
		{"case of a field", Plan, []string{`"rollback"`, `"Rollback"`}, []string{"Rollback: unknown field", "rollback: is missing"}},
		{"all at once", Spec, []string{`"summary":"s"`, `"summary":""`, `"HARD"`, `"hard"`, `"#123"`, `"12 3"`, `"verify":"human"`, `"verify":7`}, []string{
			`criteria[0].hardness: "hard": value must be one of HARD, SOFT`,
			`criteria[1].id: "12 3" does not match pattern '^(#[0-9]{1,63}|[A-Za-z][A-Za-z0-9._-]{0,63})$'`,
			"criteria[1].verify: has to be string, but got number",
			"task.summary: is empty",
		}},
		{"neither argv nor shell", Plan, []string{`"argv":["go","test","./..."],`, ``}, []string{"gates[0]: has none of argv, shell; it needs one of them"}},
		{"both argv and shell", Plan, []string{`"shell":"a | b"`, `"shell":"a | b","argv":["a"]`}, []string{"gates[1]: has fields that exclude each other, such as argv and shell"}},
		{"gate id", Plan, []string{`"id":"unit"`, `"id":"Unit/1"`}, []string{`gates[0].id: "Unit/1" does not match pattern '^[a-z0-9][a-z0-9._-]{0,63}$'`}},
		{"name of a variable", Plan, []string{`{"A":"b"}`, `{"A B":"secret"}`}, []string{"gates[0].env.A B: the name does not match pattern '^[A-Za-z_][A-Za-z0-9_]{0,127}$'"}},
		{"no criteria", Spec, []string{valid()[Spec][strings.Index(valid()[Spec], `"criteria":`):], `"criteria":[]}`}, []string{"criteria: is empty"}},
		{"version", Config, []string{`"version":1`, `"version":2`}, []string{`version: "2": value must be 1`}},
		{"budget", Config, []string{`"test":2`, `"test":0`}, []string{"budgets.test: must be >= 1 but found 0"}},
		{"record of a kind", Submission, []string{`"kind":"change"`, `"kind":"chang"`}, nil},
		{"spec inside a submission", Submission, []string{`"hardness":"HARD"`, `"hardness":"HARD","verdict":"pass"`}, []string{"documents.spec.criteria[0].verdict: unknown field"}},
		{"outcome", Graph, []string{`"pass": "analyze"`, `"passed": "analyze"`}, []string{"nodes[0].outcomes.pass: is missing", "nodes[0].outcomes.passed: unknown field"}},
		{"not an object", Plan, []string{docs[Plan], `[]`}, []string{"has to be object, but got array"}},
		{"a digest in capitals", Bundle, []string{`"graph":"a`, `"graph":"A`}, []string{`predicate.graph: "A` + strings.Repeat("a", 63) + `" does not match pattern '^[0-9a-f]{64}$'`}},
		{"half a commit", Bundle, []string{`"gitCommit":"01234567`, `"gitCommit":"`}, nil},
		{"a time of another zone", Bundle, []string{`"at":"2026-03-04T12:00:00.5Z"`, `"at":"2026-03-04T12:00:00.5+01:00"`}, nil},
		{"a time with zeros behind", Bundle, []string{`00.5Z`, `00.50Z`}, nil},
		{"an unknown field", Bundle, []string{`"counts":true`, `"counts":true,"count":1`}, []string{"predicate.evidence[0].count: unknown field"}},
		{"an optional field, empty", Bundle, []string{`"url":"u","proof"`, `"url":"","proof"`}, []string{"predicate.evidence[0].url: is empty"}},
		{"null for a list", Bundle, []string{`"outputs":{}`, `"outputs":null`}, []string{"predicate.outputs: has to be object, but got null"}},
		{"an approval by an agent", Bundle, []string{`"channel":"client","record"`, `"channel":"agent","record"`}, nil},
		{"two subjects", Bundle, []string{`"subject":[`, `"subject":[{"name":"","digest":{"gitCommit":"` + tree + `"}},`}, nil},
		{"another predicate type", Bundle, []string{`delivery/v1`, `delivery/v2`}, nil},
		{"a key twice", Spec, []string{`"version":1`, `"version":1,"version":1`}, []string{"key version occurs twice"}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			doc := docs[tt.name]
			for i := 0; i < len(tt.change); i += 2 {
				if !strings.Contains(doc, tt.change[i]) {
					t.Fatalf("%q is not in the document", tt.change[i])
				}
				doc = strings.Replace(doc, tt.change[i], tt.change[i+1], 1)
			}
			got := problems(t, tt.name, doc)
			if len(got) == 0 {
				t.Fatal("no problem found")
			}
			if tt.want != nil && !slices.Equal(got, tt.want) {
				t.Errorf("problems:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestHostileDocuments(t *testing.T) {
	many := `{"version":1,"task":{"summary":"s"},"criteria":[` + strings.Repeat(`{"x":1},`, 20000) + `{}]}`
	for what, doc := range map[string]string{
		"too long":            `{"a":"` + strings.Repeat("x", MaxBytes) + `"}`,
		"not UTF-8":           "{\"version\":\"\xff\"}",
		"nothing":             "",
		"two values":          "{} {}",
		"deep":                strings.Repeat("[", 100000),
		"number with a tail":  `{"version":1e400}`,
		"number of many digs": `{"version":1e308,"task":{},"criteria":[]}`,
		"many problems":       many,
		"null":                "null",
		"escape in a name":    `{"a'b\"c\u001b[31m":1}`,
		"long name":           `{"` + strings.Repeat("n", 100000) + `":1}`,
	} {
		t.Run(what, func(t *testing.T) {
			start := time.Now()
			got := problems(t, Spec, doc)
			if len(got) == 0 {
				t.Fatal("accepted")
			}
			if len(got) > maxProblems+1 {
				t.Errorf("%d problems", len(got))
			}
			if text := strings.Join(got, "\n"); strings.ContainsRune(text, 0x1b) {
				t.Errorf("control character in %q", text)
			}
			if d := time.Since(start); d > 30*time.Second {
				t.Errorf("took %s", d)
			}
		})
	}
}

func TestUnknownFieldIsNamedExactly(t *testing.T) {
	got := problems(t, Config, `{"version":1,"a'b":1,"c/d~e %":2,"\\'":3}`)
	want := []string{`"\\'": unknown field`, `a'b: unknown field`, `c/d~e %: unknown field`}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	got = problems(t, Config, `{"version":1,"budgets":{"c/d~e %":"x"}}`)
	if !slices.Equal(got, []string{`budgets.c/d~e %: has to be integer, but got string`}) {
		t.Errorf("%q", got)
	}
}

func TestOnlyEmbeddedSchemasAreLoaded(t *testing.T) {
	file := t.TempDir() + "/x.schema.json"
	if err := os.WriteFile(file, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{
		"file://" + file, "http://127.0.0.1:1/x.schema.json", "https://example.com/spec.schema.json", file,
		address + "../secret", address + "nothing.schema.json", address,
	} {
		if f, err := embedded(url); err == nil {
			f.Close()
			t.Errorf("%s was opened", url)
		}
	}
	if _, err := New().schema("../spec"); err == nil {
		t.Error("a path was taken for a name")
	}
	if _, err := New().schema("nothing"); err == nil {
		t.Error("an unknown name was taken")
	}
	if err := New().Validate("nothing", []byte("{}")); err == nil {
		t.Error("an unknown schema validates")
	}
}

// The schemas promise editors what the loader relies on: each is addressed under
// its own name and closed.
func TestSchemasAreClosed(t *testing.T) {
	entries, err := fs.ReadDir(schemas.Files, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := schemas.Files.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatalf("%s: %v", e.Name(), err)
		}
		if doc["$id"] != address+e.Name() {
			t.Errorf("%s: $id is %v", e.Name(), doc["$id"])
		}
		open(t, e.Name(), doc)
	}
}

// open reports objects that take unknown fields and texts and lists without bound.
func open(t *testing.T, where string, node any) {
	t.Helper()
	switch v := node.(type) {
	case map[string]any:
		_, bounded := v["additionalProperties"]
		_, maxLength := v["maxLength"]
		_, pattern := v["pattern"]
		_, maxItems := v["maxItems"]
		switch v["type"] {
		case "object":
			if !bounded {
				t.Errorf("%s: an object without additionalProperties", where)
			}
		case "string":
			if !maxLength && !pattern {
				t.Errorf("%s: a text without bound", where)
			}
		case "array":
			if !maxItems {
				t.Errorf("%s: a list without bound", where)
			}
		}
		for k, inner := range v {
			open(t, where+"/"+k, inner)
		}
	case []any:
		for _, inner := range v {
			open(t, where, inner)
		}
	}
}
