package engine

import (
	"context"
	"strings"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/problem"
)

// ReadApproval reads whether a comment on the work item approves what is open. Anyone
// may ask: the word is the comment's author's.
func (e *Engine) ReadApproval(ctx context.Context, by By) (*decide.Draft, error) {
	v, err := e.Look(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := (&decide.Draft{View: v.View}).Heedable(); err != nil {
		return nil, err
	}
	p, err := e.o.Providers(v.State.Delivery.Provider, e.repo, nil)
	if err != nil {
		return nil, problem.Wrap(problem.Provider, err, "the delivery's provider is not available in this build")
	}
	found, err := p.Approvals(ctx, e.target(v))
	if err != nil {
		return nil, problem.Wrap(problem.Provider, err, "doctor says what can be read; read approval asks again")
	}
	var list []decide.Comment
	for _, a := range found {
		list = append(list, decide.Comment{Rejects: a.Rejects, Author: a.Author, Digest: strings.ToLower(a.Digest), URL: a.URL, Proof: a.Proof, Reader: a.Reader, Refused: a.Refused})
	}
	return e.transact(ctx, call{verb: "approve", cause: "read approval", by: by, want: want{commits: true, fresh: true}}, func(d *decide.Draft) error {
		return d.Heed(list)
	})
}
