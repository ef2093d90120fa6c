package guard

import (
	"path"
	"strings"
)

// procFile is the name that <(…) stands for.
const procFile = "/dev/fd/" + single

// listing returns what ls, find and the lists of Git print: the mark of all files of the
// worktree, or of those in a folder that nobody writes.
func (w *walker) listing(name string, args []string, e *env) (string, bool) {
	switch name {
	case "ls":
		return w.listed(operands(args), false, e)
	case "find":
		var starts []string
		for _, a := range args {
			if strings.HasPrefix(a, "-") || a == "(" || a == "!" {
				break
			}
			starts = append(starts, a)
		}
		picks := false
		for _, a := range args[len(starts):] {
			switch a {
			case "-name", "-iname", "-path", "-regex", "-newer", "-size", "-mtime", "-empty", "-maxdepth":
				picks = true
			case "-exec", "-printf", "-delete", "-execdir":
				return "", false
			}
		}
		return w.listed(starts, picks, e)
	}
	return "", false
}

// listed marks the files below some folders: those of the worktree where nothing picks some.
func (w *walker) listed(folders []string, picks bool, e *env) (string, bool) {
	if len(folders) == 0 {
		folders = []string{"."}
	}
	for _, f := range folders {
		p, full := e.at(f, w.s.Home)
		switch p = strings.TrimSuffix(p, "/*"); {
		case !full:
		case p == w.s.Root && !picks && !strings.HasSuffix(f, "*"):
			return listed + "\n", true
		case w.s.protects(p, true, false, false, false).Decision == Deny:
			return p + "/" + listed + "\n", true
		}
	}
	return "", false
}

// gitLists marks the names, patches and files that Git prints.
func (w *walker) gitLists(verb string, args []string, e *env) (string, bool) {
	names, reverse := false, false
	for _, a := range args {
		names = names || strings.HasPrefix(a, "--name-")
		reverse = reverse || a == "-R"
		if strings.HasPrefix(a, "--stat") || strings.HasPrefix(a, "--shortstat") || strings.HasPrefix(a, "--num") || a == "--quiet" || a == "--cached" || a == "--staged" {
			return "", false
		}
	}
	switch {
	case verb == "status" && len(operands(args)) == 0 && len(args) > 0, verb == "clean":
		return listed + "\n", true
	case verb == "ls-files" && len(operands(args)) == 0, verb == "diff" && names:
		return listed + "\n", true
	case verb == "diff" && reverse:
		return reverted + "\n", true
	case verb == "diff":
		return patched + "\n", true
	case verb == "show", verb == "cat-file":
		for _, a := range operands(args) {
			if _, file, ok := strings.Cut(a, ":"); ok {
				if p, full := e.at(file, w.s.Home); full {
					w.shown[p] = true
					return kept + "\n", true
				}
			}
		}
	case verb == "archive":
		w.shown[w.s.Root] = true
		return kept + "\n", true
	}
	return "", false
}

// operands returns the words that are no options.
func operands(args []string) (out []string) {
	for i, a := range args {
		if a == "--" {
			return append(out, args[i+1:]...)
		}
		if !strings.HasPrefix(a, "-") {
			out = append(out, a)
		}
	}
	return out
}

// putBack refuses to write over a file what Git has of it.
func (w *walker) putBack(text, file string) {
	if strings.Contains(text, kept) && (w.shown[file] || w.shown[w.s.Root] && file == w.s.Root) {
		w.add(discard("a file is put back to what Git has of it"))
	}
}

// undoes refuses a patch that takes back what git diff says has changed.
func (w *walker) undoes(reverse bool, texts ...string) {
	for _, t := range texts {
		if reverse && strings.Contains(t, patched) || !reverse && strings.Contains(t, reverted) {
			w.add(discard("a patch is taken back from the files it was made of"))
		}
	}
}

// patch judges the program of that name.
func (w *walker) patch(args []arg, e *env) {
	texts := []string{e.in.text}
	reverse := false
	for i, a := range args {
		switch {
		case a.text == "--dry-run" || a.text == "-C":
			return
		case a.text == "-i" && i+1 < len(args), strings.HasPrefix(a.text, "--input"):
			_, f, ok := strings.Cut(a.text, "=")
			if !ok && i+1 < len(args) {
				f = args[i+1].text
			}
			texts = append(texts, w.read1(f, e))
		case !strings.HasPrefix(a.text, "-"):
			texts = append(texts, w.read1(a.text, e))
		default:
			reverse = reverse || option(a.text, "reverse", "R") && a.text != "--r"
		}
	}
	w.undoes(reverse, texts...)
}

// apply judges git apply by the patches that it reads.
func (g *gitCall) apply() {
	if !g.has("apply", "") && (g.has("check", "") || g.has("stat", "") || g.has("numstat", "")) || g.hasExactly("--cached") {
		return
	}
	files, behind, _ := g.positional("pC", "directory", "exclude", "include", "whitespace", "build-fake-ancestor")
	texts := []string{g.e.in.text}
	for _, f := range append(files, behind...) {
		texts = append(texts, g.w.read1(f.text, g.e))
	}
	g.w.undoes(g.has("reverse", "R"), texts...)
}

