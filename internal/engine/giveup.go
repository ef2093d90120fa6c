package engine

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/problem"
)

// Abort ends the delivery without success. Where its ledger is damaged or gone, which
// a cleaning of ignored files does, nothing can be appended to it: then a human's word
// moves what is left to the archive, and folder says where it lies.
func (e *Engine) Abort(ctx context.Context, by By, reason string) (d *decide.Draft, folder string, err error) {
	d, err = e.Do(ctx, "abort", by, func(d *decide.Draft) error { return d.Abort(reason) })
	if err == nil {
		return d, "", nil
	}
	// Without a ledger Do says that there is no delivery; only the anchor knows better.
	cause := err
	if _, _, cerr := e.current(); cerr != nil {
		cause = cerr
	}
	var damage *ledger.DamageError
	if !errors.As(cause, &damage) {
		return nil, "", err
	}
	if !by.IsHuman() {
		return nil, "", problem.New(problem.HumanOnly, "giving up a damaged ledger is a human's verb and this call carries no human's word",
			"a human types it in a terminal of their own")
	}
	if strings.TrimSpace(reason) == "" {
		return nil, "", problem.New(problem.Usage, "an abort needs a reason", "say it with --reason")
	}
	id, err := newID(e.o.Now())
	if err != nil {
		return nil, "", err
	}
	id = "damaged-" + id
	switch err := e.log.SetAside(ctx, id); {
	case errors.Is(err, ledger.ErrWhole): // the cache is what is wrong
		return nil, "", ledgerError(cause)
	case err != nil:
		return nil, "", ledgerError(err)
	}
	rel, err := filepath.Rel(e.o.Root, e.log.ArchivePath(id))
	if err != nil {
		rel = e.log.ArchivePath(id)
	}
	return nil, filepath.ToSlash(rel), nil
}
