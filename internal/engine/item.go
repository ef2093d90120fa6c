package engine

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/state"
)

// intakeTime bounds how long a start waits for the work item.
const intakeTime = 40 * time.Second

// maxItem is the largest text of a work item, in bytes. A longer one is refused rather
// than cut: what is cut off would be asked for and never checked.
const maxItem = 256 << 10

// intake reads the work item that a delivery starts from, and completes the delivery
// with it. It returns nil where there is none. One that cannot be read is an error.
func (e *Engine) intake(ctx context.Context, del *state.Delivery, f *gate.Facts) (*decide.Item, error) {
	del.Source = strings.TrimSpace(del.Source)
	if del.Source == "" {
		return nil, nil
	}
	p, err := e.o.Providers(del.Provider, e.repo, nil)
	if err != nil {
		return nil, problem.Wrap(problem.Provider, err, "name another with --provider")
	}
	ctx, cancel := context.WithTimeout(ctx, intakeTime)
	defer cancel()
	item, err := p.Item(ctx, provider.Target{Remote: f.Remote, URL: f.URL, Base: del.Base, Source: del.Source})
	if err != nil {
		return nil, problem.Wrap(problem.Provider, fmt.Errorf("nothing is started: %w", err),
			"doctor says what can be read and with which token; a goal that names no work item needs none, and behind -- a goal is taken as it is")
	}
	if len(item.Title)+len(item.Text) > maxItem {
		return nil, problem.New(problem.Invalid, fmt.Sprintf("nothing is started: the work item has %d bytes, at most %d are read", len(item.Title)+len(item.Text), maxItem),
			"start with a goal of your own, or make the work item shorter")
	}
	title := document.OneLine(item.Title)
	if title == "" || item.Proof == "" {
		return nil, problem.New(problem.Provider, "nothing is started: the answer about "+del.Source+" is no work item", "doctor says what can be read and with which token")
	}
	if strings.TrimSpace(del.Goal) == "" || strings.TrimSpace(del.Goal) == del.Source {
		del.Goal = title
	}
	del.Source, del.Reader = cmp.Or(item.Source, del.Source), item.Reader
	text := title + "\n\n" + item.Text
	if del.Item, err = e.putArtifact(f, []byte(text)); err != nil {
		return nil, ledgerError(err)
	}
	stored, err := e.log.Artifact(del.Item) // without secrets
	if err != nil {
		return nil, ledgerError(err)
	}
	return &decide.Item{Source: del.Source, State: document.OneLine(item.State), URL: item.URL, Proof: item.Proof, Path: del.Item, Text: string(stored)}, nil
}