// read1 returns what a file holds that this text wrote, or what a <(…) prints.
func (w *walker) read1(file string, e *env) string {
	if file == procFile {
		return w.proc
	}
	return w.content(arg{text: file}, e)
}

// everything reports whether a pattern below a folder leaves nothing out.
func everything(pattern string) bool {
	for _, seg := range strings.Split(pattern, "/") {
		if seg == "[!.]*" || seg == "[^.]*" {
			continue
		}
		if seg == "" || !strings.Contains(seg, "*") || strings.Trim(seg, "*?") != "" {
			return false
		}
	}
	return true
}

// gone judges the words of a program that takes its files away: all that a list names, and
// patterns that leave nothing out.
func (w *walker) gone(args []arg, e *env) {
	for _, a := range args {
		if strings.HasPrefix(strings.TrimPrefix(a.text, "./"), listed) {
			w.add(discard("all files of a list are deleted"))
			continue
		}
		p, full := e.at(a.text, w.s.Home)
		if rest, ok := strings.CutPrefix(p, w.s.Root+"/"); ok && full && everything(rest) {
			w.add(discard("all files of the worktree go"))
		}
	}
}

// copies notes what a command makes of files: texts that go on to other names, and paths
// that lead to others.
func (w *walker) copies(name string, args []arg, e *env) {
	switch name {
	case "tee", "sponge":
		for _, a := range args {
			if !strings.HasPrefix(a.text, "-") {
				w.stored(a.text, e.in.text, e)
			}
		}
	case "dd":
		text := e.in.text
		for _, a := range args {
			if f, ok := strings.CutPrefix(a.text, "if="); ok {
				text = w.read1(f, e)
			}
		}
		for _, a := range args {
			if f, ok := strings.CutPrefix(a.text, "of="); ok {
				w.stored(f, text, e)
			}
		}
	case "patch":
		w.patch(args, e)
	case "tar", "bsdtar":
		w.unpacked(args, e)
	case "cp", "mv", "ln", "install":
		w.copied(name, args, e)
	}
}

func (w *walker) stored(file, text string, e *env) {
	p, full := e.at(file, w.s.Home)
	if !full || w.mute > 0 {
		return
	}
	w.putBack(text, p)
	w.files[p] = text
}

// unpacked judges an archive of what Git has that is unpacked over the worktree.
func (w *walker) unpacked(args []arg, e *env) {
	packed := e.in.text
	for _, a := range args {
		if p, full := e.at(a.text, w.s.Home); full {
			packed += w.files[p]
		}
	}
	if !strings.Contains(packed, kept) {
		return
	}
	to := "."
	extracts := false
	for i, a := range args {
		extracts = extracts || i == 0 && strings.Contains(a.text, "x") || strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") && strings.Contains(a.text, "x") || a.text == "--extract" || a.text == "--get"
		switch {
		case (a.text == "-C" || a.text == "--directory") && i+1 < len(args):
			to = args[i+1].text
		case strings.HasPrefix(a.text, "--directory="):
			to = a.text[len("--directory="):]
		case strings.HasPrefix(a.text, "-C"):
			to = a.text[2:]
		}
	}
	if p, full := e.at(to, w.s.Home); extracts && (!full || within(w.s.Root, p)) {
		w.add(discard("files are put back to what Git has of them"))
	}
}

func (w *walker) copied(name string, args []arg, e *env) {
	var plain []arg
	for i, a := range args {
		if !strings.HasPrefix(a.text, "-") && (i == 0 || name != "install" || !strings.Contains("-m-o-g", args[i-1].text)) {
			plain = append(plain, a)
		}
	}
	if len(plain) < 2 || w.mute > 0 {
		return
	}
	last := plain[len(plain)-1]
	to, full := e.at(last.text, w.s.Home)
	for _, a := range plain[:len(plain)-1] {
		from, known := e.at(a.text, w.s.Home)
		if !full || !known {
			continue
		}
		dst := to
		if strings.HasSuffix(last.text, "/") || len(plain) > 2 {
			dst = path.Join(to, path.Base(from))
		}
		if a.text == procFile {
			w.stored(last.text, w.proc, e)
			continue
		}
		if text, ok := w.files[from]; ok {
			w.putBack(text, dst)
			w.files[dst] = text
		}
		if name == "ln" || guarded(w.program(from)) {
			w.links[dst] = from
		}
	}
}

// guarded reports whether a program is one whose words are judged.
func guarded(name string) bool {
	for _, n := range guardedPrograms() {
		if n == name {
			return true
		}
	}
	return false
}

// linked returns where a full path leads by the links that this text makes.
func (w *walker) linked(p string) string {
	best := ""
	for from := range w.links {
		if within(from, p) && len(from) > len(best) {
			best = from
		}
	}
	if best == "" {
		return p
	}
	return path.Join(w.links[best], strings.TrimPrefix(p, best))
}

// onPath returns the script of a bare name where this text wrote one and changed the PATH.
func (w *walker) onPath(name string) (string, bool) {
	if strings.Contains(name, "/") {
		return "", false
	}
	for p, text := range w.files {
		if path.Base(p) == name && strings.HasPrefix(text, "#!") {
			return text, true
		}
	}
	return "", false
}
