package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
	"github.com/asterweave/asterweave/internal/testrun"
)

// Run is what the binary saw when it ran a command.
type Run struct {
	Kind         evidence.Kind
	Gate         *document.Gate // nil for a baseline or a note
	Base         bool           // on the base tree
	Argv         []string
	Exit         int
	TimedOut     bool
	Canceled     bool // the caller was interrupted and the command ended for that
	StartErr     string
	DurationMs   int64
	Tests        evidence.Tests
	Path         string // artifact of the output
	Program      string
	Programs     map[string]state.Program // that the command's words name, and git's
	Surroundings state.Surroundings
	Replaced     []string // paths of those that were written or replaced while it ran
	InTree       bool     // the program lies in the work tree and argv names it by its bare name
	Hostile      []string // settings that make a runner run nothing, or something else
	Before       evidence.World
	Changed      []string // paths that the run changed
	Touched      []string // paths in scope that were written while it ran, whatever they are now
	Unknown      bool     // whether it changed the tree is not known
	Signature    string
}

// CheckGate returns the gate, if a run of it can be evidence now.
func (d *Draft) CheckGate(id string) (document.Gate, error) {
	if err := d.active(); err != nil {
		return document.Gate{}, err
	}
	g, ok := d.Gate(id)
	if !ok {
		var ids []string
		for _, g := range d.Gates() {
			ids = append(ids, g.ID)
		}
		return g, problem.New(problem.Usage, fmt.Sprintf("unknown gate %q", id), "the gates are "+strings.Join(ids, ", "))
	}
	if slices.ContainsFunc(d.Facts.Config.Gates, func(c document.Gate) bool { return c.ID == id }) {
		return g, nil
	}
	if d.State.Approval == nil || d.State.Approval.Plan != d.State.Docs[state.DocPlan] {
		return g, problem.New(problem.GateShut, fmt.Sprintf("gate %s is not approved yet, so its run would open nothing", id), "run the command itself as a note: run --, then the argv")
	}
	return g, nil
}

// CheckBaseline refuses a baseline outside analyze: what later runs are compared
// with is fixed before anything changes.
func (d *Draft) CheckBaseline() error {
	if err := d.active(); err != nil {
		return err
	}
	if !d.State.Running(graph.Analyze) {
		return problem.New(problem.GateShut, "a baseline is taken while analyze is under way", "run --gate runs a gate of the approved plan")
	}
	return nil
}

// StoreRun turns what was seen into a record. It decides what the run is worth;
// the caller has not interpreted it.
func (d *Draft) StoreRun(in Run) (evidence.Record, error) {
	if err := d.active(); err != nil {
		return evidence.Record{}, err
	}
	r := evidence.Record{
		Kind: in.Kind, Witness: evidence.Executed, Argv: in.Argv, DurationMs: in.DurationMs, Path: in.Path,
		Program: in.Program, Steering: in.Surroundings.Digest, World: in.Before, Base: in.Base,
	}
	if in.StartErr == "" {
		exit := in.Exit
		r.Exit = &exit
	}
	if in.Gate != nil {
		r.Gate, r.GateDef, r.Criteria = in.Gate.ID, in.Gate.Digest(), in.Gate.Criteria
	}
	if in.Tests.Runner != "" {
		t := in.Tests
		r.Tests = &t
	}
	r.Result, r.Because = d.judgeRun(in)
	if why, disqualified := d.noEvidence(in); disqualified {
		r.Result, r.Because = evidence.Unknown, why
	} else {
		r.Counts = !in.Base && in.Kind != evidence.Note
	}
	switch r.Result {
	case evidence.Unknown:
		r.Counts = false
	case evidence.Pass:
		r.Because = ""
	}
	if r.Result == evidence.Fail && in.Kind != evidence.Note {
		r.Signature = in.Signature
	}
	r.Summary = summary(in, r)
	r, err := d.record(r)
	if err != nil {
		return r, err
	}
	if in.Kind == evidence.Baseline && r.Counts {
		return r, d.emit(state.Change{Pinned: &state.Pinned{Replace: true, Surroundings: &in.Surroundings, Programs: in.Programs}})
	}
	return r, d.askAbout(in)
}

func (d *Draft) judgeRun(in Run) (evidence.Result, string) {
	switch {
	case in.StartErr != "":
		return evidence.Fail, "it could not start: " + in.StartErr
	case in.TimedOut:
		return evidence.Fail, "it ran into its time limit"
	case in.Kind == evidence.Baseline:
		return evidence.Pass, ""
	case len(in.Changed) > 0 && in.Kind != evidence.Note:
		return evidence.Fail, "the run changed the work tree: " + strings.Join(in.Changed, ", ") + "; name what it leaves behind in scope.scratch"
	case in.Kind.IsTest():
		return testrun.Judge(in.Tests, in.Exit, in.Gate.Counts == "exit", d.prior(in), d.removed())
	case in.Exit != 0:
		return evidence.Fail, fmt.Sprintf("exit status %d", in.Exit)
	}
	return evidence.Pass, ""
}

// prior returns the most that a run of the same argv executed.
func (d *Draft) prior(in Run) *evidence.Tests {
	if in.Base {
		return nil
	}
	if m, ok := d.State.Marks[state.ArgvKey(in.Argv)]; ok {
		return &m.Tests
	}
	return nil
}

func (d *Draft) removed() []string {
	if d.Facts.Plan == nil {
		return nil
	}
	return d.Facts.Plan.RemovedTests
}

// noEvidence says why a run, whatever it printed, shows nothing.
func (d *Draft) noEvidence(in Run) (string, bool) {
	switch {
	case in.Canceled:
		return "it was interrupted", true
	case in.Kind == evidence.Note:
		return "", false
	case len(in.Hostile) > 0:
		return "the environment keeps runners from running what they should: " + strings.Join(in.Hostile, ", "), true
	case in.InTree:
		return fmt.Sprintf("the program %s lies in the work tree and the plan does not name it", in.Program), true
	case in.Unknown || in.Before.Tree == "":
		return "the tree of the run is not known", true
	}
	if len(in.Replaced) > 0 {
		return fmt.Sprintf("%s was replaced while it ran: what ran is not known", strings.Join(in.Replaced, ", ")), true
	}
	if len(in.Touched) > 0 && len(in.Changed) == 0 && !slices.Contains(d.State.Accepted, writes(in)) {
		return fmt.Sprintf("%s was written while it ran, and is as before: what ran is not known", strings.Join(in.Touched[:min(5, len(in.Touched))], ", ")), true
	}
	if in.Kind != evidence.Baseline {
		if why := d.Environment(in.Surroundings); why != "" {
			return why, true
		}
	}
	if other := d.OtherPrograms(d.compared(in)); len(other) > 0 {
		return "a program is not the one that it was: " + gate.DescribePrograms(other), true
	}
	return "", false
}

func summary(in Run, r evidence.Record) string {
	var b strings.Builder
	b.WriteString(strings.Join(in.Argv, " "))
	if b.Len() > 200 {
		s := b.String()[:200]
		b.Reset()
		b.WriteString(strings.ToValidUTF8(s, "") + "…")
	}
	if r.Exit != nil {
		fmt.Fprintf(&b, ": exit status %d", *r.Exit)
	}
	if t := r.Tests; t != nil && t.Known {
		fmt.Fprintf(&b, ", %d passed, %d failed, %d skipped (%s, unit %s)", t.Passed, t.Failed, t.Skipped, t.Runner, t.Unit)
	}
	if r.Because != "" {
		b.WriteString("; " + r.Because)
	}
	return b.String()
}
