package guard

import (
	"slices"
	"strings"
)

// paths judges the words of a command that may be files it writes.
func (w *walker) paths(name string, args []arg, e *env) {
	if reader(name) && !writesAnyway(name, args) {
		return
	}
	if removes(name) {
		w.gone(args, e)
	}
	tree := recursive(name, args)
	targets := args
	switch name {
	case "cp", "install", "rsync", "scp":
		targets = intoFolder(args, destination(args))
		if slices.ContainsFunc(args, func(a arg) bool { return a.text == "--remove-source-files" }) {
			targets = args
		}
	case "mv":
		to := destination(args)
		for _, a := range intoFolder(args, to) {
			w.add(w.written(a, e, false)) // a folder that something goes into stays
		}
		targets = moved(args, to)
	case "tar", "zip":
		if movesInto(name, args) {
			w.gone(args, e)
			tree = true
			break
		}
		targets = archived(name, args)
	case "code":
		tree = false
	case "sed":
		targets = sedTargets(args)
	case "dd":
		targets = nil
		for _, a := range args {
			if v, ok := strings.CutPrefix(a.text, "of="); ok {
				targets = append(targets, arg{text: v})
			}
		}
	}
	end := false
	for i, a := range targets {
		if !end && (strings.HasPrefix(a.text, "--exclude") || i > 0 && targets[i-1].text == "--exclude") {
			continue // what is left out is not written
		}
		if a.text == "--" && !end {
			end = true
			continue
		}
		text := a
		if !end && strings.HasPrefix(a.text, "-") {
			_, v, ok := strings.Cut(a.text, "=")
			switch {
			case ok:
				text.text = v
			case len(a.text) > 2 && a.text[1] != '-':
				text.text = a.text[2:]
			default:
				continue
			}
		}
		w.add(w.written(text, e, tree))
	}
}

// reader reports whether a program only reads the files in its words.
func reader(name string) bool {
	switch name {
	case "cat", "ls", "ll", "head", "tail", "grep", "egrep", "fgrep", "rg", "ag", "ack", "less", "more", "wc", "stat", "file", "diff", "cmp", "md5sum", "sha1sum", "sha256sum",
		"shasum", "jq", "yq", "tree", "du", "df", "realpath", "readlink", "basename", "dirname", "test", "[", "echo", "printf", "sort", "uniq", "cut", "xxd", "od", "hexdump",
		"strings", "column", "bat", "fd", "fdfind", "eza", "exa", "comm", "nl", "tac", "rev", "fold", "expand", "paste", "join", "which", "type", "man", "info", "whereis", "true",
		":", "false", "pwd", "date", "seq", "sleep", "tr", "awk", "gawk", "base64", "zcat", "zgrep", "wdiff", "colordiff", "delta", "apropos", "cksum", "tldr", "open", "xdg-open", "logger", "kill", "pgrep", "ps", "lsof":
		return true
	}
	return false
}

func writesAnyway(name string, args []arg) bool {
	if name != "sort" && name != "tree" && name != "yq" && name != "uniq" {
		return false
	}
	for _, a := range args {
		if strings.HasPrefix(a.text, "-o") || strings.HasPrefix(a.text, "--output") || name == "yq" && strings.HasPrefix(a.text, "-i") {
			return true
		}
	}
	return name == "uniq" && len(args) > 1
}

// removes reports whether a program takes its files away.
func removes(name string) bool {
	switch name {
	case "rm", "unlink", "shred", "rmdir", "trash", "srm", "mv", "rimraf", "del":
		return true
	}
	return false
}

// recursive reports whether what a program does to a folder it does to all below.
func recursive(name string, args []arg) bool {
	switch name {
	case "mv", "rimraf", "trash", "trash-put":
		return true
	case "rsync", "tar":
		for _, a := range args {
			if strings.HasPrefix(a.text, "--del") && name == "rsync" || a.text == "--remove-source-files" || a.text == "--remove-files" {
				return true
			}
		}
	case "rm", "chmod", "chown", "chgrp", "setfacl", "chattr", "shred", "srm":
		for _, a := range args {
			if a.text == "--recursive" || len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.ContainsAny(a.text, "rR") {
				return true
			}
		}
	}
	return false
}

// destination returns the words that cp and its kin write to.
func destination(args []arg) []arg {
	var plain, out []arg
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.text == "-t" || a.text == "--target-directory":
			if i+1 < len(args) {
				out = append(out, args[i+1])
				i++
			}
		case strings.HasPrefix(a.text, "--target-directory="):
			out = append(out, arg{text: a.text[len("--target-directory="):]})
		case strings.HasPrefix(a.text, "-"):
		default:
			plain = append(plain, a)
		}
	}
	if len(out) == 0 && len(plain) > 0 {
		out = plain[len(plain)-1:]
	}
	return out
}

