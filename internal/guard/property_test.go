package guard

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"
)

// TestOtherClothes wraps every refused row in ways that change nothing about what it
// does: none of them may come through.
func TestOtherClothes(t *testing.T) {
	s := setting()
	clothes := map[string]func(string) string{
		"bash -c":     func(c string) string { return "bash -c " + quote(c) },
		"sh in bash":  func(c string) string { return "bash -c " + quote("sh -c "+quote(c)) },
		"subshell":    func(c string) string { return "(\n" + c + "\n)" },
		"behind true": func(c string) string { return "true && {\n" + c + "\n}" },
		"behind a cd": func(c string) string { return "cd . && {\n" + c + "\n}" },
		"env":         func(c string) string { return "env FOO=1 bash -c " + quote(c) },
		"timeout":     func(c string) string { return "timeout 9 nice bash -c " + quote(c) },
		"spaces":      func(c string) string { return "  \t" + c + "  " },
		"eval":        func(c string) string { return "eval " + quote(c) },
		"heredoc":     func(c string) string { return "bash <<'ENDOFALL'\n" + c + "\nENDOFALL" },
		"function":    func(c string) string { return "f() {\n" + c + "\n}\nf" },
		"if":          func(c string) string { return "if true; then\n" + c + "\nfi" },
		"substituted": func(c string) string { return "echo \"$(\n" + c + "\n)\"" },
		"file":        func(c string) string { return "cat > /tmp/x.sh <<'ENDOFALL'\n" + c + "\nENDOFALL\nsh /tmp/x.sh" },
		"variable":    func(c string) string { return "c=" + quote(c) + "; eval \"$c\"" },
		"printed":     printed,
		"continued":   continued,
	}
	for _, r := range allRows(t) {
		if r.Expect != "stop" || s.Shell(r.Command).Decision < Ask {
			continue
		}
		for name, wear := range clothes {
			c := wear(r.Command)
			if v := s.Shell(c); v.Decision < Ask {
				t.Errorf("%s: %s: %q comes through as %s", r.ID, name, c, v.Decision)
			}
		}
	}
}

// printed writes a command anew, as a formatter would.
func printed(c string) string {
	file, err := parse(c)
	if err != nil {
		return c
	}
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.Minify(true)).Print(&b, file); err != nil {
		return c
	}
	return b.String()
}

// continued breaks a command at its spaces, where nothing is quoted.
func continued(c string) string {
	if strings.ContainsAny(c, "'\"\\\n`#") {
		return c
	}
	return strings.ReplaceAll(c, " ", " \\\n  ")
}

// TestOtherQuotes writes the words of refused rows with other quotes.
func TestOtherQuotes(t *testing.T) {
	s := setting()
	var simple [][]string
	for _, r := range allRows(t) {
		file, err := parse(r.Command)
		if err != nil || r.Expect != "stop" {
			continue
		}
		if words := literalWords(file); words != nil && !strings.ContainsAny(strings.Join(words, ""), "*?[\n") {
			simple = append(simple, words)
		}
	}
	if len(simple) < 100 {
		t.Fatalf("only %d rows are simple", len(simple))
	}
	rapid.Check(t, func(t *rapid.T) {
		words := simple[rapid.IntRange(0, len(simple)-1).Draw(t, "row")]
		rng := rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed")))
		var out []string
		for _, w := range words {
			out = append(out, requoted(rng, w))
		}
		c := strings.Join(out, " ")
		if v := s.Shell(c); v.Decision < Ask {
			t.Fatalf("%q comes through as %s", c, v.Decision)
		}
	})
}

func requoted(rng *rand.Rand, w string) string {
	if w == "" {
		return "''"
	}
	var b strings.Builder
	for w != "" {
		n := 1 + rng.Intn(len(w))
		part := w[:n]
		w = w[n:]
		switch rng.Intn(5) {
		case 0:
			b.WriteString("'" + strings.ReplaceAll(part, "'", `'\''`) + "'")
		case 1:
			b.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(part) + `"`)
		case 2:
			for i := range len(part) {
				b.WriteString(`\` + part[i:i+1])
			}
		case 3:
			b.WriteString("$'")
			for i := range len(part) {
				fmt.Fprintf(&b, `\x%02x`, part[i])
			}
			b.WriteString("'")
		default:
			b.WriteString("''" + quote(part) + `""`)
		}
	}
	return b.String()
}

// FuzzShell: no text makes it fail, and every judgment is whole.
func FuzzShell(f *testing.F) {
	for _, r := range allRows(f) {
		f.Add(r.Command)
	}
	for _, text := range []string{"", "$(", "${", "<<", "a=(", "[[", "((", "`", "\\", "git", "git -c", "git -C", "env -S", "xargs", "find -exec", "gh", "curl -X", "asterweave-state --root", "{a,{b,c}}", "${x:0:", "f(){ f; }; f", "!", "bash -c", "trap", "read", "printf %s%s"} {
		f.Add(text)
	}
	s := setting()
	f.Fuzz(func(t *testing.T, command string) {
		v := s.Shell(command)
		switch {
		case v.Decision < Pass || v.Decision > Deny:
			t.Fatalf("decision %d", v.Decision)
		case v.Decision >= Ask && (v.Reason == "" || v.Rule == "" || v.Hint == ""):
			t.Fatalf("a refusal without a reason: %+v", v)
		case v != s.Shell(command):
			t.Fatal("the same text is judged twice and differently")
		}
		quiet := s
		quiet.Attended = false
		if u := quiet.Shell(command); (u.Decision == Ask) || (v.Decision >= Ask) != (u.Decision == Deny) {
			t.Fatalf("attended %s, unattended %s", v.Decision, u.Decision)
		}
	})
}

func BenchmarkShell(b *testing.B) {
	s := setting()
	command := "cd src && go build ./... && go test -count=1 -run 'TestParse|TestWalk' ./internal/... 2>&1 | tail -20; git status --short && git diff --stat HEAD -- internal/guard && grep -rn 'func New' internal | head -5"
	b.SetBytes(int64(len(command)))
	b.ReportAllocs()
	for b.Loop() {
		if v := s.Shell(command); v.Decision != Pass {
			b.Fatal(v)
		}
	}
}
