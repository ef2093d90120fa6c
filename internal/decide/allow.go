package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/guard"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// How long a bypass lasts.
const (
	MinBypass = time.Second
	MaxBypass = 24 * time.Hour
)

// Bypass is a human's word to let something through.
type Bypass struct {
	Rules   []string
	Command string // text of the one command that it is for; empty for any
	Reason  string
	For     time.Duration
}

// Allow lets through for a time what rules of the guard stop, by a human's word.
func (d *Draft) Allow(b Bypass) ([]state.Bypass, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	if err := d.human("guard allow"); err != nil {
		return nil, err
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	var out []state.Bypass
	for _, rule := range b.Rules {
		one := state.Bypass{
			ID: fmt.Sprintf("B%d", d.State.Counts.Bypasses+1), Rule: rule, Reason: strings.TrimSpace(b.Reason), Channel: d.By.Channel, At: d.Now, Until: d.Now.Add(b.For),
		}
		if text := strings.TrimSpace(b.Command); text != "" {
			one.Command, one.Digest = text, guard.CommandDigest(text)
		}
		if err := d.emit(state.Change{Bypassed: &one}); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func (b Bypass) check() error {
	known := "the rules are " + strings.Join(guard.Rules(), ", ")
	if len(b.Rules) == 0 {
		return problem.New(problem.Usage, "no rule is named", known)
	}
	for i, rule := range b.Rules {
		switch {
		case slices.Contains(guard.Absolute(), rule):
			return problem.New(problem.Usage, fmt.Sprintf("nothing is let through of the rule %s: it holds who speaks, and what was said", rule), "a person does it themselves; "+known)
		case !slices.Contains(guard.Rules(), rule):
			return problem.New(problem.Usage, fmt.Sprintf("unknown rule %q", rule), known)
		case slices.Contains(b.Rules[:i], rule):
			return problem.New(problem.Usage, fmt.Sprintf("the rule %s is named twice", rule), "name it once")
		}
	}
	switch {
	case strings.TrimSpace(b.Reason) == "":
		return problem.New(problem.Usage, "a bypass needs a reason", "say with --reason why the guard is wrong here")
	case b.For < MinBypass || b.For > MaxBypass:
		return problem.New(problem.Usage, fmt.Sprintf("a bypass lasts %s at most", MaxBypass), "say with --for how long, 30m for instance")
	}
	return nil
}

// Unhook notes that a human takes the installed hook of Git away.
func (d *Draft) Unhook(folder string) error {
	if err := d.open(); err != nil {
		return err
	}
	if err := d.human("guard uninstall"); err != nil {
		return err
	}
	return d.emit(state.Change{Unhooked: &state.Unhooked{Folder: folder}})
}
