package gitrepo_test

import (
	"bufio"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// plumbing is a git process that answers as long as it is asked, for properties that ask
// hundreds of times.
type plumbing struct {
	in  io.Writer
	out *bufio.Reader
}

func startPlumbing(t *testing.T, dir string, args ...string) *plumbing {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := c.Wait(); err != nil {
			t.Errorf("git %s: %v", strings.Join(args, " "), err)
		}
	})
	return &plumbing{in: in, out: bufio.NewReader(out)}
}

// ask writes a question and returns the answer up to its end, without it.
func (p *plumbing) ask(t failer, question, end string) string {
	t.Helper()
	if _, err := io.WriteString(p.in, question); err != nil {
		t.Fatalf("%v", err)
	}
	var answer []byte
	for !strings.HasSuffix(string(answer), end) {
		part, err := p.out.ReadBytes(end[len(end)-1])
		answer = append(answer, part...)
		if err != nil {
			t.Fatalf("%v after %q", err, answer)
		}
	}
	return strings.TrimSuffix(string(answer), end)
}

// trees stores trees.
type trees struct{ *plumbing }

func startTrees(t *testing.T, dir string) trees {
	t.Helper()
	return trees{startPlumbing(t, dir, "mktree", "-z", "--batch", "--missing")}
}

// store stores a tree with these paths, whose blobs and commits need not exist.
func (s trees) store(t failer, paths map[string]node) string {
	t.Helper()
	var entries strings.Builder
	below := map[string]map[string]node{}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		name, rest, isFolder := strings.Cut(path, "/")
		if isFolder {
			if below[name] == nil {
				below[name] = map[string]node{}
			}
			below[name][rest] = paths[path]
			continue
		}
		mode, id, _ := strings.Cut(string(paths[path]), " ")
		kind := "blob"
		if mode == "160000" {
			kind = "commit"
		}
		entries.WriteString(mode + " " + kind + " " + id + "\t" + name + "\x00")
	}
	for _, name := range slices.Sorted(maps.Keys(below)) {
		entries.WriteString("40000 tree " + s.store(t, below[name]) + "\t" + name + "\x00")
	}
	return s.ask(t, entries.String()+"\x00", "\n")
}

// differences says what differs between trees.
type differences struct{ *plumbing }

func startDifferences(t *testing.T, dir string) differences {
	t.Helper()
	return differences{startPlumbing(t, dir, "diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-abbrev")}
}

// between returns the raw lines of the difference. Git repeats a line that names no trees,
// which is how an answer's end is seen.
func (d differences) between(t failer, from, to string) string {
	t.Helper()
	_, raw, _ := strings.Cut(d.ask(t, from+" "+to+"\nthat is all\n", "that is all\n"), "\n")
	return raw
}
