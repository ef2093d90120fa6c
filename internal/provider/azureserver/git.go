package azureserver

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/provider/bare"
)

// head returns the commit of a branch, or "".
func (s *Server) head(ref string) string { return bare.Tip(s.o.Git, ref) }

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
	if s.commits[commit] == "" {
		s.commits[commit] = bare.Tree(s.o.Git, commit)
	}
	return s.commits[commit]
}
