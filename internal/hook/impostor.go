package hook

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of a look at the agents that are not ours.
const (
	maxAgentFiles = 2000
	maxAgentFile  = 256 << 10 // bytes
	maxDepth      = 8
)

// impostor returns a file of the repository or of the user that defines an agent under
// the full name of one of ours that judges, "" where there is none. The client would
// start it in the place of ours.
func (c *call) impostor(root, name string) string {
	full := plugin + ":" + name
	var folders []string
	for _, dir := range []string{c.p.Cwd, root, c.deps.getenv("CLAUDE_PROJECT_DIR")} {
		if !filepath.IsAbs(dir) {
			continue
		}
		for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) { // the client looks in the folders around, too
			folders = append(folders, filepath.Join(dir, ".claude", "agents"))
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	if home := c.deps.getenv("HOME"); home != "" {
		folders = append(folders, filepath.Join(home, ".claude", "agents"))
	}
	if client := c.deps.getenv("CLAUDE_CONFIG_DIR"); client != "" {
		folders = append(folders, filepath.Join(client, "agents"))
	}
	slices.Sort(folders)
	left := maxAgentFiles
	for _, folder := range slices.Compact(folders) {
		if file := named(folder, full, maxDepth, &left); file != "" {
			return file
		}
	}
	return ""
}

// named looks below a folder, through links as the client does. What cannot be looked
// through to its end counts as found.
func named(folder, full string, depth int, left *int) string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if *left--; *left < 0 || depth == 0 {
			return path
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
		case info.IsDir():
			if file := named(path, full, depth-1, left); file != "" {
				return file
			}
		case strings.EqualFold(filepath.Ext(path), ".md") && info.Mode().IsRegular() && defines(path, full):
			return path
		}
	}
	return ""
}

// defines reports whether an agent's file may give it the name: its head holds it, or
// characters by their numbers, which could spell it.
func defines(path, full string) bool {
	if strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) == full {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return false // nor can the client
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxAgentFile))
	if err != nil {
		return true
	}
	head, _, _ := bytes.Cut(bytes.TrimPrefix(bytes.TrimLeft(text, "\uFEFF \t\r\n"), []byte("---")), []byte("\n---"))
	for _, sign := range []string{full, `\x`, `\u`, `\U`, "\\\n", "\\\r\n"} {
		if bytes.Contains(head, []byte(sign)) {
			return true
		}
	}
	return false
}

func impostorText(file, name string) string {
	return fmt.Sprintf("asterweave: %s may define an agent named %s:%s, which the client would start in place of the plugin's; a person renames or removes it", line(file), plugin, name)
}
