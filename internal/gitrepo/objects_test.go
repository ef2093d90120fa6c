package gitrepo_test

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/gitrepo"
)

// failer is what a test and a property have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// feed runs git with an input and, with an index, on that.
func feed(t failer, dir, index, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	if index != "" {
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

// node is what a tree has at a path, in the format of git update-index: mode and id.
type node string

// storeTree stores a tree with these paths, whose blobs and commits need not exist.
func storeTree(t failer, dir, scratch string, paths map[string]node) string {
	t.Helper()
	var in strings.Builder
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		fmt.Fprintf(&in, "%s\t%s\x00", paths[name], name)
	}
	index := filepath.Join(scratch, "index")
	_ = os.Remove(index)
	feed(t, dir, index, in.String(), "update-index", "-z", "--index-info")
	return strings.TrimSpace(feed(t, dir, index, "", "write-tree", "--missing-ok"))
}

// diffTree returns what git says that differs.
func diffTree(t failer, dir, from, to string) []gitrepo.Change {
	t.Helper()
	return changesIn(feed(t, dir, "", "", "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to))
}

// changesIn reads what git diff-tree -z --raw printed.
func changesIn(raw string) []gitrepo.Change {
	var changes []gitrepo.Change
	f := strings.Split(raw, "\x00")
	for i := 0; i+1 < len(f); i += 2 {
		m := strings.Fields(strings.TrimPrefix(f[i], ":"))
		c := gitrepo.Change{Path: f[i+1], Status: m[4][0], OldMode: m[0], NewMode: m[1], Old: m[2], New: m[3]}
		if c.Status == 'A' {
			c.Old = ""
		}
		if c.Status == 'D' {
			c.New = ""
		}
		changes = append(changes, c)
	}
	slices.SortFunc(changes, func(a, b gitrepo.Change) int { return cmp.Compare(a.Path, b.Path) })
	return changes
}

// put sets a path, and removes what cannot be beside it.
func put(paths map[string]node, name string, n node) {
	for other := range paths {
		if strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/") {
			delete(paths, other)
		}
	}
	paths[name] = n
}

func bare(t *testing.T, format string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	git(t, filepath.Dir(dir), "init", "-q", "--object-format="+format, dir)
	return dir
}

// Whatever two trees hold, what differs is what git says.
func TestChangedAsGit(t *testing.T) {
	for format, digits := range map[string]int{"sha1": 40, "sha256": 64} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			dir := bare(t, format)
			stored, differ := startTrees(t, dir), startDifferences(t, dir)
			name := rapid.SampledFrom([]string{"a", "b", "a.b", "a-", "a0", "A", "ü", "\xff\xfe", "q\"uote'", "new\nline", " ", "tab\t", "\\", "*", "-x"})
			path := rapid.Custom(func(t *rapid.T) string {
				return strings.Join(rapid.SliceOfN(name, 1, 5).Draw(t, "names"), "/")
			})
			entry := rapid.Custom(func(t *rapid.T) node {
				mode := rapid.SampledFrom([]string{"100644", "100644", "100755", "120000", "160000"}).Draw(t, "mode")
				return node(mode + " " + strings.Repeat(rapid.SampledFrom([]string{"1", "2", "a"}).Draw(t, "id"), digits))
			})
			// One process for all comparisons, as a user of it would.
			o := open(t, dir).Objects()
			defer o.Close()
			rapid.Check(t, func(t *rapid.T) {
				from := map[string]node{}
				for range rapid.IntRange(0, 25).Draw(t, "paths") {
					put(from, path.Draw(t, "path"), entry.Draw(t, "entry"))
				}
				to := maps.Clone(from)
				for range rapid.IntRange(0, 8).Draw(t, "edits") {
					old := ""
					if len(to) > 0 {
						old = rapid.SampledFrom(slices.Sorted(maps.Keys(to))).Draw(t, "old")
					}
					switch rapid.IntRange(0, 4).Draw(t, "edit") {
					case 0:
						delete(to, old)
					case 1:
						put(to, strings.TrimPrefix(old+"/"+name.Draw(t, "below"), "/"), entry.Draw(t, "entry")) // a file becomes a folder
					case 2:
						if above, _, ok := strings.Cut(old, "/"); ok {
							put(to, above, entry.Draw(t, "entry")) // a folder becomes a file
						}
					case 3:
						if old != "" {
							to[old] = entry.Draw(t, "entry")
						}
					default:
						put(to, path.Draw(t, "path"), entry.Draw(t, "entry"))
					}
				}
				a, b := stored.store(t, from), stored.store(t, to)
				check := func(from, to, oracle string) {
					got, err := o.Changed(t.Context(), from, to)
					if err != nil {
						t.Fatalf("%v", err)
					}
					if diff := gocmp.Diff(changesIn(differ.between(t, oracle, to)), got); diff != "" {
						t.Fatalf("%s", diff)
					}
				}
				check(a, b, a)
				check(b, a, b)
				check("", b, gitrepo.EmptyTree(b))
			})
		})
	}
}

