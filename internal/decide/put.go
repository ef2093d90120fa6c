package decide

import (
	"fmt"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// PutSpec stores a spec. The write that changes a criterion clears its verdict,
// in the same event.
func (d *Draft) PutSpec(spec document.Spec, digest string) error {
	if err := d.active(); err != nil {
		return err
	}
	if d.State.Running(graph.Approve) {
		return problem.New(problem.GateShut, "the spec waits for its approval and is not changed under it", "a human's reject, or fail-replan, leads back to plan")
	}
	if err := refuse("spec.json", spec.Check()); err != nil {
		return err
	}
	criteria := make([]state.Criterion, len(spec.Criteria))
	for i, c := range spec.Criteria {
		criteria[i] = state.Criterion{ID: c.ID, Hardness: c.Hardness, Digest: c.Digest(), Human: c.Verify == document.VerifyHuman}
	}
	if err := d.emit(state.Change{Documented: &state.Documented{Name: state.DocSpec, Digest: digest, Criteria: criteria}}); err != nil {
		return err
	}
	d.Facts.Spec, d.Facts.World.Spec = &spec, digest
	for _, a := range d.State.Asks {
		if c, ok := d.State.Criterion(a.Topic.Criterion); a.Topic.Name == state.TopicVerdict && (!ok || c.Digest != a.Topic.Digest) {
			if err := d.emit(state.Change{Closed: &state.Closed{Ask: a.ID, Because: "the criterion changed"}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// PutPlan stores a plan, refused once plan has passed: what was approved stays.
func (d *Draft) PutPlan(plan document.Plan, digest string) error {
	if err := d.active(); err != nil {
		return err
	}
	if d.Graph.After(d.State.Node, graph.Approve) {
		return problem.New(problem.GateShut, "the plan has passed and is not changed any more", "fail-replan leads to a new revision, which is approved again")
	}
	if d.Facts.Spec == nil {
		return problem.New(problem.GateShut, "a plan needs a spec", "store spec.json first")
	}
	if err := refuse("plan.json", plan.Check(d.PlanContext())); err != nil {
		return err
	}
	if err := d.emit(state.Change{Documented: &state.Documented{Name: state.DocPlan, Digest: digest}}); err != nil {
		return err
	}
	d.Facts.Plan, d.Facts.World.Plan = &plan, digest
	return d.pin(&d.Facts.Surroundings, d.Facts.Programs)
}

// PutManifest stores a context manifest.
func (d *Draft) PutManifest(m document.Manifest, digest string) error {
	if err := d.active(); err != nil {
		return err
	}
	if err := refuse("context-manifest.json", m.Check(func(p string) bool { return d.Facts.PathExists[p] })); err != nil {
		return err
	}
	if err := d.emit(state.Change{Documented: &state.Documented{Name: state.DocManifest, Digest: digest}}); err != nil {
		return err
	}
	d.Facts.Manifest = &m
	return nil
}

func refuse(name string, problems []document.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	var out []string
	for _, p := range problems {
		out = append(out, p.String())
	}
	return problem.New(problem.Invalid, fmt.Sprintf("%s is refused: %s", name, strings.Join(out, "; ")), "correct every named field and store it again")
}
