package hook

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/asterweave/asterweave/internal/githooks"
	"github.com/asterweave/asterweave/internal/guard"
)

// peeked keeps agents that judge from the record of the delivery and from the
// conversations: what others found and what the author thought is in them.
func (c *call) peeked(d *delivery) (reply, error) {
	if c.p.AgentID == "" || !guard.Judging(role(c.p.AgentType)) {
		return reply{}, nil
	}
	switch c.p.Tool {
	case "Read", "Grep", "Glob", "LS", "NotebookRead":
	default:
		return reply{}, nil // a shell's words are the guard's business
	}
	var in struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
		Path     string `json:"path"`
		Pattern  string `json:"pattern"`
		Glob     string `json:"glob"`
	}
	if readable := json.Unmarshal(c.p.ToolInput, &in) == nil; !readable {
		return c.permission("deny", "asterweave: what is to be read cannot be told"), nil
	}
	s, err := c.situation(d)
	if err != nil {
		return reply{}, err
	}
	paths := []string{in.File, in.Notebook, in.Path, within(in.Path, in.Glob)}
	if c.p.Tool == "Glob" {
		paths = append(paths, within(in.Path, in.Pattern))
	}
	for _, p := range paths {
		for _, one := range []string{p, linked(c.p.Cwd, p)} {
			if v := s.Read(one); v.Decision != guard.Pass {
				return c.permission("deny", "asterweave: "+v.Reason+"; "+v.Hint), nil
			}
		}
	}
	return reply{}, nil
}

// within is a pattern below a folder.
func within(folder, pattern string) string {
	if pattern == "" || filepath.IsAbs(pattern) {
		return pattern
	}
	return filepath.Join(folder, pattern)
}

// linked returns where a path leads, "" where nothing is there.
func linked(dir, path string) string {
	if path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return to
}

// programs are the files and folders that this judgment rests on: the plugin, where it
// keeps its data, the programs, and the client's own folder where it is another than
// usual.
func (c *call) programs() []string {
	out := []string{c.deps.getenv("CLAUDE_PLUGIN_ROOT"), c.deps.getenv("CLAUDE_PLUGIN_DATA"), c.deps.getenv("CLAUDE_CONFIG_DIR")}
	if self, err := os.Executable(); err == nil {
		out = append(out, self)
	}
	if state, err := githooks.Program(); err == nil {
		out = append(out, state)
	}
	return out
}

// transcripts is where the client keeps this conversation and those around it.
func (c *call) transcripts() []string {
	var out []string
	for _, file := range []string{c.p.Transcript, c.p.AgentTranscript} {
		folder := filepath.Dir(file)
		if filepath.IsAbs(file) && filepath.Base(filepath.Dir(folder)) == "projects" { // as the client has it
			out = append(out, folder)
		}
	}
	return out
}