// Names of revisions, tags and commits stand for their trees.
func TestChangedRevisions(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		dir := newRepo(t, "--object-format="+format)
		first := git(t, dir, "rev-parse", "HEAD")
		write(t, dir, "src/deep/er/b.go", "edited\n")
		commit(t, dir, "second")
		git(t, dir, "tag", "-a", "-m", "x", "v1")
		git(t, dir, "tag", "-a", "-m", "x", "v2", "v1")
		want := diffTree(t, dir, first, "HEAD")
		if len(want) != 1 {
			t.Fatalf("%+v", want)
		}
		r := open(t, dir)
		for _, from := range []string{first, first[:12], "HEAD~1", "HEAD^{tree}~0^{tree}", git(t, dir, "rev-parse", first+"^{tree}"), strings.ToUpper(first)} {
			for _, to := range []string{"HEAD", "HEAD^{tree}", "main", "refs/heads/main", "v1", "v2", git(t, dir, "rev-parse", "v2"), git(t, dir, "rev-parse", "HEAD^{tree}")} {
				got, err := r.Changed(t.Context(), from, to)
				if strings.Contains(from, "~0") {
					if err == nil {
						t.Errorf("%s is no revision", from)
					}
					continue
				}
				if diff := gocmp.Diff(want, got); diff != "" || err != nil {
					t.Errorf("%s..%s: %v %s", from, to, err, diff)
				}
			}
		}
		blob := git(t, dir, "rev-parse", "HEAD:README.md")
		for _, to := range []string{blob, "HEAD:README.md", "nowhere", strings.Repeat("1", len(first)), strings.Repeat("1", 104-len(first)), "", "--all", "a..b"} {
			if got, err := r.Changed(t.Context(), "HEAD", to); err == nil {
				t.Errorf("%q: %v", to, got)
			}
		}
	}
}

// rawTree stores a tree object as it is given: mode, name, id and so on.
func rawTree(t *testing.T, dir string, fields ...string) string {
	t.Helper()
	var body []byte
	for i := 0; i < len(fields); i += 3 {
		body = append(body, fields[i]+" "+fields[i+1]+"\x00"...)
		id, err := hex.DecodeString(fields[i+2])
		if err != nil {
			t.Fatal(err)
		}
		body = append(body, id...)
	}
	return strings.TrimSpace(feed(t, dir, "", string(body), "hash-object", "-t", "tree", "-w", "--literally", "--stdin"))
}

