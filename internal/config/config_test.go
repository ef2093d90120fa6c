package config

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/redact"
	"github.com/asterweave/asterweave/internal/schema"
)

const full = `{
  "version": 1, "provider": "github", "base": "release/2.x", "test": ["go", "test", "./..."],
  "routes": {"implement": {"agent": "go-dev", "skills": ["style", "sql"]}, "review": {"agent": "reviewer"}},
  "gates": [{"id": "lint", "kind": "static", "argv": ["golangci-lint", "run"], "timeout": "5m", "inputs": ["**/*.go"]}],
  "requiredChecks": ["ci / test"], "redact": ["CUST-[0-9]+"], "budgets": {"implement": 2, "test": 1},
  "approvals": ["terminal", "provider"], "unsigned": "refuse"
}`

func nodes(t *testing.T) map[string]int {
	t.Helper()
	g, err := graph.Parse(graph.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, n := range g.Nodes {
		out[n.Name] = n.Attempts
	}
	return out
}

func all(string) bool { return true }

func texts(problems []document.Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.String())
	}
	return out
}

func TestParse(t *testing.T) {
	c, problems := Parse([]byte(full))
	if problems != nil {
		t.Fatal(problems)
	}
	if p := c.Check(nodes(t), all); p != nil {
		t.Fatal(p)
	}
	want := document.Config{
		Version: 1, Provider: "github", Base: "release/2.x", Test: []string{"go", "test", "./..."},
		Routes:         map[string]document.Route{"implement": {Agent: "go-dev", Skills: []string{"style", "sql"}}, "review": {Agent: "reviewer"}},
		Gates:          []document.Gate{{ID: "lint", Kind: "static", Argv: []string{"golangci-lint", "run"}, Timeout: "5m", Inputs: []string{"**/*.go"}}},
		RequiredChecks: []string{"ci / test"}, Redact: []string{"CUST-[0-9]+"}, Budgets: map[string]int{"implement": 2, "test": 1},
		Approvals: []string{"terminal", "provider"}, Unsigned: "refuse",
	}
	if diff := cmp.Diff(want, c.Config); diff != "" {
		t.Error(diff)
	}
	if c.Digest != canon.Hash([]byte(full)) {
		t.Error(c.Digest)
	}
	if _, p := Parse([]byte(`{"version":1}`)); p != nil {
		t.Errorf("the smallest file: %v", p)
	}
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct {
		what, data string
		want       []string
	}{
		{"nothing", "", []string{"not one JSON value: unexpected end of JSON input"}},
		{"another version", `{"version":2}`, []string{"version: is 2; this program reads version 1"}},
		{"no version", `{}`, []string{"version: is 0; this program reads version 1"}},
		{"a list", `[]`, []string{"has to be an object, not a list"}},
		{"null", `null`, []string{"has to be an object, not null"}},
		{"a key twice", `{"version":1,"version":1}`, []string{"key version occurs twice"}},
		{"unknown fields, all of them", `{"version":1,"Provider":"github","x":{},"gates":[{"id":"a","kind":"build","argv":["a"],"time":1}],"routes":{"plan":{"agent":"a","model":"m"}}}`, []string{
			"Provider: unknown field", "gates[0].time: unknown field", "routes.plan.model: unknown field", "x: unknown field",
		}},
		{"types, all of them", `{"version":"1","provider":1,"test":"go test","budgets":{"test":1.5,"plan":true},"gates":{},"redact":[1,"a"],"routes":{"plan":[]},"unsigned":null}`, []string{
			"budgets.plan: has to be a whole number, not a boolean", "budgets.test: has to be a whole number, not 1.5",
			"gates: has to be a list, not an object", "provider: has to be a text, not a number", "redact[0]: has to be a text, not a number",
			"routes.plan: has to be an object, not a list", "test: has to be a list, not a text", "unsigned: has to be a text, not null",
			"version: has to be a whole number, not a text",
		}},
		{"shape and meaning at once", `{"version":1,"provider":"gitlab","color":"red"}`, []string{
			"color: unknown field", `provider: "gitlab" is none of github, azure-devops, local`,
		}},
		{"words", `{"version":1,"unsigned":"maybe","approvals":["agent","client","client"],"base":"-x"}`, []string{
			`base: "-x" is no name of a branch`, `approvals[2]: "client" is there twice`, `approvals[0]: "agent" is none of client, terminal, provider`,
			`unsigned: "maybe" is none of allow, refuse`,
		}},
		{"empty lists", `{"version":1,"approvals":[],"test":[],"requiredChecks":[" ","a","a"],"routes":{"plan":{}}}`, []string{
			"test: is empty", "routes.plan: names neither an agent nor a skill", "requiredChecks[0]: is empty", `requiredChecks[2]: "a" is there twice`,
			"approvals: is empty; name at least one channel",
		}},
		{"test", `{"version":1,"test":[" "]}`, []string{"test[0]: is empty"}},
		{"test with NUL", `{"version":1,"test":["a","\u0000"]}`, []string{"test: holds a NUL character"}},
		{"names of agents", `{"version":1,"routes":{"plan":{"agent":"../x","skills":["a/b","ok",".x",""]}}}`, []string{
			`routes.plan.agent: "../x" is no name of an agent`, `routes.plan.skills[0]: "a/b" is no name of a skill`,
			`routes.plan.skills[2]: ".x" is no name of a skill`, `routes.plan.skills[3]: "" is no name of a skill`,
		}},
		{"gates", `{"version":1,"gates":[{"id":"a","kind":"lint","argv":["x"]},{"id":"a","kind":"build"},{"id":"b","kind":"build","argv":["x"],"shell":"y","timeout":"3h","inputs":["../a"]}]}`, []string{
			`gates[0].kind: "lint" is none of build, static, unit-test, integration-test, acceptance, scan`,
			"gates[1].argv: is missing, and so is shell; a gate has one of them", `gates[1].id: "a" is also the id of gates[0]`,
			"gates[2].shell: is there besides argv; a gate has one of them", "gates[2].timeout: 3h0m0s is not between 0 and 2h0m0s",
			`gates[2].inputs[0]: "../a" leads outside the work tree`,
		}},
		{"patterns", `{"version":1,"redact":["(","a*","ok",""]}`, []string{
			"redact[0]: error parsing regexp: missing closing ): `(`", `redact[1]: "a*" matches the empty text`, `redact[3]: "" matches the empty text`,
		}},
		{"budgets", `{"version":1,"budgets":{"test":0,"plan":-1}}`, []string{
			"budgets.plan: is -1; a node needs at least one attempt", "budgets.test: is 0; a node needs at least one attempt",
		}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			_, p := Parse([]byte(tt.data))
			if diff := cmp.Diff(tt.want, texts(p)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBounds(t *testing.T) {
	repeat := func(n int, s string) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }
	var routes []string
	for i := range 65 {
		routes = append(routes, fmt.Sprintf(`"n%d":{"agent":"a"}`, i))
	}
	for what, tt := range map[string]struct{ data, want string }{
		"huge":        {`{"version":1,"base":"` + strings.Repeat("x", 1<<20) + `"}`, "1048599 bytes are more than"},
		"not UTF-8":   {"{\"version\":1,\"base\":\"\xff\"}", "not UTF-8"},
		"deep":        {`{"version":1,"x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, "nested deeper"},
		"gates":       {`{"version":1,"gates":[` + repeat(65, `{}`) + `]}`, "gates: 65 are more than 64"},
		"routes":      {`{"version":1,"routes":{` + strings.Join(routes, ",") + `}}`, "routes: 65 are more than 64"},
		"patterns":    {`{"version":1,"redact":[` + repeat(65, `"a"`) + `]}`, "redact: 65 are more than 64"},
		"a pattern":   {`{"version":1,"redact":["` + strings.Repeat("a", 1001) + `"]}`, "redact[0]: is longer than 1000 bytes"},
		"checks":      {`{"version":1,"requiredChecks":[` + repeat(201, `"a"`) + `]}`, "requiredChecks: 201 are more than 200"},
		"a check":     {`{"version":1,"requiredChecks":["` + strings.Repeat("a", 257) + `"]}`, "requiredChecks[0]: is longer than 256 bytes"},
		"test":        {`{"version":1,"test":[` + repeat(257, `"a"`) + `]}`, "test: 257 words are more than 256"},
		"number":      {`{"version":1e999}`, "a number in it is too large"},
		"a long name": {`{"version":1,"` + strings.Repeat("k", 500_000) + `":1}`, strings.Repeat("k", 80) + "…: unknown field"},
		"an escape":   {`{"version":1,"\u001b[31m\n":1}`, "[31m: unknown field"},
	} {
		t.Run(what, func(t *testing.T) {
			start := time.Now()
			_, p := Parse([]byte(tt.data))
			if len(p) != 1 || !strings.HasPrefix(p[0].String(), tt.want) {
				t.Errorf("%v, want %q", p, tt.want)
			}
			if d := time.Since(start); d > 30*time.Second {
				t.Errorf("took %s", d)
			}
		})
	}
}

func TestCheckInItsSurroundings(t *testing.T) {
	c, p := Parse([]byte(`{"version":1,
		"budgets":{"implement":3,"test":4,"deploy":1,"approve":2},
		"routes":{"plan":{"agent":"architect","skills":["sql","nothing"]},"deploy":{"agent":"gone"}}}`))
	if p != nil {
		t.Fatal(p)
	}
	have := map[string]bool{".claude/agents/architect.md": true, ".claude/skills/sql/SKILL.md": true}
	want := []string{
		"budgets.approve: 2 is more than the graph's 1; a configuration can only lower it",
		"budgets.deploy: the graph has no such node",
		"budgets.test: 4 is more than the graph's 3; a configuration can only lower it",
		"routes.deploy: the graph has no such node", "routes.deploy.agent: there is no .claude/agents/gone.md",
		"routes.plan.skills[1]: there is no .claude/skills/nothing/SKILL.md",
	}
	if diff := cmp.Diff(want, texts(c.Check(nodes(t), func(path string) bool { return have[path] }))); diff != "" {
		t.Error(diff)
	}
}

// Paths are made of names that were checked, so that no name reaches outside.
func TestOnlySoundNamesBecomePaths(t *testing.T) {
	c := Config{Config: document.Config{Routes: map[string]document.Route{"plan": {Agent: "../../etc/passwd", Skills: []string{"a/../../b"}}}}}
	c.Check(nodes(t), func(path string) bool {
		t.Errorf("asked for %s", path)
		return true
	})
}

func TestBranch(t *testing.T) {
	for _, b := range []string{"main", "release/2.x", "a-b_c.d", "ü"} {
		if !branch(b) {
			t.Errorf("%q refused", b)
		}
	}
	for _, b := range []string{"-x", "a b", "a..b", "/a", "a/", "a//b", "a.", "a.lock", "a~1", "a^", "a:b", "a?", "a*", "a[", `a\b`, "a@{1}", "@", ".a", "a/.b", "a\x00", "a\x7f"} {
		if branch(b) {
			t.Errorf("%q taken", b)
		}
	}
}

// The schema that editors use and this package agree about what is valid.
func TestAgreesWithTheSchema(t *testing.T) {
	set := schema.New()
	for data, valid := range map[string]bool{
		full:                                                true,
		`{"version":1}`:                                     true,
		`{"version":2}`:                                     false,
		`{"version":1,"x":1}`:                               false,
		`{"version":1,"provider":"gitlab"}`:                 false,
		`{"version":1,"approvals":[]}`:                      false,
		`{"version":1,"approvals":["agent"]}`:               false,
		`{"version":1,"budgets":{"test":0}}`:                false,
		`{"version":1,"routes":{"plan":{}}}`:                false,
		`{"version":1,"routes":{"plan":{"agent":"a/b"}}}`:   false,
		`{"version":1,"gates":[{"id":"a","kind":"build"}]}`: false,
		`{"version":1,"gates":[{"id":"A","kind":"build","argv":["a"]}]}`:                                       false,
		`{"version":1,"gates":[{"id":"a","kind":"build","argv":["a"],"shell":"b"}]}`:                           false,
		`{"version":1,"gates":[{"id":"a","kind":"build","argv":["a"],"report":{"format":"x","path":"y"}}]}`:    false,
		`{"version":1,"gates":[{"id":"a","kind":"build","shell":"a | b","capture":"counts","counts":"exit"}]}`: true,
		`{"version":1,"test":[]}`:     false,
		`{"version":1,"base":null}`:   false,
		`{"version":1,"redact":[""]}`: false,
	} {
		_, problems := Parse([]byte(data))
		err := set.Validate(schema.Config, []byte(data))
		if (problems == nil) != valid || (err == nil) != valid {
			t.Errorf("%s\nhere: %v\nschema: %v", data, problems, err)
		}
	}
}

// Whatever is accepted can be used.
func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	for _, s := range []string{`{"version":1,"redact":["a+"]}`, `{"version":1,"gates":[{"id":"a","kind":"build","shell":"x"}]}`, `[]`, `{"version":1,"budgets":{"test":1}}`, "\xff", `{"version":1,"routes":{"":{"agent":"a"}}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, problems := Parse(data)
		for _, p := range problems {
			if p.What == "" {
				t.Fatalf("a problem that says nothing: %+v", p)
			}
		}
		if problems != nil {
			return
		}
		if _, err := redact.New(c.Redact); err != nil {
			t.Fatal(err)
		}
		for _, g := range c.Gates {
			if len(g.Command()) == 0 || g.Duration() <= 0 || g.Duration() > document.MaxTimeout {
				t.Fatalf("gate %+v", g)
			}
		}
		c.Check(map[string]int{"test": 3}, func(path string) bool {
			if strings.Contains(path, "..") || !strings.HasPrefix(path, ".claude/") {
				t.Fatalf("asked for %q", path)
			}
			return false
		})
	})
}
