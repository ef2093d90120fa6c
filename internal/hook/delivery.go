package hook

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// delivery is the open delivery that a payload belongs to.
type delivery struct {
	engine *engine.Engine
	state  *state.State
	root   string
}

// delivery returns the open delivery of the payload's folder, else of the project
// folder; nil when there is none. It starts no process, and where there is no
// ledger it makes a few stat calls. The error is about a ledger that cannot be used.
func (c *call) delivery() (*delivery, error) {
	for _, root := range c.roots() {
		e, err := c.open(root)
		if err != nil {
			return nil, err
		}
		if !e.Exists() {
			continue
		}
		s, err := e.Peek()
		switch {
		case problem.CodeOf(err) == problem.NoDelivery && err != nil:
		case err != nil:
			return nil, err
		case s.Delivery.Open():
			return &delivery{engine: e, state: s, root: root}, nil
		}
	}
	return nil, nil
}

// roots returns the roots of the worktrees that the payload speaks of, in order.
func (c *call) roots() []string {
	var folders []string
	for _, dir := range []string{c.p.Cwd, c.deps.getenv("CLAUDE_PROJECT_DIR")} {
		if filepath.IsAbs(dir) {
			folders = append(folders, dir)
		}
	}
	if !c.read {
		folders = append(folders, ".") // the client runs hooks in the session's folder
	}
	var roots []string
	for _, dir := range folders {
		if root, err := gitrepo.FindRoot(dir); err == nil && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	return roots
}

func (c *call) open(root string) (*engine.Engine, error) {
	return engine.Open(engine.Options{
		Root: root, Now: c.deps.Now, Environ: c.deps.Environ, Schemas: c.deps.Schemas, Providers: c.deps.Providers,
	})
}

// by says that a hook saw it.
func (c *call) by() evidence.By {
	return evidence.By{Channel: "hook", Agent: c.agent(), Session: c.p.Session}
}

// human says that the person at the client said it.
func (c *call) human() evidence.By {
	return evidence.By{Channel: evidence.ChannelClient, Session: c.p.Session}
}

// agent returns type and id of the subagent that the payload comes from.
func (c *call) agent() string {
	if c.p.AgentID == "" {
		return ""
	}
	return role(c.p.AgentType) + "/" + c.p.AgentID
}

// inside returns a path relative to the root, with slashes; false when it leads
// elsewhere. Relative ones are relative to dir.
func (d *delivery) inside(dir, path string) (string, bool) {
	if path == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	folder, base := filepath.Split(filepath.Clean(path))
	if resolved, err := filepath.EvalSymlinks(folder); err == nil {
		folder = resolved
	}
	rel, err := filepath.Rel(d.root, filepath.Join(folder, base))
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// file is inside for a path at which there is a file or link.
func (d *delivery) file(dir, path string) (string, bool) {
	rel, ok := d.inside(dir, path)
	if !ok {
		return "", false
	}
	info, err := os.Lstat(filepath.Join(d.root, filepath.FromSlash(rel)))
	return rel, err == nil && !info.IsDir()
}
