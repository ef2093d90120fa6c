package guard

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Marks stand for what is not known in a text. They are control characters, which no
// judged text holds.
const (
	anything = "\x01" // came out of a command
	outside  = "\x02" // a variable that this text does not set
	single   = "\x03" // a number, a commit, a date: one word, no option
	listed   = "\x04" // the files of the worktree, as ls, find or Git list them
	patched  = "\x05" // what git diff prints
	reverted = "\x06" // what git diff -R prints
	kept     = "\x07" // a file as Git has it
	fromGit  = listed + patched + reverted + kept
	marks    = anything + outside + single + fromGit
)

// arg is one word of a command after expansion.
type arg struct {
	text  string
	loose bool // an unknown part stands outside of quotes: it may be several words
	glob  bool // holds a pattern outside of quotes
	brace bool // came out of {a,b}
}

// dim reports whether a part is not known.
func (a arg) dim() bool { return strings.ContainsAny(a.text, marks) }

// vague reports whether the word could be, or hold, an option.
func (a arg) vague() bool {
	if !strings.ContainsAny(a.text, anything+outside+fromGit) {
		return false
	}
	if a.loose {
		return true
	}
	at := strings.IndexAny(a.text, anything+outside+fromGit)
	return at == 0 || a.text[0] == '-' && !strings.Contains(a.text[:at], "=")
}

func texts(list []arg) []string {
	out := make([]string, len(list))
	for i, a := range list {
		out[i] = a.text
	}
	return out
}

// value is what a variable holds: one text, or those of an array.
type value struct {
	list  []string
	array bool
}

// place is a folder.
type place struct {
	path  string
	known bool
	vague bool // one of several folders inside of the worktree
}

// env is what a shell knows at a place in the text.
type env struct {
	vars       map[string]value
	funcs      map[string]*syntax.Stmt
	exported   map[string]*syntax.Stmt // what a shell further down may know
	aliases    map[string]string
	gitAliases map[string]string
	args       []arg // positional parameters
	name       string
	dir        place
	branch     string // that is checked out; empty when nobody can tell
	in         input
	cleared    bool // the environment was emptied
	dotglob    bool
}

// input is what a command reads.
type input struct {
	text  string // holds marks where it is not known
	there bool   // a pipe or redirection
}

func (e *env) fork() *env {
	c := *e
	c.vars, c.funcs, c.aliases, c.gitAliases = maps.Clone(e.vars), maps.Clone(e.funcs), maps.Clone(e.aliases), maps.Clone(e.gitAliases)
	return &c
}

// asProgram takes away what only a shell knows: the next word is a program.
func (e *env) asProgram() {
	if len(e.funcs) > 0 {
		e.exported = e.funcs
	}
	e.funcs, e.aliases = map[string]*syntax.Stmt{}, map[string]string{}
}

func (e *env) set(name, text string) {
	if len(text) > maxValue {
		text = anything
	}
	e.vars[name] = value{list: []string{text}}
}

// merge takes over what could be so after one of the others was gone through.
func (e *env) merge(root string, others ...*env) {
	for _, o := range others {
		for name, v := range o.vars {
			have, ok := e.vars[name]
			switch {
			case ok && have.array == v.array && slices.Equal(have.list, v.list):
			default:
				e.vars[name] = value{list: []string{anything}}
			}
		}
		maps.Copy(e.funcs, o.funcs)
		maps.Copy(e.aliases, o.aliases)
		maps.Copy(e.gitAliases, o.gitAliases)
		if o.branch != e.branch {
			e.branch = ""
		}
		e.cleared = e.cleared || o.cleared
		e.dotglob = e.dotglob || o.dotglob
		if o.dir != e.dir {
			switch {
			case e.dir.known && o.dir.known && within(root, e.dir.path) && within(root, o.dir.path):
				e.dir = place{path: root, known: true, vague: true}
			default:
				e.dir = place{}
			}
		}
	}
}

// lookup returns the value of a variable; false: this text does not set it.
func (w *walker) lookup(name string, e *env) (value, bool) {
	if v, ok := e.vars[name]; ok {
		return v, true
	}
	one := func(s string) (value, bool) { return value{list: []string{s}}, true }
	switch name {
	case "PWD":
		if e.dir.known && !e.dir.vague {
			return one(e.dir.path)
		}
	case "HOME":
		if w.s.Home != "" {
			return one(w.s.Home)
		}
		return one("~")
	case "XDG_CONFIG_HOME":
		if w.s.Home != "" {
			return one(w.s.Home + "/.config")
		}
	case "SHELL", "BASH":
		return one("bash")
	case "IFS":
		return one(" \t\n")
	case "TMPDIR":
		return one("/tmp")
	case "CLAUDE_CODE_EXECPATH":
		return one("claude")
	case "CLAUDE_PROJECT_DIR":
		return one(w.s.Root)
	case "CLAUDE_ENV_FILE":
		return one("~/.claude/session-env")
	case "EUID", "UID", "PPID", "RANDOM", "SECONDS", "LINENO", "HOSTNAME", "OSTYPE", "HOSTTYPE", "MACHTYPE", "BASH_VERSION", "USER", "LOGNAME", "__":
		return one(single)
	case "_":
		return one(outside)
	}
	return value{list: []string{outside}}, false
}

// at returns the full path of a word, and whether it is full.
func (e *env) at(p string, home string) (string, bool) {
	switch {
	case p == "~" || strings.HasPrefix(p, "~/"):
		if home == "" {
			return p, true
		}
		return filepath.Join(home, p[1:]), true
	case strings.HasPrefix(p, "/"):
		return e.throughProc(filepath.Clean(p)), true
	case (p == "~+" || strings.HasPrefix(p, "~+/")) && e.dir.known:
		return filepath.Join(e.dir.path, p[2:]), true
	case e.dir.known:
		return filepath.Join(e.dir.path, p), true
	}
	return filepath.Clean(p), false
}

// throughProc follows the links that the system keeps to the folder of a process.
func (e *env) throughProc(p string) string {
	rest, ok := strings.CutPrefix(p, "/proc/")
	if !ok {
		return p
	}
	_, rest, _ = strings.Cut(rest, "/")
	link, rest, _ := strings.Cut(rest, "/")
	switch {
	case link == "cwd" && e.dir.known:
		return filepath.Join(e.dir.path, rest)
	case link == "root":
		return "/" + rest
	}
	return p
}

// within reports whether a path is a folder or lies below it.
func within(folder, path string) bool {
	return folder != "" && (path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/"))
}
