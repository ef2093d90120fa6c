package gitrepo_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

// benchRepo is the repository that all benchmarks share: making it takes longer than
// measuring.
var benchRepo string

// large returns a repository with 50,000 files in 2,500 folders, at rest.
func large(b *testing.B) string {
	b.Helper()
	if benchRepo == "" {
		parent, err := os.MkdirTemp("", "gitrepo-bench-")
		if err != nil {
			b.Fatal(err)
		}
		benchRepo = filepath.Join(parent, "repo")
		git(b, parent, "init", "-q", "-b", "main", benchRepo)
		for d := range 2500 {
			for f := range 20 {
				write(b, benchRepo, fmt.Sprintf("pkg%02d/mod%02d/file%02d.go", d/50, d%50, f),
					strings.Repeat(fmt.Sprintf("// %d %d\n", d, f), 10))
			}
		}
		commit(b, benchRepo, "all")
		// Until files and index are older than a second, git reads them again.
		time.Sleep(1100 * time.Millisecond)
	}
	status(b, benchRepo)
	return benchRepo
}

func status(b *testing.B, dir string) {
	b.Helper()
	cmd := exec.Command("git", "status", "--porcelain")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
}

func BenchmarkGitStatus50k(b *testing.B) {
	dir := large(b)
	for b.Loop() {
		status(b, dir)
	}
}

func BenchmarkTree50k(b *testing.B) {
	dir := large(b)
	treeID(b, dir)
	treeID(b, dir)
	for b.Loop() {
		treeID(b, dir)
	}
}

// One file changes before each computation, and one is new.
func BenchmarkTree50kEdited(b *testing.B) {
	dir := large(b)
	treeID(b, dir)
	n := 0
	for b.Loop() {
		n++
		write(b, dir, "pkg10/mod10/file10.go", fmt.Sprint(n), "pkg20/mod20/new.go", "new")
		treeID(b, dir)
	}
}

func BenchmarkTree50kCold(b *testing.B) {
	dir := large(b)
	b.ResetTimer()
	for b.Loop() {
		known(b, dir, gitrepo.TreeOptions{Fresh: true})
	}
}

// Comparisons beside git's own, one and six in a row: of a single change, and of one in
// each folder.
func BenchmarkChanged20k(b *testing.B) {
	dir := b.TempDir()
	git(b, dir, "init", "-q")
	paths := map[string]node{}
	for i := range 20_000 {
		paths[fmt.Sprintf("pkg%02d/mod%02d/file%02d", i/1000, i/50%20, i%50)] = node("100644 " + strings.Repeat("1", 40))
	}
	from := storeTree(b, dir, dir, paths)
	other := node("100644 " + strings.Repeat("2", 40))
	paths["pkg07/mod11/file07"] = other
	one := storeTree(b, dir, dir, paths)
	for i := 0; i < 20_000; i += 50 {
		paths[fmt.Sprintf("pkg%02d/mod%02d/file%02d", i/1000, i/50%20, i%50)] = other
	}
	each := storeTree(b, dir, dir, paths)
	r := open(b, dir)
	for _, c := range []struct {
		name, to string
		times    int
	}{{"one", one, 1}, {"one, six times", one, 6}, {"each", each, 1}, {"each, six times", each, 6}} {
		b.Run(c.name, func(b *testing.B) {
			var ours, gits time.Duration
			for b.Loop() {
				began := time.Now()
				o := r.Objects()
				for range c.times {
					if got, err := o.Changed(b.Context(), from, c.to); err != nil || len(got) == 0 {
						b.Fatal(got, err)
					}
				}
				if err := o.Close(); err != nil {
					b.Fatal(err)
				}
				ours += time.Since(began)
				began = time.Now()
				for range c.times {
					diffTree(b, dir, from, c.to)
				}
				gits += time.Since(began)
			}
			b.ReportMetric(float64(ours.Microseconds())/1000/float64(b.N), "ours-ms/op")
			b.ReportMetric(float64(gits.Microseconds())/1000/float64(b.N), "git-ms/op")
			b.ReportMetric(float64(ours)/float64(gits), "ratio")
		})
	}
}
