package guard

import (
	"strings"
)

// xargs judges the command with the words that are read, as far as they are known.
func (w *walker) xargs(args []arg, e *env) {
	w.other = true
	items, known := strings.Fields(e.in.text), e.in.there && !strings.ContainsAny(e.in.text, marks)
	place := ""
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' {
		a := args[0].text
		args = args[1:]
		switch {
		case a == "--":
		case a == "-I" || a == "-J" || a == "--replace":
			if len(args) > 0 && a != "--replace" {
				place, args = args[0].text, args[1:]
			} else {
				place = "{}"
			}
			continue
		case strings.HasPrefix(a, "-I"):
			place = a[2:]
			continue
		case a == "-i":
			place = "{}"
			continue
		case a == "-0" || a == "--null":
			items = strings.Split(strings.Trim(e.in.text, "\x00"), "\x00")
			continue
		case a == "-d" || a == "--delimiter":
			if len(args) > 0 {
				args = args[1:]
			}
			items, known = nil, false
			continue
		case a == "-a" || a == "--arg-file":
			known = false
			if len(args) > 0 {
				text := w.content(args[0], e)
				items, known = strings.Fields(text), !strings.ContainsAny(text, marks)
				args = args[1:]
			}
			continue
		case (len(a) == 2 && strings.Contains("-n-P-L-s-E", a) || a == "--max-args" || a == "--max-procs" || a == "--max-chars") && len(args) > 0:
			args = args[1:]
			continue
		case strings.HasPrefix(a, "-d"), strings.HasPrefix(a, "--delim"):
			items, known = nil, false
			continue
		default:
			continue
		}
		break
	}
	if len(args) == 0 {
		return
	}
	switch {
	case !known && strings.Contains(e.in.text, listed):
		items = strings.Fields(e.in.text)
	case !known:
		items = []string{anything}
	}
	for i := range items {
		items[i] = strings.Trim(items[i], `'"`)
	}
	if place == "" {
		run := append([]arg(nil), args...)
		for _, it := range items {
			run = append(run, arg{text: it, loose: !known})
		}
		w.run(run, w.readers(e))
		return
	}
	for _, it := range items[:min(len(items), maxRounds)] {
		run := make([]arg, len(args))
		for i, a := range args {
			run[i] = a
			if strings.Contains(a.text, place) {
				run[i].text = strings.ReplaceAll(a.text, place, it)
			}
		}
		w.run(run, w.readers(e))
	}
}

// readers is the environment of a command whose input somebody else reads.
func (w *walker) readers(e *env) *env {
	c := e.fork()
	c.in = input{}
	c.asProgram()
	return c
}

func (w *walker) parallel(args []arg, e *env) {
	w.other = true
	args = skip(args, "-j-n-N-S-a-L")
	var command, items []string
	known := false
	for i, a := range args {
		if strings.HasPrefix(a.text, ":::") {
			known = a.text == ":::"
			for _, it := range args[i+1:] {
				if strings.HasPrefix(it.text, ":::") {
					known = false
				}
				items = append(items, it.text)
			}
			break
		}
		command = append(command, a.text)
	}
	if items == nil && e.in.there {
		items, known = strings.Split(strings.TrimSpace(e.in.text), "\n"), !strings.ContainsAny(e.in.text, marks)
	}
	if !known {
		items = []string{anything}
	}
	for _, it := range items[:min(len(items), maxRounds)] {
		text := strings.Join(command, " ")
		switch {
		case text == "":
			text = it
		case strings.Contains(text, "{}"):
			text = strings.ReplaceAll(text, "{}", quote(it))
		default:
			text += " " + quote(it)
		}
		if len(command) > 0 { // what fills the gap is one word
			text = strings.ReplaceAll(text, anything, outside)
		}
		w.inner(text, w.readers(e))
	}
}

