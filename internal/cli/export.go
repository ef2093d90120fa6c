package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/export"
	"github.com/asterweave/asterweave/internal/problem"
)

func (a *app) exportCommand() *cobra.Command {
	var (
		out  string
		note bool
		req  = export.Request{Version: Version}
	)
	c := a.engineVerb("export", "write the delivery as a bundle about the head commit", cobra.NoArgs, func(c *cobra.Command, e *engine.Engine, _ []string) error {
		s, err := export.Statement(c.Context(), e, req)
		if err != nil {
			return err
		}
		payload, err := bundle.Encode(s)
		if err != nil {
			return problem.Wrap(problem.Failed, err, "leave the outputs out; a ledger that is too long travels as a file of its own")
		}
		envelope, err := bundle.Wrap(payload)
		if err != nil {
			return err
		}
		if note {
			if err := export.Note(c.Context(), e, s.Commit(), envelope); err != nil {
				return err
			}
		}
		switch {
		case out == "-" || out == "" && !note:
			_, err := fmt.Fprintf(a.stdout, "%s\n", envelope)
			return err
		case out != "":
			if err := os.WriteFile(out, append(envelope, '\n'), 0o644); err != nil {
				return problem.Wrap(problem.Failed, err, "name a file in a folder that can be written")
			}
		}
		return a.exported(s, len(envelope), out, note)
	})
	c.Flags().StringVar(&out, "out", "", "file that the bundle is written to; - is standard output, which is where it goes without --note")
	c.Flags().BoolVar(&note, "note", false, "put it into the note of the head commit, beside those that are there")
	c.Flags().BoolVar(&req.Outputs, "outputs", false, "take in what the runs printed, as far as it fits")
	return c
}

// exported says what was written where.
func (a *app) exported(s bundle.Statement, size int, out string, note bool) error {
	p := s.Predicate
	a.answer(map[string]any{
		"ok": true, "commit": s.Commit(), "bytes": size, "note": note, "file": out,
		"ledger": map[string]any{"events": p.Ledger.Events, "head": p.Ledger.Head}, "leftOut": p.LeftOut,
	})
	a.say("a bundle of %d bytes about %s: %d events, %d records, head %s", size, s.Commit(), p.Ledger.Events, len(p.Evidence), p.Ledger.Head)
	if note {
		a.say("it is in the commit's note; it travels when %s is pushed with the branch", bundle.NotesRef)
	}
	if n := len(p.LeftOut); n > 0 {
		a.say("%d outputs are left out and named by their digests", n)
	}
	return nil
}
