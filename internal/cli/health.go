package cli

import (
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/hook"
	"github.com/asterweave/asterweave/internal/problem"
)

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