// Trees that git does not write today.
func TestOddTrees(t *testing.T) {
	t.Parallel()
	dir := bare(t, "sha1")
	one, two := strings.Repeat("1", 40), strings.Repeat("2", 40)
	r := open(t, dir)
	// Permissions of old, and the tree without entries as a folder.
	sub := rawTree(t, dir, "100664", "x", one)
	old := rawTree(t, dir, "100664", "a", one, "100775", "b", one, "100600", "c", one, "040000", "d", sub, "040000", "e", gitrepo.EmptyTree(one), "100610", "f", one)
	now := rawTree(t, dir, "100644", "a", one, "100644", "b", one, "100600", "c", two, "40000", "d", sub, "160000", "e", one, "100644", "f", one)
	for _, pair := range [][2]string{{old, now}, {now, old}} {
		got, err := r.Changed(t.Context(), pair[0], pair[1])
		if diff := gocmp.Diff(diffTree(t, dir, pair[0], pair[1]), got); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	}
	// What holds nothing would pass for a folder without entries, and a folder for a file.
	empty := strings.TrimSpace(feed(t, dir, "", "", "hash-object", "-w", "--stdin"))
	var refused *gitrepo.ObjectError
	if got, ok, err := r.File(t.Context(), rawTree(t, dir, "100644", "a", sub), "a"); !errors.As(err, &refused) {
		t.Errorf("%q %v %v", got, ok, err)
	}
	for what, id := range map[string]string{
		"below, a file":     rawTree(t, dir, "40000", "a", empty),
		"repeated":          rawTree(t, dir, "100644", "a", one, "100644", "a", two),
		"out of order":      rawTree(t, dir, "100644", "b", one, "100644", "a", one),
		"file and folder":   rawTree(t, dir, "100644", "a", one, "100644", "a.b", one, "40000", "a", sub),
		"no name":           rawTree(t, dir, "100644", "", one),
		"slash":             rawTree(t, dir, "100644", "a/b", one),
		"dots":              rawTree(t, dir, "100644", "..", one),
		"dot":               rawTree(t, dir, "100644", ".", one),
		"no octal":          rawTree(t, dir, "100648", "a", one),
		"sign":              rawTree(t, dir, "+100644", "a", one),
		"no mode":           rawTree(t, dir, "", "a", one),
		"cut":               rawTree(t, dir, "100644", "a", one[:38]),
		"below, a blob":     rawTree(t, dir, "40000", "a", strings.TrimSpace(feed(t, dir, "", "x", "hash-object", "-w", "--stdin"))),
		"below, is missing": rawTree(t, dir, "40000", "a", one),
		"commit of a blob":  strings.TrimSpace(feed(t, dir, "", "tree "+strings.TrimSpace(feed(t, dir, "", "x", "hash-object", "-w", "--stdin"))+"\n\nx\n", "hash-object", "-t", "commit", "-w", "--literally", "--stdin")),
		"commit of nothing": strings.TrimSpace(feed(t, dir, "", "parent "+one+"\n\nx\n", "hash-object", "-t", "commit", "-w", "--literally", "--stdin")),
	} {
		changes, err := r.Changed(t.Context(), "", id)
		if !errors.As(err, &refused) {
			t.Errorf("%s: %+v %v", what, changes, err)
		}
	}
	// Folders below each other without an end.
	deep := sub
	long := strings.Repeat("n", 250)
	for range 70 {
		deep = rawTree(t, dir, "40000", long, deep)
	}
	if changes, err := r.Changed(t.Context(), "", deep); err == nil {
		t.Errorf("deep: %d", len(changes))
	}
}

