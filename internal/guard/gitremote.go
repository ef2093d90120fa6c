package guard

import (
	"path/filepath"
	"strings"
)

// remotePath returns the folder of the delivery's remote where it lies on this disk.
func (s *Situation) remotePath() string {
	u := strings.TrimPrefix(s.RemoteURL, "file://")
	if u == "" || strings.Contains(u, ":") {
		return ""
	}
	if !filepath.IsAbs(u) {
		u = filepath.Join(s.Root, u)
	}
	return filepath.Clean(u)
}

// insideRemote refuses what writes into the delivery's remote without a push.
func (g *gitCall) insideRemote() {
	if !g.dir.known || !within(g.w.s.remotePath(), g.dir.path) {
		return
	}
	words, behind, _ := g.positional("mFuC", "format", "sort", "contains", "points-at", "merged", "no-merged")
	switch g.verb {
	case "commit", "merge", "reset", "fetch", "pull", "rebase", "checkout", "switch", "stash", "am", "cherry-pick", "revert", "notes", "worktree", "push", "read-tree", "unpack-objects", "remote":
		if g.verb == "remote" && (len(words) == 0 || words[0].text == "show" || words[0].text == "get-url") || (g.verb == "stash" || g.verb == "notes" || g.verb == "worktree") && len(words) > 0 && words[0].text == "list" {
			return
		}
	case "branch", "tag":
		if len(words)+len(behind) == 0 || g.listing() || g.has("verify", "v") {
			return
		}
	default:
		return
	}
	g.w.add(deny(RulePlumbing, "the delivery's remote would be changed without a push", hintPush))
}
