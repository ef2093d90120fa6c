package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// Record stores evidence that somebody states. A pass is stored only where the
// binary can look for itself, and only when it saw what the kind calls for; fail,
// info and unknown are stored as given and open nothing.
func (d *Draft) Record(in document.RecordInput) (evidence.Record, error) {
	due := d.active
	if in.Kind == string(evidence.Analysis) {
		due = d.open // the analyst works while the delivery waits
	}
	if err := due(); err != nil {
		return evidence.Record{}, err
	}
	r := evidence.Record{
		Kind: evidence.Kind(in.Kind), Result: evidence.Result(in.Result), Summary: strings.TrimSpace(in.Summary), Witness: evidence.Stated,
		Path: in.Path, Criteria: in.Criteria, Because: in.Because, Instead: in.Instead,
	}
	if !slices.Contains(evidence.Kinds(), r.Kind) {
		return r, problem.New(problem.Usage, fmt.Sprintf("unknown kind %q", in.Kind), "the kinds are "+list(evidence.Kinds()))
	}
	if !slices.Contains(evidence.Results(), r.Result) {
		return r, problem.New(problem.Usage, fmt.Sprintf("unknown result %q", in.Result), "the results are "+list(evidence.Results()))
	}
	for _, c := range in.Criteria {
		if _, ok := d.State.Criterion(c); !ok {
			return r, problem.New(problem.Usage, fmt.Sprintf("unknown criterion %q", c), "spec list shows the criteria")
		}
	}
	if r.Summary == "" {
		return r, problem.New(problem.Usage, "a record needs a summary", "say with --summary what was seen")
	}
	if r.Result == evidence.Info && strings.TrimSpace(in.Because) == "" {
		return r, problem.New(problem.Usage, "an info needs a reason", "say with --because why it is not applicable")
	}
	if r.Result == evidence.Pass {
		if err := d.look(&r); err != nil {
			return r, err
		}
	}
	r, err := d.record(r)
	if err != nil || r.Kind != evidence.Analysis {
		return r, err
	}
	if ask, ok := d.State.Ask(d.State.Delivery.PausedBy); ok {
		return r, d.emit(state.Change{Analysed: &state.Analysed{Ask: ask.ID, About: ask.About + "\nanalysis: " + strings.TrimSpace(r.Summary+" "+r.Because)}})
	}
	return r, nil
}

// look makes the kind's check and, where it holds, gives the record its witness.
func (d *Draft) look(r *evidence.Record) error {
	if r.Kind == evidence.Note || r.Kind == evidence.Analysis {
		return nil
	}
	rule, _ := d.Graph.Rule(r.Kind)
	check := gate.Checks()[rule.Check]
	if !check.Typed {
		return problem.New(problem.GateShut, fmt.Sprintf("a pass of %s is not taken from a sentence", r.Kind), "it comes from "+check.By+"; next names the command")
	}
	if problems := check.Problems(d.View); len(problems) > 0 {
		return problem.New(problem.GateShut, fmt.Sprintf("%s does not pass: %s", r.Kind, strings.Join(problems, "; ")), "correct what is named and record it again")
	}
	r.Witness, r.Counts = check.Witness, true
	return nil
}
