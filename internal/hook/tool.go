package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
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
	failed := c.kebab == PostToolFailure || c.p.Event == "PostToolUseFailure"
	err := d.engine.Observe(ctx, "hook "+c.kebab, c.by(), state.Tool{
		Tool: line(c.p.Tool), AgentID: c.p.AgentID, AgentType: c.p.AgentType, DurationMs: int64(c.p.DurationMs), Files: files, Wrote: wrote,
		Read: c.p.Tool == "Read" && !failed, Failed: failed,
	})
	if err != nil && problem.CodeOf(err) != problem.LockTimeout && !errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprintf(c.stderr, "asterweave: the tool call was not counted: %s\n", err)
	}
}

// touched returns the files that the call opened, each with what is in it, and whether
// it wrote one, inside the worktree. A call that failed did neither, save that a binary
// file is as good as opened when the client says that it cannot be shown. What a shell
// printed opens nothing: settings that the agent can change decide what it shows of a
// file.
func (c *call) touched(d *delivery) (files map[string]string, wrote bool) {
	var in struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
	}
	if json.Unmarshal(c.p.ToolInput, &in) != nil {
		return nil, false
	}
	failed := len(c.p.ToolResponse) == 0
	switch c.p.Tool {
	case "Read":
		if _, reviewer := reviewKind(c.p.AgentType); !reviewer || c.p.AgentID == "" {
			return nil, false // nobody asks what others opened
		}
		return c.opened(d, in.File, failed), false
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		path := in.File
		if path == "" {
			path = in.Notebook
		}
		_, wrote = d.inside(c.p.Cwd, path)
	}
	return nil, wrote && !failed
}

// opened returns the file with what is in it, where it is one inside the worktree.
func (c *call) opened(d *delivery, path string, failed bool) map[string]string {
	rel, ok := d.file(c.p.Cwd, path)
	if !ok {
		return nil
	}
	full := filepath.Join(d.root, filepath.FromSlash(rel))
	digest, err := engine.ContentDigest(full) // an error for what is no file, a pipe say
	if err != nil || failed && !binary(full) {
		return nil
	}
	return map[string]string{rel: digest}
}

// binary reports whether the file begins as no text does.
func binary(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 8000)
	n, _ := io.ReadFull(f, head)
	return bytes.IndexByte(head[:n], 0) >= 0
}
