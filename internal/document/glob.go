package document

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds of a glob. Alternatives are what makes matching expensive: each
// combination of them is tried on its own.
const (
	maxGlobBytes        = 512
	maxGlobs            = 200
	maxGlobAlternatives = 64
)

// InScope reports whether one of the globs matches the path. Globs are doublestar
// patterns rooted at the work tree; **/ matches no folder too. Paths use slashes.
func InScope(globs []string, path string) bool {
	for _, g := range globs {
		if g == path {
			return true
		}
		if alternatives(g) > maxGlobAlternatives {
			continue
		}
		if ok, err := doublestar.Match(g, path); ok && err == nil {
			return true
		}
	}
	return false
}

// Allows reports whether a delivery with this scope may change the path. A path
// that defines gates or CI has to be named literally; the state folder and Git's
// own are never allowed.
func (s Scope) Allows(path string) bool {
	if badPath(path) != "" || protected(path) {
		return false
	}
	if GateDefining(path) {
		return s.Literal(path)
	}
	return InScope(s.Write, path) || InScope(s.Tests, path)
}

// Literal reports whether the scope names the path itself, not by a pattern.
func (s Scope) Literal(path string) bool {
	for _, list := range [][]string{s.Write, s.Tests} {
		for _, g := range list {
			if name, ok := literal(g); ok && name == path {
				return true
			}
		}
	}
	return false
}

// literal returns the one path that a glob without special characters matches.
func literal(glob string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '*', '?', '[', '{', '}':
			return "", false
		case '\\':
			i++
			if i == len(glob) {
				return "", false
			}
		}
		b.WriteByte(glob[i])
	}
	return b.String(), true
}

// globs checks a list of globs.
func (c *checker) globs(field string, list []string) {
	if len(list) > maxGlobs {
		c.add(field, "%d globs are more than %d", len(list), maxGlobs)
		return
	}
	for i, g := range list {
		if why := badGlob(g); why != "" {
			c.add(item(field, i), "%q %s", clip(g, 80), why)
		}
	}
}

// badGlob says what is wrong with a glob, "" when nothing is.
func badGlob(g string) string {
	switch {
	case len(g) > maxGlobBytes:
		return "is too long"
	case alternatives(g) > maxGlobAlternatives:
		return "has too many alternatives"
	case !doublestar.ValidatePattern(g):
		return "is no valid glob"
	case strings.HasSuffix(g, "/"):
		return "matches no file; name the files in the folder with " + strings.TrimRight(g, "/") + "/**"
	}
	for _, one := range expand(g) {
		if why := badPath(strings.ReplaceAll(one, `\`, "")); why != "" {
			return why
		}
	}
	return ""
}

const emptySegment = "has an empty segment"

// badPath says why a path is not one inside the work tree, "" when it is.
func badPath(p string) string {
	switch {
	case p == "":
		return "is empty"
	case strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.HasPrefix(p, `\`):
		return "is not relative to the work tree"
	case len(p) > 1 && p[1] == ':' && isLetter(p[0]):
		return "is not relative to the work tree"
	case strings.ContainsRune(p, 0):
		return "holds a NUL character"
	}
	why := ""
	for segment := range strings.SplitSeq(p, "/") {
		switch segment {
		case "..":
			return "leads outside the work tree"
		case ".":
			why = "has a . segment; paths begin at the work tree, without ./"
		case "":
			if why == "" {
				why = emptySegment
			}
		}
	}
	return why
}

// alternatives returns how many patterns a glob with braces stands for.
func alternatives(g string) int {
	if strings.IndexByte(g, '{') < 0 {
		return 1
	}
	total := 1
	var open []int
	for i := 0; i < len(g) && total <= maxGlobAlternatives; i++ {
		switch g[i] {
		case '\\':
			i++
		case '{':
			open = append(open, 1)
		case ',':
			if len(open) > 0 {
				open[len(open)-1]++
			}
		case '}':
			if len(open) > 0 {
				total *= open[len(open)-1]
				open = open[:len(open)-1]
			}
		}
	}
	return total
}

// protected reports whether the path belongs to Git or to the state of deliveries.
func protected(p string) bool {
	p = strings.ToLower(path.Clean(p))
	if p == StateFolder || strings.HasPrefix(p, StateFolder+"/") {
		return true
	}
	for segment := range strings.SplitSeq(p, "/") {
		if segment == ".git" {
			return true
		}
	}
	return false
}

// catchAll reports whether a glob matches whatever there is.
func catchAll(g string) bool {
	for _, p := range []string{"a", "b.c", "d/e", ".f/g.h", "i j/k/l/m.n.o", "7/8/9"} {
		if !InScope([]string{g}, p) {
			return false
		}
	}
	return true
}

// sample returns a path that the glob matches, or one like it.
func sample(g string) string {
	g = strings.ReplaceAll(g, "**", "x/y")
	g = strings.ReplaceAll(g, "*", "x")
	return strings.ReplaceAll(g, "?", "x")
}

// expand returns the patterns that a glob with braces stands for.
func expand(g string) []string {
	start, end, commas := braces(g)
	if start < 0 {
		return []string{g}
	}
	var out []string
	from := start + 1
	for _, to := range append(commas, end) {
		out = append(out, expand(g[:start]+g[from:to]+g[end+1:])...)
		from = to + 1
	}
	return out
}

// braces finds the first {…} of a glob and the commas between its alternatives;
// start is -1 when there is none.
func braces(g string) (start, end int, commas []int) {
	start = -1
	depth := 0
	for i := 0; i < len(g); i++ {
		switch c := g[i]; {
		case c == '\\':
			i++
		case c == '{':
			if depth++; depth == 1 {
				start = i
			}
		case c == ',' && depth == 1:
			commas = append(commas, i)
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				return start, i, commas
			}
		}
	}
	return -1, 0, nil
}

// fixed returns the folders at the start of a glob that are no pattern.
func fixed(g string) string {
	if name, ok := literal(g); ok {
		return name
	}
	var out []string
	for segment := range strings.SplitSeq(g, "/") {
		name, ok := literal(segment)
		if !ok {
			break
		}
		out = append(out, name)
	}
	return strings.Join(out, "/")
}
