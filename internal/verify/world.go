package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/config"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/state"
)

// lookSubject holds that the bundle is about this head and its tree.
func (j *job) lookSubject(context.Context) Check {
	if j.says == nil {
		return waits(CheckBundle)
	}
	d, w := j.says.Predicate.Delivery, j.says.Predicate.World
	switch commit := j.says.Commit(); {
	case commit != j.head:
		return shut("export the delivery of this head", "the bundle is about %.12s and the head is %.12s", commit, j.head)
	case w.Tree != j.tree:
		return shut("export the delivery of this head", "the bundle says that the tree is %.12s and it is %.12s", w.Tree, j.tree)
	case d.Base != j.verdict.Base:
		return shut("deliver it for "+j.verdict.Base+", or change the pull request's base", "the delivery is for the branch %s and the pull request for %s", d.Base, j.verdict.Base)
	case d.Branch != "" && len(j.says.Subject) == 1 && j.says.Subject[0].Name != d.Branch:
		return shut("export it on the delivery's branch", "the delivery is of the branch %s and the bundle says %s", d.Branch, j.says.Subject[0].Name)
	}
	return open("the bundle is about %.12s, tree %.12s", j.head, j.tree)
}

// lookBase holds that what the base brought since is nothing that the delivery rests on.
func (j *job) lookBase(ctx context.Context) Check {
	if j.fold == nil {
		return waits(CheckSummary)
	}
	if err := j.look(ctx); err != nil {
		return unknown(fullHistory, "%v", err)
	}
	if start := j.fold.Delivery.MergeBase; start != "" {
		on, err := j.repo.IsAncestor(ctx, start, j.baseTip)
		switch {
		case err != nil:
			return unknown(fullHistory, "whether the delivery began on %s is not known: %v", j.verdict.Base, err)
		case !on:
			return unknown("start the delivery again on the base as it is, or refresh it", "the delivery began at %.12s, which is not on %s: its history was rewritten", start, j.verdict.Base)
		}
	}
	a := j.fold.Approval
	if a != nil && a.MergeBase != "" && a.MergeBase != j.merge {
		move, ok := j.view.Facts.Base[a.MergeBase]
		if !ok || !move.Known {
			return unknown(fullHistory, "what changed on %s since the approval cannot be read", j.verdict.Base)
		}
		return open("head and %s part at %.12s; %d paths changed there since the approval, and what they touch shows under evidence and approval", j.verdict.Base, j.merge, len(move.Paths))
	}
	return open("head and %s part at %.12s, where the delivery was approved", j.verdict.Base, j.merge)
}

// look builds the view of the fold in the world of this checkout. The machine is
// another one, so tools are not compared: a rerun shows what they make of it.
func (j *job) look(ctx context.Context) error {
	s := j.fold
	f := &gate.Facts{
		World:   evidence.World{Tree: j.tree, Base: j.merge, Plan: s.Docs[state.DocPlan], Spec: s.Docs[state.DocSpec]},
		Changed: map[string][]string{j.tree: nil}, Base: map[string]gate.BaseMove{}, FromBase: map[string]bool{}, Escapes: map[string]string{},
		PathExists: map[string]bool{}, Programs: map[string]state.Program{}, GateEnv: map[string]string{}, Refs: map[string]string{},
		Task: s.Delivery.Goal, Head: j.head, HeadTree: j.tree, Branch: s.Branch,
	}
	for name, into := range map[string]any{state.DocSpec: &f.Spec, state.DocPlan: &f.Plan, state.DocManifest: &f.Manifest} {
		digest := s.Docs[name]
		if digest == "" {
			continue
		}
		b, _ := j.document(digest)
		if err := json.Unmarshal(b, into); err != nil {
			return fmt.Errorf("%s of the bundle cannot be read: %w", name, err)
		}
	}
	if s.Delivery.Item != "" {
		b, _ := j.document(s.Delivery.Item)
		f.Item = string(b)
		f.Task += "\n" + f.Item
	}
	if err := j.approvedConfig(ctx, f); err != nil {
		return err
	}
	g, err := graph.Parse(graph.Embedded())
	if err != nil {
		return err
	}
	if err := errors.Join(j.compare(ctx, f), j.readRefs(ctx, f)); err != nil {
		return err
	}
	j.view = &gate.View{State: s, Graph: g, Facts: f}
	return nil
}

// approvedConfig reads the configuration that gates and approvals were made under.
func (j *job) approvedConfig(ctx context.Context, f *gate.Facts) error {
	b, there, err := j.objects.File(ctx, j.merge, document.ConfigPath)
	if err != nil {
		return fmt.Errorf("%s at %.12s cannot be read: %w", document.ConfigPath, j.merge, err)
	}
	if there {
		c, problems := config.Parse(b)
		if len(problems) > 0 {
			return fmt.Errorf("%s at %.12s is not valid: %s", document.ConfigPath, j.merge, problems[0])
		}
		f.World.Config, f.Config = c.Digest, c.Config
	}
	return nil
}

// compare finds what differs between the trees that evidence is about and the head's, and
// what the base brought since. A tree that was never committed travels with the bundle.
func (j *job) compare(ctx context.Context, f *gate.Facts) error {
	if err := j.objects.Add(j.says.Predicate.Trees); err != nil {
		return fmt.Errorf("a tree of the bundle: %w", err)
	}
	for _, slot := range j.fold.Slots {
		if slot.Counts != nil && slot.Counts.Gate != "" {
			f.GateEnv[slot.Counts.Gate] = slot.Counts.World.Env
		}
	}
	for _, old := range j.fold.Bases() {
		engine.CompareBase(ctx, j.objects, old, f)
	}
	return engine.CompareTrees(ctx, j.objects, j.fold.Trees(), f)
}

// readRefs finds which of the files that verdicts refer to are as they were. A checkout
// may spell line ends in another way than the commit: either is the file.
func (j *job) readRefs(ctx context.Context, f *gate.Facts) error {
	for _, c := range j.fold.Criteria {
		for path, digest := range c.Verdict.Refs {
			b, there, err := j.objects.File(ctx, j.head, path)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			var here []byte
			if filepath.IsLocal(filepath.FromSlash(path)) {
				here, _ = os.ReadFile(filepath.Join(j.o.Root, filepath.FromSlash(path))) // one that is not there has no digest
			}
			if there && slices.Contains([]string{canon.Hash(b), canon.Hash(here)}, digest) {
				f.Refs[path] = digest
			}
		}
	}
	return nil
}
