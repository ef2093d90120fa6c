package engine

import (
	"context"
	"regexp"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// saysApproval reports whether a line of a text would approve, were it somebody else's.
func saysApproval(body []byte) bool {
	return regexp.MustCompile(`(?im)^\s*/asterweave[ \t:]+approve\b`).Match(body)
}

// Intend announces an external write.
func (e *Engine) Intend(ctx context.Context, by By, in state.Intent, body []byte) (state.Intent, *state.Ask, error) {
	if in.Kind != decide.IntentPR && saysApproval(body) {
		return in, nil, problem.New(problem.Invalid, "the text holds the words by which a comment approves", "leave them out; a human approves by a comment of their own")
	}
	v, err := e.Look(ctx)
	if err != nil {
		return in, nil, err
	}
	r, err := redactor(v.Facts)
	if err != nil {
		return in, nil, err
	}
	if len(body) > 0 || in.Kind == decide.IntentPR {
		if in.Body, err = e.putArtifact(v.Facts, body); err != nil {
			return in, nil, ledgerError(err)
		}
	}
	if in.Kind != decide.IntentPR {
		in.Text = textDigest(r, string(body))
	}
	var ask *state.Ask
	_, err = e.transact(ctx, call{verb: "intend", by: by, want: want{commits: true, fresh: true}}, func(d *decide.Draft) error {
		in, ask, err = d.Intend(in)
		return err
	})
	return in, ask, err
}