// A folder far down is found by way of the folders above it, and nothing else is read.
func TestChangedReadsFewObjects(t *testing.T) {
	t.Parallel()
	dir, scratch := bare(t, "sha1"), t.TempDir()
	paths := map[string]node{}
	for i := range 20_000 {
		paths[fmt.Sprintf("pkg%02d/mod%02d/file%d", i/1000, i/50%20, i%50)] = node("100644 " + strings.Repeat("1", 40))
	}
	deep := strings.Repeat("d/", 300) + "x"
	paths[deep] = node("100644 " + strings.Repeat("1", 40))
	from := storeTree(t, dir, scratch, paths)
	paths["pkg07/mod11/file7"] = node("100644 " + strings.Repeat("2", 40))
	to := storeTree(t, dir, scratch, paths)
	o := open(t, dir).Objects()
	defer o.Close()
	got, err := o.Changed(t.Context(), from, to)
	if err != nil || len(got) != 1 || got[0].Path != "pkg07/mod11/file7" || got[0].Status != 'M' {
		t.Fatalf("%+v %v", got, err)
	}
	if n := o.Reads(); n != 6 { // three trees on each side
		t.Errorf("%d objects read", n)
	}
	delete(paths, deep)
	less := storeTree(t, dir, scratch, paths)
	if got, err := o.Changed(t.Context(), to, less); err != nil || len(got) != 1 || got[0].Path != deep {
		t.Errorf("%+v %v", got, err)
	}
}

// looseFile returns the file of a loose object, in an object folder.
func looseFile(objects, id string) string { return filepath.Join(objects, id[:2], id[2:]) }

// forge makes the file of one object say what another one says.
func forge(t *testing.T, objects, id, kind, content string) {
	t.Helper()
	file := looseFile(objects, id)
	if _, err := os.Lstat(file); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	fmt.Fprintf(z, "%s %d\x00%s", kind, len(content), content)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o444); err != nil {
		t.Fatal(err)
	}
}

// object returns the content of an object as git has it.
func object(t *testing.T, dir, kind, id string) string {
	t.Helper()
	return feed(t, dir, "", "", "cat-file", kind, id)
}

