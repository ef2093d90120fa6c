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

// pin fixes the surroundings and the programs that later runs are compared with, as far
// as they are not fixed yet. Only a later baseline and a human put others in their place.
func (d *Draft) pin(around *state.Surroundings, programs map[string]state.Program) error {
	missing := map[string]state.Program{}
	for name, program := range programs {
		if _, known := d.State.Programs[name]; !known {
			missing[name] = program
		}
	}
	if d.State.Surroundings.Digest != "" || around != nil && around.Digest == "" {
		around = nil
	}
	if around == nil && len(missing) == 0 {
		return nil
	}
	return d.emit(state.Change{Pinned: &state.Pinned{Surroundings: around, Programs: missing}})
}

// askAbout lets a human accept what keeps a run from showing something: other
// surroundings, other programs, another way to the remote, a gate that writes.
func (d *Draft) askAbout(in Run) error {
	for _, ask := range []func(Run) error{d.askEnvironment, d.askPrograms, d.askTransport, d.askWrites} {
		if err := ask(in); err != nil {
			return err
		}
	}
	return nil
}

func (d *Draft) askEnvironment(in Run) error {
	if in.Kind == evidence.Note || in.Kind == evidence.Baseline || len(in.Hostile) > 0 || d.State.Surroundings.Digest == "" {
		return nil
	}
	other := d.OtherSurroundings(in.Surroundings)
	if len(other) == 0 {
		return nil
	}
	now := map[string]string{}
	for _, label := range other {
		now[label] = in.Surroundings.Hashes[label]
	}
	about := gate.DescribeSurroundings(other, in.Surroundings)
	if free := slices.DeleteFunc(slices.Clone(other), strict); len(free) > 0 {
		about += "\nonce accepted, these may differ in any run: " + strings.Join(free, ", ")
	}
	return d.askOnce(state.Ask{
		Question: "what surrounds the run differs from the baseline's; accept runs in this environment?",
		About:    about, Topic: state.Topic{Name: state.TopicEnvironment, Surroundings: now},
	})
}

// strict reports whether a label stays compared after a human accepted what it is now.
// Others are let go then: some variable that differs with each command would be asked
// about for ever.
func strict(label string) bool {
	_, steers := testrun.Steers(label)
	return steers || strings.Contains(label, ":") || slices.Contains([]string{"HOME", "TMPDIR", "CDPATH", "XDG_CONFIG_HOME", "XDG_DATA_HOME"}, label)
}

func (d *Draft) askPrograms(in Run) error {
	other := d.OtherPrograms(d.compared(in))
	if len(other) == 0 {
		return nil
	}
	now := map[string]state.Program{}
	for _, o := range other {
		now[o.Name] = o.Now
	}
	return d.askOnce(state.Ask{
		Question: "a program that gates run, or that reads the repository, is not the one that it was; believe it?",
		About:    gate.DescribePrograms(other), Topic: state.Topic{Name: state.TopicPrograms, Programs: now},
	})
}

// compared returns the programs of a run that have to be the pinned ones: git alone
// where the others are not fixed yet, or show nothing.
func (d *Draft) compared(in Run) map[string]state.Program {
	if in.Kind == evidence.Note || in.Kind == evidence.Baseline || d.State.Surroundings.Digest == "" {
		return map[string]state.Program{state.Git: in.Programs[state.Git]}
	}
	return in.Programs
}

// askTransport: what the remote says of a base that moved is not believed before.
func (d *Draft) askTransport(in Run) error {
	if in.Kind == evidence.Note || !d.OtherTransport() {
		return nil
	}
	return d.askOnce(state.Ask{
		Question: "the remote is reached otherwise than at start; believe what it answers?",
		About:    "settings that decide it now: " + strings.Join(d.Facts.Reached, ", "),
		Topic:    state.Topic{Name: state.TopicTransport, Digest: d.Facts.Transport},
	})
}

// askWrites is about a gate that leaves files in scope as they were, and writes them.
func (d *Draft) askWrites(in Run) error {
	if in.Gate == nil || len(in.Touched) == 0 || len(in.Changed) > 0 || slices.Contains(d.State.Accepted, writes(in)) {
		return nil
	}
	return d.askOnce(state.Ask{
		Question: "gate " + in.Gate.ID + " writes files in scope while it runs, as they were before; accept its runs?",
		About:    strings.Join(in.Touched[:min(20, len(in.Touched))], "\n"),
		Topic:    state.Topic{Name: state.TopicWrites, Digest: writes(in)},
	})
}

// writes names the gate of a run as one that may write.
func writes(in Run) string {
	if in.Gate == nil {
		return ""
	}
	return "writes " + in.Gate.Digest()
}

// askOnce puts a question that is answered by accept or refuse. One about the same thing
// that is still open gives way, unless it is the same.
func (d *Draft) askOnce(a state.Ask) error {
	digest, err := digestOf(a.Topic)
	if err != nil {
		return err
	}
	if a.Topic.Digest == "" {
		a.Topic.Digest = digest
	}
	for _, o := range slices.Clone(d.State.Asks) {
		switch {
		case o.Topic.Name != a.Topic.Name:
		case o.Topic.Digest == a.Topic.Digest:
			return nil
		case a.Topic.Name == state.TopicEnvironment || a.Topic.Name == state.TopicPrograms:
			if err := d.emit(state.Change{Closed: &state.Closed{Ask: o.ID, Because: "it differs in another way now"}}); err != nil {
				return err
			}
		}
	}
	a.ID, a.Kind, a.Options, a.At = d.askID(), state.AskDecision, []string{Accept, Refuse}, d.Now
	return d.emit(state.Change{Asked: &a})
}

// accept does what the answer to a question of askAbout means.
func (d *Draft) accept(t state.Topic) error {
	var c state.Accepted
	switch t.Name {
	case state.TopicPrograms:
		c.Programs = maps.Clone(t.Programs)
	case state.TopicEnvironment:
		c.Surroundings = maps.Clone(t.Surroundings)
		c.Loose = slices.DeleteFunc(slices.Sorted(maps.Keys(t.Surroundings)), strict)
	default:
		c.Digest = t.Digest
	}
	return d.emit(state.Change{Accepted: &c})
}
