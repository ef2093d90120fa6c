package local_test

import (
	"context"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/contract"
	"github.com/asterweave/asterweave/internal/provider/local"
)

func TestContract(t *testing.T) {
	contract.Test(t, func(t *testing.T) contract.World {
		w := &world{repo: contract.NewRepository(t, "feature/cap"), results: map[string]contract.State{}}
		w.head = w.repo.Commit(t, "main")
		return w
	})
}

// world is a bare repository; its checks are gates, which end as the test says.
type world struct {
	contract.World // what there is no place for is not called
	repo           *contract.Repository
	head           string
	gates          []document.Gate
	results        map[string]contract.State
}

func (w *world) Provider(t *testing.T, _ time.Duration) provider.Provider {
	t.Helper()
	r, err := gitrepo.Open(w.repo.Clone)
	if err != nil {
		t.Fatal(err)
	}
	return local.New(r, func(_ context.Context, _ string, g document.Gate) provider.GateResult {
		switch w.results[g.ID] {
		case contract.Passing:
			return provider.GateResult{Result: evidence.Pass, Summary: "it passed"}
		case contract.Failing:
			return provider.GateResult{Result: evidence.Fail, Summary: "it failed", Signature: "pipeline/" + g.ID}
		}
		return provider.GateResult{Result: evidence.Unknown, Summary: "it did not run"}
	})
}

func (w *world) Can(contract.Ability) bool { return false }

func (w *world) Target(*testing.T) provider.Target {
	return provider.Target{Remote: "origin", URL: w.repo.Bare, Branch: w.repo.Branch, Base: "main", Head: w.head, Gates: w.gates}
}

func (w *world) Tree(t *testing.T, commit string) string { return w.repo.Commit(t, commit+"^{tree}") }
func (w *world) Submit(t *testing.T)                     { w.head = w.repo.Push(t) }
func (w *world) Push(t *testing.T)                       { w.repo.Push(t) }

func (w *world) Check(t *testing.T, name string, s contract.State) {
	w.Require(t, name)
	w.results[name] = s
}

func (w *world) Require(_ *testing.T, name string) {
	for _, g := range w.gates {
		if g.ID == name {
			return
		}
	}
	w.gates = append(w.gates, document.Gate{ID: name})
}

func (w *world) Requests() int { return 0 }
func (w *world) Writes() int   { return 0 }
func (w *world) Token() string { return "" }

func (w *world) Asking(*testing.T, string) provider.Asking { return provider.Asking{} }
