package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/verify"
)

func (a *app) verifyCommand() *cobra.Command {
	var (
		ci   bool
		file string
		o    verify.Options
	)
	c := verb("verify", "check the ledger; with --ci, a bundle on a clean checkout; never writes", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if ci {
			return a.verifyBundle(c, file, o)
		}
		for _, name := range []string{"bundle", "head", "base", "remote", "pull", "delivery", "rerun", "allow-unknown"} {
			if c.Flags().Changed(name) {
				return problem.New(problem.Usage, "--"+name+" is for --ci", "without --ci, the ledger of this worktree is checked")
			}
		}
		e, err := a.engine()
		if err != nil {
			return err
		}
		return a.verifyLedger(c, e)
	})
	f := c.Flags()
	f.BoolVar(&ci, "ci", false, "hold a bundle against this checkout, the base branch and the provider")
	f.StringVar(&file, "bundle", "", "file with the bundle, - for standard input (default: the note of the head)")
	f.StringVar(&o.Head, "head", "", "commit that the pull request is at (default: what the event says, else the checkout's)")
	f.StringVar(&o.Base, "base", "", "branch that it goes into (default: what the event says, else the remote's default)")
	f.StringVar(&o.Remote, "remote", "", "remote that the base was fetched from (default: as Git selects it)")
	f.StringVar(&o.Pull, "pull", "", "URL of the pull request")
	f.StringVar(&o.Delivery, "delivery", "", "id of the delivery, where the note holds several")
	f.BoolVar(&o.Rerun, "rerun", false, "run the gates again, in an environment without secrets, and compare")
	f.StringArrayVar(&o.Allow, "allow-unknown", nil, "let this check be unknown; can be given for several")
	return c
}

func (a *app) verifyLedger(c *cobra.Command, e *engine.Engine) error {
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
}

func (a *app) verifyBundle(c *cobra.Command, file string, o verify.Options) error {
	for _, name := range o.Allow {
		if !slices.Contains(verify.Names(), name) {
			return problem.New(problem.Usage, fmt.Sprintf("there is no check %q", name), "the checks are "+strings.Join(verify.Names(), ", "))
		}
	}
	e, err := a.engine()
	if err != nil {
		return err
	}
	o.Root = e.Root()
	if o.Envelope, err = a.readBundle(file); err != nil {
		return err
	}
	o.Now, o.Environ, o.Providers = time.Now, a.environ, a.providers
	v, err := verify.Run(c.Context(), o)
	if err != nil {
		return err
	}
	a.answer(map[string]any{"ok": v.Open(), "verdict": v})
	for _, one := range v.Checks {
		a.say("%-8s %-13s %s", one.State, one.Name, one.Reason)
		switch {
		case one.Allowed:
			a.say("%-22s let through by --allow-unknown %s", "", one.Name)
		case one.State != verify.Open && one.Next != "":
			a.say("%-22s next: %s", "", one.Next)
		}
	}
	if !v.Open() {
		return statusError(exitShut)
	}
	return nil
}

// readBundle returns the bundle of a file or of standard input, nil where the note is
// to be read.
func (a *app) readBundle(file string) ([]byte, error) {
	var in io.Reader = a.stdin
	switch file {
	case "":
		return nil, nil
	case "-":
	default:
		f, err := os.Open(file)
		if err != nil {
			return nil, problem.Wrap(problem.Usage, err, "name a file that export wrote")
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, bundle.MaxEnvelope+1))
	if err != nil {
		return nil, problem.Wrap(problem.Failed, err, "read the bundle again")
	}
	return bytes.TrimSpace(b), nil
}
