package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/guard"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/schema"
	"github.com/asterweave/asterweave/internal/sentry"
	"github.com/asterweave/asterweave/internal/state"
)

func (a *app) guardCommand() *cobra.Command {
	return group("guard", "say what the guard says; put Git's own hook in place; let something through (a human's verb)",
		a.guardExplainCommand(), a.guardAllowCommand(), a.guardInstallCommand(), a.guardUninstallCommand(), a.guardPrePushCommand())
}

// layHooks puts the folder of hooks in place. It is a safeguard, and its failure is told
// and stops nothing else.
func (a *app) layHooks(ctx context.Context, e *engine.Engine) {
	if err := sentry.LayHooks(ctx, e); err != nil {
		fmt.Fprintf(a.stderr, "asterweave: error: pushes are not judged by Git's own hook: %s\n", err)
		fmt.Fprintln(a.stderr, "asterweave: hint: asterweave-state doctor says what is missing")
	}
}

// said is a verdict, as guard explain answers it.
type said struct {
	Decision string `json:"decision"` // pass, allow, ask or deny
	Rule     string `json:"rule"`
	Reason   string `json:"reason"`
	Hint     string `json:"hint"`
	Rewrite  string `json:"rewrite"` // the command that runs in its place
}

func saidOf(v guard.Verdict) said {
	return said{Decision: v.Decision.String(), Rule: v.Rule, Reason: v.Reason, Hint: v.Hint, Rewrite: v.Rewrite}
}

func (a *app) guardExplainCommand() *cobra.Command {
	var tool, input string
	c := a.engineVerb("explain [--tool NAME --input FILE] [-- COMMAND…]", "say what the guard says about a command or a call of a tool, and why", cobra.ArbitraryArgs,
		func(c *cobra.Command, e *engine.Engine, args []string) error {
			in, err := a.explained(tool, input, args)
			if err != nil {
				return err
			}
			s, open, err := a.situation(e)
			if err != nil {
				return err
			}
			if tool == "" {
				tool = "Bash"
			}
			v := saidOf(s.Tool(tool, in))
			if !open {
				a.answer(map[string]any{"ok": true, "open": false, "decision": guard.Pass.String(), "rule": "", "reason": "no delivery is open", "hint": "", "rewrite": "", "would": v})
				a.say("pass: no delivery is open here, and nothing is judged\nwith a delivery open, before it has a branch or a confirmation:")
				a.sayVerdict(v)
				return nil
			}
			a.answer(struct {
				OK   bool `json:"ok"`
				Open bool `json:"open"`
				said
			}{true, true, v})
			a.sayVerdict(v)
			return nil
		})
	c.Flags().StringVar(&tool, "tool", "", "name of a tool of the client (default: the shell)")
	c.Flags().StringVar(&input, "input", "", "file with the tool's input, one JSON object; - for standard input")
	return c
}

func (a *app) sayVerdict(v said) {
	line := v.Decision
	if v.Rule != "" {
		line += ", by the rule " + v.Rule
	}
	if v.Reason != "" {
		line += ": " + document.OneLine(v.Reason)
	}
	a.say("%s", line)
	if v.Decision == guard.Ask.String() {
		a.say("where nobody is there to be asked, it is refused")
	}
	if v.Hint != "" {
		a.say("hint: %s", v.Hint)
	}
	if v.Rewrite != "" {
		a.say("in its place runs: %s", v.Rewrite)
	}
}

// explained returns the input of the call that is asked about.
func (a *app) explained(tool, input string, args []string) (json.RawMessage, error) {
	switch {
	case input != "" && len(args) > 0, input != "" && tool == "":
		return nil, problem.New(problem.Usage, "a command, or a tool with its input, is asked about", "put the command behind --, or name the tool with --tool and its input with --input")
	case input != "":
		return a.readFile(input)
	case len(args) == 0:
		return nil, problem.New(problem.Usage, "no command is given", "put it behind --")
	case tool != "" && tool != "Bash":
		return nil, problem.New(problem.Usage, "the input of a tool comes in a file", "name it with --input, or - for standard input")
	}
	b, err := json.Marshal(map[string]string{"command": commandText(args)})
	if err != nil {
		return nil, fmt.Errorf("the command: %w", err)
	}
	return b, nil
}

