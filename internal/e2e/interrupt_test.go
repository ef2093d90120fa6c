//go:build e2e

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/client"
	"github.com/asterweave/asterweave/internal/messages"
)

// A human stops a tool in the middle, of which no hook hears: the delivery is where it
// was, the call is no evidence, and the next prompt goes on.
func TestInterruptedTool(t *testing.T) {
	t.Parallel()
	all := pages().script(t)
	first, steps := all[:1], until(t, all, "{{digest approval}}")[1:]
	c := newCrew(t, pages())
	started := filepath.Join(c.w.scratch, "started")
	var cut messages.ToolResult
	c.main = []func(*worker){func(m *worker) {
		m.play(first)
		cut = m.bash("touch " + commandLine([]string{started}) + "; sleep 600")
		m.playOn(steps)
		m.End("This waits for an approval.")
	}}
	w := c.w
	s := w.session()
	ended := make(chan error, 1)
	go func() {
		_, err := s.Say(t.Context(), "/asterweave "+w.goal)
		ended <- err
	}()
	await(t, "the tool", func() bool { _, err := os.Stat(started); return err == nil })
	before := w.standing()
	if err := s.Interrupt(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := w.standing(); got != before {
		t.Errorf("the delivery moved from\n%s\nto\n%s", before, got)
	}
	w.say(s, "Go on.")
	if !strings.Contains(cut.Text, "interrupted") && !strings.Contains(cut.Text, "rejected") {
		t.Errorf("the model heard %q of the tool", cut.Text)
	}
	if got := w.mustStatus().Delivery; got.Node != "approve" {
		t.Errorf("the delivery is at %s, want approve: %s", got.Node, got.Reason)
	}
}

// A model that begins an answer and says nothing more is stopped by the human; one that
// ends its turns without doing anything is kept three times and then waits for the human,
// after each resume again.
func TestStalledModel(t *testing.T) {
	t.Parallel()
	c := newCrew(t, pages(), func(m *worker) {
		for {
			m.Say("I will do it soon.")
		}
	})
	w := c.w
	w.server.Fail(messages.Main, messages.Stalled)
	s := w.session()
	ended := make(chan error, 1)
	go func() {
		_, err := s.Say(t.Context(), "/asterweave "+w.goal)
		ended <- err
	}()
	await(t, "the request", func() bool { return len(w.server.Requests()) == 1 })
	if err := s.Interrupt(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := w.mustStatus().Delivery; got.Status != "active" || got.Node != "intake" {
		t.Fatalf("the delivery is %+v", got)
	}
	seen := len(w.server.Requests())
	for _, said := range []string{"Go on.", "/asterweave:resume", "/asterweave"} {
		w.say(s, said)
		w.checkStalled()
		now := len(w.server.Requests())
		if n := now - seen; n < 1 || n > 4 {
			t.Errorf("%s: %d requests, want one and at most three that the Stop gate made", said, n)
		}
		seen = now
	}
	if r := w.say(s, "And now?"); r.Error || len(w.server.Requests()) != seen+1 {
		t.Errorf("a paused delivery kept the turn: %+v", r)
	}
}

// A conversation that is cleared, resumed or continued is told where the delivery is, and
// goes on.
func TestSessionGoesOn(t *testing.T) {
	for _, how := range []string{"/clear", "--resume", "--continue"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			steps := until(t, pages().script(t), "{{digest approval}}")
			next := func(m *worker) {
				for {
					m.Say("Next is:\n" + m.state(nil, "next").Next.Prompt)
				}
			}
			c := newCrew(t, pages(), func(m *worker) {
				m.play(steps)
				m.Say("This waits for an approval.")
				next(m)
			}, next)
			w := c.w
			s := w.session()
			w.human(s, steps)
			before := w.mustStatus()
			var more []string
			switch how {
			case "/clear":
				w.say(s, how)
			case "--resume":
				more = []string{how, session(t, s)}
			default:
				more = []string{how}
			}
			if more != nil {
				if err := s.Wait(); err != nil {
					t.Fatal(err)
				}
				s = w.sessionWith(more...)
			}
			if r := w.say(s, "Where are we?"); !strings.Contains(r.Text, "Only a human") && !strings.Contains(r.Text, "Answering is a human's act") {
				t.Errorf("the model said %q", r.Text)
			}
			brief := "Asterweave: delivery " + before.Delivery.ID + " is open in this worktree"
			requests := w.server.Requests()
			if text := requests[len(requests)-1].Text(); !strings.Contains(text, brief) || !strings.Contains(text, "open ask") {
				t.Errorf("the conversation was not told where the delivery is")
			}
			w.say(s, "/asterweave:approve "+before.ask("approval").Digest)
			if got := w.mustStatus().Delivery; got.Node != "implement" {
				t.Errorf("the delivery is at %s, want implement: %s", got.Node, got.Reason)
			}
		})
	}
}

// await waits for something that happens soon on any machine.
func await(t *testing.T, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !there(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(errors.New(what + " did not come"))
		}
	}
}

// sessionWith is session with more arguments of the client.
func (w *world) sessionWith(args ...string) *client.Session {
	w.t.Helper()
	more := *w
	more.args = append(more.args, args...)
	return more.session()
}
