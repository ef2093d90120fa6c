package decide

import (
	"maps"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/state"
	"github.com/asterweave/asterweave/internal/testrun"
)

// pin fixes the environment and the programs that later runs are compared with, as far
// as they are not fixed yet. Only a later baseline and a human put others in their place.
func (d *Draft) pin(steering string, around map[string]string, programs map[string]state.Program) error {
	missing := map[string]state.Program{}
	for name, program := range programs {
		if _, known := d.State.Programs[name]; !known {
			missing[name] = program
		}
	}
	if d.State.Steering != "" {
		steering, around = "", nil
	}
	if steering == "" && len(missing) == 0 {
		return nil
	}
	return d.emit(state.Change{Pinned: surrounded(steering, around, missing, false)})
}

// surrounded is what is stored of surroundings: of each a hash, so that a later
// difference can be named, and of the settings that are known to steer runners the
// value, so that people see them.
func surrounded(steering string, around map[string]string, programs map[string]state.Program, replace bool) *state.Pinned {
	p := &state.Pinned{Replace: replace, Steering: steering, Programs: programs, Surroundings: map[string]string{}, Settings: map[string]string{}}
	for label, value := range around {
		p.Surroundings[label] = gate.HashSurrounding(value)
		if _, steers := testrun.Steers(label); steers && label != "PATH" {
			p.Settings[label] = value
		}
	}
	return p
}

// askEnvironment lets a human accept variables that differ from the pinned ones.
func (d *Draft) askEnvironment(in Run) error {
	if in.Kind == evidence.Note || in.Kind == evidence.Baseline || len(in.Hostile) > 0 || d.State.Steering == "" || d.Environment(in.Steering) == "" {
		return nil
	}
	return d.askOnce(state.Ask{
		Question: "what surrounds the run differs from the baseline's; accept runs in this environment?",
		About:    strings.Join(d.OtherSurroundings(in.Surroundings), "\n"), Topic: state.Topic{Name: state.TopicEnvironment, Digest: in.Steering},
	})
}

// askPrograms lets a human accept programs that differ from the pinned ones.
func (d *Draft) askPrograms(in Run) error {
	other := d.OtherPrograms(d.compared(in))
	if in.Kind == evidence.Note || len(other) == 0 {
		return nil
	}
	digest, err := digestOf(other)
	if err != nil {
		return err
	}
	now := map[string]state.Program{}
	for _, o := range other {
		now[o.Name] = o.Now
	}
	return d.askOnce(state.Ask{
		Question: "a program that gates run is not the one that it was; accept runs with it?",
		About:    gate.DescribePrograms(other), Topic: state.Topic{Name: state.TopicPrograms, Digest: digest, Programs: now},
	})
}

// askTransport lets a human accept that the remote is reached otherwise than at start.
// What it says of a base that moved is not believed before.
func (d *Draft) askTransport(in Run) error {
	if in.Kind == evidence.Note || !d.OtherTransport() {
		return nil
	}
	return d.askOnce(state.Ask{
		Question: "the remote is reached otherwise than at start; believe what it answers?",
		About:    "settings that decide it now: " + strings.Join(d.Facts.Reached, ", "),
		Topic:    state.Topic{Name: state.TopicEnvironment, Digest: d.Facts.Transport},
	})
}

// compared returns the programs of a run that have to be the pinned ones: git alone
// while the others are not fixed yet.
func (d *Draft) compared(in Run) map[string]state.Program {
	if in.Kind == evidence.Baseline || d.State.Steering == "" {
		return map[string]state.Program{state.Git: in.Programs[state.Git]}
	}
	return in.Programs
}

// askOnce puts a question that is answered by accept or refuse, unless it is open.
func (d *Draft) askOnce(a state.Ask) error {
	open := func(o state.Ask) bool { return o.Topic.Name == a.Topic.Name && o.Topic.Digest == a.Topic.Digest }
	if slices.ContainsFunc(d.State.Asks, open) {
		return nil
	}
	a.ID, a.Kind, a.Options, a.At = d.askID(), state.AskDecision, []string{Accept, Refuse}, d.Now
	return d.emit(state.Change{Asked: &a})
}

// accept does what the answer to askEnvironment or askPrograms means.
func (d *Draft) accept(t state.Topic) error {
	c := state.Accepted{Programs: maps.Clone(t.Programs)}
	if t.Name != state.TopicPrograms {
		c.Digest = t.Digest
	}
	return d.emit(state.Change{Accepted: &c})
}
