// Package export makes the bundle of a delivery: the statement about its head commit, and
// the place where it travels.
package export

import (
	"context"
	"fmt"
	"runtime"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// Request says what goes into a bundle.
type Request struct {
	Outputs bool   // what runs and reads printed as well
	Version string // of this program
}

// Statement returns the delivery as a statement about the head commit. What it is about has
// to be committed: a work tree that differs from the head is an error.
func Statement(ctx context.Context, e *engine.Engine, req Request) (bundle.Statement, error) {
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
	if err := e.EventsAfter(0, func(ev ledger.Event) error {
		if ev.Seq > v.Tail.Seq || ev.Type == ledger.Recovered {
			return nil
		}
		changes, err := state.Decode(ev.Data)
		if err == nil {
			sum.Add(ev.Seq, changes)
		}
		return err
	}); err != nil {
		return s, err
	}
	sum.Fill(&s.Predicate, v.State)
	if s.Predicate.Ledger, err = pack(e, v); err != nil {
		return s, problem.Wrap(problem.Failed, err, "verify says whether the ledger is well")
	}
	if s.Predicate.Trees, err = e.Carry(ctx, v.State.Trees(), f.HeadTree); err != nil {
		return s, problem.Wrap(problem.Failed, err, "git status says whether the repository is well")
	}
	if err := attach(e, &s.Predicate, sum, req); err != nil {
		return s, problem.Wrap(problem.Ledger, err, "doctor says what is missing")
	}
	s.Predicate.Tools = map[string]string{"asterweave-state": req.Version, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH}
	return s, nil
}

func pack(e *engine.Engine, v engine.View) (bundle.Ledger, error) {
	in, err := e.OpenLedger(v.Tail)
	if err != nil {
		return bundle.Ledger{}, err
	}
	defer in.Close()
	return bundle.Pack(in, v.Tail.Seq, v.Tail.Hash)
}

// attach puts the documents in, and the outputs as far as they were asked for and fit.
func attach(e *engine.Engine, p *bundle.Predicate, sum bundle.Summary, req Request) error {
	p.Documents, p.Outputs, p.LeftOut = map[string][]byte{}, map[string][]byte{}, []bundle.LeftOut{}
	room := int64(bundle.MaxPayload / 2) // base64, and the list of evidence beside it
	room -= int64(len(p.Ledger.Gzip))
	for _, d := range sum.Documents {
		b, err := e.Artifact(d)
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
		b, err := e.Artifact(d)
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

// Note puts an envelope into the note of a commit, beside those that are there and
// those that the delivery's remote has.
func Note(ctx context.Context, e *engine.Engine, commit string, envelope []byte) error {
	s, err := e.Peek()
	if err != nil {
		return err
	}
	repo, err := gitrepo.Open(e.Root())
	if err != nil {
		return problem.Wrap(problem.NoRepository, err, "run this inside the delivery's worktree")
	}
	if git, ok := s.Programs[state.Git]; ok {
		_ = repo.UseProgram(git.Path) // one that is gone is looked for on PATH, as everywhere
	}
	if remote := s.Delivery.Remote; remote != "" {
		if err := repo.FetchNotes(ctx, bundle.NotesRef, remote); err != nil {
			return problem.Wrap(problem.Failed, err, "the notes of the remote could not be read; export again when it answers, or export to a file")
		}
	}
	if err := repo.AddNoteLine(ctx, bundle.NotesRef, commit, envelope); err != nil {
		return problem.Wrap(problem.Failed, err, "git status says whether the repository is well")
	}
	return nil
}
