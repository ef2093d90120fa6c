package guard

import "testing"

// Where nobody can be asked, the calls that each delivery makes are allowed, alone and
// together, and nothing else is.
func TestUnattendedWork(t *testing.T) {
	for _, c := range []struct {
		command string
		want    Decision
	}{
		{"git switch -c fix/x", Allow},
		{"git switch --quiet -c fix/x origin/main", Allow},
		{"git checkout -b fix/x", Allow},
		{"git add --all && git commit -qm 'Count the last page'", Allow},
		{"git commit -F - <<'E'\nCount the last page\nE", Allow},
		{"git add a.go && asterweave-state next", Allow},
		{"git push origin asterweave/x", Allow},

		{"git switch main", Pass},
		{"git checkout -b fix/x -- a.go", Pass},
		{"git status", Pass}, // the client lets through what reads
		{"git commit -m x && make", Pass},
		{"git commit -m x > /tmp/out", Pass},
		{"GIT_AUTHOR_NAME=x git commit -m x", Pass},
		{"cd /elsewhere && git commit -m x", Pass},
		{"git -C /elsewhere commit -m x", Pass},
		{"git add \"$FILES\"", Pass},
		{"git fetch", Pass},

		{"git push --force origin asterweave/x", Deny},
		{"git push origin main", Deny},
		{"git commit --no-verify -m x", Deny},
		{"git commit -m 'x [skip ci]'", Deny},
		{"git switch -C main", Deny},
		{"git checkout -b x && git reset --hard", Deny},
	} {
		s := setting()
		s.Attended = false
		v := s.Shell(c.command)
		if v.Decision != c.want {
			t.Errorf("%s: %s, want %s: %s", c.command, v.Decision, c.want, v.Reason)
		}
		if v.Decision == Allow {
			if s = setting(); s.Shell(c.command).Decision != Pass {
				t.Errorf("%s: with a person there, the client's own rules are to apply", c.command)
			}
		}
	}
}
