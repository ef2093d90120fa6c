// Package gate decides what evidence opens: which needs a node has, whether the
// record of each still speaks of the current world, which paths a node may have
// changed, and when a delivery is done. It is pure; the facts are passed in.
//
// Every verdict is open, shut or unknown, and unknown never opens.
package gate

import (
	"slices"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/state"
)

// Facts is what was read from the world for one decision.
type Facts struct {
	World       evidence.World
	TreeUnknown []string // why World.Tree is empty

	// Changed maps a tree id, or the merge base, to the paths, ambient ones included,
	// that differ between it and the work tree. One that is not in it could not be compared.
	Changed map[string][]string
	// Base maps a recorded merge base to what changed on the base branch since.
	Base map[string]BaseMove
	// FromBase holds the paths that now are as they are at the merge base, when it
	// moved since start: they came with the base and are not the delivery's own.
	FromBase map[string]bool
	// Escapes maps those paths that changed since start and are symbolic links to a
	// place outside of what the tree holds, to where they lead.
	Escapes map[string]string

	Task     string // goal and source text
	Spec     *document.Spec
	Plan     *document.Plan
	Manifest *document.Manifest

	Config         document.Config
	ConfigProblems []document.Problem

	Tracked    []string          // paths of the base tree, while a plan is made
	PathExists map[string]bool   // for the manifest's paths
	GateEnv    map[string]string // gate id → environment digest now
	Refs       map[string]string // path of a criterion's ref → digest of its content now

	// Contents maps the files that a reviewer has to open, those of the change that are
	// there, to the digest of their content now. It is nil when it was not read.
	Contents map[string]string

	Surroundings evidence.Surroundings    // of runs, when a plan is stored
	Programs     map[string]state.Program // that the gates in force can mean, when a plan is stored, and git

	Head     string // commit
	HeadTree string
	Branch   string // "" when detached
	Remote   string // the delivery's, else the one that is there
	URL      string // of the remote
	Trunk    string // the remote's default branch, "" where it is not known

	Transport string   // digest of how the remote is reached
	Reached   []string // names of the settings that decide it
	Push      []string // URLs that a push to it goes to

	Commits []string // messages since the merge base, for the confirmation

	// After maps the heads at which comments were triaged to the ids of the commits of
	// the submitted head that came since.
	After map[string][]string
	Said  []document.Comment // comments as they were read last, while a node answers them
	Item  string             // title and text of the work item, "" where there is none; data that others wrote
}

// BaseMove is how the base branch moved between two merge bases.
type BaseMove struct {
	Same  bool
	Known bool
	Paths []string
}

// View is a state with the graph it runs on and the facts of the moment.
type View struct {
	State *state.State
	Graph *graph.Graph
	Facts *Facts
}

// Gates returns the gates in force: those of the plan, then those of the configuration.
func (v View) Gates() []document.Gate {
	var out []document.Gate
	if v.Facts.Plan != nil {
		out = append(out, v.Facts.Plan.Gates...)
	}
	return append(out, v.Facts.Config.Gates...)
}

// Gate returns the gate in force with this id.
func (v View) Gate(id string) (document.Gate, bool) {
	all := v.Gates()
	i := slices.IndexFunc(all, func(g document.Gate) bool { return g.ID == id })
	if i < 0 {
		return document.Gate{}, false
	}
	return all[i], true
}

// Budget returns how many attempts the node has: the graph's, lowered by the
// configuration, raised by what humans granted.
func (v View) Budget(node string) int {
	n, ok := v.Graph.Node(node)
	if !ok {
		return 0
	}
	budget := n.Attempts
	if b, ok := v.Facts.Config.Budgets[node]; ok && b >= 1 && b < budget {
		budget = b
	}
	return budget + v.State.Nodes[node].Granted
}

// changed returns the paths that differ between the tree and the work tree, and
// whether that is known.
func (v View) changed(tree string) ([]string, bool) {
	if tree == "" || v.Facts.World.Tree == "" {
		return nil, false
	}
	paths, ok := v.Facts.Changed[tree]
	return paths, ok
}