// find judges what it runs and deletes.
func (w *walker) find(args []arg, e *env) {
	var starts []arg
	filtered, deletes := false, false
	for i := 0; i < len(args); i++ {
		a := args[i].text
		if len(starts) == i && !strings.HasPrefix(a, "-") && a != "(" && a != "!" {
			starts = append(starts, args[i])
			continue
		}
		switch a {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(args) && args[end].text != ";" && (args[end].text != "+" || args[end-1].text != "{}") {
				end++
			}
			w.findExec(args[i+1:min(end, len(args))], starts, filtered, e)
			i = end
		case "-delete":
			deletes = true
		case "-fprint", "-fprintf", "-fls", "-fprint0":
			if i+1 < len(args) {
				w.add(w.written(args[i+1], e, false))
			}
		case "-name", "-iname", "-path", "-wholename", "-ipath", "-regex", "-iregex":
			if i+1 >= len(args) {
				break
			}
			not := i > 0 && (args[i-1].text == "!" || args[i-1].text == "-not")
			filtered = filtered || !not && picks(args[i+1].text)
			if !not && !prunes(args[i+1:]) && namesOurs(args[i+1].text) && (deleting(args) || acting(args)) {
				w.add(deny(RuleState, "it looks for files of Git or of the delivery to change them", "leave them to the programs that own them"))
			}
			i++
		case "-empty", "-samefile", "-inum":
			filtered = true
		}
	}
	if deletes || removing(args) {
		w.found(args, starts, e)
	}
	if deletes {
		w.treeGone(starts, filtered, e)
	}
}

// picks reports whether a pattern of names leaves most files out.
func picks(pattern string) bool {
	return strings.IndexFunc(unbracketed(pattern), func(r rune) bool { return !strings.ContainsRune("*?./", r) }) >= 0
}

// unbracketed takes the sets out of a pattern.
func unbracketed(pattern string) string {
	for {
		from := strings.IndexByte(pattern, '[')
		if from < 0 {
			return pattern
		}
		to := strings.IndexByte(pattern[from:], ']')
		if to < 0 {
			return pattern
		}
		pattern = pattern[:from] + pattern[from+to+1:]
	}
}

func prunes(args []arg) bool { return len(args) > 1 && args[1].text == "-prune" }

func deleting(args []arg) bool {
	for _, a := range args {
		if a.text == "-delete" {
			return true
		}
	}
	return false
}

func acting(args []arg) bool {
	for i, a := range args {
		if strings.HasPrefix(a.text, "-exec") && i+1 < len(args) && !reader(args[i+1].text) {
			return true
		}
	}
	return false
}

// namesOurs reports whether a name is one of files that nobody deletes by looking for them.
func namesOurs(name string) bool {
	for _, n := range []string{".git", ".claude", "asterweave", "pre-push", "ledger"} {
		for _, seg := range strings.Split(strings.ToLower(name), "/") {
			if strings.Trim(seg, "*") == n || n != ".git" && n != ".claude" && strings.HasPrefix(strings.Trim(seg, "*"), n) {
				return true
			}
		}
	}
	return false
}

func (w *walker) findExec(command, starts []arg, filtered bool, e *env) {
	if len(command) == 0 {
		return
	}
	name := w.program(command[0].text)
	if removes(name) || shellRemoves(command) {
		w.treeGone(starts, filtered, e)
	}
	run := make([]arg, len(command))
	for i, a := range command {
		run[i] = a
		if strings.Contains(a.text, "{}") {
			run[i].text = strings.ReplaceAll(a.text, "{}", single)
			if len(starts) == 1 && a.text == "{}" {
				run[i].text = strings.TrimSuffix(starts[0].text, "/") + "/" + single
			}
		}
	}
	w.run(run, w.readers(e))
}

// shellRemoves reports whether a shell is told to delete what find hands to it.
func shellRemoves(command []arg) bool {
	for i, a := range command {
		if i > 0 && command[i-1].text == "-c" {
			for _, f := range strings.Fields(a.text) {
				if removes(f) && f != "mv" {
					return true
				}
			}
		}
	}
	return false
}

// treeGone judges that all below some folders is deleted, or what a filter leaves of it.
func (w *walker) treeGone(starts []arg, filtered bool, e *env) {
	if len(starts) == 0 {
		starts = []arg{{text: "."}}
	}
	for _, s := range starts {
		w.add(w.written(s, e, !filtered))
	}
}
