// Package doctor says what is healthy on a machine, in a repository and in its
// delivery, and what is not, with the next step. It works outside of a repository,
// without a delivery and on a damaged ledger; what cannot be looked at there is left
// out.
//
// It changes nothing, but for a file that it creates in the state folder and
// removes again to see whether that can be done, and the cache of tree ids that
// every command keeps. Its canary has a temporary folder of its own.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// Level is how bad something is.
type Level string

// The levels. What is only odd, or will matter later, is a warning.
const (
	OK   Level = "ok"
	Warn Level = "warn"
	Fail Level = "fail"
)

// Line is what was found about one thing.
type Line struct {
	Name   string `json:"name"`
	Level  Level  `json:"level"`
	What   string `json:"what"`
	Next   string `json:"next"`             // step, "" where none is due
	Damage bool   `json:"damage,omitempty"` // of the ledger, or of what it names: commands stop here
}

// Exit returns the exit status that the lines call for: 5 where commands stop with
// it, 1 for any other failure, 0 otherwise.
func Exit(lines []Line) int {
	switch {
	case slices.ContainsFunc(lines, func(l Line) bool { return l.Level == Fail && l.Damage }):
		return 5
	case slices.ContainsFunc(lines, func(l Line) bool { return l.Level == Fail }):
		return 1
	}
	return 0
}

// Print writes the lines for people.
func Print(w io.Writer, lines []Line) {
	wide := 0
	for _, l := range lines {
		wide = max(wide, len(l.Name))
	}
	for _, l := range lines {
		fmt.Fprintf(w, "%-4s  %-*s  %s\n", l.Level, wide, l.Name, document.OneLine(l.What))
		if l.Next != "" {
			fmt.Fprintf(w, "%*s  next: %s\n", wide+6, "", document.OneLine(l.Next))
		}
	}
}

// Options is what the wiring passes in.
type Options struct {
	Environ   []string // of this process, from which runs get theirs
	Program   string   // path of this program, beside which the hook program may lie; may be empty
	Version   string   // of this program
	Now       func() time.Time
	Providers engine.Providers
}

// Check looks at everything.
func Check(ctx context.Context, e *engine.Engine, o Options) []Line {
	x := newExamination(e, o, durable.OS())
	x.client(ctx)
	x.check(ctx)
	n := x.hookEvents()
	x.plugin()
	x.versions()
	x.hooks(ctx)
	x.calls(n)
	return x.lines
}

// Outside looks at the machine alone, from a folder in which there is no repository to
// look at; why says so.
func Outside(ctx context.Context, dir string, why error, o Options) []Line {
	x := &examination{dir: dir, o: o}
	x.installed = x.find()
	x.client(ctx)
	x.failed("repository", why, "")
	x.plugin()
	x.versions()
	x.hooks(ctx)
	return x.lines
}

func newExamination(e *engine.Engine, o Options, fs durable.FS) *examination {
	x := &examination{e: e, dir: e.Root(), o: o, fs: fs, log: ledger.Open(e.StateDir(), ledger.Options{})}
	x.installed = x.find()
	return x
}

// check looks at the repository and its delivery.
func (x *examination) check(ctx context.Context) {
	x.git(ctx)
	if x.repository(); x.repo == nil {
		return
	}
	x.folder()
	if x.ledger(ctx) {
		x.delivery()
	}
	whole := true
	if x.state != nil {
		x.cache()
		whole = x.artifacts()
		x.documents()
	}
	x.configuration(ctx)
	if whole {
		x.tree(ctx)
	}
	x.branch(ctx)
	x.remote(ctx)
	x.provider(ctx)
	x.pushHook(ctx)
	x.environment()
}

// examination collects lines.
type examination struct {
	e     *engine.Engine // nil outside of a repository
	dir   string
	o     Options
	fs    durable.FS
	repo  *gitrepo.Repo
	log   *ledger.Log  // without an anchor: Engine.Verify looks at that
	state *state.State // nil where there is no delivery, or none that can be read

	installed *installation // nil where no plugin is found
	hooked    time.Time     // when a hook last spoke in this ledger
	lines     []Line
}

func (x *examination) add(name string, level Level, what, next string) {
	x.lines = append(x.lines, Line{Name: name, Level: level, What: what, Next: next})
}

func (x *examination) ok(name, format string, args ...any) {
	x.add(name, OK, fmt.Sprintf(format, args...), "")
}

// failed adds an error; without a next step, with the error's own hint.
func (x *examination) failed(name string, err error, next string) {
	var coded *problem.Error
	if next == "" && errors.As(err, &coded) {
		next = coded.Hint
	}
	x.lines = append(x.lines, Line{Name: name, Level: Fail, What: err.Error(), Next: next, Damage: problem.CodeOf(err) == problem.Ledger})
}
