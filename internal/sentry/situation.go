// Package sentry stands between a delivery and the guard: it fills what the guard has
// to know of an open delivery, and judges what Git's own hook reports.
package sentry

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/guard"
	"github.com/asterweave/asterweave/internal/state"
)

// Call says where a call comes from.
type Call struct {
	Cwd       string // full path; may be empty
	Home      string
	AgentType string // of the subagent whose call it is, without the plugin's name
	Attended  bool   // a person is there and can be asked
	Now       time.Time

	Programs    []string // files and folders of the running plugin and of the client, which nobody writes
	Transcripts []string // where conversations are kept
}

// Situation is what the guard has to know of an open delivery and a call. It starts no
// process: what would have to be asked of Git is read from files, or not known.
func Situation(e *engine.Engine, st *state.State, c Call) (guard.Situation, error) {
	del := st.Delivery
	s := Place(e, c)
	s.Branch, s.Base, s.Trunk, s.Remote, s.RemoteURL = st.Branch, del.Base, del.Trunk, del.Remote, del.URL
	s.Confirmed, s.Writes = confirmed(e, st), announced(e, st)
	for _, b := range st.Bypasses {
		if b.InForce(c.Now) {
			s.Allowed = append(s.Allowed, guard.Allowance{Rule: b.Rule, Command: b.Digest})
		}
	}
	policy, plan, err := e.NodePolicy(st)
	if err != nil {
		return s, err
	}
	s.Policy = guard.Policy(policy)
	if plan != nil {
		s.Gates, s.Scope = plan.Gates, plan.Scope
	}
	return s, nil
}

// Place is what of a Situation does not depend on a delivery.
func Place(e *engine.Engine, c Call) guard.Situation {
	root := e.Root()
	s := guard.Situation{
		Root: root, Cwd: resolved(c.Cwd), GitDir: resolved(e.GitDir()), StateDir: resolved(e.StateDir()), Home: resolved(c.Home),
		Current: currentBranch(e.GitDir()), Attended: c.Attended, AgentType: c.AgentType,
		Paths: allResolved(c.Programs), Transcripts: allResolved(c.Transcripts),
		IsFile: func(path string) bool { _, err := os.Lstat(path); return err == nil },
	}
	if common, err := e.CommonDir(); err == nil {
		s.CommonDir = resolved(common)
	}
	s.FoldCase = sameFile(filepath.Join(root, ".git"), filepath.Join(root, ".GIT"))
	return s
}

// confirmed returns the push that a person confirmed and that has not been read back, while
// the delivery is not paused.
func confirmed(e *engine.Engine, st *state.State) *guard.Confirmed {
	if st.Delivery.Status != state.Active {
		return nil
	}
	for _, in := range slices.Backward(st.Intents) {
		if in.Kind != "pr" || !in.Confirmed || in.Settled {
			continue
		}
		c := &guard.Confirmed{Head: in.Head, Title: in.Title, Base: in.Base}
		if body, err := e.Artifact(in.Body); err == nil {
			c.Body = string(body)
		}
		for _, url := range in.Push {
			c.URLs = append(c.URLs, address(url, e.Root()))
		}
		return c
	}
	return nil
}

// allResolved returns the paths as they are written and as they are resolved: the guard
// resolves no links of the words that it reads.
func allResolved(paths []string) []string {
	var out []string
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			continue
		}
		for _, one := range []string{filepath.Clean(p), resolved(p)} {
			if !slices.Contains(out, one) {
				out = append(out, one)
			}
		}
	}
	return out
}

// resolved follows the links of a path as far as it is there.
func resolved(path string) string {
	if path == "" {
		return ""
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return filepath.Clean(path)
}

// currentBranch reads which branch is checked out, "" when it is none.
func currentBranch(gitDir string) string {
	b, err := os.ReadFile(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return ""
	}
	branch, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "ref: refs/heads/")
	if !ok {
		return ""
	}
	return branch
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
