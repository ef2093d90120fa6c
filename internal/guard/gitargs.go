package guard

import (
	"strings"
)

// has reports whether an option is there. long names it in full; Git takes any
// beginning of it, so that each beginning counts. short is a letter, alone or among others.
func (g *gitCall) has(long, short string) bool {
	for _, a := range g.args {
		if a.text == "--" {
			return false
		}
		if option(a.text, long, short) {
			return true
		}
	}
	return false
}

func option(text, long, short string) bool {
	switch {
	case strings.HasPrefix(text, "--"):
		name, _, _ := strings.Cut(text[2:], "=")
		return long != "" && len(name) > 0 && strings.HasPrefix(long, name)
	case len(text) > 1 && text[0] == '-' && short != "":
		return strings.Contains(text[1:], short)
	}
	return false
}

// negated reports whether --no-NAME takes an option back.
func (g *gitCall) negated(long string) bool {
	for _, a := range g.args {
		if a.text == "--" {
			return false
		}
		if rest, ok := strings.CutPrefix(a.text, "--no-"); ok && len(rest) > 2 && strings.HasPrefix(long, rest) {
			return true
		}
	}
	return false
}

// abbreviates reports whether a word is a long option, or so much of it that no other is meant.
func abbreviates(text, long string) bool {
	name, _, _ := strings.Cut(text, "=")
	return len(name) > 4 && strings.HasPrefix("--"+long, name)
}

// bundled reports whether a letter is among short options, before one that takes the
// rest as its value.
func bundled(text, short, with string) bool {
	if len(text) < 2 || text[0] != '-' || text[1] == '-' {
		return false
	}
	for _, c := range text[1:] {
		if strings.ContainsRune(short, c) {
			return true
		}
		if strings.ContainsRune(with, c) {
			return false
		}
	}
	return false
}

func takesValue(text, with string) bool {
	return len(text) > 1 && text[0] == '-' && text[1] != '-' && strings.ContainsRune(with, rune(text[len(text)-1]))
}

// positional returns the words that are no options. with names the short options,
// and long those long ones, that take the next word as their value.
func (g *gitCall) positional(with string, long ...string) (out []arg, paths []arg, dashes bool) {
	for i := 0; i < len(g.args); i++ {
		a := g.args[i]
		switch {
		case a.text == "--":
			return out, g.args[i+1:], true
		case strings.HasPrefix(a.text, "--"):
			for _, l := range long {
				if a.text == "--"+l {
					i++
					break
				}
			}
		case len(a.text) > 1 && a.text[0] == '-':
			if takesValue(a.text, with) && !bundledBefore(a.text, with) {
				i++
			}
		default:
			out = append(out, a)
		}
	}
	return out, nil, false
}

// bundledBefore reports whether an earlier letter already took the rest as its value.
func bundledBefore(text, with string) bool {
	for _, c := range text[1 : len(text)-1] {
		if strings.ContainsRune(with, c) {
			return true
		}
	}
	return false
}

// vague reports whether a word of the call could be an option that nobody sees.
func (g *gitCall) vague() bool {
	for _, a := range g.args {
		if a.text == "--" {
			return false
		}
		if a.vague() {
			return true
		}
	}
	return false
}

// gitVerb reports whether a word is a command of Git itself, which no alias can hide.
func gitVerb(verb string) bool {
	switch verb {
	case "add", "am", "annotate", "apply", "archive", "bisect", "blame", "branch", "bugreport", "bundle", "cat-file", "check-attr", "check-ignore", "check-mailmap",
		"check-ref-format", "checkout", "checkout-index", "cherry", "cherry-pick", "citool", "clean", "clone", "column", "commit", "commit-graph", "commit-tree", "config",
		"count-objects", "credential", "credential-cache", "credential-store", "cvsexportcommit", "cvsimport", "cvsserver", "daemon", "describe", "diagnose", "diff", "diff-files",
		"diff-index", "diff-tree", "difftool", "fast-export", "fast-import", "fetch", "fetch-pack", "filter-branch", "filter-repo", "fmt-merge-msg", "for-each-ref", "for-each-repo",
		"format-patch", "fsck", "gc", "get-tar-commit-id", "grep", "gui", "hash-object", "help", "hook", "http-backend", "http-fetch", "http-push", "imap-send", "index-pack",
		"init", "init-db", "instaweb", "interpret-trailers", "log", "ls-files", "ls-remote", "ls-tree", "mailinfo", "mailsplit", "maintenance", "merge", "merge-base", "merge-file",
		"merge-index", "merge-one-file", "merge-tree", "mergetool", "mktag", "mktree", "multi-pack-index", "mv", "name-rev", "notes", "p4", "pack-objects", "pack-redundant",
		"pack-refs", "patch-id", "prune", "prune-packed", "pull", "push", "quiltimport", "range-diff", "read-tree", "rebase", "receive-pack", "reflog", "refs", "remote", "remote-ext",
		"remote-fd", "remote-ftp", "remote-http", "remote-https", "repack", "replace", "replay", "request-pull", "rerere", "reset", "restore", "rev-list", "rev-parse", "revert", "rm",
		"send-email", "send-pack", "shell", "shortlog", "show", "show-branch", "show-index", "show-ref", "sparse-checkout", "stage", "stash", "status", "stripspace", "submodule",
		"subtree", "svn", "switch", "symbolic-ref", "tag", "unpack-file", "unpack-objects", "update-index", "update-ref", "update-server-info", "upload-archive", "upload-pack",
		"var", "verify-commit", "verify-pack", "verify-tag", "version", "whatchanged", "worktree", "write-tree", "backfill", "last-modified", "repo":
		return true
	}
	return false
}
