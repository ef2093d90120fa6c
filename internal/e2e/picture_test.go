//go:build e2e && picture

package e2e

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/client"
	"github.com/asterweave/asterweave/internal/recording"
)

// Size of the terminal that is recorded.
const columns, rows = 104, 32

// picture is a recording while it is made.
type picture struct {
	t        *testing.T
	terminal *client.Terminal

	mu     sync.Mutex // the human and the model take turns
	frames []recording.Frame
}

// shoot takes what the terminal shows.
func (p *picture) shoot(seconds float64, step, caption string) {
	p.t.Helper()
	time.Sleep(1500 * time.Millisecond) // the client draws when it has time
	text, err := p.terminal.Screen(context.Background())
	if err != nil {
		p.t.Error(err)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frames = append(p.frames, recording.Frame{Screen: recording.Parse(text), Seconds: seconds, Step: step, Caption: caption})
}

// await waits for a text on the screen.
func (p *picture) await(text string) {
	p.t.Helper()
	err := p.terminal.Await(p.t.Context(), func(screen string) bool { return p.t.Failed() || strings.Contains(screen, text) })
	if err != nil {
		p.t.Fatalf("the human waits for %q: %v", text, err)
	}
	if p.t.Failed() {
		screen, _ := p.terminal.Screen(context.WithoutCancel(p.t.Context()))
		p.t.Fatal(recording.Parse(screen).Text())
	}
}

// enter types a line, and takes what the human sees before the last key.
func (p *picture) enter(text string, before func()) {
	p.t.Helper()
	if err := p.terminal.Type(p.t.Context(), text); err != nil {
		p.t.Fatal(err)
	}
	p.await("❯\u00a0" + text[:20]) // a client that has just started takes its time
	before()
	if err := p.terminal.Press(p.t.Context(), "Enter"); err != nil {
		p.t.Fatal(err)
	}
}

// TestPicture plays the sample's delivery in the client's own terminal interface, and
// writes what it looked like to the file that ASTERWEAVE_PICTURE names.
func TestPicture(t *testing.T) {
	to := os.Getenv("ASTERWEAVE_PICTURE")
	if to == "" {
		t.Fatal("ASTERWEAVE_PICTURE names no file to write")
	}
	p := &picture{t: t}
	steps := refunds().script(t)
	c := newCrew(t, refunds(), func(m *worker) { (&actor{worker: m, p: p}).act(steps) })
	w := c.w
	w.home = filepath.Dir(w.root) // so that the work tree is ~/refunds
	o := w.options()
	o.Mode, o.Wait = "acceptEdits", 10*time.Minute
	o.Set = append(o.Set, "BASH_DEFAULT_TIMEOUT_MS=600000")
	o.Args = []string{
		"--model", "scripted-model", "--settings", `{"spinnerTipsEnabled":false}`,
		"--allowedTools", "Bash(git switch:*)", "Bash(git add:*)", "Bash(git commit:*)", "Bash(git push:*)", "Bash(git diff:*)", "Bash(asterweave-state status:*)",
	}
	terminal, err := client.OpenTerminal(context.WithoutCancel(t.Context()), o, columns, rows)
	if errors.Is(err, client.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.terminal = terminal
	t.Cleanup(func() {
		if err := terminal.Close(); err != nil {
			t.Error(err)
		}
	})

	p.await("❯")
	p.enter("/asterweave "+w.goal, func() { p.shoot(5, "goal", "You type a goal. Everything else follows a fixed graph of steps.") })
	p.await(waits)
	p.enter("/asterweave:reply "+w.mustStatus().ask("decision").ID+" 403 as well: it is the same rule with nothing remaining", func() {
		p.shoot(6, "question", "What neither task nor code answers, you are asked before anything is planned.")
	})
	p.await("Approve " + w.awaitAsk("approval").Digest[:8])
	p.shoot(7, "approval", "No file changes before you have approved the plan, by its digest.")
	if err := terminal.Press(t.Context(), "Enter"); err != nil {
		t.Fatal(err)
	}
	p.await(confirm)
	p.enter("/asterweave:approve "+w.mustStatus().ask("confirmation").Digest[:8], func() {
		p.shoot(6, "confirmation", "Nothing leaves the machine before you have confirmed it.")
	})
	p.await(over)
	p.shoot(8, "done", "Done. Each step rests on a fact that was seen; merging stays yours.")

	if got := w.mustStatus().Delivery; got.Status != "done" {
		t.Fatalf("the delivery is %s at %s: %s", got.Status, got.Node, got.Reason)
	}
	p.write(to)
}

// awaitAsk waits for an ask of a kind.
func (w *world) awaitAsk(kind string) ask {
	w.t.Helper()
	for until := time.Now().Add(10 * time.Minute); time.Now().Before(until) && !w.t.Failed(); time.Sleep(300 * time.Millisecond) {
		if s, err := w.status(); err == nil && s.ask(kind).ID != "" {
			return s.ask(kind)
		}
	}
	w.t.Fatalf("no ask of the kind %s", kind)
	return ask{}
}

// machine are the parts of a screen that are of one machine and one run.
var machine = regexp.MustCompile(`/tmp/[^\s]*`)

func (p *picture) write(to string) {
	p.t.Helper()
	r := recording.Recording{
		Title:  "~/refunds · a delivery with Asterweave in Claude Code",
		About:  "A terminal with Claude Code, in steps: ",
		Frames: p.frames,
	}
	for i, f := range p.frames {
		r.About += f.Caption + " "
		if f.Step == "approval" {
			r.Still = i
		}
		if found := machine.FindString(f.Screen.Text()); found != "" {
			p.t.Errorf("frame %d shows a path of this machine: %s", i+1, found)
		}
	}
	svg, err := r.SVG()
	if err == nil {
		err = os.WriteFile(to, []byte(svg), 0o644)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Logf("%d frames, %d bytes", len(p.frames), len(svg))
}
