//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/client"
	"github.com/asterweave/asterweave/internal/messages"
)

// A second session in the worktree is told of the delivery, and a human's word counts
// from there; the first goes on with what it allows.
func TestTwoSessionsInOneWorktree(t *testing.T) {
	t.Parallel()
	steps := until(t, refunds().script(t), "{{digest approval}}")
	c := newCrew(t, refunds(),
		func(m *worker) {
			m.play(steps)
			m.Say("This waits for an approval.")
			for range 3 { // the Stop gate asks for more
				m.Say("Next is:\n" + m.state(nil, "next").Next.Prompt)
			}
			m.End("Next is:\n" + m.state(nil, "next").Next.Prompt)
		},
		func(m *worker) {
			m.Say("I have read the brief.")
			m.End("I have read the prompt.")
		},
	)
	w := c.w
	one := w.session()
	w.human(one, steps)
	two := w.session()
	w.say(two, "Where are we?")
	before := w.mustStatus()
	for r := range last(w.server.Requests(), messages.Main) {
		if !strings.Contains(r.Text(), "delivery "+before.Delivery.ID+" is open") || !strings.Contains(r.Text(), "open ask") {
			t.Errorf("the second session was not told of the delivery: %s", r.Text())
		}
		break
	}
	w.say(two, "/asterweave:approve "+before.ask("approval").Digest)
	if got := w.mustStatus().Delivery.Node; got != "implement" {
		t.Fatalf("the delivery is at %s, want implement", got)
	}
	if r := w.say(one, "Go on."); !strings.Contains(r.Text, "implement") {
		t.Errorf("the first session has %q", r.Text)
	}
	if one, two := session(t, one), session(t, two); one == two {
		t.Errorf("both sessions are %s", one)
	}
}

// Two worktrees of a repository have a delivery each; a word in one is none in the
// other.
func TestTwoSessionsInTwoWorktrees(t *testing.T) {
	t.Parallel()
	wait := func(m *worker) {
		m.Say("I have read the prompt.")
		m.End("Still here.")
	}
	c := newCrew(t, pages(), wait, wait)
	w := c.w
	other := *w
	other.root = filepath.Join(filepath.Dir(w.root), "other")
	w.git(w.root, "worktree", "add", "--quiet", "-b", "other", other.root)
	one, two := w.session(), other.session()
	w.say(one, "/asterweave "+w.goal)
	other.say(two, "/asterweave Document the rules of refunds")
	a, b := w.mustStatus().Delivery, other.mustStatus().Delivery
	if a.ID == b.ID || a.Goal == b.Goal {
		t.Fatalf("the deliveries are %+v and %+v", a, b)
	}
	w.say(one, "/asterweave:abort it was the wrong one")
	if a, b := w.mustStatus().Delivery.Status, other.mustStatus().Delivery.Status; a != "aborted" || b == "aborted" {
		t.Errorf("after the abort of the first they are %s and %s", a, b)
	}
}

func session(t *testing.T, s *client.Session) string {
	t.Helper()
	got, ok := s.Transcript().Init()
	if !ok {
		t.Fatal("the client did not say what it loaded")
	}
	return got.Session
}
