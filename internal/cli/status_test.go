//go:build unix

package cli_test

import (
	"encoding/json"
	"slices"
	"testing"
)

// status is the answer of `status --json`, as far as tests use it.
type status struct {
	OK       bool `json:"ok"`
	Delivery struct {
		ID, Goal, Status, Node, Reason string
		PlanRevision                   int
		AutoPR                         bool `json:"autoPr"`
	}
	Nodes []struct {
		Name, Status     string
		Attempts, Budget int
		Needs            []need
	}
	Criteria []struct{ ID, Hardness, Verdict, Digest, Discriminates string }
	Asks     []struct {
		ID, Kind, Question, About, Digest string
		Options, Blocks                   []string
	}
	Done []struct {
		Condition string
		Holds     bool
		Why       string
	}
	Ledger struct {
		Seq  int
		Hash string
	}
}

type need struct{ Kind, Gate, State, Evidence, Why string }

func (n need) name() string {
	if n.Gate == "" {
		return n.Kind
	}
	return n.Kind + " " + n.Gate
}

func (n need) open() bool { return n.State == "current" || n.State == "info" }

func (r *repo) status() status {
	r.t.Helper()
	a := r.ok(r.look("--json", "status"))
	var s status
	if err := json.Unmarshal([]byte(a.stdout), &s); err != nil {
		r.t.Fatalf("%v: %s", err, a)
	}
	return s
}

// need returns how a need stands, by its kind and gate ("unit-test unit").
func (s status) need(t testing.TB, name string) need {
	t.Helper()
	for _, n := range s.Nodes {
		if i := slices.IndexFunc(n.Needs, func(n need) bool { return n.name() == name }); i >= 0 {
			return n.Needs[i]
		}
	}
	t.Fatalf("there is no need %q in %+v", name, s.Nodes)
	return need{}
}

// ask returns the newest open ask of a kind.
func (s status) ask(kind string) (id, digest string) {
	for _, a := range slices.Backward(s.Asks) {
		if a.Kind == kind {
			return a.ID, a.Digest
		}
	}
	return "", ""
}

func (s status) criterion(id string) (digest, verdict, discriminates string) {
	for _, c := range s.Criteria {
		if c.ID == id {
			return c.Digest, c.Verdict, c.Discriminates
		}
	}
	return "", "", ""
}

func (s status) done() []string {
	var open []string
	for _, c := range s.Done {
		if !c.Holds {
			open = append(open, c.Condition+": "+c.Why)
		}
	}
	return open
}
