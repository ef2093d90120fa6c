package guard

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTimeIsBounded: a hook that is too slow is no hook, so no text may take long. It is
// the processor's time that counts: the machine may have other work.
func TestTimeIsBounded(t *testing.T) {
	s := setting()
	for name, c := range map[string]string{
		"dbl":     "x=aaaaaaaaaa; " + strings.Repeat("x=$x$x$x; ", 40) + "echo $x",
		"brace":   "echo {1..9}{1..9}{1..9}{1..9}{1..9}",
		"loops":   strings.Repeat("for a in 1 2 3 4; do ", 4) + "echo $a" + strings.Repeat("; done", 4),
		"subst":   strings.Repeat("echo $(", 12) + "true" + strings.Repeat(")", 12),
		"subst50": strings.Repeat("echo $(", 50) + "true" + strings.Repeat(")", 50),
		"doc":     "cat <<'E'\n" + strings.Repeat("a long line of text\n", 5000) + "E",
		"bang":    strings.Repeat("!", 100000), "minus": "$((" + strings.Repeat("-", 100000) + "1))",
		"many":  strings.Repeat("true;", maxSteps+1),
		"pipes": strings.Repeat("echo a | ", 200) + "cat",
		"ands":  strings.Repeat("echo a && ", 2000) + "cat",
		"evals": strings.Repeat("eval ", 200) + "true",
		"vars": func() string {
			b := ""
			for i := range 1500 {
				b += fmt.Sprintf("v%d=1 && ", i)
			}
			return b + "true"
		}(),
		"vars2": func() string {
			b := ""
			for i := range 1000 {
				b += fmt.Sprintf("v%d=%s;", i, strings.Repeat("a", 100))
			}
			return b + strings.Repeat("(true);", 1000)
		}(),
		"args":   "x=" + strings.Repeat("a", 60000) + ";" + strings.Repeat("echo $x$x$x$x;", 1000),
		"glob":   "rm " + strings.Repeat("*a", 3000),
		"glob2":  "rm " + strings.Repeat("[*a", 40) + "/" + strings.Repeat("*?", 2000),
		"files":  strings.Repeat("echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa >> x; cat x | sh;", 1500),
		"git":    "git " + strings.Repeat("--a ", 60000),
		"find":   "find . " + strings.Repeat("-exec echo {} \\; ", 5000),
		"nestif": strings.Repeat("if true; then ", 3000) + "true" + strings.Repeat("; fi", 3000),
		"while":  strings.Repeat("while true; do ", 40) + "true" + strings.Repeat("; done", 40),
		"timef":  strings.Repeat("time ", 20000) + "true",
		"q":      strings.Repeat("env ", 30000) + "true",
		"tails":  "foo " + strings.Repeat("sh ", 3000),
		"tails2": "foo " + strings.Repeat("env xargs ", 3000),
	} {
		start := used(t)
		v := s.Shell(c)
		if d := used(t) - start; d > 3*time.Second {
			t.Errorf("%s: %s, %s %s", name, d, v.Decision, v.Reason)
		}
	}
}

// used is how long processors have worked for this process; no other test runs beside.
func used(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
