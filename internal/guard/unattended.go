package guard

import "strings"

// local reports whether the words behind git do what each delivery has to do in its own
// worktree: begin a branch, stage, commit, and push what a person confirmed. With a person
// there, the client's own rules are about that. Where nobody is, the client refuses what
// is not allowed, and so it is allowed here; what git is not to do is judged all the same.
func (w *walker) local(args []arg, e *env) bool {
	if w.s.Attended || len(args) == 0 || !e.dir.known || !within(w.s.Root, e.dir.path) {
		return false
	}
	for _, a := range args {
		if a.dim() {
			return false
		}
	}
	switch args[0].text {
	case "add", "commit", "push":
		return true
	case "switch":
		return begins(args[1:], "-c", "--create")
	case "checkout":
		return begins(args[1:], "-b")
	}
	return false
}

// begins reports whether the words name a new branch and nothing that they would check
// out over files.
func begins(args []arg, options ...string) bool {
	at := -1
	for i, a := range args {
		for _, o := range options {
			if a.text == o {
				at = i
			}
		}
	}
	if at < 0 {
		return false
	}
	for i, a := range args {
		switch {
		case i == at, i == at+1, a.text == "-q", a.text == "--quiet":
		case i > at+1 && i == len(args)-1 && !strings.HasPrefix(a.text, "-"): // where it begins
		default:
			return false
		}
	}
	return true
}
