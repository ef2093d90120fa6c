package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/asterweave/asterweave/internal/gitrepo"
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

// touched returns the files that the call opened, and whether it wrote one, inside
// the worktree. A call that failed did neither.
func (c *call) touched(d *delivery) (files []string, wrote bool) {
	if len(c.p.ToolResponse) == 0 {
		return nil, false
	}
	var in struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
		Command  string `json:"command"`
	}
	if json.Unmarshal(c.p.ToolInput, &in) != nil {
		return nil, false
	}
	switch c.p.Tool {
	case "Read":
		if p, ok := d.file(c.p.Cwd, in.File); ok {
			files = []string{p}
		}
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		path := in.File
		if path == "" {
			path = in.Notebook
		}
		_, wrote = d.inside(c.p.Cwd, path)
	case "Bash":
		files = c.printed(d, in.Command)
	}
	return files, wrote
}

// printed returns the files whose content or change a shell call printed.
func (c *call) printed(d *delivery, command string) []string {
	var out struct {
		Stdout      string `json:"stdout"`
		Interrupted bool   `json:"interrupted"`
		Background  string `json:"backgroundTaskId"`
		Persisted   string `json:"persistedOutputPath"` // stdout is cut
	}
	if json.Unmarshal(c.p.ToolResponse, &out) != nil || out.Interrupted || out.Background != "" || out.Stdout == "" {
		return nil
	}
	v, ok := viewOf(command, c.p.Cwd)
	if !ok {
		return nil
	}
	var files []string
	for _, p := range v.files {
		rel, ok := d.file("", p)
		if ok {
			files = append(files, rel)
		}
		if out.Persisted != "" {
			break // only the first was printed for certain
		}
	}
	for _, dir := range v.repos {
		if root, err := gitrepo.FindRoot(dir); err != nil || root != d.root {
			return files
		}
	}
	for _, p := range v.blobs {
		if filepath.IsLocal(filepath.FromSlash(p)) {
			files = append(files, p)
		}
		if out.Persisted != "" {
			break
		}
	}
	if v.diff && len(v.files) == 0 && len(v.blobs) == 0 { // else a file's content could look like a diff
		files = append(files, diffFiles(out.Stdout)...)
	}
	return files
}
