package scripted

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// Options is what a player works with. Paths are absolute.
type Options struct {
	State   string            // program asterweave-state
	Hook    string            // program asterweave-hook
	Root    string            // of the work tree that is delivered to
	Files   string            // folder that a script's copies come from
	Scratch string            // folder outside the work tree, for files that are no part of it
	Environ []string          // of this process; children get what the allow-list lets through
	Set     []string          // KEY=value that children get besides
	Values  map[string]string // for {{value NAME}}
	Forge   Forge             // nil where a script has none

	// Report is called before and after each step; may be nil.
	Report func(Progress)
}

// Progress is where a script is.
type Progress struct {
	Step, Steps int           // the step, from 1, and how many there are
	What        string        // the step in a few words
	Node        string        // of the delivery; "" before it is started
	Attempt     int           // of that node
	Elapsed     time.Duration // since Play was called
	Ended       bool          // the step has ended
	Result      string        // how, when it has ended
}

// Player plays scripts in one work tree, in one session of the harness.
type Player struct {
	o       Options
	session string
	prompt  string // id of the person's last prompt
	tree    string // that the last delegation was about
	given   string // text of the last delegation
	start   string // commit that the work tree was at when the player began
	exports string // file with what the session's start left, "" before it
	node    string
	attempt int
	tools   int
	calls   int
	words   int
}

// New returns a player with a session of its own.
func New(o Options) (*Player, error) {
	for _, path := range []string{o.State, o.Hook, o.Root, o.Files, o.Scratch} {
		if !filepath.IsAbs(path) {
			return nil, fmt.Errorf("scripted: path %q is not absolute", path)
		}
	}
	id := newID(16)
	return &Player{o: o, session: id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:]}, nil
}

// Calls returns how often the model called asterweave-state so far.
func (p *Player) Calls() int { return p.calls }

// Answers returns how often a person answered so far: approvals, confirmations,
// rejections and replies.
func (p *Player) Answers() int { return p.words }

// StepError says which step went otherwise than the script expects.
type StepError struct {
	Number int // from 1
	What   string
	Why    string // of the script, may be empty
	Err    error
}

func (e *StepError) Error() string {
	why := ""
	if e.Why != "" {
		why = " (" + e.Why + ")"
	}
	return fmt.Sprintf("step %d, %s%s: %v", e.Number, e.What, why, e.Err)
}

// Unwrap returns what went wrong.
func (e *StepError) Unwrap() error { return e.Err }

// Play plays the script to its end, or to the first answer that is not the one
// that it expects; the error is then a [StepError].
func (p *Player) Play(ctx context.Context, s Script) error {
	began := time.Now()
	if p.start == "" {
		head, err := p.head(ctx)
		if err != nil {
			return err
		}
		p.start = head
	}
	for i := range s.Steps {
		step := s.Steps[i]
		at := Progress{Step: i + 1, Steps: len(s.Steps), What: step.Do, Node: p.node, Attempt: p.attempt, Elapsed: time.Since(began)}
		fail := func(err error) error {
			at.Ended, at.Result, at.Elapsed = true, "stopped", time.Since(began)
			p.report(at)
			return &StepError{Number: i + 1, What: at.What, Why: step.Why, Err: err}
		}
		data, err := p.resolve(ctx, step.raw)
		if err != nil {
			return fail(err)
		}
		a, err := step.action(data)
		if err != nil {
			return fail(err)
		}
		at.What = a.title()
		p.report(at)
		got, err := a.play(ctx, p)
		ended, err := expected(step.Expect, got, err)
		if err != nil {
			return fail(err)
		}
		at.Node, at.Attempt, at.Ended, at.Result, at.Elapsed = p.node, p.attempt, true, ended, time.Since(began)
		p.report(at)
	}
	return nil
}

func (p *Player) report(at Progress) {
	if p.o.Report != nil {
		p.o.Report(at)
	}
}

// refused is the expectation that a call is refused.
const refused = "refused"

// outcome is how an action ended: result is what was recorded, "" when it records
// nothing, and call is there to tell about it.
type outcome struct {
	result string
	why    string
	call   *result
}

// expected compares how a step ended with what the script expects.
func expected(want string, got outcome, err error) (string, error) {
	var no *RefusedError
	switch {
	case errors.As(err, &no) && want == refused:
		return refused, nil
	case err != nil:
		return "", err
	}
	ok := want == got.result || want == "" && (got.result == "pass" || got.result == "info" || got.result == "")
	if ok && got.result == "" {
		return "ok", nil
	}
	if ok {
		return got.result, nil
	}
	if want == "" {
		want = "pass or info"
	}
	found := got.result
	if found == "" {
		found = "ok"
	}
	what := fmt.Sprintf("the result is %s, expected %s", found, want)
	if got.why != "" {
		what += ": " + got.why
	}
	if got.call == nil {
		return "", errors.New(what)
	}
	return "", got.call.failure(what)
}
