package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// How long a count waits for the lock. A reviewer's is worth more: a file that was
// not seen makes its verdict unknown.
const (
	countWait  = 200 * time.Millisecond
	reviewWait = 3 * time.Second
)

// postTool counts a tool call, and takes a human's answer out of a question.
func (c *call) postTool(ctx context.Context) (reply, error) {
	d, err := c.delivery()
	if err != nil || d == nil {
		return reply{}, err
	}
	c.count(ctx, d)
	if c.p.Tool != toolQuestion {
		return reply{}, nil
	}
	r, err := c.answered(ctx, d)
	if err != nil { // the tool has run; a block only tells the model
		fmt.Fprintf(c.stderr, "asterweave: error: %s\n", err)
		return block(refusal(err)), nil
	}
	return r, nil
}

// count appends one event for the call. It is no evidence: when somebody else holds
// the lock for long it is dropped.
func (c *call) count(ctx context.Context, d *delivery) {
	if c.deps.agentShell() {
		fmt.Fprintln(c.stderr, "asterweave: not counted: this comes out of an agent's shell")
		return
	}
	wait := countWait
	if _, reviewer := reviewKind(c.p.AgentType); reviewer {
		wait = reviewWait
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	files, wrote := c.touched(d)
	err := d.engine.Observe(ctx, "hook "+c.kebab, c.by(), state.Tool{
		Tool: line(c.p.Tool), AgentID: c.p.AgentID, AgentType: c.p.AgentType, DurationMs: int64(c.p.DurationMs), Files: files, Wrote: wrote,
	})
	if err != nil && problem.CodeOf(err) != problem.LockTimeout && !errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprintf(c.stderr, "asterweave: the tool call was not counted: %s\n", err)
	}
}

// touched returns the files that the call opened, each with what is in it, and whether
// it wrote one, inside the worktree. A call that failed did neither. What a shell
// printed opens nothing: settings that the agent can change decide what it shows of a
// file.
func (c *call) touched(d *delivery) (files map[string]string, wrote bool) {
	if len(c.p.ToolResponse) == 0 {
		return nil, false
	}
	var in struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
	}
	if json.Unmarshal(c.p.ToolInput, &in) != nil {
		return nil, false
	}
	switch c.p.Tool {
	case "Read":
		p, ok := d.file(c.p.Cwd, in.File)
		if !ok {
			return nil, false
		}
		digest, err := engine.ContentDigest(filepath.Join(d.root, filepath.FromSlash(p)))
		if err != nil {
			return nil, false
		}
		return map[string]string{p: digest}, false
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		path := in.File
		if path == "" {
			path = in.Notebook
		}
		_, wrote = d.inside(c.p.Cwd, path)
	}
	return nil, wrote
}
