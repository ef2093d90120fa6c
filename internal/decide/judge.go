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

// Judge gives a criterion its verdict, if it still is the criterion that the
// caller looked at. Where a human is to judge, it opens the ask instead and
// returns it.
func (d *Draft) Judge(in document.VerdictInput) (*state.Ask, error) {
	if err := d.active(); err != nil {
		return nil, err
	}
	c, ok := d.State.Criterion(in.ID)
	if !ok {
		return nil, problem.New(problem.Usage, fmt.Sprintf("unknown criterion %q", in.ID), "spec list shows the criteria")
	}
	if in.Verdict != gate.VerdictPass && in.Verdict != gate.VerdictFail {
		return nil, problem.New(problem.Usage, fmt.Sprintf("unknown verdict %q", in.Verdict), "the verdicts are pass and fail")
	}
	if in.Expected != c.Digest {
		return nil, problem.New(problem.Conflict, fmt.Sprintf("%s is not the criterion that was judged: its digest is %s", c.ID, c.Digest), "read it again with spec list, then judge it")
	}
	if c.Human {
		return d.askVerdict(c)
	}
	cited, err := d.cited(in.Evidence)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(d.Facts.Spec.Criteria, func(s document.Criterion) bool { return s.ID == c.ID })
	criterion := d.Facts.Spec.Criteria[i]
	gates, problems := d.JudgePass(criterion, cited)
	if in.Verdict == gate.VerdictPass && len(problems) > 0 {
		return nil, problem.New(problem.GateShut, fmt.Sprintf("a pass of %s is refused: %s", c.ID, strings.Join(problems, "; ")), "run the gate that names it, then cite the record")
	}
	return nil, d.verdict(c, in.Verdict, in.Evidence, gates)
}

func (d *Draft) verdict(c state.Criterion, value string, cited, gates []string) error {
	refs, err := d.refs(c.ID)
	if err != nil {
		return err
	}
	return d.emit(state.Change{Judged: &state.Judged{Criterion: c.ID, Digest: c.Digest, Verdict: state.Verdict{
		Value: value, Evidence: cited, Gates: gates, Refs: refs, World: d.Facts.World, Channel: d.By.Channel,
	}}})
}

// refs fingerprints the files that the criterion refers to.
func (d *Draft) refs(criterion string) (map[string]string, error) {
	out := map[string]string{}
	if d.Facts.Spec == nil {
		return nil, problem.New(problem.Conflict, "the spec cannot be read", "doctor says what is wrong")
	}
	for _, c := range d.Facts.Spec.Criteria {
		if c.ID != criterion {
			continue
		}
		for _, ref := range c.Refs {
			if digest, ok := d.Facts.Refs[ref]; ok {
				out[ref] = digest
			}
		}
	}
	return out, nil
}

func (d *Draft) cited(ids []string) ([]evidence.Record, error) {
	out := make([]evidence.Record, 0, len(ids))
	for _, id := range ids {
		r, ok := d.State.Record(id)
		if !ok {
			return nil, problem.New(problem.GateShut, fmt.Sprintf("evidence %s is not known, or a newer record has taken its place", id), "status names the evidence that counts")
		}
		out = append(out, r)
	}
	return out, nil
}

func (d *Draft) askVerdict(c state.Criterion) (*state.Ask, error) {
	for _, a := range d.State.Asks {
		if a.Topic.Name == state.TopicVerdict && a.Topic.Criterion == c.ID {
			return &a, nil
		}
	}
	text := c.ID
	for _, s := range d.Facts.Spec.Criteria {
		if s.ID == c.ID {
			text += ": " + s.Text
		}
	}
	a := state.Ask{
		ID: d.askID(), Kind: state.AskDecision, Question: "does this hold? " + text, Options: []string{gate.VerdictPass, gate.VerdictFail},
		Blocks: []string{"verify"}, Topic: state.Topic{Name: state.TopicVerdict, Criterion: c.ID, Digest: c.Digest}, At: d.Now,
	}
	return &a, d.emit(state.Change{Asked: &a})
}
