//go:build unix

package command

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	cases := map[string][]string{ // nil is shell text
		`go test ./...`:                       {"go", "test", "./..."},
		`  go   test  -run ^TestX$ `:          {"go", "test", "-run", "^TestX$"},
		`go test -run '^$' "a b"`:             {"go", "test", "-run", "^$", "a b"},
		`a\ b c\"d "e\"f" 'g\h' i""`:          {"a b", `c"d`, `e"f`, `g\h`, "i"},
		`npx jest --config=x.js`:              {"npx", "jest", "--config=x.js"},
		`env X=1 go test`:                     {"env", "X=1", "go", "test"},
		`find . -exec rm {} +`:                {"find", ".", "-exec", "rm", "{}", "+"},
		`git diff HEAD~1`:                     {"git", "diff", "HEAD~1"},
		`make test # why`:                     {"make", "test"},
		"printf '%s\n' x":                     {"printf", "%s\n", "x"},
		`X=1 go test`:                         nil,
		`go test ./... | tee log`:             nil,
		`go test ./... > log`:                 nil,
		`go test; true`:                       nil,
		"go test\ntrue":                       nil,
		`go test || true`:                     nil,
		`go test && true`:                     nil,
		`go test &`:                           nil,
		`! go test`:                           nil,
		`cd sub && go test`:                   nil,
		`cd sub`:                              nil,
		`exec go test`:                        nil,
		`time go test`:                        nil,
		`(go test)`:                           nil,
		`go test $PKG`:                        nil,
		`go test "$PKG"`:                      nil,
		`go test $(cat x)`:                    nil,
		"go test `cat x`":                     nil,
		`pytest tests/*.py`:                   nil,
		`pytest test_?.py`:                    nil,
		`pytest test_[ab].py`:                 nil,
		`cp a.{x,y} b`:                        nil,
		`ls ~/x`:                              nil,
		`ls --dir=~/x`:                        nil,
		`echo $'a\n'`:                         nil,
		`f() { go test; }`:                    nil,
		`cat <<E` + "\nx\nE":                  nil,
		`go test <(cat x)`:                    nil,
		`[[ -f x ]]`:                          nil,
		`for x in a; do go test; done`:        nil,
		`"" x`:                                nil,
		`echo \*`:                             {"echo", "*"},
		"go \\\n test":                        nil,
		`grüße "ö"`:                           {"grüße", "ö"},
		"go test #\\\n./...":                  nil, // bash ends the comment with its line
		"go test a #b\\\nc":                   nil,
		"go test a # b":                       {"go", "test", "a"},
		`go test -ldflags="-X 'main.v=1'" ./`: {"go", "test", "-ldflags=-X 'main.v=1'", "./"},
	}
	for line, want := range cases {
		argv, text, err := Parse(line)
		if err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		if diff := cmp.Diff(want, argv); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
		if want == nil && text != strings.TrimSpace(line) || want != nil && text != "" {
			t.Errorf("%q: shell text %q", line, text)
		}
	}
	for _, line := range []string{"", "  ", "# only", "go test 'x", "a | ", "go test\x00", "if"} {
		if argv, text, err := Parse(line); err == nil {
			t.Errorf("%q: %q %q, want an error", line, argv, text)
		}
	}
}

// TestParseAgreesWithBash asks bash how it splits what Parse calls simple.
func TestParseAgreesWithBash(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"a", "b.c", "-x", "=", ":", "~", "~/", "{", "}", "{}", ",", "..", "*", "?", "[", "]", "$", "$x", "^", "%", "@",
		"!", "#", "+", " ", "  ", "'", "''", "'q r'", `"`, `""`, `"s t"`, `"$"`, `"\$"`, `\`, `\\`, `\a`, `\"`, "ü", "/", "1",
		`"a\b"`, `'\'`, "{a,b}", "{1..2}", "\\\n", "\t", "|", "&", ";", "<", ">", "(", ")", "`",
	})
	rapid.Check(t, func(t *rapid.T) {
		line := "printf " + strings.Join(rapid.SliceOfN(piece, 1, 9).Draw(t, "pieces"), "")
		argv, text, err := Parse(line)
		if err != nil || text != "" {
			return
		}
		if argv[0] != "printf" {
			return // the pieces grew onto the name
		}
		script := "set -f +f; printf() { command printf '%s\\0' printf \"$@\"; }\n" + line
		cmd := exec.Command("bash", "-c", script)
		cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/bin:/bin", "HOME=/home/dev"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if diff := cmp.Diff(got, argv); diff != "" {
			t.Fatalf("%q (-bash +parse):\n%s", line, diff)
		}
	})
}
