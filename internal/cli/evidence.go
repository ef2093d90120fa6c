package cli

import (
	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/hook"
	"github.com/asterweave/asterweave/internal/problem"
)

func (a *app) runCommand() *cobra.Command {
	var req engine.RunRequest
	var kind, at string
	c := verb("run --gate ID | --kind baseline | -- ARGV…", "run a command and record what was seen", cobra.ArbitraryArgs, func(c *cobra.Command, args []string) error {
		switch {
		case req.Gate != "" && (kind != "" || len(args) > 0), kind != "" && len(args) > 0:
			return problem.New(problem.Usage, "run takes a gate, a kind, or a command, one of them", "name a gate with --gate, or a command after --")
		case kind != "" && kind != string(evidence.Baseline):
			return problem.New(problem.Usage, "the only kind that run takes is baseline", "other kinds come from their gates: --gate ID")
		case at != "" && (at != "base" || req.Gate == ""):
			return problem.New(problem.Usage, "--at takes base, with a gate", "run a gate on the base tree with --gate ID --at base")
		}
		req.Base, req.Baseline, req.Argv, req.By = at == "base", kind != "", args, a.by()
		return a.run(c, req)
	})
	c.Flags().StringVar(&req.Gate, "gate", "", "gate of the approved plan, or of the configuration at the base")
	c.Flags().StringVar(&kind, "kind", "", "baseline: the repository's own test command")
	c.Flags().StringVar(&at, "at", "", "base: run the gate on the base tree, with the delivery's tests over it")
	return c
}

func (a *app) run(c *cobra.Command, req engine.RunRequest) error {
	e, err := a.engine()
	if err != nil {
		return err
	}
	req.Stream = a.stdout
	if a.json {
		req.Stream = a.stderr
	}
	out, err := e.Run(c.Context(), req)
	if err != nil {
		return err
	}
	a.evidence(out.Record)
	switch {
	case out.Exit != 0:
		return statusError(out.Exit)
	case out.Record.Result != evidence.Pass:
		return statusError(exitShut)
	}
	return nil
}

func (a *app) refreshCommand() *cobra.Command {
	return a.viewVerb("refresh", "run the gates again that are not current", func(c *cobra.Command, e *engine.Engine, v engine.View) error {
		records := []evidence.Record{}
		shut := false
		for _, g := range v.Stale() {
			out, err := e.Run(c.Context(), engine.RunRequest{Gate: g.ID, Stream: a.stderr, By: a.by()})
			if err != nil {
				return err
			}
			records = append(records, out.Record)
			shut = shut || out.Record.Result != evidence.Pass
			a.say("%s %s: %s", out.Record.ID, g.ID, out.Record.Summary)
		}
		a.answer(map[string]any{"ok": true, "evidence": records})
		if len(records) == 0 {
			a.say("every gate is current")
		}
		if shut {
			return statusError(exitShut)
		}
		return nil
	})
}

func (a *app) recordCommand() *cobra.Command {
	var in document.RecordInput
	var fromHook bool
	c := verb("record --kind K --result R --summary S", "take other evidence", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if fromHook {
			return a.hookEvent(c, hook.PostTool)
		}
		e, err := a.engine()
		if err != nil {
			return err
		}
		if evidence.Kind(in.Kind).IsReview() && in.Path != "" {
			return a.recordReview(c, e, in)
		}
		r, err := e.Record(c.Context(), a.by(), in)
		if err != nil {
			return err
		}
		a.evidence(r)
		return nil
	})
	c.Flags().StringVar(&in.Kind, "kind", "", "what it is about")
	c.Flags().StringVar(&in.Result, "result", "", "pass, fail, info or unknown")
	c.Flags().StringVar(&in.Summary, "summary", "", "what was seen, in a sentence")
	c.Flags().StringVar(&in.Path, "path", "", "a file of the work tree, or a URL; for a review any file, or - for standard input")
	c.Flags().StringArrayVar(&in.Criteria, "criterion", nil, "a criterion that it is about; may be repeated")
	c.Flags().StringVar(&in.Because, "because", "", "why, for info")
	c.Flags().StringVar(&in.Instead, "instead", "", "the gate that covers it instead, for info")
	c.Flags().BoolVar(&fromHook, "hook", false, "take a post-tool payload of a harness on stdin")
	return c
}

// recordReview takes a verdict from a human who reviewed without a harness.
func (a *app) recordReview(c *cobra.Command, e *engine.Engine, in document.RecordInput) error {
	data, err := a.readFile(in.Path) // wherever it lies: a file in the work tree would change the tree that it is about
	if err != nil {
		return err
	}
	var rev document.Review
	if err := canon.Decode(data, document.MaxBytes, &rev); err != nil {
		return problem.Wrap(problem.Invalid, err, "next --agent prints the form of a reviewer's verdict")
	}
	if p := rev.Check(); len(p) > 0 {
		return problem.New(problem.Invalid, "the review is refused: "+document.Problems(p).Error(), "correct every named field")
	}
	if rev.Kind != in.Kind || in.Result != "" && rev.Verdict != in.Result {
		return problem.New(problem.Usage, "the file says another kind or verdict than the flags", "let both say the same")
	}
	r, err := e.Review(c.Context(), "record", a.human(), rev, decide.Reviewer{}, data)
	if err != nil {
		return err
	}
	a.evidence(r)
	return nil
}
