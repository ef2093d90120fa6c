package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/audit"
	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/state"
)

// shownProblems bounds how many problems of a ledger are listed; verify lists all.
const shownProblems = 5

// repairNext is what to do about damage. There is no command that repairs it, on
// purpose; a person may put the folder back, or give the delivery up.
const repairNext = "nothing is written until a human has looked; verify lists all that is wrong; " +
	"put the folder back from a backup, or, if the delivery may be lost, end it with abort in a terminal of your own: what is left is kept in the archive"

// folder looks at the state folder.
func (x *examination) folder() {
	const name = "state folder"
	dir := x.e.StateDir()
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		x.ok(name, "not there yet; start creates it")
		return
	case err != nil:
		x.failed(name, err, "make it readable")
		return
	case info.Mode()&fs.ModeSymlink != 0:
		x.add(name, Fail, document.StateFolder+" is a symbolic link, which is not followed", "put a folder in its place")
		return
	case !info.IsDir():
		x.add(name, Fail, document.StateFolder+" is no folder", "put a folder in its place")
		return
	}
	probe := filepath.Join(dir, fmt.Sprintf(".doctor-%d", os.Getpid()))
	f, err := x.fs.OpenFile(probe, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		err = errors.Join(f.Close(), x.fs.Remove(probe))
	}
	if err != nil {
		x.add(name, Fail, "it cannot be written: "+err.Error(), "make it writable for this account, or make room on the disk")
		return
	}
	b, err := os.ReadFile(filepath.Join(dir, ".gitignore"))
	if err != nil || strings.TrimSpace(string(b)) != "*" {
		x.add(name, Warn, "its .gitignore does not hide it, so that git status shows it", `let the file hold the one line "*"`)
		return
	}
	x.ok(name, "%s is there, writable, and hidden from Git", document.StateFolder)
}

// ledger verifies the whole ledger and reports whether there is one to go on with.
func (x *examination) ledger(ctx context.Context) bool {
	if !x.e.Exists() {
		x.ok("ledger", "there is no delivery here; start opens one")
		return false
	}
	r, err := x.e.Verify(ctx)
	if err != nil {
		x.failed("ledger", err, "make the ledger readable")
		return false
	}
	if r.Damaged() {
		x.damaged(r)
		return false
	}
	if r.Torn > 0 {
		x.add("ledger", Warn, fmt.Sprintf("%d events are whole; %d bytes behind them are torn", r.Events, r.Torn), "the next command that writes puts them in order and says so")
	} else {
		x.ok("ledger", "%d events are whole and in order, head %s", r.Events, r.Head)
	}
	switch {
	case len(r.Warnings) > 0:
		x.add("anchor", Warn, strings.Join(r.Warnings, "; "), "")
	case r.Anchored < r.Events:
		x.add("anchor", OK, fmt.Sprintf("it vouches for %d of %d events", r.Anchored, r.Events), "the next command that writes moves it on")
	default:
		x.ok("anchor", "it vouches for all %d events", r.Events)
	}
	return true
}

func (x *examination) damaged(r audit.Report) {
	for i, p := range r.Problems {
		if i == shownProblems {
			break
		}
		x.lines = append(x.lines, Line{Name: "ledger", Level: Fail, What: p.String(), Damage: true})
	}
	last := &x.lines[len(x.lines)-1]
	last.Next = repairNext
	if more := int64(len(r.Problems)-shownProblems) + r.More; more > 0 {
		last.What += fmt.Sprintf("; and %d more", more)
	}
}

// delivery reads the state.
func (x *examination) delivery() {
	s, err := x.e.Peek()
	if err != nil {
		x.failed("delivery", err, repairNext)
		return
	}
	x.state = s
	text := fmt.Sprintf("%s is %s", s.Delivery.ID, s.Delivery.Status)
	if s.Node != "" {
		text += " at " + s.Node
	}
	if len(s.Asks) == 0 {
		x.ok("delivery", "%s", text)
		return
	}
	ids := make([]string, len(s.Asks))
	for i, a := range s.Asks {
		ids[i] = a.ID
	}
	x.add("delivery", OK, text+"; waiting for a human: "+strings.Join(ids, ", "), "inbox shows what is asked")
}

// cache looks at state.json, which can be deleted at any time. One that is ahead of
// the ledger has been reported as damage by then.
func (x *examination) cache() {
	const rebuilt = "nothing is due: it is not used, and the next command that writes replaces it"
	seq, err := x.e.Cached()
	if errors.Is(err, fs.ErrNotExist) {
		x.ok("cache", "state.json is not there; it is made anew when it is needed")
		return
	}
	if err != nil {
		x.add("cache", Warn, err.Error(), rebuilt)
		return
	}
	t, err := x.log.Tail()
	switch {
	case err != nil:
		x.add("cache", Warn, err.Error(), rebuilt)
	case t.Seq > seq:
		x.ok("cache", "state.json is at event %d of %d; what is missing is folded on from there", seq, t.Seq)
	default:
		x.ok("cache", "state.json is the fold of all %d events", t.Seq)
	}
}

// artifacts looks whether what the state names is there, and reports whether all is
// that decisions read.
func (x *examination) artifacts() bool {
	needed, outputs := named(x.state)
	lost, gone := 0, 0
	for _, digest := range needed {
		if _, err := x.e.Artifact(digest); err != nil {
			lost++
			x.lines = append(x.lines, Line{
				Name: "artifacts", Level: Fail, What: err.Error() + "; no command goes on without it", Next: "restore artifacts/" + digest + " from a backup", Damage: true,
			})
		}
	}
	for _, digest := range outputs {
		if _, err := x.e.Artifact(digest); err != nil {
			gone++
			x.add("artifacts", Warn, err.Error()+"; it was kept to be shown, and decides nothing", "restore artifacts/"+digest+" from a backup")
		}
	}
	if lost+gone == 0 {
		x.ok("artifacts", "all %d that the state names are there, and are what their names say", len(needed)+len(outputs))
	}
	return lost == 0
}

// named returns the artifacts that decisions read, and those that are kept to be shown.
func named(s *state.State) (needed, outputs []string) {
	for _, d := range s.Docs {
		needed = append(needed, d)
	}
	needed = append(needed, s.Delivery.Graph, s.Delivery.Ambient)
	for _, in := range s.Intents {
		outputs = append(outputs, in.Body)
	}
	for _, slot := range s.Slots {
		for _, r := range []*evidence.Record{slot.Counts, slot.Last} {
			if r != nil {
				outputs = append(outputs, r.Path)
			}
		}
	}
	return digests(needed), digests(outputs)
}

func digests(list []string) []string {
	list = slices.DeleteFunc(list, func(d string) bool { return !canon.IsHash(d) })
	slices.Sort(list)
	return slices.Compact(list)
}
