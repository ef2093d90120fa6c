package gate

import (
	"fmt"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/state"
)

// Verdict of a criterion as status shows it.
const (
	VerdictNone  = "none"
	VerdictPass  = "pass"
	VerdictFail  = "fail"
	VerdictStale = "stale"
)

// Verdict returns how the criterion stands now and, where it is stale, why.
func (v View) Verdict(c state.Criterion) (string, string) {
	if c.Verdict.Value == "" {
		return VerdictNone, "nobody has judged it"
	}
	if why := v.verdictStale(c); why != "" {
		return VerdictStale, why
	}
	return c.Verdict.Value, ""
}

func (v View) verdictStale(c state.Criterion) string {
	if c.Verdict.Seq <= v.State.Nodes["verify"].Since {
		return "its verdict is from before the last return"
	}
	for path, digest := range c.Verdict.Refs {
		if now, ok := v.Facts.Refs[path]; !ok || now != digest {
			return fmt.Sprintf("%s, which it refers to, changed", path)
		}
	}
	if len(c.Verdict.Gates) == 0 {
		paths, known := v.changed(c.Verdict.World.Tree)
		if !known {
			return v.unknownTree()
		}
		if len(paths) > 0 {
			return paths[0] + " changed since the verdict"
		}
		return ""
	}
	for _, id := range c.Verdict.Gates {
		g, ok := v.Gate(id)
		if !ok {
			return fmt.Sprintf("gate %s is no longer in force", id)
		}
		if why := v.inputsChanged(g, c.Verdict.World.Tree); why != "" {
			return why
		}
		if n := v.GateNeed(g); !n.Open() && c.Verdict.Value == VerdictPass {
			return fmt.Sprintf("gate %s is %s", id, n.State)
		}
	}
	return ""
}

// acceptance says what keeps the acceptance shut: a criterion without a current
// verdict, or a HARD one that does not pass.
func (v View) acceptance() []string {
	var out []string
	if len(v.State.Criteria) == 0 {
		return []string{"there are no criteria"}
	}
	for _, c := range v.State.Criteria {
		verdict, why := v.Verdict(c)
		switch {
		case verdict == VerdictNone || verdict == VerdictStale:
			out = append(out, fmt.Sprintf("%s has no current verdict: %s", c.ID, why))
		case verdict == VerdictFail && c.Hardness == document.Hard:
			out = append(out, c.ID+" is HARD and fails")
		}
	}
	return out
}

// JudgePass says why a pass verdict on the criterion, citing these records, is
// refused, or returns the gates that carry it.
func (v View) JudgePass(c document.Criterion, cited []evidence.Record) ([]string, []string) {
	var gates, problems []string
	for _, r := range cited {
		g, ok := v.Gate(r.Gate)
		if r.Gate == "" || !ok {
			problems = append(problems, fmt.Sprintf("%s is not from an approved gate", r.ID))
			continue
		}
		if !covers(g, c.ID) {
			problems = append(problems, fmt.Sprintf("gate %s of %s does not name %s", g.ID, r.ID, c.ID))
			continue
		}
		if n := v.GateNeed(g); n.State != Current || n.Evidence != r.ID {
			problems = append(problems, fmt.Sprintf("%s is not the current pass of gate %s (%s: %s)", r.ID, g.ID, n.State, n.Why))
			continue
		}
		gates = append(gates, g.ID)
	}
	if c.Hardness == document.Hard && len(gates) == 0 {
		problems = append(problems, fmt.Sprintf("a pass of %s needs a current passing record of a gate that names it", c.ID))
	}
	return gates, problems
}

func covers(g document.Gate, criterion string) bool {
	for _, c := range g.Criteria {
		if c == criterion {
			return true
		}
	}
	return false
}

// Discriminates says whether a gate of the criterion fails without the change and
// passes with it: yes, no, or unknown.
func (v View) Discriminates(c state.Criterion) string {
	answer := "unknown"
	for _, g := range v.Gates() {
		if !covers(g, c.ID) {
			continue
		}
		base := v.State.Slots[evidence.Record{Kind: evidence.Kind(g.Kind), Gate: g.ID, Base: true}.Key()].Last
		if base == nil || base.GateDef != g.Digest() || v.GateNeed(g).State != Current {
			continue
		}
		switch base.Result {
		case evidence.Fail:
			return "yes"
		case evidence.Pass:
			answer = "no"
		}
	}
	return answer
}
