package scripted

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// display shows a demo's progress: on a terminal one line that is rewritten while
// time passes, elsewhere a line for each step that has ended.
type display struct {
	out     io.Writer
	rewrite bool
	began   time.Time

	mu sync.Mutex
	at Progress
}

// width is what every terminal has; a longer line would not be rewritten whole.
const width = 79

// update shows a step.
func (d *display) update(at Progress) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at = at
	switch {
	case d.rewrite:
		d.paint()
	case at.Ended:
		fmt.Fprintln(d.out, d.line())
	}
}

// tick repaints the line on a terminal until the returned function is called.
func (d *display) tick() (stop func()) {
	if !d.rewrite {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		every := time.NewTicker(200 * time.Millisecond)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				d.mu.Lock()
				d.paint()
				d.mu.Unlock()
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		fmt.Fprintln(d.out)
	}
}

func (d *display) paint() { fmt.Fprintf(d.out, "\r\x1b[K%s", d.line()) }

func (d *display) line() string {
	node := d.at.Node
	if node == "" {
		node = "-"
	} else if d.at.Attempt > 0 {
		node = fmt.Sprintf("%s, attempt %d", node, d.at.Attempt)
	}
	text := fmt.Sprintf("%5.1f s  %2d/%d  %-36s %s", time.Since(d.began).Seconds(), d.at.Step, d.at.Steps, node, d.at.What)
	if d.at.Ended {
		text += ": " + d.at.Result
	}
	if r := []rune(text); d.rewrite && len(r) > width {
		text = string(r[:width-1]) + "…"
	}
	return strings.TrimRight(text, " ")
}

// isTerminal reports whether a person looks at w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
