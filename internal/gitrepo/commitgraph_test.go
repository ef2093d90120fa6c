package gitrepo_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// graph is a commit-graph file, as gitformat-commit-graph(5) says.
type graph struct {
	t      *testing.T
	data   []byte
	oids   int // where the ids begin
	commit int // where what is known of the commits begins
	count  int
}

func readGraph(t *testing.T, name string) graph {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	g := graph{t: t, data: data}
	for i := range int(data[6]) {
		row := data[8+12*i:]
		at := int(binary.BigEndian.Uint64(row[4:]))
		switch string(row[:4]) {
		case "OIDF":
			g.count = int(binary.BigEndian.Uint32(data[at+255*4:]))
		case "OIDL":
			g.oids = at
		case "CDAT":
			g.commit = at
		}
	}
	return g
}

func (g graph) position(id string) int {
	g.t.Helper()
	raw, err := hex.DecodeString(id)
	if err != nil {
		g.t.Fatal(err)
	}
	for i := range g.count {
		if bytes.Equal(g.data[g.oids+20*i:][:20], raw) {
			return i
		}
	}
	g.t.Fatalf("%s is not in the graph", id)
	return 0
}

// adopt makes parent the first parent of child, one generation below.
func (g graph) adopt(child, parent string) {
	g.t.Helper()
	to, from := g.data[g.commit+36*g.position(child):], g.data[g.commit+36*g.position(parent):]
	binary.BigEndian.PutUint32(to[20:], uint32(g.position(parent)))
	generation := binary.BigEndian.Uint32(from[28:])>>2 + 1
	binary.BigEndian.PutUint32(to[28:], generation<<2|binary.BigEndian.Uint32(to[28:])&3)
}

// Parents are what the commits say: the cache of them lies where anybody can write, and
// git does not compare the two.
func TestForgedCommitGraph(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	base := commit(t, dir, "second")
	git(t, dir, "checkout", "-q", "--orphan", "stranger")
	stranger := commit(t, dir, "stranger")
	tip := commit(t, dir, "tip") // what an argument names is read from the object in any case
	git(t, dir, "-c", "commitGraph.generationVersion=1", "commit-graph", "write", "--reachable")
	file := filepath.Join(dir, ".git", "objects", "info", "commit-graph")
	g := readGraph(t, file)
	g.adopt(stranger, base)
	g.adopt(tip, stranger)
	replace := func(data []byte) {
		t.Helper()
		if err := os.Remove(file); err != nil { // git made it read-only
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	replace(g.data)
	believes := exec.Command("git", "merge-base", "--is-ancestor", base, tip)
	believes.Dir = dir
	if err := believes.Run(); err != nil {
		t.Skipf("this git does not believe the forged graph: %v", err)
	}
	honest := func(what string) {
		t.Helper()
		r := open(t, dir)
		if got, err := r.IsAncestor(t.Context(), base, tip); err != nil || got {
			t.Errorf("%s: ancestor %v %v", what, got, err)
		}
		if got, err := mergeBase(t.Context(), r, "", "main"); err == nil {
			t.Errorf("%s: merge base %q", what, got)
		}
		if got, err := r.Commits(t.Context(), "", "HEAD"); err != nil || len(got) != 2 {
			t.Errorf("%s: %d commits %v", what, len(got), err)
		}
	}
	honest("forged")
	replace([]byte("garbage"))
	honest("garbage")
}
