package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// walkRecord is a record, as far as a node passes on it.
type walkRecord struct {
	ID      string     `json:"id"`
	Counts  bool       `json:"counts"`
	Kind    string     `json:"kind"`
	Gate    string     `json:"gate"`
	Node    string     `json:"node"`
	Result  string     `json:"result"`
	Witness string     `json:"witness"`
	Argv    []string   `json:"argv"`
	Exit    *int       `json:"exit"`
	Tests   *walkTests `json:"tests"`
	AtBase  bool       `json:"atBase"`
	By      struct {
		Channel string `json:"channel"`
	} `json:"by"`
	World struct {
		Tree string `json:"tree"`
	} `json:"world"`

	seq int64
}

type walkTests struct {
	Passed int  `json:"passed"`
	Failed int  `json:"failed"`
	Known  bool `json:"known"`
}

// walkPlan is what a walk has to know of a plan.
type walkPlan struct {
	Gates []struct {
		ID     string `json:"id"`
		Kind   string `json:"kind"`
		Counts string `json:"counts"`
	} `json:"gates"`
	NotApplicable []struct {
		Kind    string `json:"kind"`
		Instead string `json:"instead"`
	} `json:"notApplicable"`
}

func (w *Walk) record(s step, body json.RawMessage) error {
	var r walkRecord
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	w.records++
	if want := fmt.Sprintf("E%d", w.records); r.ID != want {
		return fmt.Errorf("record %q is out of order, %s is due", r.ID, want)
	}
	if r.Node != w.node {
		return fmt.Errorf("%s is of node %q and is recorded in %q", r.ID, r.Node, w.node)
	}
	if r.By.Channel != s.channel {
		return fmt.Errorf("%s says that it is by %q, and the event that it is by %q", r.ID, r.By.Channel, s.channel)
	}
	if !r.Counts {
		return nil // kept and shown, opens nothing
	}
	if why := w.worthless(s, r); why != "" {
		return fmt.Errorf("%s (%s) cannot count: %s", r.ID, r.Kind, why)
	}
	r.seq = s.Seq
	w.newest[r.key()] = r
	return nil
}

func (r walkRecord) key() string { return r.Kind + "/" + r.Gate }

// worthless says why a record that is said to count cannot.
func (w *Walk) worthless(s step, r walkRecord) string {
	k, ok := w.graph.kind(r.Kind)
	switch {
	case !ok:
		return "no node needs the kind"
	case r.AtBase:
		return "it is a run on the base"
	case !slices.Contains([]string{"pass", "fail", "info"}, r.Result):
		return fmt.Sprintf("its result is %q", r.Result)
	case r.Result == "info" && !slices.Contains(k.Info, "read"):
		return "an info does not open its kind"
	case r.Result == "info" && r.Witness != "read-back":
		return "an info counts only from a read"
	case !slices.Contains(k.Witnesses, r.Witness):
		return fmt.Sprintf("the witness is %q", r.Witness)
	case r.Witness == "human" && !s.human():
		return "no human said so"
	case w.planned(r.Gate) && w.approve.Plan != w.planID:
		return "the plan that names its gate is not approved"
	case r.Witness != "executed" || r.Kind == "acceptance": // a judgment, which cites runs
		return ""
	case len(r.Argv) == 0:
		return "nothing was run"
	case r.Result != "pass" || r.Kind == "baseline": // which measures, whatever it finds
		return ""
	case r.Exit == nil || *r.Exit != 0:
		return "the command did not end with status 0"
	case r.World.Tree == "":
		return "it does not say about which tree it is"
	case !strings.HasSuffix(r.Kind, "-test"):
		return ""
	}
	return w.untested(r)
}

// planned reports whether the plan in force names the gate.
func (w *Walk) planned(gate string) bool {
	for _, g := range w.plan.Gates {
		if g.ID == gate && gate != "" {
			return true
		}
	}
	return false
}

// untested says why a passing run of tests shows no test.
func (w *Walk) untested(r walkRecord) string {
	for _, g := range w.plan.Gates {
		if g.ID == r.Gate && g.Counts == "exit" {
			return ""
		}
	}
	switch t := r.Tests; {
	case t == nil || !t.Known:
		return "nobody knows how many tests ran"
	case t.Passed < 1:
		return "no test passed"
	case t.Failed != 0:
		return fmt.Sprintf("%d tests failed", t.Failed)
	}
	return ""
}

func (w *Walk) document(body json.RawMessage) error {
	var c struct {
		Name     string `json:"name"`
		Digest   string `json:"digest"`
		Criteria []struct {
			ID string `json:"id"`
		} `json:"criteria"`
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return err
	}
	switch c.Name {
	case "spec":
		w.specID = c.Digest
		w.known = map[string]bool{}
		for _, one := range c.Criteria {
			w.known[one.ID] = true
		}
	case "plan":
		if w.node != "plan" {
			return fmt.Errorf("a plan is stored in %s", w.node)
		}
		b, ok := w.documents(c.Digest)
		if !ok {
			return fmt.Errorf("the plan %.12s is not there", c.Digest)
		}
		w.plan = walkPlan{}
		if err := json.Unmarshal(b, &w.plan); err != nil {
			return fmt.Errorf("the plan %.12s cannot be read: %w", c.Digest, err)
		}
		w.planID = c.Digest
	}
	return nil
}

