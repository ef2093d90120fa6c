package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// readTree computes the tree. It returns the settings that the tree was computed with.
func (e *Engine) readTree(ctx context.Context, objects *gitrepo.Objects, s *state.State, f *gate.Facts, w want) (gitrepo.Settings, error) {
	o := gitrepo.TreeOptions{StateDir: e.log.Dir(), Fresh: w.fresh, Excludes: true}
	if s.Approval != nil && f.Plan != nil && s.Approval.Plan == f.World.Plan {
		o.Scratch = f.Plan.Scope.Scratch
	}
	if s.Delivery.Ambient != "" {
		b, err := e.log.Artifact(s.Delivery.Ambient)
		if err == nil {
			err = json.Unmarshal(b, &o.Ambient)
		}
		if err != nil {
			return gitrepo.Settings{}, problem.Wrap(problem.Ledger, fmt.Errorf("the list of untracked files at start: %w", err), "doctor says what is missing")
		}
	}
	tree, err := e.repo.Tree(ctx, o)
	if err != nil {
		return gitrepo.Settings{}, gitError(err)
	}
	f.World.Tree, f.World.Ambient = tree.ID, e.ambient(tree.AmbientChanged)
	f.TreeUnknown = append(f.TreeUnknown, tree.Unknown...)
	if s.Delivery.Excludes != "" && tree.Excludes != s.Delivery.Excludes {
		f.World.Tree = ""
		f.TreeUnknown = append(f.TreeUnknown, "what hides files from Git (info/exclude, core.excludesFile, attributes outside the tree) changed since start")
	}
	if len(f.TreeUnknown) > 0 {
		f.World.Tree = ""
	}
	if f.World.Tree == "" {
		return tree.Settings, nil
	}
	f.Changed[f.World.Tree] = nil
	trees := append(referredTrees(s), w.trees...)
	if f.World.Base != "" {
		trees = append(trees, f.World.Base)
	}
	return tree.Settings, CompareTrees(ctx, objects, trees, f)
}

// ambient digests those files that were untracked at start and have changed since,
// as they are now; "" while none has.
func (e *Engine) ambient(changed []string) string {
	if len(changed) == 0 {
		return ""
	}
	var b strings.Builder
	for _, p := range changed {
		digest, err := fingerprint(filepath.Join(e.o.Root, filepath.FromSlash(p)))
		if err != nil {
			digest = "unreadable"
		}
		fmt.Fprintf(&b, "%q %s\n", p, digest)
	}
	return canon.Hash([]byte(b.String()))
}

// CompareTrees finds what differs between the work tree and each tree that a decision may
// ask about. One that is not here stays out of the facts, and is unknown.
func CompareTrees(ctx context.Context, objects *gitrepo.Objects, trees []string, f *gate.Facts) error {
	for _, tree := range trees {
		if _, done := f.Changed[tree]; done {
			continue
		}
		changes, err := objects.Changed(ctx, tree, f.World.Tree)
		if err != nil {
			continue // not in the map: unknown
		}
		paths := make([]string, len(changes))
		for i, c := range changes {
			paths[i] = c.Path
		}
		f.Changed[tree] = paths
	}
	return ctx.Err()
}

func referredTrees(s *state.State) []string {
	out := append(s.Trees(), s.Nodes[s.Node].Tree)
	for _, slot := range s.Slots {
		if slot.Last != nil {
			out = append(out, slot.Last.World.Tree)
		}
	}
	for _, fl := range s.Failures {
		out = append(out, fl.Tree)
	}
	return slices.DeleteFunc(out, func(t string) bool { return t == "" })
}
