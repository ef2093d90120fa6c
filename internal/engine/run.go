package engine

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/command"
	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/signature"
	"github.com/asterweave/asterweave/internal/state"
	"github.com/asterweave/asterweave/internal/testrun"
)

// maxOutput is how much of a command's output is held in memory, in bytes.
const maxOutput = 4 << 20

// baselineTimeout ends a baseline.
const baselineTimeout = 30 * time.Minute

// RunRequest says what to run: a gate, the baseline, or anything as a note.
type RunRequest struct {
	Gate     string
	Base     bool // the gate, on the base tree
	Baseline bool
	Argv     []string
	Stream   io.Writer
	By       By
}

// RunAnswer is what came of a run.
type RunAnswer struct {
	Record evidence.Record
	Exit   int // of the child, as a shell gives it: 128 plus a signal, 126 or 127 when it could not start
	State  *decide.Draft
}

// Run runs a command, keeps its output and records what was seen. The record is
// stored even when the caller is interrupted.
func (e *Engine) Run(ctx context.Context, req RunRequest) (RunAnswer, error) {
	s, err := e.Look(ctx)
	if err != nil {
		return RunAnswer{}, err
	}
	d := &decide.Draft{View: s.View, Now: e.o.Now(), By: req.By}
	in, spec, err := e.planRun(d, req)
	if err != nil {
		return RunAnswer{}, err
	}
	in.Before = s.Facts.World
	if in.Gate != nil {
		in.Before.Env = s.Facts.GateEnv[in.Gate.ID]
	}
	dir := e.o.Root
	if req.Base {
		var cleanup func() error
		if dir, cleanup, err = e.baseTree(ctx, s); err != nil {
			return RunAnswer{}, err
		}
		defer func() { _ = cleanup() }() // what stays behind is the system's to clean
	}
	spec.Dir, spec.Env, spec.Cap = dir, e.o.Environ, maxOutput
	if in.Gate != nil {
		spec.Env = withEnv(spec.Env, in.Gate.Env)
	}
	before := reportStamp(dir, in.Gate)
	stamps, err := e.stamps(ctx, s.Facts, in)
	if err != nil {
		return RunAnswer{}, err
	}
	// The programs come last, so that little time is left to put others in their place.
	programs, err := e.surround(&in, spec)
	if err != nil {
		return RunAnswer{}, err
	}
	counter := testrun.NewCounter(spec.Argv)
	spec.Stream = streams(req.Stream, counter)
	out := command.Run(ctx, spec)
	in.Replaced = programs.Replaced()
	if err := e.interpret(&in, s.Facts, out, counter, dir, before); err != nil {
		return RunAnswer{}, err
	}

	keep, cancel := background(ctx)
	defer cancel()
	after, unread := e.stamps(keep, s.Facts, in)
	if unread == nil {
		in.Touched = differ(stamps, after)
	}
	in.Path, err = e.keepOutput(s.Facts, in, out.Output)
	if err != nil {
		return RunAnswer{}, err
	}
	var record evidence.Record
	d, err = e.transact(keep, call{verb: "run", by: req.By, want: want{trees: []string{in.Before.Tree}}}, func(d *decide.Draft) error {
		if err := sameWorld(d, s, in.Kind); err != nil {
			return err
		}
		if _, _, err := e.planRun(d, req); err != nil {
			return err
		}
		if !req.Base {
			compare(d, &in)
		}
		in.Unknown = in.Unknown || unread != nil // the run is stored all the same
		var err error
		record, err = d.StoreRun(in)
		return err
	})
	return RunAnswer{Record: record, Exit: out.Exit, State: d}, err
}

