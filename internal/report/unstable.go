package report

import "github.com/asterweave/asterweave/internal/evidence"

// Unstable is a gate that failed and then passed although nothing that it was about had
// changed: a pass that more runs were needed for proves less.
type Unstable struct {
	Gate   string   `json:"gate"`
	Tree   string   `json:"tree"`
	Failed []string `json:"failed"` // records, the oldest first
	Passed string   `json:"passed"` // the first record after them
}

// unstable finds the gates that failed and then passed in one world.
func unstable(records []evidence.Record) []Unstable {
	type run struct {
		gate, def string
		world     evidence.World
	}
	failed := map[run][]string{}
	out := []Unstable{}
	for _, r := range records {
		if r.Gate == "" || !r.Counts || r.World.Tree == "" {
			continue
		}
		key := run{r.Gate, r.GateDef, r.World}
		switch r.Result {
		case evidence.Fail:
			failed[key] = append(failed[key], r.ID)
		case evidence.Pass:
			if ids := failed[key]; len(ids) > 0 {
				out = append(out, Unstable{Gate: r.Gate, Tree: r.World.Tree, Failed: ids, Passed: r.ID})
				delete(failed, key)
			}
		}
	}
	return out
}
