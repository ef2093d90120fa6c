package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/config"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/state"
)

// documents compares the copies that people read with what the ledger names.
func (x *examination) documents() {
	same := 0
	for _, d := range []struct{ name, file, verb string }{
		{state.DocSpec, "spec.json", "spec put"},
		{state.DocPlan, "plan.json", "plan put"},
		{state.DocManifest, "context-manifest.json", "manifest put"},
	} {
		digest := x.state.Docs[d.name]
		if digest == "" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(x.e.StateDir(), d.file))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			x.add("documents", Warn, d.file+" is gone; the ledger keeps what counts", "")
		case err != nil:
			x.add("documents", Warn, err.Error(), "")
		case canon.Hash(b) != digest:
			x.add("documents", Warn, d.file+" was edited by hand, which decides nothing", d.verb+" stores an edited document while its node is open")
		default:
			same++
		}
	}
	if same > 0 {
		x.ok("documents", "%d on the disk are those that the ledger names", same)
	}
}

// configuration looks at document.ConfigPath: the one at the base is in force.
func (x *examination) configuration(ctx context.Context) {
	const name = "configuration"
	inForce, there, err := x.atBase(ctx)
	if err != nil {
		x.add(name, Warn, "the one at the base cannot be read: "+err.Error(), "")
		return
	}
	for _, p := range x.problems(ctx, inForce, there) {
		x.add(name, Fail, document.ConfigPath+" at the base: "+p.String()+"; it shuts implement and what follows", "correct it on the base branch")
	}
	work, err := os.ReadFile(filepath.Join(x.e.Root(), filepath.FromSlash(document.ConfigPath)))
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		x.add(name, Warn, err.Error(), "")
	case there != (err == nil) || !bytes.Equal(lines(work), lines(inForce)):
		text := document.ConfigPath + " of the work tree differs from the one at the base, which is in force"
		if _, problems := config.Parse(work); err == nil && len(problems) > 0 {
			text += fmt.Sprintf("; it is not valid: %s", joined(problems))
		}
		x.add(name, Warn, text, "it comes into force when it is merged into the base branch")
	case !there:
		x.ok(name, "there is no %s; the defaults are in force", document.ConfigPath)
	case !x.has(name):
		x.ok(name, "%s at the base is valid", document.ConfigPath)
	}
}

func (x *examination) has(name string) bool {
	for _, l := range x.lines {
		if l.Name == name {
			return true
		}
	}
	return false
}

// atBase returns the configuration at the merge base, or at the head where there is
// no base.
func (x *examination) atBase(ctx context.Context) ([]byte, bool, error) {
	rev, err := x.revision(ctx)
	if err != nil || rev == "" {
		return nil, false, err
	}
	return x.repo.File(ctx, rev, document.ConfigPath)
}

func (x *examination) revision(ctx context.Context) (string, error) {
	base, err := x.base(ctx)
	if err != nil {
		return "", err
	}
	h, err := x.repo.Head(ctx)
	if err != nil || h.Unborn {
		return "", err
	}
	remote, err := x.repo.Remote(ctx)
	if err != nil {
		return "", err
	}
	return x.repo.MergeBase(ctx, h, x.baseRemote(remote), base)
}

func (x *examination) problems(ctx context.Context, data []byte, there bool) []document.Problem {
	if !there {
		return nil
	}
	c, problems := config.Parse(data)
	if len(problems) > 0 {
		return problems
	}
	g, err := graph.Parse(graph.Embedded())
	if err != nil {
		return []document.Problem{{What: err.Error()}}
	}
	rev, err := x.revision(ctx)
	if err != nil {
		return []document.Problem{{What: err.Error()}}
	}
	return c.Check(g.Budgets(), func(path string) bool {
		_, ok, err := x.repo.File(ctx, rev, path)
		return err == nil && ok
	})
}

// lines makes a file as Git stores it where autocrlf is on.
func lines(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }

func joined(problems []document.Problem) string {
	out := make([]string, len(problems))
	for i, p := range problems {
		out[i] = p.String()
	}
	return strings.Join(out, "; ")
}
