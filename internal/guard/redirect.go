package guard

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// target is a file that a redirection writes.
type target struct {
	path  string
	after bool // what was there stays
}

// remember keeps what a command of this text writes into files.
func (w *walker) remember(targets []target, printed string) {
	if w.mute > 0 {
		return
	}
	for _, t := range targets {
		w.putBack(printed, t.path)
		w.startup(t.path, printed)
		text := printed
		if t.after {
			before, ok := w.files[t.path]
			if !ok {
				before = anything
			}
			text = before + printed
		}
		if len(text) > maxValue {
			text = anything
		}
		w.files[t.path] = text
	}
}

// redirections judges the files that are written, and returns what is read.
func (w *walker) redirections(list []*syntax.Redirect, e *env) (in input, targets []target) {
	for _, r := range list {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			in = input{there: true, text: w.heredoc(r, e)}
		case syntax.WordHdoc:
			in = input{there: true, text: w.one(r.Word, e).text + "\n"}
		case syntax.RdrIn:
			a := w.one(r.Word, e)
			w.record("", []arg{a}, e)
			in = input{there: true, text: w.content(a, e)}
			if p, ok := procText(r.Word); ok {
				in.text = w.muted(func() string { return w.outputs(p, e.fork()) })
			}
		case syntax.DplIn:
			if fd := w.one(r.Word, e).text; fd != "" && strings.Trim(fd, "0123456789") == "" && fd != "0" && fd != "1" && fd != "2" {
				in = input{there: true, text: outside} // what was opened before
			}
		default:
			a := w.one(r.Word, e)
			if r.Op == syntax.DplOut && strings.Trim(a.text, "0123456789-") == "" || strings.HasPrefix(path.Clean(a.text), "/dev/") && !strings.HasPrefix(a.text, "/dev/tcp/") {
				continue
			}
			w.add(w.written(a, e, false))
			if strings.HasPrefix(a.text, "/dev/tcp/") && (providerHost(a.text) || a.dim()) {
				w.add(ask(RuleProvider, "a raw connection says nothing about what is sent", "use the provider's command line for what is read"))
			}
			if p, full := e.at(a.text, w.s.Home); full && !a.dim() {
				targets = append(targets, target{path: p, after: r.Op == syntax.AppOut || r.Op == syntax.AppAll})
			} else {
				w.other = true
			}
		}
	}
	return in, targets
}

// content returns what a file holds that this text wrote.
func (w *walker) content(a arg, e *env) string {
	if p, full := e.at(a.text, w.s.Home); full {
		if text, ok := w.files[p]; ok {
			return text
		}
	}
	if a.text == "/dev/null" {
		return ""
	}
	return outside
}

func (w *walker) heredoc(r *syntax.Redirect, e *env) string {
	if r.Hdoc == nil {
		return ""
	}
	var b strings.Builder
	quoted := false
	for _, p := range r.Word.Parts {
		l, ok := p.(*syntax.Lit)
		quoted = quoted || !ok || strings.Contains(l.Value, `\`)
	}
	for _, p := range r.Hdoc.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			if quoted {
				b.WriteString(l.Value)
			} else {
				b.WriteString(unescapeDouble(l.Value))
			}
			continue
		}
		b.WriteString(w.quotedPart(p, e))
	}
	if r.Op != syntax.DashHdoc {
		return b.String()
	}
	lines := strings.SplitAfter(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], "\t")
	}
	return strings.Join(lines, "")
}
