package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/state"
)

// Environment says why runs in these surroundings show nothing, or is "".
func (v View) Environment(now evidence.Surroundings) string {
	if v.State.Surroundings.Digest == "" {
		return "no environment is fixed yet; the baseline fixes it, or else the plan"
	}
	if other := v.OtherSurroundings(now); len(other) > 0 {
		return "PATH, a variable or a file that steers runners differs from the baseline's: " + list(other)
	}
	return ""
}

// OtherSurroundings returns the labels of what differs from the pinned surroundings,
// sorted, save those that a human let differ.
func (v View) OtherSurroundings(now evidence.Surroundings) []string {
	pinned := v.State.Surroundings
	if pinned.Digest == now.Digest {
		return nil
	}
	var out []string
	for label, hash := range now.Hashes {
		if pinned.Hashes[label] != hash {
			out = append(out, label)
		}
	}
	for label := range pinned.Hashes {
		if _, there := now.Hashes[label]; !there {
			out = append(out, label)
		}
	}
	out = slices.DeleteFunc(out, func(label string) bool { return slices.Contains(v.State.Loose, label) })
	slices.Sort(out)
	return out
}

// DescribeSurroundings says what each of these labels is now, a line each. Values are
// shown only of settings that are known to steer runners; others may be secrets.
func DescribeSurroundings(labels []string, now evidence.Surroundings) string {
	var out []string
	for _, label := range labels {
		_, there := now.Hashes[label]
		value, shown := now.Settings[label]
		switch {
		case !there:
			out = append(out, label+" is not there any more")
		case shown:
			out = append(out, label+"="+clip(value))
		default:
			out = append(out, label+" is new, or another one")
		}
	}
	return strings.Join(out, "\n")
}

// maxOther bounds how many names one line holds.
const maxOther = 8

func list(names []string) string {
	if len(names) <= maxOther {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxOther], ", "), len(names)-maxOther)
}

func clip(value string) string {
	const most = 200
	if len(value) <= most {
		return value
	}
	return strings.ToValidUTF8(value[:most], "") + "…"
}

// OtherTransport reports whether the remote of the start is reached in another way
// than then, or than a human accepted since.
func (v View) OtherTransport() bool {
	then, now := v.State.Delivery.Transport, v.Facts.Transport
	return then != "" && now != "" && now != then && !slices.Contains(v.State.Accepted, now)
}

// OtherProgram is a program that is not the one that is pinned under its name.
type OtherProgram struct {
	Name   string
	Now    state.Program
	Pinned state.Program // zero where the name meant no program
}

// OtherPrograms returns those programs that differ from the pinned ones, by name.
func (v View) OtherPrograms(programs map[string]state.Program) []OtherProgram {
	var out []OtherProgram
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		if pinned := v.State.Programs[name]; pinned != programs[name] {
			out = append(out, OtherProgram{Name: name, Now: programs[name], Pinned: pinned})
		}
	}
	return out
}

// DescribePrograms says on one line what each program is, and what it was.
func DescribePrograms(list []OtherProgram) string {
	var out []string
	for _, o := range list {
		switch {
		case o.Pinned == (state.Program{}):
			out = append(out, fmt.Sprintf("%s is %s, and was no program", o.Name, o.Now.Path))
		case o.Pinned.Path == o.Now.Path:
			out = append(out, fmt.Sprintf("%s has another content than before", o.Now.Path))
		default:
			out = append(out, fmt.Sprintf("%s is %s, and was %s", o.Name, o.Now.Path, o.Pinned.Path))
		}
	}
	return strings.Join(out, "; ")
}
