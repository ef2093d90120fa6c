package sentry

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

// address returns where a URL of a remote leads, so that spellings of one place are the
// same text: host and path without scheme, user and suffix, or the folder that all
// worktrees of a repository on this disk share. A path is relative to base.
func address(url, base string) string {
	if helper, rest, ok := strings.Cut(url, "::"); ok && !strings.ContainsAny(helper, "/:[") {
		return helper + "::" + address(rest, base)
	}
	if scheme, rest, ok := strings.Cut(url, "://"); ok {
		if strings.EqualFold(scheme, "file") {
			return local(rest, base)
		}
		host, path, _ := strings.Cut(rest, "/")
		return remote(host, path)
	}
	// host:path, which a path with a slash before the colon is not
	if host, path, ok := strings.Cut(url, ":"); ok && len(host) > 1 && !strings.ContainsAny(host, `/\`) {
		return remote(host, path)
	}
	return local(url, base)
}

func remote(host, path string) string {
	if i := strings.LastIndexByte(host, '@'); i >= 0 { // what is before may be redacted
		host = host[i+1:]
	}
	host = strings.ToLower(host)
	for _, port := range []string{":22", ":443", ":80", ":9418"} {
		host = strings.TrimSuffix(host, port)
	}
	return host + "/" + strings.TrimSuffix(strings.Trim(path, "/"), ".git")
}

// local returns the folder of the repository at a path, as Git looks for it.
func local(path, base string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	for _, at := range []string{path, path + ".git"} {
		if _, err := os.Stat(at); err != nil {
			continue
		}
		if r, err := gitrepo.Open(at); err == nil {
			if common, err := r.CommonDir(); err == nil {
				return resolved(common)
			}
		}
		if common, err := os.ReadFile(filepath.Join(at, "commondir")); err == nil { // the Git folder of a linked worktree
			if to := strings.TrimSpace(string(common)); filepath.IsAbs(to) {
				return resolved(to)
			}
			return resolved(filepath.Join(at, strings.TrimSpace(string(common))))
		}
		return resolved(at)
	}
	return filepath.Clean(path)
}
