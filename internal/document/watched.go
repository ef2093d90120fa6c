package document

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

//go:embed watched.txt
var watchedText string

// GateDefining reports whether the path defines gates or CI, so that changing it
// could change what a pass means. Case is folded: some file systems do.
func GateDefining(path string) bool { return watchedPaths().has(path, 'G') }

// AlwaysCounts reports whether a change of the path ends the currency of every
// gate, whatever inputs it names: lock files, build and CI configuration, schemas.
func AlwaysCounts(path string) bool { return watchedPaths().has(path, 'I') }

// watched is the list of watched.txt. Most entries are a plain file name or an
// ending, so that few globs have to be tried.
type watched struct {
	names   map[string]string // file name → marks
	endings map[string]string // ".mk" → marks
	globs   []watchedGlob
}

type watchedGlob struct{ glob, marks string }

//nolint:gochecknoglobals // the embedded list, parsed once and never changed
var watchedPaths = sync.OnceValue(func() watched { return parseWatched(watchedText) })

func parseWatched(text string) watched {
	w := watched{names: map[string]string{}, endings: map[string]string{}}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		marks, glob := fields[0], strings.ToLower(fields[1])
		name, anywhere := strings.CutPrefix(glob, "**/")
		ending, star := strings.CutPrefix(name, "*")
		switch {
		case anywhere && !strings.ContainsAny(name, "*?[{\\/"):
			w.names[name] = marks
		case anywhere && star && strings.LastIndexByte(ending, '.') == 0 && !strings.ContainsAny(ending, "*?[{\\/"):
			w.endings[ending] = marks
		default:
			w.globs = append(w.globs, watchedGlob{glob, marks})
		}
	}
	return w
}

func (w watched) has(path string, mark byte) bool {
	path = strings.ToLower(path)
	name := path[strings.LastIndexByte(path, '/')+1:]
	if strings.IndexByte(w.names[name], mark) >= 0 {
		return true
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 && strings.IndexByte(w.endings[name[dot:]], mark) >= 0 {
		return true
	}
	for _, g := range w.globs {
		if strings.IndexByte(g.marks, mark) >= 0 && doublestar.MatchUnvalidated(g.glob, path) {
			return true
		}
	}
	return false
}
