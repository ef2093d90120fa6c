package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/state"
)

// Environment says why runs with this steering digest show nothing, or is "".
func (v View) Environment(steering string) string {
	switch {
	case v.State.Steering == "":
		return "no environment is fixed yet; the baseline fixes it, or else the plan"
	case steering != v.State.Steering && !slices.Contains(v.State.Environs, steering):
		return "PATH, a variable or a file that steers runners differs from the baseline's"
	}
	return ""
}

// maxOther bounds how many differences are named.
const maxOther = 12

// OtherSurroundings names what differs from the pinned surroundings, a line each: a
// variable with the value that it has now, a file by its name.
func (v View) OtherSurroundings(now map[string]string) []string {
	var out []string
	for _, label := range slices.Sorted(maps.Keys(now)) {
		if v.State.Surroundings[label] == HashSurrounding(now[label]) {
			continue
		}
		if strings.Contains(label, ":") {
			out = append(out, label+" is another one")
			continue
		}
		out = append(out, label+"="+clip(now[label]))
	}
	for _, label := range slices.Sorted(maps.Keys(v.State.Surroundings)) {
		if _, there := now[label]; !there {
			out = append(out, label+" is not there any more")
		}
	}
	if len(out) > maxOther {
		out = append(out[:maxOther], fmt.Sprintf("and %d more", len(out)-maxOther))
	}
	return out
}

// HashSurrounding names a value: the first 64 bits of its SHA-256, in hex.
func HashSurrounding(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:8])
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
	return then != "" && now != "" && now != then && !slices.Contains(v.State.Environs, now)
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
