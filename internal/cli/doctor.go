package cli

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/doctor"
	"github.com/asterweave/asterweave/internal/problem"
)

// doctorCommand looks at the machine, too, so that it works outside of a repository.
func (a *app) doctorCommand() *cobra.Command {
	return verb("doctor", "check that everything is healthy", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		o := doctor.Options{Environ: a.environ, Version: Version, Now: time.Now, Providers: a.providers}
		o.Program, _ = os.Executable() // without it, the hook program is looked for on PATH alone
		e, err := a.engine()
		var lines []doctor.Line
		switch {
		case err == nil:
			lines = doctor.Check(c.Context(), e, o)
		case problem.CodeOf(err) == problem.NoRepository:
			dir := a.root
			if dir == "" {
				dir, _ = os.Getwd() // a folder that is gone is named by the error
			}
			lines = doctor.Outside(c.Context(), dir, err, o)
		default:
			return err
		}
		if a.json {
			a.answer(map[string]any{"ok": doctor.Exit(lines) == 0, "lines": lines})
		} else {
			doctor.Print(a.stdout, lines)
		}
		if status := doctor.Exit(lines); status != 0 {
			return statusError(status)
		}
		return nil
	})
}
