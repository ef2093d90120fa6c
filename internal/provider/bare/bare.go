// Package bare reads a bare repository for the stand-ins of services, which are pushed to
// by Git itself.
package bare

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Tip returns the commit that a ref is at, "" where there is no such ref. It starts no
// process.
func Tip(repository, ref string) string {
	if b, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(ref))); err == nil {
		return strings.TrimSpace(string(b))
	}
	packed, err := os.ReadFile(filepath.Join(repository, "packed-refs"))
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

// Tree returns the tree of a commit, given by its full id; "" where there is none.
func Tree(repository, commit string) string {
	if strings.Trim(commit, "0123456789abcdef") != "" || len(commit) != 40 {
		return ""
	}
	c := exec.Command("git", "--git-dir="+repository, "rev-parse", "--verify", "--quiet", commit+"^{tree}")
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C"} // nobody's settings reach it
	out, err := c.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
