package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/guard"
)

// judged lets the guard judge a tool call while a delivery is open. It starts no
// process: what the guard would have to ask Git is read from files, or not known.
func (c *call) judged(d *delivery) (reply, error) {
	if !guard.Judges(c.p.Tool) {
		return reply{}, nil
	}
	s, err := c.situation(d)
	if err != nil {
		return reply{}, err
	}
	v := s.Tool(c.p.Tool, c.p.ToolInput)
	why := "asterweave: " + v.Reason
	if v.Hint != "" {
		why += "; " + v.Hint
	}
	switch v.Decision {
	case guard.Deny:
		return c.permission("deny", why), nil
	case guard.Ask:
		return c.permission("ask", why), nil
	case guard.Allow:
		r := c.permission("allow", "")
		if v.Rewrite != "" {
			r.Specific.UpdatedInput = rewritten(c.p.ToolInput, v.Rewrite)
		}
		return r, nil
	}
	return reply{}, nil
}

// permission is a decision about the tool call.
func (c *call) permission(decision, why string) reply {
	return reply{Specific: &specific{Event: c.event, Decision: decision, DecisionReason: why}}
}

// rewritten is the input of a shell call with another command.
func rewritten(input json.RawMessage, command string) any {
	in := map[string]any{}
	if json.Unmarshal(input, &in) != nil {
		in = map[string]any{}
	}
	in["command"] = command
	return in
}

// situation is what the guard has to know of the delivery and the call.
func (c *call) situation(d *delivery) (guard.Situation, error) {
	del := d.state.Delivery
	s := guard.Situation{
		Root: d.root, Cwd: resolved(c.p.Cwd), GitDir: resolved(d.engine.GitDir()), StateDir: resolved(d.engine.StateDir()), Home: resolved(c.deps.getenv("HOME")),
		Branch: d.state.Branch, Current: currentBranch(d.engine.GitDir()), Base: del.Base, Trunk: del.Trunk, Remote: del.Remote, RemoteURL: del.URL,
		Attended: c.p.Mode != "dontAsk", AgentType: role(c.p.AgentType),
		IsFile: func(path string) bool { _, err := os.Lstat(path); return err == nil },
	}
	if common, err := d.engine.CommonDir(); err == nil {
		s.CommonDir = resolved(common)
		if strings.Contains(string(c.p.ToolInput), "git") {
			s.Aliases = c.aliases(s.GitDir, s.CommonDir)
		}
	}
	s.FoldCase = sameFile(filepath.Join(d.root, ".git"), filepath.Join(d.root, ".GIT"))
	for _, in := range slices.Backward(d.state.Intents) {
		if in.Kind == "pr" && in.Confirmed && !in.Settled {
			s.Confirmed = &guard.Confirmed{Head: in.Head, Title: in.Title, Base: in.Base}
			if body, err := d.engine.Artifact(in.Body); err == nil {
				s.Confirmed.Body = string(body)
			}
			break
		}
	}
	policy, plan, err := d.engine.NodePolicy(d.state)
	if err != nil {
		return s, err
	}
	s.Policy = guard.Policy(policy)
	if plan != nil {
		s.Gates, s.Scope = plan.Gates, plan.Scope
	}
	return s, nil
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