// An object's file that was written over has no say, though git believes it.
func TestForgedObjects(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		setUp := func(t *testing.T) (dir, objects, first, second string) {
			t.Helper()
			t.Parallel()
			dir = newRepo(t, "--object-format="+format)
			first = git(t, dir, "rev-parse", "HEAD")
			write(t, dir, "src/a.go", "edited\n")
			second = commit(t, dir, "second")
			return dir, filepath.Join(dir, ".git", "objects"), first, second
		}
		refused := func(t *testing.T, what, id string, err error) {
			t.Helper()
			var e *gitrepo.ObjectError
			if !errors.As(err, &e) || e.ID != id {
				t.Errorf("%s: %v", what, err)
			}
		}
		// believed: git itself sees no difference any more.
		believed := func(t *testing.T, dir, first, second string) {
			t.Helper()
			if got := diffTree(t, dir, first, second); len(got) > 0 {
				t.Fatalf("the forgery shows: %+v", got)
			}
		}
		t.Run(format+" commit", func(t *testing.T) {
			dir, objects, first, second := setUp(t)
			forge(t, objects, second, "commit", object(t, dir, "commit", first))
			believed(t, dir, first, second)
			r := open(t, dir)
			for _, rev := range []string{second, "HEAD", "HEAD^{tree}", "main"} {
				_, err := r.Changed(t.Context(), first, rev)
				refused(t, rev, second, err)
				_, _, err = r.File(t.Context(), rev, "README.md")
				refused(t, "file at "+rev, second, err)
			}
		})
		t.Run(format+" tag", func(t *testing.T) {
			dir, objects, first, second := setUp(t)
			git(t, dir, "tag", "-a", "-m", "x", "v1", first)
			git(t, dir, "tag", "-a", "-m", "x", "v2", second)
			id := git(t, dir, "rev-parse", "v2")
			forge(t, objects, id, "tag", object(t, dir, "tag", "v1"))
			believed(t, dir, first, "v2")
			_, err := open(t, dir).Changed(t.Context(), first, "v2")
			refused(t, "tag", id, err)
		})
		t.Run(format+" tree", func(t *testing.T) {
			dir, objects, first, second := setUp(t)
			id := headTree(t, dir)
			old := git(t, dir, "rev-parse", first+"^{tree}")
			entries := feed(t, dir, "", "", "cat-file", "tree", old)
			forge(t, objects, id, "tree", entries)
			believed(t, dir, first, second)
			r := open(t, dir)
			for _, to := range []string{id, second} {
				_, err := r.Changed(t.Context(), first, to)
				refused(t, to, id, err)
				_, _, err = r.File(t.Context(), to, "src/a.go")
				refused(t, "file at "+to, id, err)
			}
		})
		t.Run(format+" folder", func(t *testing.T) {
			dir, objects, first, second := setUp(t)
			id := git(t, dir, "rev-parse", second+":src")
			forge(t, objects, id, "tree", feed(t, dir, "", "", "cat-file", "tree", first+":src"))
			believed(t, dir, first, second)
			o := open(t, dir).Objects()
			defer o.Close()
			_, err := o.Changed(t.Context(), first, second)
			refused(t, "changed", id, err)
			_, _, err = o.File(t.Context(), second, "src/a.go")
			refused(t, "file", id, err)
			// What is not altered is still read, by the same process.
			if got, ok, err := o.File(t.Context(), second, "README.md"); err != nil || !ok || string(got) != "hello\n" {
				t.Errorf("%q %v %v", got, ok, err)
			}
		})
		t.Run(format+" blob", func(t *testing.T) {
			dir, objects, _, second := setUp(t)
			id := git(t, dir, "rev-parse", second+":src/a.go")
			forge(t, objects, id, "blob", "forged\n")
			if got := object(t, dir, "blob", second+":src/a.go"); got != "forged\n" {
				t.Fatalf("%q", got)
			}
			got, _, err := open(t, dir).File(t.Context(), second, "src/a.go")
			refused(t, string(got), id, err)
		})
		t.Run(format+" computed tree", func(t *testing.T) {
			dir, _, _, second := setUp(t)
			write(t, dir, "new.txt", "1", "ignored.log", "1")
			id := treeID(t, dir)
			store := filepath.Join(dir, document.StateFolder, "tree", "objects")
			raw, err := hex.DecodeString(git(t, dir, "rev-parse", "HEAD:README.md"))
			if err != nil {
				t.Fatal(err)
			}
			r := open(t, dir)
			forge(t, store, id, "tree", object(t, dir, "tree", second+"^{tree}"))
			_, err = r.Changed(t.Context(), second, id)
			refused(t, "changed", id, err)
			forge(t, store, id, "tree", "100644 ignored.log\x00"+string(raw))
			refused(t, "overlay", id, r.Overlay(t.Context(), id, []string{"ignored.log"}, t.TempDir()))
		})
	}
}

// What cannot be read is an error that names it, and the next object can be read.
func TestUnreadableObjects(t *testing.T) {
	damage := map[string]func(t *testing.T, file string){
		"missing":           func(t *testing.T, file string) { remove(t, filepath.Dir(file), filepath.Base(file)) },
		"empty":             func(t *testing.T, file string) { writable(t, file); truncate(t, file, 0) },
		"cut in the header": func(t *testing.T, file string) { writable(t, file); truncate(t, file, 1) },
		"cut":               func(t *testing.T, file string) { writable(t, file); truncate(t, file, 3000) },
		"flipped":           func(t *testing.T, file string) { writable(t, file); flip(t, file) },
	}
	for name, do := range damage {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepo(t)
			var long, many strings.Builder
			for i := range 3000 {
				fmt.Fprintf(&long, "%d\n", i*i)
			}
			write(t, dir, "long", long.String())
			for i := range 300 {
				fmt.Fprintf(&many, "100644 blob %040x\tfile%d\n", i*i+1, i)
			}
			commit(t, dir, "long")
			blob := git(t, dir, "rev-parse", "HEAD:long")
			tree := strings.TrimSpace(feed(t, dir, "", many.String(), "mktree", "--missing"))
			objects := filepath.Join(dir, ".git", "objects")
			do(t, looseFile(objects, blob))
			do(t, looseFile(objects, tree))
			o := open(t, dir).Objects()
			defer o.Close()
			for range 2 {
				var e *gitrepo.ObjectError
				if _, _, err := o.File(t.Context(), "HEAD", "long"); !errors.As(err, &e) || e.ID != blob {
					t.Errorf("blob: %v", err)
				}
				if _, err := o.Changed(t.Context(), "HEAD", tree); !errors.As(err, &e) || e.ID != tree {
					t.Errorf("tree: %v", err)
				}
				if got, ok, err := o.File(t.Context(), "HEAD", "README.md"); err != nil || !ok || string(got) != "hello\n" {
					t.Errorf("%q %v %v", got, ok, err)
				}
			}
		})
	}
}

