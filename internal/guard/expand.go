package guard

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// expand returns the words that a word becomes, as a shell would make them.
func (w *walker) expand(word *syntax.Word, e *env) []arg {
	if w.bytes > maxWork {
		w.steps = maxSteps // what is left is not judged by guessing
		return []arg{{text: anything, loose: true}}
	}
	var out []arg
	for _, one := range braces(word) {
		f := fields{w: w, e: e}
		for i, part := range one.Parts {
			f.part(part, i == 0)
		}
		f.end()
		for i := range f.out {
			f.out[i].brace = one != word
		}
		out = append(out, f.out...)
		if len(out) > maxFields {
			return append(out[:maxFields:maxFields], arg{text: anything, loose: true})
		}
	}
	return out
}

// one returns a word that is not split, as in an assignment or a redirection.
func (w *walker) one(word *syntax.Word, e *env) arg {
	if word == nil {
		return arg{}
	}
	if w.bytes > maxWork {
		w.steps = maxSteps
		return arg{text: anything, loose: true}
	}
	f := fields{w: w, e: e, whole: true}
	for i, part := range word.Parts {
		f.part(part, i == 0)
	}
	f.end()
	if len(f.out) == 0 {
		return arg{}
	}
	return f.out[0]
}

// fields builds words out of parts.
type fields struct {
	w     *walker
	e     *env
	whole bool // nothing splits
	out   []arg
	cur   strings.Builder
	any   bool // the current word is there, even if empty
	loose bool
	glob  bool
}

func (f *fields) end() {
	if f.any {
		f.w.bytes += f.cur.Len()
		f.out = append(f.out, arg{text: f.cur.String(), loose: f.loose, glob: f.glob})
	}
	f.cur.Reset()
	f.any, f.loose, f.glob = false, false, false
}

func (f *fields) add(s string) {
	f.any = true
	if f.cur.Len()+len(s) > maxValue {
		s = anything
		if f.cur.Len() > 2*maxValue {
			return
		}
	}
	f.cur.WriteString(s)
}

func (f *fields) part(part syntax.WordPart, first bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		f.lit(p.Value, first)
	case *syntax.SglQuoted:
		if p.Dollar {
			f.add(ansi(p.Value))
		} else {
			f.add(p.Value)
		}
	case *syntax.DblQuoted:
		f.double(p)
	case *syntax.ExtGlob:
		f.add(p.Op.String() + p.Pattern.Value + ")")
		f.glob = true
	case *syntax.ParamExp:
		f.split(f.w.param(p, f.e))
	case *syntax.CmdSubst:
		f.split([]string{f.w.substituted(p, f.e)})
	case *syntax.ArithmExp:
		f.w.inside(p, f.e)
		f.add(single)
	case *syntax.ProcSubst:
		f.w.judge(p.Stmts, f.e)
		f.w.proc = f.w.muted(func() string { return f.w.outputs(p.Stmts, f.e.fork()) })
		f.add(procFile)
	case *syntax.BraceExp:
		f.add(anything)
		f.loose = true
	default:
		f.add(anything)
		f.loose = true
	}
}

// lit adds bare text: backslashes go, patterns are noted.
func (f *fields) lit(s string, first bool) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s):
			i++
			if s[i] != '\n' {
				f.add(s[i : i+1])
			}
			continue
		case c == '\\':
			f.add(`\`)
			continue
		case c == '*' || c == '?' || c == '[':
			f.glob = true
		case c == '~' && first && i == 0 && (len(s) == 1 || s[1] == '/') && f.w.s.Home != "":
			f.add(f.w.s.Home)
			continue
		}
		f.add(s[i : i+1])
	}
}

func (f *fields) double(q *syntax.DblQuoted) {
	f.any = true
	for _, part := range q.Parts {
		// "$@" and "${a[@]}" stay several words between quotes.
		if p, ok := part.(*syntax.ParamExp); ok && !f.whole && spreads(p) {
			list := f.w.param(p, f.e)
			if len(list) == 0 && len(q.Parts) == 1 {
				f.any = f.cur.Len() > 0
			}
			for i, s := range list {
				if i > 0 {
					f.end()
				}
				f.add(s)
				f.loose = f.loose || strings.Contains(s, anything) && len(list) == 1
			}
			continue
		}
		f.add(f.w.quotedPart(part, f.e))
	}
}

// quotedPart returns the text of a part between double quotes.
func (w *walker) quotedPart(part syntax.WordPart, e *env) string {
	switch p := part.(type) {
	case *syntax.Lit:
		return unescapeDouble(p.Value)
	case *syntax.ParamExp:
		return strings.Join(w.param(p, e), " ")
	case *syntax.CmdSubst:
		return w.substituted(p, e)
	case *syntax.ArithmExp:
		w.inside(p, e)
		return single
	case *syntax.SglQuoted:
		return p.Value
	case *syntax.DblQuoted:
		var b strings.Builder
		for _, inner := range p.Parts {
			b.WriteString(w.quotedPart(inner, e))
		}
		return b.String()
	}
	return anything
}

// split adds the values of an expansion outside of quotes.
func (f *fields) split(list []string) {
	ifs := " \t\n"
	if v, ok := f.e.vars["IFS"]; ok && len(v.list) == 1 {
		ifs = v.list[0]
	}
	for i, s := range list {
		if i > 0 && !f.whole {
			f.end()
		}
		if strings.ContainsAny(s, anything+outside) {
			f.loose = true
		}
		if f.whole {
			f.add(s)
			continue
		}
		if strings.ContainsAny(s, "*?[") {
			f.glob = true
		}
		from := 0
		for j := 0; j <= len(s); j++ {
			if j < len(s) && strings.IndexByte(ifs, s[j]) < 0 {
				continue
			}
			if j > from {
				f.add(s[from:j])
				f.loose = f.loose || strings.ContainsAny(s[from:j], anything+outside)
			}
			if j < len(s) {
				f.end()
			}
			from = j + 1
		}
	}
}

func spreads(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Length {
		return false
	}
	if p.Param.Value == "@" {
		return true
	}
	index, ok := p.Index.(*syntax.Word)
	return ok && index.Lit() == "@"
}

func unescapeDouble(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// ansi reads the escapes of $'…'.
func ansi(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		number := func(base, most int) {
			end := i
			for end < len(s) && end-i < most {
				if _, err := strconv.ParseUint(s[end:end+1], base, 8); err != nil {
					break
				}
				end++
			}
			n, err := strconv.ParseUint(s[i:end], base, 32)
			switch {
			case err != nil || n == 0:
				b.WriteString(anything)
			case most > 3:
				b.WriteString(string(utf8.AppendRune(nil, rune(n))))
			default:
				b.WriteByte(byte(n))
			}
			i = end - 1
		}
		switch c := s[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'a', 'b', 'e', 'E', 'f', 'v', 'c':
			b.WriteString(anything)
		case 'x':
			i++
			number(16, 2)
		case 'u':
			i++
			number(16, 4)
		case 'U':
			i++
			number(16, 8)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			number(8, 3)
		default:
			b.WriteByte(c)
		}
	}
	// A byte that is a mark would be taken for something unknown, which is stricter.
	return b.String()
}
