package guard

import (
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param returns the values of a parameter expansion; what cannot be told is a mark.
func (w *walker) param(p *syntax.ParamExp, e *env) []string {
	w.insideParam(p, e)
	if p.Param == nil {
		return []string{anything}
	}
	list, set := w.parameter(p, e)
	if p.Length {
		return []string{single}
	}
	if p.Excl {
		if len(list) == 1 && syntax.ValidName(list[0]) && p.Names == 0 {
			v, _ := w.lookup(list[0], e)
			return v.list
		}
		return []string{anything}
	}
	switch {
	case p.Slice != nil && (p.Param.Value == "@" || p.Param.Value == "*"):
		return positionals(list, e.name, p.Slice)
	case p.Slice != nil:
		return each(list, func(s string) string { return slice(s, p.Slice) })
	case p.Repl != nil:
		from, to := w.one(p.Repl.Orig, e), w.one(p.Repl.With, e)
		return each(list, func(s string) string { return replace(s, from, to, p.Repl.All) })
	case p.Exp != nil:
		return w.operator(p.Exp, list, set, e)
	}
	return list
}

// insideParam judges substitutions in the parts that are not expanded otherwise.
func (w *walker) insideParam(p *syntax.ParamExp, e *env) {
	if p.Index != nil {
		w.inside(p.Index, e)
	}
	if p.Slice != nil {
		for _, x := range []syntax.ArithmExpr{p.Slice.Offset, p.Slice.Length} {
			if x != nil {
				w.inside(x, e)
			}
		}
	}
}

// parameter returns the plain values, and whether this text sets them.
func (w *walker) parameter(p *syntax.ParamExp, e *env) ([]string, bool) {
	name := p.Param.Value
	switch name {
	case "@", "*":
		return texts(e.args), true
	case "#", "?", "$", "!":
		return []string{single}, true
	case "-":
		return []string{outside}, true
	case "0":
		if e.name != "" {
			return []string{e.name}, true
		}
		return []string{"bash"}, true
	}
	if n, err := strconv.Atoi(name); err == nil {
		if n-1 < len(e.args) && n > 0 {
			return []string{e.args[n-1].text}, true
		}
		return nil, true
	}
	v, set := w.lookup(name, e)
	if !v.array {
		return v.list, set
	}
	index, ok := p.Index.(*syntax.Word)
	switch {
	case p.Index == nil:
		return v.list[:min(1, len(v.list))], true
	case ok && (index.Lit() == "@" || index.Lit() == "*"):
		return v.list, true
	case ok:
		if n, err := strconv.Atoi(index.Lit()); err == nil && n >= 0 && n < len(v.list) {
			return v.list[n : n+1], true
		}
	}
	return []string{anything}, true
}

func each(list []string, f func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		if strings.ContainsAny(s, marks) {
			out[i] = anything
		} else {
			out[i] = f(s)
		}
	}
	return out
}

func slice(s string, by *syntax.Slice) string {
	from, ok := number(by.Offset, 0)
	if !ok {
		return anything
	}
	if from < 0 {
		from = max(0, len(s)+from)
	}
	from = min(from, len(s))
	n, ok := number(by.Length, len(s))
	if !ok {
		return anything
	}
	end := min(len(s), from+n)
	if n < 0 {
		end = len(s) + n
	}
	if end < from {
		return ""
	}
	return s[from:end]
}

func number(x syntax.ArithmExpr, none int) (int, bool) {
	if x == nil {
		return none, true
	}
	sign := 1
	if u, ok := x.(*syntax.UnaryArithm); ok && u.Op == syntax.Minus {
		x, sign = u.X, -1
	}
	word, ok := x.(*syntax.Word)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(word.Lit())
	return sign * n, err == nil && n < 1<<20
}

func replace(s string, from, to arg, all bool) string {
	if from.dim() || to.dim() || from.glob || from.text == "" || len(s) > 4096 {
		return anything
	}
	if from.text[0] == '#' || from.text[0] == '%' {
		return anything
	}
	n := 1
	if all {
		n = -1
	}
	return strings.Replace(s, from.text, to.text, n)
}

// operator applies ${x:-y} and its kin.
func (w *walker) operator(x *syntax.Expansion, list []string, set bool, e *env) []string {
	other := w.one(x.Word, e).text
	empty := len(list) == 0 || len(list) == 1 && list[0] == ""
	switch x.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if !set || empty {
			return []string{other}
		}
		return list
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return list
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		switch {
		case set && empty:
			return nil
		case set:
			return []string{other}
		case other == "":
			return nil
		}
		return []string{anything}
	case syntax.UpperAll, syntax.LowerAll, syntax.UpperFirst, syntax.LowerFirst:
		if other != "" {
			return []string{anything}
		}
		return each(list, func(s string) string { return cased(s, x.Op) })
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return each(list, func(s string) string { return trimmed(s, other, x.Op) })
	}
	if x.Op == syntax.OtherParamOps && other == "P" { // expanded once more, as a prompt
		for _, text := range list {
			w.refuseOnly(": "+text, e)
		}
	}
	return each(list, func(string) string { return anything })
}

func cased(s string, op syntax.ParExpOperator) string {
	switch op {
	case syntax.UpperAll:
		return strings.ToUpper(s)
	case syntax.LowerAll:
		return strings.ToLower(s)
	case syntax.UpperFirst:
		return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):]
	}
	return strings.ToLower(s[:min(1, len(s))]) + s[min(1, len(s)):]
}

// trimmed takes off what a pattern matches at an end.
func trimmed(s, pattern string, op syntax.ParExpOperator) string {
	if strings.ContainsAny(pattern, marks) || len(s) > 512 || len(pattern) > 64 {
		return anything
	}
	match := func(part string) bool {
		// A shell's star matches slashes too.
		ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x04"), strings.ReplaceAll(part, "/", "\x04"))
		return ok && err == nil
	}
	best, found := s, false
	for i := 0; i <= len(s); i++ {
		part, rest := s[:i], s[i:]
		if op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix {
			part, rest = s[i:], s[:i]
		}
		if !match(part) {
			continue
		}
		small := op == syntax.RemSmallPrefix || op == syntax.RemSmallSuffix
		if !found || small == (len(rest) > len(best)) {
			best, found = rest, true
		}
	}
	return best
}
