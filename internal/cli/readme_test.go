//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// row is one line of the README's table of capabilities.
type row struct{ verb, what, status string }

func capabilities(t *testing.T) []row {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), "<!-- capabilities:start -->")
	table, _, ends := strings.Cut(rest, "<!-- capabilities:end -->")
	if !ok || !ends {
		t.Fatal("README.md has no table between the markers")
	}
	line := regexp.MustCompile("^\\| `([^`]+)` \\| ([^|]+) \\| ([a-z]+) \\|$")
	var out []row
	for l := range strings.Lines(table) {
		l = strings.TrimSpace(l)
		switch m := line.FindStringSubmatch(l); {
		case m != nil:
			out = append(out, row{m[1], m[2], m[3]})
		case strings.HasPrefix(l, "| `"):
			t.Errorf("a row that cannot be read: %s", l)
		}
	}
	return out
}

// verbs are those that the help of the program lists.
func verbs(t *testing.T) []string {
	t.Helper()
	r := at0(t)
	text := r.ok(r.look("--help")).stdout
	_, list, ok := strings.Cut(text, "Available Commands:\n")
	if !ok {
		t.Fatalf("the help lists no commands:\n%s", text)
	}
	list, _, _ = strings.Cut(list, "\n\n")
	var out []string
	for l := range strings.Lines(list) {
		if fields := strings.Fields(l); len(fields) > 1 {
			out = append(out, fields[0])
		}
	}
	return out
}

// TestReadme compares the table with the verbs that exist, in both directions.
func TestReadme(t *testing.T) {
	exist := verbs(t)
	listed := map[string]string{}
	for _, row := range capabilities(t) {
		if _, twice := listed[row.verb]; twice {
			t.Errorf("%s has two rows", row.verb)
		}
		listed[row.verb] = row.status
		verb, flag, _ := strings.Cut(row.verb, " ")
		switch {
		case row.status != "works" && row.status != "planned":
			t.Errorf("%s is %q; works and planned are the words", row.verb, row.status)
		case flag == "" && (row.status == "works") != slices.Contains(exist, verb):
			t.Errorf("README says that %s is %s, and the program has %s", row.verb, row.status, strings.Join(exist, " "))
		case flag != "" && (row.status == "works") != has(t, verb, flag):
			t.Errorf("README says that %s is %s, and the help says otherwise", row.verb, row.status)
		}
	}
	for _, verb := range exist {
		if _, ok := listed[verb]; !ok && verb != "help" {
			t.Errorf("%s exists and is not in README's table", verb)
		}
	}
}

func has(t *testing.T, verb, flag string) bool {
	t.Helper()
	r := at0(t)
	return strings.Contains(r.ok(r.look(verb, "--help")).stdout, flag)
}

// TestHelp asks every verb for its help.
func TestHelp(t *testing.T) {
	for _, verb := range verbs(t) {
		r := at0(t)
		a := r.ok(r.look(verb, "--help"))
		if !strings.Contains(a.stdout, "asterweave-state "+verb) {
			t.Errorf("the help of %s does not show its use: %s", verb, a)
		}
	}
}
