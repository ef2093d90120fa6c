package gitrepo

import (
	"runtime"
	"slices"
	"strings"
	"sync"
)

// scan is what lies at the tracked paths.
type scan struct {
	seen    []fingerprint // one for each entry
	ignores []string      // the .gitignore files in folders with tracked files, sorted
}

// scanPaths looks at the paths of entries, which are sorted. It reads no file.
func scanPaths(root string, entries []entry) scan {
	s := scan{seen: make([]fingerprint, len(entries))}
	workers := min(runtime.GOMAXPROCS(0), 8, len(entries)/512+1)
	size := (len(entries) + workers - 1) / workers
	ignores := make([][]string, workers)
	var wg sync.WaitGroup
	for w := range workers {
		from := min(w*size, len(entries))
		to := min(from+size, len(entries))
		wg.Go(func() {
			p := pathfinder{root: root}
			p.enter("") // also without any tracked file
			for i := from; i < to; i++ {
				s.seen[i] = p.look(entries[i].path)
			}
			ignores[w] = p.ignores
		})
	}
	wg.Wait()
	s.ignores = slices.Concat(ignores...)
	slices.Sort(s.ignores)
	s.ignores = slices.Compact(s.ignores)
	return s
}

// pathfinder looks at sorted paths, and at each folder on their way once. The
// system would follow a symbolic link in place of a folder; git does not.
type pathfinder struct {
	root    string
	stack   []step
	ignores []string
}

// step is a folder on the way to the path that was looked at last.
type step struct {
	dir  string // with a slash at the end, "" for the root
	kind kind   // folder when the way is open, else what a path below it is
}

func (p *pathfinder) look(name string) fingerprint {
	for len(p.stack) > 1 && !strings.HasPrefix(name, p.stack[len(p.stack)-1].dir) {
		p.stack = p.stack[:len(p.stack)-1]
	}
	for {
		top := p.stack[len(p.stack)-1]
		if top.kind != folder {
			return fingerprint{kind: top.kind}
		}
		i := strings.IndexByte(name[len(top.dir):], '/')
		if i < 0 {
			return lstat(p.root + "/" + name)
		}
		p.enter(name[:len(top.dir)+i+1])
	}
}

func (p *pathfinder) enter(dir string) {
	s := step{dir: dir, kind: folder}
	if dir != "" {
		switch k := lstat(p.root + "/" + dir[:len(dir)-1]).kind; k {
		case folder, barred:
			s.kind = k
		case symlink:
			s.kind = shadowed
		default:
			s.kind = absent
		}
	}
	p.stack = append(p.stack, s)
	if s.kind == folder && lstat(p.root+"/"+dir+".gitignore").kind != absent {
		p.ignores = append(p.ignores, dir+".gitignore")
	}
}
