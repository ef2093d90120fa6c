package githubserver

import (
	"crypto/sha1" //nolint:gosec // the name of a commit that nobody stores
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tip returns the commit of a branch, or "".
func (s *Server) tip(branch string) string {
	if commit := s.tips[branch]; commit != "" {
		return commit
	}
	ref := "refs/heads/" + branch
	if b, err := os.ReadFile(filepath.Join(s.o.Git, filepath.FromSlash(ref))); err == nil {
		return strings.TrimSpace(string(b))
	}
	packed, err := os.ReadFile(filepath.Join(s.o.Git, "packed-refs"))
	if err != nil {
		return ""
	}
	for line := range strings.SplitSeq(string(packed), "\n") {
		if id, name, found := strings.Cut(line, " "); found && name == ref {
			return id
		}
	}
	return ""
}

// Tip lets a branch be at a commit as if somebody had pushed it, until it is called with "".
func (s *Server) Tip(branch, commit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tips[branch] = commit
}

// tree returns the tree of a commit, or "".
func (s *Server) tree(commit string) string {
	if strings.Trim(commit, "0123456789abcdef") != "" || len(commit) != 40 {
		return ""
	}
	if t := s.commits[commit]; t != "" {
		return t
	}
	c := exec.Command("git", "--git-dir="+s.o.Git, "rev-parse", "--verify", "--quiet", commit+"^{tree}")
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C"}
	out, err := c.Output()
	if err != nil {
		return "" // there is no such commit
	}
	s.commits[commit] = strings.TrimSpace(string(out))
	return s.commits[commit]
}

// testMerge names the commit that would merge a head into a base. It is in no repository.
func testMerge(base, head string) string {
	sum := sha1.Sum([]byte("merge " + base + " " + head)) //nolint:gosec // as above
	return hex.EncodeToString(sum[:])
}