func (w *Walk) approved(s step, body json.RawMessage) error {
	var a walkApproval
	if err := json.Unmarshal(body, &a); err != nil {
		return err
	}
	r := w.newest["approval/"]
	switch {
	case w.node != "approve" || !w.running:
		return errors.New("nothing is approved but in approve")
	case !s.human() || a.Channel != s.channel:
		return errors.New("nobody but a human approves")
	case a.Plan != w.planID || a.Spec != w.specID:
		return errors.New("it is about another plan, or other criteria, than those that are there")
	case a.Record == "" || r.ID != a.Record || r.seq != s.Seq:
		return errors.New("its record is not there")
	}
	w.approve = a
	return nil
}

func (w *Walk) judged(body json.RawMessage) error {
	var c struct {
		Criterion string `json:"criterion"`
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return err
	}
	if !w.known[c.Criterion] {
		return fmt.Errorf("there is no criterion %q", c.Criterion)
	}
	return nil
}

// reviewed holds that a verdict comes with its record.
func (w *Walk) reviewed(s step, body json.RawMessage) error {
	var c struct {
		Kind   string `json:"kind"`
		Review struct {
			Verdict string `json:"verdict"`
			Record  string `json:"record"`
			Tree    string `json:"tree"`
		} `json:"review"`
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return err
	}
	r, ok := w.newest[c.Kind+"/"]
	if !ok || r.seq != s.Seq || r.ID != c.Review.Record {
		return nil // one that does not count
	}
	if r.Result != c.Review.Verdict || r.World.Tree != c.Review.Tree {
		return fmt.Errorf("%s says %s about %.12s, and the verdict %s about %.12s", r.ID, r.Result, r.World.Tree, c.Review.Verdict, c.Review.Tree)
	}
	return nil
}

// pass says why the node cannot pass on what is recorded.
func (w *Walk) pass(s step, n walkGraphNode) error {
	if n.Name == "approve" && !s.human() {
		return errors.New("nobody but a human approves")
	}
	for _, kind := range n.Requires {
		if err := w.needs(kind, true); err != nil {
			return err
		}
	}
	for _, kind := range n.PlanGates {
		if err := w.needs(kind, false); err != nil {
			return err
		}
	}
	if i := w.graph.index(n.Name); i > w.graph.index("approve") && (w.approve.Plan == "" || w.approve.Plan != w.planID || !w.Passed("approve")) {
		return errors.New("the plan in force is not approved")
	}
	return nil
}

// needs says why a kind is not satisfied. Required is one that has to be there even
// where the plan names no gate of it.
func (w *Walk) needs(kind string, required bool) error {
	k, _ := w.graph.kind(kind)
	if plan, ok := w.waived[kind]; ok && slices.Contains(k.Info, "waiver") && (plan == "" || plan == w.planID) {
		return nil
	}
	gates := 0
	for _, g := range w.plan.Gates {
		if g.Kind != kind {
			continue
		}
		gates++
		if err := w.open(kind, g.ID); err != nil {
			return err
		}
	}
	switch {
	case kind == "acceptance" && required, gates == 0 && required && !w.isGate(kind):
		return w.open(kind, "")
	case gates > 0 || !required:
		return nil
	}
	for _, na := range w.plan.NotApplicable {
		if na.Kind != kind || !slices.Contains(k.Info, "plan") {
			continue
		}
		for _, g := range w.plan.Gates {
			if g.ID == na.Instead {
				return w.open(g.Kind, g.ID)
			}
		}
	}
	// The configuration of the base may name a gate, which is judged with the configuration.
	for _, r := range w.newest {
		if r.Kind == kind && r.Gate != "" && w.open(kind, r.Gate) == nil {
			return nil
		}
	}
	return fmt.Errorf("there is no %s", kind)
}

func (w *Walk) isGate(kind string) bool {
	return slices.Contains([]string{"build", "static", "unit-test", "integration-test", "scan"}, kind)
}

// open says why the newest record of a kind and gate opens nothing.
func (w *Walk) open(kind, gate string) error {
	name := strings.TrimSuffix(kind+" "+gate, " ")
	r, ok := w.newest[kind+"/"+gate]
	switch {
	case !ok:
		return fmt.Errorf("there is no %s", name)
	case r.seq <= w.nodes[w.graph.owner(kind)].since:
		return fmt.Errorf("%s of %s is from before the last return", r.ID, name)
	case r.Result == "fail":
		return fmt.Errorf("%s of %s fails", r.ID, name)
	}
	return nil
}
