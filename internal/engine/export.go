package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// ExportRequest says what goes into a bundle.
type ExportRequest struct {
	Outputs bool   // what runs and reads printed as well
	Version string // of this program
}

// Export returns the delivery as a statement about the head commit. What it is about has
// to be committed: a work tree that differs from the head is an error.
func (e *Engine) Export(ctx context.Context, req ExportRequest) (bundle.Statement, error) {
	v, err := e.Look(ctx)
	if err != nil {
		return bundle.Statement{}, err
	}
	f := v.Facts
	switch {
	case f.Head == "":
		return bundle.Statement{}, problem.New(problem.GateShut, "there is no commit that a bundle could be about", "commit what belongs to the delivery, then export it")
	case f.World.Tree == "":
		return bundle.Statement{}, problem.New(problem.GateShut, fmt.Sprintf("the work tree cannot be compared with the head: %v", f.TreeUnknown), "status says what is in the way")
	case f.World.Tree != f.HeadTree:
		return bundle.Statement{}, problem.New(problem.GateShut, "the work tree differs from the head commit, and a bundle is about a commit", "commit what belongs to the delivery, then export it")
	}
	s := bundle.Statement{
		Type: bundle.StatementType, PredicateType: bundle.PredicateType,
		Subject: []bundle.Subject{{Name: f.Branch, Digest: map[string]string{bundle.CommitDigest: f.Head}}},
	}
	s.Predicate.World = bundle.World{Tree: f.HeadTree, Base: f.World.Base, Config: f.World.Config}
	var sum bundle.Summary
	if err := e.log.Scan(0, func(ev ledger.Event, _ int64) error {
		if ev.Seq > v.Tail.Seq {
			return errEnough
		}
		if ev.Type == ledger.Recovered {
			return nil
		}
		changes, err := state.Decode(ev.Data)
		if err == nil {
			sum.Add(ev.Seq, changes)
		}
		return err
	}); err != nil && !errors.Is(err, errEnough) {
		return s, ledgerError(err)
	}
	sum.Fill(&s.Predicate, v.State)
	if s.Predicate.Ledger, err = e.packLedger(v.Tail); err != nil {
		return s, problem.Wrap(problem.Failed, err, "verify says whether the ledger is well")
	}
	if err := e.attach(&s.Predicate, sum, req); err != nil {
		return s, ledgerError(err)
	}
	s.Predicate.Tools = map[string]string{"asterweave-state": req.Version, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH}
	return s, nil
}

func (e *Engine) packLedger(t ledger.Tail) (bundle.Ledger, error) {
	f, err := os.Open(e.log.Path())
	if err != nil {
		return bundle.Ledger{}, fmt.Errorf("export: %w", err)
	}
	defer f.Close()
	return bundle.Pack(io.LimitReader(f, t.End), t.Seq, t.Hash)
}

// attach puts the documents in, and the outputs as far as they were asked for and fit.
func (e *Engine) attach(p *bundle.Predicate, sum bundle.Summary, req ExportRequest) error {
	p.Trees = map[string][]byte{}
	p.Documents, p.Outputs, p.LeftOut = map[string][]byte{}, map[string][]byte{}, []bundle.LeftOut{}
	room := int64(bundle.MaxPayload / 2) // base64, and the list of evidence beside it
	room -= int64(len(p.Ledger.Gzip))
	for _, d := range sum.Documents {
		b, err := e.log.Artifact(d)
		if err != nil {
			return err
		}
		p.Documents[d] = b
		room -= int64(len(b))
	}
	for _, d := range sum.Outputs {
		if _, there := p.Documents[d]; there || !canon.IsHash(d) {
			continue
		}
		b, err := e.log.Artifact(d)
		switch {
		case err != nil:
			p.LeftOut = append(p.LeftOut, bundle.LeftOut{Digest: d, Because: "it is not there: " + err.Error()})
		case !req.Outputs:
			p.LeftOut = append(p.LeftOut, bundle.LeftOut{Digest: d, Bytes: int64(len(b)), Because: "outputs were not asked for"})
		case int64(len(b)) > room:
			p.LeftOut = append(p.LeftOut, bundle.LeftOut{Digest: d, Bytes: int64(len(b)), Because: "the bundle would be too large"})
		default:
			p.Outputs[d] = b
			room -= int64(len(b))
		}
	}
	return nil
}

// SigningKey returns the SSH key that Git is set up to sign with, "" for none.
func (e *Engine) SigningKey(ctx context.Context) (string, error) {
	key, err := e.repo.SigningKey(ctx)
	if err != nil {
		return "", gitError(err)
	}
	return key, nil
}

// Attach puts an envelope into the note of a commit, beside those that are there and
// those that the delivery's remote has.
func (e *Engine) Attach(ctx context.Context, commit string, envelope []byte) error {
	s, err := e.Peek()
	if err != nil {
		return err
	}
	if remote := s.Delivery.Remote; remote != "" {
		if err := e.repo.FetchNotes(ctx, bundle.NotesRef, remote); err != nil {
			return problem.Wrap(problem.Failed, err, "the notes of the remote could not be read; export again when it answers, or export to a file")
		}
	}
	if err := e.repo.AddNoteLine(ctx, bundle.NotesRef, commit, envelope); err != nil {
		return gitError(err)
	}
	return nil
}
