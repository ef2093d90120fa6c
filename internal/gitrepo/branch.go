package gitrepo

import (
	"fmt"
	"strings"
)

// BranchNameError says that a name is no plain branch name.
type BranchNameError struct {
	Name string
	Why  string
}

func (e *BranchNameError) Error() string {
	return fmt.Sprintf("not a branch name: %q %s", e.Name, e.Why)
}

// CheckBranch refuses what is no plain name of a branch: what git check-ref-format
// --branch refuses, and names that git or a reader could take for another ref (HEAD,
// @, refs/…, remotes/…). It expands nothing, so @{-1} is refused too. The error is a
// [BranchNameError].
func CheckBranch(name string) error {
	if why := branchFault(name); why != "" {
		return &BranchNameError{Name: name, Why: why}
	}
	return nil
}

// branchFault returns why name is no branch name, "" if it is one. The rules are
// those of git-check-ref-format(1), in its order, for refs/heads/<name>.
func branchFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case name == "HEAD" || name == "@":
		return "stands for the head"
	case name == "refs" || name == "remotes" || strings.HasPrefix(name, "refs/") || strings.HasPrefix(name, "remotes/"):
		return "names a ref, not a branch"
	case strings.HasPrefix(name, "-"):
		return "begins like an option"
	case strings.Contains(name, ".."):
		return "contains .."
	case strings.HasSuffix(name, "."):
		return "ends with a dot"
	case strings.Contains(name, "@{"):
		return "contains @{"
	}
	for component := range strings.SplitSeq(name, "/") {
		switch {
		case component == "":
			return "has an empty part between slashes"
		case strings.HasPrefix(component, "."):
			return "has a part that begins with a dot"
		case strings.HasSuffix(component, ".lock"):
			return "has a part that ends with .lock"
		}
	}
	for _, b := range []byte(name) {
		if b <= ' ' || b == 0x7f || strings.IndexByte(`~^:?*[\`, b) >= 0 {
			return fmt.Sprintf("contains %q", b)
		}
	}
	return ""
}
