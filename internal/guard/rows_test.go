package guard

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/document"
)

// row is a line of the battery.
type row struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Expect  string `json:"expect"`
	Command string `json:"command"`
}

func rows(t testing.TB, files ...string) []row {
	t.Helper()
	var out []row
	for _, name := range files {
		f, err := os.Open("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			var r row
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatalf("%s: %s: %q", name, err, lines.Text())
			}
			out = append(out, r)
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func allRows(t testing.TB) []row {
	return rows(t, "battery.jsonl", "more.jsonl", "missed.jsonl", "needless.jsonl")
}

// setting is the situation of the battery in folders that do not exist.
func setting() Situation {
	return situationAt("/w/work", func(p string) bool { return p == "/w/work/f" || p == "/w/work/src" })
}

func situationAt(root string, isFile func(string) bool) Situation {
	parent := root[:strings.LastIndexByte(root, '/')]
	return Situation{
		Root: root, Cwd: root, GitDir: root + "/.git", CommonDir: root + "/.git", StateDir: root + "/.claude/asterweave", Home: "/home/dev",
		Branch: "asterweave/x", Base: "main", Trunk: "main", Remote: "origin", RemoteURL: "../remote.git", Attended: true,
		Confirmed: &Confirmed{Head: "c0ffee", Title: "t", BodyPath: parent + "/body.md", Base: "main"},
		Gates: []document.Gate{
			{ID: "unit", Kind: "unit-test", Argv: []string{"go", "test", "./..."}},
			{ID: "web", Kind: "unit-test", Shell: "cd web && npm test"},
		},
		IsFile: isFile,
	}
}

// TestRows judges every row by the decision alone.
func TestRows(t *testing.T) {
	s := setting()
	for _, r := range allRows(t) {
		v := s.Shell(r.Command)
		if stop := v.Decision >= Ask; stop != (r.Expect == "stop") {
			t.Errorf("%s: %q is to %s: %s, %s, %s", r.ID, r.Command, r.Expect, v.Decision, v.Rule, v.Reason)
		}
	}
}

// TestReasons holds what a refusal says: it has a rule, a reason and a next step, in
// the house's style, and none holds a command that does what was refused.
func TestReasons(t *testing.T) {
	s := setting()
	for _, r := range allRows(t) {
		v := s.Shell(r.Command)
		if v.Decision < Ask {
			continue
		}
		if v.Rule == "" || v.Reason == "" || v.Hint == "" {
			t.Errorf("%s: rule %q, reason %q, hint %q", r.ID, v.Rule, v.Reason, v.Hint)
		}
		for _, text := range []string{v.Reason, v.Hint} {
			if strings.HasSuffix(text, ".") || strings.ContainsAny(text, marks+"\n") {
				t.Errorf("%s: %q", r.ID, text)
			}
			if again := s.Shell(text); again.Decision == Deny && again.Rule != RuleUnresolved && !strings.HasPrefix(text, "asterweave-state "+v.Rule) && again.Rule != RuleHuman {
				t.Errorf("%s: the text %q is itself refused: %s", r.ID, text, again.Reason)
			}
		}
	}
}
