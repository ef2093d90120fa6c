package hook

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// view is what a shell command prints of a repository's files.
type view struct {
	files []string // full paths that cat prints
	blobs []string // paths of a tree that git show prints, relative to the root
	repos []string // folders that git is run in
	diff  bool     // git prints a diff
}

// viewOf reads a command line. It is a view when it does nothing but print files
// (cat) and diffs (git diff, git show): in a line with any other command nobody can
// tell whose output it is, and so it shows nothing for certain.
func viewOf(command, cwd string) (view, bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return view{}, false
	}
	r := reader{cwd: cwd}
	for _, s := range file.Stmts {
		if !r.statement(s) {
			return view{}, false
		}
	}
	return r.view, true
}

// reader walks a command line; its methods report whether all of it is understood.
type reader struct {
	view
	cwd string
}

func (r *reader) statement(s *syntax.Stmt) bool {
	if s.Negated || s.Background || s.Coprocess || s.Disown || !printing(s.Redirs) {
		return false
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		return r.call(cmd)
	case *syntax.BinaryCmd:
		switch cmd.Op {
		case syntax.AndStmt:
			return r.statement(cmd.X) && r.statement(cmd.Y)
		case syntax.OrStmt:
			return r.statement(cmd.X) && isTrue(cmd.Y)
		case syntax.Pipe:
			return r.statement(cmd.X) && isPager(cmd.Y)
		}
	}
	return false
}

// printing reports whether redirections leave standard output alone.
func printing(list []*syntax.Redirect) bool {
	for _, r := range list {
		if r.N == nil || r.N.Value != "2" || r.Op != syntax.RdrOut && r.Op != syntax.DplOut && r.Op != syntax.AppOut {
			return false
		}
	}
	return true
}

func isTrue(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(s.Redirs) > 0 {
		return false
	}
	argv, ok := words(call)
	return ok && (slices.Equal(argv, []string{"true"}) || slices.Equal(argv, []string{":"}))
}

// isPager reports whether a statement passes on what it reads, or a part of it.
func isPager(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || !printing(s.Redirs) {
		return false
	}
	argv, ok := words(call)
	if !ok {
		return false
	}
	switch argv[0] {
	case "cat", "head", "tail", "less", "more", "nl":
	default:
		return false
	}
	for _, a := range argv[1:] {
		if !strings.HasPrefix(a, "-") && strings.Trim(a, "0123456789") != "" {
			return false // it reads a file instead
		}
	}
	return true
}

func (r *reader) call(c *syntax.CallExpr) bool {
	for _, a := range c.Assigns {
		if a.Name == nil || a.Name.Value != "GIT_PAGER" && a.Name.Value != "PAGER" {
			return false
		}
	}
	argv, ok := words(c)
	if !ok {
		return false
	}
	switch args := argv[1:]; argv[0] {
	case "cd":
		return r.cd(args)
	case "cat":
		return r.cat(args)
	case "git":
		return r.git(args)
	case "echo":
		return quiet(args)
	case "pwd", "true", ":":
		return true
	}
	return false
}

// quiet reports whether what echo prints cannot be taken for a diff.
func quiet(args []string) bool {
	all := strings.Join(args, " ")
	return !strings.Contains(all, "diff") && !strings.Contains(all, `\`)
}

func (r *reader) cd(args []string) bool {
	if len(args) != 1 || args[0] == "-" {
		return false
	}
	r.cwd = r.at(args[0])
	return true
}

func (r *reader) at(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(r.cwd, p)
}

func (r *reader) cat(args []string) bool {
	for i, a := range args {
		switch {
		case a == "--":
			for _, p := range args[i+1:] {
				r.files = append(r.files, r.at(p))
			}
			return true
		case a == "-":
			return false
		case !strings.HasPrefix(a, "-"):
			r.files = append(r.files, r.at(a))
		}
	}
	return true
}

// git understands diff and show, and the commands that only say where one is.
func (r *reader) git(args []string) bool {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch {
		case args[0] == "--no-pager" || args[0] == "-P":
			args = args[1:]
		case args[0] == "-c" && len(args) > 1 && (strings.HasPrefix(args[1], "color.") || strings.HasPrefix(args[1], "core.pager=") || strings.HasPrefix(args[1], "core.quotepath=")):
			args = args[2:]
		default:
			return false // another repository, or another way to print
		}
	}
	if len(args) == 0 {
		return false
	}
	r.repos = append(r.repos, r.cwd)
	switch verb, args := args[0], args[1:]; verb {
	case "diff":
		r.diff = true
		return plainDiff(args)
	case "show":
		return r.show(args)
	case "status", "rev-parse", "branch", "merge-base", "ls-files":
		return true
	}
	return false
}

// plainDiff reports whether the diff is of this repository, its paths from the root.
func plainDiff(args []string) bool {
	return !slices.ContainsFunc(args, func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		switch name {
		case "--no-index", "--relative", "--src-prefix", "--dst-prefix", "--line-prefix", "--output", "--format", "--pretty":
			return true
		}
		return false
	})
}

// show takes the files of a tree that are named; everything else prints a diff.
func (r *reader) show(args []string) bool {
	for _, a := range args {
		if a == "--" {
			break
		}
		_, file, ok := strings.Cut(a, ":")
		switch {
		case strings.HasPrefix(a, "-"):
		case !ok:
			r.diff = true
		case strings.HasPrefix(file, "./"), strings.HasPrefix(file, "../"), file == "", strings.HasPrefix(a, ":"):
			return false
		default:
			r.blobs = append(r.blobs, path.Clean(file))
		}
	}
	r.diff = r.diff || len(r.blobs) == 0
	return plainDiff(args)
}

// words returns the words of a call, false when one is not literal.
func words(c *syntax.CallExpr) ([]string, bool) {
	if len(c.Args) == 0 {
		return nil, false
	}
	argv := make([]string, 0, len(c.Args))
	for _, w := range c.Args {
		var b strings.Builder
		for i, part := range w.Parts {
			if !appendLiteral(&b, part, i == 0) {
				return nil, false
			}
		}
		argv = append(argv, b.String())
	}
	return argv, true
}

func appendLiteral(b *strings.Builder, part syntax.WordPart, first bool) bool {
	switch p := part.(type) {
	case *syntax.Lit:
		if strings.ContainsAny(p.Value, "*?[{\\") || first && strings.HasPrefix(p.Value, "~") {
			return false
		}
		b.WriteString(p.Value)
	case *syntax.SglQuoted:
		if p.Dollar {
			return false
		}
		b.WriteString(p.Value)
	case *syntax.DblQuoted:
		for _, inner := range p.Parts {
			l, ok := inner.(*syntax.Lit)
			if p.Dollar || !ok || strings.Contains(l.Value, `\`) {
				return false
			}
			b.WriteString(l.Value)
		}
	default:
		return false
	}
	return true
}
