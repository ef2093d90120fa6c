package testrun

import "testing"

func TestOfSession(t *testing.T) {
	for _, name := range []string{"PWD", "TERM", "TERM_SESSION_ID", "SSH_AUTH_SOCK", "CLAUDE_EFFORT", "GH_TOKEN", "aws_secret_access_key", "TRACEPARENT", "LESS"} {
		if !OfSession(name) {
			t.Errorf("%s is compared", name)
		}
	}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GO", "CDPATH", "LESSC", "STYLE_CHECK", "HISTORIC_TESTS", "TERMS", "WINDOWS", "DISPLAYS", "DATABASE_URL", "NODE_ENV", ""} {
		if OfSession(name) {
			t.Errorf("%s is left out", name)
		}
	}
	for _, s := range steering() {
		if OfSession(s.name) {
			t.Errorf("%s steers, and is left out", s.name)
		}
	}
}
