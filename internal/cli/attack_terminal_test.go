//go:build unix

package cli_test

import (
	"strings"
	"testing"
)

// TestNothingSteersTheTerminal: what others wrote is text in what people are shown,
// and no command to their terminal.
func TestNothingSteersTheTerminal(t *testing.T) {
	const hostile = "\x1b]0;owned\x07\x1b[2J\u202egnp\u2066 done"
	r := at(t, "fresh")
	r.ok(r.aw("start", "--goal", "SUM-1: Add adds"))
	for name, a := range map[string]answer{
		"an error":  r.look("read", hostile),
		"a reason":  r.look("record", "--kind", "note", "--result", "info", "--summary", "s", "--because", hostile),
		"a flag":    r.look("ask", "--no"+hostile),
		"an answer": r.look("status"),
		"next":      r.look("next"),
	} {
		if shown := a.stdout + a.stderr; strings.ContainsAny(shown, "\x1b\x07\u202e\u2066") {
			t.Errorf("%s: %q", name, shown)
		}
	}
	if a := r.look("read", hostile); !strings.Contains(a.stderr, "]0;owned[2Jgnp done") {
		t.Errorf("the text itself is not shown: %s", a)
	}
}

// TestAWaitHasABound: nobody waits for longer than a day, or backwards.
func TestAWaitHasABound(t *testing.T) {
	r := at(t, "fresh")
	for _, wait := range []string{"-5m", "25h", "87600h", "-1ns"} {
		if a := r.aw("--json", "read", "checks", "--wait="+wait); a.status != 64 || !strings.Contains(a.text("error", "message"), "is not from 0 to 24h") {
			t.Errorf("--wait=%s: %s", wait, a)
		}
	}
}
