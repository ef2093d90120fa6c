package rules_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/hook"
	"github.com/asterweave/asterweave/rules"
)

// enforcers are the names that a rule may give as what enforces it, by their sort.
func enforcers(t *testing.T) map[string]map[string]bool {
	t.Helper()
	out := map[string]map[string]bool{"guard": {}, "hook": {}, "need": {}, "test": {}}
	g, err := graph.Parse(graph.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range g.Kinds {
		out["need"][string(k.Kind)] = true
	}
	for _, e := range hook.Events() {
		out["hook"][e] = true
	}
	source, err := os.ReadFile(filepath.Join("..", "internal", "guard", "guard.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\tRule[A-Za-z]+ += "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1) {
		out["guard"][m[1]] = true
	}
	test := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range test.FindAllStringSubmatch(string(text), -1) {
			out["test"][m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for sort, names := range out {
		if len(names) == 0 {
			t.Fatalf("no %s is found", sort)
		}
	}
	return out
}

// TestEverySentenceNamesWhatEnforcesIt: a rule is a head and sentences, and behind each
// sentence stand the names of what holds it, all of which exist.
func TestEverySentenceNamesWhatEnforcesIt(t *testing.T) {
	want := []string{"approvals", "delegation", "evidence", "git-safety", "untrusted-content"}
	if got := rules.Names(); !slices.Equal(got, want) {
		t.Fatalf("Names() = %v, want %v", got, want)
	}
	known := enforcers(t)
	sentence := regexp.MustCompile(`^- .*[.] \[([^\]]+)\]$`)
	for _, name := range want {
		text, _ := rules.Text(name)
		if len(text) > rules.MaxBytes {
			t.Errorf("%s: %d bytes, at most %d", name, len(text), rules.MaxBytes)
		}
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if head := rules.Head(name); head != lines[0] || !strings.HasSuffix(head, ".") || len(head) > rules.MaxHead || len(lines) < 2 {
			t.Errorf("%s: head %q, %d lines", name, head, len(lines))
		}
		for _, l := range lines[1:] {
			m := sentence.FindStringSubmatch(l)
			if m == nil {
				t.Errorf("%s: does not say what enforces it: %s", name, l)
				continue
			}
			for _, by := range strings.Split(m[1], ", ") {
				sort, which, _ := strings.Cut(by, " ")
				if !known[sort][which] {
					t.Errorf("%s: is enforced by %q, which does not exist", name, by)
				}
			}
		}
	}
}

func TestHeadOfNobody(t *testing.T) {
	if got := rules.Head("nobody"); got != "" {
		t.Errorf("Head(nobody) = %q", got)
	}
}
