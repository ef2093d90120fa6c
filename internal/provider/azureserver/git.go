package azureserver

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// head returns the commit of a branch, or "".
func (s *Server) head(ref string) string {
	if b, err := os.ReadFile(filepath.Join(s.o.Git, filepath.FromSlash(ref))); err == nil {
		return strings.TrimSpace(string(b))
	}
	packed, err := os.ReadFile(filepath.Join(s.o.Git, "packed-refs"))
	if err != nil {
		return ""
	}
	for line := range strings.SplitSeq(string(packed), "\n") {
		if id, name, ok := strings.Cut(line, " "); ok && name == ref {
			return id
		}
	}
	return ""
}

// heads returns all branches whose name begins with a prefix, as the service's filter does.
func (s *Server) heads(prefix string) []any {
	names := map[string]bool{}
	root := filepath.Join(s.o.Git, "refs", "heads")
	_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error { // a folder that is gone has no branches
		if err == nil && !d.IsDir() && !strings.HasSuffix(name, ".lock") {
			names["refs/heads"+filepath.ToSlash(strings.TrimPrefix(name, root))] = true
		}
		return nil
	})
	packed, _ := os.ReadFile(filepath.Join(s.o.Git, "packed-refs")) // there need be none
	for line := range strings.SplitSeq(string(packed), "\n") {
		if _, name, ok := strings.Cut(line, " "); ok && strings.HasPrefix(name, "refs/heads/") {
			names[name] = true
		}
	}
	var all []any
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if strings.HasPrefix(name, "refs/"+prefix) {
			all = append(all, map[string]any{"name": name, "objectId": s.head(name)})
		}
	}
	return all
}

// tree returns the tree of a commit, or "".
func (s *Server) tree(commit string) string {
	if strings.Trim(commit, "0123456789abcdef") != "" || len(commit) != 40 {
		return ""
	}
	if t := s.commits[commit]; t != "" {
		return t
	}
	t := strings.TrimSpace(s.git("rev-parse", "--verify", "--quiet", commit+"^{tree}"))
	s.commits[commit] = t
	return t
}

func (s *Server) git(args ...string) string {
	c := exec.Command("git", append([]string{"--git-dir=" + s.o.Git}, args...)...)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C"}
	out, err := c.Output()
	if err != nil {
		return "" // there is no such thing
	}
	return string(out)
}
