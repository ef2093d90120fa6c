package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, RunE: func(c *cobra.Command, args []string) error {
		what := "one of its verbs"
		if len(args) > 0 {
			what = fmt.Sprintf("no verb %q", args[0])
		}
		return problem.New(problem.Usage, fmt.Sprintf("%s takes %s", c.Name(), what), c.CommandPath()+" --help lists them")
	}}
	c.AddCommand(subs...)
	return c
}

func (a *app) putCommand(doc string) *cobra.Command {
	return a.engineVerb("put FILE", "store it", cobra.ExactArgs(1), func(c *cobra.Command, e *engine.Engine, args []string) error {
		data, err := a.readFile(args[0])
		if err != nil {
			return err
		}
		d, err := e.Put(c.Context(), a.by(), doc, data)
		if err != nil {
			return err
		}
		a.answer(map[string]any{"ok": true, "digest": d.State.Docs[doc], "criteria": engine.Criteria(d.View)})
		a.say("%s is stored: %s", doc, d.State.Docs[doc])
		return nil
	})
}

func (a *app) showCommand(doc string) *cobra.Command {
	return a.engineVerb("show", "print it as it is stored", cobra.NoArgs, func(_ *cobra.Command, e *engine.Engine, _ []string) error {
		s, err := e.Peek()
		if err != nil {
			return err
		}
		digest := s.Docs[doc]
		if digest == "" {
			return problem.New(problem.Conflict, "there is no "+doc+" yet", doc+" put FILE stores one")
		}
		data, err := e.Artifact(digest)
		if err != nil {
			return problem.Wrap(problem.Ledger, err, "doctor says what is missing")
		}
		if a.json {
			a.answer(map[string]any{"ok": true, "digest": digest, doc: json.RawMessage(data)})
			return nil
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			return fmt.Errorf("%s: %w", doc, err)
		}
		enc := json.NewEncoder(a.stdout)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(v)
	})
}

func (a *app) specCommand() *cobra.Command {
	return group("spec", "task and acceptance criteria", a.putCommand(state.DocSpec), a.showCommand(state.DocSpec), a.judgeCommand(), a.listCommand())
}

func (a *app) planCommand() *cobra.Command {
	return group("plan", "tasks, scope and gates", a.putCommand(state.DocPlan), a.showCommand(state.DocPlan))
}

func (a *app) triageCommand() *cobra.Command {
	return group("triage", "what the comments on the pull request ask for", a.putCommand(state.DocTriage), a.showCommand(state.DocTriage))
}

func (a *app) manifestCommand() *cobra.Command {
	check := a.viewVerb("check", "check that its paths exist", func(_ *cobra.Command, _ *engine.Engine, v engine.View) error {
		if v.Facts.Manifest == nil {
			return problem.New(problem.Conflict, "there is no manifest yet", "manifest put FILE stores one")
		}
		problems := v.Facts.Manifest.Check(func(p string) bool { return v.Facts.PathExists[p] })
		if len(problems) > 0 {
			return problem.New(problem.GateShut, "the manifest does not hold: "+document.Problems(problems).Error(), "store a corrected one")
		}
		a.answer(map[string]any{"ok": true, "paths": len(v.Facts.Manifest.Paths())})
		a.say("the manifest holds: %d paths exist", len(v.Facts.Manifest.Paths()))
		return nil
	})
	return group("manifest", "what analyze found, for later nodes", a.putCommand(state.DocManifest), a.showCommand(state.DocManifest), check)
}

func (a *app) judgeCommand() *cobra.Command {
	var in document.VerdictInput
	c := a.engineVerb("judge ID --verdict V --expected DIGEST --evidence ID…", "give a criterion its verdict", cobra.ExactArgs(1), func(c *cobra.Command, e *engine.Engine, args []string) error {
		in.ID = args[0]
		var ask *state.Ask
		d, err := e.Do(c.Context(), "judge", a.by(), func(d *decide.Draft) (err error) {
			ask, err = d.Judge(in)
			return err
		})
		if err != nil {
			return err
		}
		out := map[string]any{"ok": true, "criteria": engine.Criteria(d.View)}
		if ask != nil {
			out["ask"] = ask
			a.say("%s: a human judges %s; inbox shows the question", ask.ID, in.ID)
		} else {
			a.say("%s: %s", in.ID, in.Verdict)
		}
		a.answer(out)
		return nil
	})
	c.Flags().StringVar(&in.Verdict, "verdict", "", "pass or fail")
	c.Flags().StringVar(&in.Expected, "expected", "", "digest of the criterion that was judged; spec list shows it")
	c.Flags().StringArrayVar(&in.Evidence, "evidence", nil, "record that shows it; may be repeated")
	return c
}

func (a *app) listCommand() *cobra.Command {
	return a.viewVerb("list", "list the criteria and their verdicts", func(_ *cobra.Command, _ *engine.Engine, v engine.View) error {
		if a.json {
			a.answer(map[string]any{"ok": true, "criteria": engine.Criteria(v.View)})
			return nil
		}
		for _, cr := range v.State.Criteria {
			verdict, why := v.Verdict(cr)
			text := ""
			if s, ok := v.Facts.Spec.Criterion(cr.ID); ok {
				text = s.Text
			}
			a.say("%s %s %s %s\n  %s", cr.ID, cr.Hardness, verdict, cr.Digest, text)
			if why != "" {
				a.say("  %s", why)
			}
		}
		return nil
	})
}
