package hook

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// diffFiles returns the files whose change a printed diff shows, sorted. A header
// without anything of the change behind it shows nothing. Lines inside a hunk are
// counted, so that a changed line which looks like a header is none.
func diffFiles(out string) []string {
	var s diffScan
	for l := range strings.Lines(out) {
		s.line(strings.TrimRight(l, "\r\n"))
	}
	s.end()
	slices.Sort(s.files)
	return slices.Compact(s.files)
}

// diffScan is where in a diff a reader is.
type diffScan struct {
	files    []string
	names    []string // of the section, both sides
	shown    bool     // something of its change was printed
	old, new int      // lines that the hunk still has
	dead     bool     // what follows is read again at the next section
}

func (s *diffScan) line(l string) {
	if s.old > 0 || s.new > 0 {
		if s.inHunk(l) {
			return
		}
		s.old, s.new = 0, 0
	}
	if rest, ok := strings.CutPrefix(l, "diff --git "); ok {
		s.end()
		s.names = both(rest)
		return
	}
	for _, combined := range []string{"diff --cc ", "diff --combined "} {
		if rest, ok := strings.CutPrefix(l, combined); ok {
			s.end()
			s.names = []string{unquote(rest)}
			return
		}
	}
	if s.names != nil && !s.dead {
		s.header(l)
	}
}

// inHunk reports whether the line belongs to the hunk.
func (s *diffScan) inHunk(l string) bool {
	switch {
	case l == "", l[0] == ' ':
		s.old--
		s.new--
	case l[0] == '-':
		s.old--
	case l[0] == '+':
		s.new--
	case l[0] != '\\':
		return false
	}
	return true
}

func (s *diffScan) header(l string) {
	for _, p := range []string{"--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to "} {
		name, ok := strings.CutPrefix(l, p)
		if !ok {
			continue
		}
		name = unquote(strings.TrimSuffix(name, "\t"))
		if p == "--- " || p == "+++ " {
			name = prefixless(name)
		} else {
			s.shown = true
		}
		if name != "/dev/null" {
			s.names = append(s.names, name)
		}
		return
	}
	switch {
	case strings.HasPrefix(l, "@@ "):
		s.old, s.new = hunk(l)
		s.shown = true
	case strings.HasPrefix(l, "@@@"):
		s.shown, s.dead = true, true // the lines of a combined diff are not counted
	case strings.HasPrefix(l, "new file mode "), strings.HasPrefix(l, "deleted file mode "), strings.HasPrefix(l, "old mode "),
		strings.HasPrefix(l, "Binary files "), l == "GIT binary patch":
		s.shown = true
	case strings.HasPrefix(l, "index "), strings.HasPrefix(l, "new mode "), strings.HasPrefix(l, "similarity index "), strings.HasPrefix(l, "dissimilarity index "):
	default:
		s.dead = true
	}
}

func (s *diffScan) end() {
	if s.shown {
		for _, n := range s.names {
			if filepath.IsLocal(filepath.FromSlash(n)) {
				s.files = append(s.files, n)
			}
		}
	}
	*s = diffScan{files: s.files}
}

// hunk reads the line counts of "@@ -1,2 +3,4 @@"; without one it is 1.
func hunk(l string) (before, after int) {
	fields := strings.Fields(l)
	if len(fields) < 4 {
		return 0, 0
	}
	return count(fields[1]), count(fields[2])
}

func count(span string) int {
	_, n, ok := strings.Cut(span, ",")
	if !ok {
		return 1
	}
	c, err := strconv.Atoi(n)
	if err != nil {
		return 0
	}
	return c
}

// both returns the name out of "a/NAME b/NAME", for changes without other headers:
// the two halves are equal but for their prefix. Else it returns an empty list.
func both(rest string) []string {
	if strings.HasPrefix(rest, `"`) {
		if i := strings.Index(rest, `" "`); i > 0 {
			return []string{prefixless(unquote(rest[:i+1]))}
		}
		return []string{}
	}
	half := len(rest) / 2
	if len(rest)%2 == 0 || rest[half] != ' ' {
		return []string{}
	}
	a, b := prefixless(rest[:half]), prefixless(rest[half+1:])
	if a != b {
		return []string{}
	}
	return []string{a}
}

// prefixless takes off git's prefix of a side: a/, b/, or i/, w/, c/, o/.
func prefixless(name string) string {
	if len(name) > 2 && name[1] == '/' && strings.IndexByte("abiwco", name[0]) >= 0 {
		return name[2:]
	}
	return name
}

// unquote reads a name that git quoted as C does.
func unquote(name string) string {
	if strings.HasPrefix(name, `"`) {
		if s, err := strconv.Unquote(name); err == nil {
			return s
		}
	}
	return name
}
