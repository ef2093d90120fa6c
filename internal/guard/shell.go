package guard

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of one call. What is beyond them is not judged by guessing: it is asked.
const (
	maxText   = 256 << 10 // bytes of a command
	maxWork   = 2 << 20   // bytes of it, of all texts inside of it and of all words that are expanded
	maxOpen   = 150       // brackets that are open at once
	maxDepth  = 24        // texts and functions inside each other
	maxSteps  = 4000      // commands that are looked at
	maxValue  = 64 << 10  // bytes of a variable's value
	maxFields = 256       // words that one word becomes
)

// Shell judges a command line of bash.
func (s Situation) Shell(command string) Verdict {
	w := &walker{s: &s, files: map[string]string{}, links: map[string]string{}, shown: map[string]bool{}}
	if len(s.Allowed) > 0 {
		w.digest = CommandDigest(command)
	}
	w.text(command, w.env())
	if w.out.Decision == Pass {
		if g, ok := w.gate(command); ok {
			return Verdict{Decision: Allow, Rule: RuleGate, Rewrite: "asterweave-state run --gate " + g}
		}
		if w.allowed && !w.other {
			return Verdict{Decision: Allow, Rule: RuleVerb}
		}
	}
	return s.settle(w.out)
}

// gate returns the id of the gate that the command is, word by word.
func (w *walker) gate(command string) (string, bool) {
	if w.s.Cwd != "" && w.s.Cwd != w.s.Root {
		return "", false
	}
	command = strings.TrimSpace(command)
	for _, g := range w.s.Gates {
		if g.Shell != "" && strings.TrimSpace(g.Shell) == command || g.Shell == "" && len(w.plain) > 0 && slices.Equal(w.plain, g.Argv) {
			if plainID(g.ID) {
				return g.ID, true
			}
		}
	}
	return "", false
}

func plainID(id string) bool {
	return id != "" && id[0] != '-' && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

// walker goes through a command line in the order in which a shell would.
type walker struct {
	s       *Situation
	out     Verdict
	steps   int
	bytes   int
	depth   int
	mute    int          // above 0, only output is computed and nothing judged
	many    int          // above 0, what is judged runs any number of times
	made    map[int]bool // confirmed writes that this text makes
	allowed bool         // a verb of the model was there
	other   bool         // something was there that the client's rules are about
	plain   []string
	digest  string            // of the whole text, where a person let something through
	files   map[string]string // what this very text writes into files, by full path
	links   map[string]string // full paths that it makes lead to others
	shown   map[string]bool   // files whose text it reads from Git
	proc    string            // what the last <(…) prints
}

// add takes a judgment; the strictest stands, of equal ones the first.
func (w *walker) add(v Verdict) {
	if w.mute > 0 || v.Decision <= w.out.Decision {
		return
	}
	if w.s.lets(v.Rule, w.digest) {
		w.other = true
		return
	}
	w.out = v
}

func (w *walker) done() bool { return w.out.Decision == Deny }

func (w *walker) env() *env {
	return &env{
		dir: place{path: w.s.Cwd, known: w.s.Cwd != ""}, branch: w.s.current(), vars: map[string]value{}, funcs: map[string]*syntax.Stmt{}, aliases: map[string]string{}, gitAliases: map[string]string{},
	}
}

// text judges a text that a shell runs.
func (w *walker) text(src string, e *env) {
	w.bytes += len(src)
	if len(src) > maxText || w.bytes > maxWork || w.depth >= maxDepth || tooDeep(src) {
		w.add(ask(RuleUnresolved, "the command is too long or too deep to be judged", "split it into several calls"))
		return
	}
	if strings.ContainsAny(src, marks+"\x00") {
		w.add(ask(RuleUnresolved, "the command holds control characters", "write it without them"))
		return
	}
	file, err := parse(src)
	if err != nil {
		w.add(ask(RuleUnresolved, "the command is not valid shell", "write it so that bash can read it"))
		return
	}
	w.depth++
	if w.depth == 1 {
		w.plain = literalWords(file)
	}
	w.stmts(file.Stmts, e)
	w.depth--
}

// inner judges a text that was computed. What is unknown in it and came out of a
// command may be any code; what came from outside of the call is at least one word.
func (w *walker) inner(src string, e *env) {
	if strings.ContainsAny(src, anything+fromGit) {
		w.known(src)
		w.add(unresolved("the text that a shell would run"))
		if w.done() {
			return
		}
	}
	if !strings.ContainsAny(src, marks) {
		w.text(src, e)
		return
	}
	r := strings.NewReplacer(anything, "${_}", outside, "${_}", single, "${__}", listed, "${_}", patched, "${_}", reverted, "${_}", kept, "${_}")
	w.text(r.Replace(src), e)
}

// known refuses what the known parts of a text say already.
func (w *walker) known(src string) {
	if namesGuarded(src) && (strings.Contains(src, "force") || strings.Contains(src, "asterweave")) {
		w.add(deny(RuleUnresolved, "the text that a shell would run cannot be told, and names what is guarded", "write the words out, without what is computed"))
	}
}

// maxFolded bounds how many comments that end in a backslash are looked at.
const maxFolded = 20

// parse reads shell text as bash does. The parser takes a backslash at the end of a
// comment for one that goes on in the next line; for bash the comment ends there and
// the next line is a command.
func parse(src string) (*syntax.File, error) {
	for range maxFolded {
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(src), "")
		if err != nil {
			return nil, err
		}
		at := foldedComment(file, src)
		if at < 0 {
			return file, nil
		}
		src = src[:at] + " " + src[at+1:]
	}
	return nil, errors.New("too many comments end in a backslash")
}

// foldedComment returns where the backslash lies that ends a comment, -1 for none.
func foldedComment(file *syntax.File, src string) int {
	at := -1
	syntax.Walk(file, func(n syntax.Node) bool {
		c, ok := n.(*syntax.Comment)
		if !ok || at >= 0 {
			return at < 0
		}
		start := int(c.Hash.Offset())
		if end := strings.IndexByte(src[start:], '\n'); end > 0 && src[start+end-1] == '\\' {
			at = start + end - 1
		}
		return false
	})
	return at
}

// tooDeep reports whether brackets are open in such a number that a parser would
// need a lot of room. It is coarse: quotes are not read.
func tooDeep(src string) bool {
	open := 0
	for i := range len(src) {
		switch src[i] {
		case '(', '{', '[':
			if open++; open > maxOpen {
				return true
			}
		case ')', '}', ']':
			open = max(0, open-1)
		}
	}
	return strings.Count(src, "`") > 4*maxOpen || longRun(src)
}

// longRun reports whether one byte that nests is there many times in a row.
func longRun(src string) bool {
	n := 0
	for i := 1; i < len(src); i++ {
		if src[i] != src[i-1] || strings.IndexByte("!-~+$", src[i]) < 0 {
			n = 0
		} else if n++; n > 2000 {
			return true
		}
	}
	return false
}

// literalWords returns the words of a text that is one simple command.
func literalWords(file *syntax.File) []string {
	if len(file.Stmts) != 1 {
		return nil
	}
	s := file.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || s.Background || s.Coprocess || len(s.Redirs) > 0 || len(call.Assigns) > 0 {
		return nil
	}
	var out []string
	for _, word := range call.Args {
		text, ok := plainWord(word)
		if !ok {
			return nil
		}
		out = append(out, text)
	}
	return out
}

func plainWord(word *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "*?[{\\~$") {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				l, ok := inner.(*syntax.Lit)
				if !ok || strings.Contains(l.Value, `\`) {
					return "", false
				}
				b.WriteString(l.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}
