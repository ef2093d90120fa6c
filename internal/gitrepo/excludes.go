package gitrepo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ExcludesDigest digests what can hide files, or edits of files, from git without
// being part of the tree: the ignore rules and attributes of the repository, the user
// and the system, the settings that decide which paths git sees and how it stores
// their content (filters, line ends, file modes, case), the patterns of a sparse
// checkout, and all that again for the populated submodules that .gitmodules announces.
// 64 hex digits. A tree that was computed under one digest says nothing about the files
// under another.
func (r *Repo) ExcludesDigest(ctx context.Context) (string, error) {
	list, err := r.config(ctx)
	if err != nil {
		return "", err
	}
	return r.excludesDigest(ctx, list, func() ([]string, error) {
		l, err := r.list(ctx, true)
		if err != nil {
			return nil, err
		}
		var links []string
		for _, t := range l.tracked {
			if t.mode == gitlinkMode {
				links = append(links, t.path)
			}
		}
		return links, nil
	})
}

// excludesDigest is [Repo.ExcludesDigest] with the configuration at hand. The paths of
// the tracked submodules are asked for where they matter.
func (r *Repo) excludesDigest(ctx context.Context, list settingsList, gitlinks func() ([]string, error)) (string, error) {
	common, err := r.CommonDir()
	if err != nil {
		return "", err
	}
	d := newDigest()
	for _, s := range list {
		if converts(s.key) || hides(s.key) {
			// Which file a setting stands in does not matter, its order does.
			d.add("config", s.key, s.value)
		}
	}
	d.addExcludes("info/exclude", filepath.Join(common, "info", "exclude"))
	d.addFile("info/attributes", filepath.Join(common, "info", "attributes"))
	d.addFile("core.excludesFile", list.path("core.excludesfile", "ignore", r.root))
	d.addFile("core.attributesFile", list.path("core.attributesfile", "attributes", r.root))
	d.addFile("system attributes", "/etc/gitattributes")
	if list.isTrue("core.sparsecheckout") {
		d.addFile("sparse-checkout", filepath.Join(r.gitDir, "info", "sparse-checkout"))
	}
	if lstat(filepath.Join(r.root, ".gitmodules")).kind == absent {
		return d.sum(), nil
	}
	links, err := gitlinks()
	if err != nil {
		return "", err
	}
	for _, path := range links {
		sub, err := r.openInner(filepath.Join(r.root, filepath.FromSlash(path)))
		if err != nil {
			continue // not populated
		}
		inner, err := sub.ExcludesDigest(ctx)
		if err != nil {
			return "", fmt.Errorf("submodule %s: %w", path, err)
		}
		d.add("submodule", path, inner)
	}
	return d.sum(), nil
}

// hides reports whether a setting decides which paths git sees.
func hides(key string) bool {
	switch key {
	case "core.excludesfile", "core.ignorecase", "core.precomposeunicode", "core.worktree", "core.bare",
		"core.sparsecheckout", "core.sparsecheckoutcone":
		return true
	}
	return strings.HasPrefix(key, "submodule.") && (strings.HasSuffix(key, ".ignore") || strings.HasSuffix(key, ".active"))
}

// addExcludes is addFile for a list of what is ignored, without the lines that hide
// nothing of a repository: comments, empty ones, and those that Claude Code adds for the
// files of its own runtime (seen with 2.1.197, when it schedules or isolates something).
func (d digest) addExcludes(label, name string) {
	b, err := os.ReadFile(name)
	if err != nil {
		d.addFile(label, name)
		return
	}
	var lines []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\r\n")
		if line != "" && line[0] != '#' && !slices.Contains(clientsOwn(), line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		d.add(label, "none")
		return
	}
	d.add(label, "content", strings.Join(lines, "\n"))
}

// clientsOwn lists the patterns that Claude Code adds to info/exclude.
func clientsOwn() []string {
	return []string{
		"**/.claude/scheduled_tasks.lock", "**/.claude/scheduled_tasks.json", "**/.claude/routines/.state/", "**/.claude/worktrees/",
		"**/.claude/checkpoints/", "**/.claude/mailbox/", "**/.claude/agent-registry.json", "**/.claude/agent-memory-local", "**/.claude/first-run",
		"**/.claude/assistant-daemon-state.json",
	}
}
