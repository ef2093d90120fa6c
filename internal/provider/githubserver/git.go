package githubserver

import (
	"crypto/sha1"
	"encoding/hex"

	"github.com/asterweave/asterweave/internal/provider/bare"
)

// tip returns the commit of a branch, or "".
func (s *Server) tip(branch string) string {
	if commit := s.tips[branch]; commit != "" {
		return commit
	}
	return bare.Tip(s.o.Git, "refs/heads/"+branch)
}

// Tip lets a branch be at a commit as if somebody had pushed it, until it is called with "".
func (s *Server) Tip(branch, commit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tips[branch] = commit
}

// tree returns the tree of a commit, or "".
func (s *Server) tree(commit string) string {
	if s.commits[commit] == "" {
		s.commits[commit] = bare.Tree(s.o.Git, commit)
	}
	return s.commits[commit]
}

// testMerge names the commit that would merge a head into a base: as many digits as Git's
// ids have, in no repository.
func testMerge(base, head string) string {
	sum := sha1.Sum([]byte("merge " + base + " " + head))
	return hex.EncodeToString(sum[:])
}
