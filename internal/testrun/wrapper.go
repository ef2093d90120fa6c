package testrun

import (
	"path"
	"slices"
	"strings"
)

// maxWrappers bounds how many wrappers are looked through.
const maxWrappers = 4

// unwrap removes the plain wrappers in front of a runner. It reports false when a
// wrapper does more than start the next program, or when a program is named by a
// path inside the work tree that anybody could have put there.
func unwrap(argv []string) ([]string, bool) {
	for range maxWrappers {
		if len(argv) == 0 || !trusted(argv[0]) {
			return nil, false
		}
		next, wrapped, ok := peel(argv)
		if !ok {
			return nil, false
		}
		if !wrapped {
			return argv, true
		}
		argv = next
	}
	return nil, false
}

// peel removes one wrapper. wrapped is false when argv[0] is none.
func peel(argv []string) (next []string, wrapped, ok bool) {
	name, rest := program(argv[0]), argv[1:]
	switch {
	case name == "env":
		next, ok = peelEnv(rest)
	case name == "npx":
		next, ok = peelNpx(rest)
	case name == "pnpm":
		next, ok = afterWord(rest, "exec")
	case name == "poetry", name == "pipenv", name == "uv":
		next, ok = afterWord(rest, "run")
	case name == "coverage":
		next, ok = peelCoverage(rest)
	case isPython(name):
		next, ok = peelPython(rest)
	default:
		return argv, false, true
	}
	return next, true, ok
}

// peelEnv accepts NAME=VALUE pairs alone. A variable that steers runners would
// change what is run behind argv's back, so it hides the runner; a gate's own env
// is the place for it.
func peelEnv(rest []string) ([]string, bool) {
	for i, a := range rest {
		name, _, isPair := strings.Cut(a, "=")
		if !isPair || strings.HasPrefix(a, "-") {
			return rest[i:], !strings.HasPrefix(a, "-")
		}
		if _, steers := Steers(name); steers {
			return nil, false
		}
	}
	return nil, false
}

// peelNpx accepts the options that only say whether npx may install.
func peelNpx(rest []string) ([]string, bool) {
	for i, a := range rest {
		switch a {
		case "--no-install", "--no", "--yes", "-y", "--":
			continue
		}
		if strings.HasPrefix(a, "-") {
			return nil, false
		}
		out := slices.Clone(rest[i:])
		out[0], _, _ = strings.Cut(a, "@")
		return out, true
	}
	return nil, false
}

func afterWord(rest []string, word string) ([]string, bool) {
	if len(rest) < 2 || rest[0] != word || strings.HasPrefix(rest[1], "-") {
		return nil, false
	}
	return rest[1:], true
}

// peelCoverage looks through "coverage run … -m module".
func peelCoverage(rest []string) ([]string, bool) {
	if len(rest) == 0 || rest[0] != "run" {
		return nil, false
	}
	for i, a := range rest[1:] {
		switch {
		case a == "-m":
			return pythonModule(rest[i+2:])
		case a == "-a", a == "-p", a == "--branch", a == "--append", a == "--parallel-mode":
		case strings.HasPrefix(a, "--") && strings.Contains(a, "="):
		default:
			return nil, false
		}
	}
	return nil, false
}

// peelPython looks through interpreter options up to "-m module".
func peelPython(rest []string) ([]string, bool) {
	for i := 0; i < len(rest); i++ {
		switch a := rest[i]; {
		case a == "-m":
			return pythonModule(rest[i+1:])
		case a == "-X", a == "-W":
			i++
		case strings.HasPrefix(a, "-X"), strings.HasPrefix(a, "-W"):
		case len(a) > 1 && a[0] == '-' && strings.Trim(a[1:], "BEIPRSbdqsuvx") == "":
		default: // a script, -c, or -O, which removes assertions
			return nil, false
		}
	}
	return nil, false
}

// pythonModule turns a module with its arguments into the program of that name.
func pythonModule(rest []string) ([]string, bool) {
	if len(rest) == 0 || (rest[0] != "pytest" && rest[0] != "coverage") {
		return nil, false
	}
	return rest, true
}

// program returns the name of a program without its folder and Windows suffix.
func program(arg string) string {
	base := path.Base(strings.ReplaceAll(arg, `\`, "/"))
	for _, suffix := range []string{".exe", ".cmd"} {
		base = strings.TrimSuffix(base, suffix)
	}
	return base
}

func isPython(name string) bool {
	v, ok := strings.CutPrefix(name, "python")
	return ok && strings.Trim(v, "0123456789.") == ""
}

// trusted refuses programs named by a relative path, except where package
// managers put them. Whether a name or an absolute path leads into the work tree
// is for the caller to see, who knows the tree.
func trusted(arg string) bool {
	p := strings.ReplaceAll(arg, `\`, "/")
	if !strings.Contains(p, "/") || path.IsAbs(p) || (len(p) > 2 && p[1:3] == ":/") {
		return p != ""
	}
	for _, dir := range []string{"node_modules/.bin", ".venv/bin", "venv/bin", ".venv/Scripts", "venv/Scripts"} {
		if d := path.Dir(p); d == dir || strings.HasSuffix(d, "/"+dir) {
			return true
		}
	}
	return false
}