// Of several objects that were asked for one is refused: what comes after it is not
// taken for the answer to something else.
func TestObjectsRefusedAmongOthers(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	for i := range 40 {
		write(t, dir, fmt.Sprintf("many/d%02d/x", i), fmt.Sprint(i))
	}
	commit(t, dir, "many")
	id := git(t, dir, "rev-parse", "HEAD:many/d03")
	objects := filepath.Join(dir, ".git", "objects")
	forge(t, objects, id, "tree", "")
	o := open(t, dir).Objects()
	defer o.Close()
	for range 2 {
		var e *gitrepo.ObjectError
		if _, err := o.Changed(t.Context(), "HEAD~1", "HEAD"); !errors.As(err, &e) || e.ID != id {
			t.Error(err)
		}
		if got, ok, err := o.File(t.Context(), "HEAD", "many/d39/x"); err != nil || !ok || string(got) != "39" {
			t.Errorf("%q %v %v", got, ok, err)
		}
	}
}

func writable(t *testing.T, file string) {
	t.Helper()
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestLargeObject(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	write(t, dir, "at the limit", strings.Repeat("x", 32<<20), "over it", strings.Repeat("x", 32<<20+1))
	commit(t, dir, "large")
	o := open(t, dir).Objects()
	defer o.Close()
	for range 2 {
		var e *gitrepo.ObjectError
		if _, _, err := o.File(t.Context(), "HEAD", "over it"); !errors.As(err, &e) || e.ID != git(t, dir, "rev-parse", "HEAD:over it") {
			t.Error(err)
		}
		if got, ok, err := o.File(t.Context(), "HEAD", "at the limit"); err != nil || !ok || len(got) != 32<<20 {
			t.Errorf("%d %v %v", len(got), ok, err)
		}
	}
}

// A tree that is computed while the process runs, in a folder that it does not know.
func TestObjectsSeeLaterStores(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	r := open(t, dir)
	o := r.Objects()
	defer o.Close()
	if _, _, err := o.File(t.Context(), "HEAD", "README.md"); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "new.txt", "1")
	tree, err := r.Tree(t.Context(), gitrepo.TreeOptions{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := o.Changed(t.Context(), "HEAD", tree.ID); err != nil || len(got) != 1 {
		t.Errorf("%+v %v", got, err)
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	if _, err := o.Changed(t.Context(), "HEAD", tree.ID); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// What is at a path of a tree whose blobs are stored nowhere.
func TestObjectsHas(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	write(t, dir, "new/a.txt", "never stored")
	tree, err := open(t, dir).Tree(t.Context(), gitrepo.TreeOptions{})
	if err != nil || tree.ID == "" {
		t.Fatalf("%+v %v", tree, err)
	}
	o := open(t, dir).Objects()
	defer o.Close()
	for name, want := range map[string]bool{"new/a.txt": true, "new": true, "new/b.txt": false, "new/a.txt/x": false, "none": false} {
		if got, err := o.Has(t.Context(), tree.ID, name); err != nil || got != want {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	if _, err := o.Has(t.Context(), tree.ID, "../x"); err == nil {
		t.Error("a path that leads out is no error")
	}
}