// intoFolder adds the names that the sources get in the folder that they go to.
func intoFolder(args, to []arg) []arg {
	out := append([]arg(nil), to...)
	for _, d := range to {
		for _, a := range args {
			if strings.HasPrefix(a.text, "-") || a == d || strings.HasSuffix(a.text, "/") {
				continue
			}
			if base := a.text[strings.LastIndexByte(a.text, '/')+1:]; strings.HasPrefix(base, ".git") || strings.HasPrefix(base, ".claude") {
				out = append(out, arg{text: strings.TrimSuffix(d.text, "/") + "/" + base})
			}
		}
	}
	return out
}

// movesInto reports whether a program for archives deletes what it packs.
func movesInto(name string, args []arg) bool {
	for _, a := range args {
		if a.text == "--remove-files" || name == "zip" && (a.text == "--move" || bundled(a.text, "m", "bintPx")) {
			return true
		}
	}
	return false
}

// moved returns the words of mv without the folder or name that the others go to. Where
// an option may name that folder in another way, all words count.
func moved(args, to []arg) []arg {
	if len(to) != 1 {
		return args
	}
	at := -1
	for i, a := range args {
		switch {
		case a.text == "--" || a.text == "-t" || a.text == "--target-directory" || strings.HasPrefix(a.text, "--target-directory="):
		case strings.HasPrefix(a.text, "-") && strings.Trim(a.text[1:], "fvniub") != "":
			return args
		}
		if a == to[0] {
			at = i
		}
	}
	if at < 0 {
		return args
	}
	return append(args[:at:at], args[at+1:]...)
}

// archived returns what a program for archives writes: with what it packs, only the
// archive.
func archived(name string, args []arg) []arg {
	packs := name == "zip"
	for i, a := range args {
		if a.text == "--remove-files" {
			return args
		}
		packs = packs || len(a.text) > 1 && a.text[0] == '-' && strings.Contains(a.text, "c") && strings.Trim(a.text[1:], "cvzjJfpPhSaw") == ""
		packs = packs || a.text == "--create" || i == 0 && !strings.HasPrefix(a.text, "--") && strings.Contains(a.text, "c") && !strings.Contains(a.text, "x")
	}
	if !packs {
		return args
	}
	for i, a := range args {
		switch {
		case name == "zip" && !strings.HasPrefix(a.text, "-"):
			return args[i : i+1]
		case strings.HasPrefix(a.text, "--file="):
			return []arg{{text: a.text[len("--file="):]}}
		case (i == 0 || strings.HasPrefix(a.text, "-")) && !strings.HasPrefix(a.text, "--") && strings.HasSuffix(a.text, "f") && i+1 < len(args), a.text == "--file" && i+1 < len(args):
			return args[i+1 : i+2]
		}
	}
	return nil
}

// sedTargets returns the files that sed changes: none, but with -i.
func sedTargets(args []arg) []arg {
	inPlace, script := false, false
	var files []arg
	for i := 0; i < len(args); i++ {
		switch a := args[i].text; {
		case strings.HasPrefix(a, "--in-place"):
			inPlace = true
		case a == "-e" || a == "-f" || a == "--expression" || a == "--file":
			script = true
			i++
		case strings.HasPrefix(a, "--"):
		case len(a) > 1 && a[0] == '-':
			inPlace = inPlace || strings.Contains(a, "i")
			if strings.HasSuffix(a, "e") && a[1] != 'i' {
				script = true
				i++
			}
		case !script:
			script = true
		default:
			files = append(files, args[i])
		}
	}
	if !inPlace {
		return nil
	}
	return files
}

// sedScript judges what a script of sed itself writes and runs.
func (w *walker) sedScript(args []arg, e *env) {
	for _, a := range args {
		t := a.text
		if sedRuns(strings.TrimPrefix(t, "--expression=")) && (namesGuarded(t) || namesGuarded(e.in.text)) {
			w.add(deny(RuleInline, "a script of sed runs what it names", "call the program itself, so that its words can be read"))
		}
		if (strings.Contains(t, "w .") || strings.Contains(t, "w /")) && namesProtected(t) {
			w.add(deny(RuleInline, "a script of sed writes a file of Git or of the client", "leave these files to the programs that own them"))
		}
		for _, k := range []string{"1e ", "$e ", ";e ", "}e "} {
			if i := strings.Index(";"+t, k); i >= 0 {
				rest := (";" + t)[i+len(k):]
				w.inner(rest, e.fork())
			}
		}
	}
}
