package gitrepo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
)

// tracked is a path of the user's index.
type tracked struct {
	path string
	mode string // six octal digits
	oid  string
}

// listing is what git says about the paths of the worktree.
type listing struct {
	tracked   []tracked // sorted by path; only when asked for
	untracked []string  // not ignored, sorted; a nested repository is one entry that ends in a slash
	unknown   []string  // what could not be looked at
}

// Folders of tools that are never a part of the tree while they are untracked:
// the delivery's state, and the worktrees that agents get.
func ownFolder(name string) bool {
	for _, dir := range []string{document.StateFolder, ".claude/worktrees"} {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

// list asks git for the untracked paths and, withTracked, the tracked ones, by
// the user's index.
func (r *Repo) list(ctx context.Context, withTracked bool) (listing, error) {
	args := []string{
		"ls-files", "-z", "--others", "--exclude-standard",
		"--exclude=/" + document.StateFolder + "/", "--exclude=/.claude/worktrees/",
	}
	if withTracked {
		args = append(args, "--stage", "-t")
	}
	out, err := r.run(ctx, call{args: args})
	if err != nil {
		return listing{}, err
	}
	l := listing{unknown: complaints(out.stderr)}
	if !withTracked {
		for _, name := range fields(out.stdout) {
			if !ownFolder(strings.TrimSuffix(name, "/")) {
				l.untracked = append(l.untracked, name)
			}
		}
		slices.Sort(l.untracked)
		return l, nil
	}
	l.tracked = make([]tracked, 0, strings.Count(out.stdout, "\x00"))
	stage := ""
	for line := range strings.SplitSeq(strings.TrimSuffix(out.stdout, "\x00"), "\x00") {
		if line == "" {
			continue
		}
		if name, ok := strings.CutPrefix(line, "? "); ok {
			if !ownFolder(strings.TrimSuffix(name, "/")) {
				l.untracked = append(l.untracked, name)
			}
			continue
		}
		// tag SP mode SP id SP stage TAB path
		meta, name, ok := strings.Cut(line, "\t")
		if !ok || len(meta) < 12 || meta[1] != ' ' || meta[8] != ' ' {
			return listing{}, fmt.Errorf("git ls-files: unexpected line %q", line)
		}
		oid, st, _ := strings.Cut(meta[9:], " ")
		t := tracked{path: name, mode: meta[2:8], oid: oid}
		// An unmerged path has up to three stages; "ours" stands for it.
		if n := len(l.tracked); n > 0 && l.tracked[n-1].path == name {
			if st == "2" || stage == "1" {
				l.tracked[n-1] = t
				stage = st
			}
			continue
		}
		l.tracked = append(l.tracked, t)
		stage = st
	}
	slices.Sort(l.untracked)
	return l, nil
}

// ListTracked returns the paths of the user's index, sorted; a submodule is one
// entry.
func (r *Repo) ListTracked(ctx context.Context) ([]string, error) {
	l, err := r.list(ctx, true)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(l.tracked))
	for i, t := range l.tracked {
		names[i] = t.path
	}
	return names, nil
}

// hiding returns those of ignores, the .gitignore files in folders with tracked
// files, that take themselves, and with them others, out of git's sight: neither
// tracked nor listed as untracked.
func hiding(ignores []string, isTracked func(string) bool, untracked []string) []string {
	var out []string
	for _, name := range ignores {
		if _, listed := slices.BinarySearch(untracked, name); !listed && !isTracked(name) && !ownFolder(name) {
			out = append(out, name)
		}
	}
	return out
}
