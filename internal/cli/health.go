package cli

import (
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/hook"
	"github.com/asterweave/asterweave/internal/problem"
)

func (a *app) verifyCommand() *cobra.Command {
	return a.engineVerb("verify", "check the whole ledger; never writes", cobra.NoArgs, func(c *cobra.Command, e *engine.Engine, _ []string) error {
		r, err := e.Verify(c.Context())
		if err != nil {
			return err
		}
		a.answer(map[string]any{"ok": !r.Damaged(), "report": r})
		for _, p := range r.Problems {
			a.say("%s", p)
		}
		for _, w := range r.Warnings {
			a.say("warning: %s", w)
		}
		if r.Torn > 0 {
			a.say("warning: torn: %d bytes behind the last event; the next write moves them aside", r.Torn)
		}
		a.say("%d events, head %s", r.Events, r.Head)
		if r.Damaged() {
			return statusError(exitLedger)
		}
		return nil
	})
}

func (a *app) hookCommand() *cobra.Command {
	return verb("hook EVENT", "take a harness event on stdin", cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		return a.hookEvent(c, args[0])
	})
}

func (a *app) hookEvent(c *cobra.Command, event string) error {
	status := hook.Run(c.Context(), hook.Deps{Environ: a.environ, Now: time.Now, Providers: a.providers}, event, a.stdin, a.stdout, a.stderr)
	if status != 0 {
		return statusError(status)
	}
	return nil
}

func (a *app) versionCommand() *cobra.Command {
	return verb("version", "print the version", cobra.NoArgs, func(*cobra.Command, []string) error {
		goVersion := ""
		if info, ok := debug.ReadBuildInfo(); ok {
			goVersion = info.GoVersion
		}
		if goVersion == "" {
			return problem.New(problem.Failed, "the build says nothing about itself", "build it with make build")
		}
		a.answer(map[string]any{"ok": true, "version": Version, "go": goVersion})
		a.say("asterweave-state %s (%s)", Version, goVersion)
		return nil
	})
}
