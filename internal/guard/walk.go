package guard

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

func (w *walker) stmts(list []*syntax.Stmt, e *env) {
	for _, s := range list {
		w.stmt(s, e)
	}
}

// stmt judges one statement with its redirections.
func (w *walker) stmt(s *syntax.Stmt, e *env) {
	if w.done() || s == nil {
		return
	}
	in, targets := w.redirections(s.Redirs, e)
	had := e.in
	if in.there {
		e.in = in
	}
	run := e
	if s.Background || s.Coprocess {
		run = e.fork()
	}
	if len(targets) > 0 {
		w.other = true
		printed := w.muted(func() string { return w.output(s.Cmd, run.fork()) })
		defer w.remember(targets, printed)
	}
	w.command(s.Cmd, run)
	w.intoProcess(s, run)
	e.in = had
}

// command judges a command of any kind.
func (w *walker) command(c syntax.Command, e *env) {
	if w.steps++; w.steps > maxSteps {
		w.add(ask(RuleUnresolved, "the command is too long to be judged", "split it into several calls"))
		return
	}
	switch c := c.(type) {
	case *syntax.CallExpr:
		w.call(c, e)
	case *syntax.Block:
		w.stmts(c.Stmts, e)
	case *syntax.Subshell:
		w.stmts(c.Stmts, e.fork())
	case *syntax.BinaryCmd:
		w.binary(c, e)
	case *syntax.IfClause:
		w.branches(c, e)
	case *syntax.WhileClause:
		w.loop(e, func(b *env) {
			w.stmts(c.Cond, b)
			w.stmts(c.Do, b)
		})
	case *syntax.ForClause:
		w.forClause(c, e)
	case *syntax.CaseClause:
		w.one(c.Word, e)
		var after []*env
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				w.one(p, e)
			}
			b := e.fork()
			w.stmts(item.Stmts, b)
			after = append(after, b)
		}
		e.merge(w.s.Root, after...)
	case *syntax.FuncDecl:
		if c.Name != nil {
			e.funcs[c.Name.Value] = c.Body
			if c.Name.Value == "command_not_found_handle" { // a shell calls it by itself
				w.stmt(c.Body, e.fork())
			}
		}
	case *syntax.DeclClause:
		w.declare(c, e)
	case *syntax.TimeClause:
		w.stmt(c.Stmt, e)
	case *syntax.CoprocClause:
		w.stmt(c.Stmt, e.fork())
	case nil:
	default: // arithmetic and tests
		w.inside(c, e)
	}
}

// inside judges the substitutions in a tree, and only these.
func (w *walker) inside(n syntax.Node, e *env) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.judge(n.Stmts, e)
			return false
		case *syntax.ProcSubst:
			w.judge(n.Stmts, e)
			return false
		}
		return true
	})
}

func (w *walker) judge(list []*syntax.Stmt, e *env) {
	if w.mute == 0 {
		w.stmts(list, e.fork())
	}
}

func (w *walker) binary(c *syntax.BinaryCmd, e *env) {
	switch c.Op {
	case syntax.AndStmt:
		chain := andChain(c)
		w.stmt(chain[0], e)
		b := e.fork()
		w.stmts(chain[1:], b)
		e.merge(w.s.Root, b)
		e.dir, e.branch = b.dir, b.branch // what fails here mostly fails as a whole
	case syntax.OrStmt:
		w.stmt(c.X, e)
		b := e.fork()
		w.stmt(c.Y, b)
		e.merge(w.s.Root, b)
	default: // pipes
		left := e.fork()
		printed := w.muted(func() string { return w.outputStmt(c.X, left.fork()) })
		w.stmt(c.X, left)
		right := e.fork()
		right.in = input{there: true, text: printed}
		w.stmt(c.Y, right)
	}
}

// andChain returns a && b && c as a list: each runs only after all before it, so what
// they set is certain there.
func andChain(c *syntax.BinaryCmd) []*syntax.Stmt {
	out := []*syntax.Stmt{c.Y}
	x := c.X
	for {
		b, ok := x.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.AndStmt || len(x.Redirs) > 0 || x.Negated || x.Background {
			break
		}
		out = append(out, b.Y)
		x = b.X
	}
	out = append(out, x)
	slices.Reverse(out)
	return out
}

func (w *walker) branches(c *syntax.IfClause, e *env) {
	w.stmts(c.Cond, e)
	then := e.fork()
	w.stmts(c.Then, then)
	after := []*env{then}
	if c.Else != nil {
		other := e.fork()
		if len(c.Else.Cond) > 0 {
			w.branches(c.Else, other)
		} else {
			w.stmts(c.Else.Then, other)
		}
		after = append(after, other)
	}
	e.merge(w.s.Root, after...)
}

// loop goes through a body twice, the second time with what the first one left.
func (w *walker) loop(e *env, body func(*env)) {
	for range 2 {
		b := e.fork()
		body(b)
		e.merge(w.s.Root, b)
	}
}

// maxRounds is how many items of a loop are gone through one by one.
const maxRounds = 32

func (w *walker) forClause(c *syntax.ForClause, e *env) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		w.inside(c.Loop, e)
		w.loop(e, func(b *env) { w.stmts(c.Do, b) })
		return
	}
	items := e.args
	if iter.InPos.IsValid() {
		items = nil
		for _, word := range iter.Items {
			items = append(items, w.expand(word, e)...)
		}
	}
	if len(items) > maxRounds {
		items = append(items[:maxRounds:maxRounds], arg{text: anything})
	}
	for range min(2, len(items)) { // the second time with what the first one left
		for _, item := range items {
			b := e.fork()
			b.set(iter.Name.Value, item.text)
			w.stmts(c.Do, b)
			e.merge(w.s.Root, b)
			if w.done() || w.steps > maxSteps {
				return
			}
		}
		if len(items) > 4 {
			break
		}
	}
}

func (w *walker) muted(f func() string) string {
	w.mute++
	defer func() { w.mute-- }()
	return f()
}