// surround notes what surrounds the run, and which programs it means. A note is compared
// with nothing, but shows another git.
func (e *Engine) surround(in *decide.Run, spec command.Spec) (command.Programs, error) {
	var programs command.Programs
	in.Programs = map[string]state.Program{}
	git, err := e.git()
	if err != nil {
		return programs, gitError(err)
	}
	if in.Kind != evidence.Note {
		if in.Surroundings, err = e.Surroundings(); err != nil {
			return programs, problem.Wrap(problem.Failed, err, "make the Git folder of this worktree writable")
		}
		in.Hostile = command.Hostile(e.o.Environ)
		programs = e.findPrograms(in.Gate, spec.Argv, spec.Shell)
		maps.Copy(in.Programs, programs.Found)
	}
	in.Programs[state.Git] = git
	return programs, nil
}

// stamps notes the files in scope, so that one that is changed and put back while a
// gate runs is seen.
func (e *Engine) stamps(ctx context.Context, f *gate.Facts, in decide.Run) (map[string]string, error) {
	if in.Gate == nil || in.Base || f.Plan == nil {
		return nil, nil
	}
	stamps, err := e.repo.Stamps(ctx, f.Plan.Scope.Allows)
	if err != nil {
		return nil, gitError(err)
	}
	return stamps, nil
}

