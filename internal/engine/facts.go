package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/asterweave/asterweave/internal/command"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// want adds to what is read of the world for a decision.
type want struct {
	paths   []string // whose existence matters
	refs    []string // whose content matters
	commits bool     // messages of the delivery's commits
	fresh   bool     // the tree is read without what is cached about it
	trees   []string // that are compared with the work tree, besides those that the state names
	review  bool     // the content of what a reviewer has to open
}

// facts reads the world as the state's decisions see it.
func (e *Engine) facts(ctx context.Context, s *state.State, w want) (*gate.Facts, error) {
	f := &gate.Facts{
		Changed: map[string][]string{}, Base: map[string]gate.BaseMove{}, FromBase: map[string]bool{},
		PathExists: map[string]bool{}, Programs: map[string]state.Program{}, GateEnv: map[string]string{}, Escapes: map[string]string{}, Refs: map[string]string{}, Task: s.Delivery.Goal,
	}
	err := e.readDocuments(s, f)
	if err != nil {
		return nil, err
	}
	objects := e.repo.Objects()
	defer func() { _ = objects.Close() }() // a process that had failed has said so in an answer
	if err := e.readGit(s, f); err != nil {
		return nil, err
	}
	if err := e.readHead(ctx, s, f); err != nil {
		return nil, err
	}
	moved := f.World.Base != s.Delivery.MergeBase
	trusted := !moved || s.Delivery.MergeBase == "" || e.onRemote(ctx, s, f)
	e.readConfig(ctx, objects, s, f, trusted)
	settings, err := e.readTree(ctx, objects, s, f, w)
	if err != nil {
		return nil, err
	}
	if err := e.readBase(ctx, objects, s, f, trusted); err != nil {
		return nil, err
	}
	e.readLinks(ctx, objects, s, f)
	if w.review {
		e.readContents(s, f)
	}
	e.readEnvironments(ctx, s, f)
	e.readPaths(f, w)
	if err := e.readOutside(ctx, s, f); err != nil {
		return nil, err
	}
	if s.Node == graph.Plan {
		if f.Tracked, err = e.repo.ListTracked(ctx); err != nil {
			return nil, gitError(err)
		}
	}
	if w.commits {
		if err := errors.Join(e.readCommits(ctx, f), e.readRemote(ctx, settings, f)); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (e *Engine) readDocuments(s *state.State, f *gate.Facts) error {
	f.World.Spec, f.World.Plan = s.Docs[state.DocSpec], s.Docs[state.DocPlan]
	for name, into := range map[string]any{state.DocSpec: &f.Spec, state.DocPlan: &f.Plan, state.DocManifest: &f.Manifest} {
		digest := s.Docs[name]
		if digest == "" {
			continue
		}
		b, err := e.log.Artifact(digest)
		if err == nil {
			err = json.Unmarshal(b, into)
		}
		if err != nil {
			return problem.Wrap(problem.Ledger, fmt.Errorf("%s, as it was stored: %w", name, err), "doctor says what is missing; the document can be stored again while its node is open")
		}
	}
	return nil
}

func (e *Engine) readHead(ctx context.Context, s *state.State, f *gate.Facts) error {
	h, err := e.repo.Head(ctx)
	if err != nil {
		return gitError(err)
	}
	f.Head, f.HeadTree, f.Branch = h.Commit, h.Tree, h.Branch
	// Among several remotes the branch's configuration selects; after the start it has no say.
	if f.Remote = s.Delivery.Remote; f.Remote == "" {
		if f.Remote, err = e.repo.Remote(ctx); err != nil {
			return gitError(err)
		}
	}
	if f.World.Base, err = e.repo.MergeBase(ctx, h, f.Remote, s.Delivery.Base); err != nil {
		f.World.Base = "" // a base that is gone opens nothing: what rests on one that is recorded is unknown
	}
	return ctx.Err()
}

// readEnvironments digests the tools that each gate in force names; equal lists run
// once. What a plan names that nobody has approved is not run.
func (e *Engine) readEnvironments(ctx context.Context, s *state.State, f *gate.Facts) {
	seen := map[string]string{}
	gates := f.Config.Gates
	if f.Plan != nil && s.Approval != nil && s.Approval.Plan == f.World.Plan {
		gates = append(slices.Clone(f.Plan.Gates), gates...)
	}
	for _, g := range append(gates, document.Gate{}) {
		key := fmt.Sprintf("%q", g.Tools)
		if _, ok := seen[key]; !ok {
			seen[key], _ = command.Tools(ctx, e.o.Root, g.Tools, e.o.Environ)
		}
		if g.ID == "" {
			f.World.Env = seen[key]
			continue
		}
		f.GateEnv[g.ID] = seen[key]
	}
}

func gitError(err error) error {
	return problem.Wrap(problem.Failed, err, "git status says whether the repository is well")
}
