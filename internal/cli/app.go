package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/agents"
	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/prompt"
	"github.com/asterweave/asterweave/internal/schema"
	"github.com/asterweave/asterweave/rules"
)

// app is what the verbs share. Everything in it is made when it is first needed.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        []string

	root string
	json bool

	opened *engine.Engine
}

// engine returns the engine of the worktree around the current folder.
func (a *app) engine() (*engine.Engine, error) {
	if a.opened != nil {
		return a.opened, nil
	}
	root := a.root
	if root == "" {
		wd, err := os.Getwd()
		if err != nil {
			return nil, problem.Wrap(problem.NoRepository, err, "go to a folder that exists, or name one with --root")
		}
		root = wd
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, problem.Wrap(problem.Usage, err, "name a folder with --root")
	}
	found, err := gitrepo.FindRoot(root)
	if err != nil {
		return nil, problem.Wrap(problem.NoRepository, err, "run this inside a Git repository, or name one with --root")
	}
	a.opened, err = engine.Open(engine.Options{
		Root: found, Now: time.Now, Environ: a.environ, Schemas: schema.New(), Providers: a.providers,
	})
	return a.opened, err
}

// texts are the embedded sources of prompts.
func texts() prompt.Texts {
	return prompt.Texts{Agent: agents.Body, Rule: rules.Text, Rules: rules.For}
}

func (a *app) getenv(name string) string {
	for _, kv := range a.environ {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			return v
		}
	}
	return ""
}

// agentShell reports whether this process was started from an agent's shell.
func (a *app) agentShell() bool {
	return a.getenv("ASTERWEAVE_AGENT") != "" || strings.HasSuffix(a.getenv("AI_AGENT"), "_agent")
}

// by says who calls a verb that is open to everyone.
func (a *app) by() evidence.By {
	by := evidence.By{Channel: "cli", Session: a.getenv("CLAUDE_CODE_SESSION_ID")}
	if a.agentShell() {
		by.Channel = "agent"
	}
	return by
}

// human says who calls a human's verb: somebody with a terminal, outside of an
// agent's shell. Anybody else keeps a channel that the rules refuse.
func (a *app) human() evidence.By {
	by := a.by()
	if by.Channel != "cli" {
		return by
	}
	tty, err := openTerminal()
	if err != nil {
		return by
	}
	tty.Close()
	return evidence.By{Channel: evidence.ChannelTerminal, Identity: a.getenv("USER")}
}

// readFile reads a document; "-" is stdin. More than a document may have is refused
// by its reader, so one byte more is read.
func (a *app) readFile(name string) ([]byte, error) {
	in := a.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, problem.Wrap(problem.Usage, err, "name a file that can be read, or - for standard input")
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, document.MaxBytes+1))
	if err != nil {
		return nil, problem.Wrap(problem.Usage, err, "name a file that can be read, or - for standard input")
	}
	return b, nil
}

// next answers with where the delivery is now and what to do.
func (a *app) next(d *decide.Draft) error { return a.nextView(d.View) }

func (a *app) nextView(v gate.View) error {
	text := prompt.Next(v, texts())
	if a.json {
		a.answer(map[string]any{
			"ok": true, "delivery": engine.Delivery(v), "criteria": engine.Criteria(v),
			"next": map[string]any{"node": v.State.Node, "attempt": max(v.State.Nodes[v.State.Node].Attempts, 1), "prompt": text},
		})
		return nil
	}
	fmt.Fprint(a.stdout, text)
	return nil
}

// evidence answers with a record.
func (a *app) evidence(r evidence.Record) {
	if a.json {
		a.answer(map[string]any{"ok": true, "evidence": r})
		return
	}
	fmt.Fprintf(a.stdout, "%s %s: %s (%s)\n", r.ID, r.Kind, r.Result, r.Witness)
	if r.Because != "" {
		fmt.Fprintf(a.stdout, "because: %s\n", plain(r.Because))
	}
}

// verb makes a verb. Most need the engine at once: see engineVerb and viewVerb.
func verb(use, short string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: run}
}

// engineVerb makes a verb that needs the engine.
func (a *app) engineVerb(use, short string, args cobra.PositionalArgs, run func(*cobra.Command, *engine.Engine, []string) error) *cobra.Command {
	return verb(use, short, args, func(c *cobra.Command, given []string) error {
		e, err := a.engine()
		if err != nil {
			return err
		}
		return run(c, e, given)
	})
}

// viewVerb makes a verb without arguments that is about the delivery as it stands.
func (a *app) viewVerb(use, short string, run func(*cobra.Command, *engine.Engine, engine.View) error) *cobra.Command {
	return a.engineVerb(use, short, cobra.NoArgs, func(c *cobra.Command, e *engine.Engine, _ []string) error {
		v, err := e.Look(c.Context())
		if err != nil {
			return err
		}
		return run(c, e, v)
	})
}