// commandText is the text of a command: one word is the text itself, several are quoted
// as far as a shell needs it.
func commandText(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	words := make([]string, len(args))
	for i, w := range args {
		if w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+") != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}

// situation is what the guard would know of a call from the current folder, and whether
// a delivery is open. Without one, it is that of a delivery that has just begun.
func (a *app) situation(e *engine.Engine) (guard.Situation, bool, error) {
	cwd, err := os.Getwd()
	if err == nil {
		cwd, err = filepath.EvalSymlinks(cwd)
	}
	if rel, rerr := filepath.Rel(e.Root(), cwd); err != nil || rerr != nil || !filepath.IsLocal(rel) {
		cwd = e.Root()
	}
	call := sentry.Call{Cwd: cwd, Home: a.getenv("HOME"), Attended: true, Now: time.Now()}
	st, err := peek(e)
	if err != nil {
		return guard.Situation{}, false, err
	}
	if st == nil {
		return sentry.Place(e, call), false, nil
	}
	s, err := sentry.Situation(e, st, call)
	return s, true, err
}

// peek returns the open delivery, nil where there is none.
func peek(e *engine.Engine) (*state.State, error) {
	if !e.Exists() {
		return nil, nil
	}
	st, err := e.Peek()
	switch {
	case err != nil && problem.CodeOf(err) == problem.NoDelivery:
		return nil, nil
	case err != nil:
		return nil, err
	case !st.Delivery.Open():
		return nil, nil
	}
	return st, nil
}

func (a *app) guardAllowCommand() *cobra.Command {
	var b decide.Bypass
	var list bool
	c := a.engineVerb("allow RULE… --reason T [--for D] [-- COMMAND…]", "let through for a time what a rule of the guard stops (a human's verb)", cobra.ArbitraryArgs,
		func(c *cobra.Command, e *engine.Engine, args []string) error {
			if list {
				return a.listBypasses(e)
			}
			b.Rules = args
			if at := c.ArgsLenAtDash(); at >= 0 {
				b.Rules = args[:at]
				b.Command = commandText(args[at:])
			}
			if err := a.ruleOfCommand(e, &b); err != nil {
				return err
			}
			var out []state.Bypass
			_, err := e.Do(c.Context(), "guard-allow", a.human(), func(d *decide.Draft) (err error) {
				out, err = d.Allow(b)
				return err
			})
			if err != nil {
				return err
			}
			a.answer(map[string]any{"ok": true, "bypasses": out})
			for _, one := range out {
				a.say("%s lets through what the rule %s stops, until %s; status, report and verify show it", one.ID, one.Rule, one.Until.Local().Format(time.DateTime))
			}
			return nil
		})
	c.Long = "Lets through for a time what a rule of the guard stops, for one command or for any. It is\n" +
		"recorded with its reason. The rules are\n  " + strings.Join(guard.Rules(), ", ") + ".\n" +
		"Nothing is let through of " + strings.Join(guard.Absolute(), ", ") + ".\n" +
		"Without a rule, it is the one that stops the command. Git's own hook sees no command: of\n" +
		"what it judges, it lets the rule through for as long."
	c.Flags().StringVar(&b.Reason, "reason", "", "why the guard is wrong here")
	c.Flags().DurationVar(&b.For, "for", time.Hour, "how long, at most 24h")
	c.Flags().BoolVar(&list, "list", false, "show what was let through")
	return c
}

// ruleOfCommand names the rule that stops the command, where none is named.
func (a *app) ruleOfCommand(e *engine.Engine, b *decide.Bypass) error {
	if len(b.Rules) > 0 || b.Command == "" {
		return nil
	}
	s, open, err := a.situation(e)
	if err != nil || !open {
		return err
	}
	v := s.Shell(b.Command)
	if v.Decision < guard.Ask {
		return problem.New(problem.Usage, "the guard does not stop this command", "asterweave-state guard explain says what it says about a command")
	}
	b.Rules = []string{v.Rule}
	return nil
}

func (a *app) listBypasses(e *engine.Engine) error {
	st, err := e.Peek()
	if err != nil {
		return err
	}
	type row struct {
		state.Bypass
		InForce bool `json:"inForce"`
	}
	rows := []row{}
	now := time.Now()
	for _, b := range st.Bypasses {
		rows = append(rows, row{b, st.Delivery.Open() && b.InForce(now)})
	}
	a.answer(map[string]any{"ok": true, "bypasses": rows})
	if len(rows) == 0 {
		a.say("nothing was let through")
	}
	for _, r := range rows {
		of, how := "for anything", "expired"
		if r.Command != "" {
			of = "for " + document.OneLine(r.Command)
		}
		if r.InForce {
			how = "in force"
		}
		a.say("%s %s, %s, %s until %s: %s", r.ID, r.Rule, of, how, r.Until.Local().Format(time.DateTime), document.OneLine(r.Reason))
	}
	return nil
}

// guardPrePushCommand is what Git's own hook asks. Status 3 is a refusal; with any other
// but 0 the hook takes the judge for broken.
func (a *app) guardPrePushCommand() *cobra.Command {
	var worktree string
	c := verb("pre-push [--worktree DIR] -- REMOTE URL", "judge what Git is about to push; Git's own hook calls it", cobra.ExactArgs(2), func(c *cobra.Command, args []string) error {
		cwd, err := os.Getwd()
		if err != nil {
			return problem.Wrap(problem.NoRepository, err, "go to a folder that exists")
		}
		j := sentry.Judge{Open: a.open, Now: time.Now(), Home: a.getenv("HOME")}
		v, err := j.Push(c.Context(), sentry.Pushed{Cwd: cwd, GitDir: a.getenv("GIT_DIR"), Worktree: worktree, Remote: args[0], URL: args[1], Refs: a.stdin})
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, a.stdin)
		if v.Decision >= guard.Ask {
			return problem.New(problem.GateShut, "the push is refused ("+v.Rule+"): "+v.Reason, v.Hint)
		}
		return nil
	})
	c.Flags().StringVar(&worktree, "worktree", "", "worktree of the session whose hooks these are")
	c.Hidden = true
	return c
}

func (a *app) open(root string) (*engine.Engine, error) {
	return engine.Open(engine.Options{Root: root, Now: time.Now, Environ: a.environ, Schemas: schema.New(), Providers: a.providers})
}
