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
			p := newPathfinder(root) // which enters the root, also without any tracked file
			defer p.close()
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

// pathfinder looks at sorted paths, and at each folder on their way once: by its
// handle, so that the system neither walks the whole way for each path nor follows a
// symbolic link in place of a folder, as git does not.
type pathfinder struct {
	stack   []step
	ignores []string
}

// step is a folder on the way to the path that was looked at last.
type step struct {
	dir    string // with a slash at the end, "" for the root
	kind   kind   // folder when the way is open, else what a path below it is
	handle handle // of a folder
}

func newPathfinder(root string) *pathfinder {
	p := &pathfinder{}
	p.push("", openFolder(root))
	return p
}

func (p *pathfinder) close() {
	for len(p.stack) > 0 {
		p.pop()
	}
}

func (p *pathfinder) look(name string) fingerprint {
	for len(p.stack) > 1 && !strings.HasPrefix(name, p.stack[len(p.stack)-1].dir) {
		p.pop()
	}
	for {
		top := p.stack[len(p.stack)-1]
		if top.kind != folder {
			return fingerprint{kind: top.kind}
		}
		rest := name[len(top.dir):]
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			return top.handle.lstat(rest)
		}
		p.push(name[:len(top.dir)+i+1], top.handle.open(rest[:i]))
	}
}

func (p *pathfinder) push(dir string, o opened) {
	p.stack = append(p.stack, step{dir: dir, kind: o.kind, handle: o.handle})
	if o.kind == folder && o.handle.lstat(".gitignore").kind != absent {
		p.ignores = append(p.ignores, dir+".gitignore")
	}
}

func (p *pathfinder) pop() {
	if top := p.stack[len(p.stack)-1]; top.kind == folder {
		top.handle.close()
	}
	p.stack = p.stack[:len(p.stack)-1]
}

// opened is what lies at the place of a folder: with a handle if it is one, else what
// paths below it are.
type opened struct {
	kind   kind // folder, absent, shadowed or barred
	handle handle
}
