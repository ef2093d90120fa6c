package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/prompt"
)

func (a *app) startCommand() *cobra.Command {
	var req engine.StartRequest
	c := a.engineVerb("start --goal T | --source REF", "open a delivery", cobra.NoArgs, func(c *cobra.Command, e *engine.Engine, _ []string) error {
		req.By = a.by()
		if req.By.Channel == "cli" {
			req.By = a.human()
		}
		d, err := e.Start(c.Context(), req)
		if err != nil {
			return err
		}
		a.layHooks(c.Context(), e)
		return a.next(d)
	})
	c.Flags().StringVar(&req.Goal, "goal", "", "what is to be true at the end (default: the title of the work item)")
	c.Flags().StringVar(&req.Source, "source", "", "work item that is read back: owner/repo#123, org/project#42, #12, or its URL")
	c.Flags().StringVar(&req.Provider, "provider", "", "where the delivery is read back: local")
	c.Flags().StringVar(&req.Base, "base", "", "base branch (default: the remote's HEAD, else the current branch)")
	c.Flags().BoolVar(&req.AutoPR, "auto-pr", false, "a human waives the confirmation before the pull request, and nothing else")
	return c
}

func (a *app) nextCommand() *cobra.Command {
	var agent string
	c := a.viewVerb("next", "say what to do now", func(c *cobra.Command, e *engine.Engine, v engine.View) error {
		text := prompt.Next(v.View, texts())
		if agent != "" {
			var ok bool
			if text, ok = prompt.Delegation(v.View, texts(), agent); !ok {
				return problem.New(problem.Usage, fmt.Sprintf("unknown agent %q", agent), "the node's prompt names its agents")
			}
		}
		if v.State.Delivery.Open() {
			a.layHooks(c.Context(), e)
			if err := e.Prompted(c.Context(), a.by(), canon.Hash([]byte(text)), len(text), agent); err != nil {
				return err
			}
		}
		if agent == "" {
			return a.nextView(v.View)
		}
		if a.json {
			a.answer(map[string]any{
				"ok": true, "delivery": engine.Delivery(v.View), "criteria": engine.Criteria(v.View),
				"next": map[string]any{"node": v.State.Node, "attempt": v.State.Nodes[v.State.Node].Attempts, "agent": agent, "prompt": text},
			})
			return nil
		}
		fmt.Fprint(a.stdout, text)
		return nil
	})
	c.Flags().StringVar(&agent, "agent", "", "print the delegation to this agent")
	return c
}

func (a *app) enterCommand() *cobra.Command {
	var hypothesis string
	c := verb("enter NODE", "begin an attempt after a failure or a pause", cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		return a.decideNext(c, "enter", a.by(), func(d *decide.Draft) error { return d.Enter(args[0], hypothesis) })
	})
	c.Flags().StringVar(&hypothesis, "hypothesis", "", "what was wrong and what will be different")
	return c
}

func (a *app) completeCommand() *cobra.Command {
	var reason string
	c := verb("complete NODE OUTCOME", "end the attempt that is under way", cobra.ExactArgs(2), func(c *cobra.Command, args []string) error {
		by := a.by()
		if args[1] == "abort" {
			by = a.human()
		}
		return a.decideNext(c, "complete", by, func(d *decide.Draft) error { return d.Complete(args[0], args[1], reason) })
	})
	c.Flags().StringVar(&reason, "reason", "", "why; needed for every outcome but pass")
	return c
}

func (a *app) submitCommand() *cobra.Command {
	return a.engineVerb("submit NODE FILE", "apply one structured result, all or nothing", cobra.ExactArgs(2), func(c *cobra.Command, e *engine.Engine, args []string) error {
		data, err := a.readFile(args[1])
		if err != nil {
			return err
		}
		d, err := e.Submit(c.Context(), a.by(), args[0], data)
		if err != nil {
			return err
		}
		return a.next(d)
	})
}

func (a *app) decideNext(c *cobra.Command, name string, by evidence.By, fn func(*decide.Draft) error) error {
	e, err := a.engine()
	if err != nil {
		return err
	}
	d, err := e.Do(c.Context(), name, by, fn)
	if err != nil {
		return err
	}
	return a.next(d)
}

func (a *app) pauseCommand() *cobra.Command {
	var reason string
	c := verb("pause --reason T", "let the delivery wait", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		return a.decideNext(c, "pause", a.by(), func(d *decide.Draft) error { return d.Pause(reason, false) })
	})
	c.Flags().StringVar(&reason, "reason", "", "what it waits for")
	return c
}

func (a *app) resumeCommand() *cobra.Command {
	return verb("resume", "let a paused delivery go on", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		return a.decideNext(c, "resume", a.human(), func(d *decide.Draft) error { return d.Resume() })
	})
}

func (a *app) abortCommand() *cobra.Command {
	var reason string
	c := a.engineVerb("abort --reason T", "end the delivery without success (a human's verb)", cobra.NoArgs, func(c *cobra.Command, e *engine.Engine, _ []string) error {
		d, folder, err := e.Abort(c.Context(), a.human(), reason)
		switch {
		case err != nil:
			return err
		case folder == "":
			return a.next(d)
		case a.json:
			a.answer(map[string]any{"ok": true, "setAside": folder})
		default:
			fmt.Fprintf(a.stdout, "The ledger was damaged or gone, and is given up. What is left of it lies in %s; %s start opens a new delivery.\n", folder, prompt.Program)
		}
		return nil
	})
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}
