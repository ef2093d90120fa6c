package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/command"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/state"
)

// oldestGit is the version from which on git takes settings from its environment.
const (
	oldestMajor = 2
	oldestMinor = 31
)

func (x *examination) git(ctx context.Context) {
	out := command.Run(ctx, command.Spec{Argv: []string{"git", "version"}, Dir: x.e.Root(), Env: x.o.Environ, Timeout: 10 * time.Second})
	install := fmt.Sprintf("install git %d.%d or newer", oldestMajor, oldestMinor)
	if out.StartErr != "" || out.Exit != 0 {
		x.add("git", Fail, "git does not run: "+strings.TrimSpace(out.StartErr+" "+string(out.Output)), install)
		return
	}
	version := strings.TrimSpace(string(out.Output))
	if rel, err := filepath.Rel(x.e.Root(), out.Program); err == nil && filepath.IsLocal(rel) {
		x.add("git", Fail, fmt.Sprintf("the first git on PATH, %s, lies in the work tree", rel), "take that folder out of PATH")
		return
	}
	var major, minor int
	if _, err := fmt.Sscanf(version, "git version %d.%d", &major, &minor); err != nil {
		x.add("git", Warn, fmt.Sprintf("its version cannot be told from %q", version), install)
		return
	}
	if major < oldestMajor || major == oldestMajor && minor < oldestMinor {
		x.add("git", Fail, version+" is too old", install)
		return
	}
	x.ok("git", "%s, %s", version, out.Program)
}

func (x *examination) repository() {
	repo, err := gitrepo.Open(x.e.Root())
	if err != nil {
		x.failed("repository", err, "run this inside a Git repository")
		return
	}
	common, err := repo.CommonDir()
	if err != nil {
		x.failed("repository", err, "git worktree repair mends a worktree that was moved")
		return
	}
	x.repo = repo
	if common != repo.GitDir() {
		x.ok("repository", "%s, a linked worktree of %s", x.e.Root(), common)
		return
	}
	x.ok("repository", "%s", x.e.Root())
}

// tree computes the tree as decisions do; without a delivery, with nothing left out.
func (x *examination) tree(ctx context.Context) {
	const next = "do what each reason names: make paths readable, or take them out of the work tree"
	var id string
	var unknown []string
	if x.state != nil && x.state.Delivery.Open() {
		v, err := x.e.Look(ctx)
		if err != nil {
			x.failed("tree", err, "")
			return
		}
		id, unknown = v.Facts.World.Tree, v.Facts.TreeUnknown
	} else {
		dir, err := os.MkdirTemp("", "asterweave-doctor-")
		if err != nil {
			x.failed("tree", err, "make room in the folder for temporary files")
			return
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder; what stays behind is the system's to clean
		t, err := x.repo.Tree(ctx, gitrepo.TreeOptions{StateDir: dir})
		if err != nil {
			x.failed("tree", err, "git status says whether the repository is well")
			return
		}
		id, unknown = t.ID, t.Unknown
	}
	if id == "" {
		x.add("tree", Fail, "it cannot be computed, so nothing can be proven: "+strings.Join(unknown, "; "), next)
		return
	}
	x.ok("tree", "%s", id)
}

func (x *examination) branch(ctx context.Context) {
	h, err := x.repo.Head(ctx)
	if err != nil {
		x.failed("branch", err, "git status says whether the repository is well")
		return
	}
	const own = "create a branch for the delivery and switch to it; uncommitted work comes along"
	open := x.state != nil && x.state.Delivery.Open()
	switch {
	case h.Detached && open:
		x.add("branch", Warn, "the head is detached; implement passes on a branch only", own)
	case h.Detached:
		x.add("branch", Warn, "the head is detached", "")
	case open && x.state.Branch != "" && h.Branch != x.state.Branch:
		x.add("branch", Warn, fmt.Sprintf("%s is not the delivery's branch %s", h.Branch, x.state.Branch), "switch back to it")
	case open && h.Branch == x.state.Delivery.Base && reached(x.state, graph.Implement):
		x.add("branch", Warn, fmt.Sprintf("%s is the base; implement passes on another branch only", h.Branch), own)
	case h.Unborn:
		x.add("branch", Warn, h.Branch+" has no commit yet", "a first commit gives the delivery a base to be compared with")
	default:
		x.ok("branch", "%s at %.12s", h.Branch, h.Commit)
	}
}

// reached reports whether the delivery has come to the node.
func reached(s *state.State, node string) bool {
	return s.Node == node || s.Nodes[node].Visits > 0
}

func (x *examination) remote(ctx context.Context) {
	name, err := x.repo.Remote(ctx)
	if err != nil {
		x.failed("remote", err, "git remote says which there are")
		return
	}
	if name == "" {
		x.add("remote", Warn, "there is none, or none that can be told from others; submit-pr needs one", "add one with git remote, a bare repository will do, or let the branch follow one")
		return
	}
	base, err := x.base(ctx)
	if err == nil {
		var ref string
		if ref, err = x.repo.BaseRef(ctx, x.baseRemote(name), base); err == nil {
			x.ok("remote", "%s, base %s", name, ref)
			return
		}
	}
	x.add("remote", Warn, fmt.Sprintf("%s, but the base cannot be found: %v", name, err), "fetch from it, or name a branch that exists")
}

// base returns the name of the base branch: the delivery's, else the one that start
// would take.
func (x *examination) base(ctx context.Context) (string, error) {
	if x.state != nil && x.state.Delivery.Open() {
		return x.state.Delivery.Base, nil
	}
	remote, err := x.repo.Remote(ctx)
	if err != nil {
		return "", err
	}
	return x.repo.DefaultBase(ctx, remote)
}

// baseRemote returns the remote that has the base: the delivery's, else the selected one.
func (x *examination) baseRemote(selected string) string {
	if x.state != nil && x.state.Delivery.Open() && x.state.Delivery.Remote != "" {
		return x.state.Delivery.Remote
	}
	return selected
}

func (x *examination) environment() {
	text := "nothing steers runners but PATH"
	set := command.Surround(x.o.Environ, x.e.Root()).Steering()
	if set = slices.DeleteFunc(set, func(n string) bool { return n == "PATH" }); len(set) > 0 {
		text = "set, and able to steer runners: " + strings.Join(set, ", ")
	}
	if s := x.state; s != nil && s.Delivery.Open() && s.Surroundings.Digest != "" {
		now, err := x.e.Surroundings()
		if err != nil {
			x.failed("environment", err, "make the Git folder of this worktree writable")
			return
		}
		if why := (gate.View{State: s}).Environment(now); why != "" {
			x.add("environment", Warn, "runs from here are no evidence: "+why, "use the shell that the baseline ran in, or let a human accept this one when a run asks")
			return
		}
	}
	x.ok("environment", "%s", text)
}