// differ returns the keys whose values are not the same, sorted.
func differ(a, b map[string]string) []string {
	var out []string
	for k := range a {
		if _, ok := b[k]; !ok || a[k] != b[k] {
			out = append(out, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// planRun decides what is run and whether it may be.
func (e *Engine) planRun(d *decide.Draft, req RunRequest) (decide.Run, command.Spec, error) {
	switch {
	case req.Gate != "":
		g, err := d.CheckGate(req.Gate)
		if err != nil {
			return decide.Run{}, command.Spec{}, err
		}
		argv, shell := gateCommand(g)
		return decide.Run{Kind: evidence.Kind(g.Kind), Gate: &g, Base: req.Base, Argv: argv},
			command.Spec{Argv: argv, Shell: shell, Timeout: g.Duration()}, nil
	case req.Baseline:
		if err := d.CheckBaseline(); err != nil {
			return decide.Run{}, command.Spec{}, err
		}
		argv, shell, err := baseline(d.Facts)
		return decide.Run{Kind: evidence.Baseline, Argv: argv}, command.Spec{Argv: argv, Shell: shell, Timeout: baselineTimeout}, err
	default:
		if len(req.Argv) == 0 {
			return decide.Run{}, command.Spec{}, problem.New(problem.Usage, "there is nothing to run", "name a gate with --gate, or a command after --")
		}
		return decide.Run{Kind: evidence.Note, Argv: req.Argv}, command.Spec{Argv: req.Argv, Timeout: baselineTimeout}, nil
	}
}

// baseline returns the repository's own test command.
func baseline(f *gate.Facts) (argv []string, shell string, err error) {
	if len(f.Config.Test) > 0 {
		return f.Config.Test, "", nil
	}
	if f.Manifest == nil || strings.TrimSpace(f.Manifest.Commands.Test) == "" {
		return nil, "", problem.New(problem.GateShut, "the repository's test command is not known", "name it in commands.test of context-manifest.json; where there are no tests, a command that checks what there is will do, a build or git diff --check")
	}
	argv, shell, err = command.Parse(f.Manifest.Commands.Test)
	if err != nil {
		return nil, "", problem.Wrap(problem.Invalid, err, "correct commands.test of context-manifest.json")
	}
	return argv, shell, nil
}

// sameWorld refuses to store what was seen before the delivery went elsewhere: it
// would count as if it had been seen now.
func sameWorld(d *decide.Draft, before View, k evidence.Kind) error {
	owner, _ := d.Graph.Owner(k)
	if d.State.Delivery.ID != before.State.Delivery.ID || d.State.Nodes[owner].Since != before.State.Nodes[owner].Since {
		return problem.New(problem.Conflict, "the delivery went on to something else while this ran, so it is not recorded", "next says what is due now")
	}
	return nil
}

// interpret reads counts and the failure's signature out of what a command printed.
func (e *Engine) interpret(in *decide.Run, f *gate.Facts, out command.Outcome, counter *testrun.Counter, dir string, before stamp) error {
	r, err := redactor(f)
	if err != nil {
		return err
	}
	in.Argv, in.Exit, in.TimedOut, in.StartErr, in.Canceled = out.Argv, out.Exit, out.TimedOut, out.StartErr, out.Canceled
	if in.Gate != nil {
		in.Argv = in.Gate.Command()
	}
	in.DurationMs, in.Program = out.Duration.Milliseconds(), out.Program
	in.InTree = e.inTree(out.Program) && len(in.Argv) > 0 && !strings.ContainsRune(in.Argv[0], filepath.Separator)
	if in.Kind.IsTest() || in.Kind == evidence.Baseline {
		in.Tests = count(in, counter, dir, before)
	}
	id := string(in.Kind)
	if in.Gate != nil {
		id = in.Gate.ID
	}
	in.Signature = signature.Compute(string(in.Kind), id, in.Argv, in.Exit, in.TimedOut, r.Bytes(out.Output))
	return nil
}

func (e *Engine) inTree(program string) bool {
	if program == "" {
		return false
	}
	return command.Inside(resolved(e.o.Root), resolved(program))
}

// count takes the counts from the stream, however long it was, or from the report
// that the gate names.
func count(in *decide.Run, counter *testrun.Counter, dir string, before stamp) evidence.Tests {
	if in.Gate == nil || in.Gate.Report == nil {
		return counter.Tests(in.Exit)
	}
	data, err := freshReport(dir, in.Gate, before)
	if err != nil {
		return evidence.Tests{Runner: in.Gate.Report.Format, Known: false}
	}
	read := testrun.FromJUnit
	if in.Gate.Report.Format == "tap" {
		read = testrun.FromTAP
	}
	t, err := read(data)
	if err != nil {
		return evidence.Tests{Runner: in.Gate.Report.Format, Known: false}
	}
	return t
}

func (e *Engine) keepOutput(f *gate.Facts, in decide.Run, output []byte) (string, error) {
	if in.Gate != nil && (in.Gate.Capture == "none" || in.Gate.Capture == "counts") {
		return "", nil
	}
	path, err := e.putArtifact(f, output)
	return path, ledgerError(err)
}

// baseTree lays out the base with the delivery's tests over it: a new test that
// the base does not have would always pass there.
func (e *Engine) baseTree(ctx context.Context, s View) (string, func() error, error) {
	if s.Facts.World.Base == "" {
		return "", nil, problem.New(problem.GateShut, "there is no base commit to run on", "commit the base first")
	}
	dir, err := os.MkdirTemp("", "asterweave-base-")
	if err != nil {
		return "", nil, problem.Wrap(problem.Failed, err, "make room in the temporary folder")
	}
	cleanup, err := e.repo.CheckoutAt(ctx, s.Facts.World.Base, dir)
	if err != nil {
		return "", nil, gitError(err)
	}
	var tests []string
	if own, ok := s.Own(); ok && s.Facts.Plan != nil {
		tests = slices.DeleteFunc(own, func(p string) bool { return !document.InScope(s.Facts.Plan.Scope.Tests, p) })
	}
	if err := e.repo.Overlay(ctx, s.Facts.World.Tree, tests, dir); err != nil {
		return "", nil, errors.Join(gitError(err), cleanup())
	}
	return dir, cleanup, nil
}

// streams writes to both; what people see never stops the count.
func streams(people io.Writer, counter io.Writer) io.Writer {
	if people == nil {
		return counter
	}
	return io.MultiWriter(counter, people)
}

func withEnv(env []string, extra map[string]string) []string {
	out := slices.Clone(env)
	for k, v := range extra {
		out = append(out, k+"="+v)
	}
	return out
}

// compare finds what a run changed in the work tree.
func compare(d *decide.Draft, in *decide.Run) {
	changed, known := d.Facts.Changed[in.Before.Tree]
	in.Unknown = !known || d.Facts.World.Tree == ""
	in.Changed = changed
}
