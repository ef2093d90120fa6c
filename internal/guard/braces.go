package guard

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// maxBraces is how many words {a,b} may become.
const maxBraces = 64

// braces returns the words that brace expansion makes of one.
func braces(word *syntax.Word) []*syntax.Word {
	has := false
	for _, p := range word.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			for i := 0; i < len(l.Value) && !has; i++ {
				has = l.Value[i] == '{'
			}
		}
	}
	if !has {
		return []*syntax.Word{word}
	}
	c := &syntax.Word{Parts: append([]syntax.WordPart(nil), word.Parts...)}
	if !syntax.SplitBraces(c) {
		return []*syntax.Word{word}
	}
	out, ok := product(c, 0)
	if !ok {
		return []*syntax.Word{{Parts: []syntax.WordPart{&syntax.BraceExp{}}}}
	}
	return out
}

// product returns each combination, false when there are too many.
func product(word *syntax.Word, depth int) ([]*syntax.Word, bool) {
	out := []*syntax.Word{{}}
	for _, p := range word.Parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			for _, o := range out {
				o.Parts = append(o.Parts, p)
			}
			continue
		}
		elems, ok := elements(b, depth)
		if !ok || len(elems)*len(out) > maxBraces {
			return nil, false
		}
		var next []*syntax.Word
		for _, o := range out {
			for _, el := range elems {
				parts := append(append([]syntax.WordPart(nil), o.Parts...), el.Parts...)
				next = append(next, &syntax.Word{Parts: parts})
			}
		}
		out = next
	}
	return out, true
}

func elements(b *syntax.BraceExp, depth int) ([]*syntax.Word, bool) {
	if depth > 8 {
		return nil, false
	}
	var out []*syntax.Word
	if b.Sequence {
		from, to := b.Elems[0].Lit(), b.Elems[1].Lit()
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		switch {
		case err1 == nil && err2 == nil:
		case len(from) == 1 && len(to) == 1:
			first, last = int(from[0]), int(to[0])
		default:
			return nil, false
		}
		step := 1
		if last < first {
			step = -1
		}
		if (last-first)*step > maxBraces {
			return nil, false
		}
		for n := first; ; n += step {
			text := strconv.Itoa(n)
			if err1 != nil {
				text = string(rune(n))
			}
			out = append(out, &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: text}}})
			if n == last {
				return out, true
			}
		}
	}
	for _, el := range b.Elems {
		list, ok := product(el, depth+1)
		if !ok {
			return nil, false
		}
		out = append(out, list...)
	}
	return out, true
}
